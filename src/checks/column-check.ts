import { type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { IncompleteDataError } from '../errors.ts';
import { hasValue, type ReportTail, type RowBatch, readJsonValues } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { Check, CheckMessages } from './check.ts';
import type { ValueCheck } from './value-check.ts';

/** Fields that the service does not document (`decisions.md` 4). */
const ownFields: readonly string[] = ['date', 'hour', 'publisherId', 'format'];

/**
 * Finds requested metrics and breakdowns without a column, based on the header in CSV and on the
 * rows in JSON. Also rejects a body that is not a report: a CSV header without any requested
 * metric, or rows that have no number in any requested metric and lack a requested breakdown or all
 * columns.
 */
export class ColumnCheck implements Check {
  readonly #requested: readonly Column[];
  readonly #metrics: readonly ValueCheck[];

  /** First value of the first row, as JSON. */
  #firstValue = '';

  /** Whether any field outside the known metrics and breakdowns has a value. */
  #hasUnknownValues = false;

  constructor(requested: readonly Column[], metrics: readonly ValueCheck[]) {
    // Reports never contain computed columns.
    this.#requested = requested.filter(({ metric, breakdown }) => metric ?? breakdown);
    this.#metrics = metrics;
  }

  observe(batch: RowBatch): void {
    const { fields, firstRow } = batch;
    if (firstRow === 0) this.#firstValue = readJsonValues(batch, fields[0] ?? '')[0] ?? '';
    this.#hasUnknownValues ||= fields.some(
      (field) => fieldTypeOf(field) === undefined && hasValue(batch, field),
    );
  }

  /** Throws `IncompleteDataError` if the body is not a report. */
  close({ fields, rowCount, isCsv = false }: ReportTail, messages: CheckMessages): void {
    if (rowCount === 0 && !isCsv) return;

    const missing = findMissing(this.#requested, fields);
    const metricCount = this.#requested.filter(({ metric }) => metric !== undefined).length;
    const missingMetrics = missing.filter(({ metric }) => metric !== undefined);
    const lacksMetrics = metricCount > 0 && missingMetrics.length === metricCount;
    const lacksBreakdown = missing.length > missingMetrics.length;
    const lacksAll = missing.length === this.#requested.length;
    const hasNumber = this.#metrics.some(({ numberCount }) => numberCount > 0);
    const isOtherData = rowCount > 0 && !hasNumber && (lacksBreakdown || lacksAll);
    if ((isCsv && lacksMetrics) || isOtherData) throw this.#notAReportError(fields);

    // The specification does not list the fields of some columns, so an unknown column may be the
    // requested one.
    const mayHaveOtherName = (field: string): boolean =>
      this.#hasUnknownValues && ownFields.includes(field);
    const certain = missing.filter(({ field }) => !mayHaveOtherName(field));
    if (certain.length === 0) return;
    const names = certain.map(({ field }) => field).join(', ');
    const noun = certain.length === 1 ? 'column' : 'columns';
    messages.addWarning('columns', `The report is missing the requested ${noun} ${names}.`);
  }

  #notAReportError(fields: readonly string[]): IncompleteDataError {
    const names = printable(fields.slice(0, 5).join(', ').slice(0, 150));
    const value = printable(this.#firstValue.slice(0, 200));
    const beginning = value === '' ? '' : ` Its first row begins with ${value}.`;
    return new IncompleteDataError(
      `This is not a report: the requested columns are missing, or have no numbers. Its columns are ${names}.${beginning}`,
      {
        code: 'NO_HEADER',
        retryable: false,
        hint: 'It may be an error message from the service, or data without a header. To find out, run adreport doctor --service.',
      },
    );
  }
}

/** Lists the metrics without a column, and all columns of breakdowns without any column. */
function findMissing(requested: readonly Column[], fields: readonly string[]): Column[] {
  const names = new Set<string | undefined>(fields);
  for (const field of fields) names.add(metricOfField(field)?.name);
  const isPresent = ({ field, metric }: Column): boolean =>
    names.has(field) || (metric !== undefined && names.has(metric));

  const presentBreakdowns = new Set<string | undefined>();
  for (const column of requested) {
    if (isPresent(column)) presentBreakdowns.add(column.breakdown);
  }
  return requested.filter((column) => {
    if (isPresent(column)) return false;
    return column.breakdown === undefined || !presentBreakdowns.has(column.breakdown);
  });
}
