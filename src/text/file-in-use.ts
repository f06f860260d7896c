/** Parts of the host that are needed to change a file. */
export interface FileHost {
  readonly platform: NodeJS.Platform;

  readonly signal: AbortSignal;

  /** Returns monotonic time in milliseconds. */
  readonly stopwatch: () => number;
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;
}

export class FileInUseError extends Error {
  readonly code = 'HELD';

  constructor(cause: unknown) {
    super('it is open in another program', { cause });
  }
}

/** Maximum wait in milliseconds. Virus scanners, sync clients and indexers are done sooner. */
const maxFileInUseMs = 10_000;

const maxPauseMs = 500;

/**
 * Changes a file. Windows refuses this while another program has the file open. In that case,
 * retries for `maxMs`, then throws `FileInUseError`. Throws any other error immediately.
 */
export async function retryWhileInUse<T>(
  host: FileHost,
  change: () => T | Promise<T>,
  maxMs = maxFileInUseMs,
): Promise<T> {
  const { platform, signal, stopwatch, sleep } = host;
  const endMs = stopwatch() + maxMs;
  let pauseMs = 20;

  for (;;) {
    try {
      return await change();
    } catch (error) {
      if (platform !== 'win32' || !isFileInUse(error)) throw error;

      const leftMs = endMs - stopwatch();
      if (leftMs <= 0) throw new FileInUseError(error);
      await sleep(Math.min(pauseMs, leftMs), signal);
      pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    }
  }
}

/** Recognizes the errors that Windows reports for a file that another program has open. */
function isFileInUse(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EBUSY') return true;

  // A file was just created in the same folder, so permissions are not the reason.
  return syscall === 'rename' && (code === 'EPERM' || code === 'EACCES');
}
