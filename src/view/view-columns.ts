import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../contract/derived.ts';
import { findBreakdown } from '../contract/look-up.ts';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';

/** A field by whose values rows are grouped. */
export interface KeyColumn {
  readonly field: string;
  /** Days are grouped by their month. */
  readonly byMonth: boolean;
}

/** A figure of a group: a sum, or what sums give. */
export type FigureColumn =
  | { readonly kind: 'sum'; readonly field: string }
  | { readonly kind: 'derived'; readonly field: string; readonly metric: DerivedMetric };

/**
 * The fields that `--by` means: columns of the report, in any case, or breakdowns such as `COUNTRY` with theirs.
 * @throws UsageError for a name that is neither, or whose column the report lacks
 */
export function resolveKeys(names: readonly string[], fields: readonly string[]): KeyColumn[] {
  const keys = names.flatMap((name) => keysNamed(name, fields));
  return keys.filter(({ field }, i) => keys.findIndex((other) => other.field === field) === i);
}

function keysNamed(name: string, fields: readonly string[]): KeyColumn[] {
  const dimensions = fields.filter((field) => metricOfField(field) === undefined);
  const own = fields.find((field) => field === name) ?? fields.find((field) => equals(field, name));
  const breakdown = findBreakdown(name);
  if (own !== undefined && (!breakdown || own === name)) return [{ field: own, byMonth: false }];
  if (!breakdown) throw unknownColumn(name, dimensions, '--by');
  const wanted = breakdown.fields.map((field) => field.name).filter((field) => fields.includes(field));
  // An hour says its day.
  const shown = wanted.includes('hour') ? ['hour'] : wanted;
  if (shown.length === 0 || (breakdown.name === 'HOURLY' && !wanted.includes('hour'))) {
    throw new UsageError(`--by ${breakdown.name}: the report has no such column.`, {
      code: 'UNKNOWN_COLUMN',
      hint: `It has ${dimensions.join(', ') || 'figures alone'}.`,
    });
  }
  return shown.map((field) => ({ field, byMonth: breakdown.name === 'MONTHLY' }));
}

/**
 * The figures to show: those that `--metrics` names, in its order, or all that the report gives.
 *
 * @param metrics the row fields that are metrics
 * @throws UsageError for a name that is no figure of the report
 */
export function resolveFigures(names: readonly string[] | undefined, metrics: readonly string[]): FigureColumn[] {
  const known = figuresOf(metrics);
  if (names === undefined) return known;
  return [...new Set(names.map((name) => figureNamed(name, known, '--metrics')))];
}

function figuresOf(metrics: readonly string[]): FigureColumn[] {
  const names = new Set(metrics.map((field) => metricOfField(field)?.name));
  return [
    ...metrics.map((field): FigureColumn => ({ kind: 'sum', field })),
    ...derivedMetrics
      .filter(({ numerator, denominator }) => names.has(numerator) && names.has(denominator))
      .map((metric): FigureColumn => ({ kind: 'derived', field: metric.field, metric })),
  ];
}

/**
 * The figure of a name: its field, its metric, or a derived metric (`ctr`, `eCPM €`); any case.
 *
 * @param flag the flag that names it, for the message
 * @throws UsageError where there is none
 */
export function figureNamed(name: string, known: readonly FigureColumn[], flag: string): FigureColumn {
  const found = findFigure(name, known);
  if (found) return found;
  const fields = known.map(({ field }) => field);
  throw unknownColumn(name, fields, flag);
}

/** The figure of a name, as in `figureNamed`; `undefined` where there is none. */
export function findFigure(name: string, known: readonly FigureColumn[]): FigureColumn | undefined {
  return (
    known.find(({ field }) => equals(field, name)) ??
    known.find((figure) =>
      equals(figure.kind === 'derived' ? figure.metric.name : (metricOfField(figure.field)?.name ?? ''), name),
    )
  );
}

/** The error for a column that the report does not have. */
export function unknownColumn(name: string, known: readonly string[], flag: string): UsageError {
  const suggestion = nearest(name, known);
  return new UsageError(`${flag}: the report has no column "${name}".`, {
    code: 'UNKNOWN_COLUMN',
    hint: suggestion ? `Did you mean ${suggestion}?` : `It has ${known.join(', ') || 'none'}.`,
  });
}

/** Whether a row field holds days or hours. */
export function isTime(field: string): boolean {
  const type = fieldTypeOf(field);
  return type === 'date' || type === 'hour';
}

function equals(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
