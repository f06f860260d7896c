import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IncompleteDataError } from '../../src/errors.ts';
import { type ReadOptions, readRows } from '../../src/rows/read-rows.ts';
import { readReport } from './read-rows.ts';
import { type DocumentParts, documentParts, referenceOf, textOf } from './report-documents.ts';
import { compareWithParse, Dice } from './scanner-against-parse.ts';

const document = (data: string) =>
  `{"data":${data},"summary":{"since":"a","until":"b","breakdowns":[],"timezone":"c"}}`;

const lines: ReadOptions = { lines: 'expected' };

/** A row of twelve fields, most or all of them null, in the usual layout or another one. */
const rowOfNulls = fc
  .record({
    valueAt: fc.oneof(fc.constant(-1), fc.integer({ min: 0, max: 11 })),
    form: fc.constantFrom('usual', 'usual', 'usual', 'spaced', 'reversed', 'doubled', 'shorter'),
  })
  .map(({ valueAt, form }) => {
    const names = Array.from({ length: 12 }, (_, field) => `field ${field}`);
    if (form === 'reversed') names.reverse();
    if (form === 'shorter') names.splice(4, 1);

    const members = names.map((name, field) => `"${name}":${field === valueAt ? '"v"' : 'null'}`);
    if (form === 'spaced') members.splice(6, 1, '"field 6": null');
    if (form === 'doubled') members.splice(6, 0, '"field 1":7', '"other":8');
    return `{${members.join(',')}}`;
  });

/**
 * Reads a document in chunks and pieces of the given sizes, and compares all of it with the
 * reference.
 */
async function expectSameAsReference(
  parts: DocumentParts,
  chunkBytes: number,
  pieceBytes: number,
): Promise<void> {
  const bytes = Buffer.from(textOf(parts));
  const reference = referenceOf(bytes);
  const { rows, values, tail } = await readReport(bytes, { chunkBytes, pieceBytes });
  expect(rows.map((row) => JSON.parse(row))).toEqual(reference.rows);
  expect(values.map(parsedRow)).toEqual(reference.rows);
  expect(values).toEqual(
    parts.rows.map((row) => new Map(row.map(([key, value]) => [JSON.parse(key), value]))),
  );
  expect(
    Object.fromEntries(tail.members.map(({ name, json }) => [name, JSON.parse(json.toString())])),
  ).toEqual(reference.members);
  expect(tail).toMatchObject({ rowCount: parts.rows.length });
  expect(tail.fields).toEqual([
    ...new Set(parts.rows.flatMap((row) => row.map(([key]) => JSON.parse(key)))),
  ]);
}

function parsedRow(row: ReadonlyMap<string, string>): object {
  // Like JSON.parse: `__proto__` is an ordinary key.
  return JSON.parse(
    `{${[...row].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`,
  );
}

