import { InvalidArgumentError } from 'commander';
import type { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import {
  type Flag,
  isNegation,
  isSwitch,
  keyOfFlag,
  longName,
  readValue,
  unknownValue,
} from './flags/flag.ts';
import { joinList } from './flags/read-value.ts';
import { type RunFlags, runFlagsByName } from './flags/run-flags.ts';
import { fileError, type LineMistake, type YamlEntry, type YamlSection } from './yaml-file.ts';

/** Options of a saved report or a declaration. Each key has its line. */
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

/**
 * Reads the options of several sections. An option in an earlier section wins. A period replaces a
 * later period completely, so that `since` is not combined with `period`. Throws `UsageError` with
 * the line for an unknown key and for an invalid value.
 *
 * @param otherKeys other keys that the sections may have; these are skipped
 */
export function readSavedOptions(
  sections: readonly YamlSection[],
  {
    shownPath,
    otherKeys = [],
  }: { readonly shownPath: string; readonly otherKeys?: readonly string[] },
): SavedOptions {
  const values: Record<string, unknown> = {};
  const lines = new Map<string, number>();
  for (const { entries } of sections) {
    const hasPeriod = periodOptions.some((option) => lines.has(option));
    for (const [key, entry] of entries) {
      if (otherKeys.includes(key)) continue;
      const [option, flag] = flagsByKey.get(key) ?? [];
      if (option === undefined || !flag) {
        const keys = [...flagsByKey.keys(), ...otherKeys];
        throw fileError(shownPath, unknownKeyMistake(key, entry.line, keys));
      }

      const value = readEntry(flag, entry, shownPath);
      const isReplaced = lines.has(option) || (hasPeriod && periodOptions.includes(option));
      if (isReplaced) continue;
      lines.set(option, entry.line);
      if (value !== undefined) values[option] = value;
    }
  }
  // Each value was read by its flag.
  return { values: values as Partial<RunFlags>, lines };
}

/**
 * Reads the options of a query from keys and values as `toSavedKeys` writes them. Throws
 * `UsageError` for unknown keys and invalid values.
 */
export function readSavedKeys(keys: Readonly<Record<string, unknown>>): Partial<RunFlags> {
  const entries = new Map<string, YamlEntry>();
  for (const [key, value] of Object.entries(keys)) {
    const isScalar = typeof value === 'number' || typeof value === 'boolean';
    entries.set(key, { line: 1, value: isScalar ? String(value) : value });
  }
  return readSavedOptions([{ line: 1, entries }], { shownPath: 'request' }).values;
}

export const periodOptions: readonly string[] = ['period', 'since', 'until'];

/** Adds the line of the value to a mistake. */
export function locateMistake(
  { message, hint, about }: UsageError,
  { lines }: Pick<SavedOptions, 'lines'>,
  line: number,
): LineMistake {
  const option = [...runFlagsByName].find(([, flag]) => longName(flag) === about?.flag)?.[0];
  return { line: lines.get(option ?? '') ?? line, message, hint };
}

/** Reads the value of a key. Throws `UsageError` for an invalid value. */
function readEntry(flag: Flag, { line, value }: YamlEntry, shownPath: string): unknown {
  const key = keyOfFlag(flag);
  const refuse = (message: string, hint?: string): UsageError => {
    return fileError(shownPath, { line, message, hint });
  };
  const isTrue = String(value).toLowerCase() === 'true';
  const isFalse = String(value).toLowerCase() === 'false';
  if (isSwitch(flag)) {
    if (isTrue || isFalse) return isTrue !== isNegation(flag);
    throw refuse(`${key} must be true or false.`);
  }
  if (flag.preset !== undefined && (isTrue || isFalse)) return isTrue ? flag.preset : undefined;

  const texts = readStrings(flag, value);
  if (!texts) throw refuse(`${key} needs a value or a list of values.`);
  const values = texts.map((text) => {
    try {
      return readValue(flag, text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw refuse(unknownValue(flag, text), error.message);
    }
  });
  const [first, second] = values;
  if (values.every(Array.isArray)) return values.flat();
  if (second === undefined) return first;
  throw refuse(`${key} takes a single value, not a list.`);
}

/**
 * Returns the values as they would be typed; `undefined` for an empty value and for nested values.
 */
function readStrings(flag: Flag, value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    const isList = value.length > 0 && value.every((item) => typeof item === 'string');
    if (isList && flag.flags.includes('<a,b>')) return [joinList(value)];
    // An item is one value, even if it has a comma.
    return isList ? value.map((item) => (flag.isRepeatable ? item : joinList([item]))) : undefined;
  }

  const takesPairs = flag.flags.includes('=');
  if (!takesPairs || typeof value !== 'object' || value === null) return undefined;
  const texts: string[] = [];
  for (const [name, values] of Object.entries(value)) {
    const isList = Array.isArray(values) && values.every((item) => typeof item === 'string');
    if (typeof values === 'string') texts.push(`${name}=${values}`);
    else if (isList) texts.push(`${name}=${joinList(values)}`);
    else return undefined;
  }
  return texts;
}

/** Matches keys of secrets, and the key of the URL to which secrets are sent. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

/** Explains an unknown key. The value is not shown, because it may be a secret. */
export function unknownKeyMistake(
  name: string,
  line: number,
  keys: readonly string[],
): LineMistake {
  if (forbidden.test(name)) {
    return {
      line,
      message: `${name} is not allowed in this file: it must not contain secrets or base URLs.`,
      hint: 'Name a stored account with account: (adreport login), or set ADREPORT_TOKEN and ADREPORT_BASE_URL.',
    };
  }
  const suggestion = nearest(name.replaceAll('_', '-'), keys);
  const hint = didYouMean(suggestion, `Choose from ${keys.join(', ')}.`);
  return { line, message: `Unknown key ${quoted(name)}.`, hint };
}
