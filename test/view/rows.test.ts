import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../present/xlsx-reader.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveFolder } from '../support/serve-folder.ts';

// Rows without --by: converted, exported, sorted and cut, and what run writes is read back.

/** A folder with these files, and a `view` in it. */
function filesOf(files: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const view = (line: string) => runCli(`view ${line}`, { cwd });
  return { cwd, view };
}

const first = 'date,campaignId,displays\n2026-08-01,1,5\n2026-08-01,2,7\n';
const second = 'date,campaignId,displays,clicks\n2026-08-02,1,10,2\n';

describe('rows stay rows', () => {
  test('--columns keeps a rate of the file', async () => {
    const csv = 'date,displays,ctr\r\n2026-08-01,100,0.05\r\n';
    const { stdout } = await filesOf({ 'a.csv': csv }).view('a.csv --columns ctr --format csv');
    expect(stdout).toBe('ctr\r\n0.05\r\n');
  });

  test('a file is converted to every format', async () => {
    const { cwd, view } = filesOf({ 'a.csv': first });
    for (const name of ['a.xlsx', 'a.parquet', 'a.json', 'a.ndjson', 'a.csv.gz', 'a.html']) {
      const { exitCode, stderr } = await view(`a.csv -o ${name}`);
      expect(exitCode, stderr).toBe(0);
    }
    expect(readSheet(readFileSync(join(cwd, 'a.xlsx')), 1)).toHaveLength(3);
    for (const name of ['a.parquet', 'a.json', 'a.ndjson', 'a.csv.gz']) {
      const { stdout } = await view(name);
      expect(stdout).toBe(first.replaceAll('\n', '\r\n'));
    }
  });

  test('a folder is exported with its dates', async () => {
    const { run } = await serveFolder(
      '--period 2026-10-01..2026-10-03 --split day --by OS --metrics displays -o data/{date}.csv',
    );
    await run('run --period 2026-10-01..2026-10-03 --by DAILY,OS --metrics displays -o all.csv -q');
    const { stdout, stderr } = await run('view data');

    expect(stderr).toBe('');
    expect(stdout).toBe((await run('view all.csv')).stdout);
  });

  test('a metric that some files lack is a warning if it is shown, other columns a note', async () => {
    const { view } = filesOf({ 'a.csv': first, 'b.csv': second });
    const warning = 'Warning: 1 of 2 files has no clicks.\n';

    expect(await view('a.csv b.csv')).toMatchObject({
      stdout:
        'date,campaignId,displays,clicks\r\n2026-08-01,1,5,\r\n2026-08-01,2,7,\r\n2026-08-02,1,10,2\r\n',
      stderr: warning,
    });
    expect(await view('a.csv b.csv --by DAILY --metrics displays')).toMatchObject({
      stdout: 'date,displays\r\n2026-08-01,12\r\n2026-08-02,10\r\n',
      stderr: '',
    });
    const rate = await view('a.csv b.csv --metrics ctr --json');
    expect(JSON.parse(rate.stdout).totals).toEqual({ ctr: 0.2 });
    expect(rate.stderr).toBe(`${warning}Note: Rates exclude rows without clicks.\n`);
    expectRefusal(await view('a.csv b.csv --by DAILY --strict'), 9, 'files has no clicks');
    expect(await view('a.csv b.csv --by DAILY --strict --metrics displays')).toMatchObject({
      exitCode: 0,
    });
  });

  test('files of different breakdowns are exit 2, whatever is asked of them', async () => {
    const others = {
      'country.csv': 'date,country,displays\n2026-08-03,FR,5\n',
      'hours.csv': 'date,hour,campaignId,displays\n2026-08-01,2026-08-01T02:00:00+0200,1,5\n',
      'undated.csv': 'campaignId,displays\n1,5\n',
      'rows.ndjson': '{"date":"2026-08-03","campaignId":"1","os":"iOS","displays":5}\n',
    };
    const { view } = filesOf({ 'a.csv': first, ...others });
    for (const name of Object.keys(others)) {
      for (const flags of ['', '--by DAILY', '--json']) {
        const says = `a.csv and ${name} have different breakdowns.`;
        expectRefusal(await view(`a.csv ${name} ${flags}`), 2, says);
      }
    }
  });

  test.each([
    { flags: '--sort displays', rows: ['7', '5'] },
    { flags: '--sort displays:asc', rows: ['5', '7'] },
    { flags: '--sort campaignId:desc', rows: ['7', '5'] },
    { flags: '--sort displays --top 1', rows: ['7'] },
  ])('$flags', async ({ flags, rows }) => {
    const { stdout, stderr } = await filesOf({ 'a.csv': first }).view(`a.csv ${flags}`);

    expect(
      stdout
        .trim()
        .split('\r\n')
        .slice(1)
        .map((row) => row.split(',')[2]),
    ).toEqual(rows);
    expect(stderr).toBe(rows.length === 1 ? 'Note: 1 more row not shown (--top 1).\n' : '');
  });

  test('--top adds the others to pages and sheets', async () => {
    const { cwd, view } = filesOf({ 'a.csv': first });
    await view('a.csv --top 1 -o a.html -o a.xlsx');
    expect(readFileSync(join(cwd, 'a.html'), 'utf8')).toContain('1 other');
    const [, ...rows] = readSheet(readFileSync(join(cwd, 'a.xlsx')), 1);
    expect(rows.map((row) => row.at(-1))).toEqual([5, 7]);
  });

  test('--top compares the others, which have not ended', async () => {
    const days = [
      '2026-08-01,1,5\n2026-08-01,2,7\n2026-08-01,3,9\n',
      '2026-08-02,1,6\n2026-08-02,2,8\n2026-08-02,4,1\n',
    ];
    const { view } = filesOf({ 'a.csv': `date,campaignId,displays\n${days.join('')}` });
    const line = 'a.csv --by CAMPAIGN --period 2026-08-02 --compare --top 1';
    const { stdout } = await view(`${line} --format csv`);
    expect(stdout).toBe('campaignId,displays,displaysBefore\r\n2,8,7\r\n3,,9\r\n');
    const table = await view(`${line} --format table`);
    expect(table.stdout).toMatch(/2 others +7 +▲ 40\.0%/);
    const byDay = await view('a.csv --by DAILY --period 2026-08-02 --compare --top 1');
    expectRefusal(byDay, 2, '--top cannot be used with --compare for days or single rows.');
  });
});

