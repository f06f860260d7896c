import type { UsageError } from '../errors.ts';
import { findNearest } from '../text/nearest.ts';
import { flagError } from './flag-error.ts';
import type { Part, Query } from './query.ts';

/** Placeholders of file names (`cli.md`, Output). */
export const placeholders = [
  'profile',
  'report',
  'account',
  'since',
  'until',
  'date',
  'id',
] as const;

type Placeholder = (typeof placeholders)[number];

/** Values of placeholders. Days have the form `2026-11-01`. Unknown values are not set. */
export type NameValues = { readonly [Name in Placeholder]?: string };

/** Matches a placeholder, or a doubled brace, which represents a single brace. */
const placeholderPattern = /\{\{|\}\}|\{([^{}]*)\}/g;

const timePlaceholders: readonly string[] = ['since', 'until', 'date'] satisfies Placeholder[];

/**
 * Lists the placeholders of a name: `['since', 'date']`. Throws `UsageError` for an unknown
 * placeholder.
 */
export function listPlaceholders(template: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const [, word] of template.matchAll(placeholderPattern)) {
    if (word !== undefined) found.push(parsePlaceholder(word));
  }
  return found;
}

/** Whether each part of a split report gets its own file. */
export function hasTimePlaceholder(template: string): boolean {
  return listPlaceholders(template).some((placeholder) => timePlaceholders.includes(placeholder));
}

/** Returns a name up to its first date placeholder, or the whole name if it has none. */
export function cutBeforeDate(template: string): string {
  for (const { 1: word = '', index } of template.matchAll(placeholderPattern)) {
    if (timePlaceholders.includes(word)) return template.slice(0, index);
  }
  return template;
}

/**
 * Replaces placeholders and doubled braces. A value cannot lead to another folder or make the file
 * hidden. Throws `UsageError` if a placeholder is unknown or has no value.
 */
export function expandName(template: string, values: NameValues): string {
  return template.replace(placeholderPattern, (found, word?: string) => {
    return word === undefined ? found.slice(1) : formatValue(word, values);
  });
}

/** Replaces placeholders as `expandName` does, except dates. The result is still a template. */
export function expandExceptDates(template: string, values: NameValues): string {
  return template.replace(placeholderPattern, (found, word?: string) => {
    const isKept = word === undefined || timePlaceholders.includes(word);
    return isKept ? found : escapeBraces(formatValue(word, values));
  });
}

/** Returns the placeholder values for a part's file, except `id`, which is still unknown. */
export function placeholderValues({ query, firstDay, lastDay }: Part): NameValues {
  return {
    profile: query.profile,
    report: formatReportName(query),
    account: query.account ?? 'default',
    since: firstDay,
    until: lastDay,
    date: firstDay,
  };
}

/**
 * Returns the file names of a part, with `-` for stdout. `{id}` is left in place, because the ID is
 * still unknown.
 */
export function listFileNames(part: Part): string[] {
  const values = { ...placeholderValues(part), id: '{id}' };
  return part.query.outputs.map(({ path }) => expandName(path, values));
}

function formatReportName({ report, breakdowns }: Query): string {
  return report ?? (breakdowns.join('-').toLowerCase() || 'total');
}

/** Escapes the braces of a path, so that they are not taken for placeholders. */
export function escapeBraces(path: string): string {
  return path.replaceAll(/[{}]/g, '$&$&');
}

function formatValue(word: string, values: NameValues): string {
  const value = values[parsePlaceholder(word)];
  if (value === undefined) throw missingValueError(word, values);
  return safeName(value);
}

function missingValueError(word: string, values: NameValues): UsageError {
  const names = placeholders.filter((placeholder) => values[placeholder] !== undefined);
  return flagError(
    '--output',
    `-o contains {${word}}, which has no value here.`,
    `Choose from ${formatPlaceholders(names)}.`,
  );
}

function formatPlaceholders(names: readonly Placeholder[]): string {
  return names.map((name) => `{${name}}`).join(' ');
}

function parsePlaceholder(word: string): Placeholder {
  const placeholder = placeholders.find((name) => name === word);
  if (placeholder) return placeholder;

  const suggestion = findNearest(word, placeholders);
  throw flagError(
    '--output',
    `Unknown placeholder {${word}} in -o.`,
    suggestion
      ? `Did you mean {${suggestion}}?`
      : `Choose from ${formatPlaceholders(placeholders)}. Write a brace as {{ or }}.`,
  );
}

/**
 * Windows treats these names as devices, with any extension, and with spaces before the extension.
 */
export const deviceNames = /^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]) *(\.|$)/i;

/**
 * Control characters, text direction marks, unpaired surrogates, and characters reserved by file
 * systems.
 */
const unsafeInNames =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not appear in names
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]/gu;

/**
 * Makes a string safe as part of a file name on any system. The result has no separators or control
 * characters and no dot or space at either end. It is never empty, and has at most 120 bytes (121
 * for device names).
 */
export function safeName(text: string): string {
  let name = text
    .normalize('NFC')
    .replace(unsafeInNames, '_')
    .slice(0, 240)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/^[.\s]+/, '');
  while (Buffer.byteLength(name) > 120) name = name.replace(/.$/su, '');
  name = name.replace(/[.\s]+$/, '');
  return name === '' || deviceNames.test(name) ? `_${name}` : name;
}
