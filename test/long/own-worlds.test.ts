import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { startLocalServer } from '../../src/local-server.ts';
import { expectNoWarnings } from '../checks/correct-worlds.ts';
import { runCli } from '../support/run-cli.ts';

/** An undamaged report of any fixture data has no warnings. */

const accounts = `[{ "name": "me", "email": "me@example.com", "password": "x", "profile": "buyer", "token": "t0ken", "advertiserIds": ["7"] }]`;

const campaigns = `[{
  "advertiserId": "7", "advertiserName": "Seven", "campaignId": "70", "campaignName": "Seventy",
  "campaignStartDate": "2026-01-01 00:00:00", "campaignEndDate": "2026-12-31 23:59:59",
  "adunits": [{ "adunitName": "first", "adunitId": "700" }, { "adunitName": "second", "adunitId": "701" }]
}]`;

const catalog = `{
  "countryId": [{ "id": "3017382", "name": "France" }, { "id": "2510769", "name": "Spain" }],
  "osId": [{ "id": "1", "name": "iOS" }, { "id": "2", "name": "Android" }]
}`;

/** Two days in winter time. */
const firstHourMs = Date.UTC(2026, 10, 8, 23);
const hourCount = 48;

const fact = fc.record({
  adunitId: fc.constantFrom('700', '701'),
  countryId: fc.constantFrom('', '3017382', '2510769'),
  osId: fc.constantFrom('', '1', '2'),
  carrier: fc.constantFrom('', 'SFR', 'Free', 'Movistar'),
  displays: fc.integer({ min: 0, max: 100_000_000 }),
  clicks: fc.integer({ min: 0, max: 1_000_000 }),
  revenue: fc.integer({ min: 0, max: 100_000_000 }),
});

const world = fc.array(fact, { minLength: 1, maxLength: 100 });

const dimensionNames = vocabularyOf('buyer')
  .breakdowns.filter(({ time }) => !time)
  .map(({ name }) => name);

const request = fc.record({
  time: fc.constantFrom('', 'DAILY', 'HOURLY', 'MONTHLY', 'RANGE'),
  dimensions: fc.subarray(dimensionNames, { maxLength: 3 }),
  format: fc.constantFrom('csv', 'json'),
  filter: fc.constantFrom('', '--country FR', '--filter osId=1', '--filter carrier=SFR'),
});

type Facts = typeof world extends fc.Arbitrary<infer T> ? T : never;

function csvOf(facts: Facts): string {
  const lines = ['hour,adunitId,countryId,osId,carrier,displays,clicks,revenueEuro'];
  for (const [index, one] of facts.entries()) {
    const hour = new Date(firstHourMs + (index % hourCount) * 3_600_000).toISOString();
    const euros = (one.revenue / 100).toFixed(2);
    const { adunitId, countryId, osId, carrier, displays, clicks } = one;
    lines.push([hour, adunitId, countryId, osId, carrier, displays, clicks, euros].join());
  }
  return `${lines.join('\n')}\n`;
}

test('a report of random fixtures has no warnings', async () => {
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(request, { minLength: 3, maxLength: 3 }),
      async (facts, asked) => {
        const folder = mkdtempSync(join(tmpdir(), 'adreport-world-'));
        writeFileSync(join(folder, 'accounts.json'), accounts);
        writeFileSync(join(folder, 'campaigns.json'), campaigns);
        writeFileSync(join(folder, 'catalog.json'), catalog);
        writeFileSync(join(folder, 'facts.csv'), csvOf(facts));
        const clock = () => Date.UTC(2026, 10, 20, 12);
        const server = await startLocalServer({ fixtures: folder, delayMs: 0, clock });
        const env = { ADREPORT_BASE_URL: server.url, ADREPORT_TOKEN: 't0ken' };

        try {
          for (const { time, dimensions, format, filter } of asked) {
            const by = [...dimensions, time].filter((name) => name !== '').join();
            const line = `run --period 2026-11-09..2026-11-10 ${by && `--by ${by}`} ${filter} --strict -q -o x.${format}`;
            const result = await runCli(line.replaceAll(/ +/g, ' '), { env });
            expect(result).toMatchObject({ exitCode: 0, stderr: '' });
          }
        } finally {
          await server.close();
          rmSync(folder, { recursive: true });
        }
      },
    ),
    { numRuns: Number(process.env.CASES ?? 300), endOnFailure: true },
  );
}, 1_800_000);

test('ten thousand correct reports have no warnings', async () => {
  await expectNoWarnings(Number(process.env.CASES ?? 10_000));
}, 1_800_000);