describe('what run writes is read back', () => {
  test('--excel, without its apostrophes', async () => {
    const cwd = temporaryFolder();
    const run = (line: string) => runCli(line, { cwd });
    const report = 'run --local --account awkward --period 2026-11-01 --by CAMPAIGN -q';
    await run(`${report} -o plain.csv`);
    await run(`${report} --excel -o escaped.csv`);
    const [plain, escaped] = [await run('view plain.csv'), await run('view escaped.csv')];

    expect(readFileSync(join(cwd, 'escaped.csv'), 'utf8')).toContain("'=");
    expect(escaped.stdout).toBe(plain.stdout);
  });

  test.each(['json', 'parquet', 'csv'])(
    '%s has the columns of run in their order',
    async (format) => {
      const cwd = temporaryFolder();
      const run = (line: string) => runCli(line, { cwd });
      const report = 'run --local --period 2026-11-01 --by CAMPAIGN,HOURLY --metrics clicks -q';
      await run(`${report} -o a.${format}`);
      const csv = await run(`${report} --format csv`);
      expect((await run(`view a.${format} --format csv`)).stdout).toBe(csv.stdout);
    },
  );

  test('an apostrophe before a formula is part of the name without --excel', async () => {
    const names = ["'-40 % week", '-40 % week'];
    const { view } = filesOf({
      'a.csv': `campaignName,displays\n${names.map((name) => `${name},5\n`).join('')}`,
      'b.csv': `campaignName;displays\n${names.map((name) => `${name};5\n`).join('')}`,
    });
    for (const file of ['a.csv', 'b.csv']) {
      const { stdout } = await view(`${file} --by campaignName --json`);
      const { groups } = JSON.parse(stdout);
      const shown = groups.map((group: { campaignName: string }) => group.campaignName);
      expect(shown.sort()).toEqual(names);
    }
  });

  test('names of JSON in any case', async () => {
    const { view } = filesOf({ 'a.json': '[{"Displays":5},{"displays":6}]' });
    expect((await view('a.json')).stdout).toBe('displays\r\n5\r\n6\r\n');
  });

  test('the columns of --compare are ignored', async () => {
    const { view } = filesOf({ 'a.csv': 'date,displays,displaysBefore\n2026-08-01,5,x\n' });
    expect(await view('a.csv')).toMatchObject({
      stdout: 'date,displays\r\n2026-08-01,5\r\n',
      stderr: '',
    });
  });

  test('the running week and month of a folder that ends yesterday', async () => {
    const { run } = await serveFolder(
      '--period 2026-11-01..2026-11-02 --split day --by OS --metrics displays -o data/{date}.csv',
    );
    const week = await run('view data --by WEEKLY --period this-week --metrics displays -q');
    expect(week.stdout).toMatch(/^date,displays\r\n2026-11-02,\d+\r\n$/);
    const month = await run('view data --by MONTHLY --metrics displays -q');
    const whole = await run('run --period 2026-11-01..2026-11-02 --metrics displays --format csv');
    expect(month.stdout).toBe(`date,displays\r\n2026-11-01,${whole.stdout.split('\r\n')[1]}\r\n`);
  });
});

test('--chart line draws the five largest over time', async () => {
  const rows = [1, 2, 3, 4, 5, 6, 7].flatMap((id) => [
    `2026-08-01,${id},${id}00`,
    `2026-08-02,${id},${id}50`,
  ]);
  const csv = `date,campaignId,clicks\n${rows.join('\n')}\n`;
  const { stdout } = await filesOf({ 'a.csv': csv }).view('a.csv --by DAILY,CAMPAIGN --chart line');

  expect(stdout.match(/^\d$/gm)).toEqual(['7', '6', '5', '4', '3']);
  expect(stdout).toContain('2 others: 700');
});

test('nothing is written if a cell is refused', async () => {
  const { cwd, view } = filesOf({ 'a.csv': first, 'b.csv': 'date,displays\n2026-08-03,1 %\n' });
  writeFileSync(join(cwd, 'all.csv'), 'old');
  expectRefusal(await view('a.csv b.csv -o all.csv'), 2, 'b.csv, line 2: displays “1 %”');
  expect(readFileSync(join(cwd, 'all.csv'), 'utf8')).toBe('old');
});
