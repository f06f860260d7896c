import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect } from 'vitest';
import { toDecimalString } from '../../src/contract/values.ts';
import { readSheet } from '../present/xlsx-reader.ts';
import { withoutOrigin } from '../support/serve-folder.ts';
import { serveForTest } from '../support/service.ts';

// `view` of what `run` wrote gives what `run` gives for the same question.

const now = Date.parse('2026-11-25T10:00:00Z');

/** A report that `run` writes, and a question that it can answer. */
interface Asked {
  readonly account: 'buyer' | 'dsp';
  readonly period: string;

  /** The breakdown of time of the report; `''` for none. */
  readonly time: '' | 'HOURLY' | 'DAILY';

  /** The ending of the file, and flags of its dialect. */
  readonly format: string;

  /** The breakdowns of the question, with `OWN` for that of the report. */
  readonly by: string;
  readonly metrics: string;
  readonly isFiltered: boolean;

  /** True for a file per day. */
  readonly isFolder: boolean;

  /** The ending of the answer; only a folder knows its period, which people see. */
  readonly answer: 'csv' | 'html' | 'txt' | 'xlsx';
}

/** Every format, and both kinds of CSV. */
const fileFormats = [
  'csv',
  'csv --excel',
  'csv --normalize',
  'json',
  'ndjson',
  'ndjson --normalize',
  'parquet',
];

const periods = [
  '2026-10-25',
  '2026-03-29',
  '2026-10-24..2026-10-26',
  '2026-03-28..2026-03-30',
  '2026-10-19..2026-10-25',
];
const weeks = '2026-10-19..2026-10-25';

/** Random questions to files and folders, among them those of days with 23 and 25 hours. */
export function questions(): fc.Arbitrary<Asked> {
  return fc
    .record({
      account: fc.constantFrom('buyer' as const, 'dsp' as const),
      period: fc.constantFrom(...periods),
      time: fc.constantFrom('' as const, 'HOURLY' as const, 'DAILY' as const),
      format: fc.constantFrom(...fileFormats),
      by: fc.constantFrom(
        'HOURLY',
        'DAILY',
        'WEEKLY',
        'OWN',
        'HOURLY,OWN',
        'OWN,HOURLY',
        'DAILY,OWN',
        'OWN,WEEKLY',
      ),
      metrics: fc.constantFrom(
        '',
        '--metrics displays',
        '--metrics displays,revenueEuro',
        '--metrics revenueDollar,ecpmEuro',
      ),
      isFiltered: fc.boolean(),
      isFolder: fc.boolean(),
      answer: fc.constantFrom('csv' as const, 'html' as const, 'txt' as const, 'xlsx' as const),
    })
    .filter(({ account, period, time, by, isFiltered, isFolder, answer }) => {
      const hasTime = time === 'HOURLY' || !by.includes('HOURLY');
      const hasDays = time !== '' || isFolder || by === 'OWN';
      const hasWeeks = !by.includes('WEEKLY') || period === weeks;
      const hasNames = account === 'buyer' && answer === 'csv';
      const hasAnswer = answer === 'csv' || isFolder;
      return hasTime && hasDays && hasWeeks && hasAnswer && (hasNames || !isFiltered);
    });
}

/** Asks `view` of a report what `run` is asked. */
export function expectAnswersOfRun(): (asked: Asked) => Promise<void> {
  const services = new Map<string, ReturnType<typeof serveForTest>>();
  let reportCount = 0;
  return async (asked) => {
    const { account, period, time, format, by, metrics, isFiltered, isFolder, answer } = asked;
    const service =
      services.get(account) ?? serveForTest({ delayMs: 0, clock: () => now }, account);
    services.set(account, service);
    const { run, cwd } = await service;
    const succeed = async (line: string): Promise<void> => {
      const { exitCode, stderr } = await run([...line.split(/ +/), '-q'], { now });
      expect(exitCode, `${line}\n${stderr}`).toBe(0);
    };

    const own = account === 'buyer' ? 'CAMPAIGN' : 'FORMAT';
    const [ending = '', ...dialect] = format.split(' ');
    const written = ['', ...dialect].join(' ');
    // A normalized file names the dollar column as a normalized answer does.
    const naming = answer === 'csv' && dialect.includes('--normalize') ? ' --normalize' : '';
    const filter = isFiltered ? ' --filter campaignId=40010,40042' : '';
    const question = `--by ${by.replace('OWN', own)} ${metrics}${filter}${naming}`;
    const breakdowns = time === '' ? own : `${time},${own}`;
    reportCount += 1;
    const report = isFolder ? `own${reportCount}` : `own.${ending}`;
    const output = isFolder ? `${report}/{date}.${ending} --split day` : report;

    await succeed(`run --period ${period} --by ${breakdowns} -o ${output}${written}`);
    await succeed(`view ${report} ${question} -o viewed.${answer}`);
    await succeed(`run --period ${period} ${question} -o wanted.${answer}`);
    const [viewed, wanted] = ['viewed', 'wanted'].map((name) => {
      return shownBy(readFileSync(join(cwd, `${name}.${answer}`)), asked);
    });
    expect(viewed).toEqual(wanted);
  };
}

/** What an answer shows, but for its origin. */
function shownBy(bytes: Buffer, { answer, by }: Asked): unknown {
  if (answer === 'csv') return numbersOf(String(bytes));
  if (answer === 'xlsx') return readSheet(bytes);
  // The page of a folder has “Over time” in any case.
  const trend = by === 'OWN' ? /<section class="trend">.*?<\/section>\n/s : '';
  return withoutOrigin(String(bytes).replace(trend, ''));
}

/** The cells of a CSV, with numbers in one form: a DSP's money may have a comma. */
function numbersOf(text: string): string[][] {
  const rows: string[][] = parse(text);
  return rows.map((row) => row.map((cell) => String(Number(toDecimalString(cell)) || cell)));
}
