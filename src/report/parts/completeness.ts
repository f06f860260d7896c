import type { Column } from '../../contract/columns.ts';
import type { BreakdownName } from '../../contract/vocabulary.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import type { Window } from '../window/window.ts';
import { RowKeys } from './row-keys.ts';
import { createTimeCoverage, type TimeCoverage } from './time-coverage.ts';

/** What a report should hold, as far as its request tells. */
export interface Expectation {
  readonly window: Window;
  readonly breakdowns: readonly BreakdownName[];
  /** The columns that the request leads to (`columnsOf`). */
  readonly columns: readonly Column[];
  /** Milliseconds since 1970: what has not ended by now may be missing. */
  readonly nowMs: number;
}

/** Looks at a report's rows on their way to the output. */
export interface CompletenessCheck {
  /** To be called with every batch, in order. */
  observe(batch: RowBatch): void;
  /** One sentence for each thing that is wrong with what was seen; none where all is well. */
  problems(): string[];
}

/**
 * A check that no ended day (hour, month) of the window is missing from a time breakdown, and that no row's key comes
 * twice. Its memory is bounded: by the window's length, and by the first million rows.
 */
export function checkCompleteness(expectation: Expectation): CompletenessCheck {
  const { breakdowns, columns } = expectation;
  const coverage = createTimeCoverage(expectation);
  const keyFields = columns.filter(({ breakdown }) => breakdown !== undefined).map(({ field }) => field);
  const keys = breakdowns.some(isAmbiguous) ? undefined : new RowKeys(keyFields);
  return {
    observe(batch) {
      coverage?.observe(batch);
      keys?.observe(batch);
    },
    problems: () => [...(coverage ? missingTimes(coverage) : []), ...(keys ? repeatedKeys(keys) : [])],
  };
}

/** Rows name these places without their ids, and two places may have one name: their rows are no repetition. */
function isAmbiguous(breakdown: BreakdownName): boolean {
  return ['REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'].includes(breakdown);
}

const namedAtMost = 5;

function missingTimes({ unit, expectedCount, missing }: TimeCoverage): string[] {
  const labels = missing();
  if (labels.length === 0) return [];
  const named = labels.slice(0, namedAtMost).join(', ');
  const more = labels.length > namedAtMost ? ` and ${labels.length - namedAtMost} more` : '';
  const all = `${expectedCount} ${unit}${expectedCount === 1 ? '' : 's'}`;
  return [`The report has no rows for ${labels.length} of the ${all} of its window: ${named}${more}.`];
}

function repeatedKeys({ repeatedCount, firstRepeated }: RowKeys): string[] {
  if (repeatedCount === 0) return [];
  const what = repeatedCount === 1 ? 'One row of the report repeats' : `${repeatedCount} rows of the report repeat`;
  return [`${what} the breakdown values of an earlier one; the first is row ${firstRepeated}.`];
}
