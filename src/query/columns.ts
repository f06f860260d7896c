import { findNames, findSpellings } from '../contract/aliases.ts';
import { type Column, listColumns, metricOfField } from '../contract/columns.ts';
import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  findAnyBreakdown,
} from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { quoted } from '../text/printable.ts';
import { breakdownsToSend, metricsToSend } from './body.ts';
import { closestHint, readName } from './names.ts';
import type { Query } from './query.ts';

/** Members of a query that determine the columns of a report. */
type ColumnsQuery = Pick<Query, 'profile' | 'metrics' | 'breakdowns'>;

/**
 * Lists the columns of the report of a query: the fields of the breakdowns, then the metrics. A
 * metric that is requested only to compute another one is hidden.
 */
export function columnsOfQuery({ profile, metrics, breakdowns }: ColumnsQuery): Column[] {
  const sent = { metrics: metricsToSend(metrics), breakdowns: breakdownsToSend(breakdowns) };
  const all = listColumns(profile, sent);
  const columnOfMetric = (name: string): Column =>
    all.find(({ metric }) => metric === name) ?? { field: name, type: 'money' };

  const isOfWeeks = breakdowns.includes('WEEKLY');
  const ofBreakdown = (name: string): Column[] => {
    const own = all.filter(({ breakdown }) => breakdown === name);
    return isOfWeeks && name === 'RANGE' ? own.map((one) => ({ ...one, isOfWeeks })) : own;
  };
  const hidden = sent.metrics
    .filter((name) => !metrics.some((shown) => shown === name))
    .map((name): Column => ({ ...columnOfMetric(name), hidden: true }));
  return [...sent.breakdowns.flatMap(ofBreakdown), ...metrics.map(columnOfMetric), ...hidden];
}

const flag = '--columns';

/**
 * Checks the names in `--columns` before a report is requested. A column that cannot be in the
 * report is a mistake: a metric or breakdown that is not requested, a rate without its metrics, or
 * an unknown name. Buyer rows have the fields of most breakdowns, requested or not.
 */
export function readColumnNames(texts: readonly string[], query: ColumnsQuery) {
  const names: string[] = [];
  const mistakes: UsageError[] = [];
  for (const text of texts) {
    try {
      names.push(readColumn(text, query));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      mistakes.push(error);
    }
  }
  return { names: [...new Set(names)], mistakes };
}

function readColumn(text: string, query: ColumnsQuery): string {
  const possible = possibleColumns(query);
  if (possible.names.includes(text)) return text;

  for (const accepted of [possible.requested, possible.fields]) {
    const name = readName({ flag, text, accepted });
    if (name !== undefined) return name;
  }

  const list = `Choose from ${possible.names.join(', ')}, or use --columns all.`;
  throw new UsageError(`Unknown column ${quoted(text)} of this report.`, {
    about: { flag },
    hint: closestHint({ text, accepted: possible.fields }, list),
  });
}

interface PossibleColumns {
  /** Columns of requested metrics and breakdowns. */
  readonly requested: readonly string[];

  /** All columns that rows can have, and those computed from them. */
  readonly fields: readonly string[];

  /** As `fields`, with the names of metrics whose column has another name. */
  readonly names: readonly string[];
}

function possibleColumns({ profile, metrics, breakdowns }: ColumnsQuery): PossibleColumns {
  const sent = { metrics: metricsToSend(metrics), breakdowns: breakdownsToSend(breakdowns) };
  const columns = listColumns(profile, sent);
  const computed: string[] = [];
  for (const { field, numerator, denominator } of derivedMetrics) {
    const hasBoth = sent.metrics.includes(numerator) && sent.metrics.includes(denominator);
    if (hasBoth) computed.push(field);
  }

  const isRequested = ({ metric, breakdown }: (typeof columns)[number]) =>
    metric !== undefined || breakdown !== undefined;
  const requested = columns.filter(isRequested).map(({ field }) => field);
  const fields = columns.map(({ field }) => field);
  const metricNames = columns.flatMap(({ metric }) => metric ?? []);
  return {
    requested: [...requested, ...computed],
    fields: [...fields, ...computed],
    names: [...new Set([...fields, ...metricNames, ...computed])],
  };
}

/** Columns of a file that a typed name refers to. */
export interface FileColumns {
  readonly columns: readonly string[];

  /** Breakdown, if one was typed; `WEEKLY` and `MONTHLY` add up days. */
  readonly breakdown?: string;
}

