import type { MultiBar, Options } from 'cli-progress';
import { printable } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { Console } from './console.ts';

/** What `--progress` says; `auto` is a bar where one can be drawn. */
export type ProgressMode = 'auto' | 'bar' | 'plain' | 'json' | 'none';

/** How a wait stands after a status call; the pause before the next one is 0 while one is being made. */
type WaitState = { status: string; waitedMs: number; polls: number; nextPollMs: number };

type TransferState = { bytes: number; rows?: number | null };

/** One thing that is being shown, until `stop` is called, once: then nothing is left of it on a terminal. */
type Meter<State> = { update(state: State): void; stop(): void };

/** Many reports that are fetched side by side. What a part waits for is shown through the `progress` that `begin` gives. */
export interface PartsProgress {
  begin(
    label: string,
    report?: string,
  ): { readonly progress: Progress; end(isDone: boolean): void };
  stop(): void;
}

/** What a command is waiting for, shown on stderr. Any number of meters may run at a time. */
export interface Progress {
  /** `reports`: how many parts each of several saved reports has. */
  parts(total: number, reports?: ReadonlyMap<string, number>): PartsProgress;
  wait(label: string): Meter<WaitState>;
  transfer(label: string, totalBytes?: number): Meter<TransferState>;
}

/** What is shown, as `--progress json` writes it. */
type ProgressEvent =
  | ({ event: 'status'; label: string } & WaitState)
  | {
      event: 'download';
      label: string;
      bytes: number;
      totalBytes: number | null;
      rows: number | null;
    }
  | { event: 'parts'; total: number; done: number; failed: number; running: number };

/** Where one meter is shown. `stop` is given the last event of a download, which may not have been told. */
type Line = { tell(event: ProgressEvent): void; stop(last?: ProgressEvent): void };

const ignore = () => {};
const silentProgress: Progress = eventProgress(
  () => ({ tell: ignore, stop: ignore }),
  () => silentProgress,
);

/** Progress in the given mode, by a clock in milliseconds. Where stderr can draw nothing, `bar` and `auto` are plain lines. */
export async function createProgress(
  mode: ProgressMode,
  console: Console,
  clock: () => number,
): Promise<Progress> {
  if (mode === 'none' || console.isQuiet) return silentProgress;
  if (mode === 'json') return jsonProgress(console, clock);
  if (mode === 'plain' || !console.err.canDraw) return plainProgress(console, clock);
  const { default: cliProgress } = await import('cli-progress');
  return barProgress(console, (options) => new cliProgress.MultiBar(options));
}

/**
 * Progress as events: every status call, every part that begins or ends, and each download, `pauseMs` apart. `part` is what
 * one part of many is shown by; of up to `linesAtMost` saved reports each has a line of its own, of more all have one.
 */
function eventProgress(
  open: (first: ProgressEvent, label: string) => Line,
  part: (label: string) => Progress,
  { clock = (): number => 0, pauseMs = 0, linesAtMost = 1 } = {},
): Progress {
  return {
    parts: (total, reports = new Map()) => {
      const hasLines = reports.size > 1 && reports.size <= linesAtMost;
      const groups = hasLines ? [...reports] : [['Parts', total] as const];
      const width = Math.max(...groups.map(([name]) => name.length));
      const lines = groups.map(([name, count]) => {
        const counts = { total: count, done: 0, failed: 0, running: 0 };
        const { tell, stop } = open({ event: 'parts', ...counts }, name.padEnd(width));
        const add = (key: 'done' | 'failed' | 'running'): void => {
          counts[key] += 1;
          if (key !== 'running') counts.running -= 1;
          tell({ event: 'parts', ...counts });
        };
        return { name, add, stop };
      });
      return {
        begin: (label, report) => {
          const line = lines.find(({ name }) => name === report) ?? lines[0];
          line?.add('running');
          return { progress: part(label), end: (isDone) => line?.add(isDone ? 'done' : 'failed') };
        },
        stop: () => {
          for (const { stop } of lines) stop();
        },
      };
    },
    wait: (label) => {
      const state = { status: 'progress', waitedMs: 0, polls: 0, nextPollMs: 0 };
      const { tell, stop } = open({ event: 'status', label, ...state }, label);
      return {
        update: ({ status, waitedMs, polls, nextPollMs }) => {
          const times = {
            waitedMs: Math.round(waitedMs),
            polls,
            nextPollMs: Math.round(nextPollMs),
          };
          tell({ event: 'status', label, status, ...times });
        },
        stop: () => stop(),
      };
    },
    transfer: (label, totalBytes = 0) => {
      const first = {
        event: 'download',
        label,
        bytes: 0,
        totalBytes: totalBytes || null,
        rows: null,
      } as const;
      const { tell, stop } = open(first, label);
      let last: ProgressEvent | undefined;
      let toldAtMs = clock();
      return {
        update: ({ bytes, rows = null }) => {
          last = { ...first, bytes, rows };
          if (clock() - toldAtMs < pauseMs) return;
          toldAtMs = clock();
          tell(last);
        },
        stop: () => stop(last),
      };
    },
  };
}

