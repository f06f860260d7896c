import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';

// Small files after public bug reports: what is read, what is refused, and how it is said.

const cases = join(import.meta.dirname, 'cases');

/** Runs `view FILE --json` on one of the cases. */
function viewCase(file: string, flags = '') {
  const cwd = temporaryFolder();
  copyFileSync(join(cases, file), join(cwd, file));
  return runCli(`view ${file} --json ${flags}`, { cwd });
}

/** Runs `view` on a file with this content. */
function view(content: string | Uint8Array, flags = '', name = 'r.csv') {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, name), content);
  return runCli(`view ${name} ${flags}`, { cwd });
}

describe('a cell with two readings is exit 2, with file, line, column and cell', () => {
  test.each([
    { file: 'totals-row.csv', flags: '--by MONTHLY', says: 'line 4: date “Total” is not a date' },
    { file: 'thousands-comma.csv', flags: '', says: 'line 2: displays “45,012”' },
    { file: 'thousands-dot.csv', flags: '', says: 'line 2: displays “45.012”' },
    { file: 'negative-parentheses.csv', flags: '', says: 'line 3: revenueEuro “(12.50)”' },
    { file: 'dates-ambiguous.csv', flags: '--by MONTHLY', says: 'line 2: date “8/1/2026”' },
    {
      file: 'instants.csv',
      flags: '--by MONTHLY',
      says: 'line 2: date “2026-07-31T22:00:00.000Z”',
    },
    { file: 'hours-of-days.csv', flags: '--by HOURLY', says: 'line 2: hour “9” has no day' },
    { file: 'sheet-saved-as-csv.csv', flags: '', says: 'line 2: Displays “216,679”' },
    { file: 'ids-rounded.csv', flags: '--by CAMPAIGN', says: 'line 2: campaignId “1.2E+17” was' },
    {
      file: 'currency.csv',
      flags: '',
      says: 'line 3: currency “USD” is a different currency from',
    },
    {
      file: 'twice-but-for-case.csv',
      flags: '',
      says: 'Columns “displays” and “Displays” of twice-but-for-case.csv',
    },
    { file: 'bom-inside.csv', flags: '--by DAILY', says: 'line 2: date “' },
  ])('$file $flags', async ({ file, flags, says }) => {
    const refused = await viewCase(file, flags);
    expectRefusal(refused, 2, says);
    expect(refused.stderr).toContain(file);
  });

  test.each(['bom-inside.csv', 'ids-rounded.csv'])(
    '%s is read if the question does not use the column',
    async (file) => {
      expect(await viewCase(file)).toMatchObject({ exitCode: 0, stderr: '' });
    },
  );

  test('the line counts cells with line breaks and blank lines', async () => {
    const text = '\ncampaignName;displays\n"a\nb";1\n\n\r\nc;2\n"d\r\ne";3\nf;4 %\n';
    expectRefusal(await view(text, '--json'), 2, 'r.csv, line 10: displays “4 %”');
  });

  test('in JSON and Parquet it is the row', async () => {
    const rows = '{"data":[{"displays":1},{"displays":"12 %"}]}';
    expectRefusal(await view(rows, '--json', 'r.json'), 2, 'r.json, row 2: displays “12 %”');
  });

  test.each([
    { name: 'r.csv', content: 'date,displays\n2026-08-01,5.5\n', place: 'line 2' },
    { name: 'r.json', content: '{"data":[{"displays":5.5}]}', place: 'row 1' },
    { name: 'r.ndjson', content: '{"displays":1}\n{"displays":5.5}\n', place: 'row 2' },
  ])('a fraction in a whole metric of $name', async ({ name, content, place }) => {
    const says = `${name}, ${place}: displays “5.5” is not a whole number`;
    expectRefusal(await view(content, '--json', name), 2, says);
  });

  test.each(['true', '[1]', '{"a":1}'])('a metric of JSON that is %s', async (value) => {
    const content = `{"data":[{"displays":${value}}]}`;
    expectRefusal(await view(content, '--json', 'r.json'), 2, 'row 1: displays “');
  });

  test('a CSV without a header', async () => {
    expectRefusal(await view('2026-08-01,1,5\n', '--json'), 2, 'r.csv has no header');
  });

  test.each([
    '{"data":[{"campaignId":1.2e17,"displays":5}]}',
    '{"data":[{"campaignId":1.2000000000000011e17}]}',
  ])('an id of JSON that was rounded: %s', async (content) => {
    const refused = await view(content, '--json --by CAMPAIGN', 'r.json');
    expectRefusal(refused, 2, 'was rounded by another program');
  });
});

