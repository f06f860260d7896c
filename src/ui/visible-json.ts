import { printable } from '../text/printable.ts';

/** JSON on one line in which what could steer a terminal is escaped: the value survives, and the terminal does too. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[^ -~]/gu, (character) =>
    printable(character) === character ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
