import { setTimeout as sleepFor } from 'node:timers/promises';
import { InterruptedError } from './errors.ts';

/** What the program takes from the machine it runs on; tests give their own. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;

  /** What names, quotes and open files follow from. */
  readonly platform: NodeJS.Platform;

  /**
   * Aborted, with an `InterruptedError` for reason, when the user or the system asks the program to
   * end.
   */
  readonly signal: AbortSignal;

  /** Milliseconds since 1970: what dates are reckoned from. */
  readonly wallClock: () => number;

  /** Milliseconds that never run backwards: what waiting is reckoned with. */
  readonly stopwatch: () => number;

  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;

  /** From 0 (inclusive) to 1. */
  readonly random: () => number;
}

/** Stands for a working folder that was deleted: nothing can be there. */
export const goneFolder = '/dev/null/deleted working folder';

/** Node's timers hold 2^31 - 1 ms at most, and end at once beyond it. */
const longestSleepMs = 2 ** 31 - 1;

/** The real machine. */
export function processHost(): Host {
  return {
    // Node opens it when it is first asked for, which only what reads it should do.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: workingFolder(),
    platform: process.platform,
    signal: signalToEnd(),
    wallClock: Date.now,
    stopwatch: () => performance.now(),
    async sleep(durationMs, signal) {
      try {
        await sleepFor(Math.min(durationMs, longestSleepMs), undefined, { signal });
      } catch (error) {
        throw signal?.aborted ? signal.reason : error;
      }
    },
    random: Math.random,
  };
}

/**
 * The folder that the program was started in; a command that needs it says where it was deleted.
 */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return goneFolder;
  }
}

/** The first Ctrl-C, SIGTERM or SIGHUP asks the program to end, the second ends it. */
function signalToEnd(): AbortSignal {
  const controller = new AbortController();

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const reason = new InterruptedError(signal === 'SIGINT' ? 130 : 143);
      if (controller.signal.aborted) endBySignal(signal, reason.exitCode);
      else controller.abort(reason);
    });
  }
  return controller.signal;
}

/**
 * Ends this process by the signal itself, because an exit of Node waits for system calls under way,
 * and a name server that does not answer or a pipe that nobody writes to takes its time. To a shell
 * the exit code is the same.
 */
function endBySignal(signal: NodeJS.Signals, exitCode: number): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    if (process.platform !== 'win32') process.kill(process.pid, signal);
  });
  process.exit(exitCode);
}
