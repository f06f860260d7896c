import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Context } from '../context.ts';
import { InterruptedError, UsageError } from '../errors.ts';

/**
 * Runs a program to its end, and leaves none of the processes it started. Where it can have a process group of its own
 * the whole group is signalled; one that reads from a terminal must stay in ours, where Ctrl-C reaches it by itself.
 */
export function runToEnd(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  host: Context['host'],
): Promise<number> {
  const detached = process.platform !== 'win32' && host.stdin.isTTY !== true;
  return new Promise((resolve, reject) => {
    const options = { cwd: host.cwd, env, detached, stdio: 'inherit' } as const;
    // What npm installs is a script on Windows (npm.cmd), which only its shell runs.
    const isWindows = process.platform === 'win32';
    const line = [program, ...args].map((word) => (/^[\w./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
    const child = isWindows ? spawn(line, { ...options, shell: true }) : spawn(program, args, options);
    const signalAll = (signal: NodeJS.Signals): void => sendSignal(child, signal, detached);
    const passOn = (): void => {
      const isInterrupt = host.signal.reason instanceof InterruptedError && host.signal.reason.exitCode === 130;
      if (!isInterrupt) signalAll('SIGTERM');
      else if (detached) signalAll('SIGINT');
    };
    // A second signal ends this process at once: the command must not outlive it.
    const endWithUs = (): void => signalAll('SIGKILL');
    host.signal.addEventListener('abort', passOn, { once: true });
    process.once('exit', endWithUs);
    const settle = (done: () => void): void => {
      host.signal.removeEventListener('abort', passOn);
      process.removeListener('exit', endWithUs);
      if (detached) signalAll('SIGTERM');
      done();
    };
    child.on('error', (cause) =>
      settle(() => reject(new UsageError(`${program} could not be run: ${cause.message}.`, { cause }))),
    );
    child.on('exit', (code, killedBy) =>
      settle(() => resolve(code ?? 128 + (killedBy ? constants.signals[killedBy] : 0))),
    );
    if (host.signal.aborted) passOn();
  });
}

/** Signals a child, or the group that it leads; those that have ended already are none of our concern. */
function sendSignal(child: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  if (child.pid === undefined) return;
  try {
    if (isGroup) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Gone.
  }
}
