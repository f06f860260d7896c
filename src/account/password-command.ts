import { type ChildProcess, spawn } from 'node:child_process';
import { SignInError } from '../errors.ts';

const timeoutMs = 30_000;

/** After the exit, output is read for this long: a daemon of the command may keep it open. */
const outputAfterExitMs = 1_000;

const maxLength = 4_096;

interface CommandOptions {
  readonly account: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * Runs a command in the shell, without stdin, for at most 30 s, and returns its first output line.
 *
 * @throws SignInError if the command fails, and the reason of the signal once that is aborted
 */
export async function readPasswordFrom(command: string, options: CommandOptions): Promise<string> {
  const { account, env, signal } = options;
  const failure = (reason: string): SignInError =>
    new SignInError(`The password command of account “${account}” ${reason}.`, {
      hint: `Run it yourself to see why, or change it: adreport config set password-command CMD --account ${account}`,
    });

  const { output, ending } = await run(command, env, signal);
  signal.throwIfAborted();
  if (ending === 'timeout') throw failure(`took longer than ${timeoutMs / 1_000} s`);
  if (ending !== 0) throw failure(`failed with code ${ending}`);

  const [password = ''] = output.split(/\r?\n/);
  if (password === '') throw failure('printed no password');
  if (password.length > maxLength) throw failure('printed a line that is too long');
  return password;
}

interface CommandResult {
  readonly output: string;

  /** Exit code, or the signal that ended the command. */
  readonly ending: number | string;
}

function run(command: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<CommandResult> {
  return new Promise((resolve) => {
    // In a process group, so that the processes of the shell can be ended with it.
    const detached = process.platform !== 'win32';
    const child = spawn(command, {
      shell: true,
      detached,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (output.length <= maxLength) output += piece;
    });

    const end = (ending: number | string): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.stdout.destroy();
      resolve({ output, ending });
    };
    const stop = (ending: number | string): void => {
      killGroup(child, detached);
      end(ending);
    };
    const onAbort = (): void => stop('stopped');
    let timer = setTimeout(() => stop('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort);
    child.on('error', ({ message }) => end(message));
    child.on('exit', (code, killedBy) => {
      const ending = code ?? killedBy ?? 'unknown';
      clearTimeout(timer);
      timer = setTimeout(() => end(ending), outputAfterExitMs);
      child.on('close', () => end(ending));
    });
  });
}

/** Kills a command with all processes of its shell. */
function killGroup(child: ChildProcess, hasGroup: boolean): void {
  try {
    if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill();
  } catch {
    // It has already ended.
  }
}
