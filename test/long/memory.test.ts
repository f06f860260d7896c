import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { peakMbOf, printsPeakMemory, spawnCli } from '../support/spawn.ts';

/** The memory of `view` does not grow with the number of rows. */

const blockRows = 10_000;
const names = ['date', 'campaignName', 'city', 'displays', 'clicks', 'revenueEuro'];
const values = Array.from({ length: blockRows }, (_, row) => {
  const day = String(1 + (row % 28)).padStart(2, '0');
  return [
    `2026-11-${day}`,
    `Campaign ${row % 40}`,
    `City ${row % 900}`,
    row,
    row % 7,
    (row % 10_000) / 100,
  ];
});
const csvBlock = values.map((row) => `${row.join(',')}\n`).join('');
const jsonBlock = values.map((row) =>
  JSON.stringify(Object.fromEntries(names.map((name, i) => [name, row[i]]))),
);

function* document(kind: string, blocks: number): Generator<string> {
  if (kind === 'csv') yield `${names.join(',')}\n`;
  if (kind === 'json') yield '{"data":[';
  for (let i = 0; i < blocks; i++) {
    if (kind === 'csv') yield csvBlock;
    else
      yield kind === 'json'
        ? `${i > 0 ? ',' : ''}${jsonBlock.join()}`
        : `${jsonBlock.join('\n')}\n`;
  }
  if (kind === 'json') yield ']}';
}

/** The peak in MB of a command that groups so many blocks of rows of a file. */
async function peakOf(name: string, blocks: number): Promise<number> {
  const file = join(temporaryFolder(), name);
  const text = Readable.from(document(name.split('.')[1] ?? '', blocks));
  const target = createWriteStream(file);
  await (name.endsWith('.gz')
    ? pipeline(text, createGzip({ level: 1 }), target)
    : pipeline(text, target));
  const line = `view ${file} --by date,city --format csv --progress none`;
  const result = await spawnCli(line, { env: { NODE_OPTIONS: printsPeakMemory } });
  expect(result.exitCode).toBe(0);
  expect(result.stdout.length).toBeGreaterThan(1_000);
  return peakMbOf(result);
}

test.each([
  { name: 'report.json', blocks: 600 },
  { name: 'report.ndjson', blocks: 600 },
  { name: 'report.csv', blocks: 600 },
  { name: 'report.csv.gz', blocks: 300 },
])(
  '$name: ten times the rows and more take no more memory ($blocks blocks)',
  async ({ name, blocks }) => {
    const [before, after] = [await peakOf(name, 10), await peakOf(name, blocks)];
    console.log(`${name}: ${Math.round(before)} MB, then ${Math.round(after)} MB`);

    expect(after).toBeLessThan(before + 80);
    expect(after).toBeLessThan(300);
  },
);
