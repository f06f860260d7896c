import type CliProgress from 'cli-progress';
import type { Options, SingleBar } from 'cli-progress';
import { shorten } from '../text/cell-width.ts';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** Progress of one step. `stop` must be called once: it removes the bar. */
export interface Meter<State> {
  update(state: State): void;

  stop(): void;
}

/** Parts of a run, which may be worked on concurrently. */
export interface PartsProgress {
  /** Counts a part as running until `end` is called. */
  begin(): { end(isDone: boolean): void };

  stop(): void;
}

/** Usual time until a report is ready, if no report of the account is known. */
const defaultUsualMs = 60_000;

/** Largest share of a report that is not ready, however long it takes. */
const maxWaitShare = 0.95;

/** Minimum time between two lines. A shorter download gets no line. */
const pauseMs = 10_000;

/** State of a meter. */
interface Reading {
  readonly label: string;

  /** From 0 to 1; `undefined` if the total is not known. */
  readonly share: number | undefined;
  readonly details: string;
}

/** Shows any number of meters. */
interface Display {
  /** @param minMs no line is printed for anything shorter */
  open(read: () => Reading, minMs: number): OpenMeter;
}

interface OpenMeter {
  /** Called after each change. */
  show(): void;

  close(): void;
}

/** Shows a bar if stderr can draw one, otherwise lines, and nothing with `-q`. */
export async function createProgress(
  console: Console,
  { stopwatch }: { readonly stopwatch: () => number },
): Promise<Progress> {
  if (console.isQuiet) return silentProgress;
  if (!console.err.canDraw) return new Progress(new Lines(console, stopwatch), stopwatch);

  const { default: cliProgress } = await import('cli-progress');
  return new Progress(new Bar(console, cliProgress), stopwatch);
}

interface DownloadState {
  readonly bytes: number;

  /** Length of the whole; `undefined` if it is not known. */
  readonly sizeBytes: number | undefined;
  readonly isOver: boolean;
}

/** Shows on stderr what a command waits for. */
export class Progress {
  readonly #display: Display;
  readonly #stopwatch: () => number;

  constructor(display: Display, stopwatch: () => number) {
    this.#display = display;
    this.#stopwatch = stopwatch;
  }

