import type { MultiBar } from 'cli-progress';
import type { Console } from './console.ts';
import { silentProgress } from './progress-parts.ts';
import type { Canvas } from './progress-track.ts';

/** What `--progress` says; `auto` is a bar where one can be drawn. */
export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none';

/** How a wait stands after a status call. */
export interface WaitState {
  /** The service's word, printable. */
  readonly status: string;
  readonly waitedMs: number;
  /** Status calls made so far. */
  readonly polls: number;
  /** The pause before the next one; 0 while one is being made. */
  readonly nextPollMs: number;
}

/** How a download stands. */
export interface TransferState {
  readonly bytes: number;
  readonly rows?: number;
}

/** One thing that is being shown, until `stop` is called, once: then nothing is left of it on a terminal. */
interface Meter<State> {
  update(state: State): void;
  stop(): void;
}

/** Many reports that are fetched side by side. */
export interface PartsProgress {
  /** Called when a part's turn has come; what it waits for is shown through `progress`. */
  begin(label: string): { readonly progress: Progress; end(isDone: boolean): void };
  stop(): void;
}

/** What a command is waiting for, shown on stderr. Any number of meters may run at a time. */
export interface Progress {
  parts(total: number): PartsProgress;
  wait(label: string): Meter<WaitState>;
  transfer(label: string, totalBytes?: number): Meter<TransferState>;
}

export interface ProgressOptions {
  readonly mode: ProgressMode;
  readonly console: Console;
  /** Milliseconds that never run backwards. */
  readonly clock: () => number;
}

/**
 * Progress in the given mode. A bar is drawn only where stderr is a terminal that can draw; elsewhere `bar` and `auto`
 * are plain lines. cli-progress is loaded only for a bar.
 */
export async function createProgress({ mode, console, clock }: ProgressOptions): Promise<Progress> {
  if (mode === 'none' || console.isQuiet) return silentProgress;
  if (console.err.canDraw && (mode === 'auto' || mode === 'bar')) {
    const [{ createBars }, stack] = await Promise.all([import('./progress-bars.ts'), createBarStack(console)]);
    return createBars(stack, clock);
  }
  const { createPlainProgress, createJsonProgress } = await import('./progress-log.ts');
  return mode === 'json' ? createJsonProgress(console, clock) : createPlainProgress(console, clock);
}

/** Bars below each other at the bottom of the terminal; the terminal is as it was once the last one is gone. */
export interface BarStack {
  /** Adds a bar, drawn anew for each frame; returns the function that removes it, which is called once. */
  add(draw: (canvas: Canvas) => string): () => void;
}

async function createBarStack(console: Console): Promise<BarStack> {
  // CommonJS: bundled and split, its members are on the default export alone.
  const { default: cliProgress } = await import('cli-progress');
  const { stream, style, showsUnicode } = console.err;
  let shown: ShownBars | undefined;
  let count = 0;

  const format = (draw: (canvas: Canvas) => string) => (): string => {
    const columns = Math.min(console.err.columns, stream.columns || Number.POSITIVE_INFINITY);
    return draw({ columns, style, showsUnicode });
  };

  return {
    add(draw) {
      shown ??= showBars(cliProgress.MultiBar, console, () => count);
      const { bars, close } = shown;
      const bar = bars.create(1, 0, {}, { format: format(draw) });
      // With its first bar cli-progress has lines cut for good.
      stream.write(wrapLines);
      count += 1;
      return () => {
        count -= 1;
        if (count > 0) {
          bars.remove(bar);
          // `remove` leaves the cursor below the last bar.
          bars.update();
        } else {
          close();
          shown = undefined;
        }
      };
    },
  };
}

interface ShownBars {
  readonly bars: MultiBar;
  /** Removes every bar, and gives the terminal back. */
  close(): void;
}

const showCursor = '\u001b[?25h';
const wrapLines = '\u001b[?7h';
const cutLines = '\u001b[?7l';
const clearBelow = '\u001b[J';

function showBars(Bars: typeof MultiBar, console: Console, count: () => number): ShownBars {
  const { stream } = console.err;
  // The overlay erases bars, which cli-progress cannot know: hence `forceRedraw`.
  const bars = new Bars({ stream, fps: 12, hideCursor: true, clearOnComplete: true, forceRedraw: true });
  let lines = 0;
  // Bars are cut at the edge; what another program writes meanwhile (`run … | jq`) is not, so only while they are drawn.
  bars.on('redraw-pre', () => stream.write(cutLines));
  bars.on('redraw-post', () => {
    stream.write(wrapLines);
    lines = count();
  });

  // A line written by someone else goes where the first bar is, and the bars move down.
  const hide = (): void => void stream.write(`\r${lines > 1 ? `\u001b[${lines - 1}A` : ''}${clearBelow}${wrapLines}`);
  const show = (): void => {
    stream.write('\n'.repeat(Math.max(0, lines - 1)));
    bars.update();
  };
  const detach = console.attach({ hide, show });

  // The program may end in the middle of a wait, and the terminal must be itself again then as well.
  const restore = (): void => {
    hide();
    stream.write(showCursor);
  };
  process.once('exit', restore);

  return {
    bars,
    close() {
      detach();
      bars.stop();
      process.off('exit', restore);
    },
  };
}
