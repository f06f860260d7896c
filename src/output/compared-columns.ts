import { OutputError } from '../errors.ts';
import type { Value } from '../rows/row-batch.ts';
import { RowMatcher } from '../totals/row-matcher.ts';
import type { Step } from '../totals/time-axis.ts';
import { earlierValue, type PlannedColumn } from './column-plan.ts';
import type { EncodeOptions } from './encoder.ts';

/**
 * Adds to files for programs what `--compare` asks for: the column `METRICBefore` after each
 * metric, and the rows that have ended. Adds nothing without a comparison.
 */
export class ComparedColumns {
  readonly #matcher: RowMatcher | undefined;

  readonly #isOfDsp: boolean;

  /** Number of rows that have ended; known after `endedRows`. */
  endedCount = 0;

  /** Throws `OutputError` if the earlier report has too many rows to match one by one. */
  constructor({ comparison, columns, provenance }: EncodeOptions) {
    const { request = null } = provenance ?? {};
    this.#isOfDsp = request !== null && 'profile' in request && request.profile === 'dsp';
    if (!comparison) return;

    const { rows } = comparison.sums;
    if (!rows) throw tooManyRows();
    this.#matcher = new RowMatcher(comparison, rows, findStep(columns));
  }

  /** Adds a column with the earlier values after each metric. */
  addTo(columns: readonly PlannedColumn[]): readonly PlannedColumn[] {
    const matcher = this.#matcher;
    if (!matcher) return columns;

    return columns.flatMap((column) => {
      const { name, label, metric } = column;
      if (!metric) return [column];
      const before = { ...column, name: `${name}Before`, label: `${label} before`, matcher };
      const hasDecimalComma = this.#isOfDsp && column.type === 'money';
      return [column, { ...before, hasDecimalComma }];
    });
  }

  /** Returns the rows that have ended, with empty metrics; called after the last batch. */
  endedRows(columns: readonly PlannedColumn[]): (Value | undefined)[][] {
    const ended = this.#matcher?.ended() ?? [];
    this.endedCount = ended.length;
    return ended.map(({ fields, before }) => {
      return columns.map((column) => {
        return column.matcher ? earlierValue(column, before) : fields.get(column.field);
      });
    });
  }
}

/** Returns the unit of the times in a report's rows. */
function findStep(columns: EncodeOptions['columns'] = []): Step {
  if (columns.some(({ breakdown }) => breakdown === 'HOURLY')) return 'hour';
  if (columns.some(({ isWeekly }) => isWeekly)) return 'week';
  return columns.some(({ breakdown }) => breakdown === 'MONTHLY') ? 'month' : 'day';
}

function tooManyRows(): OutputError {
  return new OutputError('The earlier report has too many rows to compare them one by one.', {
    code: 'TOO_LARGE',
    hint: 'Write a page or a spreadsheet with fewer breakdowns, or remove --compare.',
  });
}
