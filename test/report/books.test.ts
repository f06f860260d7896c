import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type BookLine,
  changesBetween,
  questionOf,
  type Totals,
} from '../../src/report/book-line.ts';
import { describeFault, FolderBooks, isBooks, nameOfBooks } from '../../src/report/books.ts';
import { differencesOf, hashOfQuestion, type Question } from '../../src/report/question.ts';

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

function readBooks(folder: string, visit?: (line: BookLine) => void): FolderBooks {
  const books = new FolderBooks(folder);
  books.read(visit);
  return books;
}

function append(folder: string, name: string, appended: BookLine): void {
  new FolderBooks(folder).append(name, appended);
}

describe('the books of a folder', () => {
  test('a line comes back as it was written, and the one that was fetched last counts', () => {
    const folder = makeFolder();
    const later = { ...line, fetchedAt: '2026-11-03T06:00:00.000Z', rows: 13 };

    append(folder, nameOfBooks('2/4'), later);
    append(folder, nameOfBooks(undefined), line);

    const { lines, faults } = readBooks(folder);
    expect([...lines.values()]).toEqual([later]);
    expect(faults).toEqual([]);
  });

  test('every line is visited, older ones too', () => {
    const folder = makeFolder();
    append(folder, '_adreport.ndjson', line);
    append(folder, '_adreport.ndjson', { ...line, rows: 13 });

    const rows: number[] = [];
    readBooks(folder, (visited) => rows.push(visited.rows));

    expect(rows).toEqual([12, 13]);
  });

  test('a torn last line is passed over and told, and the next line stands on its own', () => {
    const folder = makeFolder();
    append(folder, '_adreport.ndjson', line);
    appendFileSync(join(folder, '_adreport.ndjson'), JSON.stringify(line).slice(0, 100));

    expect(readBooks(folder).faults.map(describeFault)).toEqual([
      'Line 2 of _adreport.ndjson is torn or is no line of ours: it is passed over.',
    ]);

    append(folder, '_adreport.ndjson', { ...line, file: 'other.csv' });
    expect([...readBooks(folder).lines.keys()]).toEqual([line.file, 'other.csv']);
    expect(readBooks(folder).faults).toHaveLength(1);

    // The file that the torn line was of has its line now, so that there is nothing to mend.
    append(folder, '_adreport.ndjson', line);
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

  test('what another run appends meanwhile is read on, and what was read is not read again', () => {
    const folder = makeFolder();
    append(folder, '_adreport.ndjson', line);
    const books = readBooks(folder);

    const later = { ...line, fetchedAt: '2026-11-03T06:00:00.000Z', rows: 13 };
    append(folder, '_adreport.ndjson', later);
    append(folder, '_adreport-1-of-2.ndjson', { ...line, file: 'of-a-shard.csv' });
    books.readOn('_adreport-1-of-2.ndjson');

    expect(books.lines.get(line.file)).toEqual(later);
    expect(books.lines.size).toBe(2);

    // A line that is being written has no line break yet.
    appendFileSync(join(folder, '_adreport.ndjson'), '{"file":"date=2026-11-01/part.csv","win');
    books.readOn('_adreport.ndjson');
    expect(books.faults).toEqual([{ book: '_adreport.ndjson', lineNumber: 3 }]);

    appendFileSync(join(folder, '_adreport.ndjson'), 'dow":{}}\n');
    append(folder, '_adreport.ndjson', { ...later, fetchedAt: '2026-11-04T06:00:00.000Z' });
    books.readOn('_adreport.ndjson');
    expect(books.faults).toEqual([]);
    expect(books.lines.get(line.file)?.fetchedAt).toBe('2026-11-04T06:00:00.000Z');
  });

  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 3_000 }),
    fc.constant('漢'.repeat(2_000)),
    fc.constant('\u0000'.repeat(900)),
  );
  const listOfTexts = fc.oneof(
    fc.array(texts, { maxLength: 30 }),
    fc.constant(Array.from({ length: 1_000 }, (_, index) => String(1_000_000 + index))),
  );
  const names = fc.constantFrom('countryId', 'campaignId', 'carrier', 'campaign', 'adUnit');
  const numbers = fc.oneof(
    fc.integer().map(String),
    fc.constant('9'.repeat(5_000)),
    fc.constant('12345678901234567890.12'),
  );
  const totals: fc.Arbitrary<Totals> = fc.dictionary(
    fc.constantFrom('displays', 'clicks', 'downloads', 'revenueEuro'),
    numbers,
  );

  test('a line has its bound, whatever filters, names, warnings and figures hold', () => {
    const anyLine = fc.record({
      filters: fc.dictionary(names, listOfTexts),
      account: texts,
      baseUrl: texts,
      warnings: listOfTexts,
      columns: listOfTexts,
      delimiter: texts,
      reportId: texts,
      totals,
      file: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 250 }),
    });

    fc.assert(
      fc.property(anyLine, ({ filters, account, baseUrl, columns, delimiter, ...rest }) => {
        const folder = mkdtempSync(join(tmpdir(), 'adreport-books-'));
        try {
          const request = { ...line.request, filters, account, baseUrl };
          const format = { name: 'csv', columns, delimiter };
          append(folder, '_adreport.ndjson', { ...line, ...rest, request, format });

          const { length } = readFileSync(join(folder, '_adreport.ndjson'));
          expect(length).toBeLessThanOrEqual(4_096);
          const read = readBooks(folder).lines.get(rest.file);
          expect(read).toMatchObject({ requestHash: line.requestHash, sha256: line.sha256 });
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
    );
  });

  test('a number of a line is whole, or not there at all', () => {
    const folder = makeFolder();
    const huge = { displays: '1204', clicks: '9'.repeat(5_000) };
    append(folder, '_adreport.ndjson', { ...line, totals: huge });

    expect(readBooks(folder).lines.get(line.file)?.totals).toEqual({ displays: '1204' });
  });

  test('a line that would not have room with its file’s name alone is refused', () => {
    const folder = makeFolder();
    const file = `${'deep/'.repeat(900)}x.csv`;

    expect(() => append(folder, '_adreport.ndjson', { ...line, file })).toThrow('longer than 4 KB');
    expect(readBooks(folder).lines.size).toBe(0);
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
