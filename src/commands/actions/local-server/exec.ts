import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import type { Context } from '../../../context.ts';
import { InterruptedError, UsageError } from '../../../errors.ts';
import type { LocalServer } from '../../../server/start.ts';
import type { LocalServerOptions } from '../../local-server.ts';
import { startFromFlags } from '../local-server.ts';
import { type SpawnCommand, windowsCommand } from './windows-command.ts';

/** Runs a command against a server of its own, and hands its exit code on (128 + n for a signal, as shells do). */
export async function execWithLocalServer(
  context: Context,
  options: LocalServerOptions,
  command: unknown,
): Promise<void> {
  const [program = '', ...args] = command as string[];
  const server = await startFromFlags(context, options, { host: options.host, port: 0 });
  try {
    const env = { ...context.host.env, ...serviceEnvironment(server, options, context.host) };
    context.exitCode = await runToEnd(program, args, env, context.host);
  } finally {
    await server.close();
  }
}

/** The settings of the first account, in place of whatever service the environment named before. */
function serviceEnvironment(
  { url, accounts }: LocalServer,
  { tlsCert }: LocalServerOptions,
  { cwd }: Context['host'],
): NodeJS.ProcessEnv {
  const [account] = accounts;
  return {
    ADREPORT_BASE_URL: url,
    ADREPORT_TOKEN: account?.token,
    ADREPORT_EMAIL: account?.email,
    ADREPORT_PASSWORD: account?.password,
    ADREPORT_PROFILE: account?.profile,
    ADREPORT_ACCOUNT: undefined,
    ...(tlsCert === undefined ? {} : { NODE_EXTRA_CA_CERTS: resolvePath(cwd, tlsCert) }),
  };
}

/**
 * Runs a program to its end, and leaves none of the processes it started. Where it can have a process group of its own
 * the whole group is signalled; one that reads from a terminal must stay in ours, where Ctrl-C reaches it by itself.
 */
function runToEnd(
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
