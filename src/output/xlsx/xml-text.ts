/** What XML cannot hold, or would change: control characters, a carriage return, and what looks like our escape. */
const unspeakable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/**
 * Text as the content of an element. What XML cannot hold is written as `_x001B_`, which spreadsheets read back
 * (ECMA-376, ST_Xstring).
 */
export function xmlText(text: string): string {
  return text
    .replace(unspeakable, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
    })
    .replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
