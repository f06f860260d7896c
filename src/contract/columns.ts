import type { ReportRequest } from './messages.ts';
import type { Breakdown, BreakdownName, Metric, MetricName, Profile } from './vocabulary.ts';
import {
  breakdowns,
  computedMetrics,
  findComputedMetric,
  findMetric,
  metrics,
} from './vocabulary.ts';

/**
 * Type of a row field. `id` is a string of digits, `money` a decimal number (DSP: a string with a
 * decimal comma), `date` is `YYYY-MM-DD`, `hour` an ISO 8601 date-time with a numeric offset,
 * `wallTime` a `YYYY-MM-DD HH:MM:SS` without a zone.
 */
export type FieldType = 'date' | 'hour' | 'wallTime' | 'id' | 'text' | 'integer' | 'money';

/** A row field, its type, and the metric or breakdown it belongs to. */
export interface Column {
  readonly field: string;
  readonly type: FieldType;
  readonly metric?: MetricName;
  readonly breakdown?: BreakdownName;

  /** Whether dates are the Mondays of weeks. */
  readonly isWeekly?: true;

  /** Whether the column serves only to compute others. */
  readonly hidden?: true;
}

/** Members of a request that determine the columns. */
type ColumnsRequest = Pick<ReportRequest, 'metrics' | 'breakdowns'>;

/**
 * Lists a report's columns in order: time, dimensions, then metrics as requested.
 * A buyer's row has all dimension fields. Fields that were not requested are null and have no
 * `breakdown` here. A DSP's row has only requested fields (`decisions.md` 4, Row fields).
 */
export function listColumns(profile: Profile, request: ColumnsRequest): Column[] {
  const columns: Column[] = [];
  for (const { name: breakdown, fields, time, onlyWhenRequested } of breakdowns) {
    const isRequested = request.breakdowns.includes(breakdown);
    const isAlwaysPresent = profile === 'buyer' && !time && !onlyWhenRequested;
    if (!isRequested && !isAlwaysPresent) continue;
    for (const { name: field, type } of fields) {
      columns.push(isRequested ? { field, type, breakdown } : { field, type });
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

const breakdownFields = breakdowns.flatMap((breakdown) =>
  breakdown.fields.map((field) => ({ ...field, breakdown })),
);

/**
 * Lists the columns that identify a row: for each breakdown its ID, or its name if it has no ID. A
 * report without breakdowns has none.
 */
export function listKeyFields(requested: readonly BreakdownName[]): string[] {
  const key: string[] = [];

  for (const name of requested) {
    const fields = breakdowns.find((breakdown) => breakdown.name === name)?.fields ?? [];
    // An hour includes its date.
    const field = name === 'HOURLY' ? fields.at(-1) : fields[0];
    if (field) key.push(field.name);
  }
  return key;
}

const typesByField = new Map(breakdownFields.map(({ name, type }) => [name as string, type]));

/** Metrics of both profiles by row field. If two metrics share a field, the first metric counts. */
const metricsByField = new Map<string, Metric>();
for (const metric of metrics) {
  for (const field of [metric.name, ...Object.values(metric.rowField ?? {})]) {
    if (!metricsByField.has(field)) metricsByField.set(field, metric);
  }
}

/** Every field that a row may have. */
const allFields: readonly string[] = [
  ...breakdownFields.map(({ name }) => name),
  ...metrics.flatMap(({ name, rowField = {} }) => [name, ...Object.values(rowField)]),
];

/** Looks up the type of a row field. Returns `undefined` for an unknown field. */
export function fieldTypeOf(field: string): FieldType | undefined {
  return typesByField.get(field) ?? metricOfField(field)?.type;
}

/** Recognizes the column of a metric that is computed from others. */
export function isComputedMetric(field: string): boolean {
  return findComputedMetric(field) !== undefined;
}

/** Looks up the metric of a row field in either profile: `revenueDollar` for `valueDollar`. */
export function metricOfField(field: string): Metric | undefined {
  return metricsByField.get(field);
}

/** Finds the field of a metric among the fields of a row, in either profile. */
export function fieldOfMetric(metric: string, fields: readonly string[]): string | undefined {
  return fields.find((field) => metricOfField(field)?.name === metric);
}

/** Finds the row field of a requested column. A metric may arrive under its other name. */
export function fieldOfColumn({ field, metric }: Column, fields: readonly string[]): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fieldOfMetric(metric, fields) ?? field;
}

/**
 * Finds a row field by name. Ignores surrounding spaces, and case if nothing matches exactly.
 * Returns an unknown name unchanged.
 */
export function findField(name: string): string {
  const trimmed = name.trim();
  if (fieldTypeOf(trimmed) !== undefined) return trimmed;
  return allFields.find((field) => field.toLowerCase() === trimmed.toLowerCase()) ?? name;
}

/**
 * Maps the names in a header to row fields. A name stays unchanged if another column already has
 * its field.
 */
export function parseHeader(names: readonly string[]): string[] {
  const trimmedNames = names.map((name) => name.trim());
  return names.map((name, index) => {
    const field = findField(name);
    const isTaken = field !== trimmedNames[index] && trimmedNames.includes(field);
    return isTaken ? name : field;
  });
}

/** Row fields by label in lower case. In spreadsheets, weeks and months are dates too. */
const fieldsByLabel: ReadonlyMap<string, string> = new Map([
  ...[...allFields, ...computedMetrics.map(({ name }) => name)]
    .reverse()
    .map((field): [string, string] => [fieldLabel(field).toLowerCase(), field]),
  ['week', 'date'],
  ['month', 'date'],
]);

/** Looks up a row field by its label: `revenueEuro` for `Revenue (€)`. */
export function fieldOfLabel(label: string): string | undefined {
  return fieldsByLabel.get(label.trim().toLowerCase().replace('(eur)', '(€)'));
}

export function breakdownOfField(field: string): Breakdown | undefined {
  return breakdownFields.find(({ name }) => name === field)?.breakdown;
}

/** Fields of campaigns and ad units that never occur in reports. */
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
 * Labels a row field with its unit: `Revenue (€)` for `revenueEuro`, `Campaign ID` for
 * `campaignId`. An unknown field is its own label.
 */
export function fieldLabel(field: string): string {
  const computed = findComputedMetric(field);
  if (computed) return computed.label;
  const metric = metricOfField(field);
  if (metric) return splitWords(metric.name);
  const breakdown = breakdownOfField(field);
  if (!breakdown) return campaignFields.includes(field) ? splitWords(field) : field;
  // “Region” is clearer than `adminLevel1`.
  return splitWords(/\d$/.test(field) ? breakdown.name.toLowerCase() : field);
}

/** Looks up the currency sign of a row field. Returns an empty string if it is not money. */
export function currencyOf(field: string): '' | '$' | '€' {
  const name = metricOfField(field)?.name ?? field;
  if (name.endsWith('Dollar')) return '$';
  return name.endsWith('Euro') ? '€' : '';
}

/** Derives a noun for a breakdown from its meaning: `campaign`, `postal code`. */
export function deriveNoun({ meaning }: Pick<Breakdown, 'meaning'>): string {
  return meaning.replace(/^by (the )?/, '').replaceAll(/ \([^)]*\)/g, '');
}

function splitWords(name: string): string {
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
