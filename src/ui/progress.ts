import type { MultiBar, Options } from 'cli-progress';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural, formatShare } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** What `--progress` says; `auto` is a bar where one can be drawn. */
export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none';

/** How a wait stands after a status call; the pause before the next one is 0 while one is being made. */
type WaitState = { status: string; waitedMs: number; polls: number; nextPollMs: number };

/** How a download stands. */
type TransferState = { bytes: number; rows?: number | null; totalBytes?: number | null | undefined };

/** One thing that is being shown, until `stop` is called, once: then nothing is left of it on a terminal. */
type Meter<State> = { update(state: State): void; stop(): void };

/** Many reports that are fetched side by side. What a part waits for is shown through the `progress` that `begin` gives. */
export interface PartsProgress {
  /** @param report the saved report that it is a part of */
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

/**
 * Progress in the given mode. Where stderr is no terminal that can draw, `bar` and `auto` are plain lines.
 *
 * @param clock milliseconds that never run backwards
 */
export async function createProgress(mode: ProgressMode, console: Console, clock: () => number): Promise<Progress> {
  if (mode === 'none' || console.isQuiet) return silentProgress;
  if (mode === 'json') return jsonProgress(console, clock);
  if (mode === 'plain' || !console.err.canDraw) return plainProgress(console, clock);
  const { default: cliProgress } = await import('cli-progress');
  return barProgress(console, (options) => new cliProgress.MultiBar(options));
}

const ignore = () => {};

/** What is told in modes without bars, as `--progress json` writes it. */
type ProgressEvent =
  | ({ event: 'status'; label: string } & WaitState)
  | ({ event: 'download'; label: string } & Required<TransferState>)
  | { event: 'parts'; total: number; done: number; failed: number; running: number };

/**
 * Progress that is told as events: every status call, every part that begins or ends, and downloads.
 *
 * @param pauseMs between two events of one download
 * @param part the progress of what one part waits for
 */
function eventProgress(
  tell: (event: ProgressEvent, isEnd?: boolean) => void,
  clock: () => number,
  pauseMs: number,
  part: (label: string) => Progress,
): Progress {
  return {
    parts: (total) => {
      const counts = { done: 0, failed: 0, running: 0 };
      return {
        begin: (label) => {
          counts.running += 1;
          tell({ event: 'parts', total, ...counts });
          const end = (isDone: boolean): void => {
            counts.running -= 1;
            counts[isDone ? 'done' : 'failed'] += 1;
            tell({ event: 'parts', total, ...counts });
          };
          return { progress: part(label), end };
        },
        stop: ignore,
      };
    },
    wait: (label) => ({
      update: ({ status, waitedMs, polls, nextPollMs }) => {
        const times = { waitedMs: Math.round(waitedMs), polls, nextPollMs: Math.round(nextPollMs) };
        tell({ event: 'status', label, status, ...times });
      },
      stop: ignore,
    }),
    transfer: (label, totalBytes = 0) => {
      let event: ProgressEvent | undefined;
      let toldAtMs = clock();
      return {
        update: ({ bytes, rows = null }) => {
          event = { event: 'download', label, bytes, totalBytes: totalBytes || null, rows };
          if (clock() - toldAtMs < pauseMs) return;
          toldAtMs = clock();
          tell(event);
        },
        stop: () => {
          if (event) tell(event, true);
        },
      };
    },
  };
}

const silentProgress: Progress = eventProgress(ignore, Date.now, 0, () => silentProgress);

function jsonProgress(console: Console, clock: () => number, ownLabel?: string): Progress {
  const tell = (event: ProgressEvent): void => console.event(ownLabel ? { ...event, label: ownLabel } : event);
  return eventProgress(tell, clock, 1_000, (label) => jsonProgress(console, clock, label));
}

const plainPauseMs = 10_000;

/** Progress as lines for a log: one when something has changed, at most one every 10 s whatever it is about. */
function plainProgress(console: Console, clock: () => number): Progress {
  let said: { readonly atMs: number; readonly text: string } | undefined;
  const tell = (event: ProgressEvent, isEnd = false): void => {
    const text = isEnd ? undefined : plainText(event);
    if (text === undefined || (said && (clock() - said.atMs < plainPauseMs || said.text === text))) return;
    said = { atMs: clock(), text };
    console.note(text);
  };
  return eventProgress(tell, clock, plainPauseMs, () => silentProgress);
}

function plainText(event: ProgressEvent): string | undefined {
  if (event.event === 'download') return `${event.label}: ${amounts(event).join(', ')}`;
  if (event.event === 'status') {
    const { label, status, waitedMs, polls } = event;
    return polls === 0 ? undefined : `${label}: ${status}, ${formatDuration(waitedMs)}, ${formatPlural(polls, 'poll')}`;
  }
  const { total, done, failed, running } = event;
  if (running === 0) return undefined;
  return `Parts: ${done} of ${total} done, ${running} running${failed > 0 ? `, ${failed} failed` : ''}`;
}

function amounts({ bytes, rows, totalBytes }: TransferState): string[] {
  const amount = totalBytes ? formatShare(bytes, totalBytes) : formatBytes(bytes);
  return typeof rows === 'number' ? [amount, formatPlural(rows, 'row')] : [amount];
}

/** More saved reports than this have one bar together. */
const barsAtMost = 10;

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
  const cut = (text: string): string => printable(text).slice(0, 40);
  /** A bar, whose `update` takes its value and the text beside it. */
  const add = (label: string, format: string, total: number, text: string) => {
    if (!shown) {
      shown = { bars: open(options), count: 0 };
      console.showBars({ log, clear });
      // The program may end in the middle of a wait, and the terminal must be itself again then as well.
      process.once('exit', clear);
    }
    const mine = shown;
    const bar = mine.bars.create(total, 0, { text }, { format: `${cut(label)}  ${format}` });
    mine.count += 1;
    return {
      update: (value: number, text: string): void => bar.update(value, { text }),
      stop: (): void => {
        mine.count -= 1;
        if (shown !== mine) return;
        mine.bars.remove(bar);
        if (mine.count === 0) clear();
      },
    };
  };

