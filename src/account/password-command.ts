import { type ChildProcess, spawn } from 'node:child_process';
import { SignInError } from '../errors.ts';

const longestMs = 30_000;

/** A daemon that a command has started may keep its output open. */
const outputAfterExitMs = 1_000;

/** No password is longer, and no more of the output is kept than shows that. */
const lettersAtMost = 4_096;

/** Which account a command is for, and what its program sees. */
interface CommandOptions {
  readonly account: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * The first line of what a command prints, run by the shell without stdin, for 30 s at most.
 *
 * @throws SignInError if the command fails, and the reason of the signal once that is aborted
 */
export async function readPasswordFrom(command: string, options: CommandOptions): Promise<string> {
  const { account, env, signal } = options;
  const refuse = (reason: string): SignInError =>
    new SignInError(`The password command of account “${account}” ${reason}.`, {
      hint: `Run it yourself to see why, or set another: adreport config set password-command CMD --account ${account}`,
    });

  const { output, ending } = await run(command, env, signal);
  signal.throwIfAborted();
  if (ending === 'timeout') throw refuse(`took longer than ${longestMs / 1_000} s`);
  if (ending !== 0) throw refuse(`failed with code ${ending}`);

  const [password = ''] = output.split(/\r?\n/);
  if (password === '') throw refuse('printed no password');
  if (password.length > lettersAtMost) throw refuse('printed a line that is too long');
  return password;
}

interface CommandResult {
  readonly output: string;

  /** The exit code, or the signal that ended it. */
  readonly ending: number | string;
}

function run(command: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<CommandResult> {
  return new Promise((resolve) => {
    // A group of its own, so that what the shell started ends with it.
    const detached = process.platform !== 'win32';
    const child = spawn(command, {
      shell: true,
      detached,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      if (output.length <= lettersAtMost) output += piece;
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
    let timer = setTimeout(() => stop('timeout'), longestMs);
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

/** Ends a command, and what its shell has started. */
function killGroup(child: ChildProcess, hasGroup: boolean): void {
  try {
    if (hasGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill();
  } catch {
    // It has ended by itself.
  }
}
