import type { Column } from '../../contract/columns.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { RepeatFinder } from '../../rows/row-keys.ts';
import { breakdownFields, type Check } from './check.ts';

/** Rows name these places without their ids, and two places may have one name: their rows are no repetition. */
const ambiguousBreakdowns: readonly (BreakdownName | undefined)[] = [
  'REGION',
  'DEPARTMENT',
  'CITY',
  'POSTALCODE',
];

/** Whether the columns tell each row from every other. */
export function canRepeatsBeTold(columns: readonly Column[]): boolean {
  return !columns.some(({ breakdown }) => ambiguousBreakdowns.includes(breakdown));
}

/** Finds rows that have the breakdown values of an earlier one. */
export class RepeatCheck implements Check {
  readonly #finder: RepeatFinder;

  constructor(columns: readonly Column[]) {
    this.#finder = new RepeatFinder(breakdownFields(columns));
  }

  observe(batch: RowBatch): void {
    this.#finder.observe(batch);
  }

  findings(): string[] {
    const { count, firstRow } = this.#finder;
    if (count === 0) return [];

    const subject =
      count === 1 ? 'One row of the report repeats' : `${count} rows of the report repeat`;
    return [`${subject} the breakdown values of an earlier one; the first is row ${firstRow}.`];
  }
}
