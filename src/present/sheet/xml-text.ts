/** First line of every part of a spreadsheet. */
export const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006';

/**
 * Characters that XML cannot represent or would change: control characters, carriage returns, and
 * text that looks like an escape.
 */
const unrepresentable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Matches strings that may need escaping. Most strings do not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
const mayBeSpecial = /[\u0000-\u001f&<>_\ufffe\uffff]/;

/**
 * Escapes text for XML. Characters that XML cannot represent become `_x001B_` (ECMA-376,
 * ST_Xstring).
 */
export function toXml(text: string): string {
  if (!mayBeSpecial.test(text)) return text;

  const escaped = text.replace(unrepresentable, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${code}_`;
  });
  return escaped.replace(/[&<>]/g, (character) => entities[character] ?? '');
}

/** Escapes a string for an attribute, including its line breaks and tabs. */
export function toXmlAttribute(text: string): string {
  const escaped = toXml(text).replaceAll('"', '&quot;');
  return escaped.replace(/[\t\n]/g, (character) => (character === '\n' ? '_x000A_' : '_x0009_'));
}
