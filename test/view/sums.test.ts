import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

// Sums and rates of files in any form are those of whole numbers of any length, and a row that two
// files have is refused, whatever is asked.

interface Row {
  readonly date: string;
  readonly campaignId: string;
  readonly displays: bigint | null;
  readonly clicks: bigint | null;

  /** In 10⁻⁴ euros. */
  readonly revenue: bigint;
}

const header = ['date', 'campaignId', 'displays', 'clicks', 'revenueEuro'];

/** Formats revenue with two to four decimals. */
function euros(revenue: bigint): string {
  const digits = String(revenue).padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4).replace(/0{1,2}$/, '')}`;
}

function csv(rows: readonly Row[], delimiter: string, decimal = '.'): string {
  const lines = rows.map(({ date, campaignId, displays, clicks, revenue }) => {
    const money = euros(revenue).replace('.', decimal);
    return [date, campaignId, displays ?? '', clicks ?? '', money].join(delimiter);
  });
  return [header.join(delimiter), ...lines, ''].join('\n');
}

function json(rows: readonly Row[], separator: string): string {
  const objects = rows.map(({ date, campaignId, displays, clicks, revenue }) => {
    const numbers = `"displays":${displays},"clicks":${clicks},"revenueEuro":${euros(revenue)}`;
    return `{"date":"${date}","campaignId":"${campaignId}",${numbers}}`;
  });
  return objects.join(separator);
}

type Bytes = (rows: readonly Row[]) => string | Uint8Array;

const forms: readonly (readonly [name: string, bytes: Bytes])[] = [
  ['plain.csv', (rows) => csv(rows, ',')],
  ['excel.csv', (rows) => `\ufeff${csv(rows, ';', ',')}`],
  ['tabs.txt', (rows) => csv(rows, '\t')],
  ['packed.csv.gz', (rows) => gzipSync(csv(rows, ','))],
  ['report.json', (rows) => `{"data":[${json(rows, ',\n ')}],"summary":null}`],
  ['list.json', (rows) => `[${json(rows, ',')}]`],
  ['noname', (rows) => json(rows, '\r\n')],
  ['packed.ndjson.gz', (rows) => gzipSync(json(rows, '\n'))],
];

const count = fc.option(fc.bigInt({ min: 0n, max: 10n ** 20n }), { freq: 5 });
const rows = fc.uniqueArray(
  fc.record({
    date: fc.constantFrom('2026-10-31', '2026-11-01', '2026-11-02', '2026-12-01'),
    campaignId: fc.constantFrom('1', '2', '3'),
    displays: count,
    clicks: count,
    revenue: fc.bigInt({ min: 0n, max: 10n ** 20n }),
  }),
  { minLength: 2, selector: ({ date, campaignId }) => `${date} ${campaignId}` },
);

/** Groups of `--by`. */
const groupings: Readonly<Record<string, (row: Row) => object>> = {
  DAILY: ({ date }) => ({ date }),
  MONTHLY: ({ date }) => ({ date: `${date.slice(0, 7)}-01` }),
  CAMPAIGN: ({ campaignId }) => ({ campaignId }),
};

function sum(numbers: readonly (bigint | null)[]): string | null {
  const present = numbers.filter((number) => number !== null);
  return present.length === 0 ? null : String(present.reduce((a, b) => a + b));
}

/** What `--json` shows of rows: all digits of sums, and the rate of rows with both metrics. */
function totalsOf(given: readonly Row[]): object {
  const both = given.filter(({ displays, clicks }) => displays !== null && clicks !== null);
  const displays = BigInt(sum(both.map((row) => row.displays)) ?? 0);
  const clicks = BigInt(sum(both.map((row) => row.clicks)) ?? 0);
  const rate = displays === 0n ? null : Number((clicks * 10n ** 40n) / displays) / 1e40;
  return {
    displays: sum(given.map((row) => row.displays)),
    clicks: sum(given.map((row) => row.clicks)),
    revenueEuro: euros(BigInt(sum(given.map(({ revenue }) => revenue)) ?? 0)),
    ctr: rate === null ? null : String(Number(rate.toPrecision(6))),
  };
}

/** Parses a document of `--json`, with numbers as the digits they are written with. */
function parseDigits(text: string): { totals: object; groups: object[] } {
  return JSON.parse(text.replace(/:(-?\d[\d.e+-]*)/g, ':"$1"'));
}

test('sums are exact, and no row counts twice', async () => {
  const questions = fc.record({
    given: rows,
    ofFirst: fc.nat(),
    forms: fc.tuple(fc.constantFrom(...forms), fc.constantFrom(...forms)),
    by: fc.constantFrom(...Object.entries(groupings)),
    isTwice: fc.boolean(),
  });
  const property = fc.asyncProperty(questions, async (question) => {
    const { given, ofFirst, forms: ofFiles, by, isTwice } = question;
    const cwd = temporaryFolder();
    const cut = 1 + (ofFirst % (given.length - 1));
    const parts = [given.slice(0, cut), given.slice(isTwice ? cut - 1 : cut)];
    const names = ofFiles.map(([name, bytes], index) => {
      writeFileSync(join(cwd, `${index}-${name}`), bytes(parts[index] ?? []));
      return `${index}-${name}`;
    });
    const [breakdown, keyOf] = by;
    const flags = `--by ${breakdown} --metrics displays,clicks,revenueEuro,ctr -q`;
    const result = await runCli(`view ${names.join(' ')} ${flags} --json`, { cwd });
    if (isTwice) return expectRefusal(result, 2, 'both have a row for ');

    expect(result.exitCode, result.stderr).toBe(0);
    const { totals, groups } = parseDigits(result.stdout);
    expect(totals).toEqual(totalsOf(given));
    const keys = new Set(given.map((row) => JSON.stringify(keyOf(row))));
    const expected = [...keys].map((key) => {
      const ofGroup = given.filter((row) => JSON.stringify(keyOf(row)) === key);
      return { ...JSON.parse(key), ...totalsOf(ofGroup) };
    });
    expect(groups).toHaveLength(expected.length);
    expect(groups).toEqual(expect.arrayContaining(expected));
  });
  await fc.assert(property, { numRuns: 50 });
}, 60_000);
