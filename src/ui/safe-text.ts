import { printable } from '../text/printable.ts';

// The attributes that our own styles use, and nothing that could hide text.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const styling = /(\u001b\[(?:0|1|2|22|31|32|33|36|39)m)/;

/**
 * Text as it may stand on stderr, whoever wrote it: line breaks stay, our own styling stays where the stream shows
 * colour, every other control character is made visible.
 */
export function safeText(text: string, keepStyling: boolean): string {
  return text
    .split('\n')
    .map((line) => (keepStyling ? line.split(styling).map(safePart).join('') : printable(line)))
    .join('\n');
}

// `split` with a capture puts the separators at the odd places.
function safePart(part: string, index: number): string {
  return index % 2 === 1 ? part : printable(part);
}