describe('what is written plainly is read', () => {
  const sums = { displays: 216679, clicks: 1813, revenueEuro: 692.19 };

  test.each([
    { file: 'sheet-plain.csv', flags: '--by CAMPAIGN', groups: [sums] },
    {
      file: 'excel.csv',
      flags: '--by CAMPAIGN',
      groups: [{ campaignName: '=North', displays: 300, revenueEuro: 33.754 }],
    },
    {
      file: 'numbers-with-blanks.csv',
      flags: '--metrics displays,revenue',
      groups: [{ displays: 105, revenueEuro: 14.5 }],
    },
    { file: 'newest-name.csv', flags: '--by CAMPAIGN', groups: [{ campaignName: 'New' }] },
    { file: 'rates-unequal.csv', flags: '--metrics ctr', groups: [{ ctr: 0.01 }] },
    { file: 'currency.csv', flags: '--filter currency=EUR', groups: [{ revenueEuro: 12 }] },
    { file: 'both-names.csv', flags: '--metrics impressions', groups: [{ impressions: 15 }] },
    {
      file: 'other-columns.csv',
      flags: '--by DAILY',
      groups: [
        { displays: 100, clicks: 3 },
        { displays: 200, clicks: 4 },
      ],
    },
    {
      file: 'other-columns.csv',
      flags: '--metrics Frequency',
      groups: [{ Frequency: 3.2 }],
    },
    {
      file: 'clicks-missing.csv',
      flags: '--metrics ctr',
      groups: [{ ctr: 0.01 }],
      says: 'Note: Rates exclude rows without clicks.',
    },
  ])('$file $flags', async ({ file, flags, groups, says = '' }) => {
    const { stdout, stderr, exitCode } = await viewCase(file, flags);
    expect(exitCode, stderr).toBe(0);
    expect(JSON.parse(stdout).groups).toMatchObject(groups);
    expect(stderr).toContain(says);
  });

  test.each([
    { cell: '+5', value: 5 },
    { cell: '-1234.5', value: -1234.5 },
    { cell: '0.125', value: 0.125 },
    { cell: '12.345', value: 12.345 },
    { cell: '1e3', value: 1000 },
    { cell: '"1234,50"', value: 1234.5 },
    { cell: ' 1000', value: 1000 },
    { cell: '1000.', value: 1000 },
    { cell: '.5', value: 0.5 },
    { cell: '\u00a012.50\u202f\t', value: 12.5 },
    { cell: '--', value: null },
    { cell: 'N/A', value: null },
    { cell: '\\N', value: null },
  ])('the money $cell is $value', async ({ cell, value }) => {
    const { stdout } = await view(`date,revenueEuro\n2026-08-01,${cell}\n`, '--json');
    expect(JSON.parse(stdout).totals).toMatchObject({ revenueEuro: value });
  });

  test.each([
    { cell: '1234,5', value: 1234.5 },
    { cell: '1234,567', value: undefined },
    { cell: '0,567', value: 0.567 },
  ])('between semicolons $cell is $value', async ({ cell, value }) => {
    const result = await view(`date;revenueEuro\n2026-08-01;${cell}\n`, '--json');
    if (value === undefined) expectRefusal(result, 2, `“${cell}”`);
    else expect(JSON.parse(result.stdout).totals).toMatchObject({ revenueEuro: value });
  });

  test('money of three decimals survives a CSV for Excel', async () => {
    const cwd = temporaryFolder();
    const rows = [0.125, -1.125, 1234.567, 20].map((revenueEuro) => ({ revenueEuro }));
    writeFileSync(join(cwd, 'a.json'), JSON.stringify({ data: rows }));
    await runCli('view a.json -o a.csv --excel', { cwd });
    expect(readFileSync(join(cwd, 'a.csv'), 'utf8')).toMatch(/0,125\s+-1,1250\s+1234,5670\s+20/);
    const { stdout } = await runCli('view a.csv --json', { cwd });
    expect(JSON.parse(stdout).totals).toEqual({ revenueEuro: 1253.567 });
  });
});