describe('a JSON report', () => {
  it('is read as by JSON.parse, in any layout and in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentParts,
        fc.integer({ min: 1, max: 64 }),
        fc.integer({ min: 1, max: 300 }),
        expectSameAsReference,
      ),
      { numRuns: 40 },
    );
  });

  it('has the values of fields that were null until some row', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowOfNulls, { minLength: 2, maxLength: 30 }),
        fc.integer({ min: 1, max: 600 }),
        async (rows, pieceBytes) => {
          const { values } = await readReport(document(`[${rows.join(',')}]`), { pieceBytes });
          expect(values.map(parsedRow)).toEqual(rows.map((row) => JSON.parse(row)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('may have a more compact row at the beginning of a piece', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const row = (gap: string, first: string): string => {
      const members = names.map((name, i) => `${gap}"${name}":${i === 0 ? first : 'null'}`);
      return `{${members.join()}}`;
    };
    const first = `{"data":[${row(' '.repeat(60), 'null')},`;
    const second = row('', '1');

    const { values } = await readReport(`${first}${second}]}`, { pieceBytes: first.length });

    expect(values.map(parsedRow)).toEqual(JSON.parse(`${first}${second}]}`).data);
  });

  it('is refused if it is cut anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentParts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (parts, part) => {
          const whole = Buffer.from(textOf(parts).trimEnd());
          const bytes = whole.subarray(0, Math.floor(part * (whole.length - 1)));
          await expect(
            readReport(bytes, { contentType: 'application/json', pieceBytes: 40 }),
          ).rejects.toThrow(IncompleteDataError);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is accepted exactly if JSON.parse accepts it, with any token changed', async () => {
    await compareWithParse(new Dice(6), 300);
  });

  it('is found after members that look like it', async () => {
    const text =
      '\ufeff {"meta":{"data":[{"a":9}],"x":"}],\\"data\\":["},"summary":{}, "data" : [ {"a":"}],"} ] , "more":[1]} \n';

    const { rows, tail } = await readReport(text, { chunkBytes: 1 });

    expect(rows).toEqual(['{"a":"}],"}']);
    expect(tail.members.map(({ name, json }) => [name, json.toString()])).toEqual([
      ['meta', '{"data":[{"a":9}],"x":"}],\\"data\\":["}'],
      ['summary', '{}'],
      ['more', '[1]'],
    ]);
    expect(tail.summary).toBeUndefined();
  });

  it('keeps digits, uses the last of repeated keys, and lists all keys', async () => {
    const { values, tail } = await readReport(
      document('[{"a":12345678901234567890,"b":0.10},{"c":1e5,"a":1,"\\u0061":2}]'),
    );

    expect(values.map((row) => Object.fromEntries(row))).toEqual([
      { a: '12345678901234567890', b: '0.10' },
      { c: '1e5', a: '2' },
    ]);
    expect(tail).toMatchObject({
      rowCount: 2,
      fields: ['a', 'b', 'c'],
      summary: { since: 'a', timezone: 'c' },
    });
  });

  it.each([
    { name: 'nothing', text: '', message: 'The report ends early, after 0 rows (byte 0).' },
    {
      name: 'cut in a row',
      text: '{"data":[{"a":1},{"a":',
      message: 'The report ends early, after 1 row (byte 22).',
    },
    {
      name: 'something after',
      text: '{"data":[]}{}',
      message: 'The report continues after its end (byte 11).',
    },
    {
      name: 'a bad number',
      text: '{"data":[{"a":01}]}',
      message: 'Row 1 cannot be read: expected "," or "}" (byte 15).',
    },
    {
      name: 'a bare control',
      text: '{"data":[{"a":"\u0007"}]}',
      message: 'unexpected control character (byte 15).',
    },
    {
      name: 'a row that is none',
      text: '{"data":[{},1]}',
      message: 'Row 2 cannot be read: expected a row object (byte 12).',
    },
    {
      name: 'NDJSON cut in a row',
      text: '{"a":1}\n{"a":',
      message: 'The report ends early, after 1 row (byte 13).',
      options: lines,
    },
    {
      name: 'NDJSON with a list',
      text: '{"a":1}\n[2]\n',
      message: 'Row 2 cannot be read: expected a row object (byte 8).',
      options: lines,
    },
    {
      name: 'two data',
      text: '{"data":[],"data":[]}',
      message: 'The report cannot be read: more than one "data" array (byte 11).',
    },
    {
      name: 'rows inside a response',
      text: '{"response":{"data":[{"displays":1}]}}',
      message: 'it has no “data” array. It begins with “{"response":{"data":[{"displays":1}]}}”.',
    },
    {
      name: 'a status',
      text: '{"response":{"status":"progress","message":"progress","report_id":"1"}}',
      message: 'The service sent a status (“progress”) instead of the report.',
    },
    {
      name: 'a web page',
      text: '<!doctype html>',
      message: 'The service sent a web page instead of the report.',
    },
  ])(
    'is refused: $name',
    async ({ text, message, options = { contentType: 'application/json' } }) => {
      const refusal = { exitCode: 9, message: expect.stringContaining(message) };
      await expect(readReport(text, options)).rejects.toMatchObject(refusal);
    },
  );

  it('is refused with the row that is not UTF-8', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"data":[{"a":"é"},{"a":"'),
      Buffer.from([0xe9]),
      Buffer.from('"}]}'),
    ]);
    await expect(readReport(bytes)).rejects.toThrow('Row 2 is not UTF-8 (byte 20).');
  });

  it('has a limit for nesting', async () => {
    const nested = (depth: number) => document(`[{"a":${'['.repeat(depth)}${']'.repeat(depth)}}]`);

    expect((await readReport(nested(255))).tail.rowCount).toBe(1);
    await expect(readReport(nested(256))).rejects.toThrow('more than 256 levels');
    await expect(readReport(nested(100_000))).rejects.toThrow('more than 256 levels');
  });

  it('has a limit for the number of different keys', async () => {
    const rows = Array.from({ length: 1001 }, (_, i) => `{"k${i}":1}`).join(',');
    await expect(readReport(document(`[${rows}]`))).rejects.toThrow(
      'more than 1000 different keys',
    );
  });

  it('is refused if members other than the rows are not UTF-8 or have no end', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"note":"'),
      Buffer.from([0xe9]),
      Buffer.from('","data":[]}'),
    ]);

    await expect(readReport(bytes)).rejects.toThrow('The report is not UTF-8 (byte 1).');

    const note = `"note":"${'x'.repeat(600_000)}"`;

    await expect(readReport(`{${note},${note.replace('note', 'more')},"data":[]}`)).rejects.toThrow(
      'The report has over 1 MB in addition to its rows',
    );
  });

  it('is refused if a row never ends', async () => {
    async function* endless() {
      yield Buffer.from('{"data":[{"a":"');
      for (;;) yield Buffer.alloc(1_000_000, 'x');
    }

    const batches = readRows(endless());

    await expect(batches.next()).rejects.toThrow('Row 1 is longer than 8 MB (byte 9).');
  });

  it.each([
    {
      text: '{"response":{"error_id":"UNKNOWN_REPORT","error":"No such \\u001b[1mreport."}}',
      message: 'No such ␛[1mreport.',
      code: 'UNKNOWN_REPORT',
    },
    { text: '{"error":{"message":"broken"}}', message: 'broken', code: 'REJECTED' },
  ])('may be an error: $text', async ({ text, message, code }) => {
    const refusal = {
      exitCode: 4,
      message: `The service sent an error instead of the report: ${message}`,
      code,
    };
    await expect(readReport(text)).rejects.toMatchObject(refusal);
  });
});

