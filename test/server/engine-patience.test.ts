import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { builtInFixtures } from '../../src/server/fixtures/built-in.ts';
import { accountOf, reportJson, seconds } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const admin = accountOf(fixtures, 'admin');
const metrics = ['displays', 'revenueEuro'];

/** Sixty years: seconds of work. */
const decades = { since: 0, until: seconds('2029-12-31T23:59:59Z'), metrics };

test.each([[['DAILY', 'CAMPAIGN']], [['RANGE', 'CAMPAIGN', 'CITY', 'DEVICEMODEL']], [[]]])(
  'a long report by %j lets others work, and ends when it is aborted',
  async (breakdowns) => {
    const controller = new AbortController();
    const report = reportJson(fixtures, admin, { ...decades, breakdowns }, { signal: controller.signal });
    const ended = report.then(
      () => 'finished',
      (error: unknown) => error,
    );
    // The report is at work; if it never paused, this would never be reached before its end.
    for (let turn = 0; turn < 3; turn++) await setImmediate();
    const reason = new Error('the caller is gone');
    controller.abort(reason);
    expect(await ended).toBe(reason);
  },
);

test('a signal that is aborted already ends a report before it starts', async () => {
  const request = { since: 0, until: 3_600, metrics, breakdowns: [] };
  await expect(reportJson(fixtures, admin, request, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/);
});
