import { findNames, findSpellings } from '../contract/aliases.ts';
import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import {
  breakdowns,
  computedMetrics,
  derivedBreakdowns,
  findAnyBreakdown,
  findComputedMetric,
  metrics,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { formatPlural } from '../text/quantity.ts';
import { listComputable } from './metrics.ts';
import { closestHint, parseName } from './names.ts';

// Resolves names in flags to columns of files. An exact column name comes first, then a breakdown,
// then a column with a different spelling.

/**
 * A field to group rows by. With `unit`, days are replaced with the first day of their week or
 * month.
 */
export interface KeyColumn {
  readonly field: string;
  readonly unit?: 'week' | 'month' | undefined;

  /**
   * ID field that this field describes. Rows with the same ID are one group, whatever this field
   * contains.
   */
  readonly describes?: string;
}

/** Groups rows by the first field. If it is an ID, the other fields describe it. */
export function toKeyColumns(fields: readonly string[]): KeyColumn[] {
  const [first, ...others] = fields;
  if (first === undefined) return [];
  if (fieldTypeOf(first) !== 'id') return fields.map((field) => ({ field }));
  return [{ field: first }, ...others.map((field) => ({ field, describes: first }))];
}

/**
 * Resolves columns or breakdowns given to a flag, ignoring case. Throws `UsageError` for an unknown
 * or ambiguous name.
 *
 * @param fields columns of the files
 */
export function resolveKeys(
  names: readonly string[],
  fields: readonly string[],
  flag: '--by' | '--filter' = '--by',
): KeyColumn[] {
  const keys = new Map<string, KeyColumn>();
  for (const name of names) {
    for (const key of findNamedKeys(name, fields, flag)) {
      if (!keys.has(key.field)) keys.set(key.field, key);
    }
  }
  return [...keys.values()];
}

/** Returns the fields that `--filter name=…` refers to: a column, or the columns of a breakdown. */
export function findNamedFields(name: string, fields: readonly string[]): string[] {
  return resolveKeys([name], fields, '--filter').map(({ field }) => field);
}

/** Breakdowns computed from days. */
const calendarUnits: Readonly<Record<string, KeyColumn['unit']>> = {
  WEEKLY: 'week',
  MONTHLY: 'month',
};

function findNamedKeys(text: string, fields: readonly string[], flag: '--by' | '--filter') {
  const breakdown = parseFileBreakdown(text, fields, flag);
  if (breakdown === undefined) {
    const column = parseColumn(text, fields, flag);
    if (column !== undefined) return [{ field: column }];
    const dimensions = fields.filter((field) => !metricOfField(field));
    throw unknownColumnError(findAnyBreakdown(text)?.name ?? text, dimensions, flag);
  }

  const columns = listBreakdownFields(breakdown).filter((field) => fields.includes(field));
  const unit = calendarUnits[breakdown];
  if (!columns.includes('hour')) return toKeyColumns(columns).map((key) => ({ ...key, unit }));
  // Rows with the same hour have the same day.
  const day = { field: 'date', describes: 'hour' };
  return [{ field: 'hour' }, ...(columns.includes('date') ? [day] : [])];
}

/** Finds a breakdown by name, unless a column of the file matches the name better. */
function parseFileBreakdown(
  text: string,
  fields: readonly string[],
  flag: '--by' | '--filter',
): string | undefined {
  if (fields.includes(text)) return undefined;

  const accepted = listFileBreakdowns(fields);
  const isBreakdown = findSpellings(text, accepted).length > 0;
  const isColumn = findSpellings(text, fields).length > 0;
  // `OS` and `os` differ only in case: `--by` means the breakdown, `--filter` the column.
  if (isColumn && !(isBreakdown && flag === '--by')) return undefined;
  return parseName(text, accepted, flag);
}

/** Lists the breakdowns by which a file with these columns can be grouped. */
function listFileBreakdowns(fields: readonly string[]): string[] {
  const names: string[] = [];
  for (const { name } of [...breakdowns, ...derivedBreakdowns]) {
    const hasField = listBreakdownFields(name).some((field) => fields.includes(field));
    const lacksHour = name === 'HOURLY' && !fields.includes('hour');
    if (hasField && !lacksHour) names.push(name);
  }
  return names;
}

function listBreakdownFields(name: string): string[] {
  return findAnyBreakdown(name)?.fields.map((field) => field.name) ?? [];
}

/**
 * Finds a column by name, or a rate that can be computed from the columns. Returns `undefined` if
 * there is no match, and throws `UsageError` for several matches.
 */
export function parseColumn(
  input: string,
  fields: readonly string[],
  flag: '--by' | '--filter' | '--metrics' | '--sort' | '--columns',
): string | undefined {
  if (fields.includes(input)) return input;

  const computed = flag === '--by' || flag === '--filter' ? [] : listComputable(fields);
  return parseName(input, [...new Set([...fields, ...computed])], flag);
}

/** Value of `--sort`. */
interface SortInput {
  readonly name: string;
  readonly direction: 'asc' | 'desc' | undefined;
}

/** Splits `ctr:asc`. Throws `UsageError` for another word after the colon. */
export function parseSort(sort: string): SortInput {
  const [, name = sort, word] = /^(.*):([^:]*)$/s.exec(sort) ?? [];
  const direction = word?.trim().toLowerCase();
  if (direction === undefined || direction === 'asc' || direction === 'desc') {
    return { name: name.trim(), direction };
  }
  throw new UsageError(`--sort ${sort}: only asc or desc can follow the colon.`, {
    hint: 'For example: --sort ctr:asc',
  });
}

/** Finds the column to sort by. Throws `UsageError` if there is no such column. */
export function sortColumn({ name }: SortInput, columns: readonly string[]): string {
  const column = parseColumn(name, columns, '--sort');
  if (column === undefined) throw unknownColumnError(name, columns, '--sort');
  return column;
}

/**
 * Builds the error for an unknown column.
 *
 * @param columns names of the existing columns
 * @param flag flag with the unknown name
 */
export function unknownColumnError(
  name: string,
  columns: readonly string[],
  flag = '--columns',
): UsageError {
  const code = 'UNKNOWN_COLUMN';
  const choice =
    columns.length > 0 ? `Choose from ${formatNames(columns)}.` : 'There are no columns.';
  const missing = explainMissing(name);
  if (missing !== undefined) return new UsageError(missing, { code, hint: choice });
  const hint = closestHint(name, columns, choice);
  return new UsageError(`Unknown column “${name}” in ${flag}.`, { code, hint });
}

/** Maximum number of columns to list in a message. */
const maxNamedColumns = 8;

function formatNames(columns: readonly string[]): string {
  const rest = columns.length - maxNamedColumns;
  const first = columns.slice(0, maxNamedColumns).join(', ');
  return rest > 0 ? `${first} and ${formatPlural(rest, 'other')}` : first;
}

/**
 * Formats `There is no ctr column (clicks ÷ displays).` for a metric or a breakdown. Returns
 * `undefined` for other names.
 */
function explainMissing(name: string): string | undefined {
  const entries = [...breakdowns, ...derivedBreakdowns, ...metrics, ...computedMetrics];
  const [found, another] = findNames(
    name,
    entries.map((entry) => entry.name),
  );
  if (found === undefined || another !== undefined) return undefined;

  const computed = findComputedMetric(found);
  const formula = computed ? ` (${computed.numerator} ÷ ${computed.denominator})` : '';
  return `There is no ${found} column${formula}.`;
}
