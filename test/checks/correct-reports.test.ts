import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/index.ts';
import { type LocalServer, startLocalServer } from '../../src/local-server.ts';

/** No false alarms: whatever is requested of the local server, a correct report has no warning. */

const clocks = ['instant', 'wall'] as const;
const servers = new Map<string, LocalServer>();
beforeAll(async () => {
  for (const windowClock of clocks) {
    servers.set(windowClock, await startLocalServer({ delayMs: 0, windowClock }));
  }
});
afterAll(async () => {
  for (const server of servers.values()) await server.close();
});

/** Days with a clock change in Paris or Lord Howe, and a period that begins within an hour. */
const periods = [
  { period: '2026-10-24..2026-10-26' },
  { period: '2026-03-28..2026-03-29' },
  { period: '2026-04-04..2026-04-06' },
  { period: '2025-11' },
  { since: '2026-10-25T00:30:00Z', until: '2026-10-25T03:29:59Z' },
];

const times = [[], ['DAILY'], ['HOURLY'], ['MONTHLY'], ['RANGE']];

const buyer = fc.record({
  email: fc.constantFrom('buyer@example.com', 'awkward@example.com'),
  profile: fc.constant('buyer' as const),
  timezone: fc.constant(undefined),
  dimensions: fc.subarray(['CAMPAIGN', 'ADUNIT', 'COUNTRY', 'CITY', 'OS', 'PUBLISHERID'], {
    maxLength: 2,
  }),
  metrics: fc.shuffledSubarray(['displays', 'clicks', 'revenueEuro', 'revenueDollar'], {
    minLength: 1,
  }),
  filters: fc.constantFrom({}, { country: ['FR'] }, { campaignId: ['40001'] }),
});

const dsp = fc.record({
  email: fc.constant('dsp@example.com'),
  profile: fc.constant('dsp' as const),
  timezone: fc.constantFrom('Europe/Paris', 'UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
  dimensions: fc.subarray(['BUNDLEID', 'FORMAT']),
  metrics: fc.shuffledSubarray(['displays', 'revenueEuro', 'revenueDollar'], { minLength: 1 }),
  filters: fc.constant({}),
});

const request = fc.record({
  report: fc.oneof(buyer, dsp),
  period: fc.constantFrom(...periods),
  time: fc.constantFrom(...times),
  windowClock: fc.constantFrom(...clocks),
});

/** Hours of half an hour, when clocks are set back. */
const halfHours = {
  report: {
    email: 'dsp@example.com' as const,
    profile: 'dsp' as const,
    timezone: 'Australia/Lord_Howe' as const,
    dimensions: [],
    metrics: ['displays'],
    filters: {},
  },
  period: { period: '2026-04-04..2026-04-06' },
  time: ['HOURLY'],
  windowClock: 'instant' as const,
};

test('a correct report has no warning', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ report, period, time, windowClock }) => {
      const { email, profile, timezone, dimensions, metrics, filters } = report;
      const server = servers.get(windowClock);
      const token = server?.accounts.find((account) => account.email === email)?.token;
      const options = { profile, timezone, windowClock };
      const client = createClient({ baseUrl: server?.url ?? '', token, ...options });

      const by = [...time, ...dimensions];
      const fetched = await client.fetchReport({ ...period, by, metrics, filters });
      for await (const _row of fetched.rows());

      expect(fetched.warnings).toEqual([]);
    }),
    { numRuns: 40, examples: [[halfHours]] },
  );
});
