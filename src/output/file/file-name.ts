import { readlinkSync } from 'node:fs';
import { dirname, posix, resolve, win32 } from 'node:path';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { quoted } from '../../text/printable.ts';

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

/** Days are as `2026-11-01`. Absent values are not known yet. */
export type NameValues = { readonly [Name in Placeholder]?: string };

/** Placeholder, or a doubled brace, which is a literal one. */
const placeholderPattern = /\{\{|\}\}|\{([^{}]*)\}/g;

const timePlaceholders: readonly string[] = ['since', 'until', 'date'] satisfies Placeholder[];

/** Returns e.g. `['since', 'date']`. Throws `UsageError` for an unknown placeholder. */
export function placeholdersOf(template: string): Placeholder[] {
  const found: Placeholder[] = [];
  for (const [, word] of template.matchAll(placeholderPattern)) {
    if (word !== undefined) found.push(parsePlaceholder(word));
  }
  return found;
}

/** With a time placeholder, each part of a split report gets its own file. */
export function hasTimePlaceholder(template: string): boolean {
  return placeholdersOf(template).some((placeholder) => timePlaceholders.includes(placeholder));
}

/** Returns the part of a name before its first date; all of it without one. */
export function beforeTime(template: string): string {
  for (const { 1: word = '', index } of template.matchAll(placeholderPattern)) {
    if (timePlaceholders.includes(word)) return template.slice(0, index);
  }
  return template;
}

/**
 * Replaces placeholders in a file name, and doubled braces. Values cannot refer to other folders or
 * hidden files. Throws `UsageError` for an unknown placeholder or one without a value.
 */
export function expandName(template: string, values: NameValues): string {
  return template.replace(placeholderPattern, (found, word?: string) => {
    return word === undefined ? found.slice(1) : textOf(word, values);
  });
}

/** Replaces placeholders as `expandName`, but keeps those of time. */
export function expandAllButTime(template: string, values: NameValues): string {
  return template.replace(placeholderPattern, (found, word?: string) => {
    if (word === undefined) return found.slice(1);
    return timePlaceholders.includes(word) ? found : textOf(word, values);
  });
}

/** Escapes the braces of a path, which are not placeholders. */
export function templateOf(path: string): string {
  return path.replaceAll(/[{}]/g, '$&$&');
}

function textOf(word: string, values: NameValues): string {
  const value = values[parsePlaceholder(word)];
  if (value === undefined) throw missingValue(word, values);
  return safeName(value);
}

function missingValue(word: string, values: NameValues): UsageError {
  const names = placeholders.filter((placeholder) => values[placeholder] !== undefined);
  const hint =
    names.length > 0 ? `Choose from ${inBraces(names)}.` : 'Use a name without placeholders.';
  return new UsageError(`-o contains {${word}}, which has no value here.`, {
    hint,
    about: { flag: '--output' },
  });
}

function inBraces(names: readonly Placeholder[]): string {
  return names.map((name) => `{${name}}`).join(' ');
}

function parsePlaceholder(word: string): Placeholder {
  const placeholder = placeholders.find((name) => name === word);
  if (placeholder) return placeholder;

  const suggestion = nearest(word, placeholders);
  throw new UsageError(`Unknown placeholder {${word}} in -o.`, {
    about: { flag: '--output' },
    hint: suggestion
      ? `Did you mean {${suggestion}}?`
      : `Choose from ${inBraces(placeholders)}. Write a brace as {{ or }}.`,
  });
}

/** Windows treats these as devices with any extension and with spaces before it. */
const deviceNames = /^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]) *(\.|$)/i;

/**
 * Control characters, text direction marks, unpaired surrogates, and characters reserved by file
 * systems.
 */
const unsafeInNames =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not appear in names
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]/gu;

/**
 * Makes text safe as part of a file name on any system: no separators or control characters, no dot
 * or space at either end, not empty, at most 120 bytes (121 for device names).
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

/**
 * Throws `UsageError` if a path is not valid on Windows; other systems accept any.
 *
 * @param path with placeholders replaced
 */
export function expectValidOnWindows(path: string, platform: NodeJS.Platform): void {
  if (platform !== 'win32') return;

  const withoutDrive = path.replace(/^([\\/]{2}\?[\\/])?([a-z]:(?=[\\/]))?/i, '');
  for (const part of withoutDrive.split(/[\\/]/)) {
    const reason = windowsProblem(part);
    if (reason === undefined) continue;

    throw new UsageError(`${quoted(path)} is not a valid file name on Windows: ${reason}.`, {
      about: { value: path },
      hint: isDriveOnly.test(path)
        ? `If ${path.slice(0, 2)} is a drive, add a backslash after it.`
        : 'Choose another name.',
    });
  }
}

/** Windows would resolve the rest against the drive's current folder. */
const isDriveOnly = /^[a-z]:[^\\/]/i;

/** Returns why Windows rejects a part of a path, as a clause. */
function windowsProblem(part: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows rejects these
  const character = /[<>:"|?*\u0000-\u001f]/.exec(part)?.[0];
  if (character !== undefined) return `it contains ${quoted(character)}`;
  if (deviceNames.test(part)) return `${quoted(part)} is the name of a device`;

  const isStep = part === '.' || part === '..';
  if (isStep || !/[. ]$/.test(part)) return undefined;
  return `${quoted(part)} ends in ${part.endsWith('.') ? 'a dot' : 'a space'}`;
}

/** Returns a key shared by all spellings of a path: macOS and Windows ignore case. */
export function pathKey(path: string, platform: NodeJS.Platform = process.platform): string {
  const { normalize } = platform === 'win32' ? win32 : posix;
  const place = normalize(path);
  const ignoresCase = platform === 'win32' || platform === 'darwin';
  return ignoresCase ? place.normalize('NFC').toLowerCase() : place;
}

/** Follows the symbolic links at a path, up to 40 of them. */
export function followLinks(path: string, linksLeft = 40): string {
  const next = linkTarget(path);
  if (next === undefined || linksLeft === 0) return path;
  return followLinks(resolve(dirname(path), next), linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // Not a link, or not readable.
    return undefined;
  }
}

const historyPattern = /^_adreport(-\d+-of-\d+)?\.ndjson$/;

/**
 * Names the history file that a run appends to. Each shard has one, so that no two machines append
 * to the same file.
 *
 * @param shard value of `--shard`: `2/4` gives `_adreport-2-of-4.ndjson`
 */
export function historyName(shard?: string): string {
  if (shard === undefined) return '_adreport.ndjson';
  return `_adreport-${shard.trim().replace('/', '-of-')}.ndjson`;
}

export function isHistoryName(name: string): boolean {
  return historyPattern.test(name);
}

/** Also if `-o` is absent. */
export function goesToStdout({ output = '-' }: { readonly output?: string }): boolean {
  return output === '-';
}
