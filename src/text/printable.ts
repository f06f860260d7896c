/**
 * Matches control characters, and characters that reorder or hide others: bidirectional controls,
 * line separators, byte order marks and lone surrogates.
 */
export const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Makes hidden characters visible, so that a string is safe on a terminal. ASCII control characters
 * become pictures (`␛`, `␊`), all others become escapes (`\u202e`).
 */
export function printable(text: string): string {
  // Most strings are plain ASCII, and a table has millions of them.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(hiddenCharacters, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '␡';
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Maximum length of a string from the service on a terminal (`cli.md`, Streams). */
export const maxServiceCharacters = 500;

/** Limits the length of a string, with `…` at its end. */
export function truncate(text: string, maxCharacters = maxServiceCharacters): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters - 1)}…`;
}

const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Encloses a right-to-left string in isolates (U+2068 and U+2069), so that it does not reorder the
 * words and numbers that follow.
 */
export function isolate(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

/** Quotes a string in a message: printable, and at most 80 characters. */
export function quoted(text: string): string {
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `“${printable(excerpt)}”`;
}

/** Formats JSON on one line, with hidden characters as escapes. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (character) =>
    printable(character) === character
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes a string for use between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '&#39;');
}

/** Adds a full stop unless the sentence already ends with punctuation. */
export function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
