import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Plain English on a command line. It is Friday, 2026-11-20. */

/** A text typed for a flag, and the name it means. */
interface Try {
  readonly flag: 'metrics' | 'by' | 'filter' | 'columns';
  readonly typed: string;
  readonly means: string;

  /** True if the meaning is not reported on stderr. */
  readonly silent?: true;

  /** Other flags of the line; `--period 2026-11-09` is added unless they have a period. */
  readonly beside?: string;
  readonly account?: 'dsp';
}

const allDevices = '--by CAMPAIGN,DEVICETYPE --metrics revenueEuro,displays';

const accepted: readonly Try[] = [
  { flag: 'metrics', typed: 'impressions', means: 'displays' },
  { flag: 'metrics', typed: 'ad requests', means: 'requests' },
  { flag: 'metrics', typed: 'click rate', means: 'ctr' },
  { flag: 'metrics', typed: 'cost per install', means: 'cpdEuro' },
  { flag: 'metrics', typed: 'valueDollar', means: 'revenueDollar' },
  { flag: 'metrics', typed: 'CTR', means: 'ctr', silent: true },
  { flag: 'metrics', typed: 'eyes tracking', means: 'eyesTrackings', silent: true },

  { flag: 'by', typed: 'day', means: 'DAILY' },
  { flag: 'by', typed: 'week', means: 'WEEKLY', beside: '--period 2026-W45' },
  { flag: 'by', typed: 'campaignName', means: 'CAMPAIGN' },
  { flag: 'by', typed: 'app', means: 'BUNDLEID', account: 'dsp' },
  { flag: 'by', typed: 'postal_codes', means: 'POSTALCODE', silent: true },
  { flag: 'by', typed: 'daily', means: 'DAILY', silent: true },

  { flag: 'filter', typed: 'country=FR', means: 'countryId=3017382', silent: true },
  { flag: 'filter', typed: 'ad unit=*', means: 'adUnit=*', silent: true },
  { flag: 'filter', typed: 'campaignName=Ski*', means: 'campaign=Ski*' },
  { flag: 'filter', typed: 'os=1', means: 'osId=1' },
  { flag: 'filter', typed: 'device model=iPhone', means: 'deviceModel=iPhone', silent: true },

  { flag: 'columns', typed: 'impressions', means: 'displays', beside: allDevices },
  { flag: 'columns', typed: 'day', means: 'date', beside: '--by DAILY' },
  { flag: 'columns', typed: 'campaign name', means: 'campaignName', silent: true },
];

test.each(accepted)('--$flag $typed means $means', async (one) => {
  const { flag, typed, means, silent, beside = '', account = 'buyer' } = one;
  const { run } = await serveForTest({ delayMs: 0 }, account);
  const window = beside.includes('--period') ? '' : '--period 2026-11-09';
  const usual = flag === 'columns' && beside === '' ? '--by CAMPAIGN' : beside;

  // Creating a report is enough, and quicker, for what run and report create have in common.
  const isOfRun = flag === 'columns' || means === 'WEEKLY';
  const command = isOfRun ? 'run -o a.csv' : 'report create';
  const ran = await run(`${command} ${window} ${usual} --${flag} "${typed}"`);
  expect(ran.exitCode).toBe(0);

  const [name] = typed.split('=');
  const [meant] = means.split('=');
  const note = `${name} means ${meant}.`;
  if (silent) expect(ran.stderr).not.toContain(' means ');
  else expect(ran.stderr.split('\n')).toContain(note);

  const [entry] = JSON.parse((await run('report list --json')).stdout);
  expect(textOf(flag, entry.spec)).toBe(means);
});

/** The value of a flag in the ledger. */
function textOf(flag: Try['flag'], spec: { request: Record<string, unknown> }) {
  if (flag !== 'filter') return String(spec.request[flag === 'by' ? 'breakdowns' : flag]);
  const [[name, values] = []] = Object.entries(spec.request.filters ?? {});
  return `${name}=${values}`;
}

