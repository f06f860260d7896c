/** The parts of the machine that changing a file needs; `Host` has all of them. */
export interface FileMachine {
  readonly platform: NodeJS.Platform;

  /** Ends the wait for a file. */
  readonly signal: AbortSignal;

  /** Milliseconds that never run backwards. */
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
}

/** Another program had a file open for as long as its change was tried, or before it was tried. */
export class HeldFileError extends Error {
  readonly code = 'HELD';

  constructor(cause: unknown) {
    super('it is open in another program', { cause });
  }
}

/** Virus scanners, sync programs and indexers close a file sooner. */
const heldAtMostMs = 10_000;

const longestPauseMs = 500;

/**
 * Changes a file. Windows refuses that while another program has the file open: then it is tried
 * again, for ten seconds unless told otherwise. Throws `HeldFileError` after that, and any other
 * error at once.
 */
export async function changeFile<T>(
  machine: FileMachine,
  change: () => T | Promise<T>,
  longestMs = heldAtMostMs,
): Promise<T> {
  const { platform, signal, stopwatch, sleep } = machine;
  const endMs = stopwatch() + longestMs;
  let pauseMs = 20;

  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (platform !== 'win32' || !isHeld(error)) throw error;

      const leftMs = endMs - stopwatch();
      if (leftMs <= 0) throw new HeldFileError(error);
      await sleep(Math.min(pauseMs, leftMs), signal);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }
}

/** Whether Windows refused to change a file because another program has it open. */
function isHeld(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EBUSY') return true;

  // A rename is tried only after a file was made in the same folder, so that permissions are not
  // what it lacks.
  return syscall === 'rename' && (code === 'EPERM' || code === 'EACCES');
}
