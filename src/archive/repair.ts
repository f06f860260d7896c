import { type Books, nameOfBook, newestOf } from './book.ts';
import type { FolderVerdict } from './check.ts';
import type { OrderLine } from './forms.ts';
import type { FetchedTime } from './series.ts';

/** What is fetched again by one order of a folder. */
export interface BookedFetch {
  readonly books: Books;
  readonly order: OrderLine;
  readonly times: readonly FetchedTime[];

  /**
   * The book that the line of a file goes to: where its newest line stands, so that the new one is
   * the newest.
   */
  readonly bookOf: (file: string) => string;
}

/** What mends a folder: what is fetched again by each order, and what only a person can decide. */
export interface RepairPlan {
  readonly fetches: readonly BookedFetch[];
  readonly forPerson: readonly string[];
}

/** What mends what is wrong with a folder. */
export function planRepair(books: Books, { findings }: FolderVerdict): RepairPlan {
  const timesByOrder = new Map<OrderLine, FetchedTime[]>();
  const forPerson = new Set<string>();

  for (const { cure, said } of findings) {
    if (cure.by === 'person') {
      forPerson.add(cure.said ?? said);
      continue;
    }
    const times = timesByOrder.get(cure.order) ?? [];
    for (const time of cure.times) {
      if (!times.some(({ since }) => since === time.since)) times.push(time);
    }
    timesByOrder.set(cure.order, times);
  }

  const bookOf = (file: string): string => newestOf(books, file)?.book ?? nameOfBook();
  const fetches = [...timesByOrder].map(([order, times]) => ({ books, order, times, bookOf }));
  return { fetches, forPerson: [...forPerson] };
}
