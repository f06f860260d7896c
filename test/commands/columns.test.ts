import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import { documentOf, encode } from '../output/encode.ts';
import { readParquet } from '../output/parquet-reader.ts';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Which columns a file has: those that were asked for, in that order. */

const day = 'run --period 2026-11-01 --fresh';

describe('columns', () => {
  test('are the fields of the breakdowns, then the metrics, in the order of the request', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const asked = `${day} --by CAMPAIGN,DAILY --metrics clicks,ctr,revenueDollar`;
    const names = ['campaignId', 'campaignName', 'date', 'clicks', 'ctr', 'valueDollar'];
    const { stdout } = await run(`${asked} --format csv`);
    expect(stdout.split('\r\n')[0]).toBe(names.join(','));
    await run(`${asked} -o r.parquet`);
    const { types, rows } = await readParquet(readFileSync(join(cwd, 'r.parquet')));
    expect(Object.keys(types)).toEqual(names);
    expect(rows.every(({ ctr }) => ctr === null || (typeof ctr === 'number' && ctr < 1))).toBe(true);
  });

  test('are all that the service sends with --columns all; json holds nothing that is computed', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const all = await run(`${day} --by DAILY --metrics clicks --format csv --columns all`);
    expect(all.stdout).toMatch(/^date,clicks,Adnetwork,campaignId,/);
    for (const format of ['json', 'ndjson']) {
      const refused = await run(`${day} --by DAILY --metrics ctr --format ${format}`);
      expectRefusal(refused, 2, `ctr is computed here, and ${format} holds what the service sends.`);
    }
  });

  const columns = askedColumns('buyer', { breakdowns: ['DAILY'], metrics: ['displays', 'clicks'] }, ['ctr']);

  test('that are computed come from the row’s own values, and are empty where there are no displays', async () => {
    const body = documentOf(
      '{"date":"2026-11-01","displays":3,"clicks":1}',
      '{"date":"2026-11-02","displays":0,"clicks":1}',
      '{"date":"2026-11-03","clicks":1,"displays":null}',
    );
    for (const csv of [{}, { delimiter: ';' }]) {
      expect((await encode(body, 'csv', { columns, csv })).text.replaceAll(';', ',')).toBe(
        'date,ctr\r\n2026-11-01,0.333333\r\n2026-11-02,\r\n2026-11-03,\r\n',
      );
    }
  });

  test('that were not asked for are left out while they are null, and kept and said where they are not', async () => {
    const rows = [
      '{"date":"2026-11-01","city":null,"os":"iOS","displays":4,"clicks":1,"new":null}',
      '{"date":"2026-11-02","city":"","os":null,"displays":4,"clicks":1,"new":2}',
    ];
    const { text, notes } = await encode(documentOf(...rows), 'csv', { columns });
    expect(text).toBe('date,ctr,os,new\r\n2026-11-01,0.25,iOS,\r\n2026-11-02,0.25,,2\r\n');
    expect(notes).toEqual(['The column os was not asked for; it is kept because it has values.']);
    const late = documentOf(...rows, '{"date":"2026-11-03","city":"Lyon","displays":4,"clicks":1,"new":null}');
    await expect(encode(late, 'csv', { columns, pieceBytes: 100 })).rejects.toMatchObject({
      exitCode: 9,
      code: 'LATE_COLUMN',
      message: expect.stringContaining('"city"'),
    });
  });
});
