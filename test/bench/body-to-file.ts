import { spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  checkouts,
  type Measured,
  measure,
  measureProgram,
  median,
  ratio,
} from './figures/measure.ts';
import {
  bodyOf,
  byCountry,
  byDayAndCampaign,
  byHour,
  firstDay,
  lastDay,
  metricNames,
  type ReportShape,
} from './figures/report-body.ts';
import { startReportService } from './figures/report-service.ts';

/**
 * The main job, with all its checks: `run` orders a report whose rows all have other keys, and writes it in each format;
 * and `view` reads a file. Processor time and peak memory, as a ratio to Python's `json` and `csv` on the same bytes, to our
 * own CSV of the same rows, and to another checkout where `BASELINE` names one. They take turns, and processor time is told
 * because other work on the machine changes it least; where the system does not tell it, time by the clock is. Needs 4 GB of
 * disk, and 6 GB of memory for Python.
 *
 *   BASELINE=../before BENCH_ROWS=100000 BENCH_RUNS=5 npm run bench body-to-file
 */

const runs = Number(process.env.BENCH_RUNS ?? 3);
const forcedRows = process.env.BENCH_ROWS;

/** What is measured, and for how many rows. */
interface Subject {
  readonly shape: ReportShape;
  readonly rows: number;

  /** What `run` writes; `view` reads the body as a file. */
  readonly format: 'csv' | 'json' | 'ndjson' | 'parquet' | 'xlsx' | 'html' | 'view';

  /** Flags beside the format. */
  readonly flags?: readonly string[];

  /** Whether Python does the same for comparison; its CSV of three million rows takes 10 GB. */
  readonly hasPeer?: boolean;
}

/** One more than a million, which a service may have for a limit: the checks would say so. */
const million = 1_000_001;
const subjects: readonly Subject[] = [
  { shape: byDayAndCampaign, rows: million, format: 'csv', hasPeer: true },
  { shape: byDayAndCampaign, rows: million, format: 'json' },
  { shape: byDayAndCampaign, rows: million, format: 'ndjson' },
  { shape: byDayAndCampaign, rows: million, format: 'parquet' },
  { shape: byCountry, rows: million, format: 'csv', hasPeer: true },
  { shape: byHour, rows: million, format: 'csv', hasPeer: true },
  { shape: byDayAndCampaign, rows: 3_000_001, format: 'csv' },
  { shape: byDayAndCampaign, rows: 1_800_001, format: 'view' },
  { shape: byDayAndCampaign, rows: 100_001, format: 'csv' },
  { shape: byDayAndCampaign, rows: 100_001, format: 'csv', flags: ['--excel'] },
  { shape: byDayAndCampaign, rows: 100_001, format: 'xlsx' },
  { shape: byDayAndCampaign, rows: 50_001, format: 'html' },
];

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const document = join(folder, 'report.json');
const output = join(folder, 'output');
const service = await startReportService(document);
const env = {
  ADREPORT_BASE_URL: service.url,
  ADREPORT_TOKEN: 'x'.repeat(40),
  ADREPORT_CONFIG_DIR: folder,
};
const hasPython = spawnSync('python3', ['-c', 'import csv, json']).status === 0;

/** The words behind `adreport`. */
function argvOf({ shape, format, flags = [] }: Subject): string[] {
  if (format === 'view') return ['view', document, '--json'];

  const window = ['--since', firstDay, '--until', lastDay];
  const columns = ['--by', shape.breakdowns, '--metrics', metricNames];
  return [
    'run',
    '--fresh',
    '-q',
    ...window,
    ...columns,
    '--format',
    format,
    ...flags,
    '-o',
    output,
  ];
}

function measurePeer({ columns }: ReportShape): Promise<Measured> {
  const script = resolve('test/bench/figures/python-peer.py');
  const argv = ['python3', script, `${service.url}/download-reporting`, output, ...columns];
  return measureProgram(argv, env);
}

/** Several runs of one program. */
class Runs {
  readonly #seconds: number[] = [];
  readonly #peaksMb: number[] = [];

  add({ seconds, cpuSeconds, peakMb }: Measured): void {
    this.#seconds.push(Number.isNaN(cpuSeconds) ? seconds : cpuSeconds);
    this.#peaksMb.push(peakMb);
  }

  get seconds(): number {
    return median(this.#seconds);
  }

  get text(): string {
    return `${this.seconds.toFixed(2)} s ${median(this.#peaksMb).toFixed(0)} MB`;
  }
}

/** Our time for CSV, by the number of rows and their breakdowns. */
const csvSeconds = new Map<string, number>();

async function measureSubject(subject: Subject, rowCount: number): Promise<void> {
  const { shape, format, flags = [], hasPeer = false } = subject;
  const copies = checkouts().map(({ bin }) => ({ bin, runs: new Runs() }));
  const peer = hasPeer && hasPython ? new Runs() : undefined;

  for (let run = 0; run < runs; run += 1) {
    for (const copy of copies) {
      rmSync(output, { force: true });
      copy.runs.add(await measure([copy.bin, ...argvOf(subject)], env));
      const isWritten = format === 'view' || statSync(output).size > 10 * rowCount;
      if (!isWritten) throw new Error(`${format}: the file is too small.`);
    }
    peer?.add(await measurePeer(shape));
  }

  const [own, before] = copies;
  if (!own) return;
  const seconds = own.runs.seconds;
  const key = `${rowCount} ${shape.breakdowns}`;
  if (format === 'csv' && flags.length === 0) csvSeconds.set(key, seconds);

  const facts = [`${[format, ...flags].join(' ')} of ${rowCount} rows by ${shape.breakdowns}:`];
  facts.push(own.runs.text);
  if (format !== 'view') facts.push(`${ratio(seconds, csvSeconds.get(key))} our CSV`);
  if (peer) facts.push(`Python ${peer.text}, ${ratio(peer.seconds, seconds)} ours`);
  if (before) facts.push(`before ${before.runs.text}, now ${ratio(seconds, before.runs.seconds)}`);
  console.log(facts.join(' | '));
}

console.log(`Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.`);
if (!hasPython) console.log('There is no python3 here: nothing is compared with it.');
try {
  let bodyInFile = '';
  for (const subject of subjects) {
    const rowCount = Number(forcedRows ?? subject.rows);
    const body = `${rowCount} ${subject.shape.breakdowns}`;
    if (body !== bodyInFile) {
      const pieces = Readable.from(bodyOf(subject.shape, rowCount));
      await pipeline(pieces, createWriteStream(document));
      bodyInFile = body;
      const sizeMb = statSync(document).size / 1e6;
      console.log(
        `\n${sizeMb.toFixed(0)} MB, ${((1e6 * sizeMb) / rowCount).toFixed(0)} bytes a row`,
      );
    }
    await measureSubject(subject, rowCount);
  }
} finally {
  service.stop();
  rmSync(folder, { recursive: true, force: true });
}