/** Flags of `run`, and the names that the error offers. */
const refused = [
  { line: '--metrics revenue', says: 'can mean revenueEuro or revenueDollar' },
  { line: '--metrics impresions', says: 'Unknown metric “impresions”. Did you mean displays?' },
  { line: '--metrics campaign', says: 'Unknown metric “campaign”. Choose from' },
  { line: '--by device', says: 'can mean DEVICETYPE, DEVICEBRAND or DEVICEMODEL' },
  { line: '--by time', says: 'can mean DAILY, HOURLY, MONTHLY or WEEKLY' },
  { line: '--by ios', says: 'Did you mean OS?' },
  { line: '--by year', says: 'Unknown breakdown “year”.' },
  { line: '--filter device=1', says: 'can mean deviceTypeId, deviceBrandId or deviceModel' },
  { line: '--filter os=Android', says: '--filter osId needs numeric IDs' },
  { line: '--filter publisher=1', says: 'Unknown filter “publisher”.' },
  { line: '--columns revenue', says: 'can mean revenueEuro or valueDollar' },
  { line: '--by CAMPAIGN --columns campaign', says: 'can mean campaignId or campaignName' },
  { line: '--metrics displays --columns clicks', says: 'Add clicks to --metrics.' },
  {
    line: '--metrics displays --columns ctr',
    says: 'Add ctr to --metrics, or clicks and displays.',
  },
  {
    line: '--by CAMPAIGN --columns date',
    says: 'Add DAILY, HOURLY, MONTHLY or RANGE to --by.',
  },
  { line: '--period october', says: 'Did you mean 2026-10?' },
  { line: '--period December', says: 'Did you mean 2025-12?' },
  { line: '--period "last 7 days"', says: 'Did you mean last-7d?' },
  { line: '--period 24h', says: 'Did you mean last-24h?' },
  { line: '--period mtd', says: 'Did you mean this-month?' },
  { line: '--period 01/10/2026', says: 'Did you mean 2026-10-01 or 2026-01-10?' },
  { line: '--period 31.10.2026', says: 'Did you mean 2026-10-31?' },
  { line: '--period 20261001', says: 'Did you mean 2026-10-01?' },
  { line: '--period 2026/10..2026-11', says: 'Did you mean 2026-10?' },
  { line: '--period "2026 13"', says: 'Use today, yesterday, last-7d' },
  { line: `--period ${'1'.repeat(101)}`, says: '--period is longer than 100 characters.' },
  { line: '--since october', says: 'Cannot read --since “october”. Did you mean 2026-10?' },
];

test.each(refused)('run $line is refused: $says', async ({ line, says }) => {
  const { run, server } = await serveForTest();
  const window = /--(period|since)/.test(line) ? '' : '--period 2026-11-09';

  const result = await run(`run ${window} ${line} -o a.csv`);

  expectRefusal({ ...result, stderr: result.stderr.replaceAll(/\s+/g, ' ') }, 2, says);
  expect(server.requests()).toEqual([]);
  expect(result.files).toEqual({});
});

const rows = [
  'date,campaignId,campaignName,deviceType,displays,clicks,revenueEuro',
  '2026-11-01,1,Ski,phone,100,5,1.50',
  '2026-11-02,2,Sun,tablet,200,7,9.00',
];

test.each([
  { line: '--by campaigns --metrics impressions', says: 'campaignId,campaignName,displays' },
  { line: '--by campaignName --metrics click', says: 'campaignName,clicks' },
  { line: '--by device --metrics spend', says: 'deviceType,revenueEuro' },
  { line: '--by week --metrics cpm', says: 'date,ecpmEuro' },
  { line: '--by "campaign name" --metrics clicks --sort revenue', says: 'campaignName,clicks' },
  { line: '--by date --metrics clicks --filter device=phone', says: 'date,clicks' },
])('view a.csv $line', async ({ line, says }) => {
  const { run, cwd } = await serveForTest();
  writeFileSync(join(cwd, 'a.csv'), rows.join('\r\n'));

  const { stdout, exitCode } = await run(`view a.csv ${line} --format csv`);

  expect({ exitCode, header: stdout.split('\r\n')[0] }).toEqual({ exitCode: 0, header: says });
});

