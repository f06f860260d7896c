import type { Column } from '../contract/columns.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { offsetAt, type Window } from '../query/calendar.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { RepeatFinder } from '../rows/row-keys.ts';
import type { Check, CheckMessages } from './row-check.ts';

/** Breakdowns whose values identify a row. With the others, two things may share a name. */
const keyBreakdowns: readonly (BreakdownName | undefined)[] = [
  'DAILY',
  'HOURLY',
  'MONTHLY',
  'RANGE',
  'CAMPAIGN',
  'ADUNIT',
  'CREATIVE',
  'COUNTRY',
  'ADNETWORK',
  'PLATFORM',
  'DEVICETYPE',
];

/** Checks whether the breakdowns of the columns identify each row. */
export function hasUniqueKeys(columns: readonly Column[]): boolean {
  const breakdowns = columns.filter(({ breakdown }) => breakdown !== undefined);
  return breakdowns.every(({ breakdown }) => keyBreakdowns.includes(breakdown));
}

/**
 * Finds rows with the same key as an earlier row. The key is all fields of the breakdowns and every
 * field that was not requested.
 */
export class RepeatCheck implements Check {
  readonly #finder: RepeatFinder;
  readonly #window: Window | undefined;

  /** @param window `undefined` if it is not known */
  constructor(columns: readonly Column[], window: Window | undefined) {
    this.#window = window;
    const keyFields: string[] = [];
    const metricFields: string[] = [];
    for (const { field, metric, breakdown } of columns) {
      if (metric !== undefined) metricFields.push(field);
      else if (breakdown !== undefined) keyFields.push(field);
    }
    this.#finder = new RepeatFinder(keyFields, metricFields);
  }

  observe(batch: RowBatch): void {
    this.#finder.observe(batch);
  }

  close(_tail: ReportTail, messages: CheckMessages): void {
    const { count, firstRow } = this.#finder.repeats();
    if (count === 0) return;
    if (this.#finder.hasAmbiguousHours && mayDoubleHours(this.#window)) return;

    const warning =
      count === 1
        ? `Row ${firstRow} repeats the breakdown values of an earlier row.`
        : `${count} rows repeat the breakdown values of earlier rows (first: row ${firstRow}).`;
    messages.addWarning('rows', warning);
  }
}

const secondsPerWeek = 7 * 86_400;

/**
 * Checks whether clocks may be set back within the window, so that two hours have the same name.
 */
function mayDoubleHours(window: Window | undefined): boolean {
  if (!window) return true;
  const { since, until, zone } = window;
  for (let start = since; start <= until; start += secondsPerWeek) {
    const end = Math.min(start + secondsPerWeek, until);
    if (offsetAt(end, zone) < offsetAt(start, zone)) return true;
  }
  return false;
}
