import type { PartsProgress, Progress } from './progress.ts';

/** How many parts of a run stand how; the rest has not begun. */
interface PartsState {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

/** Where the parts of a run are shown. */
interface PartsView {
  /** The progress of one part. */
  part(label: string): Progress;
  /** Told whenever a part has begun or ended. */
  told?(state: PartsState): void;
  stop?(): void;
}

const nothing = { update: () => {}, stop: () => {} };

/** Progress that nobody sees. */
export const silentProgress: Progress = {
  parts: (total) => countParts(total, { part: () => silentProgress }),
  wait: () => nothing,
  transfer: () => nothing,
};

/** The same progress with everything under one label. */
export function labelled(progress: Progress, label: string): Progress {
  return {
    parts: progress.parts,
    wait: () => progress.wait(label),
    transfer: (_what, totalBytes) => progress.transfer(label, totalBytes),
  };
}

/** Counts the parts of a run as they begin and end. */
export function countParts(total: number, view: PartsView): PartsProgress {
  let state: PartsState = { total, done: 0, failed: 0, running: 0 };
  const become = (change: Partial<PartsState>): void => {
    state = { ...state, ...change };
    view.told?.(state);
  };
  return {
    begin(label) {
      become({ running: state.running + 1 });
      return {
        progress: view.part(label),
        end(isDone) {
          const running = state.running - 1;
          become(isDone ? { running, done: state.done + 1 } : { running, failed: state.failed + 1 });
        },
      };
    },
    stop: () => view.stop?.(),
  };
}
