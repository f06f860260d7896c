import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

// Files like those of `cases/`: two neighbours of each, with the figures or the refusal.

const head = 'date,campaignId,campaignName,displays,clicks,revenueEuro\n';
const two = '2026-08-01,1,a,1000,10,1.5\n2026-08-02,2,b,2000,20,3\n';
const sums = { displays: 3000, clicks: 30, revenueEuro: 4.5 };

interface Case {
  /** The file of `cases/` that it is like. */
  readonly like: string;
  readonly name: string;
  readonly file?: string;
  readonly content: string | Buffer;
  readonly flags?: string;

  /** The groups that come, in part. */
  readonly groups?: readonly object[];

  /** Part of stderr; empty if nothing is printed. */
  readonly says: string;
  readonly exitCode?: number;
}

const zip = Buffer.from('504b030414000000000000000000', 'hex');

const cases: readonly Case[] = [
  {
    like: 'thousands-dot.csv',
    name: 'millions',
    content: 'date;displays;revenueEuro\n2026-08-01;1.234.567;1.234,50\n',
    groups: [{ displays: 1234567, revenueEuro: 1234.5 }],
    says: 'displays “1.234.567” as 1234567',
  },
  {
    like: 'thousands-dot.csv',
    name: 'apostrophes',
    content: "date,displays,revenueEuro\n2026-08-01,45'012,1'234.50\n",
    groups: [{ displays: 45012, revenueEuro: 1234.5 }],
    says: "displays “45'012” as 45012",
  },
  {
    like: 'thousands-comma.csv',
    name: 'a currency sign',
    content: 'date,displays,revenueEuro\n2026-08-01,"45,012","€1,234.50"\n',
    groups: [{ displays: 45012, revenueEuro: 1234.5 }],
    says: 'revenueEuro “€1,234.50” as 1234.50',
  },
  {
    like: 'thousands-comma.csv',
    name: 'narrow blanks',
    content: 'date;displays;revenueEuro\n2026-08-01;45\u202f012;1\u202f234,50\n',
    groups: [{ displays: 45012, revenueEuro: 1234.5 }],
    says: 'as 45012',
  },
  {
    like: 'dates-ambiguous.csv',
    name: 'dashes',
    content: 'date,displays\n01-08-2026,5\n',
    flags: '--by MONTHLY',
    says: '“01-08-2026”, could be 2026-01-08 or 2026-08-01',
    exitCode: 2,
  },
  {
    like: 'dates-ambiguous.csv',
    name: 'a period',
    content: 'date,displays\n1/8/2026,5\n2/8/2026,5\n',
    flags: '--period 2026-08',
    says: '“1/8/2026”, could be 2026-01-08 or 2026-08-01',
    exitCode: 2,
  },
  {
    like: 'dates-dots.csv',
    name: 'single digits',
    content: 'date,displays\n1.8.2026,5\n31.8.2026,6\n',
    flags: '--by MONTHLY',
    groups: [{ date: '2026-08-01', displays: 11 }],
    says: '',
  },
  {
    like: 'dates-dots.csv',
    name: 'a day that is not there',
    content: 'date,displays\n30.02.2026,5\n',
    flags: '--by DAILY',
    says: '“30.02.2026”, is not a date',
    exitCode: 2,
  },
  {
    like: 'dates-compact.csv',
    name: 'by day',
    content: 'date,displays\n20260801,5\n20260802,6\n',
    flags: '--by DAILY',
    groups: [{ date: '2026-08-01' }, { date: '2026-08-02' }],
    says: '',
  },
  {
    like: 'dates-compact.csv',
    name: 'a thirteenth month',
    content: 'date,displays\n20261301,5\n',
    flags: '--by DAILY',
    says: '“20261301”, is not a date',
    exitCode: 2,
  },
  {
    like: 'dates-words.csv',
    name: 'a month of four letters',
    content: 'date,displays\nSept 1 2026,5\n',
    flags: '--by DAILY',
    groups: [{ date: '2026-09-01', displays: 5 }],
    says: '',
  },
  {
    like: 'dates-words.csv',
    name: 'the day first',
    content: 'date,displays\n31 December 2026,5\n',
    flags: '--by DAILY',
    groups: [{ date: '2026-12-31', displays: 5 }],
    says: '',
  },
  {
    like: 'dates-serial.csv',
    name: 'with a time',
    content: 'date,displays\n46235.5,5\n',
    flags: '--by DAILY',
    says: '“46235.5”, is not a date',
    exitCode: 2,
  },
  {
    like: 'dates-serial.csv',
    name: 'where no date is used',
    content: 'date,displays\n46235,5\n46236,6\n',
    groups: [{ displays: 11 }],
    says: '',
  },
  {
    like: 'bom-inside.csv',
    name: 'before a name of the header',
    content: 'date,\ufeffdisplays\n2026-08-01,5\n',
    flags: '--by DAILY',
    groups: [{ date: '2026-08-01', displays: 5 }],
    says: '',
  },
  {
    like: 'bom-inside.csv',
    name: 'before the name of a campaign',
    content: 'campaignName,displays\n\ufeffa,5\na,6\n',
    flags: '--by CAMPAIGN',
    groups: [{ campaignName: 'a', displays: 11 }],
    says: '',
  },
  {
    like: 'ids-rounded.csv',
    name: 'with a decimal comma',
    content: 'campaignId;displays\n1,2E+17;5\n',
    flags: '--by CAMPAIGN',
    groups: [{ displays: 5 }],
    says: 'rounded by another program',
  },
  {
    like: 'ids-rounded.csv',
    name: 'a float of JSON with all its digits',
    file: 'r.json',
    content: '{"data":[{"campaignId":1.2000000000000011e17,"displays":5}]}',
    flags: '--by CAMPAIGN',
    groups: [{ displays: 5 }],
    says: 'rounded by another program',
  },
  {
    like: 'rates-unequal.csv',
    name: 'no row with both',
    content: `${head}2026-08-01,1,a,1000,,1\n2026-08-01,2,b,,50,1\n`,
    flags: '--metrics ctr,displays,clicks',
    groups: [{ ctr: null, displays: 1000, clicks: 50 }],
    says: '',
  },
  {
    like: 'rates-unequal.csv',
    name: 'money of one row',
    content: `${head}2026-08-01,1,a,1000,10,\n2026-08-01,2,b,1000,10,2\n`,
    flags: '--metrics cpcEuro',
    groups: [{ cpcEuro: 0.2 }],
    says: '',
  },
  {
    like: 'latin1-line.csv',
    name: 'in the header',
    content: Buffer.from(`Größe,${head}1,${two}`, 'latin1'),
    says: 'Line 1 of the CSV is not UTF-8',
    exitCode: 9,
  },
  {
    like: 'latin1-line.csv',
    name: 'UTF-16 with its mark is read',
    content: Buffer.from(`\ufeff${head}${two}`, 'utf16le'),
    groups: [sums],
    says: '',
  },
  {
    like: 'footer.csv',
    name: 'behind a blank line',
    content: `${head}${two}\n"Report generated 2026-08-02"\n`,
    says: 'Line 5 of the CSV cannot be read: it has 1 cell, but the header has 6',
    exitCode: 9,
  },
  {
    like: 'footer.csv',
    name: 'a row that is too long',
    content: `${head}${two}2026-08-03,3,c,1,1,1,9\n`,
    says: 'Line 4 of the CSV cannot be read: it has 7 cells, but the header has 6',
    exitCode: 9,
  },
  {
    like: 'quote.csv',
    name: 'in a cell without quotes',
    content: `${head}2026-08-01,1,a "b" c,5,1,1\n`,
    says: 'a quotation mark inside a cell is not doubled. It begins with “2026-08-01,1,a "b"',
    exitCode: 9,
  },
  {
    like: 'quote.csv',
    name: 'never closed',
    content: `${head}${two}2026-08-03,3,"c,1,1,1\n`,
    says: 'Line 4 of the CSV cannot be read: a quotation mark is opened but never closed',
    exitCode: 9,
  },
  { like: 'a zip', name: 'in gzip', content: gzipSync(zip), says: 'a zip archive', exitCode: 9 },
  {
    like: 'a zip',
    name: 'packed with zstd',
    content: Buffer.from('28b52ffd0000000000', 'hex'),
    says: 'packed with zstd.\n  Unpack it',
    exitCode: 9,
  },
];

