import { createWriteStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { peakMbOf, printsUsage, spawnCli, start } from '../support/spawn.ts';

/** The memory of `view` and of the library does not grow with the number of rows. */

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
  const line = `view ${file} --by date,city --format csv`;
  const result = await spawnCli(line, { env: { NODE_OPTIONS: printsUsage } });
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

/** The peak in MB of a program that reads so many rows with `createClient`. */
async function peakOfClient(rows: number): Promise<number> {
  const row = JSON.stringify({ date: '2026-11-09', campaignId: '40001', clicks: 7, displays: 999 });
  const { url } = await serve(async ({ path }, response) => {
    if (path !== '/download-reporting') return json(response, { id: 'r1', status: 'ready' });
    const text = Readable.from(
      (function* () {
        yield '{"data":[';
        for (let i = 0; i < rows; i += 1_000) {
          yield `${i > 0 ? ',' : ''}${Array.from({ length: 1_000 }, () => row).join()}`;
        }
        yield ']}';
      })(),
    );
    await pipeline(text, response.writeHead(200, { 'content-type': 'application/json' }));
  });
  const index = JSON.stringify(pathToFileURL(resolve(import.meta.dirname, '../../dist/index.js')));
  const program = `
    const { createClient } = await import(${index});
    const client = createClient({ baseUrl: '${url}', token: 'any' });
    let count = 0;
    const report = await client.openReport('r1');
    for await (const { clicks } of report.rows()) count += clicks / 7;
    console.log(count);
    process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS));`;
  const result = await start(process.execPath, ['--input-type=module', '--eval', program]).ended;
  expect(result.stdout.trim()).toBe(String(rows));
  return peakMbOf(result);
}

test('the library reads 30,000 and 300,000 rows with the same memory', async () => {
  const [few, many] = [await peakOfClient(30_000), await peakOfClient(300_000)];
  console.log(`library: ${Math.round(few)} MB, then ${Math.round(many)} MB`);

  expect(many).toBeLessThan(few + 40);
});
