import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serveAnswers } from '../support/http-server.ts';
import { type CliResult, expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

/**
 * Files edited by other programs: cells with one meaning are read, ambiguous ones are refused, and
 * every figure shown is in the file.
 */

const cases = join(import.meta.dirname, 'cases');

/** Runs `view` on a file with this content. */
async function view(content: string | Buffer, flags = '', name = 'r.csv') {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), content);
  return groupsOf(await runCli(`view ${name} --json ${flags}`, { cwd }));
}

/** A result with only the groups of its output. */
function groupsOf(result: CliResult): CliResult {
  if (result.exitCode !== 0) return result;
  return { ...result, stdout: JSON.stringify(JSON.parse(result.stdout).groups) };
}

/** Runs `view` on one of the cases. */
async function viewCase(file: string, flags = '') {
  const cwd = temporaryFolder();
  copyFileSync(join(cases, file), join(cwd, file));
  return groupsOf(await runCli(`view ${file} --json ${flags}`, { cwd }));
}

describe('a total among the rows', () => {
  test.each([
    { file: 'totals-row.csv', flags: '--by CAMPAIGN' },
    { file: 'totals-named.csv', flags: '--by CAMPAIGN --metrics displays' },
  ])('$file: is left in with a warning; with --strict exit 9', async ({ file, flags }) => {
    const { exitCode, stdout, stderr } = await viewCase(file, flags);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.any(Array)]);
    expect(stderr).toMatch(
      /^Warning: Row \d has no campaign, and its figures are the sums of all other rows/m,
    );

    expect((await viewCase(file, `${flags} --strict`)).exitCode).toBe(9);
  });

  test('totals-row.csv: “Total” is not a date', async () => {
    const { exitCode, stderr } = await viewCase('totals-row.csv', '--by MONTHLY');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('“Total”, is not a date');
  });
});

