import { type Column, metricOfField } from '../../contract/columns.ts';
import { IncompleteDataError } from '../../errors.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';

/**
 * Names the columns that were asked for and did not come. Throws `IncompleteDataError` where none of them did.
 * @param firstValue what the first row begins with, for that error
 */
export function columnFindings(
  columns: readonly Column[],
  { fields, rowCount }: ReportTail,
  firstValue: string,
): string[] {
  if (rowCount === 0 && fields.length === 0) return [];

  const names = new Set<string | undefined>(fields);
  for (const field of fields) names.add(metricOfField(field)?.name);
  const isMissing = ({ field, metric }: Column): boolean =>
    !names.has(field) && (metric === undefined || !names.has(metric));

  const asked = columns.filter((column) => column.metric ?? column.breakdown);
  const missing = asked.filter(isMissing);
  if (missing.length === 0) return [];
  if (missing.length === asked.length) throw noReport(fields, firstValue);

  const noun = missing.length === 1 ? 'column' : 'columns';
  const missingNames = missing.map(({ field }) => field).join(', ');
  return [`The report lacks the ${noun} ${missingNames}, asked for.`];
}

function noReport(fields: readonly string[], firstValue: string): IncompleteDataError {
  const names = printable(fields.slice(0, 5).join(', ').slice(0, 150));
  const value = printable(firstValue.slice(0, 200));
  const beginning = firstValue === '' ? '' : ` Its first row begins with ${value}.`;
  return new IncompleteDataError(
    `This is no report: none of the columns that were asked for is in it. It has ${names}.${beginning}`,
    {
      code: 'NO_HEADER',
      retryable: false,
      hint: 'That may be an error text of the service, or data without the names of its columns: adreport doctor --service tells more.',
    },
  );
}
