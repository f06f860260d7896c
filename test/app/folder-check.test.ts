import { describe, expect, test } from 'vitest';
import { type FileFacts, judgeFolder } from '../../src/app/folder-check.ts';
import type { BookLine } from '../../src/report/book-line.ts';
import type { BookFault } from '../../src/report/books.ts';

/** The line of a day in a folder that is whole. */
function lineOf(day: string, changes: Partial<BookLine> = {}): BookLine {
  return {
    file: `date=${day}/part.csv`,
    window: {
      since: `${day}T00:00:00+0100`,
      until: `${day}T23:59:59+0100`,
      timezone: 'Europe/Paris',
    },
    request: {
      profile: 'buyer',
      metrics: ['displays', 'revenueEuro'],
      breakdowns: ['DAILY', 'CAMPAIGN'],
      filters: {},
      account: 'work',
      baseUrl: 'https://reports.example.com',
      windowClock: 'instant',
    },
    requestHash: 'a'.repeat(32),
    key: ['date', 'campaignId'],
    reportId: null,
    createdAt: '2026-11-20T06:00:00.000Z',
    fetchedAt: '2026-11-20T06:00:09.000Z',
    rows: 10,
    bytes: 400,
    sha256: `hash of ${day}`,
    totals: { displays: '100', revenueEuro: '0.10' },
    warnings: [],
    format: { name: 'csv' },
    adreport: '0.3.0',
    ...changes,
  };
}

const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'];
const wholeFolder = days.map((day) => lineOf(day));

function fileOf(line: BookLine, changes: Partial<FileFacts> = {}): FileFacts {
  const columns = ['date', 'campaignId', 'displays', 'revenueEuro'];
  return { file: line.file, bytes: line.bytes, sha256: line.sha256, columns, ...changes };
}

interface Folder {
  readonly lines: readonly BookLine[];
  readonly files: readonly FileFacts[];
  readonly faults?: readonly BookFault[];
}

function judge({ lines, files, faults = [] }: Folder) {
  const books = { lines: new Map(lines.map((line) => [line.file, line])), faults };
  return judgeFolder({ books, files, olderCopies: new Map() });
}

/** The findings for a folder in which one line, and one file, are not what they should be. */
function kindsOf(folder: Folder): string[] {
  return judge(folder).findings.map(({ kind, file = '' }) => `${kind} ${file}`.trim());
}

const wholeFiles = wholeFolder.map((line) => fileOf(line));
const [first, second, third, fourth] = wholeFolder as [BookLine, BookLine, BookLine, BookLine];
const withoutThird = [first, second, fourth];

