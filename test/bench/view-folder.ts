import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkouts, measure, Runs } from './figures/measure.ts';
import { printHeadings, printRow } from './figures/table.ts';

/**
 * `view` of a year of daily files, hashes and history included, of this copy and of the one before,
 * and of one file with the same rows. They take turns.
 *
 *   BENCH_RUNS=5 npm run bench view-folder
 */

const runs = Number(process.env.BENCH_RUNS ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const env = { ADREPORT_CONFIG_DIR: join(folder, 'settings') };
const copies = checkouts();

/** Files of a few rows, and of some hundreds. */
const folders = [
  { period: '2025-10-01..2026-10-27', by: 'CAMPAIGN', goal: '≤ 1.0 s', ratio: '' },
  { period: '2025-10-28..2026-10-27', by: 'HOURLY,CAMPAIGN,COUNTRY', goal: '', ratio: '≤ 1.4 ×' },
];

/** A program and what it reads. */
interface Subject {
  readonly name: string;
  readonly bin: string;
  readonly path: string;
  readonly all: Runs;
}

async function measureFolder(
  format: 'csv' | 'parquet',
  { period, by, goal, ratio }: (typeof folders)[number],
): Promise<void> {
  const oneFile = join(folder, `one.${format}`);
  const request = ['run', '--local', '-q', '--period', period, '--by', by, '--split', 'day'];
  const subjects: Subject[] = [];
  // Each copy reads the folder that it wrote: what a folder holds is written down differently.
  for (const { name, bin } of copies) {
    const path = join(folder, `${by}-${format}-${name}`);
    const files = join(path, `{date}.${format}`);
    await measure([bin, ...request, '--concurrency', '8', '-o', files], env);
    subjects.push({ name, bin, path, all: new Runs() });
  }
  const [now] = subjects;
  if (!now) throw new Error('There is at least one copy.');
  await measure([now.bin, 'view', now.path, '-q', '-o', oneFile], env);
  const one: Subject = { name: 'one file', bin: now.bin, path: oneFile, all: new Runs() };
  subjects.push(one);

  for (let turn = 0; turn < runs; turn += 1) {
    for (const { bin: program, path, all } of subjects) {
      all.add(await measure([program, 'view', path, '--by', 'CAMPAIGN', '--json', '-q'], env));
    }
  }
  for (const { name, all } of subjects) {
    const isGoal = name === 'now';
    printRow({
      name: `${by} as ${format}, ${name}`,
      clock: `${all.seconds.toFixed(2)} s`,
      processor: `${all.cpuSeconds.toFixed(2)} s`,
      ...(isGoal && { goal }),
    });
  }
  const times = (now.all.seconds / one.all.seconds).toFixed(2);
  printRow({ name: '  folder ÷ file', clock: `${times} ×`, goal: ratio });
}

console.log(`Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.`);
try {
  printHeadings();
  for (const subject of folders) {
    await measureFolder('csv', subject);
    await measureFolder('parquet', subject);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
