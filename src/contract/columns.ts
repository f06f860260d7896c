import type { ReportRequest } from './messages.ts';
import type { Breakdown, BreakdownName, Metric, MetricName, Profile } from './vocabulary.ts';
import { breakdowns, derivedMetrics, findMetric, metrics } from './vocabulary.ts';

/**
 * How a row field is to be read. `id` is a string of digits, `money` a decimal number (DSP: a
 * string with a decimal comma), `date` is `YYYY-MM-DD`, `hour` an ISO 8601 date-time with a numeric
 * offset, `wallTime` a `YYYY-MM-DD HH:MM:SS` that tells no zone.
 */
export type FieldType = 'date' | 'hour' | 'wallTime' | 'id' | 'text' | 'integer' | 'money';

/** One column of a report: its row field, its type, and the metric or breakdown it comes from. */
export interface Column {
  readonly field: string;
  readonly type: FieldType;
  readonly metric?: MetricName;
  readonly breakdown?: BreakdownName;

  /** Its dates are Mondays that stand for their weeks. */
  readonly isOfWeeks?: true;

  /** It was asked for only because another column is computed from it, and is not shown. */
  readonly hidden?: true;
}

/** What decides the columns of a report. */
type ColumnsRequest = Pick<ReportRequest, 'metrics' | 'breakdowns'>;

/**
 * The columns of a report's rows, in row order: time, dimensions, metrics as asked for. A buyer's
 * row has every dimension field (null when its breakdown was not asked for: then `breakdown` is
 * absent here); a DSP's row has only what was asked for (`decisions.md` 4, Row fields).
 */
export function columnsOf(profile: Profile, request: ColumnsRequest): Column[] {
  const columns: Column[] = [];
  for (const { name: breakdown, fields, time, onlyWhenAsked } of breakdowns) {
    const isAsked = request.breakdowns.includes(breakdown);
    const isAlwaysThere = profile === 'buyer' && !time && !onlyWhenAsked;
    if (!isAsked && !isAlwaysThere) continue;
    for (const { name: field, type } of fields) {
      columns.push(isAsked ? { field, type, breakdown } : { field, type });
    }
  }
  for (const name of request.metrics) {
    const metric = findMetric(name);
    if (!metric) continue;
    const field = metric.rowField?.[profile] ?? name;
    columns.push({ field, type: metric.type, metric: name });
  }
  return columns;
}

/**
 * The columns that a request asks for, in its order: the fields of the breakdowns, then the
 * metrics.
 * @param shownMetrics the metrics to show and the names of computed ones, where these are not
 * simply the request's metrics; what is asked for only because another is computed from it is
 * `hidden`
 */
export function askedColumns(
  profile: Profile,
  request: ColumnsRequest,
  shownMetrics: readonly string[] = request.metrics,
): Column[] {
  const all = columnsOf(profile, request);
  const columnOfMetric = (name: string): Column =>
    all.find(({ metric }) => metric === name) ?? { field: name, type: 'money' };

  const columns: Column[] = [];
  for (const name of request.breakdowns) {
    columns.push(...all.filter(({ breakdown }) => breakdown === name));
  }
  for (const name of shownMetrics) columns.push(columnOfMetric(name));
  for (const name of request.metrics) {
    if (!shownMetrics.includes(name)) columns.push({ ...columnOfMetric(name), hidden: true });
  }
  return columns;
}

const breakdownFields = breakdowns.flatMap((breakdown) =>
  breakdown.fields.map((field) => ({ ...field, breakdown })),
);

/**
 * The columns that tell a row of a report from every other one: of each breakdown its id, or its
 * name where it has none. Empty for a report of one row.
 */
export function keyOf(asked: readonly BreakdownName[]): string[] {
  const key: string[] = [];

  for (const name of asked) {
    const fields = breakdowns.find((breakdown) => breakdown.name === name)?.fields ?? [];
    // An hour tells its date, too.
    const field = name === 'HOURLY' ? fields.at(-1) : fields[0];
    if (field) key.push(field.name);
  }
  return key;
}