test.each(cases)('like $like: $name', async (each) => {
  const { file = 'r.csv', content, flags = '', groups, says, exitCode = 0 } = each;
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, file), content);

  const result = await runCli(`view ${file} --json ${flags}`, { cwd });

  expect(result.exitCode, result.stderr).toBe(exitCode);
  if (groups) expect(JSON.parse(result.stdout).groups).toMatchObject(groups);
  else expect(result.stdout).toBe('');
  // With --json an error is one line of JSON.
  const text = exitCode === 0 ? result.stderr : errorText(result.stderr);
  if (says === '') expect(text.replace(/^Note: The rows are from .*\n/, '')).toBe('');
  else expect(text).toContain(says);
  if (!says.includes('never closed')) expect(text).not.toContain('again');
});

/** The message and the hint of an error in JSON, on two lines. */
function errorText(stderr: string): string {
  const { message, hint } = JSON.parse(stderr).error;
  return `${message}\n  ${hint}`;
}

test.each(['zstd', 'lz4_raw'])('Parquet packed with %s by DuckDB is read', async (codec) => {
  const path = join(import.meta.dirname, 'cases', `${codec}.parquet`);
  const { stdout } = await runCli(['view', path, '--json', '--by', 'campaignName']);

  expect(JSON.parse(stdout)).toMatchObject({
    totals: { displays: 61770 },
    groups: [
      { campaignName: 'campaign 2', displays: 20610 },
      { campaignName: 'campaign 1', displays: 20590 },
      { campaignName: 'campaign 0', displays: 20570 },
    ],
  });
});