describe('numbers', () => {
  test.each([
    { file: 'thousands-dot.csv', sums: { displays: 67117, clicks: 3094, revenueEuro: 902.66 } },
    { file: 'thousands-comma.csv', sums: { displays: 45017, clicks: 2, revenueEuro: 1235.56 } },
  ])('$file, with a note on how they were read', async ({ file, sums }) => {
    const { stdout, stderr } = await viewCase(file);
    expect(JSON.parse(stdout)).toMatchObject([sums]);
    expect(stderr).toMatch(/^Note: Numbers were read like this: displays “45.012” as 45012/);
  });

  test.each([
    { cell: '"1 234,56"', value: 1234.56 },
    { cell: "1'234.56", value: 1234.56 },
    { cell: '"1\u202f234,56 €"', value: 1234.56 },
    { cell: '"1.234.567,8"', value: 1234567.8 },
    { cell: '"$1,234.50"', value: 1234.5 },
    { cell: '-1234.5', value: -1234.5 },
    { cell: '0.125', value: 0.125 },
    { cell: '12.345', value: 12.345 },
    { cell: '--', value: null },
    { cell: 'N/A', value: null },
  ])('the money $cell is $value', async ({ cell, value }) => {
    const { stdout } = await view(`date,revenueEuro\n2026-08-01,${cell}\n`);
    expect(JSON.parse(stdout)).toMatchObject([{ revenueEuro: value }]);
  });

  test('a comma before three digits of money, and nothing else, is refused with both readings', async () => {
    const refused = await view('date,revenueEuro\n2026-08-01,"1,234"\n');
    expectRefusal(refused, 2, 'revenueEuro “1,234” can be 1234 or 1.234');

    const shared = await view('date,revenueEuro,revenueDollar\n2026-08-01,"1,234","5,5"\n');
    expect(JSON.parse(shared.stdout)).toMatchObject([{ revenueEuro: 1.234 }]);

    const own = await view('date,revenueEuro\n2026-08-01,"1,234"\n2026-08-02,"1,234.5"\n');
    expect(JSON.parse(own.stdout)).toMatchObject([{ revenueEuro: 2468.5 }]);
  });

  test('of JSON are never reinterpreted', async () => {
    const { stdout, stderr } = await view('{"data":[{"displays":45.012}]}', '', 'r.json');
    expect(JSON.parse(stdout)).toMatchObject([{ displays: 45.012 }]);
    expect(stderr).toBe('Warning: The metric displays is not a whole number in row 1: 45.012.\n');
  });

  test.each([
    { cells: ['1.000', '12.00'], says: 'displays “1.000” can be 1000 or 1, and “12.00” has' },
    { cells: ['2.5', '1.000'], says: 'displays “1.000” can be 1000 or 1, and “2.5” has decimals' },
    { cells: ['0.500', '1.234'], says: 'displays “1.234” can be 1234 or 1.234, and “0.500” has' },
    { cells: ['1,5', '1,234'], says: 'displays “1,234” can be 1234 or 1.234, and “1,5” has' },
    { cells: ['1.234.567', '2.5', '1.000'], says: 'can be 1000 or 1, and “2.5” has decimals' },
  ])('the counts $cells contradict each other', async ({ cells, says }) => {
    const rows = cells.map((cell) => `2026-08-01;${cell};1.000,00\n`).join('');
    expectRefusal(await view(`date;displays;revenueEuro\n${rows}`), 2, says);
  });

  test.each([
    { cells: ['12,34', '5.25', '1.234'], says: 'can be 1234 or 1.234, and “5.25” has decimals' },
    { cells: ['1.234,50', '5.25', '1.234'], says: 'can be 1234 or 1.234, and “5.25” has decimals' },
  ])('the amounts $cells contradict each other', async ({ cells, says }) => {
    const rows = cells.map((cell) => `2026-08-01;${cell}\n`).join('');
    expectRefusal(await view(`date;revenueEuro\n${rows}`), 2, says);
  });

  test.each([
    { field: 'displays', cells: ['0.000', '1.000', '12345.000'], sum: 12346, note: '' },
    { field: 'displays', cells: ['1.000', '2.500'], sum: 3500, note: '“1.000” as 1000' },
    { field: 'revenueEuro', cells: ['1234,5678', '1'], sum: 1235.5678, note: '“1234,5678” as' },
    {
      field: 'revenueEuro',
      cells: ['12,34', '5.25'],
      sum: 17.59,
      note: 'revenueEuro “12,34” as 12.34, revenueEuro “5.25” as 5.25.',
    },
  ])('the $field $cells have one meaning: $sum', async ({ field, cells, sum, note }) => {
    const rows = cells.map((cell) => `2026-08-01;${cell}\n`).join('');
    const { stdout, stderr } = await view(`date;${field}\n${rows}`);

    expect(JSON.parse(stdout)).toMatchObject([{ [field]: sum }]);
    if (note === '') expect(stderr).toBe('');
    else expect(stderr).toContain(note);
  });

  test.each([
    { field: 'revenueEuro', cells: ['€5', '$7'] },
    { field: 'revenueEuro', cells: ['5 EUR', '7 GBP'] },
    { field: 'valueDollar', cells: ['$5', '7%'] },
  ])('the $field $cells cannot be added up', async ({ field, cells: [one, other] }) => {
    const refused = await view(`date,${field}\n2026-08-01,${one}\n2026-08-02,${other}\n`);
    const says = `${field} has “${one}” in row 1 and “${other}” in row 2, which cannot be added up.`;
    expectRefusal(refused, 2, says);
  });

  test.each([
    { field: 'revenueEuro', cell: '"$1,234.56"', says: 'revenueEuro is in euros, but row 2 has' },
    { field: 'revenueDollar', cell: '5 €', says: 'revenueDollar is in dollars, but row 2 has' },
    { field: 'displays', cell: '€5', says: 'displays is a count, but row 2 has “€5”.' },
    { field: 'revenueEuro', cell: '"EUR 5,50"', says: '' },
    { field: 'valueDollar', cell: '$5.50', says: '' },
  ])('$cell in $field: $says', async ({ field, cell, says }) => {
    const { exitCode, stderr } = await view(`date,${field}\n2026-08-01,7\n2026-08-02,${cell}\n`);

    expect(exitCode).toBe(0);
    if (says === '') expect(stderr).not.toContain('Warning');
    else expect(stderr).toContain(`Warning: ${says}`);
  });

  test('a rate is computed from rows with both figures', async () => {
    const { stdout } = await viewCase('rates-unequal.csv', '--metrics ctr,ecpmEuro');
    expect(JSON.parse(stdout)).toEqual([{ ctr: 0.01, ecpmEuro: 1 }]);
  });
});

