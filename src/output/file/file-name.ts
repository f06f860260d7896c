import { readlinkSync } from 'node:fs';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import { quoted } from '../../text/printable.ts';

/** What a file name may be made of (`cli.md`, Output). */
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

/**
 * What each placeholder stands for: days as `2026-11-01`. Absent: not known where the name is
 * needed.
 */
export type NameValues = { readonly [Name in Placeholder]?: string };

const placeholderPattern = /\{([^{}]*)\}/g;

/**
 * The placeholders in a name, e.g. `['since', 'date']`. Throws `UsageError` for one that does not
 * exist.
 */
export function placeholdersOf(template: string): Placeholder[] {
  const words = [...template.matchAll(placeholderPattern)].map((match) => match[1] ?? '');
  return words.map(placeholderNamed);
}

/**
 * Whether a name tells the days of what it holds, so that each part of a split report has a file of
 * its own.
 */
export function hasTimePlaceholder(template: string): boolean {
  const ofTime: readonly Placeholder[] = ['since', 'until', 'date'];
  return placeholdersOf(template).some((placeholder) => ofTime.includes(placeholder));
}

/**
 * The file name with its placeholders replaced, each by a text that can name no other folder and no
 * hidden file. Throws `UsageError` for a placeholder that does not exist, or has no value here.
 */
export function expandName(template: string, values: NameValues): string {
  return template.replace(placeholderPattern, (_, word: string) => {
    const value = values[placeholderNamed(word)];
    if (value === undefined) throw valueIsMissing(word, values);
    return safeName(value);
  });
}

function valueIsMissing(word: string, values: NameValues): UsageError {
  const names = placeholders.filter((placeholder) => values[placeholder] !== undefined);
  const hint =
    names.length > 0
      ? `Known here: ${inBraces(names)}.`
      : 'Give the name of the file as it is to be.';
  return new UsageError(`-o has {${word}}, which is not known here.`, {
    hint,
    about: { flag: '--output' },
  });
}

function inBraces(names: readonly Placeholder[]): string {
  return names.map((name) => `{${name}}`).join(' ');
}

function placeholderNamed(word: string): Placeholder {
  const placeholder = placeholders.find((name) => name === word);
  if (placeholder) return placeholder;

  const suggestion = nearest(word, placeholders);
  throw new UsageError(`-o has {${word}}, which stands for nothing.`, {
    about: { flag: '--output' },
    hint: suggestion ? `Did you mean {${suggestion}}?` : `Known are ${inBraces(placeholders)}.`,
  });
}

/** Windows reads them as devices with any ending, and with blanks before it. */
const deviceNames = /^(con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³]) *(\.|$)/i;

/**
 * Control characters, marks that turn the direction of text, halves of a character, and what a file
 * system reserves.
 */
const unsafeInNames =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a name
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]/gu;

/**
 * Text as a part of a file name on any system: no separators, no control characters, no dot or
 * blank at either end, not empty, at most 120 bytes (121 for the name of a device).
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
 * Throws `UsageError` for the path of an output that Windows cannot hold; other systems accept any.
 *
 * @param path with its placeholders replaced
 */
export function expectHoldable(path: string, platform: NodeJS.Platform): void {
  if (platform !== 'win32') return;

  const withoutDrive = path.replace(/^([\\/]{2}\?[\\/])?([a-z]:(?=[\\/]))?/i, '');
  for (const part of withoutDrive.split(/[\\/]/)) {
    const reason = whyNotOnWindows(part);
    if (reason === undefined) continue;

    throw new UsageError(`${quoted(path)} cannot be a file on Windows: ${reason}.`, {
      about: { value: path },
      hint: isDriveOnly.test(path)
        ? `If ${path.slice(0, 2)} is a drive, put a backslash after it.`
        : 'Choose another name.',
    });
  }
}

/** Windows would look for the rest in the folder that it remembers for the drive. */
const isDriveOnly = /^[a-z]:[^\\/]/i;

/** Why a part of a path cannot be one on Windows, as a clause. */
function whyNotOnWindows(part: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows takes none of them
  const character = /[<>:"|?*\u0000-\u001f]/.exec(part)?.[0];
  if (character !== undefined) return `it contains ${quoted(character)}`;
  if (deviceNames.test(part)) return `${quoted(part)} is the name of a device`;

  const isStep = part === '.' || part === '..';
  if (isStep || !/[. ]$/.test(part)) return undefined;
  return `${quoted(part)} ends in ${part.endsWith('.') ? 'a dot' : 'a blank'}`;
}

/**
 * A key that two paths share if they lead to one file: macOS and Windows tell no small letters from
 * capitals.
 */
export function placeOf(path: string, platform: NodeJS.Platform = process.platform): string {
  const { normalize } = platform === 'win32' ? win32 : posix;
  const place = normalize(path);
  const ignoresCase = platform === 'win32' || platform === 'darwin';
  return ignoresCase ? place.normalize('NFC').toLowerCase() : place;
}

/**
 * A key that two absolute paths share if they lead to one file, also through symbolic links,
 * whether it exists or not.
 */
export function placeOnDisk(path: string): string {
  return placeOf(realPath(path, linksAtMost));
}

const linksAtMost = 40;

/** A path with its links followed, and those of the folders above it. */
function realPath(path: string, linksLeft: number): string {
  const target = linksLeft > 0 ? followLinks(path) : path;
  const folder = dirname(target);
  if (folder === target) return target;

  const left = target === path ? linksLeft : linksLeft - 1;
  return join(realPath(folder, left), basename(target));
}

/**
 * Where a symbolic link leads to, if there is one at a path: through other links, but 40 of them at
 * most.
 */
export function followLinks(path: string, linksLeft = linksAtMost): string {
  const next = linkTarget(path);
  if (next === undefined || linksLeft === 0) return path;
  return followLinks(resolve(dirname(path), next), linksLeft - 1);
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // It is no link, or nothing that can be read.
    return undefined;
  }
}

const historyPattern = /^_adreport(-\d+-of-\d+)?\.ndjson$/;

/**
 * The name of the history file that a run appends to. Each shard has its own, so that no two
 * machines append to one file.
 *
 * @param shard the value of `--shard`: `2/4` gives `_adreport-2-of-4.ndjson`
 */
export function historyName(shard?: string): string {
  if (shard === undefined) return '_adreport.ndjson';
  return `_adreport-${shard.trim().replace('/', '-of-')}.ndjson`;
}

/** True for the name of a history file. */
export function isHistoryName(name: string): boolean {
  return historyPattern.test(name);
}
