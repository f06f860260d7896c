import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  appendToBooks,
  type BookLine,
  changesBetween,
  differencesOf,
  hashOfQuestion,
  isBooks,
  nameOfBooks,
  type Question,
  questionOf,
  readBooks,
} from '../../src/report/books.ts';

const line: BookLine = {
  file: 'date=2026-11-01/part.csv',
  window: {
    since: '2026-11-01T00:00:00+0100',
    until: '2026-11-01T23:59:59+0100',
    timezone: 'Europe/Paris',
  },
  request: {
    profile: 'buyer',
    metrics: ['displays', 'revenueEuro'],
    breakdowns: ['DAILY', 'CAMPAIGN'],
    filters: { countryId: ['3017382'] },
    account: 'work',
    baseUrl: 'https://reports.example.com',
    windowClock: 'instant',
  },
  requestHash: '0123456789abcdef0123456789abcdef',
  key: ['date', 'campaignId'],
  reportId: 'e57f',
  createdAt: '2026-11-02T06:00:00.000Z',
  fetchedAt: '2026-11-02T06:00:09.000Z',
  rows: 12,
  bytes: 480,
  sha256: 'ab'.repeat(32),
  totals: { displays: '1204', revenueEuro: '12.50' },
  warnings: [],
  format: { name: 'csv' },
  adreport: '0.3.0',
};

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-books-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the books of a folder', () => {
  test('a line comes back as it was written, and the one that was fetched last counts', () => {
    const folder = makeFolder();
    const later = { ...line, fetchedAt: '2026-11-03T06:00:00.000Z', rows: 13 };

    appendToBooks(folder, nameOfBooks('2/4'), later);
    appendToBooks(folder, nameOfBooks(undefined), line);

    const { lines, faults } = readBooks(folder);
    expect([...lines.values()]).toEqual([later]);
    expect(faults).toEqual([]);
  });

  test('every line is visited, older ones too', () => {
    const folder = makeFolder();
    appendToBooks(folder, '_adreport.ndjson', line);
    appendToBooks(folder, '_adreport.ndjson', { ...line, rows: 13 });

    const rows: number[] = [];
    readBooks(folder, (visited) => rows.push(visited.rows));

    expect(rows).toEqual([12, 13]);
  });

  test('a torn last line is passed over and told, and the next line stands on its own', () => {
    const folder = makeFolder();
    appendToBooks(folder, '_adreport.ndjson', line);
    appendFileSync(join(folder, '_adreport.ndjson'), JSON.stringify(line).slice(0, 100));

    expect(readBooks(folder).faults).toEqual([
      'Line 2 of _adreport.ndjson is torn or is no line of ours: it is passed over.',
    ]);

    appendToBooks(folder, '_adreport.ndjson', { ...line, file: 'other.csv' });
    expect([...readBooks(folder).lines.keys()]).toEqual([line.file, 'other.csv']);
    expect(readBooks(folder).faults).toHaveLength(1);

    // The file that the torn line was of has its line now, so that there is nothing to mend.
    appendToBooks(folder, '_adreport.ndjson', line);
    expect(readBooks(folder).faults).toEqual([]);
  });

  test('JSON of anybody else is no line of ours', () => {
    const folder = makeFolder();
    const texts = ['null', '[]', '{}', '{"file":1}', '"text"', '{"window":null}'];
    writeFileSync(join(folder, '_adreport.ndjson'), `${texts.join('\n')}\n`);

    const { lines, faults } = readBooks(folder);

    expect(lines.size).toBe(0);
    expect(faults).toHaveLength(texts.length);
  });

  test('a folder without books has no lines, and neither has one that is not there', () => {
    expect(readBooks(makeFolder()).lines.size).toBe(0);
    expect(readBooks('/nowhere/at/all').lines.size).toBe(0);
  });

  test('a line has its bound, whatever the request and the warnings hold', () => {
    const folder = makeFolder();
    const ids = Array.from({ length: 1_000 }, (_, index) => String(1_000_000 + index));
    const request = { ...line.request, filters: { campaignId: ids } };
    const warnings = ['x'.repeat(10_000), 'y'.repeat(10_000)];

    appendToBooks(folder, '_adreport.ndjson', { ...line, request, warnings });

    expect(readFileSync(join(folder, '_adreport.ndjson')).length).toBeLessThanOrEqual(4_096);
    expect(readBooks(folder).lines.get(line.file)?.rows).toBe(12);
  });

  test('only the names of books are theirs', () => {
    const names = ['_adreport.ndjson', '_adreport-1-of-4.ndjson', nameOfBooks(' 12/100 ')];
    for (const name of names) expect(isBooks(name)).toBe(true);

    const others = ['adreport.ndjson', '_adreport-a-of-b.ndjson', '_adreport.ndjson.gz'];
    for (const name of others) expect(isBooks(name)).toBe(false);
  });
});

describe('the question of a file', () => {
  const question = questionOf(line);

  const others: readonly { readonly name: string; readonly question: Question }[] = [
    { name: 'profile: buyer → dsp', question: withRequest({ profile: 'dsp' }) },
    {
      name: 'metrics: displays,revenueEuro → displays',
      question: withRequest({ metrics: ['displays'] }),
    },
    {
      name: 'by: DAILY,CAMPAIGN → CAMPAIGN,DAILY',
      question: withRequest({ breakdowns: ['CAMPAIGN', 'DAILY'] }),
    },
    { name: 'country: FR → DE', question: withRequest({ filters: { countryId: ['2921044'] } }) },
    { name: 'country: FR → none', question: withRequest({ filters: {} }) },
    { name: 'account: work → other', question: withRequest({ account: 'other' }) },
    { name: 'window-clock: instant → wall', question: withRequest({ windowClock: 'wall' }) },
    { name: 'timezone: Europe/Paris → UTC', question: { ...question, timezone: 'UTC' } },
    { name: 'format: csv → parquet', question: { ...question, format: { name: 'parquet' } } },
    {
      name: 'delimiter: none → ;',
      question: { ...question, format: { name: 'csv', delimiter: ';' } },
    },
  ];

  function withRequest(part: Partial<BookLine['request']>): Question {
    return { ...question, request: { ...line.request, ...part } };
  }

  test.each(others)('$name', ({ name, question: asked }) => {
    expect(differencesOf(question, asked)).toEqual([name]);
    expect(hashOfQuestion(asked)).not.toBe(hashOfQuestion(question));
  });

  test('the order of filters and of their values is no difference', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^\d{1,6}$/), { minLength: 1 });
    const filters = fc.record({ countryId: ids, campaignId: ids, osId: ids });

    fc.assert(
      fc.property(filters, (values) => {
        const backwards = Object.entries(values)
          .reverse()
          .map(([name, list]) => [name, [...list].reverse()]);
        const one = withRequest({ filters: values });
        const other = withRequest({ filters: Object.fromEntries(backwards) });

        expect(differencesOf(one, other)).toEqual([]);
        expect(hashOfQuestion(one)).toBe(hashOfQuestion(other));
      }),
    );
  });
});

describe('restated totals', () => {
  test('only what differs is told, with both values', () => {
    const before = { displays: '1204', downloads: '40', revenueEuro: '12.50' };
    const now = { displays: '1204', downloads: '43', revenueEuro: '12.75' };

    expect(changesBetween(before, now)).toEqual({
      downloads: ['40', '43'],
      revenueEuro: ['12.50', '12.75'],
    });
    expect(changesBetween(before, before)).toBeUndefined();
  });

  test('a metric that was not there before has not changed', () => {
    expect(changesBetween({}, { displays: '1' })).toBeUndefined();
  });
});
