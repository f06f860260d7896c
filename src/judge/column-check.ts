import { type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import type { BreakdownName, Profile } from '../contract/vocabulary.ts';
import { IncompleteDataError } from '../errors.ts';
import type { ReportTail } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { isOurField, type Sayings } from './check.ts';
import type { MetricValues } from './metric-values.ts';

/** What the columns of a report are held against. */
interface AskedColumns {
  readonly profile: Profile;

  readonly columns: readonly Column[];

  readonly metrics: readonly MetricValues[];

  /** What the first row begins with, as JSON. */
  readonly firstValue: string;
}

/**
 * Names the columns that were asked for and did not come. Throws `IncompleteDataError` for what is
 * no report: CSV without any asked metric in its header, rows without any number and without an
 * asked breakdown, or without any field of a report, and a list of campaigns.
 */
export function judgeAskedColumns(asked: AskedColumns, tail: ReportTail, sayings: Sayings): void {
  const { profile, columns, metrics } = asked;
  const { fields, rowCount, isLineOpen } = tail;
  const isCsv = isLineOpen !== undefined;
  if (rowCount === 0 && !isCsv) return;

  const names = new Set<string | undefined>(fields);
  for (const field of fields) names.add(metricOfField(field)?.name);
  const isThere = ({ field, metric }: Column): boolean =>
    names.has(field) || (metric !== undefined && names.has(metric));

  const metricColumns = columns.filter(({ metric }) => metric !== undefined);
  const missingMetrics = metricColumns.filter((column) => !isThere(column));
  const lacksMetrics = metricColumns.length > 0 && missingMetrics.length === metricColumns.length;
  const { whole, parts } = missingBreakdowns(columns, isThere);
  if (isCsv && lacksMetrics) throw noReport(asked, fields);
  if (rowCount === 0) return;

  const hasNumber = metrics.some(({ numberCount }) => numberCount > 0);
  const isCampaign = lacksMetrics && fields.includes('adunits');
  const isOther = fields.length > 0 && !fields.some((field) => fieldTypeOf(field) !== undefined);
  const isNoReport = !hasNumber && (whole.length > 0 || isCampaign || isOther);
  if (metricColumns.length > 0 && isNoReport) throw noReport(asked, fields);

  const isOurs = ({ field }: Column): boolean => isOurField(field, profile);
  const found = [...whole.filter((column) => !isOurs(column)), ...(isCsv ? missingMetrics : [])];
  const noted = [...whole.filter(isOurs), ...parts, ...(isCsv ? [] : missingMetrics)];
  if (found.length > 0)
    sayings.find('columns', `The report lacks the ${columnsText(found)}, asked for.`);
  if (noted.length > 0)
    sayings.note('columns', `The report has no ${columnsText(noted)}, asked for.`);
}

/**
 * The fields of breakdowns of which no field came, and those of breakdowns of which another one
 * did.
 */
interface MissingBreakdowns {
  readonly whole: readonly Column[];
  readonly parts: readonly Column[];
}

function missingBreakdowns(
  columns: readonly Column[],
  isThere: (column: Column) => boolean,
): MissingBreakdowns {
  const there = new Set<BreakdownName | undefined>();
  for (const column of columns) {
    if (isThere(column)) there.add(column.breakdown);
  }

  const missing = columns.filter((column) => column.breakdown && !isThere(column));
  return {
    whole: missing.filter(({ breakdown }) => !there.has(breakdown)),
    parts: missing.filter(({ breakdown }) => there.has(breakdown)),
  };
}

function columnsText(columns: readonly Column[]): string {
  const names = columns.map(({ field }) => field).join(', ');
  return `${columns.length === 1 ? 'column' : 'columns'} ${names}`;
}

function noReport({ firstValue }: AskedColumns, fields: readonly string[]): IncompleteDataError {
  const names = printable(fields.slice(0, 5).join(', ').slice(0, 150));
  const value = printable(firstValue.slice(0, 200));
  const beginning = firstValue === '' ? '' : ` Its first row begins with ${value}.`;
  return new IncompleteDataError(
    `This is no report: it lacks the columns that were asked for, or any number in them. It has ${names}.${beginning}`,
    {
      code: 'NO_HEADER',
      retryable: false,
      hint: 'That may be an error text of the service, or data without the names of its columns: adreport doctor --service tells more.',
    },
  );
}
