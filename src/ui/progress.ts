import type { MultiBar, Options, SingleBar } from 'cli-progress';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** A value of `--progress`. `auto` is a bar if stderr can draw one. */
export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none';

export interface PartsProgress {
  begin(label: string, report?: string): PartProgress;

  stop(): void;
}

/** Its waits and downloads are shown with its `progress`. */
interface PartProgress {
  readonly progress: Progress;

  end(isDone: boolean): void;
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

interface TransferState {
  readonly bytes: number;
  readonly rows?: number | null;
}

/** A status call, as written by `--progress json`. */
interface StatusEvent extends WaitState {
  readonly event: 'status';
  readonly label: string;
}

/** Progress of a download, as written by `--progress json`. */
interface DownloadEvent {
  readonly event: 'download';
  readonly label: string;
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly rows: number | null;
}

/** Counts of parts, as written by `--progress json`. */
interface PartsEvent {
  readonly event: 'parts';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

type ProgressEvent = StatusEvent | DownloadEvent | PartsEvent;

/** Line of a meter. `stop` gets the last event of a download, which may not have been shown. */
interface Line {
  show(event: ProgressEvent): void;

  stop(last?: ProgressEvent): void;
}

/** Where and how often events are shown. */
interface Display {
  /** Opens the line of a meter. */
  readonly open: (first: ProgressEvent, label: string) => Line;

  /** Returns the progress of a single part. */
  readonly progressOfPart: (label: string) => Progress;

  /** Milliseconds. */
  readonly clock: () => number;

  /** Minimum time between two events of a download. */
  readonly pauseMs: number;

  /** With more saved reports than this, all share one line. */
  readonly maxLines: number;
}

/** Both in milliseconds. */
interface Clocks {
  readonly stopwatch: () => number;
  readonly wallClock: () => number;
}

/** Prints plain lines for `bar` and `auto` if stderr cannot draw. */
export async function createProgress(
  mode: ProgressMode,
  console: Console,
  clocks: Clocks,
): Promise<Progress> {
  if (mode === 'none' || console.isQuiet) return silentProgress;
  if (mode === 'json') return jsonProgress(console, clocks.stopwatch);
  if (mode === 'plain' || !console.err.canDraw) return plainProgress(console, clocks);

  const { default: cliProgress } = await import('cli-progress');
  const bars = new Bars(console, (options) => new cliProgress.MultiBar(options));
  return new Progress({
    open: (first, label) => bars.open(first, label),
    progressOfPart: () => silentProgress,
    clock: () => 0,
    pauseMs: 0,
    maxLines: 10,
  });
}

/**
 * Shows progress on stderr as events: each status call, each part that begins or ends, and
 * downloads at intervals. Any number of meters may run concurrently.
 */
export class Progress {
  readonly #display: Display;

  constructor(display: Display) {
    this.#display = display;
  }

