import { columnsOf } from '../contract/columns.ts';
import type { ReportRequest } from '../contract/messages.ts';
import {
  breakdowns,
  derivedBreakdowns,
  derivedMetrics,
  findAnyBreakdown,
  metrics,
  type Profile,
} from '../contract/vocabulary.ts';
import { meaningOf } from '../contract/words.ts';
import { UsageError } from '../errors.ts';
import { quoted } from '../text/printable.ts';
import { alternatives, closestHint, type ReadName, readName } from './typed-name.ts';

/** What decides the columns of a report. */
interface ColumnsRequest {
  readonly profile: Profile;
  readonly request: Pick<ReportRequest, 'metrics' | 'breakdowns'>;
}

/** Columns as they were typed, by their names in the report. */
interface ReadColumns {
  readonly names: readonly string[];

  /** What words mean that are not names. */
  readonly notes: readonly string[];
  readonly errors: readonly UsageError[];
}

const flag = '--columns';

/**
 * Reads the names of `--columns` for a report that is not there yet. A column that cannot be in it
 * is an error: a metric that is not requested, a rate without its metrics, a field that comes only
 * with a breakdown that is not requested, or an unknown name. A buyer report can have any
 * dimension: its rows have them all, null or not.
 */
export function readColumnNames(texts: readonly string[], asked: ColumnsRequest): ReadColumns {
  const names: string[] = [];
  const notes: string[] = [];
  const errors: UsageError[] = [];
  for (const text of texts) {
    try {
      const { name, note } = readColumn(text, asked);
      names.push(name);
      if (note !== undefined) notes.push(note);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      errors.push(error);
    }
  }
  return { names: [...new Set(names)], notes, errors };
}

function readColumn(text: string, asked: ColumnsRequest): ReadName {
  const possible = possibleColumns(asked);
  if (possible.names.includes(text)) return { name: text };

  for (const accepted of [possible.requested, possible.fields]) {
    const read = readName({ place: 'column', flag, text, accepted });
    if (read) return read;
  }

  const message = `${flag} ${quoted(text)}: this column cannot be in the report.`;
  const about = { flag, value: text };
  const list = `It can have ${possible.names.join(', ')}.`;
  const ways = waysToColumns(asked.profile);
  const known = readName({ place: 'column', flag, text, accepted: [...ways.keys()] });
  if (known) throw new UsageError(message, { about, hint: ways.get(known.name) ?? list });

  const hint = closestHint({ place: 'column', text, accepted: possible.fields }, '');
  throw new UsageError(message, {
    about,
    hint: hint || `${list} --columns all writes every field.`,
  });
}

interface PossibleColumns {
  /** The columns of what is requested. */
  readonly requested: readonly string[];

  /** All columns that the rows can have, and those computed from them. */
  readonly fields: readonly string[];

  /** Their names, and those of metrics whose column has another one. */
  readonly names: readonly string[];
}

function possibleColumns({ profile, request }: ColumnsRequest): PossibleColumns {
  const columns = columnsOf(profile, request);
  const computed: string[] = [];
  for (const { field, numerator, denominator } of derivedMetrics) {
    const { metrics } = request;
    if (metrics.includes(numerator) && metrics.includes(denominator)) computed.push(field);
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

/** Every column that a report can have, with what to request for it. */
function waysToColumns(profile: Profile): Map<string, string> {
  const ways = new Map<string, string>();
  for (const { fields } of breakdowns) {
    for (const { name: field } of fields) {
      const names = breakdowns.filter((each) => each.fields.some(({ name }) => name === field));
      ways.set(field, `It comes with --by ${alternatives(names.map(({ name }) => name))}.`);
    }
  }
  for (const { name, rowField } of metrics) {
    ways.set(rowField?.[profile] ?? name, `Add ${name} to --metrics.`);
  }
  for (const { field, numerator, denominator } of derivedMetrics) {
    ways.set(field, `Add ${field} to --metrics, or ${numerator} and ${denominator}.`);
  }
  return ways;
}

/** The columns of a file that a typed name means. */
export interface FileColumns {
  readonly columns: readonly string[];

  /** The breakdown that was named: `WEEKLY` adds up the days of its column. */
  readonly breakdown?: string;

  /** For stderr, if another word was typed: `impressions means displays.` */
  readonly note?: string;
}

/** A name of columns as it was typed. */
interface TypedColumn {
  /** `--by` and `--filter` take breakdowns too: `CAMPAIGN` means the id and the name. */
  readonly flag: '--by' | '--filter' | '--metrics' | '--sort';
  readonly text: string;

  /** The columns of the file, and the rates that can be computed from them. */
  readonly fields: readonly string[];
}

/**
 * The columns of a file that a name means: the column of exactly that name, else those of a
 * breakdown, or a column in another case, form or word; `undefined` if there is none. Throws
 * `UsageError` with the names if it means several things.
 */
export function readFileColumns({ flag, text, fields }: TypedColumn): FileColumns | undefined {
  if (fields.includes(text)) return { columns: [text] };

  const named = readFileBreakdown({ flag, text, fields });
  if (named) {
    const { name: breakdown, note } = named;
    const columns = fieldsOfBreakdown(breakdown).filter((field) => fields.includes(field));
    return { columns, breakdown, ...(note !== undefined && { note }) };
  }

  const column = readName({ place: 'column', flag, text, accepted: fields });
  if (!column) return undefined;
  return { columns: [column.name], ...(column.note !== undefined && { note: column.note }) };
}

/** The breakdown that a name means, unless a column of the file is meant. */
function readFileBreakdown({ flag, text, fields }: TypedColumn): ReadName | undefined {
  if (flag === '--metrics' || flag === '--sort') return undefined;

  const accepted = breakdownsIn(fields);
  const isBreakdown = meaningOf('breakdown', text, accepted)?.isWord === false;
  const isColumn = meaningOf('column', text, fields)?.isWord === false;
  // `OS` and `os` differ in case only: groups are those of the breakdown, filters one column.
  if (isColumn && !(isBreakdown && flag === '--by')) return undefined;
  return readName({ place: 'breakdown', flag, text, accepted });
}

/** The breakdowns that a file with these columns can be added up by. */
function breakdownsIn(fields: readonly string[]): string[] {
  const names: string[] = [];
  for (const { name } of [...breakdowns, ...derivedBreakdowns]) {
    const isThere = fieldsOfBreakdown(name).some((field) => fields.includes(field));
    const lacksHour = name === 'HOURLY' && !fields.includes('hour');
    if (isThere && !lacksHour) names.push(name);
  }
  return names;
}

function fieldsOfBreakdown(name: string): string[] {
  return findAnyBreakdown(name)?.fields.map((field) => field.name) ?? [];
}
