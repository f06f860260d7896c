import { findMetric } from './look-up.ts';
import {
  type Breakdown,
  type BreakdownName,
  breakdowns,
  type Metric,
  type MetricName,
  metrics,
  type Profile,
} from './vocabulary.ts';

/**
 * How a row field is to be read.
 * `id` is a string of digits, `money` a decimal number (DSP: a string with a decimal comma), `date` is `YYYY-MM-DD`,
 * `hour` an ISO 8601 date-time with a numeric offset, `wallTime` a `YYYY-MM-DD HH:MM:SS` that tells no zone.
 */
export type FieldType = 'date' | 'hour' | 'wallTime' | 'id' | 'text' | 'integer' | 'money';

/** One column of a report: its row field, its type, and the metric or breakdown it comes from. */
export interface Column {
  readonly field: string;
  readonly type: FieldType;
  readonly metric?: MetricName;
  readonly breakdown?: BreakdownName;
  /** It was asked for only because another column is computed from it, and is not shown. */
  readonly hidden?: true;
}

/**
 * The columns of a report's rows, in row order: time, dimensions, metrics as asked for.
 * A buyer's row has every dimension field (null when its breakdown was not asked for: then `breakdown` is absent
 * here); a DSP's row has only what was asked for (`decisions.md` 4, Row fields).
 */
export function columnsOf(
  profile: Profile,
  request: { readonly metrics: readonly MetricName[]; readonly breakdowns: readonly BreakdownName[] },
): Column[] {
  const columns: Column[] = [];
  for (const breakdown of breakdowns as readonly Breakdown[]) {
    const asked = request.breakdowns.includes(breakdown.name);
    const always = profile === 'buyer' && !breakdown.time && !breakdown.onlyWhenAsked;
    if (!asked && !always) continue;
    for (const { name, type } of breakdown.fields) {
      columns.push(asked ? { field: name, type, breakdown: breakdown.name } : { field: name, type });
    }
  }
  for (const name of request.metrics) {
    const metric = findMetric(name);
    if (metric) columns.push({ field: metric.rowField?.[profile] ?? name, type: metric.type, metric: name });
  }
  return columns;
}

/**
 * The columns that a request asks for, in its order: the fields of the breakdowns, then the metrics.
 * @param shown the metrics to show and the names of computed ones, where these are not simply the request's metrics;
 *   what is asked for only because another is computed from it is `hidden`
 */
export function askedColumns(
  profile: Profile,
  request: { readonly metrics: readonly MetricName[]; readonly breakdowns: readonly BreakdownName[] },
  shown: readonly string[] = request.metrics,
): Column[] {
  const all = columnsOf(profile, request);
  const metricNamed = (name: string): Column =>
    all.find(({ metric }) => metric === name) ?? { field: name, type: 'money' };
  const hidden = request.metrics.filter((name) => !shown.includes(name));
  return [
    ...request.breakdowns.flatMap((name) => all.filter(({ breakdown }) => breakdown === name)),
    ...shown.map(metricNamed),
    ...hidden.map((name) => ({ ...metricNamed(name), hidden: true as const })),
  ];
}

/** The type of a row field by its name alone, for rows whose request is not known; `undefined` for an unknown field. */
export function fieldTypeOf(field: string): FieldType | undefined {
  for (const breakdown of breakdowns as readonly Breakdown[]) {
    for (const { name, type } of breakdown.fields) if (name === field) return type;
  }
  return metricOfField(field)?.type;
}

/** The metric whose values a row field holds, in either profile: `valueDollar` holds revenueDollar. */
export function metricOfField(field: string): Metric | undefined {
  return (metrics as readonly Metric[]).find(
    (metric) => metric.name === field || Object.values(metric.rowField ?? {}).includes(field),
  );
}
