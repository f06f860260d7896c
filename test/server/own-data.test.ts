import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breakdowns, metrics } from '../../src/contract/vocabulary.ts';
import { exportFixtures } from '../../src/server/fixtures/export.ts';
import { findVisibleCampaigns } from '../../src/server/fixtures/fixtures.ts';
import { loadFixtures } from '../../src/server/fixtures/load.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { accountOf, reportJson, reportRows, seconds } from './reports.ts';

/** Reading and exporting fixture data. */

/** A small valid folder of fixture data. */
const files = {
  'accounts.json': `[
  { "name": "me", "email": "me@example.com", "password": "x", "profile": "buyer", "token": "t0ken", "advertiserIds": ["7"] },
  { "name": "all", "email": "all@example.com", "password": "x", "profile": "buyer", "admin": true, "token": "t1", "advertiserIds": [] }
]`,
  'campaigns.json': `[
  {
    "advertiserId": "7",
    "advertiserName": "Seven",
    "campaignId": "70",
    "campaignName": "Seventy",
    "campaignStartDate": "2026-01-01 00:00:00",
    "campaignEndDate": "2026-12-31 23:59:59",
    "adunits": [{ "adunitName": "first", "adunitId": "700" }, { "adunitName": "second", "adunitId": "701", "adUnitLimitType": "1", "adUnitLimitValue": "50" }]
  }
]`,
  'catalog.json': `{ "countryId": [{ "id": "3017382", "name": "France" }], "cityId": [{ "id": "2988507", "name": "Paris" }] }`,
  'facts.csv': `hour,adunitId,countryId,cityId,carrier,displays,revenueEuro
2026-11-01T10:00:00Z,700,3017382,2988507,SFR,100,1.5
2026-11-01T11:00:00+01:00,701,3017382,,"Free, ""Mobile""",20,0.05
2026-11-01T10:00:00Z,700,,,,3,
`,
};

type Changes = { readonly [Name in keyof typeof files]?: string | Buffer | undefined };

