import { appendFileSync, copyFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveFolder, withoutOrigin } from '../support/serve-folder.ts';

// `view` of folders and several files: the answer of `run` for the same days, without a service.

describe('the same answer as a run', () => {
  test('by week, compared with the week before', async () => {
    const flags = '--period 2026-10-19..2026-11-01 --split day --by CAMPAIGN -o data/{date}.csv';
    const { run, read } = await serveFolder(flags);
    const weeks = '--period 2026-10-26..2026-11-01 --by WEEKLY --compare -q';
    await run(`view data ${weeks} -o view.html`);
    await run(`run ${weeks} -o run.html`);

    expect(withoutOrigin(read('view.html'))).toBe(withoutOrigin(read('run.html')));
  });

  test('of a running week up to its last whole day', async () => {
    const flags = '--period 2026-10-26..2026-11-02 --split day --by OS -o data/{date}.csv';
    const { run, read } = await serveFolder(flags);
    await run('view data --period this-week --by OS --compare -o page.html -q');

    expect(read('page.html')).toContain('compared with 26 October 2026');
    await run('view data --period this-week --by OS -o now.html -q');
    expect(read('now.html')).toContain('<span>2 November 2026</span>');
  });

  test('its page has no e-mail address, account or service', async () => {
    const { run, read, server } = await serveFolder(
      '--period 2026-10-01..2026-10-03 --split day --by CAMPAIGN -o data/{date}.csv',
    );
    await run('view data --by CAMPAIGN -o page.html -q');

    const page = read('page.html');
    expect(page).toContain('<dt>Request</dt>');
    expect(page).not.toMatch(/<dt>Account|@example|adreport view/);
    expect(page).not.toContain(new URL(server.url).host);
  });
});

test('a page by campaign has the days of the files over time', async () => {
  const { run, read } = await serveFolder(
    '--period 2026-10-01..2026-10-03 --split day --by CAMPAIGN -o data/{date}.csv',
  );
  await run('view data --by CAMPAIGN -o page.html -q');

  const [, overTime = ''] = read('page.html').split('<h2>Over time</h2>');
  expect(overTime).toMatch(/data-v="Thu 1 Oct 2026\n€[\d,.]+"/);
});

describe('missing or changed days', () => {
  const flags =
    '--period 2026-10-01..2026-10-10 --split day --by CAMPAIGN --metrics displays -o data/{date}.csv';

  async function serveDamaged() {
    const folder = await serveFolder(flags);
    for (const day of ['03', '04', '05']) rmSync(folder.at(`data/2026-10-${day}.csv`));
    appendFileSync(folder.at('data/2026-10-09.csv'), '1,x,5\r\n');
    return folder;
  }

  const missing = '3 of 10 days are missing (2026-10-03, 2026-10-04, 2026-10-05).';
  const changed = '1 of 10 days has changed (2026-10-09).';

  test('are a warning, also with -q, and on the page; the changed day is left out', async () => {
    const { run, read } = await serveDamaged();
    const { stderr, exitCode } = await run('view data --by CAMPAIGN -o page.html -q');

    expect(exitCode).toBe(0);
    expect(stderr).toBe(`Warning: ${missing}\nWarning: ${changed}\n`);
    expect(read('page.html')).toContain(missing);
    expect(read('page.html')).not.toContain('class="finding"');

    const sum = async (period: string) => {
      const { stdout } = await run(`view data --period ${period} --json -q`);
      return JSON.parse(stdout).totals.displays;
    };
    expect(await sum('2026-10-06..2026-10-09')).toBe(await sum('2026-10-06..2026-10-08'));
  });

  test('with --strict are exit 9, and the old file stays', async () => {
    const { run } = await serveDamaged();
    await run('view data --period 2026-10-10 -o page.html -q');

    const refused = await run('view data --strict -o page.html');

    expectRefusal(refused, 9, missing);
    expect(refused.files['page.html']).toContain('10 October 2026');
    expect((await run('view data --period 2026-10-06..2026-10-08 --strict -q')).exitCode).toBe(0);
  });
});

