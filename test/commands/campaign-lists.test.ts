import { describe, expect, test } from 'vitest';
import { serveAnswers } from '../support/http-server.ts';
import { runCli } from '../support/run-cli.ts';

describe('names', () => {
  const campaigns = {
    campaigns: [{ campaignId: '12', campaignName: 'Cafe\u0301', adunits: [] }],
    next: '/campaigns?page=2',
  };

  test.each([
    { command: 'run --strict -o x.csv', saved: { warnings: [] } },
    { command: 'report create', saved: { report_id: 'r1' } },
  ])('$command warns of an incomplete list, and goes on', async ({ command, saved }) => {
    const data = [{ date: '2026-11-09', displays: 1 }];
    const { env } = await serveAnswers({
      '/campaigns': campaigns,
      '/download-reporting': { data },
    });
    const report = '--period 2026-11-09 --by DAILY --metrics displays --campaign Café';

    const result = await runCli(`${command} ${report} -q --json`, { env });

    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stderr).toContain('Warning: The campaign list is incomplete: the response');
    expect(JSON.parse(result.stdout)).toMatchObject(saved);
  });
});

describe('campaigns --active', () => {
  const campaignOf = (campaignId: string, since: unknown, until: unknown) => ({
    campaignId,
    campaignName: campaignId,
    campaignStartDate: since,
    campaignEndDate: until,
    adunits: [],
  });

  test.each([
    { dates: 'zeros', since: '0000-00-00 00:00:00', until: '0000-00-00 00:00:00', isActive: true },
    { dates: 'nothing', since: null, until: '', isActive: true },
    { dates: 'a day alone', since: '2026-11-10', until: '2026-11-10', isActive: true },
    { dates: 'a day alone that is over', since: '2026-11-01', until: '2026-11-08' },
    { dates: 'a start to come', since: '2026-11-12 00:00:00', until: '0' },
  ])('$dates', async ({ since, until, isActive = false }) => {
    const { env } = await serveAnswers({ '/campaigns': [campaignOf('12', since, until)] });

    const line = 'campaigns --active 2026-11-10 --format json';
    const { stdout } = await runCli(line, { env });

    expect(JSON.parse(stdout)).toHaveLength(isActive ? 1 : 0);
  });
});

test('a table of campaigns has headings in sentence case', async () => {
  const { stdout } = await runCli('campaigns --local --format table');
  expect(stdout).toMatch(/^Campaign ID +Campaign name +Advertiser name +Start +End +Ad units$/m);
});
