import type { MultiBar, Options } from 'cli-progress';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural, formatShare } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** What `--progress` says; `auto` is a bar where one can be drawn. */
export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none';

/** How a wait stands after a status call. */
interface WaitState {
  /** The status as the service names it. */
  readonly status: string;
  readonly waitedMs: number;
  /** Status calls made so far. */
  readonly polls: number;
  /** The pause before the next one; 0 while one is being made. */
  readonly nextPollMs: number;
}

/** How a download stands. */
interface TransferState {
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
  /**
   * Called when a part's turn has come; what it waits for is shown through `progress`.
   *
   * @param report the saved report that it is a part of
   */
  begin(label: string, report?: string): { readonly progress: Progress; end(isDone: boolean): void };
  stop(): void;
}

/** What a command is waiting for, shown on stderr. Any number of meters may run at a time. */
export interface Progress {
  /** @param reports how many parts each of several saved reports has */
  parts(total: number, reports?: ReadonlyMap<string, number>): PartsProgress;
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
 * are plain lines.
 */
export async function createProgress({ mode, console, clock }: ProgressOptions): Promise<Progress> {
  if (mode === 'none' || console.isQuiet) return silentProgress;
  if (mode === 'json') return jsonProgress(console, clock);
  if (mode === 'plain' || !console.err.canDraw) return plainProgress(console, clock);
  const { default: cliProgress } = await import('cli-progress');
  return barProgress(console, (options) => new cliProgress.MultiBar(options));
}

/** Counts the parts of a run as they begin and end; `told` hears of each change. */
function countParts(
  part: (label: string) => Progress,
  told = (_done: number, _failed: number, _running: number) => {},
) {
  let [done, failed, running] = [0, 0, 0];
  const begin: PartsProgress['begin'] = (label) => {
    running += 1;
    told(done, failed, running);
    const end = (isDone: boolean): void => {
      running -= 1;
      if (isDone) done += 1;
      else failed += 1;
      told(done, failed, running);
    };
    return { progress: part(label), end };
  };
  return { begin, stop: () => {} };
}

/** The same progress with everything under one label. */
function labelled(progress: Progress, label: string): Progress {
  return {
    parts: progress.parts,
    wait: () => progress.wait(label),
    transfer: (_what, totalBytes) => progress.transfer(label, totalBytes),
  };
}

const silentMeter = { update: () => {}, stop: () => {} };

const silentProgress: Progress = {
  parts: () => countParts(() => silentProgress),
  wait: () => silentMeter,
  transfer: () => silentMeter,
};

const plainPauseMs = 10_000;

/** Progress as lines for a log: one when something has changed, at most one every 10 s whatever it is about. */
function plainProgress(console: Console, clock: () => number): Progress {
  let said: { readonly atMs: number; readonly text: string } | undefined;
  const say = (text: string): void => {
    const nowMs = clock();
    if (said && (nowMs - said.atMs < plainPauseMs || said.text === text)) return;
    said = { atMs: nowMs, text };
    console.note(text);
  };
  return {
    parts: (total) =>
      countParts(
        () => silentProgress,
        (done, failed, running) => {
          if (running === 0) return;
          say(`Parts: ${done} of ${total} done, ${running} running${failed > 0 ? `, ${failed} failed` : ''}`);
        },
      ),
    wait: (label) => ({
      ...silentMeter,
      update: ({ status, waitedMs, polls }) => {
        if (polls > 0) say(`${label}: ${status}, ${formatDuration(waitedMs)}, ${formatPlural(polls, 'poll')}`);
      },
    }),
    transfer: (label, totalBytes) => {
      const startedMs = clock();
      return {
        ...silentMeter,
        update: (state) => {
          // Most downloads end sooner, and the command reports their end.
          if (clock() - startedMs >= plainPauseMs) say(`${label}: ${amounts(state, totalBytes).join(', ')}`);
        },
      };
    },
  };
}

function amounts({ bytes, rows }: TransferState, totalBytes: number | undefined): string[] {
  const amount = totalBytes === undefined ? formatBytes(bytes) : formatShare(bytes, totalBytes);
  return rows === undefined ? [amount] : [amount, formatPlural(rows, 'row')];
}

const jsonPauseMs = 1_000;

/**
 * Progress as JSON lines on stderr: `{"event":"status","label","status","waitedMs","polls","nextPollMs"}` for every
 * status call, and `{"event":"download","label","bytes","totalBytes","rows"}` at most once a second and at the end;
 * of a run of many parts `{"event":"parts","total","done","failed","running"}` whenever one begins or ends.
 */
function jsonProgress(console: Console, clock: () => number): Progress {
  const events: Progress = {
    parts: (total) =>
      countParts(
        (label) => labelled(events, label),
        (done, failed, running) => console.event({ event: 'parts', total, done, failed, running }),
      ),
    wait: (label) => ({
      ...silentMeter,
      update: ({ status, waitedMs, polls, nextPollMs }) => {
        const times = { waitedMs: Math.round(waitedMs), polls, nextPollMs: Math.round(nextPollMs) };
        console.event({ event: 'status', label, status, ...times });
      },
    }),
    transfer: (label, totalBytes) => {
      let pending: object | undefined;
      let saidAtMs = Number.NEGATIVE_INFINITY;
      const flush = (): void => {
        if (pending) console.event(pending);
        pending = undefined;
        saidAtMs = clock();
      };
      return {
        update: ({ bytes, rows }) => {
          pending = { event: 'download', label, bytes, totalBytes: totalBytes ?? null, rows: rows ?? null };
          if (clock() - saidAtMs >= jsonPauseMs) flush();
        },
        stop: flush,
      };
    },
  };
  return events;
}

/** More parts than this have one bar together. */
const barsAtMost = 10;
/** Longer labels and status words are cut. */
const textAtMost = 40;

/** Progress as bars at the bottom of the terminal, which is as it was once the last one is gone. */
function barProgress(console: Console, open: (options: Options) => MultiBar): Progress {
  const { stream, showsUnicode } = console.err;
  const dot = showsUnicode ? ' · ' : ' - ';
  const options: Options = {
    stream,
    barCompleteChar: showsUnicode ? '━' : '=',
    barIncompleteChar: showsUnicode ? '─' : '-',
    barsize: Math.max(8, Math.min(30, Math.floor(console.err.columns / 4))),
    // Lines above the bars are wrapped by the terminal, and cli-progress cuts the bars itself.
    linewrap: true,
    hideCursor: true,
    clearOnComplete: true,
    // A line that is written above the bars moves each of them down, those too that have not changed.
    forceRedraw: true,
    formatTime: (seconds) => (Number.isFinite(seconds) ? formatDuration(seconds * 1_000) : '–'),
  };
  let shown: { readonly bars: MultiBar; count: number } | undefined;

  const clear = (): void => {
    shown?.bars.stop();
    shown = undefined;
    console.showBars(undefined);
    process.off('exit', clear);
  };
  const log = (line: string): void => {
    // What is left of a bar that stood there is erased.
    shown?.bars.log(`${line.replaceAll('\n', '\u001b[K\n')}\u001b[K\n`);
    shown?.bars.update();
  };
  const add = (format: string, total: number, payload: { readonly [name: string]: string }) => {
    if (!shown) {
      shown = { bars: open(options), count: 0 };
      console.showBars({ log, clear });
      // The program may end in the middle of a wait, and the terminal must be itself again then as well.
      process.once('exit', clear);
    }
    const mine = shown;
    const bar = mine.bars.create(total, 0, { ...payload }, { format });
    mine.count += 1;
    const stop = (): void => {
      mine.count -= 1;
      if (shown !== mine) return;
      mine.bars.remove(bar);
      if (mine.count === 0) clear();
    };
    return { bar, stop };
  };
  const cut = (text: string): string => printable(text).slice(0, textAtMost);

  /** A bar for each of several groups of parts, from the first part of any to the end of all. */
  const groupBars = (groups: readonly (readonly [name: string, total: number])[]): PartsProgress => {
    const width = Math.max(...groups.map(([name]) => cut(name).length));
    const bars = groups.map(([name, total]) => {
      const payload = { label: cut(name).padEnd(width), state: 'waiting' };
      return { name, done: 0, ...add(`{label}  {bar}  {value} of {total}${dot}{state}`, total, payload) };
    });
    return {
      begin(label, report) {
        const mine = bars.find(({ name }) => name === report) ?? bars[0];
        const tell = (state: string): void => mine?.bar.update(mine.done, { state });
        const progress: Progress = {
          ...silentProgress,
          wait: () => ({ ...silentMeter, update: ({ status }) => tell(cut(status)) }),
          transfer: (_what, size) => ({ ...silentMeter, update: (state) => tell(amounts(state, size).join(dot)) }),
        };
        const end = (isDone: boolean): void => {
          if (mine) mine.done += 1;
          tell(isDone ? 'done' : `${cut(label)} failed`);
        };
        return { progress, end };
      },
      stop: () => {
        for (const { stop } of bars) stop();
      },
    };
  };

  const progress: Progress = {
    parts: (total, reports = new Map()) => {
      if (reports.size > 1 && reports.size <= barsAtMost) return groupBars([...reports]);
      return total > barsAtMost ? groupBars([['Parts', total]]) : countParts((label) => labelled(progress, label));
    },
    wait: (label) => {
      const payload = { label: cut(label), status: '', polls: '' };
      const { bar, stop } = add('{label}  {status}{duration_formatted}{polls}', 1, payload);
      const update = ({ status, polls }: WaitState): void =>
        bar.update(0, { status: `${cut(status)}${dot}`, polls: `${dot}${formatPlural(polls, 'poll')}` });
      return { update, stop };
    },
    transfer: (label, totalBytes) => {
      const share = totalBytes ? `{bar}  {percentage} %${dot}` : '';
      const time = totalBytes ? '{eta_formatted} left' : '{duration_formatted}';
      const payload = { label: cut(label), amounts: '0 B' };
      const { bar, stop } = add(`{label}  ${share}{amounts}${dot}${time}`, totalBytes || 1, payload);
      const update = (state: TransferState): void =>
        bar.update(state.bytes, { amounts: amounts(state, totalBytes || undefined).join(dot) });
      return { update, stop };
    },
  };
  return progress;
}
