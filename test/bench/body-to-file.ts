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
  Runs,
  ratio,
} from './figures/measure.ts';
import {
  bodyOf,
  breakdowns,
  columns,
  firstDay,
  lastDay,
  metricNames,
} from './figures/report-body.ts';
import { environmentOf, startReportService } from './figures/report-service.ts';
import { printHeadings, printRow } from './figures/table.ts';

/**
 * The main job, with all its checks: `run` requests a report whose rows all have different keys,
 * and writes it in each format, and in three formats at once; and `view` reads a file. Prints the
 * time by the clock and of the processors, and the peak memory, beside Python's `json` and `csv` on
 * the same bytes, our own CSV of the same rows, the release before (see `run.js`), and the goal if
 * there is one. They take turns. Other work on the machine changes the time of the processors
 * least. Needs 4 GB of disk, and 6 GB of memory for Python.
 *
 *   BENCH_ROWS=100000 BENCH_RUNS=5 npm run bench body-to-file
 */

const runs = Number(process.env.BENCH_RUNS ?? 3);
const forcedRows = process.env.BENCH_ROWS;

/** A measurement, with its number of rows. */
interface Subject {
  readonly rows: number;

  /** What `run` writes; `view` reads the body as a file. */
  readonly format: 'csv' | 'json' | 'ndjson' | 'parquet' | 'xlsx' | 'html' | 'three files' | 'view';

  /** True to compare with Python, whose CSV of three million rows takes 10 GB. */
  readonly hasPeer?: boolean;

  readonly goals?: Goals;
}

/** The goals of the figures, as shown in the table. */
interface Goals {
  /** Of Python's time ÷ ours. */
  readonly ofPeer?: string;

  /** Of our time ÷ our CSV of the same rows; for three files ÷ the slowest, our spreadsheet. */
  readonly ofOwn?: string;

  /** Of the most memory that the program held. */
  readonly peak?: string;
}

/** No round number, which a service may have for a limit: the checks would say so. */
const halfMillion = 512_345;
const subjects: readonly Subject[] = [
  {
    rows: halfMillion,
    format: 'csv',
    hasPeer: true,
    goals: { ofPeer: '≥ 5 ×', peak: '≤ 180 MB' },
  },
  { rows: halfMillion, format: 'json', goals: { ofOwn: '≤ 1.05 ×' } },
  { rows: halfMillion, format: 'parquet', goals: { ofOwn: '≤ 2 ×' } },
  { rows: 1_500_001, format: 'csv', goals: { peak: '≤ 180 MB' } },
  { rows: 1_500_001, format: 'json', goals: { peak: '≤ 180 MB' } },
  { rows: 1_500_001, format: 'ndjson', goals: { peak: '≤ 180 MB' } },
  { rows: 1_500_001, format: 'view' },
  { rows: 100_001, format: 'csv' },
  { rows: 100_001, format: 'xlsx', goals: { ofOwn: '≤ 3.5 ×' } },
  { rows: 100_001, format: 'html' },
  { rows: 100_001, format: 'three files', goals: { ofOwn: '< 2 ×' } },
];

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
const document = join(folder, 'report.json');
const output = join(folder, 'output');
const service = await startReportService(document);
const env = environmentOf(service, folder);
const hasPython = spawnSync('python3', ['-c', 'import csv, json']).status === 0;

/** The words behind `adreport`. */
function argvOf({ format }: Subject): string[] {
  if (format === 'view') return ['view', document, '--json'];

  const window = ['--since', firstDay, '--until', lastDay];
  const request = ['--by', breakdowns, '--metrics', metricNames];
  const file = format === 'three files' ? threeFiles : ['--format', format, '-o', output];
  return ['run', '--fresh', '-q', ...window, ...request, ...file];
}

const threeFiles = ['-o', `${output}.csv`, '-o', `${output}.html`, '-o', `${output}.xlsx`];

function measurePeer(): Promise<Measured> {
  const script = resolve('test/bench/figures/python-peer.py');
  const argv = ['python3', script, `${service.url}/download-reporting`, output, ...columns];
  return measureProgram(argv, env);
}

/** The runs so far, by format and number of rows. */
const runsByFormat = new Map<string, Runs>();

async function measureSubject(subject: Subject, rowCount: number): Promise<void> {
  const { format, hasPeer = false, goals = {} } = subject;
  // The release before writes one file.
  const bins = checkouts().slice(0, format === 'three files' ? 1 : undefined);
  const copies = bins.map(({ bin }) => ({ bin, runs: new Runs() }));
  const peer = hasPeer && hasPython ? new Runs() : undefined;

  for (let run = 0; run < runs; run += 1) {
    for (const copy of copies) {
      rmSync(output, { force: true });
      copy.runs.add(await measure([copy.bin, ...argvOf(subject)], env));
      // A page lists only the first rows, and three files have other names.
      const hasAllRows = format !== 'view' && format !== 'html' && format !== 'three files';
      const isWritten = !hasAllRows || statSync(output).size > 10 * rowCount;
      if (!isWritten) throw new Error(`${format}: the file is too small.`);
    }
    peer?.add(await measurePeer());
  }

  const [own, before] = copies;
  if (!own) return;
  const peerFormat = format === 'three files' ? 'xlsx' : 'csv';
  const ownPeer = runsByFormat.get(`${peerFormat} ${rowCount}`);
  runsByFormat.set(`${format} ${rowCount}`, own.runs);

  printTimes(format, own.runs);
  printPeak(own.runs, goals.peak);
  if (peer) printRatio('  Python ÷ this', { of: peer, to: own.runs, goal: goals.ofPeer });
  if (ownPeer && format !== 'view') {
    printRatio(`  this ÷ ${peerFormat}`, { of: own.runs, to: ownPeer, goal: goals.ofOwn });
  }
  if (before) {
    printRatio('  this ÷ before', { of: own.runs, to: before.runs });
    printTimes('  before', before.runs);
    printPeak(before.runs);
  }
}

function printTimes(name: string, { seconds, cpuSeconds }: Runs): void {
  printRow({ name, clock: `${seconds.toFixed(2)} s`, processor: `${cpuSeconds.toFixed(2)} s` });
}

function printPeak({ peakMb }: Runs, goal?: string): void {
  printRow({ name: '  peak memory', clock: `${peakMb.toFixed(0)} MB`, goal });
}

/** Two programs whose times are compared. */
interface Comparison {
  readonly of: Runs;
  readonly to: Runs;
  readonly goal?: string | undefined;
}

function printRatio(name: string, { of, to, goal }: Comparison): void {
  const clock = ratio(of.seconds, to.seconds);
  printRow({ name, clock, processor: ratio(of.cpuSeconds, to.cpuSeconds), goal });
}

console.log(`Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.`);
if (!hasPython) console.log('There is no python3 here: nothing is compared with it.');
try {
  let rowsInFile = 0;
  for (const subject of subjects) {
    const rowCount = Number(forcedRows ?? subject.rows);
    if (rowCount !== rowsInFile) {
      const pieces = Readable.from(bodyOf(rowCount));
      await pipeline(pieces, createWriteStream(document));
      rowsInFile = rowCount;
      const bytesPerRow = (statSync(document).size / rowCount).toFixed(0);
      console.log(`\n${rowCount} rows of ${bytesPerRow} bytes by ${breakdowns}`);
      printHeadings();
    }
    await measureSubject(subject, rowCount);
  }
} finally {
  service.stop();
  rmSync(folder, { recursive: true, force: true });
}
