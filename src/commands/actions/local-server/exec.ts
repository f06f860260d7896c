import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import type { LocalServerOptions } from '../../local-server.ts';
import { startFromFlags } from '../local-server.ts';

/** Runs a command against a server of its own, and hands its exit code on (128 + n for a signal, as shells do). */
export async function execWithLocalServer(
  context: Context,
  options: LocalServerOptions,
  command: unknown,
): Promise<void> {
  const [program = '', ...args] = command as string[];
  const server = await startFromFlags(context, options, { host: options.host, port: 0 });
  const account = server.accounts[0];
  try {
    const env = { ...context.host.env, ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: account?.token };
    context.exitCode = await runToEnd(program, args, env, context.host);
  } finally {
    await server.close();
  }
}

function runToEnd(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    // A terminal's Ctrl-C reaches the child by itself; a SIGTERM reaches only us.
    const passOn = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', passOn, { once: true });
    child.on('error', (cause) => reject(new UsageError(`${program} could not be run: ${cause.message}.`, { cause })));
    child.on('exit', (code, killedBy) => {
      signal.removeEventListener('abort', passOn);
      resolve(code ?? 128 + (killedBy ? constants.signals[killedBy] : 0));
    });
  });
}
