import { printable } from '../text/printable.ts';
import type { BarStack, Progress, TransferState, WaitState } from './progress.ts';
import { drawParts, drawTransfer, drawWait } from './progress-frame.ts';
import { countParts, labelled, silentProgress } from './progress-parts.ts';
import { createRate } from './rate.ts';

/** More parts than this have one line together. */
const barsAtMost = 10;

/** Progress as bars: what was last told, carried on by the clock until something else is. */
export function createBars(stack: BarStack, clock: () => number): Progress {
  const bars: Progress = {
    parts: (total) => {
      const startMs = clock();
      if (total <= barsAtMost) return countParts(total, { part: (label) => labelled(bars, label) });
      let state = { total, done: 0, failed: 0, running: 0 };
      const stop = stack.add((canvas) => drawParts({ ...state, elapsedMs: clock() - startMs }, canvas));
      const told = (now: typeof state): void => {
        state = now;
      };
      return countParts(total, { part: () => silentProgress, told, stop });
    },
    wait: (text) => {
      const label = printable(text);
      let state: WaitState = { status: '', waitedMs: 0, polls: 0, nextPollMs: 0 };
      let toldAtMs = clock();
      const stop = stack.add((canvas) => {
        const sinceMs = clock() - toldAtMs;
        const waitedMs = state.waitedMs + sinceMs;
        const nextPollMs = state.nextPollMs - sinceMs;
        return drawWait({ label, status: printable(state.status), waitedMs, polls: state.polls, nextPollMs }, canvas);
      });
      const update = (newState: WaitState): void => {
        state = newState;
        toldAtMs = clock();
      };
      return { update, stop };
    },
    transfer: (text, totalBytes) => {
      const label = printable(text);
      const startMs = clock();
      const rate = createRate(startMs);
      let state: TransferState = { bytes: 0 };
      const stop = stack.add((canvas) => {
        const nowMs = clock();
        const { bytes, rows } = state;
        const bytesPerSecond = rate.perSecond(nowMs);
        return drawTransfer({ label, elapsedMs: nowMs - startMs, bytes, totalBytes, rows, bytesPerSecond }, canvas);
      });
      const update = (newState: TransferState): void => {
        state = newState;
        rate.add(clock(), newState.bytes);
      };
      return { update, stop };
    },
  };
  return bars;
}
