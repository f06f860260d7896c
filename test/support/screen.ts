/**
 * Draws the screen of a terminal after some output: lines without trailing blanks, cursor position,
 * and modes. Every character is one cell wide. Supports the sequences of progress bars and prompts,
 * and throws for others, so that no test overlooks one.
 */
export function drawScreen(output: string, columns: number) {
  const lines: string[][] = [];
  const modes = { '25': true, '7': true, '2004': false };
  let [row, column] = [0, 0];
  let saved = { row, column };
  const lineAt = (index: number): string[] => {
    while (lines.length <= index) lines.push([]);
    return lines[index] ?? [];
  };

  const put = (character: string): void => {
    if (column >= columns && modes['7']) [row, column] = [row + 1, 0];
    const line = lineAt(row);
    column = Math.min(column, columns - 1);
    while (line.length < column) line.push(' ');
    line[column] = character;
    column += 1;
  };

  const control = (parameters: string, final: string): void => {
    const n = Number(parameters || '1');
    const line = lineAt(row);
    if (final === 'm') return;
    if (final === 'A') row = Math.max(0, row - n);
    else if (final === 'B') row += n;
    else if (final === 'C') column = Math.min(columns - 1, column + n);
    else if (final === 'D') column = Math.max(0, column - n);
    else if (final === 'G') column = n - 1;
    else if (final === 'K' && parameters === '1') line.fill(' ', 0, column + 1);
    else if (final === 'K') line.length = parameters === '2' ? 0 : Math.min(line.length, column);
    else if (final === 'J') {
      line.length = Math.min(line.length, column);
      lines.length = row + 1;
    } else if ((final === 'h' || final === 'l') && parameters.slice(1) in modes) {
      modes[parameters.slice(1) as keyof typeof modes] = final === 'h';
    } else throw new Error(`Unknown control sequence: ${parameters}${final}`);
  };

  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads control characters
  const tokens = output.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|\u001b?[\s\S]/gu);
  for (const [token, parameters = '', final] of tokens) {
    if (final) control(parameters, final);
    else if (token === '\r') column = 0;
    else if (token === '\n') lineAt(++row);
    else if (token === '\u001b7') saved = { row, column };
    else if (token === '\u001b8') ({ row, column } = saved);
    else if (token === '\b') column = Math.max(0, column - 1);
    else if (token >= ' ') put(token);
    else if (token !== '\u0007')
      throw new Error(`Unknown control character: ${JSON.stringify(token)}`);
  }

  const texts = lines.map((line) => line.join('').trimEnd());
  while (texts.at(-1) === '') texts.pop();
  return { lines: texts, cursorVisible: modes['25'], wraps: modes['7'], row, column };
}
