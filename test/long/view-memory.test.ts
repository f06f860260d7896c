import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { parquetWriteFile } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn-cli.ts';

/** Prints, as the process ends, the most memory that it ever took. */
const tellsPeak =
  "--import data:text/javascript,process.on('exit',()=>console.error('peak',process.resourceUsage().maxRSS))";

const blockRows = 10_000;
const names = ['date', 'campaignName', 'city', 'displays', 'clicks', 'revenueEuro'];

function valuesOf(row: number): (string | number)[] {
  const day = String(1 + (row % 28)).padStart(2, '0');
  return [`2026-11-${day}`, `Campaign ${row % 40}`, `City ${row % 900}`, row, row % 7, (row % 10_000) / 100];
}

const blocks = {
  csv: Array.from({ length: blockRows }, (_, row) => `${valuesOf(row).join(',')}\n`).join(''),
  ndjson: Array.from({ length: blockRows }, (_, row) => {
    const values = valuesOf(row);
    return `${JSON.stringify(Object.fromEntries(names.map((name, i) => [name, values[i]])))}\n`;
  }).join(''),
};

function* document(kind: 'json' | 'csv' | 'ndjson', blockCount: number): Generator<string> {
  if (kind === 'csv') yield `${names.join(',')}\n`;
  if (kind === 'json') yield '{"data":[';
  const block = kind === 'csv' ? blocks.csv : blocks.ndjson;
  const joined = kind === 'json' ? block.trimEnd().replaceAll('\n', ',') : block;
  for (let i = 0; i < blockCount; i++) yield kind === 'json' && i > 0 ? `,${joined}` : joined;
  if (kind === 'json') yield ']}';
}

async function write(path: string, blockCount: number): Promise<void> {
  const kind = path.includes('.csv') ? 'csv' : path.includes('.ndjson') ? 'ndjson' : 'json';
  if (!path.endsWith('.parquet')) {
    const file = createWriteStream(path);
    const text = Readable.from(document(kind, blockCount));
    return path.endsWith('.gz') ? pipeline(text, createGzip({ level: 1 }), file) : pipeline(text, file);
  }
  const rows = Array.from({ length: blockRows * blockCount }, (_, row) => valuesOf(row % blockRows));
  parquetWriteFile({
    filename: path,
    rowGroupSize: 4 * blockRows,
    columnData: names.map((name, i) => ({
      name,
      data: rows.map((values) => values[i]),
      type: i < 3 ? 'STRING' : i < 5 ? 'INT32' : 'DOUBLE',
    })),
  });
}

async function peakOf(path: string, blockCount: number): Promise<number> {
  const argv = ['view', path, '--by', 'date,city', '--format', 'csv', '--progress', 'none'];
  const { exitCode, stdout, stderr } = await spawnCli(argv, { env: { NODE_OPTIONS: tellsPeak } });
  expect(exitCode).toBe(0);
  const displays = stdout
    .split('\r\n')
    .slice(1, -1)
    .map((line) => Number(line.split(',')[2]));
  const sum = displays.reduce((total, count) => total + count, 0);
  expect(sum).toBe((blockCount * blockRows * (blockRows - 1)) / 2);
  return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
}

test.each([
  ['report.json', 10, 600],
  ['report.ndjson', 10, 600],
  ['report.csv', 10, 600],
  ['report.csv.gz', 10, 300],
  ['report.parquet', 8, 80],
])('%s: ten times the rows and more take no more memory', async (name, few, many) => {
  const folder = temporaryFolder();
  const [small, large] = [join(folder, `small-${name}`), join(folder, `large-${name}`)];
  await write(small, few);
  await write(large, many);
  const [before, after] = [await peakOf(small, few), await peakOf(large, many)];
  console.log(`${name}: ${Math.round(before)} MB, then ${Math.round(after)} MB`);
  expect(after).toBeLessThan(before + 60);
  expect(after).toBeLessThan(220);
});
