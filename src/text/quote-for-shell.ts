import { hiddenCharacters } from './printable.ts';

/**
 * A text as one word of a shell: of any POSIX shell, and where it holds what would be hidden on a
 * terminal, of bash, zsh and ksh, with that made visible.
 */
export function quoteForShell(text: string): string {
  const hidesSomething = text.search(hiddenCharacters) !== -1;
  // A single quote ends the quoting, stands escaped, and begins it anew.
  if (!hidesSomething) return `'${text.replaceAll("'", "'\\''")}'`;

  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `$'${escaped.replace(hiddenCharacters, escapeCharacter)}'`;
}

/** A character as these shells read it back: `\n`, `\u202e`. */
function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text as one word of a shell, without quotation marks where none are needed. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : quoteForShell(text);
}

/** A relative path as one word of a shell that no command takes for a flag. */
export function pathWord(path: string): string {
  if (path === '') return '.';
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}
