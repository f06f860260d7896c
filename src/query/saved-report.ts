import { UsageError } from '../errors.ts';
import { suggestName } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { type Flag, isSwitch, keyOfFlag, longName, readValue } from './flags/flag.ts';
import { joinList } from './flags/read-value.ts';
import { type RunFlags, runFlagsByName } from './flags/run-flags.ts';
import { fileError, type LineIssue, type YamlEntry, type YamlSection } from './yaml-file.ts';

/** Options of a saved report or a declaration, with the line of each key. */
export interface SavedOptions {
  readonly values: Partial<RunFlags>;
  readonly lines: ReadonlyMap<string, number>;
}

/** Flags by the keys of saved reports. */
export const flagsByKey: ReadonlyMap<string, readonly [option: string, flag: Flag]> = new Map(
  [...runFlagsByName]
    .filter(([, flag]) => flag.scope !== 'command-line')
    .map((entry) => [keyOfFlag(entry[1]), entry]),
);

interface ReadingOptions {
  readonly displayPath: string;

  /** Other allowed keys, which are skipped. */
  readonly otherKeys?: readonly string[];

  /** Options on the command line, which override every section. */
  readonly explicitOptions?: ReadonlySet<string>;
}

/**
 * Merges the options of several sections. Earlier sections take precedence. A period overrides a
 * later period completely, so that `since` is not combined with `period`. Throws `UsageError` with
 * the line for an unknown key and for an invalid value.
 */
export function readSavedOptions(
  sections: readonly YamlSection[],
  { displayPath, otherKeys = [], explicitOptions = new Set() }: ReadingOptions,
): SavedOptions {
  const values: Record<string, unknown> = {};
  const lines = new Map<string, number>();
  const given = new Set(explicitOptions);
  for (const { entries } of sections) {
    const hasPeriod = periodOptions.some((option) => given.has(option));
    for (const [key, entry] of entries) {
      if (otherKeys.includes(key)) continue;
      const [option, flag] = flagsByKey.get(key) ?? [];
      if (option === undefined || !flag) {
        const keys = [...flagsByKey.keys(), ...otherKeys];
        throw fileError(displayPath, unknownKeyIssue(key, entry.line, keys));
      }

      const value = readEntry(flag, entry, displayPath);
      if (given.has(option) || (hasPeriod && periodOptions.includes(option))) continue;
      given.add(option);
      lines.set(option, entry.line);
      values[option] = value;
    }
  }
  // Each value was parsed by its flag.
  return { values: values as Partial<RunFlags>, lines };
}

/**
 * Parses keys and values from `toSavedKeys`. Throws `UsageError` for unknown keys and invalid
 * values.
 */
export function readSavedKeys(keys: Readonly<Record<string, unknown>>): Partial<RunFlags> {
  const entries = new Map<string, YamlEntry>();
  for (const [key, value] of Object.entries(keys)) entries.set(key, { line: 1, value });
  return readSavedOptions([{ line: 1, entries }], { displayPath: 'request' }).values;
}

const periodOptions: readonly string[] = ['period', 'since', 'until'];

export function findInvalidOption({ about }: UsageError): string | undefined {
  return [...runFlagsByName].find(([, flag]) => longName(flag) === about?.flag)?.[0];
}

/** Parses the value of a key like a flag value. Throws `UsageError` for an invalid value. */
function readEntry(flag: Flag, { line, value }: YamlEntry, displayPath: string): unknown {
  const key = keyOfFlag(flag);
  const word = String(value).toLowerCase();
  const isBoolean = word === 'true' || word === 'false';
  if (isBoolean && (isSwitch(flag) || flag.preset !== undefined)) {
    const isOn = (word === 'true') !== flag.flags.startsWith('--no-');
    return isOn && (flag.preset ?? true);
  }
  if (isSwitch(flag))
    throw fileError(displayPath, { line, message: `${key} must be true or false.` });

  const words = listWords(flag, value);
  const areValid = words.every((input) => input !== undefined);
  if (!areValid || words.length === 0) {
    throw fileError(displayPath, { line, message: `${key} needs a value or a list of values.` });
  }
  try {
    const values = words.map((input) => readValue(flag, input));
    return flag.isRepeatable ? values.flat() : values[0];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw fileError(displayPath, { line, message: error.message, hint: error.hint });
  }
}

/**
 * Returns the flag values for a YAML value, one for each use of the flag. An empty or nested value
 * becomes `undefined`.
 */
function listWords(flag: Flag, value: unknown): (string | undefined)[] {
  const isRepeated = flag.isRepeatable && Array.isArray(value);
  return isRepeated ? value.map(toWord) : [toWord(value)];
}

function toWord(value: unknown): string | undefined {
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (isList && value.length > 0) return joinList(value);
  const isEmpty = value === undefined || value === null || value === '';
  return isEmpty || typeof value === 'object' ? undefined : String(value);
}

/** Matches keys of secrets, and the key of the URL to which secrets are sent. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

/** Builds the message for an unknown key, without the value, which may be a secret. */
export function unknownKeyIssue(name: string, line: number, keys: readonly string[]): LineIssue {
  if (forbidden.test(name)) {
    return {
      line,
      message: `${name} is not allowed in this file: it must not contain secrets or base URLs.`,
      hint: 'Set account: to a stored account (adreport login), or set ADREPORT_TOKEN and ADREPORT_BASE_URL.',
    };
  }
  const hint = suggestName(name.replaceAll('_', '-'), keys);
  return { line, message: `Unknown key ${quoted(name)}.`, hint };
}
