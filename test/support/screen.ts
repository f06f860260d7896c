/** What a terminal shows after some output: its lines, without blank ends, and whether its modes are the usual ones. */
export interface Screen {
  readonly lines: readonly string[];
  readonly cursorVisible: boolean;
  readonly wraps: boolean;
  readonly row: number;
  readonly column: number;
}

/**
 * Draws output as a terminal would, with the sequences that progress bars and prompts use; every character counts one
 * cell. Throws on a sequence that it does not know, so that a test never passes by overlooking one.
 */
export function drawScreen(output: string, columns: number): Screen {
  const lines: string[][] = [[]];
  const modes = { '25': true, '7': true, '2004': false };
  let row = 0;
  let column = 0;

  const put = (character: string): void => {
    if (column >= columns) {
      if (modes['7']) {
        column = 0;
        row += 1;
      } else column = columns - 1;
    }
    const line = lineAt(lines, row);
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  };

  const control = (parameters: string, final: string): void => {
    const n = Number(parameters || '1');
    if (final === 'm') return;
    if (final === 'A') row = Math.max(0, row - n);
    else if (final === 'B') row += n;
    else if (final === 'C') column = Math.min(columns - 1, column + n);
    else if (final === 'D') column = Math.max(0, column - n);
    else if (final === 'G') column = n - 1;
    else if (final === 'K') eraseInLine(lineAt(lines, row), column, parameters || '0');
    else if (final === 'J') {
      lineAt(lines, row).length = Math.min(lineAt(lines, row).length, column);
      lines.length = Math.min(lines.length, row + 1);
    } else if ((final === 'h' || final === 'l') && parameters.slice(1) in modes) {
      modes[parameters.slice(1) as keyof typeof modes] = final === 'h';
    } else throw new Error(`Unknown control sequence: ${parameters}${final}`);
  };

  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads control characters
  for (const [token, parameters = '', final] of output.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|\u001b?[\s\S]/gu)) {
    if (final) control(parameters, final);
    else if (token === '\r') column = 0;
    else if (token === '\n') {
      row += 1;
      lineAt(lines, row);
    } else if (token === '\b') column = Math.max(0, column - 1);
    else if (token < ' ') {
      if (token !== '\u0007') throw new Error(`Unknown control character: ${JSON.stringify(token)}`);
    } else put(token);
  }

  const texts = lines.map((line) => line.join('').trimEnd());
  while (texts.at(-1) === '') texts.pop();
  return { lines: texts, cursorVisible: modes['25'], wraps: modes['7'], row, column };
}

function lineAt(lines: string[][], row: number): string[] {
  while (lines.length <= row) lines.push([]);
  return lines[row] ?? [];
}

function eraseInLine(line: string[], column: number, how: string): void {
  if (how === '0') line.length = Math.min(line.length, column);
  else if (how === '1') line.fill(' ', 0, column + 1);
  else line.length = 0;
}