/** A folder of the data, with some files changed or missing. */
function folderOf(changes: Changes = {}): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ ...files, ...changes })) {
    if (content !== undefined) writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** The error with which a folder is refused. */
function errorOf(folder: string): unknown {
  try {
    return loadFixtures(folder);
  } catch (error) {
    return error;
  }
}

const day = { since: seconds('2026-11-01T00:00:00Z'), until: seconds('2026-11-01T23:59:59Z') };

describe('fixture data', () => {
  test('is served exactly as in the files', async () => {
    const fixtures = loadFixtures(folderOf());
    const by = ['HOURLY', 'ADUNIT', 'CITY', 'CARRIER'];
    const request = { ...day, metrics: ['displays', 'revenueEuro'], breakdowns: by };
    const rows = await reportRows(fixtures, accountOf(fixtures, 'me'), request);
    const hour = '2026-11-01T11:00:00+0100';
    const first = {
      hour,
      adId: '700',
      adName: 'first',
      adUnitLimitType: '0',
      adUnitLimitValue: '0',
    };
    const second = {
      hour,
      adId: '701',
      adName: 'second',
      adUnitLimitType: '1',
      adUnitLimitValue: '50',
    };

    expect(rows).toMatchObject([
      { ...first, city: 'Paris', carrier: 'SFR', displays: 100, revenueEuro: 1.5 },
      { ...first, city: null, carrier: 'unknown', displays: 3, revenueEuro: 0 },
      { ...second, city: null, carrier: 'Free, "Mobile"', displays: 20, revenueEuro: 0.05 },
    ]);

    const units = ['first', 'second'].map((adunitName, index) => ({
      adunitName,
      adunitId: `${700 + index}`,
    }));

    const [campaign] = JSON.parse(files['campaigns.json']);

    expect(findVisibleCampaigns(fixtures, accountOf(fixtures, 'all'))).toEqual([
      { ...campaign, adunits: units },
    ]);
  });
});

/** A change in a file, and the resulting error. */
interface Issue {
  readonly file: keyof typeof files;
  readonly from: string;
  readonly to: string;

  /** The line of the mistake. */
  readonly line: number;

  readonly reason: string;
}

const issues: readonly Issue[] = [
  {
    file: 'accounts.json',
    from: '"token": "t0ken",',
    to: '"tokn": "t0ken",',
    line: 2,
    reason: 'unknown key “tokn”. Did you mean token?',
  },
  {
    file: 'accounts.json',
    from: '\n]',
    to: '\n]~',
    line: 4,
    reason: 'invalid JSON: invalid symbol',
  },
  {
    file: 'facts.csv',
    from: '00Z,700',
    to: '00Z,799',
    line: 2,
    reason: 'adunitId: expected an ad unit in campaigns.json, found “799”',
  },
  {
    file: 'facts.csv',
    from: '0.05',
    to: '0.055',
    line: 3,
    reason: 'revenueEuro: expected an amount such as 12.34 or -12.34, found “0.055”',
  },
  {
    file: 'facts.csv',
    from: '10:00:00Z,700,,',
    to: '10:00:01Z,700,,',
    line: 4,
    reason: 'hour: expected the first second of a UTC hour, such as 2026-11-01T13',
  },
];

describe('the list of mistakes', () => {
  const messageOf = (changes: Changes): string => {
    const error = errorOf(folderOf(changes));
    expect(error).toMatchObject({ exitCode: 2, code: 'FIXTURES' });
    return (error as Error).message;
  };

  /** The file names and lines in a message. */
  const placesIn = (message: string): string[] =>
    [...message.matchAll(/(\w+\.(?:json|csv):\d+): /g)].map(([, place = '']) => place);

  test('by file and line', () => {
    const changed: Changes = {
      'accounts.json': files['accounts.json'].replaceAll('"x"', '""'),
      'catalog.json': files['catalog.json'].replace('cityId', 'cityID'),
      'facts.csv': `${files['facts.csv']}x,700,,,,y,\n1,2\n2026-11-01T10:00:00Z,799,,,,,0.055\n`,
    };

    const message = messageOf(changed);

    expect(message).toMatch(/^8 problems in the fixtures in .*:\n/);
    expect(placesIn(message)).toEqual([
      'accounts.json:2',
      'accounts.json:3',
      'catalog.json:1',
      'facts.csv:5',
      'facts.csv:5',
      'facts.csv:6',
      'facts.csv:7',
      'facts.csv:7',
    ]);
  });

  test('up to a thousand, then the number of further ones', () => {
    const lines = '1,700\n'.repeat(1_500);

    const message = messageOf({ 'facts.csv': `hour,adunitId\n${lines}` });

    expect(message).toMatch(/^1,500 problems in/);
    expect(placesIn(message)).toHaveLength(1_000);
    expect(message).toMatch(/\n… and 500 more\.$/);
  });
});

describe('a mistake is reported with file, line and reason', () => {
  function expectMistake(folder: string, place: string, reason: string) {
    const error = errorOf(folder);
    const message = expect.stringContaining(`${join(folder, place)}: ${reason}`);
    expect(error).toMatchObject({ exitCode: 2, message });
    return error;
  }

  test.each(issues)('$file: $from becomes $to', ({ file, from, to, line, reason }) => {
    expect(files[file]).toContain(from);
    const folder = folderOf({ [file]: files[file].replace(from, to) });

    expectMistake(folder, `${file}:${line}`, reason);
  });

  test.each([
    {
      what: 'invalid bytes',
      changes: { 'accounts.json': Buffer.from(`${files['accounts.json']}\xff`, 'latin1') },
      place: 'accounts.json',
      reason: 'it is not UTF-8',
    },
    {
      what: 'invalid bytes',
      changes: { 'facts.csv': Buffer.from('hour,adunitId,carrier\n1,700,\xff', 'latin1') },
      place: 'facts.csv',
      reason: 'it is not UTF-8',
    },
    {
      what: 'a missing file',
      changes: { 'facts.csv': undefined },
      place: 'facts.csv',
      reason: 'it does not exist',
    },
    {
      what: 'an open quote',
      changes: { 'facts.csv': 'hour,adunitId,carrier\n2026-11-01T10:00:00Z,700,"x\n\n' },
      place: 'facts.csv:2',
      reason: 'Quote Not Closed',
    },
  ])('$what, case %#', ({ changes, place, reason }) => {
    expectMistake(folderOf(changes), place, reason);
  });
  test('a missing folder, and a folder in place of a file', () => {
    expect(errorOf(join(temporaryFolder(), 'x'))).toMatchObject({
      message: expect.stringMatching(/x: folder not found\.\n.*local-server export DIR/),
    });

    const folder = folderOf({ 'accounts.json': undefined });
    mkdirSync(join(folder, 'accounts.json'));

    expectMistake(folder, 'accounts.json', 'it is a folder');
  });

  test.runIf(process.platform !== 'win32')('a FIFO in place of a file', () => {
    for (const file of ['catalog.json', 'facts.csv']) {
      const folder = folderOf({ [file]: undefined });
      execFileSync('mkfifo', [join(folder, file)]);
      expectMistake(folder, file, 'it is not a regular file');
    }
  });
});

describe('a few facts', () => {
  const facts = `hour,adunitId,countryId,osId,carrier,displays,clicks,revenueEuro
2026-11-01T10:00:00Z,70001,3017382,1,SFR,1200,31,9.60
2026-11-01T11:00:00Z,70001,3017382,1,SFR,900,18,7.20
2026-11-01T11:00:00Z,70002,,,,0,0,-2.40
`;

  test('works with the built-in campaigns, including refunds', async () => {
    const folder = join(temporaryFolder(), 'mine');
    const fixtures = builtInFixtures({ seed: 1, scale: 1 });
    await exportFixtures(folder, { fixtures, ...day });
    writeFileSync(join(folder, 'facts.csv'), facts);

    const loaded = loadFixtures(folder);
    const request = { ...day, metrics: ['revenueEuro'], breakdowns: ['ADUNIT'] };
    const rows = await reportRows(loaded, accountOf(loaded, 'buyer'), request);

    expect(rows.map(({ adId, revenueEuro }) => [adId, revenueEuro])).toEqual([
      ['70001', 16.8],
      ['70002', -2.4],
    ]);
    const dsp = { ...accountOf(loaded, 'buyer'), profile: 'dsp' as const };
    expect((await reportRows(loaded, dsp, { ...request, breakdowns: [] }))[0]).toMatchObject({
      revenueEuro: '14,40',
    });
  });
});

describe('exported data', () => {
  const builtIn = builtInFixtures({ seed: 5, scale: 1 });
  const window = { since: seconds('2026-10-24T22:00:00Z'), until: seconds('2026-10-25T22:59:59Z') };

  test('gives the same report bytes as the original', async () => {
    const target = join(temporaryFolder(), 'a', 'b');
    const { files: written, facts } = await exportFixtures(target, {
      fixtures: builtIn,
      ...window,
    });
    const names = ['facts.csv', 'accounts.json', 'campaigns.json', 'catalog.json'];

    expect(written).toEqual(names.map((name) => join(target, name)));
    expect(facts).toBeGreaterThan(1_000);

    const loaded = loadFixtures(target);

    expect(loaded.accounts).toEqual(builtIn.accounts);
    for (const account of builtIn.accounts)
      expect(findVisibleCampaigns(loaded, account)).toEqual(findVisibleCampaigns(builtIn, account));
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(breakdowns.slice(4).map(({ name }) => name as string)),
        fc.constantFrom('buyer', 'admin', 'awkward'),
        async (by, name) => {
          const request = {
            ...window,
            metrics: metrics.map((metric) => metric.name),
            breakdowns: ['DAILY', ...by],
          };
          const moment = { nowMs: (window.until + 86_400) * 1_000, restateDays: 3 };
          const account = accountOf(builtIn, name);
          expect(await reportJson(loaded, account, request, moment)).toBe(
            await reportJson(builtIn, account, request, moment),
          );
        },
      ),
      { numRuns: 3 },
    );
  });
});