function jsonProgress(console: Console, clock: () => number, ownLabel?: string): Progress {
  const tell = (event: ProgressEvent): void =>
    console.event(ownLabel ? { ...event, label: ownLabel } : event);
  const line = { tell, stop: (last?: ProgressEvent) => last && tell(last) };
  const part = (label: string) => jsonProgress(console, clock, label);
  return eventProgress(() => line, part, { clock, pauseMs: 1_000 });
}

/** Progress as lines for a log: one when something has changed, at most one every 10 s whatever it is about. */
function plainProgress(console: Console, clock: () => number): Progress {
  const pauseMs = 10_000;
  let said: { readonly atMs: number; readonly text: string } | undefined;
  const tell = (event: ProgressEvent): void => {
    const text = plainText(event);
    if (text === undefined || (said && (clock() - said.atMs < pauseMs || said.text === text)))
      return;
    said = { atMs: clock(), text };
    console.note(text);
  };
  return eventProgress(
    () => ({ tell, stop: ignore }),
    () => silentProgress,
    { clock, pauseMs },
  );
}

function plainText(event: ProgressEvent): string | undefined {
  if (event.event === 'download') return `${event.label}: ${amounts(event).join(', ')}`;
  if (event.event === 'status') {
    const { label, status, waitedMs, polls } = event;
    return polls === 0
      ? undefined
      : `${label}: ${status}, ${formatDuration(waitedMs)}, ${formatPlural(polls, 'poll')}`;
  }
  const { total, done, running } = event;
  return running === 0 ? undefined : `Parts: ${done} of ${total} done, ${counted(event)}`;
}

function amounts({ bytes, rows, totalBytes }: ProgressEvent & { event: 'download' }): string[] {
  const amount = totalBytes
    ? `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`
    : formatBytes(bytes);
  return rows === null ? [amount] : [amount, formatPlural(rows, 'row')];
}

function counted({
  running,
  failed,
}: {
  readonly running: number;
  readonly failed: number;
}): string {
  return `${running} running${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** Progress as bars at the bottom of the terminal, which is as it was once the last one is gone. */
function barProgress(console: Console, openBars: (options: Options) => MultiBar): Progress {
  const { stream, showsUnicode, width } = console.err;
  const dot = showsUnicode ? ' · ' : ' - ';
  const options: Options = {
    stream,
    barCompleteChar: showsUnicode ? '━' : '=',
    barIncompleteChar: showsUnicode ? '─' : '-',
    barsize: Math.max(8, Math.min(30, Math.floor(width / 4))),
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
  const open = (first: ProgressEvent, label: string): Line => {
    if (!shown) {
      shown = { bars: openBars(options), count: 0 };
      console.showBars({ log, clear });
      // The program may end in the middle of a wait, and the terminal must be itself again then as well.
      process.once('exit', clear);
    }
    const isPart = first.event === 'parts';
    const total = isPart ? first.total : first.event === 'download' ? first.totalBytes : null;
    const share =
      total === null
        ? ''
        : isPart
          ? `{bar}  {value} of {total}${dot}`
          : `{bar}  {percentage} %${dot}`;
    const time = total === null || isPart ? '{duration_formatted}' : '{eta_formatted} left';
    const format = `${cut(label)}  ${share}{text}${dot}${time}`;
    const mine = shown;
    const bar = mine.bars.create(total ?? 1, 0, { text: '' }, { format });
    mine.count += 1;
    const tell = (event: ProgressEvent): void => {
      if (event.event === 'download') bar.update(event.bytes, { text: amounts(event).join(dot) });
      else if (event.event === 'parts')
        bar.update(event.done + event.failed, { text: counted(event) });
      else
        bar.update(0, { text: `${cut(event.status)}${dot}${formatPlural(event.polls, 'poll')}` });
    };
    const stop = (): void => {
      mine.count -= 1;
      if (shown !== mine) return;
      mine.bars.remove(bar);
      if (mine.count === 0) clear();
    };
    tell(first);
    return { tell, stop };
  };
  return eventProgress(open, () => silentProgress, { linesAtMost: 10 });
}
