import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { type CommandLine, temporaryFolder, wordsOf } from './run-cli.ts';

/** The launcher that users run. The setup of the tests has built the program. */
export const launcher = resolve(import.meta.dirname, '../../bin/adreport.js');

export interface Place {
  /** By default a new folder. */
  readonly cwd?: string;

  /** Added to PATH, the temporary folder and a settings folder. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const environmentAt = (cwd: string, env: Place['env']) => ({
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  ADREPORT_CONFIG_DIR: join(cwd, '.config'),
  ...env,
});

/** Starts a program in a child process that ends with the test; stdin is empty by default. */
export function start(
  command: string,
  args: readonly string[],
  { cwd = temporaryFolder(), env, stdin }: Place & { readonly stdin?: Readable } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env: environmentAt(cwd, env),
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (stdin && child.stdin) stdin.pipe(child.stdin.on('error', () => stdin.destroy()));
  const ended = once(child, 'close').then(
    ([exitCode, signal]: (number | NodeJS.Signals | null)[]) => {
      return { exitCode, signal, stdout, stderr, cwd };
    },
  );

  /** Resolves with the first match in the output of either stream. */
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((found, miss) => {
      const look = (): void => {
        const [match] = pattern.exec(stdout) ?? pattern.exec(stderr) ?? [];
        if (match !== undefined) found(match);
      };
      child.stdout?.on('data', look);
      child.stderr?.on('data', look);
      child.on('close', () => miss(new Error(`It ended without ${pattern}: ${stderr}`)));
      look();
    });
  return { child, ended, printed };
}

/** Starts a command line of the program; `.ended` resolves with its exit code and output. */
export const startCli = (line: CommandLine, place: Parameters<typeof start>[2] = {}) =>
  start(process.execPath, [launcher, ...wordsOf(line)], place);

/** Runs a command line to its end in a child process. */
export const spawnCli = (line: CommandLine, place: Place = {}) => startCli(line, place).ended;

/** Runs a program to its end, synchronously. */
export function runToEnd(
  command: string,
  args: readonly string[],
  cwd = temporaryFolder(),
  env: Place['env'] = {},
) {
  const options = {
    cwd,
    env: environmentAt(cwd, env),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { status, stdout, stderr };
}

/** True if a process is running; a zombie is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = existsSync('/proc/self/stat') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    return !/\) Z /.test(stat);
  } catch {
    return false;
  }
}

/** `NODE_OPTIONS` that make a process print its peak memory and processor time at its end. */
export const printsUsage =
  "--import data:text/javascript,process.on('exit',()=>{const{maxRSS,userCPUTime}=process.resourceUsage();console.error('peak',maxRSS,'cpu',userCPUTime)})";

/** Reads the peak memory, in MB, of a process with the options `printsUsage`. */
export const peakMbOf = ({ stderr }: { readonly stderr: string }): number =>
  Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;

/** Reads the processor time, in seconds, of a process with the options `printsUsage`. */
export const processorSecondsOf = ({ stderr }: { readonly stderr: string }): number =>
  Number(/ cpu (\d+)/.exec(stderr)?.[1]) / 1e6;
