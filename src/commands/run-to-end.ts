import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, InterruptedError, UsageError } from '../errors.ts';
import type { Context } from '../run/context.ts';
import { quoteForShell } from '../text/quote-for-shell.ts';

interface ChildProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly host: Context['host'];
}

/**
 * Runs a program, then ends every process that it started. Returns the exit code of the program, or
 * 128 + n for a signal, as shells do. The program gets its own process group, so that all of its
 * processes can be signaled. On a terminal, it stays in our group, where Ctrl-C reaches it. Throws
 * `UsageError` if the program cannot be started.
 */
export async function runToEnd(program: ChildProgram): Promise<number> {
  const { host } = program;
  const isGroup = process.platform !== 'win32' && host.stdin.isTTY !== true;
  const child = await start(program, isGroup);

  /** Returns whether a process was signaled. */
  const signalAll = (signal: NodeJS.Signals | 0): boolean => {
    try {
      if (!isGroup || child.pid === undefined) return child.kill(signal);
      return process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  const passOn = (): void => {
    const { reason } = host.signal;
    const isInterrupt = reason instanceof InterruptedError && reason.exitCode === 130;
    if (!isInterrupt || isGroup) signalAll(isInterrupt ? 'SIGINT' : 'SIGTERM');
  };
  // A second signal ends this process immediately, and the program with it.
  const endWithUs = (): void => void signalAll('SIGKILL');
  host.signal.addEventListener('abort', passOn);
  process.once('exit', endWithUs);

  try {
    if (host.signal.aborted) passOn();
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals];
    return code ?? 128 + constants.signals[killedBy];
  } finally {
    host.signal.removeEventListener('abort', passOn);
    if (isGroup) await endGroup(signalAll);
    process.removeListener('exit', endWithUs);
  }
}

/** Grace period before remaining processes are killed, in milliseconds. */
const graceMs = 2_000;

/**
 * Ends a process group whose leader has ended. SIGKILL follows, because a process between fork and
 * exec may lose a signal to its parent's handler.
 */
async function endGroup(signalAll: (signal: NodeJS.Signals | 0) => boolean): Promise<void> {
  const deadline = performance.now() + graceMs;
  let isLeft = signalAll('SIGTERM');
  while (isLeft && performance.now() < deadline) {
    await delay(20);
    isLeft = signalAll(0);
  }
  if (isLeft) signalAll('SIGKILL');
}

/** Throws `UsageError` if the program cannot be started. */
async function start(
  { program, args, env, host }: ChildProgram,
  detached: boolean,
): Promise<ChildProcess> {
  const options = { cwd: host.cwd, env, detached, stdio: 'inherit' } as const;
  try {
    const child = spawn(program, args, options);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const mayBeScript = ['ENOENT', 'EINVAL'].includes(codeOf(cause) ?? '');
    if (process.platform !== 'win32' || !mayBeScript) {
      throw startError(program, cause);
    }
    // On Windows, programs installed by npm are scripts (npm.cmd), which only cmd can run.
    const quotedArgs = [program, ...args].map((arg) => quoteForShell(arg, 'win32'));
    return spawn(quotedArgs.join(' '), { ...options, shell: true });
  }
}

function startError(program: string, cause: unknown): UsageError {
  switch (codeOf(cause)) {
    case 'ENOENT':
      return new UsageError(`Cannot run ${program}: there is no such program.`, {
        hint: 'Check its name, or give its path. Shell aliases do not work here.',
        cause,
      });
    case 'EACCES':
      return new UsageError(`Cannot run ${program}: it is not executable.`, {
        hint: 'Make it executable (chmod +x), or run it with its interpreter, such as sh or node.',
        cause,
      });
    default:
      return new UsageError(`Cannot run ${program}: ${(cause as Error).message}.`, { cause });
  }
}
