import { InterruptedError } from './errors.ts';
import { sleep } from './signals.ts';

/** The process and its environment. Tests pass their own host. */
export interface Host {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;

  /** Determines valid file names, quoting, and what can be done with open files. */
  readonly platform: NodeJS.Platform;

  /** Aborted with an `InterruptedError` when the user or the system ends the program. */
  readonly signal: AbortSignal;

  /** Returns milliseconds since 1970, for dates. */
  readonly wallClock: () => number;

  /** Returns monotonic milliseconds, for waiting. */
  readonly stopwatch: () => number;

  /** Rejects with the signal's reason when it is aborted. */
  readonly sleep: (durationMs: number, signal?: AbortSignal) => Promise<void>;

  /** Returns a number from 0 to 1, excluding 1. */
  readonly random: () => number;
}

/** Replaces a working folder that was deleted. No such path can exist. */
export const deletedFolder = '/dev/null/deleted working folder';

export function processHost(): Host {
  return {
    // Node opens stdin on first access, so it is accessed only to be read.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: findWorkingFolder(),
    platform: process.platform,
    signal: createEndSignal(),
    wallClock: Date.now,
    stopwatch: () => performance.now(),
    sleep,
    random: Math.random,
  };
}

/** Returns `deletedFolder` if the working folder was deleted. */
function findWorkingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return deletedFolder;
  }
}

/**
 * Returns a signal that is aborted by the first Ctrl-C, SIGTERM or SIGHUP. The second one ends the
 * program immediately.
 */
function createEndSignal(): AbortSignal {
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
 * Ends this process with the signal itself. A normal exit would wait for pending system calls, such
 * as a pipe without a writer or a name server that does not respond. Shells see the same exit code.
 */
function endBySignal(signal: NodeJS.Signals, exitCode: number): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    if (process.platform !== 'win32') process.kill(process.pid, signal);
  });
  process.exit(exitCode);
}
