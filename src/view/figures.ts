import { metricOfField } from '../contract/columns.ts';
import type { MetricName } from '../contract/vocabulary.ts';
import type { RowBatch } from '../rows/row-batch.ts';
import { Aggregate, type Sums } from './aggregate.ts';
import { DecimalSum } from './decimal-sum.ts';

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
export interface Point {
  /** As in the rows: `2026-11-01`, `2026-11-01T02:00:00+0100`. */
  readonly time: string;
  readonly sums: Sums;
}

/** What stands on a line of time: the rest (a text that is empty, `total`) has no place there. */
const timePattern = /^\d{4}-\d\d-\d\d/;

/** Adds up the figures of a report while its rows go by; its memory is that of the days or hours. */
export class FigureCounter {
  #aggregate: Aggregate | undefined;
  #timeField: string | undefined;

  /** How many rows there were so far. */
  get rowCount(): number {
    return this.#aggregate?.rowCount ?? 0;
  }

  /** Adds the rows of a batch, of which nothing is kept but copies. */
  observe(batch: RowBatch): void {
    if (!this.#aggregate) {
      this.#timeField = ['hour', 'date'].find((field) => batch.fields.includes(field));
      this.#aggregate = new Aggregate(this.#timeField === undefined ? [] : [this.#timeField]);
    }
    this.#aggregate.observe(batch);
  }

  /** The figures of the rows so far. */
  figures(): Figures {
    const aggregate = this.#aggregate ?? new Aggregate();
    const points = [...aggregate].flatMap(({ key: [time], sums }) =>
      typeof time === 'string' && timePattern.test(time) ? [{ time, sums }] : [],
    );
    const { rowCount } = aggregate;
    return { rowCount, totals: aggregate.totals(), timeField: this.#timeField, points: inOrder(points) };
  }
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

/** The sums of several groups together. */
export function addSums(parts: readonly Sums[]): Sums {
  const total = new Map<string, DecimalSum>();
  for (const [field, sum] of parts.flatMap((part) => [...part])) {
    const before = total.get(field) ?? new DecimalSum();
    before.addSum(sum);
    total.set(field, before);
  }
  return total;
}

/** Finds the sum of a metric by the metric's name, which in some rows is not its field's; `undefined`: no number. */
export function sumOfMetric(sums: Sums): (metric: MetricName) => number | undefined {
  return (metric) => [...sums].find(([field]) => metricOfField(field)?.name === metric)?.[1].toNumber();
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
