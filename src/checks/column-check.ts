import { type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { MetricValues } from './metric-values.ts';
import { type CheckMessages, isOurField } from './row-check.ts';

/** Requested columns, with what the rows contain. */
interface RequestedColumns {
  readonly profile: Profile;

  readonly columns: readonly Column[];

  readonly metrics: readonly MetricValues[];

  /** First value of the first row, as JSON. */
  readonly firstValue: string;
}

/**
 * Reports requested columns that are missing. Throws `IncompleteDataError` if the data is not a
 * report: CSV whose header has none of the requested metrics; rows without numbers that also lack
 * a requested breakdown or any known field; or a campaign list.
 */
export function checkReportColumns(
  requested: RequestedColumns,
  tail: ReportTail,
  messages: CheckMessages,
): void {
  const { profile, columns, metrics } = requested;
  const { fields, rowCount, isLineOpen } = tail;
  const isCsv = isLineOpen !== undefined;
  if (rowCount === 0 && !isCsv) return;

  const names = new Set<string | undefined>(fields);
  for (const field of fields) names.add(metricOfField(field)?.name);
  const isPresent = ({ field, metric }: Column): boolean =>
    names.has(field) || (metric !== undefined && names.has(metric));

  const metricColumns = columns.filter(({ metric }) => metric !== undefined);
  const missingMetrics = metricColumns.filter((column) => !isPresent(column));
  const lacksMetrics = metricColumns.length > 0 && missingMetrics.length === metricColumns.length;
  const { whole, parts } = missingBreakdowns(columns, isPresent);
  if (isCsv && lacksMetrics) throw notAReport(requested, fields);
  if (rowCount === 0) return;

  const hasNumber = metrics.some(({ numberCount }) => numberCount > 0);
  const isCampaign = lacksMetrics && fields.includes('adunits');
  const isUnknown = fields.length > 0 && !fields.some((field) => fieldTypeOf(field) !== undefined);
  const isOtherData = !hasNumber && (whole.length > 0 || isCampaign || isUnknown);
  if (metricColumns.length > 0 && isOtherData) throw notAReport(requested, fields);

  const isOurs = ({ field }: Column): boolean => isOurField(field, profile);
  const found = [...whole.filter((column) => !isOurs(column)), ...(isCsv ? missingMetrics : [])];
  const noted = [...whole.filter(isOurs), ...parts, ...(isCsv ? [] : missingMetrics)];
  if (found.length > 0)
    messages.addWarning('columns', `The report is missing the requested ${columnsText(found)}.`);
  if (noted.length > 0)
    messages.addNote(
      'columns',
      `The report has no values for the requested ${columnsText(noted)}.`,
    );
}

/**
 * Returns the missing fields of requested breakdowns: `whole` of those that are missing altogether,
 * `parts` of those that have at least one other field.
 */
function missingBreakdowns(
  columns: readonly Column[],
  isPresent: (column: Column) => boolean,
): { readonly whole: readonly Column[]; readonly parts: readonly Column[] } {
  const present = new Set<BreakdownName | undefined>();
  for (const column of columns) {
    if (isPresent(column)) present.add(column.breakdown);
  }

  const missing = columns.filter((column) => column.breakdown && !isPresent(column));
  return {
    whole: missing.filter(({ breakdown }) => !present.has(breakdown)),
    parts: missing.filter(({ breakdown }) => present.has(breakdown)),
  };
}

function columnsText(columns: readonly Column[]): string {
  const names = columns.map(({ field }) => field).join(', ');
  return `${columns.length === 1 ? 'column' : 'columns'} ${names}`;
}

function notAReport(
  { firstValue }: RequestedColumns,
  fields: readonly string[],
): IncompleteDataError {
  const names = printable(fields.slice(0, 5).join(', ').slice(0, 150));
  const value = printable(firstValue.slice(0, 200));
  const beginning = firstValue === '' ? '' : ` Its first row begins with ${value}.`;
  return new IncompleteDataError(
    `This is not a report: the requested columns are missing, or have no numbers. Its columns are ${names}.${beginning}`,
    {
      code: 'NO_HEADER',
      retryable: false,
      hint: 'It may be an error message from the service, or data without a header. To find out, run adreport doctor --service.',
    },
  );
}