describe('one row per line', () => {
  it('are read as by JSON.parse for each line, in pieces of any size', async () => {
    const row = fc.dictionary(
      fc.constantFrom('date', 'displays', 'city', 'é'),
      fc.jsonValue({ maxDepth: 1 }),
    );

    const sizes = fc.integer({ min: 1, max: 100 });

    await fc.assert(
      fc.asyncProperty(
        fc.array(row),
        fc.constantFrom('\n', '\r\n', '\n\n'),
        sizes,
        sizes,
        async (...drawn) => {
          const [written, lineEnd, chunkBytes, pieceBytes] = drawn;
          const lines = written.map((each) => JSON.stringify(each));
          const body = lines.map((line) => line + lineEnd).join('');
          const { rows, tail } = await readReport(body, {
            lines: 'expected',
            chunkBytes,
            pieceBytes,
          });
          expect(rows).toEqual(lines);
          expect(tail).toMatchObject({ rowCount: lines.length, members: [] });
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    { body: '{"date":"2026-11-01"}\n{"date":"2026-11-02"}\n', fields: ['date'], rowCount: 2 },
    { body: '{"date":"2026-11-01"}', fields: ['date'], rowCount: 1 },
    { body: '{"data":[{"date":"2026-11-01"}]}', fields: ['date'], rowCount: 1 },
    { body: '{"date":"2026-11-01","data":[]}', fields: [], rowCount: 0 },
    { body: ' \n{"data":[{}]}', fields: [], rowCount: 1 },
  ])('are distinguished from a document: $body', async ({ body, fields, rowCount }) => {
    expect((await readReport(body, { lines: 'allowed' })).tail).toMatchObject({
      rowCount,
      fields,
    });
  });
});
