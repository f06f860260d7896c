import type CliProgress from 'cli-progress';
import type { Options, SingleBar } from 'cli-progress';
import { shorten } from '../text/cell-width.ts';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** Progress of one step. */
export interface Meter<State> {
  update(state: State): void;

  /** Removes the bar. Call it exactly once. */
  stop(): void;
}

/** Parts of a run, which may run concurrently. */
export interface PartsProgress {
  /** Starts a part, which counts as running until `end` is called. */
  begin(): { end(isDone: boolean): void };

  stop(): void;
}

/** Usual time until a report is ready, for an account without earlier reports. */
const defaultTypicalMs = 60_000;

/** Maximum share while a report is not ready, however long it takes. */
const maxWaitShare = 0.95;

/** Minimum time between lines, and before the first line of a download. */
const minIntervalMs = 10_000;

/** State of a meter. */
interface Reading {
  readonly label: string;

  /** From 0 to 1, or `undefined` if the total is not known. */
  readonly share: number | undefined;
  readonly details: string;
}

/** Shows any number of meters. */
interface Display {
  /** @param minMs time before the first line */
  open(read: () => Reading, minMs: number): OpenMeter;
}

interface OpenMeter {
  /** Called after each change. */
  show(): void;

  close(): void;
}

/** Shows a bar on a terminal, otherwise lines, and nothing with `-q`. */
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

  /** Size of the whole report, or `undefined` if unknown. */
  readonly sizeBytes: number | undefined;
  readonly isOver: boolean;
}

/** Shows on stderr what a command is waiting for. */
export class Progress {
  readonly #display: Display;
  readonly #stopwatch: () => number;

  constructor(display: Display, stopwatch: () => number) {
    this.#display = display;
    this.#stopwatch = stopwatch;
  }

  /**
   * Shows how long a report has taken so far, relative to the usual time of the account's reports.
   * The state is the status of the report.
   */
  wait(label: string, typicalMs = defaultTypicalMs): Meter<string> {
    const startedMs = this.#stopwatch();
    return this.#meter('progress', (status) => {
      const waitedMs = this.#stopwatch() - startedMs;
      const share = Math.min(waitedMs / typicalMs, maxWaitShare);
      const name = status === 'progress' ? 'waiting' : shorten(printable(status), 40);
      return { label, share, details: `${name}, ${formatSeconds(waitedMs)}` };
    });
  }

  /** Returns a function that shows the progress of a download. */
  download(): (state: DownloadState) => void {
    const label = 'Downloading';
    const read = ({ bytes, sizeBytes }: DownloadState): Reading => {
      if (!sizeBytes) return { label, share: undefined, details: formatBytes(bytes) };
      const details = `${formatBytes(bytes)} of ${formatBytes(sizeBytes)}`;
      return { label, share: bytes / sizeBytes, details };
    };
    let meter: Meter<DownloadState> | undefined;
    return (state) => {
      meter ??= this.#meter(state, read, minIntervalMs);
      meter.update(state);
      if (state.isOver) meter.stop();
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

/** Formats whole seconds, so that the bar is redrawn once a second. */
function formatSeconds(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1_000);
  return seconds < 10 ? `${seconds} s` : formatDuration(seconds * 1_000);
}

const silentMeter: OpenMeter = { show: () => {}, close: () => {} };

/** Progress with `-q`, and for the reports of parts, which share one meter. */
export const silentProgress: Progress = new Progress({ open: () => silentMeter }, () => 0);

/** Prints a line when something changes, at most every 10 s. */
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
      this.#nextMs = nowMs + minIntervalMs;
      this.#console.note(line);
    };
    return { show, close: () => {} };
  }
}

/** Draws a bar in the last line of the terminal, for the latest meter. */
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
      // Otherwise lines of other programs on the same terminal would be cut.
      linewrap: true,
      clearOnComplete: true,
    });
  }

  /** Opens a meter. cli-progress redraws the bar ten times a second if its line has changed. */
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

  /** Removes the bar. It is not drawn again. */
  #hide(): void {
    this.#bar.stop();
    this.#readings = [];
    this.#console.showBar(undefined);
  }
}
