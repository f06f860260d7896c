import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Names and aliases on a command line. It is Friday, 2026-11-20. */

const week = '--period 2026-W45';

/** The first line of the CSV of a run. */
async function headerOf(flags: string): Promise<string | undefined> {
  const { stdout, stderr, exitCode } = await runCli(`run --local -q ${week} ${flags} --format csv`);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout.split('\r\n')[0];
}

describe('an alias, or a name in another spelling, stands for the name', () => {
  test.each([
    { flags: '--metrics impressions,spend', header: 'displays,revenueEuro' },
    { flags: '--metrics "ad requests,CLICK"', header: 'requests,clicks' },
    { flags: '--metrics revenue,cost,valueDollar', header: 'revenueEuro,valueDollar' },
    { flags: '--metrics "click rate",cpi', header: 'ctr,cpdEuro' },
    { flags: '--by day,Postal_Codes --metrics clicks', header: 'date,postalcode,clicks' },
    {
      flags: '--by campaignName --metrics clicks',
      header: 'campaignId,campaignName,clicks',
    },
    { flags: '--by app --metrics spend --profile dsp', header: 'bundleId,revenueEuro' },
    { flags: '--by day --metrics clicks,imps --columns date,impressions', header: 'date,displays' },
    {
      flags: '--by campaign --metrics clicks --columns "campaign name,click"',
      header: 'campaignName,clicks',
    },
    { flags: '--filter "country id=FR" --metrics clicks', header: 'clicks' },
    { flags: '--filter COUNTRY=Germany --metrics clicks', header: 'clicks' },
  ])('$flags', async ({ flags, header }) => {
    expect(await headerOf(flags)).toBe(header);
  });
});

/** Flags of `run`, and what the error says. */
const refused = [
  { line: '--by CAMPAIGN --columns campaign', says: 'can mean campaignId or campaignName' },
  { line: '--period "october 2026"', says: 'Did you mean 2026-10?' },
  { line: '--since 31.10.2026', says: 'Unknown time “31.10.2026”. Did you mean 2026-10-31?' },
];

test.each(refused)('run $line is refused: $says', async ({ line, says }) => {
  const { run, server } = await serveForTest();
  const window = /--(period|since)/.test(line) ? '' : '--period 2026-11-09';

  const result = await run(`run ${window} ${line} -o a.csv`);

  expectRefusal({ ...result, stderr: result.stderr.replaceAll(/\s+/g, ' ') }, 2, says);
  expect(server.requests()).toEqual([]);
  expect(result.files).toEqual({});
});

describe('view', () => {
  const rows = [
    'date,campaignId,campaignName,deviceType,displays,clicks,revenueEuro',
    '2026-11-01,1,Ski,phone,100,5,1.50',
    '2026-11-02,2,Sun,tablet,200,7,9.00',
  ];
  const view = (line: string) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.csv'), rows.join('\r\n'));
    return runCli(`view a.csv ${line} --format csv`, { cwd });
  };

  test.each([
    { line: '--by campaigns --metrics impressions', says: 'campaignId,campaignName,displays' },
    { line: '--by device --metrics spend', says: 'deviceType,revenueEuro' },
    { line: '--by "campaign name" --metrics clicks --sort revenue', says: 'campaignName,clicks' },
  ])('a.csv $line', async ({ line, says }) => {
    const { stdout, exitCode } = await view(line);

    expect({ exitCode, header: stdout.split('\r\n')[0] }).toEqual({ exitCode: 0, header: says });
  });

  test.each([
    { line: '--by CAMPAIGN --sort campaign', says: 'can mean campaignId or campaignName' },
    { line: '--by devices,publisher', says: 'There is no' },
  ])('a.csv $line is refused: $says', async ({ line, says }) => {
    expectRefusal(await view(line), 2, says);
  });
});

test('in a saved report, where a mistake is reported with its line', async () => {
  const cwd = temporaryFolder();
  const saved = ['reports:', '  a:', '    period: 2026-10', '    output: a.csv'];
  const write = (...lines: readonly string[]) =>
    writeFileSync(join(cwd, 'adreport.yaml'), [...saved, ...lines].join('\n'));

  write('    by: [day, campaigns]', '    metrics: imps');
  const { files } = await runCli('run a --local', { cwd });
  expect(files['a.csv']).toMatch(/^date,campaignId,campaignName,displays\r\n/);

  write('    metrics: conversions');
  const { stderr } = await runCli('run a --local', { cwd });
  expect(stderr).toContain('adreport.yaml:5: --metrics “conversions” can mean downloads,');
});