describe('values that do not fit their column are a warning, with --strict exit 9', () => {
  test.each([
    { file: 'r.csv', content: 'date,displays\n2026-08-01,1.5\n', says: 'in row 1: 1.5.' },
    { file: 'r.csv', content: 'date,displays\n2026-08-01,"1,5"\n', says: 'in row 1: "1,5".' },
    {
      file: 'r.csv',
      content: 'date,displays\n2026-08-01,1\n2026-08-02,few\n',
      says: 'row 2: "few"',
    },
    { file: 'r.json', content: '{"data":[{"displays":2},{"displays":1.5}]}', says: 'row 2: 1.5.' },
    { file: 'r.json', content: '{"data":[{"displays":2},{"displays":[1]}]}', says: 'row 2: [1].' },
    { file: 'r.csv', content: 'date,displays\n2026-08-01,1\ndate,displays\n', says: 'header' },
  ])('$content', async ({ file, content, says }) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, file), content);

    const { exitCode, stderr, stdout } = await runCli(`view ${file} --json`, { cwd });
    const page = await runCli(`view ${file} --metrics displays -o page.html`, { cwd });

    expect(exitCode).toBe(0);
    expect(stderr).toContain(says);
    const { warnings } = JSON.parse(stdout);
    expect(stderr).toBe(`Warning: ${warnings.join('')}\n`);
    expect(page.stderr).toContain(says);
    expectRefusal(await runCli(`view ${file} --strict -o x.csv`, { cwd }), 9, says);
    expect(readdirSync(cwd).sort()).toEqual(['page.html', file]);
  });

  test('also if the first rows have no value', async () => {
    const empty = '2026-08-01,1,\n'.repeat(20_000);
    const { stderr } = await view(`date,displays,clicks\n${empty}2026-08-02,1,1.5\n`);
    expect(stderr).toBe('Warning: The metric clicks is not a whole number in row 20001: 1.5.\n');
  });
});

describe('a report without rows is a note, and its CSV has a header', () => {
  const header = 'date,campaignId,displays\n';

  test.each([
    { content: header, flags: '', csv: 'displays' },
    { content: header, flags: '--by DAILY', csv: 'date,displays' },
    { content: header, flags: '--by CAMPAIGN --metrics displays', csv: 'campaignId,displays' },
    { content: '{"data":[]}', flags: '--metrics clicks,ctr', csv: 'clicks,ctr' },
    { content: '{"data":[]}', flags: '--by date,OS --metrics clicks', csv: 'date,os,clicks' },
  ])('$content $flags', async ({ content, flags, csv }) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'r.txt'), content);

    const { exitCode, stderr, stdout } = await runCli(`view r.txt ${flags}`, { cwd });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Note: The report has no rows.\n',
    });
    expect(stdout).toBe(`${csv}\r\n`);
  });
});

test.each([
  { flags: '--metrics ctr', says: 'no clicks to compute ctr from (clicks ÷ displays).' },
  { flags: '--metrics CTR', says: 'no clicks to compute ctr from (clicks ÷ displays).' },
  { flags: '--by date --sort cpcEuro', says: 'no revenueEuro and no clicks to compute cpcEuro' },
  { flags: '--metrics ctrl', says: 'no column “ctrl”' },
])('a rate without the figures it is computed from: $flags', async ({ flags, says }) => {
  expectRefusal(await view('date,displays,ctr\n2026-08-01,5,0.1\n', flags), 2, says);
});

