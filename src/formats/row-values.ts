import { toDecimalString } from '../contract/values.ts';
import { OutputError } from '../errors.ts';
import type { EncodeOptions } from '../output/encoder.ts';
import { addEarlierColumns, type PlannedColumn } from '../query/column-plan.ts';
import { readField } from '../rows/column-values.ts';
import type { RowBatch, Value } from '../rows/row-batch.ts';
import { Decimal, exactDouble } from '../text/decimal.ts';
import type { Sums } from '../totals/grouped-totals.ts';
import { padMoney, parseNumber } from '../totals/numbers.ts';
import { roundComputed } from '../totals/report-metrics.ts';
import { RowMatcher } from '../totals/row-matcher.ts';
import type { Step } from '../totals/time-axis.ts';

type Cell = Value | undefined;

/** Reads the cells of CSV, Parquet and sheets, including those of the earlier report. */
export class RowValues {
  readonly #matcher: RowMatcher | undefined;

  /** Whether money arrives with a decimal comma, as from a DSP. */
  readonly #hasDecimalComma: boolean;

  /** Number of rows that only the earlier report has. 0 before `listEndedRows`. */
  endedRowCount = 0;

  /** Throws `OutputError` if the earlier report has too many rows to match one by one. */
  constructor({ comparison, columns, provenance }: EncodeOptions) {
    const { request = null } = provenance ?? {};
    this.#hasDecimalComma = request !== null && 'profile' in request && request.profile === 'dsp';
    if (!comparison) return;

    const { rows } = comparison.sums;
    if (!rows) throw tooManyRowsError();
    this.#matcher = new RowMatcher(comparison, rows, findStep(columns));
  }

  /** Adds the columns of the earlier report if there is one. */
  withEarlierColumns(columns: readonly PlannedColumn[]): readonly PlannedColumn[] {
    return this.#matcher ? addEarlierColumns(columns) : columns;
  }

  /** Reads the cells of a column, one per row. */
  read(batch: RowBatch, column: PlannedColumn): readonly Cell[] {
    const { field, metric, isEarlier } = column;
    if (isEarlier) {
      const matches = this.#matcher?.match(batch) ?? [];
      return matches.map((sums) => sums && this.#formatEarlier(column, sums));
    }
    if (!metric?.computed) return readField(batch, field);

    const { numeratorField, denominatorField } = metric.computed;
    const values = new Map(
      [numeratorField, denominatorField].map((name) => [name, readField(batch, name)]),
    );
    return Array.from({ length: batch.rowCount }, (_, row) => {
      const get = (name: string) => parseNumber(values.get(name)?.[row]) ?? undefined;
      return roundComputed(metric, { get });
    });
  }

  /** Lists the rows that only the earlier report has. Called after the last batch. */
  listEndedRows(columns: readonly PlannedColumn[]): Cell[][] {
    // Without a metric, no row has been matched.
    if (!columns.some(({ isEarlier }) => isEarlier)) return [];

    const ended = this.#matcher?.ended() ?? [];
    this.endedRowCount = ended.length;
    return ended.map(({ fields, before }) => {
      return columns.map((column) => {
        return column.isEarlier ? this.#formatEarlier(column, before) : fields.get(column.field);
      });
    });
  }

  /** Formats a value of the earlier report like the current values. */
  #formatEarlier({ field, metric, type }: PlannedColumn, sums: Sums): Cell {
    if (metric?.computed) return roundComputed(metric, sums);

    const sum = sums.get(field);
    if (sum !== undefined && type === 'money' && this.#hasDecimalComma) {
      return padMoney(String(sum)).replace('.', ',');
    }
    return sum instanceof Decimal ? String(sum) : sum;
  }
}

/** Finds the calendar unit of the rows. */
function findStep(columns: EncodeOptions['columns'] = []): Step {
  if (columns.some(({ breakdown }) => breakdown === 'HOURLY')) return 'hour';
  if (columns.some(({ isWeekly }) => isWeekly)) return 'week';
  return columns.some(({ breakdown }) => breakdown === 'MONTHLY') ? 'month' : 'day';
}

/**
 * Converts a number or a numeric string to a double. Returns `undefined` if its value would change.
 */
export function toExactDouble(value: Value): number | undefined {
  // Numbers that a double cannot represent arrive as strings.
  return typeof value === 'number' ? value : exactDouble(toDecimalString(value) ?? '');
}

function tooManyRowsError(): OutputError {
  return new OutputError('The earlier report has too many rows to compare them one by one.', {
    code: 'TOO_LARGE',
    hint: 'Write a page or a spreadsheet with fewer breakdowns, or remove --compare.',
  });
}
