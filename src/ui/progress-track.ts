import type { Style } from './style.ts';

/** What a frame is drawn with. */
export interface Canvas {
  readonly columns: number;
  readonly style: Style;
  readonly showsUnicode: boolean;
}

const braille = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const strokes = [...'-\\|/'];

/** What turns at the left of a line, to show that the program lives. */
export function spinnerAt(elapsedMs: number, showsUnicode: boolean): string {
  const turns = showsUnicode ? braille : strokes;
  return turns[Math.floor(elapsedMs / 100) % turns.length] ?? '';
}

const cellsPerSecond = 15;

/** A segment that runs to and fro. */
export function drawRunning(cells: number, elapsedMs: number, canvas: Canvas): string {
  const segment = Math.max(2, Math.round(cells / 4));
  const span = cells - segment;
  const step = Math.floor((elapsedMs / 1_000) * cellsPerSecond) % (2 * span);
  const before = step <= span ? step : 2 * span - step;
  return rail(before, canvas) + canvas.style.cyan(heavy(canvas).repeat(segment)) + rail(span - before, canvas);
}

/** A track filled to a share (0 to 1) of its cells. */
export function drawShare(cells: number, share: number, canvas: Canvas): string {
  const done = Math.floor(Math.min(1, share) * cells);
  return canvas.style.green(heavy(canvas).repeat(done)) + rail(cells - done, canvas);
}

// The two weights differ without colour too.
function heavy({ showsUnicode }: Canvas): string {
  return showsUnicode ? '━' : '=';
}

function rail(cells: number, { showsUnicode, style }: Canvas): string {
  return cells === 0 ? '' : style.dim((showsUnicode ? '─' : '-').repeat(cells));
}