test('rates have six significant digits', async () => {
  const rows = 'date,displays,clicks,revenueEuro\n2026-08-01,3000000,1,7000000.12\n';
  const flags = '--by DAILY --metrics ctr,ecpmEuro';
  const { stdout } = await view(rows, `${flags} --json`);
  expect(JSON.parse(stdout).totals).toEqual({ ctr: 3.33333e-7, ecpmEuro: 2333.33 });
  const csv = await view(rows, flags);
  expect(csv.stdout).toBe('date,ctr,ecpmEuro\r\n2026-08-01,3.33333e-7,2333.33\r\n');
});

test('a table has the rates of rows with both metrics, in its total too', async () => {
  const rows = 'date,campaignId,displays,clicks\n2026-08-01,1,,40\n2026-08-02,2,1000,10\n';
  const { stdout } = await view(rows, '--by CAMPAIGN --metrics ctr --format table');
  expect(stdout.match(/^\S+ +(?:–|\d\.\d\d%)$/gm)).toEqual([
    '2            1.00%',
    '1                –',
    'total        1.00%',
  ]);
});

describe('a total among the rows is a warning, and is left in', () => {
  test.each([
    { file: 'totals-row.csv', row: 3, displays: 134234 },
    { file: 'totals-named.csv', row: 4, displays: 700000 },
  ])('$file', async ({ file, row, displays }) => {
    const flags = '--by CAMPAIGN --metrics displays,clicks';
    const { stdout, stderr } = await viewCase(file, flags);
    const says = 'is a total: it has no campaign, and its metrics are the sums of all other rows';
    expect(stderr).toContain(`Warning: Row ${row} ${says}`);
    expect(JSON.parse(stdout).totals).toMatchObject({ displays });
    expectRefusal(await viewCase(file, `${flags} --strict`), 9, says);
  });
});

describe('a file that cannot be read is exit 9, with the line and what is wrong', () => {
  test.each([
    { file: 'latin1-line.csv', says: 'Line 3 of the CSV is not UTF-8: it begins with “2026-08-02' },
    { file: 'footer.csv', says: 'Line 3 of the CSV cannot be read: it has 1 cell, but the header' },
    { file: 'quote.csv', says: 'a quotation mark inside a cell is not doubled. It begins with' },
  ])('$file', async ({ file, says }) => {
    const refused = await viewCase(file);
    expectRefusal(refused, 9, says);
    expect(refused.stderr).not.toContain('again');
  });

  const csv = 'date,displays\n2026-08-01,5\n';
  test.each([
    { name: 'twice.csv.gz', content: gzipSync(gzipSync(csv)), says: 'It is compressed twice.' },
    {
      name: 'rest.csv.gz',
      content: Buffer.concat([gzipSync(csv), Buffer.from('rest')]),
      says: 'It has bytes after the end of its gzip stream.',
    },
    {
      name: 'r.json',
      content: Buffer.from('[{"row":{"date":"2026-08-01","displays":5}}]'),
      says: 'The rows of r.json have no report columns. Columns found: row.',
    },
    {
      name: 'r.zip',
      content: Buffer.from(
        '504b0304140000000000000000000000000000000000000000000a0000007265706f72742e637376',
        'hex',
      ),
      says: 'This is a zip archive',
    },
  ])('$name', async ({ name, content, says }) => {
    const refused = await view(content, '--json', name);
    expectRefusal(refused, 9, says);
    expect(refused.stderr).not.toContain('again');
  });

  test('only a cut file is to be downloaded again', async () => {
    const refused = await view(gzipSync(csv).subarray(0, 30), '', 'cut.csv.gz');
    expectRefusal(refused, 9, 'Its gzip stream is incomplete.');
    expect(refused.stderr).toContain('Its end is missing: download it again.');
  });
});

test.each(['zstd', 'lz4_raw'])('Parquet packed with %s by DuckDB is read', async (codec) => {
  const { stdout } = await viewCase(`${codec}.parquet`, '--by campaignName');
  expect(JSON.parse(stdout)).toMatchObject({
    totals: { displays: 61770 },
    groups: [{ displays: 20610 }, { displays: 20590 }, { displays: 20570 }],
  });
});
