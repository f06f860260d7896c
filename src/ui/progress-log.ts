import { formatDuration } from '../text/duration.ts';
import { formatBytes, formatPlural, formatShare } from '../text/quantity.ts';
import type { Console } from './console.ts';
import type { Progress } from './progress.ts';
import { countParts, labelled, silentProgress } from './progress-parts.ts';

const plainPauseMs = 10_000;
const jsonPauseMs = 1_000;

/** Progress as lines for a log: one when something has changed, at most one every 10 s whatever it is about. */
export function createPlainProgress(console: Console, clock: () => number): Progress {
  let said: { readonly atMs: number; readonly text: string } | undefined;
  const say = (text: string): void => {
    const nowMs = clock();
    if (said && (nowMs - said.atMs < plainPauseMs || said.text === text)) return;
    said = { atMs: nowMs, text };
    console.note(text);
  };
  return {
    parts: (total) =>
      countParts(total, {
        part: () => silentProgress,
        told: ({ done, failed, running }) => {
          if (running === 0) return;
          say(`Parts: ${done} of ${total} done, ${running} running${failed > 0 ? `, ${failed} failed` : ''}`);
        },
      }),
    wait: (label) => ({
      update: ({ status, waitedMs, polls }) => {
        if (polls > 0) say(`${label}: ${status}, ${formatDuration(waitedMs)}, ${formatPlural(polls, 'poll')}`);
      },
      stop: () => {},
    }),
    transfer: (label, totalBytes) => {
      const startedMs = clock();
      return {
        update: ({ bytes, rows }) => {
          // Most downloads are over in less, and their end is said by the command.
          if (clock() - startedMs < plainPauseMs) return;
          const amount = totalBytes === undefined ? formatBytes(bytes) : formatShare(bytes, totalBytes);
          say(`${label}: ${amount}${rows === undefined ? '' : `, ${formatPlural(rows, 'row')}`}`);
        },
        stop: () => {},
      };
    },
  };
}

/**
 * Progress as JSON lines on stderr: `{"event":"status","label","status","waitedMs","polls","nextPollMs"}` for every
 * status call, and `{"event":"download","label","bytes","totalBytes","rows"}` at most once a second and at the end;
 * of a run of many parts `{"event":"parts","total","done","failed","running"}` whenever one begins or ends.
 */
export function createJsonProgress(console: Console, clock: () => number): Progress {
  const events: Progress = {
    parts: (total) =>
      countParts(total, {
        part: (label) => labelled(events, label),
        told: (state) => console.event({ event: 'parts', ...state }),
      }),
    wait: (label) => ({
      update: ({ status, waitedMs, polls, nextPollMs }) =>
        console.event({
          event: 'status',
          label,
          status,
          waitedMs: Math.round(waitedMs),
          polls,
          nextPollMs: Math.round(nextPollMs),
        }),
      stop: () => {},
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
