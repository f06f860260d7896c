import { hiddenCharacters, printable } from './printable.ts';

/**
 * Quotes a string as a single word for the shells of a platform. On Windows, these are cmd and
 * PowerShell. Elsewhere, they are all POSIX shells, but a string with hidden characters is written
 * as an escape of bash, zsh and ksh.
 */
export function quoteForShell(text: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return quoteForWindows(text);

  const hidesSomething = text.search(hiddenCharacters) !== -1;
  // A single quote closes the quotes, is escaped, and opens them again.
  if (!hidesSomething) return `'${text.replaceAll("'", "'\\''")}'`;

  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `$'${escaped.replace(hiddenCharacters, escapeCharacter)}'`;
}

/**
 * Replaces hidden characters with visible characters, because these shells have no escapes for
 * them.
 */
function quoteForWindows(text: string): string {
  // A backslash is only special before a quote. Quotes are doubled, because cmd counts them and
  // does not know escapes.
  const escaped = printable(text).replaceAll('"', '""');
  return `"${escaped.replace(/\\+(?="|$)/g, '$&$&')}"`;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Replaces the single quotes of a command line with the platform's quotes. */
export function requoteLine(line: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return line;
  return line.replace(/'([^']*)'/g, (_, text: string) => quoteForWindows(text));
}

/** Matches words that need no quotes. `@` and `,` are special in PowerShell. */
const plainOnWindows = /^[\w./:\\+=-]+$/;

const plainElsewhere = /^[\w./:@%+=,-]+$/;

/** Quotes a word for the platform's shells if necessary. */
export function shellWord(text: string, platform: NodeJS.Platform): string {
  const isPlain = (platform === 'win32' ? plainOnWindows : plainElsewhere).test(text);
  return isPlain ? text : quoteForShell(text, platform);
}

/** Formats a relative path as a shell word that cannot be taken for a flag. */
export function pathWord(path: string, platform: NodeJS.Platform): string {
  if (path === '') return '.';
  return shellWord(path.startsWith('-') ? `./${path}` : path, platform);
}