test.each([
  { line: '--by time', says: 'can mean DAILY, MONTHLY' },
  { line: '--by CAMPAIGN --sort campaign', says: 'can mean campaignId or campaignName' },
  { line: '--by devices,publisher', says: 'Unknown column “publisher”' },
  { line: '--by CAMPAIGN --metrics impresions', says: 'Did you mean displays?' },
])('view a.csv $line is refused: $says', async ({ line, says }) => {
  const { run, cwd } = await serveForTest();
  writeFileSync(join(cwd, 'a.csv'), rows.join('\r\n'));

  expectRefusal(await run(`view a.csv ${line} --format csv`), 2, says);
});

describe('a column', () => {
  test('of an existing report: download --columns', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const created = 'report create --period 2026-11-09 --by CAMPAIGN,DEVICETYPE';
    const { stdout } = await run(`${created} --metrics displays,revenueEuro`);

    const line = `download ${stdout.trim()} --columns device,impressions,revenue --format csv`;
    const downloaded = await run(line);

    expect(downloaded.stdout).toMatch(/^deviceType,displays,revenueEuro\r\n/);
    expect(downloaded.stderr).toContain('device means deviceType.');
  });

  test('of the list of campaigns: campaigns --columns', async () => {
    const { run } = await serveForTest();
    const line = 'campaigns --format csv --columns';
    expect((await run(`${line} "campaign name,campaign id"`)).stdout).toMatch(
      /^campaignName,campaignId\r\n/,
    );
  });
});

describe('a word', () => {
  test('is not reported with -q or in the notes of --json, and only once for two accounts', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = 'run --period 2026-10 --metrics impressions -o a.csv';

    expect((await run(`${line} -q`)).stderr).toBe('');
    expect(JSON.parse((await run(`${line} --json`)).stdout)).toMatchObject({ notes: [] });

    const both = 'run --local --account buyer,admin --period 2026-11-09 --metrics imps';
    const { stderr } = await run(`${both} -o {account}.csv`, {
      env: { ADREPORT_TOKEN: undefined },
    });
    expect(stderr.split('imps means displays.')).toHaveLength(2);
  });

  test('does not appear in file names, headers or histories', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const flags = '--period 2026-10-01..2026-10-02 --by day,countries --metrics impressions';

    const { files, histories } = await run(`run ${flags} --split day -o d/{report}-{date}.csv`);

    expect(Object.keys(files).sort()).toEqual([
      'd/daily-country-2026-10-01.csv',
      'd/daily-country-2026-10-02.csv',
    ]);
    expect(Object.values(files)[0]).toMatch(/^date,country,displays\r\n/);
    const [history = ''] = Object.values(histories);
    expect(history).not.toContain('impressions');
  });

  test('means the same in a saved report, where a mistake is reported with its line', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const saved = ['  a:', '    period: 2026-10', '    by: [day, campaigns]', '    metrics: imps'];
    writeFileSync(
      join(cwd, 'adreport.yaml'),
      ['reports:', ...saved, '    output: a.csv'].join('\n'),
    );

    const ran = await run('run a');
    expect(ran.stderr).toContain('imps means displays.');
    expect(ran.files['a.csv']).toMatch(/^date,campaignId,campaignName,displays\r\n/);

    const wrong = [...saved.slice(0, 3), '    metrics: spend', '    filter:', '      device: [1]'];
    writeFileSync(join(cwd, 'adreport.yaml'), ['reports:', ...wrong].join('\n'));
    const { stderr } = await run('run a');
    expect(stderr).toContain('adreport.yaml:5: --metrics “spend” can mean revenueEuro or');
    expect(stderr).toContain('adreport.yaml:6: --filter “device” can mean deviceTypeId, ');
  });
});
