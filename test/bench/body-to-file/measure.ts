import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Measurement {
  readonly seconds: number;
  /** Peak resident memory; `NaN` where the system does not tell. */
  readonly peakMb: number;
}

/** Runs a command to its end. Throws where it fails. */
export async function measure(
  command: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Measurement> {
  // What was written before must not be waited for now.
  spawnSync('sync');
  const startedMs = performance.now();
  const child = spawn(command, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (piece: Buffer) => errors.push(piece));
  let peakMb = Number.NaN;
  const timer = setInterval(() => {
    peakMb = peakOf(child.pid) ?? peakMb;
  }, 10);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${command} ${argv[0]} ended with ${code}: ${Buffer.concat(errors)}`);
  return { seconds: (performance.now() - startedMs) / 1000, peakMb };
}

/** The most memory that a process has held so far, in MB; Linux alone tells. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
