import type { RowBatch } from '../rows/row-batch.ts';
import { rowsOf } from '../rows/row-batch.ts';
import { addSums, Grouping, type Sums } from './grouping.ts';

/** What a report comes to: its totals, and their course over time. */
export interface Figures {
  readonly rowCount: number;
  readonly totals: Sums;
  /** `hour` or `date`, whichever tells more; `undefined` where the rows have no time. */
  readonly timeField: string | undefined;
  /** The sums of each time that the rows have, in order of time. */
  readonly points: readonly Point[];
}

/** What the rows of one time come to. */
interface Point {
  /** As in the rows: `2026-11-01`, `2026-11-01T02:00:00+0100`. */
  readonly time: string;
  readonly sums: Sums;
}

/** Adds up the figures of a report while its rows go by; its memory is that of the days or hours. */
export class FigureCounter {
  #grouping: Grouping | undefined;

  /** How many rows there were so far. */
  get rowCount(): number {
    return this.#grouping?.rowCount ?? 0;
  }

  /** Adds the rows of a batch, or some of them. */
  observe(batch: RowBatch, rows = rowsOf(batch)): void {
    this.#grouping ??= new Grouping(timeFieldOf(batch.fields));
    this.#grouping.observe(rows, batch.fields);
  }

  /** The figures of the rows so far. */
  figures(): Figures {
    const grouping = this.#grouping ?? new Grouping();
    const points = [...grouping].flatMap(({ key: [time], sums }) =>
      // A text that is empty, or `total`, has no place on a line of time.
      typeof time === 'string' && /^\d{4}-\d\d-\d\d/.test(time) ? [{ time, sums }] : [],
    );
    const { rowCount, by } = grouping;
    return { rowCount, totals: grouping.totals(), timeField: by[0]?.field, points: inOrder(points) };
  }
}

/** The field that tells the time of rows best, if any does. */
export function timeFieldOf(fields: readonly string[]): string[] {
  return ['hour', 'date'].filter((field) => fields.includes(field)).slice(0, 1);
}

/** The figures of several reports as those of one; where two have a time in common, it is added up. */
export function mergeFigures(parts: readonly Figures[]): Figures {
  const points = new Map<string, Sums>();
  for (const { time, sums } of parts.flatMap((part) => part.points)) {
    points.set(time, addSums([points.get(time) ?? new Map(), sums]));
  }
  return {
    rowCount: parts.reduce((count, part) => count + part.rowCount, 0),
    totals: addSums(parts.map((part) => part.totals)),
    timeField: parts.find((part) => part.timeField !== undefined)?.timeField,
    points: inOrder([...points].map(([time, sums]) => ({ time, sums }))),
  };
}

function inOrder(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => compareTimes(a.time, b.time));
}

/** Orders dates and hours as time does: at the end of summer 02:00+0200 comes before 02:00+0100. */
export function compareTimes(a: string, b: string): number {
  const difference = instantOf(a) - instantOf(b);
  return Number.isNaN(difference) ? Number(a > b) - Number(a < b) : difference;
}

/** Milliseconds since 1970, or `NaN`. ECMAScript wants a colon in the offset. */
function instantOf(time: string): number {
  return Date.parse(time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}
