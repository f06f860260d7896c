import { fieldTypeOf } from '../contract/columns.ts';
import { moneyText } from '../figures/numbers.ts';
import { Decimal } from '../text/decimal.ts';
import type { BookedFile, Books } from './book.ts';
import type { FileLine, OrderLine } from './forms.ts';
import type { Totals } from './line.ts';
import { type AgeOfReports, type LookbackAdvice, RestatementHistory } from './restatement.ts';

/** What the files of one `output` come to. */
export interface SeriesSummary {
  readonly output: string;
  readonly order: OrderLine;

  /** The first and the last day that its files hold. */
  readonly since: string;
  readonly until: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly totals: Totals;
  readonly ages: readonly AgeOfReports[];
  readonly advice: LookbackAdvice;
}

/** A file of a series with all that the books say of it. */
export interface SeriesFile {
  /** The newest of its lines. */
  readonly line: FileLine;
  readonly order: OrderLine;
  readonly lines: readonly BookedFile[];
}

/**
 * What the files of a series come to.
 *
 * @param order the newest one of the series
 * @param files in the order of their time
 */
export function summaryOfSeries(
  order: OrderLine,
  files: readonly SeriesFile[],
  { orders }: Books,
): SeriesSummary {
  const history = new RestatementHistory();
  let rows = 0;
  let bytes = 0;
  for (const { line, lines } of files) {
    rows += line.rows;
    bytes += line.bytes;
    for (const booked of lines) history.observe(booked.line, orders.get(booked.line.order));
  }

  return {
    output: order.output,
    order,
    since: files[0]?.line.since.slice(0, 10) ?? '',
    until: files.at(-1)?.line.until.slice(0, 10) ?? '',
    files: files.length,
    rows,
    bytes,
    totals: totalsOf(files),
    ages: history.ages,
    advice: history.advice,
  };
}

/** The exact sum of each metric over some files. */
function totalsOf(files: readonly SeriesFile[]): Totals {
  const sums = new Map<string, Decimal>();
  for (const { line } of files) {
    for (const [metric, value] of Object.entries(line.totals)) {
      const addend = Decimal.parse(value);
      if (addend) sums.set(metric, sums.get(metric)?.plus(addend) ?? addend);
    }
  }

  const totals: Record<string, string> = {};
  for (const [metric, sum] of sums) {
    const digits = sum.toString();
    totals[metric] = fieldTypeOf(metric) === 'money' ? moneyText(digits) : digits;
  }
  return totals;
}
