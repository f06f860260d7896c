import { posix, win32 } from 'node:path';
import { nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';

/** What a file name may be made of (`cli.md`, Output). Absent: not known where the name is needed. */
export interface NameValues {
  readonly profile?: string;
  readonly report?: string;
  readonly since?: string;
  readonly until?: string;
  readonly date?: string;
  readonly id?: string;
}

export const placeholders = [
  'profile',
  'report',
  'since',
  'until',
  'date',
  'id',
] as const satisfies (keyof NameValues)[];

/** The placeholders in a name, e.g. `['since', 'date']`. Throws `UsageError` for one that does not exist. */
export function placeholdersOf(template: string): (keyof NameValues)[] {
  return [...template.matchAll(/\{([^{}]*)\}/g)].map(([, word = '']) => {
    const known = placeholders.find((placeholder) => placeholder === word);
    if (known) return known;
    const suggestion = nearest(word, placeholders);
    throw new UsageError(`-o has {${word}}, which stands for nothing.`, {
      hint: suggestion
        ? `Did you mean {${suggestion}}?`
        : `Known are ${placeholders.map((placeholder) => `{${placeholder}}`).join(' ')}.`,
    });
  });
}

/**
 * The file name with its placeholders replaced, `data/{profile}-{since}.csv`. What is put in is made safe: it can name
 * no other folder, and no hidden file.
 *
 * @throws UsageError for a placeholder that does not exist, or has no value here
 */
export function expandName(template: string, values: NameValues): string {
  placeholdersOf(template);
  return template.replace(/\{([^{}]*)\}/g, (_, word: keyof NameValues) => {
    const value = values[word];
    if (value === undefined) throw new UsageError(`-o has {${word}}, which is not known here.`);
    return safeName(value);
  });
}

/** Names that Windows keeps for devices, whatever their ending. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Text as a part of a file name on any system: no separators, no control characters, at most 120 bytes. */
export function safeName(text: string): string {
  const replaced = text
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a name
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff/\\:*?"<>|]/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  let name = '';
  for (const character of replaced) {
    if (Buffer.byteLength(name + character) > 120) break;
    name += character;
  }
  return name === '' || deviceNames.test(name) ? `_${name}` : name;
}

/** Text that two paths share if they lead to one file: macOS and Windows tell no small letters from capitals. */
export function placeOf(path: string, platform: NodeJS.Platform = process.platform): string {
  const { normalize } = platform === 'win32' ? win32 : posix;
  const place = normalize(path);
  return platform === 'win32' || platform === 'darwin' ? place.normalize('NFC').toLowerCase() : place;
}
