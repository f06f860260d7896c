import { UsageError } from '../errors.ts';
import { readFileColumns, unknownColumn } from '../query/columns.ts';

/** `--sort` as typed. */
export interface TypedSort {
  readonly name: string;
  readonly direction: 'asc' | 'desc' | undefined;
}

/** Splits `ctr:asc`. Throws `UsageError` for another word after the colon. */
export function parseSort(sort: string): TypedSort {
  const colon = sort.lastIndexOf(':');
  if (colon < 0) return { name: sort.trim(), direction: undefined };

  const word = sort
    .slice(colon + 1)
    .trim()
    .toLowerCase();
  if (word === 'asc' || word === 'desc') {
    return { name: sort.slice(0, colon).trim(), direction: word };
  }
  throw new UsageError(`--sort ${sort}: only asc or desc can follow the colon.`, {
    hint: 'For example: --sort ctr:asc',
  });
}

/** Finds the column that a sort names, as typed or in plain words. Throws `UsageError` for none. */
export function sortColumn({ name }: TypedSort, columns: readonly string[]): string {
  const [column] = readFileColumns({ flag: '--sort', text: name, fields: columns })?.columns ?? [];
  if (column === undefined) throw unknownColumn(name, columns, '--sort');
  return column;
}

/** Orders by a value; items without one come last, whichever way others go. */
export function byValue<Item, Value>(
  readValue: (item: Item) => Value | undefined,
  compare: (one: Value, other: Value) => number,
): (one: Item, other: Item) => number {
  return (a, b) => {
    const one = readValue(a);
    const other = readValue(b);
    if (one !== undefined && other !== undefined) return compare(one, other);
    return Number(one === undefined) - Number(other === undefined);
  };
}

/** Created on first use: it takes longer than the rest of a small table. */
let collator: Intl.Collator | undefined;

/** Sorts names as people do, with digits as numbers. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator('en', { numeric: true });
  return collator.compare(one, other);
}