interface TypedColumn {
  /** `--by` and `--filter` accept breakdowns too: `CAMPAIGN` means the id and the name. */
  readonly flag: '--by' | '--filter' | '--metrics' | '--sort';
  readonly text: string;

  /** Columns of the file, and the rates that can be computed from them. */
  readonly fields: readonly string[];
}

/**
 * Finds the columns of a file by name: a column with exactly that name, or those of a breakdown, or
 * a column spelt differently; `undefined` if there is none. Throws `UsageError` with the choices if
 * the name is ambiguous.
 */
export function readFileColumns({ flag, text, fields }: TypedColumn): FileColumns | undefined {
  if (fields.includes(text)) return { columns: [text] };

  const breakdown = readFileBreakdown({ flag, text, fields });
  if (breakdown !== undefined) {
    const columns = fieldsOfBreakdown(breakdown).filter((field) => fields.includes(field));
    return { columns, breakdown };
  }

  const column = readName({ flag, text, accepted: fields });
  return column === undefined ? undefined : { columns: [column] };
}

/** Finds the breakdown with this name, unless it fits a column of the file better. */
function readFileBreakdown({ flag, text, fields }: TypedColumn): string | undefined {
  if (flag === '--metrics' || flag === '--sort') return undefined;

  const accepted = breakdownsIn(fields);
  const isBreakdown = findSpellings(text, accepted).length > 0;
  const isColumn = findSpellings(text, fields).length > 0;
  // `OS` and `os` differ only in case: `--by` means the breakdown, `--filter` the column.
  if (isColumn && !(isBreakdown && flag === '--by')) return undefined;
  return readName({ flag, text, accepted });
}

/** Returns the breakdowns by which a file with these columns can be grouped. */
function breakdownsIn(fields: readonly string[]): string[] {
  const names: string[] = [];
  for (const { name } of [...breakdowns, ...derivedBreakdowns]) {
    const hasField = fieldsOfBreakdown(name).some((field) => fields.includes(field));
    const lacksHour = name === 'HOURLY' && !fields.includes('hour');
    if (hasField && !lacksHour) names.push(name);
  }
  return names;
}

function fieldsOfBreakdown(name: string): string[] {
  return findAnyBreakdown(name)?.fields.map((field) => field.name) ?? [];
}

/**
 * Explains that a column does not exist; of a computed metric, which columns it lacks.
 *
 * @param columns names of the existing columns
 * @param flag the flag that names the column
 */
export function unknownColumn(
  name: string,
  columns: readonly string[],
  flag = '--columns',
): UsageError {
  const code = 'UNKNOWN_COLUMN';
  const choice =
    columns.length > 0 ? `Choose from ${columns.join(', ')}.` : 'There are no columns.';

  const isForFiles = flag === '--by' || flag === '--filter';
  const lacking =
    columnsLackingFor(name, columns) ?? (isForFiles ? valuesLacking(name) : undefined);
  if (lacking !== undefined) return new UsageError(lacking, { code, hint: choice });
  const hint = closestHint({ text: name, accepted: columns }, choice);
  return new UsageError(`Unknown column “${name}” in ${flag}.`, { code, hint });
}

/** Formats `These files have no hours.`; `undefined` for a name that is no breakdown. */
function valuesLacking(name: string): string | undefined {
  const all = [...breakdowns, ...derivedBreakdowns].map((breakdown) => breakdown.name);
  const [found = '', another] = findNames(name, all);
  const breakdown = another === undefined ? findAnyBreakdown(found) : undefined;
  if (!breakdown) return undefined;

  if (!breakdown.time) return `These files have no column for ${found}.`;
  return `These files have no ${found === 'HOURLY' ? 'hours' : 'days'}.`;
}

/** Says which columns a computed metric lacks; `undefined` if it lacks none, or is none. */
function columnsLackingFor(name: string, columns: readonly string[]): string | undefined {
  const [field, another] = findNames(
    name,
    derivedMetrics.map((metric) => metric.field),
  );
  const metric = derivedMetrics.find((one) => one.field === field);
  if (!metric || another !== undefined) return undefined;

  const { numerator, denominator } = metric;
  const present = new Set(columns.map((column) => metricOfField(column)?.name));
  const missing = [numerator, denominator].filter((part) => !present.has(part));
  if (missing.length === 0) return undefined;
  return `Cannot compute ${field} (${numerator} ÷ ${denominator}): there is no ${missing.join(' and no ')}.`;
}
