import { describe, expect, test } from 'vitest';
import { formatNames } from '../../src/output/formats/index.ts';
import { encode } from '../output/encode.ts';

/** Hostile and broken bodies of some 10 MB: each ends soon, in every format, by its rows or by exit 9. */

const million = 1_000_000;
const rowsOf = (count: number, row: (i: number) => string) =>
  `{"data":[${Array.from({ length: count }, (_, i) => row(i)).join(',')}]}`;

/** Refused by a bound, or because they are no whole report. */
const refused: Readonly<Record<string, () => string>> = {
  'a CSV header of 100,000 names': () => `date,${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`,
  'blank lines after a CSV header': () => `date,clicks\n${'\n'.repeat(20 * million)}`,
  'blank lines after CSV rows': () => `date,clicks\n1,2\n${'\r\n'.repeat(10 * million)}`,
  'a CSV line without end': () => `date,clicks\n${'x'.repeat(10 * million)}`,
  'a CSV quote that is not closed': () => `date,clicks\n"${'x,\n'.repeat(4 * million)}`,
  'a CSV value of 2 MB': () => `date,clicks\n${'x'.repeat(2 * million)},1\n`,
  'blanks before a document': () => `${' '.repeat(20 * million)}{"data":[]}`,
  'blanks between rows': () => `{"data":[{"clicks":1}${' '.repeat(20 * million)},{"clicks":1}]}`,
  'blanks in a row': () => `{"data":[{"clicks":${' '.repeat(10 * million)}1}]}`,
  'a row of 2,000 keys': () => rowsOf(1, () => `{${Array.from({ length: 2_000 }, (_, i) => `"k${i}":1`).join(',')}}`),
  'rows of 2,000 keys in all': () => rowsOf(2_000, (i) => `{"k${i}":1}`),
  'a name of 10 MB': () => rowsOf(1, () => `{"campaignName":"${'n'.repeat(10 * million)}"}`),
  'a key of 10 MB': () => rowsOf(1, () => `{"${'n'.repeat(10 * million)}":1}`),
  'a number of 10 million digits': () => rowsOf(1, () => `{"clicks":${'9'.repeat(10 * million)}}`),
  'a row of 10 MB': () =>
    rowsOf(1, () => `{${Array.from({ length: 20 }, (_, i) => `"k${i}":"${'x'.repeat(million / 2)}"`).join(',')}}`),
  '2 MB beside the rows': () => `{"note":"${'x'.repeat(2 * million)}","data":[]}`,
  'many members beside the rows': () =>
    `{${Array.from({ length: 100_000 }, (_, i) => `"m${i}":"${'x'.repeat(20)}"`).join(',')},"data":[]}`,
  'brackets without end': () => '['.repeat(10 * million),
  'nesting in a value': () => rowsOf(1, () => `{"a":${'['.repeat(10 * million)}`),
  'a string that is not closed': () => `{"data":[{"a":"${'x'.repeat(10 * million)}`,
  'a backslash storm': () => `{"data":[{"a":"${'\\'.repeat(10 * million)}`,
};

/** Within the bounds: written, or refused by a format that cannot hold it. */
const allowed: Readonly<Record<string, () => string>> = {
  'a name of 40,000 emoji': () => rowsOf(20, () => `{"campaignName":"${'🦊'.repeat(40_000)}","clicks":1}`),
  'numbers of 80,000 digits': () => rowsOf(20, () => `{"campaignName":"a","clicks":${'9'.repeat(80_000)}}`),
  'names of escapes': () => rowsOf(10, () => `{"campaignName":"${'\\"'.repeat(450_000)}"}`),
  'nested values': () => rowsOf(20, () => `{"a":[${'{"b":1},'.repeat(50_000)}1]}`),
  '900 columns of differing keys': () => rowsOf(900, (i) => `{"k${i}":"${'x'.repeat(1_000)}"}`),
  '300,000 rows without a key': () => rowsOf(300_000, () => '{}'),
  'a million short CSV rows': () => `clicks\n${'1\n'.repeat(million)}`,
};

async function outcome(body: string, format: (typeof formatNames)[number]): Promise<string> {
  try {
    await encode(body, format);
    return 'written';
  } catch (error) {
    return String(Object(error).exitCode ?? error);
  }
}

describe.each(formatNames)('%s', (format) => {
  test.each(Object.keys(refused))('%s', { timeout: 15_000 }, async (name) => {
    expect(await outcome(refused[name]?.() ?? '', format)).toBe('9');
  });

  test.each(Object.keys(allowed))('%s', { timeout: 15_000 }, async (name) => {
    expect(await outcome(allowed[name]?.() ?? '', format)).toMatch(/^(written|8|9)$/);
  });
});
