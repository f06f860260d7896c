import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkouts, type Measured, measure, median, ratio } from './figures/measure.ts';
import { bodyOf, byCampaign, metricNames } from './figures/report-body.ts';
import { environmentOf, startReportService } from './figures/report-service.ts';
import { printHeadings, printRow } from './figures/table.ts';

/**
 * `view` of a year of daily files by campaign, hashes and history included, beside `view` of one
 * file with as many rows. They take turns. The time of the process that decodes Parquet is counted,
 * its memory is not.
 *
 *   BENCH_DAYS=100 BENCH_RUNS=5 npm run bench view-folder
 */

const runs = Number(process.env.BENCH_RUNS ?? 3);
const dayCount = Number(process.env.BENCH_DAYS ?? 365);
const rowsOfDay = 2_000;

/** Processor time of the folder ÷ that of the file. */
const goals = { csv: '≤ 1.6 ×', parquet: '≤ 2 ×' } as const;

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const document = join(folder, 'report.json');
const service = await startReportService(document);
const env = environmentOf(service, folder);
const [{ bin } = { bin: '' }] = checkouts();

const lastDay = new Date(Date.UTC(2025, 0, dayCount)).toISOString().slice(0, 10);
const request = [
  ...['--period', `2025-01-01..${lastDay}`],
  ...['--by', byCampaign.breakdowns, '--metrics', metricNames],
];

/** Makes the service answer with so many rows. */
async function serve(rowCount: number): Promise<void> {
  await pipeline(Readable.from(bodyOf(byCampaign, rowCount)), createWriteStream(document));
}

async function run(...flags: readonly string[]): Promise<void> {
  await measure([bin, 'run', '--fresh', '-q', ...request, ...flags], env);
}

function view(path: string): Promise<Measured> {
  return measure([bin, 'view', path, '--by', 'CAMPAIGN', '--json', '-q'], env);
}

async function measureFormat(format: 'csv' | 'parquet'): Promise<void> {
  const days = join(folder, `days-${format}`);
  const oneFile = join(folder, `one.${format}`);
  await serve(rowsOfDay);
  await run('--split', 'day', '--concurrency', '8', '-o', join(days, `{date}.${format}`));
  await serve(dayCount * rowsOfDay);
  await run('-o', oneFile);

  const ofDays: Measured[] = [];
  const ofFile: Measured[] = [];
  for (let turn = 0; turn < runs; turn += 1) {
    ofDays.push(await view(days));
    ofFile.push(await view(oneFile));
  }
  const goal = goals[format];
  const secondsOf = (all: readonly Measured[]) => median(all.map(({ seconds }) => seconds));
  const cpuOf = (all: readonly Measured[]) => median(all.map(({ cpuSeconds }) => cpuSeconds));
  const peakMb = median(ofDays.map((each) => each.peakMb));
  const print = (name: string, all: readonly Measured[]): void => {
    const [clock, processor] = [secondsOf(all), cpuOf(all)].map((time) => `${time.toFixed(2)} s`);
    printRow({ name, clock: clock ?? '', processor });
  };

  print(`${dayCount} ${format} files of ${rowsOfDay} rows`, ofDays);
  printRow({ name: '  peak memory', clock: `${peakMb.toFixed(0)} MB`, goal: '≤ 170 MB' });
  print('  one file of as many', ofFile);
  const clock = ratio(secondsOf(ofDays), secondsOf(ofFile));
  const processor = ratio(cpuOf(ofDays), cpuOf(ofFile));
  printRow({ name: '  folder ÷ file', clock, processor, goal });
}

console.log(`Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.`);
try {
  printHeadings();
  await measureFormat('csv');
  await measureFormat('parquet');
} finally {
  service.stop();
  rmSync(folder, { recursive: true, force: true });
}
