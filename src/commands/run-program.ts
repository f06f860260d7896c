import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { win32 } from 'node:path';
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
    const command = toSpawn(program, args, env, host.cwd);
    const { windowsVerbatimArguments } = command;
    const options = { cwd: host.cwd, env, detached, windowsVerbatimArguments };
    const child = spawn(command.program, command.args, { ...options, stdio: 'inherit' });
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

function toSpawn(program: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): SpawnCommand {
  return process.platform === 'win32' ? windowsCommand(program, args, { cwd, env }) : { program, args };
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

/** A command as `spawn` takes it. */
export interface SpawnCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The arguments are one text in the quoting of cmd.exe, to be passed on as it is. */
  readonly windowsVerbatimArguments?: true;
}

/** What finding a program on Windows takes from the machine. */
interface Machine {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exists?: (file: string) => boolean;
}

const endings = ['.com', '.exe', '.bat', '.cmd'];

/**
 * A command in the form in which Windows can start it. `npm` and whatever npm installs are scripts there (`npm.cmd`),
 * which only cmd.exe runs, and cmd.exe reads its own signs in their arguments. Everything else stays as it is.
 */
export function windowsCommand(
  program: string,
  args: readonly string[],
  { cwd, env, exists = existsSync }: Machine,
): SpawnCommand {
  const hasEnding = endings.includes(win32.extname(program).toLowerCase());
  const names = hasEnding ? [program] : endings.map((ending) => program + ending);
  // Windows calls it Path, and takes any case.
  const [, path = ''] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH') ?? [];
  const folders = /[\\/:]/.test(program) ? [cwd] : [cwd, ...path.split(win32.delimiter).filter((folder) => folder)];
  const files = folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name)));
  const found = files.find(exists);
  if (found === undefined || !/\.(bat|cmd)$/i.test(found)) return { program, args };
  const line = [escapeSigns(found), ...args.map((arg) => escapeSigns(quote(arg)))].join(' ');
  return { program: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], windowsVerbatimArguments: true };
}

/** An argument as programs of Windows take their command line apart: backslashes double before a quote alone. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function escapeSigns(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