describe('dates', () => {
  test.each([
    { file: 'dates-dots.csv' },
    { file: 'dates-compact.csv' },
    { file: 'dates-words.csv' },
  ])('$file', async ({ file }) => {
    const { stdout } = await viewCase(file, '--by MONTHLY');
    expect(JSON.parse(stdout)).toMatchObject([{ date: '2026-08-01', displays: 12 }]);
  });

  test.each([
    { text: '2026/08/01' },
    { text: '"August 1, 2026"' },
    { text: '1 Aug 2026' },
    { text: '2026-08-01 00:00:00' },
    { text: '2026-8-1' },
  ])('$text is a day', async ({ text }) => {
    const { stdout } = await view(`date,displays\n${text},5\n`, '--by DAILY');
    expect(JSON.parse(stdout)).toMatchObject([{ date: '2026-08-01', displays: 5 }]);
  });

  test('with one reading that fits every row', async () => {
    const dayFirst = await view('date,displays\n8/1/2026,5\n31/1/2026,6\n', '--by MONTHLY');
    expect(JSON.parse(dayFirst.stdout)).toMatchObject([{ date: '2026-01-01', displays: 11 }]);

    const monthFirst = await view('date,displays\n8/1/2026,5\n8/31/2026,6\n', '--by MONTHLY');
    expect(JSON.parse(monthFirst.stdout)).toMatchObject([{ date: '2026-08-01', displays: 11 }]);
  });

  test('with two readings are refused if they are used', async () => {
    const refused = await viewCase('dates-ambiguous.csv', '--by MONTHLY');
    expectRefusal(refused, 2, 'row 1, “8/1/2026”, could be 2026-08-01 or 2026-01-08');
    expect(await viewCase('dates-ambiguous.csv')).toMatchObject({ exitCode: 0, stderr: '' });

    const neither = await view('date,displays\n13/08/2026,5\n08/14/2026,6\n', '--by DAILY');
    expectRefusal(
      neither,
      2,
      'The date of row 1, “13/08/2026”, is 2026-08-13 with the day first, and row 2, “08/14/2026”, is 2026-08-14 with the month first.',
    );
    expectRefusal(await viewCase('dates-serial.csv', '--by MONTHLY'), 2, '“46235”, is not a date');
  });

  const noDays = [
    { file: 'r.csv', content: 'date,displays\n2026-02-28,5\n2026-02-30,5\n' },
    { file: 'r.csv', content: 'date,displays\n14/02/2026,5\n30/02/2026,5\n' },
    { file: 'r.csv', content: 'hour,displays\n2026-02-28T01:00:00Z,5\n2026-02-30T01:00:00Z,5\n' },
    { file: 'r.json', content: '[{"date":"2026-02-28","clicks":5},{"date":"2026-02-30"}]' },
    { file: 'r.json', content: '[{"date":"2026-02-28","clicks":5},{"date":"20260801"}]' },
    { file: 'r.json', content: '[{"date":"2026-02-28","clicks":5},{"date":46235}]' },
  ];

  test.each(noDays)('that do not exist are refused, where they are used: $content', async (day) => {
    const { file, content } = day;
    const names = content.startsWith('hour') ? ['hour'] : ['DAILY', 'WEEKLY', 'MONTHLY'];
    const uses = [...names.map((name) => `--by ${name}`), '--period 2026-02-01..2026-02-28'];
    for (const flags of uses) {
      expectRefusal(await view(content, flags, file), 2, /of row 2, “[^”]+”, is not a date/);
    }
    expect(await view(content, '', file)).toMatchObject({ exitCode: 0 });
  });

  test('a byte order mark is not part of a day', async () => {
    const { stdout } = await viewCase('bom-inside.csv', '--by DAILY');
    const days = JSON.parse(stdout).map(({ date }: { date: string }) => date);
    expect(days).toEqual(['2026-08-01', '2026-08-02']);
  });
});

test.each([
  { name: 'a power of ten in a CSV', view: () => viewCase('ids-rounded.csv', '--by CAMPAIGN') },
  {
    name: 'a float in JSON',
    view: () => view('{"data":[{"campaignId":1.2e17,"displays":5}]}', '--by CAMPAIGN', 'r.json'),
  },
])('ids that were rounded are a warning: $name', async ({ view: look }) => {
  const { exitCode, stderr } = await look();
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/Warning: .*rounded by another program/);
});

