import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ByteWriter, ParquetWriter, parquetWriteFile } from 'hyparquet-writer';
import { afterAll, describe, expect, test } from 'vitest';
import { ParquetDecoder } from '../../src/rows/parquet-rows.ts';
import { openReportFile } from '../../src/rows/report-file.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { readBatches } from './read-rows.ts';

const onWindows = process.platform === 'win32';

/** Its process decodes one file after the other, as for a folder, and takes 0.2 s to start. */
const decoder = new ParquetDecoder();
afterAll(() => decoder.end());

test('Parquet of other programs: all codecs; days, times and decimals as the service writes them', async () => {
  const filename = join(temporaryFolder(), 'report.parquet');
  const repetition_type = 'REQUIRED' as const;
  parquetWriteFile({
    filename,
    compressors: { GZIP: (bytes) => gzipSync(bytes), BROTLI: (bytes) => brotliCompressSync(bytes) },
    schema: [
      { name: 'root', num_children: 4 },
      { name: 'date', type: 'INT32', converted_type: 'DATE', repetition_type },
      { name: 'hour', type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type },
      { name: 'displays', type: 'INT64', repetition_type },
      {
        name: 'revenueEuro',
        type: 'INT64',
        converted_type: 'DECIMAL',
        scale: 2,
        precision: 18,
        repetition_type,
      },
    ],
    columnData: [
      { name: 'date', data: [new Date('2026-11-01'), new Date('2026-11-02')], codec: 'GZIP' },
      {
        name: 'hour',
        data: [new Date('2026-11-01T02:00Z'), new Date('2026-11-02T23:00Z')],
        codec: 'BROTLI',
      },
      { name: 'displays', data: [9_007_199_254_740_993n, 0n], codec: 'UNCOMPRESSED' },
      { name: 'revenueEuro', data: [1234.5, 0.1], codec: 'SNAPPY' },
    ],
  });

  const { batches } = await openReportFile(filename, 'report.parquet', { decoder });

  expect((await readBatches(batches)).rows).toEqual([
    '{"date":"2026-11-01","hour":"2026-11-01T02:00:00+0000","displays":9007199254740993,"revenueEuro":1234.50}',
    '{"date":"2026-11-02","hour":"2026-11-02T23:00:00+0000","displays":0,"revenueEuro":0.10}',
  ]);
});

describe('damaged Parquet is exit 9', () => {
  const schema = [
    { name: 'root', num_children: 2 },
    { name: 'city', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    { name: 'clicks', type: 'INT64', repetition_type: 'OPTIONAL' },
  ] as const;

  function parquetOf(change: (writer: ParquetWriter) => void = () => {}): Buffer {
    const out = new ByteWriter();
    const writer = new ParquetWriter({ writer: out, schema: [...schema] });
    for (const part of [0, 1]) {
      const city = Array.from({ length: 50 }, (_, i) =>
        i % 7 === 0 ? null : `city ${part} ${i % 20}`,
      );
      writer.write({
        columnData: [
          { name: 'city', data: city },
          { name: 'clicks', data: city.map((_, i) => BigInt(i)) },
        ],
      });
    }
    change(writer);
    writer.finish();
    return Buffer.from(out.getBytes());
  }

  async function outcomeOf(bytes: Buffer): Promise<string> {
    const file = join(temporaryFolder(), 'report.parquet');
    await writeFile(file, bytes);
    try {
      const { batches } = await openReportFile(file, 'report.parquet', { decoder });
      return `${(await readBatches(batches)).rows.length} rows`;
    } catch (error) {
      // A sentence of ours, not that of a decoder's crash.
      expect(String(error)).toMatch(/Parquet file is (damaged|incomplete): /);
      expect(String(error)).not.toMatch(/Cannot read|is not (?:a|iterable)|Invalid array/);
      return String(Object(error).exitCode);
    }
  }

  test.each([
    { name: 'what it says', rowsOfGroup: 50n, rowsInAll: 100n, outcome: '100 rows' },
    { name: 'a little less', rowsOfGroup: 110n, rowsInAll: 220n, outcome: '9' },
    {
      name: 'far less',
      rowsOfGroup: 10_000_000_000_000n,
      rowsInAll: 20_000_000_000_000n,
      outcome: '9',
    },
    { name: 'another sum', rowsOfGroup: 50n, rowsInAll: 101n, outcome: '9' },
  ])('if it contains $name', async ({ rowsOfGroup, rowsInAll, outcome }) => {
    const bytes = parquetOf((writer) => {
      for (const group of writer.row_groups) group.num_rows = rowsOfGroup;
      writer.num_rows = rowsInAll;
    });
    expect(await outcomeOf(bytes)).toBe(outcome);
  });

  test('cut anywhere or with a changed footer: correct rows or exit 9', async () => {
    const whole = parquetOf();
    const footerBytes = whole.readUInt32LE(whole.length - 8) + 8;

    const damage = fc.array(fc.tuple(fc.nat(footerBytes - 1), fc.nat(255)), { maxLength: 4 });

    await fc.assert(
      fc.asyncProperty(damage, fc.option(fc.nat(whole.length - 5)), async (changes, cutAt) => {
        const bytes = Buffer.from(whole);
        for (const [at, byte] of changes) bytes[whole.length - footerBytes + at] = byte;
        // The first four bytes identify Parquet.
        const found = await outcomeOf(cutAt === null ? bytes : bytes.subarray(0, 4 + cutAt));
        expect(found).toMatch(/^(9|\d+ rows)$/);
      }),
      // A decoder that crashes or loops is started again.
      { numRuns: 20 },
    );
  });
});

test.skipIf(onWindows)('a named pipe is refused at once', async () => {
  const cwd = temporaryFolder();
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  expectRefusal(await runCli('view pipe', { cwd }), 2, 'pipe is not a file.');
});

test.skipIf(onWindows).each([
  { what: 'a link to itself', name: 'a.csv', says: /a\.csv cannot be read \(ELOOP: / },
  {
    what: 'a name too long for a file',
    name: `${'a'.repeat(300)}.csv`,
    says: /a+\.csv cannot be read \(ENAMETOOLONG/,
  },
  {
    what: 'a file that opens and does not read',
    name: '/proc/self/mem',
    says: /\/proc\/self\/mem cannot be read \(EIO: |exist/,
  },
])('no access is exit 2: $what', async ({ name, says }) => {
  const folder = temporaryFolder();
  symlinkSync('a.csv', join(folder, 'a.csv'));

  const { exitCode, stderr } = await runCli(['view', resolve(folder, name)]);

  expect(stderr).toMatch(says);
  expect(exitCode).toBe(2);
});
