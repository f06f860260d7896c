import { findCountry } from '../contract/countries.ts';
import { defaultZone } from '../contract/messages.ts';
import { truncate } from '../text/printable.ts';
import { type Flag, isSwitch, keyOfFlag, longName } from './flags/flag.ts';
import { joinList } from './flags/read-value.ts';
import { runFlagsByName } from './flags/run-flags.ts';
import { formatOfFile } from './format-names.ts';
import { namedFilters, type Query } from './query.ts';

/** YAML value of a key in a saved report. */
export type SavedValue = string | number | boolean | readonly string[];

type OptionValues = Readonly<Record<string, SavedValue | undefined>>;

/**
 * Converts a query to the keys and values of a saved report, in the order of the flags. With the
 * query's `login` and `service`, `buildQuery` restores the query.
 */
export function toSavedKeys(query: Query): Readonly<Record<string, SavedValue>> {
  const keys: Record<string, SavedValue> = {};
  for (const { flag, value } of listFlagValues(toOptions(query))) keys[keyOfFlag(flag)] = value;
  return keys;
}

/** Keys that change neither the request nor the content of a file. */
const neutralKeys: readonly string[] = [
  ...['period', 'since', 'until', 'lookback', 'strict', 'direct', 'encoding'],
  ...['title', 'note', 'label', 'output', 'account'],
];

/** Maximum length of a value in messages. A filter may have a thousand values. */
const maxShown = 120;

/** Lists the differences between two queries that affect file contents: `country: FR → DE`. */
export function differences(before: Query, after: Query): string[] {
  const old = formatContent(before);
  const current = formatContent(after);
  const lines: string[] = [];
  for (const key of new Set([...old.keys(), ...current.keys()])) {
    const [from, to] = [old.get(key) ?? 'none', current.get(key) ?? 'none'];
    if (from !== to) lines.push(`${key}: ${truncate(from, maxShown)} → ${truncate(to, maxShown)}`);
  }
  return lines;
}

/**
 * Formats the values that determine the content of a file, except time, by key. Metrics, breakdowns
 * and columns keep their order, which is also their order in the file. Filters are sorted.
 */
function formatContent(query: Query): ReadonlyMap<string, string> {
  const filters: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(query.filters).sort()) {
    filters[name] = [...values].sort();
  }
  const content = new Map<string, string>();
  for (const [key, value] of Object.entries(toSavedKeys({ ...query, filters }))) {
    if (!neutralKeys.includes(key)) content.set(key, String(value));
  }
  return content;
}

/**
 * Builds the arguments of a command that runs a query, without defaults.
 *
 * @param accepts selects the options to write; default: all
 */
export function toArguments(
  query: Query,
  accepts: (option: string) => boolean = () => true,
): string[] {
  const { profile, metrics, account, format, ...others } = toOptions(query);
  const [output] = query.outputs;
  const values = {
    ...others,
    profile: profile === 'buyer' ? undefined : profile,
    metrics: query.hasNamedMetrics ? metrics : undefined,
    account: account === 'default' ? undefined : account,
    format: formatOfFile(output.path) === output.format ? undefined : format,
  };
  const kept = Object.entries(values).filter(([option]) => accepts(option));
  return listFlagValues(Object.fromEntries(kept)).flatMap(({ flag, value }) =>
    toWords(flag, value),
  );
}

/** Formats a flag and its value for a command line. */
function toWords(flag: Flag, value: SavedValue): string[] {
  const name = /^-\w/.exec(flag.flags)?.[0] ?? longName(flag);
  if (isSwitch(flag)) return [name];
  if (!Array.isArray(value)) return [name, String(value)];
  return flag.isRepeatable
    ? value.flatMap((item: string) => [name, item])
    : [name, joinList(value)];
}

interface FlagValue {
  readonly flag: Flag;
  readonly value: SavedValue;
}

/** Lists flags that have a value, in the order of the flags of `run`. */
function listFlagValues(options: OptionValues): FlagValue[] {
  const flags: FlagValue[] = [];
  for (const [option, flag] of runFlagsByName) {
    const value = options[option];
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (value !== undefined && !isEmpty) flags.push({ flag, value });
  }
  return flags;
}

function toOptions(query: Query): OptionValues {
  const { breakdowns, filters, outputs, timezone, encoding, windowClock, ...others } = query;
  const [output, ...moreOutputs] = outputs;
  const paths = outputs.map(({ path }) => path);
  const isStdout = output.path === '-' && moreOutputs.length === 0;
  return {
    ...others,
    ...filterOptions(filters),
    by: breakdowns,
    timezone: timezone === defaultZone ? undefined : timezone,
    encoding: encoding === 'json' ? undefined : encoding,
    windowClock: windowClock === 'instant' ? undefined : windowClock,
    output: isStdout ? undefined : simplifyList(paths),
    format: moreOutputs.length > 0 ? undefined : output.format,
  };
}

/** Unwraps a list with a single item. */
function simplifyList(items: readonly string[]): SavedValue {
  const [first = '', ...others] = items;
  return others.length === 0 ? first : items;
}

/**
 * Converts filters to options. Countries are written by code. Filters by name keep their own flags;
 * the others become `--filter`.
 */
function filterOptions(filters: Query['filters']): OptionValues {
  const options: Record<string, SavedValue> = {};
  const byId: string[] = [];
  for (const [name, values] of Object.entries(filters)) {
    const isNamed = namedFilters.some((named) => named.name === name);
    if (isNamed) options[name] = values;
    else if (name === 'countryId') options.country = values.map(countryCode);
    else byId.push(`${name}=${joinList(values)}`);
  }
  return { ...options, filter: byId };
}

function countryCode(id: string): string {
  return findCountry(id)?.code ?? id;
}
