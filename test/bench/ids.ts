import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkouts, measure, Runs, ratio } from './figures/measure.ts';
import {
  bodyOf,
  firstDay,
  type IdShape,
  lastDay,
  metricNames,
  withIds,
} from './figures/report-body.ts';
import { environmentOf, type ReportService, startReportService } from './figures/report-service.ts';
import { printHeadings, printRow } from './figures/table.ts';

/**
 * The main job with ids of the shapes that services use, beside ids that look like nothing else
 * (`x_1`), and the release before. All of them take turns.
 *
 *   BENCH_ROWS=500000 BENCH_RUNS=5 npm run bench ids
 */

const runs = Number(process.env.BENCH_RUNS ?? 3);
const rowCount = Number(process.env.BENCH_ROWS ?? 100_003);

type Format = 'csv' | 'json' | 'parquet' | 'xlsx';
const shapesByFormat: Readonly<Record<Format, readonly IdShape[]>> = {
  csv: ['x_1', 'sub_1', 'digits', 'UUID', 'Unicode'],
  json: ['x_1', 'sub_1'],
  parquet: ['x_1', 'sub_1'],
  xlsx: ['x_1', 'sub_1'],
};

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const output = join(folder, 'output');
const copies = checkouts();

/** Starts a service with one report, whose ids have this shape. */
async function startService(shape: IdShape): Promise<ReportService> {
  const document = join(folder, `${shape}.json`);
  await pipeline(Readable.from(bodyOf(withIds(shape), rowCount)), createWriteStream(document));
  return startReportService(document);
}

const { breakdowns } = withIds('x_1');
const request = [
  ...['run', '--fresh', '-q', '--since', firstDay, '--until', lastDay],
  ...['--by', breakdowns, '--metrics', metricNames, '-o', output, '--format'],
];

console.log(
  `Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs of ${rowCount} rows.`,
);
const services = new Map<IdShape, ReportService>();
try {
  for (const shape of shapesByFormat.csv) services.set(shape, await startService(shape));

  for (const format of Object.keys(shapesByFormat) as Format[]) await measureFormat(format);
} finally {
  for (const service of services.values()) service.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measureFormat(format: Format): Promise<void> {
  const subjects = shapesByFormat[format].map((shape) => ({
    shape,
    copies: copies.map(({ bin }) => ({ bin, runs: new Runs() })),
  }));
  for (let turn = 0; turn < runs; turn += 1) {
    for (const { shape, copies } of subjects) {
      const service = services.get(shape);
      if (!service) continue;
      const env = environmentOf(service, folder);
      for (const copy of copies) {
        rmSync(output, { force: true });
        copy.runs.add(await measure([copy.bin, ...request, format], env));
        if (statSync(output).size < 10 * rowCount)
          throw new Error(`${format}: the file is too small.`);
      }
    }
  }

  console.log(`\n${format}`);
  printHeadings();
  const plain = subjects[0]?.copies[0]?.runs;
  for (const { shape, copies } of subjects) {
    const [now, before] = copies;
    if (!now) continue;
    const { seconds, cpuSeconds } = now.runs;
    printRow({
      name: shape,
      clock: `${seconds.toFixed(2)} s`,
      processor: `${cpuSeconds.toFixed(2)} s`,
    });
    if (before) printRatio('  ÷ before', now.runs, before.runs);
    if (plain && plain !== now.runs) printRatio('  ÷ x_1', now.runs, plain, '≤ 1.05 ×');
  }
}

function printRatio(name: string, own: Runs, other: Runs, goal?: string): void {
  const clock = ratio(own.seconds, other.seconds);
  printRow({ name, clock, processor: ratio(own.cpuSeconds, other.cpuSeconds), goal });
}
