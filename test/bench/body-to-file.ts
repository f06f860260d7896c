import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeDocuments } from './body-to-file/documents.ts';
import { serveFile } from './body-to-file/file-server.ts';
import { type Measurement, measure } from './body-to-file/measure.ts';
import { peers, type Subject } from './body-to-file/peers.ts';
import { median } from './figures/median.ts';

/**
 * A report of about 670 bytes a row, from a body to a file: the program over HTTP from a file server in a process of
 * its own, and what else one would do it with. Each has a process of its own and they take turns, after the disk has
 * taken what the one before wrote. Needs `npm run build` first, and 3 GB of disk. DuckDB is taken from `NODE_PATH`.
 *
 *   BENCH_ROWS=100000,1000000 BENCH_RUNS=5 npm run bench body-to-file
 */

const rowCounts = (process.env.BENCH_ROWS ?? '100000,1000000').split(',').map(Number);
const runs = Number(process.env.BENCH_RUNS ?? 5);
if (!existsSync(resolve('dist/main.js'))) throw new Error('Run npm run build first.');

const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
try {
  for (const rowCount of rowCounts) await compare(rowCount);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function compare(rowCount: number): Promise<void> {
  const documents = await writeDocuments(folder, rowCount);
  const server = await serveFile(documents.json);
  const output = join(folder, 'output');
  try {
    const { present, missing } = peers({ ...documents, url: server.url, output, folder });
    const results = new Map(present.map((subject): [Subject, Measurement[]] => [subject, []]));
    for (let run = 0; run < runs; run++) {
      for (const [subject, measurements] of results) {
        if (subject.slow && run > 0) continue;
        rmSync(output, { force: true });
        measurements.push(await measure(subject.command, subject.argv, subject.env));
        const sizeBytes = statSync(output).size;
        const { leastRowBytes = 100 } = subject;
        if (sizeBytes < leastRowBytes * rowCount) throw new Error(`${subject.name} wrote only ${sizeBytes} bytes.`);
      }
    }
    report(rowCount, statSync(documents.json).size, results);
    if (missing.length > 0) console.log(`Not on this machine: ${missing.join(', ')}.`);
  } finally {
    server.stop();
  }
}

function report(rowCount: number, sizeBytes: number, results: ReadonlyMap<Subject, readonly Measurement[]>): void {
  const rows = [...results].map(([{ name, peer }, measurements]) => ({
    name,
    peer,
    seconds: median(measurements.map(({ seconds }) => seconds)),
    peakMb: median(measurements.map(({ peakMb }) => peakMb)),
  }));
  const secondsOf = (peer: string): number => rows.find(({ name }) => name === peer)?.seconds ?? Number.NaN;
  console.log(
    `\n${rowCount} rows, ${(sizeBytes / 1e6).toFixed(0)} MB; Node ${process.version}, ${cpus().length} cores; medians of ${runs} runs.\n`,
  );
  for (const { name, peer, seconds, peakMb } of rows) {
    const ratio = peer === undefined ? '' : `${(seconds / secondsOf(peer)).toFixed(2)} × ${peer}`;
    const memory = Number.isNaN(peakMb) ? '' : `${peakMb.toFixed(0)} MB`;
    console.log(`${name.padEnd(34)} ${seconds.toFixed(2).padStart(7)} s ${memory.padStart(9)}  ${ratio}`);
  }
}
