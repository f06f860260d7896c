import type { MultiBar, Options } from 'cli-progress';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Console } from './console.ts';

export interface PartsProgress {
  /** Waits and downloads of the part are shown with its `progress`. */
  begin(label: string): { readonly progress: Progress; end(isDone: boolean): void };

  stop(): void;
}

/** `stop` must be called once; it removes the display from a terminal. */
interface Meter<State> {
  update(state: State): void;

  stop(): void;
}

/** State of a wait after a status call. `nextPollMs` is 0 during a call. */
interface WaitState {
  readonly status: string;
  readonly waitedMs: number;
  readonly polls: number;
  readonly nextPollMs: number;
}

interface StatusEvent extends WaitState {
  readonly event: 'status';
  readonly label: string;
}

interface DownloadEvent {
  readonly event: 'download';
  readonly label: string;
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly rows: number | null;
}

interface PartsEvent {
  readonly event: 'parts';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

type ProgressEvent = StatusEvent | DownloadEvent | PartsEvent;

/** Shows the events of a meter. */
type Line = Meter<ProgressEvent>;

interface Display {
  open(first: ProgressEvent): Line;

  /** Returns the progress of a single part. */
  progressOfPart(label: string): Progress;
}

/** Both in milliseconds. */
interface Clocks {
  readonly stopwatch: () => number;
  readonly wallClock: () => number;
}

/** Shows bars if stderr can draw them, otherwise lines, and nothing with `-q`. */
export async function createProgress(console: Console, clocks: Clocks): Promise<Progress> {
  if (console.isQuiet) return silentProgress;
  if (!console.err.canDraw) return plainProgress(console, clocks);

  const { default: cliProgress } = await import('cli-progress');
  const bars = new Bars(console, (options) => new cliProgress.MultiBar(options));
  return new Progress({ open: (first) => bars.open(first), progressOfPart: () => silentProgress });
}

/**
 * Shows progress on stderr: each status call, each part that begins or ends, and downloads at
 * intervals. Any number of meters may run concurrently.
 */
export class Progress {
  readonly #display: Display;

  constructor(display: Display) {
    this.#display = display;
  }

  parts(total: number): PartsProgress {
    let [done, failed, running] = [0, 0, 0];
    const counts = (): PartsEvent => ({ event: 'parts', total, done, failed, running });
    const line = this.#display.open(counts());
    return {
      begin: (label) => {
        running += 1;
        line.update(counts());
        return {
          progress: this.#display.progressOfPart(label),
          end: (isDone) => {
            running -= 1;
            if (isDone) done += 1;
            else failed += 1;
            line.update(counts());
          },
        };
      },
      stop: () => line.stop(),
    };
  }

  wait(label: string): Meter<WaitState> {
    const first: StatusEvent = {
      event: 'status',
      label,
      status: 'progress',
      waitedMs: 0,
      polls: 0,
      nextPollMs: 0,
    };
    const line = this.#display.open(first);
    return {
      update: ({ status, waitedMs, polls, nextPollMs }) => {
        const times = { waitedMs: Math.round(waitedMs), nextPollMs: Math.round(nextPollMs) };
        line.update({ ...first, status, polls, ...times });
      },
      stop: () => line.stop(),
    };
  }

  transfer(label: string, totalBytes = 0): Meter<{ bytes: number; rows?: number | null }> {
    const first: DownloadEvent = {
      event: 'download',
      label,
      bytes: 0,
      totalBytes: totalBytes || null,
      rows: null,
    };
    const line = this.#display.open(first);
    return {
      update: ({ bytes, rows = null }) => line.update({ ...first, bytes, rows }),
      stop: () => line.stop(),
    };
  }
}

const silentProgress: Progress = new Progress({
  open: () => ({ update: () => {}, stop: () => {} }),
  progressOfPart: () => silentProgress,
});

/**
 * Prints log lines with the local time: one per change, at most one every 10 s, and none for a
 * shorter download.
 */
function plainProgress(console: Console, { stopwatch, wallClock }: Clocks): Progress {
  const pauseMs = 10_000;
  let lastText: string | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const print = (event: ProgressEvent): void => {
    const text = plainText(event);
    if (text === undefined || text === lastText || stopwatch() - lastMs < pauseMs) return;
    lastText = text;
    lastMs = stopwatch();
    const timeOfDay = new Date(wallClock()).toTimeString().slice(0, 8);
    console.note(`${timeOfDay} ${text}`);
  };

  const open = ({ event }: ProgressEvent): Line => {
    const firstMs = event === 'download' ? stopwatch() + pauseMs : 0;
    return {
      update: (state) => {
        if (stopwatch() >= firstMs) print(state);
      },
      stop: () => {},
    };
  };
  return new Progress({ open, progressOfPart: () => silentProgress });
}

/** Formats an event as a log line; `undefined` if there is nothing to report yet. */
function plainText(event: ProgressEvent): string | undefined {
  switch (event.event) {
    case 'download':
      return `${event.label}: ${amountsOf(event).join(', ')}`;
    case 'status': {
      const { label, status, waitedMs, polls } = event;
      if (polls === 0) return undefined;
      if (polls === 1 && status === 'progress') return `${label} requested, waiting`;
      return `${label}: ${statusText(status)}, ${formatDuration(waitedMs)}`;
    }
    case 'parts': {
      const { total, done, running } = event;
      if (running === 0) return undefined;
      return `Reports: ${done} of ${total} done, ${runningText(event)}`;
    }
  }
}

function statusText(status: string): string {
  return status === 'progress' ? 'waiting for the service' : status;
}

function amountsOf({ bytes, rows, totalBytes }: DownloadEvent): string[] {
  const of = totalBytes ? ` of ${formatBytes(totalBytes)}` : '';
  const amounts = [`${formatBytes(bytes)}${of}`];
  if (rows !== null) amounts.push(formatPlural(rows, 'row'));
  return amounts;
}

function runningText({ running, failed }: PartsEvent): string {
  return failed > 0 ? `${running} running, ${failed} failed` : `${running} running`;
}

/** Bars at the bottom of the terminal. The last one restores the terminal when it stops. */
class Bars {
  readonly #console: Console;
  readonly #openBars: (options: Options) => MultiBar;

