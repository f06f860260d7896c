import { expect, test } from 'vitest';
import { mergeReports } from '../../src/report/parts.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import type { RowBatches } from '../../src/rows/row-batch.ts';
import { readBatches } from '../rows/read-rows.ts';
import { chunksOf } from '../rows/report-documents.ts';

async function* reportsOf(documents: readonly string[]): AsyncGenerator<RowBatches> {
  for (const document of documents) yield readRows(chunksOf(Buffer.from(document), 65_536));
}

function documentOf(rows: readonly number[], summary: object, other: object = {}): string {
  return JSON.stringify({ data: rows.map((n) => ({ n })), summary, ...other });
}

async function read(batches: RowBatches) {
  const { rows, tail } = await readBatches(batches);
  return { rows: rows.map((row) => JSON.parse(row)), tail };
}

const zone = { breakdowns: ['DAILY'], timezone: 'europe/paris' };

test('the summary spans them; of the other members those stay that all agree on', async () => {
  const documents = [
    documentOf([1], { since: 'a', until: 'b', ...zone, note: 'é' }, { version: 2, total: 1 }),
    documentOf([2], { since: 'c', until: 'd', ...zone, note: 'é' }, { version: 2, total: 1, more: true }),
    documentOf([3], { since: 'e', until: 'f', ...zone, note: 'é' }, { version: 2, total: 7 }),
  ];
  const { rows, tail } = await read(mergeReports(reportsOf(documents)));
  expect(rows).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(tail.rowCount).toBe(3);
  expect(tail.members.map(({ name, json }) => [name, JSON.parse(json.toString())])).toEqual([
    ['summary', { since: 'a', until: 'f', ...zone, note: 'é' }],
    ['version', 2],
  ]);
});

test('a part that breaks off fails the whole, and those after it are not begun', async () => {
  let begun = 0;
  async function* broken(): AsyncGenerator<RowBatches> {
    for (const document of [documentOf([1], {}), '{"data":[{"n":1}', documentOf([2], {})]) {
      begun += 1;
      yield readRows(chunksOf(Buffer.from(document), 65_536));
    }
  }
  await expect(read(mergeReports(broken()))).rejects.toMatchObject({ exitCode: 9 });
  expect(begun).toBe(2);
});