/** Every field that a row may have. */
const allFields: readonly string[] = [
  ...breakdownFields.map(({ name }) => name),
  ...metrics.flatMap(({ name, rowField = {} }) => [name, ...Object.values(rowField)]),
];

/**
 * The type of a row field by its name alone, for rows whose request is not known; `undefined` for
 * an unknown field.
 */
export function fieldTypeOf(field: string): FieldType | undefined {
  return breakdownFields.find(({ name }) => name === field)?.type ?? metricOfField(field)?.type;
}

/**
 * The metric whose values a row field holds, in either profile: `valueDollar` holds revenueDollar.
 */
export function metricOfField(field: string): Metric | undefined {
  return metrics.find(
    ({ name, rowField }) => name === field || Object.values(rowField ?? {}).includes(field),
  );
}

/**
 * A name as the row field that it means: without blanks around it and, where no other fits, without
 * its case.
 */
export function fieldOfName(name: string): string {
  const plain = name.trim();
  if (fieldTypeOf(plain) !== undefined) return plain;
  return allFields.find((field) => field.toLowerCase() === plain.toLowerCase()) ?? name;
}

/**
 * The names of a header as row fields; a name that means a field which another one is called keeps
 * its own.
 */
export function fieldsOfHeader(names: readonly string[]): string[] {
  const plainNames = names.map((name) => name.trim());
  return names.map((name, index) => {
    const field = fieldOfName(name);
    const isOfAnother = field !== plainNames[index] && plainNames.includes(field);
    return isOfAnother ? name : field;
  });
}

export function breakdownOfField(field: string): Breakdown | undefined {
  return breakdownFields.find(({ name }) => name === field)?.breakdown;
}

/** The fields of campaigns and ad units that no report has. */
const campaignFields = [
  'advertiserId',
  'advertiserName',
  'campaignStartDate',
  'campaignEndDate',
  'adunits',
  'adunitId',
  'adunitName',
];

/**
 * A row field for people, with its unit: `revenueEuro` is `Revenue (€)`, `campaignId` is
 * `Campaign ID`; an unknown one is itself.
 */
export function fieldLabel(field: string): string {
  const derived = derivedMetrics.find((metric) => metric.field === field);
  if (derived) return derived.name.replace(/ (.)$/, ' ($1)');
  const metric = metricOfField(field);
  if (metric) return wordsOf(metric.name);
  const breakdown = breakdownOfField(field);
  if (!breakdown) return campaignFields.includes(field) ? wordsOf(field) : field;
  // `adminLevel1` says less than the REGION that it is.
  return wordsOf(/\d$/.test(field) ? breakdown.name.toLowerCase() : field);
}

/**
 * The sign of the currency that a metric or derived metric counts in; empty for one that counts no
 * money.
 */
export function currencyOf(field: string): '' | '$' | '€' {
  const name = metricOfField(field)?.name ?? field;
  if (name.endsWith('Dollar')) return '$';
  return name.endsWith('Euro') ? '€' : '';
}

/** A breakdown as a noun, from its meaning: `campaign`, `postal code`. */
export function nounOf({ meaning }: Pick<Breakdown, 'meaning'>): string {
  return meaning.replace(/^by (the )?/, '').replaceAll(/ \([^)]*\)/g, '');
}

function wordsOf(name: string): string {
  const words = name
    .replaceAll(/([a-z])([A-Z0-9])/g, '$1 $2')
    .toLowerCase()
    .replace(/^eyes /, 'eye ')
    .replace(/^(ad|postal)(unit|network|code)/, '$1 $2')
    .replace(/^subpub/, 'sub-pub')
    .replace(/ euro$/, ' (€)')
    .replace(/ dollar$/, ' ($)')
    .replaceAll(/\b(id|os)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
