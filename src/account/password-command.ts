import { type ExecException, exec } from 'node:child_process';
import { SignInError } from '../errors.ts';

const timeoutMs = 30_000;

/**
 * How long to read output after the command exits. A background process may keep the output open.
 */
const outputAfterExitMs = 1_000;

/**
 * Runs a command in the shell, without stdin and for at most 30 s, and returns the first line of
 * its output.
 *
 * @throws SignInError if the command fails; `signal.reason` if aborted
 */
export async function readPasswordFrom(
  command: string,
  { account, env, signal }: { account: string; env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string> {
  const failure = (reason: string): SignInError =>
    new SignInError(`The password command of account “${account}” ${reason}.`, {
      hint: `Run it yourself to see why, or change it: adreport config set password-command CMD --account ${account}`,
    });

  const { output, error } = await run(command, env, signal);
  signal.throwIfAborted();
  if (error?.killed) throw failure(`took longer than ${timeoutMs / 1_000} s`);
  if (error) throw failure(`failed with code ${error.code ?? error.signal}`);

  const [password = ''] = output.split(/\r?\n/);
  if (password === '') throw failure('printed no password');
  if (password.includes('\0')) throw failure('printed a NUL character');
  return password;
}

function run(
  command: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly output: string; readonly error: ExecException | null }> {
  return new Promise((resolve) => {
    const limits = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    const child = exec(command, { env, signal, ...limits }, (error, output) => {
      resolve({ output, error });
    });
    child.stdin?.end();
    child.once('exit', () => {
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, outputAfterExitMs).unref();
    });
  });
}