describe('an unreadable file is reported with line and reason', () => {
  test.each([
    {
      file: 'latin1-line.csv',
      says: 'Line 3 of the CSV is not UTF-8',
      hint: 'Save the file as UTF-8',
    },
    {
      file: 'footer.csv',
      says: 'Line 3 of the CSV cannot be read: it has 1 cell, but the header has 5. It begins with “"Data from a demo account"”',
      hint: '',
    },
    {
      file: 'quote.csv',
      says: 'Line 2 of the CSV cannot be read: a quotation mark inside a cell is not doubled',
      hint: '',
    },
  ])('$file', async ({ file, says, hint }) => {
    const result = await runCli(['view', join(cases, file)]);
    expectRefusal(result, 9, says);
    expect(result.stderr).toContain(hint);
    expect(result.stderr).not.toContain('again');
  });

  test.each([
    {
      name: 'r.zip',
      hex: '504b0304140000000000000000000000000000000000000000000a0000007265706f72742e637376',
      says: 'This is a zip archive',
    },
    { name: 'r.csv', hex: '28b52ffd20', says: 'This file is packed with zstd' },
    { name: 'r.csv.zst', hex: '28b52ffd24', says: 'This file is packed with zstd' },
  ])('$name is to be unpacked first: $says', async ({ name, hex, says }) => {
    const refused = await view(Buffer.from(hex, 'hex'), '', name);
    expectRefusal(refused, 9, says);
    expect(refused.stderr).toContain('Unpack it and view the report file inside');
  });
});

const cent = fc.integer({ min: -5_000_000, max: 90_000_000 });
const dialects = [
  '--excel',
  '--decimal ,',
  '--delimiter ;',
  '--normalize',
  '--bom',
  '--normalize --decimal , --delimiter tab',
  '--excel --normalize',
  '--delimiter | --bom',
  '--decimal . --delimiter ;',
  '--escape-formulas',
  '',
];

test('every dialect that the program writes is read back to the same sums', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ cents: cent, displays: fc.nat(5_000_000) }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.constantFrom(...dialects),
      fc.boolean(),
      async (rows, dialect, isDsp) => {
        const cwd = temporaryFolder();
        const money = (cents: number) =>
          isDsp ? (cents / 100).toFixed(2).replace('.', ',') : cents / 100;
        const data = rows.map(({ cents, displays }, index) => ({
          date: `2026-08-${String(index + 1).padStart(2, '0')}`,
          displays,
          revenueEuro: money(cents),
        }));
        writeFileSync(join(cwd, 'r.json'), JSON.stringify({ data }));
        const { env } = await serveAnswers({ '/download-reporting': { data } });
        const flags = `--profile ${isDsp ? 'dsp' : 'buyer'} --period 2026-08 --by DAILY --metrics displays,revenueEuro`;
        const run = await runCli(`run ${flags} ${dialect} -o r.csv -q`, { cwd, env });
        expect(run.exitCode).toBe(0);

        const { stdout } = await runCli('view r.csv --json --metrics displays,revenueEuro', {
          cwd,
        });

        const cents = rows.reduce((sum, row) => sum + row.cents, 0);
        const displays = rows.reduce((sum, row) => sum + row.displays, 0);
        expect(JSON.parse(stdout)).toMatchObject({
          totals: { displays, revenueEuro: cents / 100 },
        });
      },
    ),
    { numRuns: 25 },
  );
});

test.each([{ id: '1234567890123456' }, { id: '00042' }])(
  '--excel with the id $id suggests .xlsx in a note',
  async ({ id }) => {
    const data = [{ campaignId: id, campaignName: 'a', displays: 5 }];
    const { env } = await serveAnswers({ '/download-reporting': { data } });
    const line = 'run --period 2026-11-09 --by CAMPAIGN --metrics displays --excel -o r.csv';

    const { exitCode, stderr } = await runCli(line, { env });

    expect(exitCode).toBe(0);
    expect(stderr).toContain('-o report.xlsx keeps them');
  },
);
