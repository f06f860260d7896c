import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type CommandLine, temporaryFolder, wordsOf } from './run-cli.ts';

/** The launcher, as users run it; the tests' set-up has built what it starts. */
export const launcher = resolve(import.meta.dirname, '../../bin/adreport.js');

/** `NODE_OPTIONS` with which a process prints, as it ends, the most memory that it ever took. */
export const tellsPeak =
  "--import data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";

/** What a process that `tellsPeak` printed of its memory, in MB. */
export function peakMbOf({ stderr }: Pick<SpawnedResult, 'stderr'>): number {
  return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
}

export interface SpawnedResult {
  readonly exitCode: number | null;
  /** That it died of. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly cwd: string;
}

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly onStart?: (child: ChildProcess) => void;
}

/** Runs a command line in a process of its own, which sees nothing of this one's environment; stdin is empty. */
export async function spawnCli(
  line: CommandLine,
  { env = {}, cwd = temporaryFolder(), onStart }: SpawnOptions = {},
): Promise<SpawnedResult> {
  const child = spawn(process.execPath, [launcher, ...wordsOf(line)], {
    cwd,
    env: { PATH: process.env.PATH, ADREPORT_CONFIG_DIR: join(cwd, '.config'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  onStart?.(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = await new Promise<Pick<SpawnedResult, 'exitCode' | 'signal'>>((done) =>
    child.on('close', (exitCode, signal) => done({ exitCode, signal })),
  );
  return { ...ended, stdout, stderr, cwd };
}