describe('views that would be silently wrong are exit 2', () => {
  const daily = '--period 2026-10-01..2026-10-03 --split day --by CAMPAIGN -o data/{date}.csv';
  const weekly = '--period 2026-10-05..2026-10-11 --split week --by CAMPAIGN -o weeks/{date}.csv';

  const refusals = [
    { line: 'view data --period 2026-11', says: 'No files for these days in data.' },
    { line: 'view data --by WEEKLY', says: '--period 2026-09-28..2026-10-04' },
    {
      line: 'view data --period 2026-10-01..2026-10-02 --by MONTHLY',
      says: 'the period 2026-10-01 to 2026-10-02 includes a partial month',
    },
    { line: 'view data --by HOURLY', says: 'There is no HOURLY column.' },
    { line: 'view data --metrics reach', says: /Choose from (\w+, ){7}\w+ and \d others\./ },
    { line: 'view data --compare -o a.json', says: '--compare cannot be used with json' },
    { line: 'view data --compare --json', says: '--json cannot be used with --compare.' },
    { line: 'view data --compare -o a.html', says: 'Add a period' },
    {
      line: 'view data --period 2026-10-01..2026-10-02 --compare last-year -o a.html',
      says: 'data has no data for 2025-10-01 to 2025-10-02, the period to compare with',
    },
    {
      line: 'view data --period 2026-10-01..2026-10-03 --compare previous -o a.html',
      says: 'data has no data for 2026-09-28 to 2026-09-30, the period to compare with',
    },
    {
      line: 'view c.json --period 2026-10-01 --compare -o a.html',
      says: 'c.json has no data for 2026-09-30, the period to compare with',
    },
    { line: 'view data/2026-10-01.csv data/2026-10-01.csv', says: 'is given twice' },
    { line: 'view data/2026-10-01.csv c.json', says: 'both have a row for 2026-10-01, ' },
    { line: 'view weeks/2026-10-05.csv e.json', says: 'have different breakdowns' },
    { line: 'view month.json e.json', says: 'month.json and e.json have different breakdowns.' },
    { line: 'view s.json t.json', says: 'The periods of s.json and t.json overlap.' },
    { line: 'view a.csv b.csv', says: 'a.csv and b.csv both have a row for ' },
    { line: 'view data again', says: 'data/2026-10-03.csv and again/2026-10-03.csv both have a' },
    { line: 'view a.csv --period 2026-10', says: 'The rows of a.csv have no dates' },
    { line: 'view .', says: '. has 3 declared folders.' },
    {
      line: 'view weeks --by DAILY',
      says: '--by DAILY needs days, but the rows of weeks are whole weeks.',
    },
    {
      line: 'view weeks --by MONTHLY',
      says: '--by MONTHLY needs days, but the rows of weeks are whole weeks.',
    },
    { line: 'view weeks --period 2026-10', says: '--period 2026-09-28..2026-11-01' },
  ];

  test('with a hint', async () => {
    const { run, at } = await serveFolder(daily);
    await run(`run ${weekly} -q`);
    await run('run --period 2026-10-03 --split day --by CAMPAIGN -o again/{date}.csv -q');
    await run('run --period 2026-10-01 --by CAMPAIGN,OS -o c.csv -q');
    await run('run --period 2026-10-01 --by DAILY,CAMPAIGN -o c.json -q');
    await run('run --period 2026-10-06 --by DAILY,CAMPAIGN -o e.json -q');
    await run('run --period 2026-10 --by MONTHLY,CAMPAIGN -o month.json -q');
    await run('run --period 2026-10-01..2026-10-03 --by RANGE,CAMPAIGN -o s.json -q');
    await run('run --period 2026-10-02..2026-10-04 --by RANGE,CAMPAIGN -o t.json -q');
    copyFileSync(at('data/2026-10-01.csv'), at('a.csv'));
    copyFileSync(at('data/2026-10-02.csv'), at('b.csv'));

    for (const { line, says } of refusals) expectRefusal(await run(line), 2, says);
  });

  test('days are selected in a folder of weeks', async () => {
    const weeks = '--period 2026-10-05..2026-10-18 --split week --by DAILY --metrics clicks -q';
    const { run } = await serveFolder(`${weeks} -o weeks/{date}.csv`);
    await run('run --period 2026-10-10..2026-10-13 --by DAILY --metrics clicks -o days.csv -q');
    const { stdout, stderr } = await run('view weeks --period 2026-10-10..2026-10-13');

    expect(stderr).toBe('');
    expect(stdout).toBe((await run('view days.csv')).stdout);
  });

  test('named files of a folder form one table by day', async () => {
    const { run } = await serveFolder(daily);
    const { stdout, stderr } = await run(
      'view data/2026-10-02.csv data/2026-10-01.csv --by DAILY --metrics clicks',
    );

    expect(stderr).toBe('');
    expect(stdout.split('\r\n').map((line) => line.split(',')[0])).toEqual([
      'date',
      '2026-10-01',
      '2026-10-02',
      '',
    ]);
  });
});
