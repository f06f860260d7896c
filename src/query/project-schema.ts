import * as z from 'zod';
import type { ProjectContent } from '../account/project-file.ts';
import { isList, isSwitch, longNameOf } from './flags/flag.ts';
import { readWord } from './flags/read-value.ts';
import { type SavedKey, savedKeys, savedKeyTable } from './saved-keys.ts';

// Schema of `adreport.yaml`. Only commands that read its reports load this file.

/** Otherwise a union reports the issue of an alternative instead of its own. */
const abort = { abort: true } as const;

const noKeys = 'must contain keys with values. See: adreport init';
const noValue = 'needs a value or a list of values. Add one, or remove the key.';

/** One value. It is read as a string; YAML has numbers and booleans too. */
const scalar = z.union([z.string().min(1, abort), z.number(), z.boolean()], { error: noValue });

const list = z.union([scalar, z.array(scalar).min(1, abort)], { error: noValue });

/** `{countryId: [1, 2]}`, instead of `countryId=1,2`. */
const filters = z.union([list, z.record(z.string(), list)], { error: noValue });

/** Builds the schema of `adreport.yaml`, with the keys and words of the flags of `run`. */
export function projectSchema(): z.ZodType<ProjectContent | null> {
  const values: Record<string, z.ZodType> = {};
  for (const [key, savedKey] of savedKeyTable()) {
    const value = valueSchema(savedKey);
    values[key] = value.optional();
    // The name in the settings file.
    if (key === 'window-clock') values.windowClock = value.optional();
  }

  const section = mapping(values, savedKeys()).nullable();
  const name = z.string().regex(/^[\p{L}\p{N}_]/u);
  const reports = z.record(name, section, { error: describeReports }).nullish();
  const members = { defaults: section.optional(), reports };
  return mapping(members, Object.keys(members)).nullable() as z.ZodType<ProjectContent | null>;
}

/** Refuses other keys. For an unknown one, its message is the list of known keys. */
function mapping(members: Readonly<Record<string, z.ZodType>>, keys: readonly string[]) {
  const error = ({ code }: { readonly code: string }): string => {
    return code === 'unrecognized_keys' ? keys.join(', ') : noKeys;
  };
  return z.strictObject(members, { error });
}

function describeReports({ code }: { readonly code: string }): string {
  if (code !== 'invalid_key') return noKeys;
  return 'is not a valid name for a report. Start with a letter or digit.';
}

/** Checks the form and the words of a key's values; the rest is checked as a report is planned. */
function valueSchema({ flag }: SavedKey): z.ZodType {
  if (isSwitch(flag)) {
    const words = z.string().regex(inAnyCase(['true', 'false']), abort);
    return z.union([z.boolean(), words], { error: 'must be true or false.' });
  }
  if (longNameOf(flag) === '--filter') return filters;
  if (flag.isRepeatable || isList(flag)) return list;

  const error = ({ input }: { readonly input: unknown }): string => {
    if (Array.isArray(input)) return 'takes a single value, not a list.';
    return typeof input === 'string' ? wordMistake(input, flag.words ?? []) : noValue;
  };
  if (!flag.words) return z.union(scalar.options, { error });
  return z.union([z.enum(flag.words), z.string().regex(inAnyCase(flag.words), abort)], { error });
}

function wordMistake(text: string, words: readonly string[]): string {
  try {
    return readWord(text, words);
  } catch (error) {
    return `${JSON.stringify(text)}: ${(error as Error).message}`;
  }
}

/** Matches words in any case. */
function inAnyCase(words: readonly string[]): RegExp {
  return new RegExp(`^(${words.join('|')})$`, 'i');
}
