import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startLocalServer } from '../../src/server/start.ts';
import { median } from './figures/median.ts';

/**
 * How long a command takes to start, as a ratio to `node -e 0` on the same Node: `--help`, and a command that makes one
 * call (its server runs in this process, and has answered before). Needs `npm run build` first. The subjects take turns.
 */

const runs = 41;
const bin = resolve('bin/adreport.js');
if (!existsSync(resolve('dist/main.js'))) throw new Error('Run npm run build first.');

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const server = await startLocalServer({ delayMs: 0 });
const env = {
  PATH: process.env.PATH,
  ADREPORT_CONFIG_DIR: folder,
  ADREPORT_BASE_URL: server.url,
  ADREPORT_TOKEN: server.accounts[0]?.token,
};

const subjects: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['adreport --help', [bin, '--help']],
  ['adreport --version', [bin, '--version']],
  ['adreport fields', [bin, 'fields']],
  ['adreport help periods', [bin, 'help', 'periods']],
  ['adreport complete (breakdowns)', [bin, 'complete', 'fish', '--', 'run', '--by', 'c']],
  ['adreport complete (ledger ids)', [bin, 'complete', 'fish', '--', 'status', '']],
  ['adreport run --dry-run', [bin, 'run', '--period', 'yesterday', '--dry-run']],
  ['adreport status ID (one call)', [bin, 'status', await createReport()]],
];

async function createReport(): Promise<string> {
  const response = await fetch(`${server.url}/buyer-reporting`, {
    method: 'POST',
    headers: { authorization: server.accounts[0]?.token ?? '' },
    body: JSON.stringify({ since: 1793487600, until: 1793573999, metrics: 'displays' }),
  });
  return ((await response.json()) as { response: { report_id: string } }).response.report_id;
}

/** Spawned without blocking this process, which has to answer. */
async function timeOf(argv: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' });
  const code = await new Promise((done) => child.on('exit', done));
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}.`);
  return performance.now() - startedMs;
}

const times = subjects.map((): number[] => []);
for (let run = 0; run < runs; run += 1) {
  for (const [index, [, argv]] of subjects.entries()) times[index]?.push(await timeOf(argv));
}
await server.close();
rmSync(folder, { recursive: true, force: true });

const base = median(times[0] ?? []);
console.log(`Node ${process.version}, medians of ${runs} runs in turns.\n`);
for (const [index, [name]] of subjects.entries()) {
  const middle = median(times[index] ?? []);
  console.log(`${name.padEnd(32)} ${middle.toFixed(0).padStart(6)} ms  ${(middle / base).toFixed(2).padStart(6)} ×`);
}
