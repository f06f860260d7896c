/**
 * Control characters, and those that reorder or hide text: bidirectional controls, line separators,
 * byte order marks.
 */
export const hiddenCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Text of the service as one line that is safe on a terminal: what would act on the terminal,
 * reorder the line or hide is made visible. ASCII controls become their pictures (`␛`, `␊`), the
 * rest its escape (`\u202e`).
 */
export function printable(text: string): string {
  // Most texts are plain ASCII, and a table has millions of them.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(hiddenCharacters, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '␡';
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The characters that are shown of a text of the service (`cli.md`, Streams). */
export const serviceTextAtMost = 500;

/** A text of the service, with `…` in place of what is too much of it. */
export function shortened(text: string, charactersAtMost = serviceTextAtMost): string {
  if (text.length <= charactersAtMost) return text;
  return `${text.slice(0, charactersAtMost - 1)}…`;
}

/** Letters that are read from right to left. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * A name as a part of a sentence: printable. Letters from right to left are isolated (U+2068 and
 * U+2069), because they would change the order of the words and numbers that follow.
 */
export function nameInSentence(name: string): string {
  const text = printable(name);
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text;
}

/** A sentence without the marks around isolated names, for what cannot isolate them. */
export function withoutIsolates(sentence: string): string {
  return sentence.replace(/[\u2068\u2069]/g, '');
}

/**
 * What a person typed, or a file or a service says, as a message quotes it: safe on a terminal, and
 * cut where it is long.
 */
export function quoted(text: string): string {
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `“${printable(excerpt)}”`;
}

/**
 * JSON on one line in which what could steer a terminal is escaped: the value survives, and the
 * terminal does too.
 */
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

/** Text as HTML, between tags or in a quoted attribute: nothing in it is markup. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '&#39;');
}
