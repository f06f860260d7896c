import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import type { MetricValues, OddRows } from './metric-values.ts';
import { type Check, type CheckMessages, formatRows } from './row-check.ts';

/** Finds values that are not numbers, fractions in integer metrics, and repeated header rows. */
export class ValueCheck implements Check {
  readonly #metrics: readonly MetricValues[];
  readonly #isRequested: boolean;

  /** @param isRequested false if the metrics are all that the rows may have */
  constructor(
    metrics: readonly MetricValues[],
    { isRequested }: { readonly isRequested: boolean },
  ) {
    this.#metrics = metrics;
    this.#isRequested = isRequested;
  }

  observe(batch: RowBatch): void {
    for (const metric of this.#metrics) metric.observe(batch);
  }

  close({ rowCount }: ReportTail, messages: CheckMessages): void {
    const header = this.#metrics.find(({ headers }) => headers.count > 0)?.headers;
    if (header) messages.addWarning('values', `Row ${header.firstRow} repeats the header.`);

    for (const metric of this.#metrics) {
      const { column, withFraction, withOther, withoutValue, hasColumn } = metric;
      const { field, type } = column;
      const kind = type === 'integer' ? 'whole number' : 'number';
      if (withOther.count > 0)
        messages.addWarning('values', wrongTypeMessage(field, kind, withOther), { about: field });
      if (withFraction.count > 0)
        messages.addWarning('values', wrongTypeMessage(field, kind, withFraction), {
          about: field,
        });
      if (!hasColumn || withoutValue.count === 0) continue;
      if (!this.#isRequested && !metric.hasValue) continue;

      const rows =
        withoutValue.count === rowCount
          ? `all ${formatCount(rowCount)} rows`
          : formatRows(withoutValue.count, withoutValue.firstRow);
      messages.addNote('values', `The metric ${field} has no value in ${rows}.`, { about: field });
    }
  }
}

function wrongTypeMessage(
  field: string,
  kind: string,
  { count, firstRow, firstValue }: OddRows,
): string {
  const value = printable(firstValue.slice(0, 50));
  const rows = formatRows(count, firstRow);
  return `The metric ${field} is not a ${kind} in ${rows}: ${value}.`;
}
