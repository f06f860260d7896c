import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncompleteDataError } from '../../src/errors.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { readReport } from './read-rows.ts';

const expected = { lines: 'expected' } as const;

describe('rows one a line', () => {
  it('read as JSON.parse reads each line, however they are cut', async () => {
    const row = fc.dictionary(fc.constantFrom('date', 'displays', 'city', 'é'), fc.jsonValue({ maxDepth: 1 }));
    const sizes = fc.integer({ min: 1, max: 100 });
    await fc.assert(
      fc.asyncProperty(fc.array(row), fc.constantFrom('\n', '\r\n', '\n\n'), sizes, sizes, async (...drawn) => {
        const [written, lineEnd, chunkBytes, pieceBytes] = drawn;
        const lines = written.map((each) => JSON.stringify(each));
        const body = lines.map((line) => line + lineEnd).join('');
        const { rows, tail } = await readReport(body, { ...expected, chunkBytes, pieceBytes });
        expect(rows).toEqual(lines);
        expect(tail).toMatchObject({ rowCount: lines.length, members: [] });
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['{"date":"2026-11-01"}\n{"date":"2026-11-02"}\n', 2],
    ['{"date":"2026-11-01"}\n', 1],
    ['{"date":"2026-11-01"}', 1],
  ])('are told from a document where either may come: %j', async (body, rowCount) => {
    expect((await readReport(body, { lines: 'allowed' })).tail).toMatchObject({ rowCount, fields: ['date'] });
  });

  it.each([
    ['{"data":[{"date":"2026-11-01"}]}', 1],
    ['{"date":"2026-11-01","data":[]}', 0],
    [' \n{"response":{"data":[{}]}}', 1],
  ])('a document is not taken for them: %j', async (body, rowCount) => {
    expect((await readReport(body, { lines: 'allowed' })).tail.rowCount).toBe(rowCount);
  });

  it.each([
    ['cut in a row', '{"a":1}\n{"a":', 'The report ends too early, after 1 row (byte 13).'],
    ['a row that is none', '{"a":1}\n[2]\n', 'Row 2 cannot be read: expected a row object (byte 8).'],
    ['a bad number', '{"a":1}\n{"a":01}\n', 'Row 2 cannot be read: expected "," or "}" (byte 14).'],
  ])('are refused: %s', async (_, body, message) => {
    const error = await readReport(body, expected).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(IncompleteDataError);
    expect(error).toHaveProperty('message', message);
  });

  it('are refused where one is not UTF-8, which is named', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"é"}\n{"a":"'), Buffer.from([0xe9]), Buffer.from('"}\n')]);
    await expect(readReport(body, expected)).rejects.toThrow('Row 2 is not UTF-8 (byte 11).');
  });

  it('are refused where one never ends', async () => {
    async function* endless() {
      yield Buffer.from('{"a":1}\n{"a":"');
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    }
    const batches = readRows(endless(), expected);
    expect((await batches.next()).value).toMatchObject({ rowCount: 1 });
    await expect(batches.next()).rejects.toThrow('Row 2 is longer than 8 MB (byte 8).');
  });
});
