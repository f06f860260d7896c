import { spawn } from 'node:child_process';

/** Where a command line runs. */
export interface ShellPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a shell to its end, without waiting in this thread: what it ended with, and what it said on stderr. */
export function runShell(
  shell: string,
  args: readonly string[],
  { cwd, env }: ShellPlace,
): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(shell, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('close', (exitCode) => resolve({ exitCode, stderr }));
  });
}

/** Whether a command line starts a server that runs until it is ended. */
export function isServerLine(line: string): boolean {
  return /^adreport local-server(?! (exec|export|validate)\b)(?!.*( exec -- | --help))/.test(line);
}

/** Starts a server, and ends it once it is ready: its exit code. */
export function serveUntilReady(line: string, { cwd, env }: ShellPlace): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-c', `exec ${line}`], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => child.kill('SIGTERM'));
    child.on('close', resolve);
  });
}
