import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The built copies to be measured: this one, and the one in `BASELINE`, which `run.js` sets.
 */
export function checkouts(): { readonly name: string; readonly bin: string }[] {
  const { BASELINE } = process.env;
  const folders = [
    { name: 'now', folder: resolve('.') },
    ...(BASELINE ? [{ name: 'before', folder: BASELINE }] : []),
  ];
  return folders.map(({ name, folder }) => {
    if (!existsSync(join(folder, 'dist'))) throw new Error(`Run npm run build in ${folder} first.`);
    return { name, bin: join(folder, 'bin', 'adreport.js') };
  });
}

/** The cost of a program. */
export interface Measured {
  /** By the clock. */
  readonly seconds: number;

  /**
   * Of the processors, in the program, in the processes that it waited for and in the system for
   * them, in steps of 10 ms; `NaN` where the system does not tell.
   */
  readonly cpuSeconds: number;

  /** `NaN` if the system does not report it. */
  readonly peakMb: number;
}

/** Runs a program of Node to its end. */
export function measure(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  return measureProgram([process.execPath, ...argv], env);
}

/** Runs a program to its end. Throws where that is no good end. */
export async function measureProgram(
  [program = '', ...argv]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Measured> {
  // Waits for earlier writes, which would affect the measurement.
  spawnSync('sync');
  const cpuBefore = cpuSecondsOfChildren();
  const startedMs = performance.now();
  const child = spawn(program, argv, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (piece) => {
    errors += piece;
  });
  let peakMb = Number.NaN;
  const timer = setInterval(() => {
    peakMb = peakOf(child.pid) ?? peakMb;
  }, 10);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  const seconds = (performance.now() - startedMs) / 1000;
  const cpuSeconds = cpuSecondsOfChildren() - cpuBefore;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${errors}`);
  return { seconds, cpuSeconds, peakMb };
}

/** The peak memory of a process so far, in MB; Linux only. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] =
      /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/** The processor time of this process's children that have ended, in seconds. */
function cpuSecondsOfChildren(): number {
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(13);
    return (Number(user) + Number(system)) / 100;
  } catch {
    return Number.NaN;
  }
}

/** Starts a copy's local server, whose reports are ready at once. */
export async function startServer({ bin }: { readonly bin: string }) {
  const argv = [bin, 'local-server', '--port', '0', '--delay', '0s', '--json', '-q'];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const { url, pid, accounts }: { url: string; pid: number; accounts: [{ token: string }] } =
    JSON.parse(String(line));
  return { url, pid, token: accounts[0].token, stop: () => child.kill() };
}

/** Several runs of one program; its figures are their medians. */
export class Runs {
  readonly #measured: Measured[] = [];

  add(measured: Measured): void {
    this.#measured.push(measured);
  }

  get seconds(): number {
    return median(this.#measured.map(({ seconds }) => seconds));
  }

  get cpuSeconds(): number {
    return median(this.#measured.map(({ cpuSeconds }) => cpuSeconds));
  }

  get peakMb(): number {
    return median(this.#measured.map(({ peakMb }) => peakMb));
  }
}

/** The middle of some numbers; the greater of two. `NaN` where there is none. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** The mean of some numbers, for what is measured in steps that are large beside it. */
export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** A ratio as the tables show it. */
export function ratio(value: number, other: number): string {
  return `${(value / other).toFixed(2)} ×`;
}
