import { describe, expect, test } from 'vitest';
import { literalAnswers, serveOdd } from '../support/odd-service.ts';
import { serveForTest } from '../support/service.ts';

describe('names', () => {
  const campaigns = {
    campaigns: [{ campaignId: '12', campaignName: 'Cafe\u0301', adunits: [] }],
    next: '/campaigns?page=2',
  };

  test('looked up in an incomplete list are a warning', async () => {
    const data = [{ date: '2026-11-09', displays: 1 }];
    const { run } = await serveOdd({
      faults: literalAnswers({ campaigns, download: { data } }),
    });
    const line = 'run --period 2026-11-09 --by DAILY --metrics displays --campaign Café -o x.csv';

    const result = await run(`${line} -q --json`);

    expect(result).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(result.stdout).warnings).toEqual([
      expect.stringContaining('The campaign list is incomplete: the response'),
    ]);
  });
});

describe('a token that may not list campaigns works', () => {
  test('whoami', async () => {
    const { run } = await serveForTest({ faults: ['campaigns:403'] });

    expect(await run('whoami')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('works, but is not allowed to list campaigns'),
    });
  });

  test('doctor', async () => {
    const { run } = await serveForTest({ faults: ['campaigns:403'] });

    const result = await run('doctor --json');

    expect(result.exitCode).toBe(0);
    expect(JSON.parse(result.stdout)).toContainEqual(
      expect.objectContaining({ message: 'works, but this account cannot list campaigns.' }),
    );
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
    const { run } = await serveOdd({
      faults: literalAnswers({ campaigns: [campaignOf('12', since, until)] }),
    });

    const { stdout } = await run('campaigns --active 2026-11-10 --format csv --columns campaignId');

    expect(stdout).toBe(isActive ? 'campaignId\r\n12\r\n' : 'campaignId\r\n');
  });
});