  /** @param reports number of parts of each saved report */
  parts(total: number, reports: ReadonlyMap<string, number> = new Map()): PartsProgress {
    const hasLines = reports.size > 1 && reports.size <= this.#display.maxLines;
    const groups = hasLines ? reports : new Map([['Parts', total]]);
    const labelWidth = Math.max(...[...groups.keys()].map((name) => name.length));
    const counters = new Map<string, PartsCounter>();
    for (const [name, count] of groups) {
      const label = name.padEnd(labelWidth);
      const first: PartsEvent = { event: 'parts', total: count, done: 0, failed: 0, running: 0 };
      counters.set(name, new PartsCounter(count, this.#display.open(first, label)));
    }

    const [anyCounter] = counters.values();
    return {
      begin: (label, report = '') => {
        const counter = counters.get(report) ?? anyCounter;
        counter?.begin();
        const progress = this.#display.progressOfPart(label);
        return { progress, end: (isDone) => counter?.end(isDone) };
      },
      stop: () => {
        for (const counter of counters.values()) counter.stop();
      },
    };
  }

  wait(label: string): Meter<WaitState> {
    const begin = { status: 'progress', waitedMs: 0, polls: 0, nextPollMs: 0 };
    const line = this.#display.open({ event: 'status', label, ...begin }, label);
    return {
      update: ({ status, waitedMs, polls, nextPollMs }) =>
        line.show({
          event: 'status',
          label,
          status,
          waitedMs: Math.round(waitedMs),
          polls,
          nextPollMs: Math.round(nextPollMs),
        }),
      stop: () => line.stop(),
    };
  }

  transfer(label: string, totalBytes = 0): Meter<TransferState> {
    const { open, clock, pauseMs } = this.#display;
    const begin: DownloadEvent = {
      event: 'download',
      label,
      bytes: 0,
      totalBytes: totalBytes || null,
      rows: null,
    };
    const line = open(begin, label);
    let last: DownloadEvent | undefined;
    let lastShownMs = clock();
    return {
      update: ({ bytes, rows = null }) => {
        last = { ...begin, bytes, rows };
        if (clock() - lastShownMs < pauseMs) return;
        lastShownMs = clock();
        line.show(last);
      },
      stop: () => line.stop(last),
    };
  }
}

class PartsCounter {
  readonly #total: number;
  readonly #line: Line;
  #running = 0;
  #done = 0;
  #failed = 0;

  constructor(total: number, line: Line) {
    this.#total = total;
    this.#line = line;
  }

  begin(): void {
    this.#running += 1;
    this.#show();
  }

  end(isDone: boolean): void {
    this.#running -= 1;
    if (isDone) this.#done += 1;
    else this.#failed += 1;
    this.#show();
  }

  stop(): void {
    this.#line.stop();
  }

  #show(): void {
    this.#line.show({
      event: 'parts',
      total: this.#total,
      done: this.#done,
      failed: this.#failed,
      running: this.#running,
    });
  }
}

const silentProgress: Progress = new Progress({
  open: () => ({ show: () => {}, stop: () => {} }),
  progressOfPart: () => silentProgress,
  clock: () => 0,
  pauseMs: 0,
  maxLines: 1,
});

/** @param partLabel replaces the labels of the events */
function jsonProgress(console: Console, clock: () => number, partLabel?: string): Progress {
  const show = (event: ProgressEvent): void => {
    console.event(partLabel === undefined ? event : { ...event, label: partLabel });
  };
  const stop = (last?: ProgressEvent): void => {
    if (last) show(last);
  };
  return new Progress({
    open: () => ({ show, stop }),
    progressOfPart: (label) => jsonProgress(console, clock, label),
    clock,
    pauseMs: 1_000,
    maxLines: 1,
  });
}

/** Prints log lines with the local time: one per change, and at most one every 10 s. */
function plainProgress(console: Console, { stopwatch, wallClock }: Clocks): Progress {
  const pauseMs = 10_000;
  let lastText: string | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const show = (event: ProgressEvent): void => {
    const text = plainText(event);
    if (text === undefined || text === lastText || stopwatch() - lastMs < pauseMs) return;
    lastText = text;
    lastMs = stopwatch();
    const timeOfDay = new Date(wallClock()).toTimeString().slice(0, 8);
    console.note(`${timeOfDay} ${text}`);
  };
  return new Progress({
    open: () => ({ show, stop: () => {} }),
    progressOfPart: () => silentProgress,
    clock: stopwatch,
    pauseMs,
    maxLines: 1,
  });
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

  open(first: ProgressEvent, label: string): Line {
    const bars = this.#bars ?? this.#begin();
    const total = totalOf(first);
    const format = `${cut(label)}  ${this.#formatOf(first, total)}`;
    const bar = bars.create(total ?? 1, 0, { text: '' }, { format });
    this.#count += 1;

    const show = (event: ProgressEvent): void => this.#update(bar, event);
    const stop = (): void => {
      // A result on the terminal has removed all bars.
      if (this.#bars !== bars) return;
      bars.remove(bar);
      this.#count -= 1;
      if (this.#count === 0) this.#clear();
    };
    show(first);
    return { show, stop };
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

  #update(bar: SingleBar, event: ProgressEvent): void {
    switch (event.event) {
      case 'download':
        bar.update(event.bytes, { text: amountsOf(event).join(this.#dot) });
        break;
      case 'parts':
        bar.update(event.done + event.failed, { text: runningText(event) });
        break;
      case 'status': {
        bar.update(0, { text: cut(statusText(event.status)) });
        break;
      }
    }
  }

  /** Formats what follows the label of a bar, for cli-progress. */
  #formatOf({ event }: ProgressEvent, total: number | null): string {
    const dot = this.#dot;
    if (total === null) return `{text}${dot}{duration_formatted}`;
    if (event === 'parts') {
      return `{bar}  {value} of {total}${dot}{text}${dot}{duration_formatted}`;
    }
    return `{bar}  {percentage}%${dot}{text}${dot}{eta_formatted} left`;
  }

  #options(): Options {
    const { stream, showsUnicode, width } = this.#console.err;
    return {
      stream,
      barCompleteChar: showsUnicode ? '━' : '=',
      barIncompleteChar: showsUnicode ? '─' : '-',
      barsize: Math.max(8, Math.min(30, Math.floor(width / 4))),
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
