import { parquetMetadata } from 'hyparquet';
import { expect, test } from 'vitest';
import { formats } from '../../src/formats/index.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { encodeAll } from './encode.ts';

/** A report with `rows` rows, each with a text of `characters` characters. */
async function* reportOf(rowCount: number, textLength: number): AsyncGenerator<Buffer> {
  yield Buffer.from('{"data":[');
  for (let row = 0; row < rowCount; row++) {
    const comma = row === 0 ? '' : ',';
    yield Buffer.from(`${comma}{"date":"2026-11-01","note":"${'x'.repeat(textLength)}"}`);
  }
  yield Buffer.from(']}');
}

test('a table refuses more rows than it can hold with exit code 8', async () => {
  const encoder = await formats.table.createEncoder({});
  const written = encodeAll(encoder, readRows(reportOf(1_400, 50_000)));
  await expect(written).rejects.toMatchObject({ exitCode: 8, code: 'TOO_LARGE' });
});

test('Parquet row groups are shorter if rows are wide', async () => {
  async function* wideReport(): AsyncGenerator<Buffer> {
    const members = Array.from({ length: 990 }, (_, i) => `"f${i}":null`).join(',');
    const rows = Array.from({ length: 550 }, () => `{${members}}`).join(',');
    yield Buffer.from('{"data":[{}');
    for (let i = 0; i < 4; i++) yield Buffer.from(`,${rows}`);
    yield Buffer.from(']}');
  }

  const encoder = await formats.parquet.createEncoder({ selectedColumns: 'all' });
  const { bytes } = await encodeAll(encoder, readRows(wideReport()));

  const { row_groups, num_rows } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect(num_rows).toBe(2201n);
  expect(Number(row_groups[0]?.num_rows)).toBeLessThan(2_100);
});
