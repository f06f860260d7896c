import type { Column } from '../contract/columns.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import { offsetAt, type Window } from '../report/window.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { RepeatFinder } from '../rows/row-keys.ts';
import type { Check, Sayings } from './check.ts';

/**
 * The breakdowns whose values tell a row from every other one. Of the others two may have one name.
 */
const tellingBreakdowns: readonly (BreakdownName | undefined)[] = [
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

/** Whether the columns tell each row from every other. */
export function canRepeatsBeTold(columns: readonly Column[]): boolean {
  const breakdowns = columns.filter(({ breakdown }) => breakdown !== undefined);
  return breakdowns.every(({ breakdown }) => tellingBreakdowns.includes(breakdown));
}

/**
 * Finds rows that have the key of an earlier one: all fields of the breakdowns, and every field
 * that was not asked for.
 */
export class RepeatCheck implements Check {
  readonly #finder: RepeatFinder;
  readonly #window: Window | undefined;

  /** @param window absent where it is not known */
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

  close(_tail: ReportTail, sayings: Sayings): void {
    const { count, firstRow } = this.#finder.repeats();
    if (count === 0) return;
    if (this.#finder.hasUntoldHours && mayDoubleHours(this.#window)) return;

    const subject =
      count === 1 ? 'One row of the report repeats' : `${count} rows of the report repeat`;
    sayings.find(
      'rows',
      `${subject} the breakdown values of an earlier one; the first is row ${firstRow}.`,
    );
  }
}

const secondsPerWeek = 7 * 86_400;

/** Whether clocks may be set back in a window, so that two hours of it have one name. */
function mayDoubleHours(window: Window | undefined): boolean {
  if (!window) return true;
  const { since, until, zone } = window;
  for (let start = since; start <= until; start += secondsPerWeek) {
    const end = Math.min(start + secondsPerWeek, until);
    if (offsetAt(end, zone) < offsetAt(start, zone)) return true;
  }
  return false;
}