  /**
   * Shows the time waited for a report against the time that reports of the account take, in
   * milliseconds. The state is the status of the report.
   */
  wait(label: string, usualMs = defaultUsualMs): Meter<string> {
    const startedMs = this.#stopwatch();
    return this.#meter('progress', (status) => {
      const waitedMs = this.#stopwatch() - startedMs;
      const share = Math.min(waitedMs / usualMs, maxWaitShare);
      const name = status === 'progress' ? 'waiting' : shorten(printable(status), 40);
      return { label, share, details: `${name}, ${formatSeconds(waitedMs)}` };
    });
  }

  /** Shows bytes received or read; `totalBytes` is 0 if their number is not known. */
  transfer(label: string, totalBytes = 0): Meter<{ readonly bytes: number }> {
    const read = ({ bytes }: { readonly bytes: number }): Reading => {
      if (totalBytes === 0) return { label, share: undefined, details: formatBytes(bytes) };
      const details = `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
      return { label, share: bytes / totalBytes, details };
    };
    return this.#meter({ bytes: 0 }, read, pauseMs);
  }

  /** Returns a function that shows a download from its first bytes on. */
  download(): (state: DownloadState) => void {
    let meter: Meter<{ readonly bytes: number }> | undefined;
    return ({ bytes, sizeBytes, isOver }) => {
      meter ??= this.transfer('Downloading', sizeBytes);
      meter.update({ bytes });
      if (isOver) meter.stop();
    };
  }

  parts(total: number): PartsProgress {
    const counts = { running: 0, done: 0, failed: 0 };
    const meter = this.#meter(counts, ({ running, done, failed }) => {
      const failures = failed > 0 ? `, ${failed} failed` : '';
      const details = `${done} of ${total} done, ${running} running${failures}`;
      return { label: 'Reports', share: (done + failed) / total, details };
    });
    return {
      begin() {
        counts.running += 1;
        meter.update(counts);
        return {
          end(isDone) {
            counts.running -= 1;
            counts[isDone ? 'done' : 'failed'] += 1;
            meter.update(counts);
          },
        };
      },
      stop: () => meter.stop(),
    };
  }

  #meter<State>(first: State, read: (state: State) => Reading, minMs = 0): Meter<State> {
    let state = first;
    const open = this.#display.open(() => read(state), minMs);
    return {
      update(next) {
        state = next;
        open.show();
      },
      stop: () => open.close(),
    };
  }
}

/** Formats whole seconds: a bar is not redrawn for less. */
function formatSeconds(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1_000);
}

const nothing: OpenMeter = { show: () => {}, close: () => {} };

/** Used with `-q`, and for the reports of parts. Those share one meter. */
export const silentProgress: Progress = new Progress({ open: () => nothing }, () => 0);

/** Prints a line when something changes, at most one in 10 s. */
class Lines implements Display {
  readonly #console: Console;
  readonly #stopwatch: () => number;
  #last = '';
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(console: Console, stopwatch: () => number) {
    this.#console = console;
    this.#stopwatch = stopwatch;
  }

  open(read: () => Reading, minMs: number): OpenMeter {
    const firstMs = this.#stopwatch() + minMs;
    const show = (): void => {
      const nowMs = this.#stopwatch();
      const { label, details } = read();
      const line = `${label}: ${details}`;
      if (nowMs < Math.max(firstMs, this.#nextMs) || line === this.#last) return;
      this.#last = line;
      this.#nextMs = nowMs + pauseMs;
      this.#console.note(line);
    };
    return { show, close: () => {} };
  }
}

/** Draws a bar in the last line of the terminal, for the meter opened last. */
class Bar implements Display {
  readonly #console: Console;
  readonly #bar: SingleBar;
  #readings: (() => Reading)[] = [];

  constructor(console: Console, { SingleBar, Format }: typeof CliProgress) {
    const formatLine = (options: Options, width = 80): string => {
      const reading = this.#readings.at(-1)?.();
      if (!reading) return '';

      const { label, share, details } = reading;
      if (share === undefined) return shorten(`${label}  ${details}`, width - 1);
      const bar = Format.BarFormat(share, options);
      return shorten(`${label}  ${bar}  ${Math.floor(share * 100)}%  ${details}`, width - 1);
    };
    this.#console = console;
    this.#bar = new SingleBar({
      stream: console.err.stream,
      format: (options, { maxWidth }) => formatLine(options, maxWidth),
      barsize: 20,
      barCompleteChar: '━',
      barIncompleteChar: '─',
      // Lines of other programs on the same terminal must not be cut.
      linewrap: true,
      clearOnComplete: true,
    });
  }

  /** cli-progress draws ten times a second, if the line has changed: time passes by itself. */
  open(read: () => Reading): OpenMeter {
    this.#readings.push(read);
    if (this.#readings.length === 1) this.#show();

    const close = (): void => {
      if (!this.#readings.includes(read)) return;
      this.#readings = this.#readings.filter((other) => other !== read);
      if (this.#readings.length === 0) this.#hide();
    };
    return { show: () => {}, close };
  }

  #show(): void {
    const log = (line: string): void => {
      this.#bar.stop();
      this.#console.err.stream.write(`${line}\n`);
      this.#bar.start(1, 0);
    };
    this.#console.showBar({ log, clear: () => this.#hide() });
    this.#bar.start(1, 0);
  }

  /** A result on the same terminal hides the bar for good. */
  #hide(): void {
    this.#bar.stop();
    this.#readings = [];
    this.#console.showBar(undefined);
  }
}
