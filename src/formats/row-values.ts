import { OutputError } from '../errors.ts';
import type { EncodeOptions } from '../output/encoder.ts';
import { addEarlierColumns, type PlannedColumn } from '../query/column-plan.ts';
import { readField } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal } from '../text/decimal.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { padMoney, parseNumber } from '../totals/numbers.ts';
import { roundDerived } from '../totals/report-metrics.ts';
import { RowMatcher } from '../totals/row-matcher.ts';
import type { Step } from '../totals/time-axis.ts';

type Cell = Value | undefined;

/**
 * Reads the cells of files that programs read. With `--compare`, the cells of the earlier report
 * are included.
 */
export class RowValues {
  readonly #matcher: RowMatcher | undefined;

  /** Set for the money of a DSP. It arrives with a decimal comma. */
  readonly #hasDecimalComma: boolean;

  /** Number of rows that occur only in the earlier report; known after `endedRows`. */
  endedCount = 0;

  /** Throws `OutputError` if the earlier report has too many rows to match one by one. */
  constructor({ comparison, columns, provenance }: EncodeOptions) {
    const { request = null } = provenance ?? {};
    this.#hasDecimalComma = request !== null && 'profile' in request && request.profile === 'dsp';
    if (!comparison) return;

    const { rows } = comparison.sums;
    if (!rows) throw tooManyRows();
    this.#matcher = new RowMatcher(comparison, rows, findStep(columns));
  }

  /** Adds the columns of the earlier report, if there is an earlier report. */
  withEarlier(columns: readonly PlannedColumn[]): readonly PlannedColumn[] {
    return this.#matcher ? addEarlierColumns(columns) : columns;
  }

  /** Returns the cells of a column, one per row of the batch. */
  read(batch: RowBatch, column: PlannedColumn): readonly Cell[] {
    const { field, metric, isEarlier } = column;
    if (isEarlier) {
      const matches = this.#matcher?.match(batch) ?? [];
      return matches.map((sums) => sums && this.#earlierCell(column, sums));
    }
    if (!metric?.derived) return readField(batch, field);

    const { numeratorField, denominatorField } = metric.derived;
    const values = new Map(
      [numeratorField, denominatorField].map((name) => [name, readField(batch, name)]),
    );
    return Array.from({ length: batch.rowCount }, (_, row) => {
      const get = (name: string) => parseNumber(values.get(name)?.[row]) ?? undefined;
      return roundDerived(metric, { get });
    });
  }

  /**
   * Returns the rows that occur only in the earlier report, with empty metrics. Called after the
   * last batch.
   */
  endedRows(columns: readonly PlannedColumn[]): Cell[][] {
    const ended = this.#matcher?.ended() ?? [];
    this.endedCount = ended.length;
    return ended.map(({ fields, before }) => {
      return columns.map((column) => {
        return column.isEarlier ? this.#earlierCell(column, before) : fields.get(column.field);
      });
    });
  }

  /** Returns a value of the earlier report in the form of the current values. */
  #earlierCell({ field, metric, type }: PlannedColumn, sums: Sums): Cell {
    if (metric?.derived) return roundDerived(metric, sums);

    const sum = sums.get(field);
    if (sum !== undefined && type === 'money' && this.#hasDecimalComma) {
      return padMoney(String(sum)).replace('.', ',');
    }
    return sum instanceof Decimal ? String(sum) : sum;
  }
}

/** Returns the calendar unit of the times in a report's rows. */
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
