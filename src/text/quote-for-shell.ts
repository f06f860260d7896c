import { hiddenCharacters, printable } from './printable.ts';

/**
 * A text as one word of the shells of a platform. On Windows that is cmd, PowerShell and whatever
 * splits the command line of a program; elsewhere any POSIX shell, and if the text holds what would
 * be hidden on a terminal, bash, zsh and ksh, with that made visible.
 */
export function quoteForShell(text: string, platform: NodeJS.Platform): string {
  if (platform === 'win32') return quoteForWindows(text);

  const hidesSomething = text.search(hiddenCharacters) !== -1;
  // A single quote ends the quoting, stands escaped, and begins it anew.
  if (!hidesSomething) return `'${text.replaceAll("'", "'\\''")}'`;

  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `$'${escaped.replace(hiddenCharacters, escapeCharacter)}'`;
}

/** Its shells have no way to write what is hidden: that is shown, and is another text. */
function quoteForWindows(text: string): string {
  // A backslash escapes only a quote, or another one before a quote. A quote is doubled, as cmd
  // counts quotes and knows no escape.
  const escaped = printable(text).replaceAll('"', '""');
  return `"${escaped.replace(/\\+(?="|$)/g, '$&$&')}"`;
}

/** A character as these shells read it back: `\n`, `\u202e`. */
function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A command line whose words have single quotes only, with the quotes of a platform. */
export function requoteLine(line: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return line;
  return line.replace(/'([^']*)'/g, (_, text: string) => quoteForWindows(text));
}

/** PowerShell reads `@` and `,` as its own. */
const plainOnWindows = /^[\w./:\\+=-]+$/;

const plainElsewhere = /^[\w./:@%+=,-]+$/;

/** A text as one word of the shells of a platform, without quotation marks if none are needed. */
export function shellWord(text: string, platform: NodeJS.Platform): string {
  const isPlain = (platform === 'win32' ? plainOnWindows : plainElsewhere).test(text);
  return isPlain ? text : quoteForShell(text, platform);
}

/** A relative path as one word of a shell that no command takes for a flag. */
export function pathWord(path: string, platform: NodeJS.Platform): string {
  if (path === '') return '.';
  return shellWord(path.startsWith('-') ? `./${path}` : path, platform);
}