  /** Separates the texts of a bar. */
  readonly #dot: string;
  #bars: MultiBar | undefined;
  #count = 0;

  constructor(console: Console, openBars: (options: Options) => MultiBar) {
    this.#console = console;
    this.#openBars = openBars;
    this.#dot = console.err.showsUnicode ? ' · ' : ' - ';
  }

  open(first: ProgressEvent): Line {
    const bars = this.#bars ?? this.#begin();
    const total = totalOf(first);
    const bar = bars.create(total ?? 1, 0, { text: '' }, { format: this.#formatOf(first, total) });
    this.#count += 1;

    const update = (event: ProgressEvent): void => {
      const [value, text] = this.#stateOf(event);
      bar.update(value, { text });
    };
    const stop = (): void => {
      // A result on the terminal has removed all bars.
      if (this.#bars !== bars) return;
      bars.remove(bar);
      this.#count -= 1;
      if (this.#count === 0) this.#clear();
    };
    update(first);
    return { update, stop };
  }

  #begin(): MultiBar {
    this.#bars = this.#openBars(this.#options());
    this.#count = 0;
    this.#console.showBars({ log: (line) => this.#log(line), clear: this.#clear });
    // Restores the terminal if the program ends during a wait.
    process.once('exit', this.#clear);
    return this.#bars;
  }

  readonly #clear = (): void => {
    this.#bars?.stop();
    this.#bars = undefined;
    this.#console.showBars(undefined);
    process.off('exit', this.#clear);
  };

  #log(line: string): void {
    // The escape sequence erases the rest of a bar on the same line.
    this.#bars?.log(`${line.replaceAll('\n', '\u001b[K\n')}\u001b[K\n`);
    this.#bars?.update();
  }

  #stateOf(event: ProgressEvent): [value: number, text: string] {
    switch (event.event) {
      case 'download':
        return [event.bytes, amountsOf(event).join(this.#dot)];
      case 'parts':
        return [event.done + event.failed, runningText(event)];
      case 'status':
        return [0, cut(statusText(event.status))];
    }
  }

  /** Formats a bar for cli-progress. */
  #formatOf(event: ProgressEvent, total: number | null): string {
    const dot = this.#dot;
    if (event.event === 'parts') {
      return `Parts  {bar}  {value} of {total}${dot}{text}${dot}{duration_formatted}`;
    }
    const label = cut(event.label);
    if (total === null) return `${label}  {text}${dot}{duration_formatted}`;
    return `${label}  {bar}  {percentage}%${dot}{text}${dot}{eta_formatted} left`;
  }

  #options(): Options {
    const { stream, showsUnicode } = this.#console.err;
    return {
      stream,
      barCompleteChar: showsUnicode ? '━' : '=',
      barIncompleteChar: showsUnicode ? '─' : '-',
      barsize: 20,
      // The terminal wraps lines above the bars; cli-progress cuts the bars themselves.
      linewrap: true,
      hideCursor: true,
      clearOnComplete: true,
      // A line above the bars moves all of them, including unchanged ones.
      forceRedraw: true,
      formatTime: (seconds) => (Number.isFinite(seconds) ? formatDuration(seconds * 1_000) : '–'),
    };
  }
}

/** Returns `null` if the total is unknown. */
function totalOf(event: ProgressEvent): number | null {
  if (event.event === 'parts') return event.total;
  return event.event === 'download' ? event.totalBytes : null;
}

function cut(text: string): string {
  return printable(text).slice(0, 40);
}
