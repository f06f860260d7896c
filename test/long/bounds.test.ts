import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { formats } from '../../src/formats/index.ts';
import { formatNames } from '../../src/query/format-names.ts';
import { serve } from '../support/http-server.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { peakMbOf, printsUsage, processorSecondsOf, spawnCli } from '../support/spawn.ts';

/**
 * Hostile and broken bodies, most of them of 10 MB or more, as downloads of the program: they
 * take at most 15 s of processor time and 400 MB, and end with rows or exit 9.
 */

/** Of processor time. Most take a third of it. */
const maxSeconds = 15;
const maxMegabytes = 400;

const million = 1_000_000;
const rowsOf = (count: number, row: (i: number) => string) =>
  `{"data":[${Array.from({ length: count }, (_, i) => row(i)).join(',')}]}`;

/** Refused by a bound, or because they are no whole report. */
const refused: Readonly<Record<string, () => string>> = {
  'a CSV header of 100,000 names': () =>
    `date,${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`,
  'blank lines after a CSV header': () => `date,clicks\n${'\n'.repeat(20 * million)}`,
  'blank lines after CSV rows': () => `date,clicks\n1,2\n${'\r\n'.repeat(10 * million)}`,
  'a CSV line without end': () => `date,clicks\n${'x'.repeat(10 * million)}`,
  'a CSV quote that is not closed': () => `date,clicks\n"${'x,\n'.repeat(4 * million)}`,
  'a CSV value of 2 MB': () => `date,clicks\n${'x'.repeat(2 * million)},1\n`,
  'blanks before a document': () => `${' '.repeat(20 * million)}{"data":[]}`,
  'blanks between rows': () => `{"data":[{"clicks":1}${' '.repeat(20 * million)},{"clicks":1}]}`,
  'blanks in a row': () => `{"data":[{"clicks":${' '.repeat(10 * million)}1}]}`,
  'a row of 2,000 keys': () =>
    rowsOf(1, () => `{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
  'rows of 2,000 keys in all': () => rowsOf(2_000, (i) => `{"k${i}":1}`),
  'a name of 10 MB': () => rowsOf(1, () => `{"campaignName":"${'n'.repeat(10 * million)}"}`),
  'a key of 10 MB': () => rowsOf(1, () => `{"${'n'.repeat(10 * million)}":1}`),
  'a number of 10 million digits': () => rowsOf(1, () => `{"clicks":${'9'.repeat(10 * million)}}`),
  'a row of 10 MB': () =>
    rowsOf(
      1,
      () =>
        `{${Array.from({ length: 20 }, (_, i) => `"k${i}":"${'x'.repeat(million / 2)}"`).join(',')}}`,
    ),
  '2 MB outside the rows': () => `{"note":"${'x'.repeat(2 * million)}","data":[]}`,
  'many members outside the rows': () =>
    `{${Array.from({ length: 100_000 }, (_, i) => `"m${i}":"${'x'.repeat(20)}"`).join(',')},"data":[]}`,
  'brackets without end': () => '['.repeat(10 * million),
  'nesting in a value': () => rowsOf(1, () => `{"a":${'['.repeat(10 * million)}`),
  'a string that is not closed': () => `{"data":[{"a":"${'x'.repeat(10 * million)}`,
  'a CSV line of 10 million fields': () => `date,clicks\n${','.repeat(10 * million)}\n`,
  'a CSV name of 2 MB': () => `date,${'n'.repeat(2 * million)}\n1,2\n`,
  'commas without rows': () => `{"data":[${','.repeat(10 * million)}]}`,
  'a backslash storm': () => `{"data":[{"a":"${'\\'.repeat(10 * million)}`,
};

/** Within the bounds: written, or refused by a format that cannot hold it. */
const allowed: Readonly<Record<string, () => string>> = {
  'a name of 40,000 emoji': () =>
    rowsOf(20, () => `{"campaignName":"${'🦊'.repeat(40_000)}","clicks":1}`),
  'numbers of 80,000 digits': () =>
    rowsOf(20, () => `{"campaignName":"a","clicks":${'9'.repeat(80_000)}}`),
  'names of escapes': () => rowsOf(10, () => `{"campaignName":"${'\\"'.repeat(450_000)}"}`),
  'nested values': () => rowsOf(20, () => `{"a":[${'{"b":1},'.repeat(50_000)}1]}`),
  '900 columns of differing keys': () => rowsOf(900, (i) => `{"k${i}":"${'x'.repeat(1_000)}"}`),
  '300,000 rows without a key': () => rowsOf(300_000, () => '{}'),
  'a million short CSV rows': () => `clicks\n${'1\n'.repeat(million)}`,
};

/** The exit code of a command line, which stays within time and memory and prints no stack. */
async function exitCodeOf(argv: readonly string[], env = {}) {
  const result = await spawnCli([...argv], {
    env: { ...env, NODE_OPTIONS: printsUsage },
  });
  expect(processorSecondsOf(result), 'seconds').toBeLessThan(maxSeconds);
  expect(peakMbOf(result), 'MB').toBeLessThan(maxMegabytes);
  expect(result.stderr).not.toMatch(/\n\s+at /);
  return result.exitCode;
}

const serveBody = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  serve((_request, response) => void response.writeHead(200, headers).end(body));

const download = ['download', 'r1', '--retries', '0', '-o', 'x', '--format'];

// A PDF is a page that a browser prints: its bounds are those of the page.
const ownFormats = formatNames.filter((name) => !formats[name].needsBrowser);

// They are refused before a format sees them: one that streams, and one that holds what it has.
describe.each(['csv', 'html'])('%s', (format) => {
  test.each(Object.keys(refused))('%s', async (name) => {
    const { env } = await serveBody(refused[name]?.() ?? '');
    expect(await exitCodeOf([...download, format], env)).toBe(9);
  });
});

describe.each(ownFormats)('%s', (format) => {
  test.each(Object.keys(allowed))('%s', async (name) => {
    const { env } = await serveBody(allowed[name]?.() ?? '');
    expect([0, 8, 9]).toContain(await exitCodeOf([...download, format], env));
  });
});

describe('compressed gigabytes of blanks, which are not a report', () => {
  const blanks = Buffer.alloc(64 * 1024 * 1024, ' ');
  let brotli: Buffer;
  let gzip: Buffer;
  beforeAll(async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };
    const twoGigabytes = Readable.from(Array.from({ length: 32 }, () => blanks));
    brotli = await buffer(twoGigabytes.pipe(createBrotliCompress({ params })));
    const member = gzipSync(blanks);
    gzip = Buffer.concat(Array.from({ length: 48 }, () => member));
  }, 120_000);

  const signIn = { ADREPORT_TOKEN: '', ADREPORT_EMAIL: 'a@b.c', ADREPORT_PASSWORD: 'secret' };

  test.each([
    { line: 'download r1 -o x --format csv', credentials: {} },
    { line: 'status r1', credentials: {} },
    { line: 'campaigns', credentials: {} },
    { line: 'run --period 2026-11-01 --direct -o x.csv', credentials: {} },
    { line: 'whoami', credentials: signIn },
  ])('brotli of 2 GB and gzip of 3 GB of blanks: $line', async ({ line, credentials }) => {
    expect(brotli.length).toBeLessThan(20_000);
    for (const [coding, body] of Object.entries({ br: brotli, gzip })) {
      const { env } = await serveBody(body, {
        'content-encoding': coding,
        'content-type': 'application/json',
      });
      expect(await exitCodeOf(`${line} --retries 0`.split(' '), { ...env, ...credentials })).toBe(
        9,
      );
    }
  });

  test.each(['json', 'ndjson', 'csv'])('view of gzip of 3 GB of blanks: .%s.gz', async (ending) => {
    const file = join(temporaryFolder(), `x.${ending}.gz`);
    writeFileSync(file, gzip);

    expect(await exitCodeOf(['view', file])).toBe(9);
  });

  test('250 MB of brackets as campaigns', async () => {
    const { env } = await serve((_request, response) => {
      const brackets = Buffer.alloc(million, '[');
      Readable.from(Array.from({ length: 250 }, () => brackets)).pipe(response);
    });
    expect(await exitCodeOf(['campaigns', '--retries', '0'], env)).toBe(9);
  });
});