describe('a folder of reports', () => {
  test('that is whole has no finding, and its request is summed up to the cent', () => {
    const { findings, requests } = judge({ lines: wholeFolder, files: wholeFiles });

    expect(findings).toEqual([]);
    expect(requests).toEqual([
      {
        request: first.request,
        requestHash: first.requestHash,
        since: '2026-11-01T00:00:00+0100',
        until: '2026-11-04T23:59:59+0100',
        files: 4,
        rows: 40,
        bytes: 1_600,
        totals: { displays: '400', revenueEuro: '0.40' },
      },
    ]);
  });

  test('names a file that was removed', () => {
    const files = withoutThird.map((line) => fileOf(line));
    expect(kindsOf({ lines: wholeFolder, files })).toEqual([`missing file ${third.file}`]);
  });

  test('names a day that nobody fetched', () => {
    const folder = { lines: withoutThird, files: withoutThird.map((line) => fileOf(line)) };

    expect(kindsOf(folder)).toEqual(['missing unit']);
    expect(judge(folder).findings[0]?.sentence).toContain('2026-11-03 is missing');
  });

  test('names a file that was cut, and one that was edited', () => {
    const harmed = [
      fileOf(first, { bytes: 100, sha256: 'cut' }),
      fileOf(second, { sha256: 'edited' }),
    ];
    const files = [...harmed, ...wholeFiles.slice(2)];

    expect(kindsOf({ lines: wholeFolder, files })).toEqual([
      `changed file ${first.file}`,
      `changed file ${second.file}`,
    ]);
  });

  test('names an empty file', () => {
    const files = [fileOf(first, { bytes: 0, sha256: '' }), ...wholeFiles.slice(1)];
    expect(kindsOf({ lines: wholeFolder, files })).toEqual([`empty file ${first.file}`]);
  });

  test('names both files where one was renamed', () => {
    const renamed = fileOf(third, { file: 'date=2026-12-03/part.csv' });
    const files = [...withoutThird.map((line) => fileOf(line)), renamed];

    expect(kindsOf({ lines: wholeFolder, files })).toEqual([
      `missing file ${third.file}`,
      `no line ${renamed.file}`,
    ]);
  });

  test('names both files where two were swapped', () => {
    const files = [
      fileOf(first, { sha256: second.sha256 }),
      fileOf(second, { sha256: first.sha256 }),
      ...wholeFiles.slice(2),
    ];

    expect(kindsOf({ lines: wholeFolder, files })).toEqual([
      `changed file ${first.file}`,
      `changed file ${second.file}`,
    ]);
  });

  test('says so where an older copy of a file came back', () => {
    const books = { lines: new Map(wholeFolder.map((line) => [line.file, line])), faults: [] };
    const older = new Map([['hash of last week', '2026-11-13T06:00:09.000Z']]);
    const files = [fileOf(first, { sha256: 'hash of last week' }), ...wholeFiles.slice(1)];

    const { findings } = judgeFolder({ books, files, olderCopies: new Map([[first.file, older]]) });

    expect(findings).toHaveLength(1);
    expect(findings[0]?.sentence).toContain(
      `${first.file} is an older copy: it is what was fetched at 2026-11-13T06:00:09.000Z`,
    );
  });

  test('names an early report', () => {
    const early = lineOf('2026-11-04', { createdAt: '2026-11-04T18:00:00.000Z' });
    const lines = [first, second, third, early];
    expect(kindsOf({ lines, files: wholeFiles })).toEqual([`early ${early.file}`]);
  });

  test('names the file that answers another request, and says what differs', () => {
    const request = { ...first.request, filters: { countryId: ['2921044'] } };
    const other = lineOf('2026-11-02', { request, requestHash: 'b'.repeat(32) });
    const folder = { lines: [first, other, third, fourth], files: wholeFiles };

    expect(kindsOf(folder)).toEqual([`other request ${other.file}`, 'missing unit']);
    expect(judge(folder).findings[0]?.sentence).toContain('country: none → DE');
  });

  test('names the file with other columns', () => {
    const files = [fileOf(first, { columns: ['date', 'displays'] }), ...wholeFiles.slice(1)];
    expect(kindsOf({ lines: wholeFolder, files })).toEqual([`other columns ${first.file}`]);
  });

  test('names a day that two files hold', () => {
    const again = lineOf('2026-11-02', { file: 'copy.csv' });
    const lines = [...wholeFolder, again];
    const files = [...wholeFiles, fileOf(again)];
    expect(kindsOf({ lines, files })).toEqual(['overlap copy.csv']);
  });

  test('names a file that was warned of, and a fault of the books', () => {
    const warned = lineOf('2026-11-01', { warnings: ['The report has no rows.'] });
    const lines = [warned, second, third, fourth];
    const faults = [{ book: '_adreport.ndjson', lineNumber: 5 }];

    expect(kindsOf({ lines, files: wholeFiles, faults })).toEqual([
      'books _adreport.ndjson',
      `warning ${warned.file}`,
    ]);
  });

  test('without books names every file', () => {
    const expected = wholeFiles.map(({ file }) => `no line ${file}`);
    expect(kindsOf({ lines: [], files: wholeFiles })).toEqual(expected);
  });

  test('a clock change leaves no gap between two days', () => {
    const window = (since: string, until: string) => ({ since, until, timezone: 'Europe/Paris' });
    const saturday = lineOf('2026-10-24', {
      window: window('2026-10-24T00:00:00+0200', '2026-10-24T23:59:59+0200'),
    });
    const sunday = lineOf('2026-10-25', {
      window: window('2026-10-25T00:00:00+0200', '2026-10-25T23:59:59+0100'),
    });
    const monday = lineOf('2026-10-26');
    const lines = [saturday, sunday, monday];

    expect(kindsOf({ lines, files: lines.map((line) => fileOf(line)) })).toEqual([]);
  });
});