  return {
    parts: (total, reports = new Map()) => {
      const groups = reports.size > 1 && reports.size <= barsAtMost ? [...reports] : [['Parts', total] as const];
      const width = Math.max(...groups.map(([name]) => cut(name).length));
      const bars = groups.map(([name, count]) => {
        const bar = add(cut(name).padEnd(width), `{bar}  {value} of {total}${dot}{text}`, count, 'waiting');
        return { ...bar, name, ended: 0 };
      });
      return {
        begin: (label, report) => {
          const bar = bars.find(({ name }) => name === report) ?? bars[0];
          const say = (text: string): void => bar?.update(bar.ended, text);
          const tell = (event: ProgressEvent): void => {
            if (event.event === 'status') say(cut(event.status));
            if (event.event === 'download') say(amounts(event).join(dot));
          };
          const end = (isDone: boolean): void => {
            if (bar) bar.ended += 1;
            say(isDone ? 'done' : `${cut(label)} failed`);
          };
          return {
            progress: eventProgress(
              tell,
              () => 0,
              0,
              () => silentProgress,
            ),
            end,
          };
        },
        stop: () => {
          for (const { stop } of bars) stop();
        },
      };
    },
    wait: (label) => {
      const { update, stop } = add(label, `{text}${dot}{duration_formatted}`, 1, 'progress');
      return {
        update: ({ status, polls }) => update(0, `${cut(status)}${dot}${formatPlural(polls, 'poll')}`),
        stop,
      };
    },
    transfer: (label, totalBytes) => {
      const share = totalBytes ? `{bar}  {percentage} %${dot}` : '';
      const time = totalBytes ? '{eta_formatted} left' : '{duration_formatted}';
      const { update, stop } = add(label, `${share}{text}${dot}${time}`, totalBytes || 1, '0 B');
      return {
        update: ({ bytes, rows }) => update(bytes, amounts({ bytes, rows, totalBytes }).join(dot)),
        stop,
      };
    },
  };
}
