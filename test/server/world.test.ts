import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DimensionName } from '../../src/contract/vocabulary.ts';
import { findVisibleCampaigns } from '../../src/server/fixtures/fixtures.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { createReport, reportOf, signIn, smallReport, startForTest } from './local.ts';
import { plainFacts } from './reference-report.ts';
import { accountOf, reportJson, seconds } from './reports.ts';

const fixtures = builtInFixtures({ seed: 1, scale: 1 });
const admin = accountOf(fixtures, 'admin');
const window = { since: seconds('2026-10-24T00:00:00Z'), until: seconds('2026-10-26T23:59:59Z') };
const facts = [...plainFacts(fixtures, window.since, window.until)];

test('only the account awkward has hostile names', () => {
  const namesOf = (account: string): string[] => {
    const names: string[] = [];
    for (const campaign of findVisibleCampaigns(fixtures, accountOf(fixtures, account))) {
      names.push(campaign.advertiserName, campaign.campaignName);
      for (const adUnit of campaign.adunits) names.push(adUnit.adunitName);
    }
    return names;
  };
  const others = ['buyer', 'admin', 'dsp'].flatMap(namesOf);
  const missing = (names: readonly string[], patterns: readonly RegExp[]) =>
    patterns.filter((pattern) => !names.some((name) => pattern.test(name)));
  const hostile = [
    /\n/,
    /\r\n/,
    /\t/,
    /\\/,
    /^[=+@-]/,
    /^ .* $/,
    /\u202e/,
    /</,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal escape
    /\u001b\[/,
    /^null$/,
    /.{300}/,
  ];

  expect(
    missing(namesOf('awkward'), [...hostile, /\p{Script=Arabic}/u, /\p{Script=Han}/u]),
  ).toEqual([]);
  expect(missing(others, hostile)).toEqual(hostile);
  expect(missing(others, [/é/, /"/, /,/, /;/, /&/, /\p{Emoji_Presentation}/u])).toEqual([]);
});

describe('facts', () => {
  test('a place has one region, a device one system, an app one platform', () => {
    const parents =
      'POSTALCODE<CITY CITY<REGION DEPARTMENT<REGION REGION<COUNTRY DEVICEMODEL<DEVICEBRAND DEVICEMODEL<DEVICETYPE ' +
      'DEVICEMODEL<OS BUNDLEID<PLATFORM BUNDLEID<PUBLISHERID PUBLISHERID<ADNETWORK CREATIVE<ADUNIT ADUNIT<CAMPAIGN ' +
      'ADUNIT<FORMAT CAMPAIGN<ADVERTISER';

    for (const [child = '', parent = ''] of parents.split(' ').map((pair) => pair.split('<'))) {
      const found = new Map<string, Set<string>>();
      for (const { dimensions } of facts) {
        const key = dimensions[child as DimensionName];
        if (key !== null)
          found.set(
            key,
            (found.get(key) ?? new Set()).add(`${dimensions[parent as DimensionName]}`),
          );
      }
      expect(found.size, child).toBeGreaterThan(1);
      expect(
        Math.max(...[...found.values()].map(({ size }) => size)),
        `${child} in ${parent}`,
      ).toBe(1);
    }

    const systems = facts.filter(({ fields }) => fields.platform !== 'web');
    const pairs = new Set(systems.map(({ fields }) => `${fields.platform} ${fields.os}`));

    expect(pairs).toEqual(new Set(['ios iOS', 'android Android']));
  });
});

test('an admin sees the campaigns of all advertisers but the awkward account’s', () => {
  const idsOf = (account: string): string[] =>
    findVisibleCampaigns(fixtures, accountOf(fixtures, account)).map(
      ({ campaignId }) => campaignId,
    );
  const ofAdmin = idsOf('admin');

  expect(ofAdmin).toEqual(expect.arrayContaining([...idsOf('buyer'), ...idsOf('dsp')]));
  expect(ofAdmin.filter((id) => idsOf('awkward').includes(id))).toEqual([]);
});

test('report IDs and tokens follow from seed, clock and count; data from the seed', async () => {
  const outcomeOf = async (options: ServerOptions) => {
    const server = await startForTest(options);
    const ids = [await signIn(server), await createReport(server), await createReport(server)];
    const hour = { since: smallReport.since, until: smallReport.since + 3_599 };
    const { data } = await reportOf(server, 'buyer', { ...hour, metrics: 'displays,clicks' });
    return { ids, data };
  };

  const first = await outcomeOf({});
  expect(new Set(first.ids).size).toBe(3);
  expect(await outcomeOf({})).toEqual(first);
  const other = await outcomeOf({ seed: 2 });
  expect(other.ids).not.toEqual(first.ids);
  expect(other.data).not.toEqual(first.data);
});

test('the same request always gives the same bytes, on every machine', async () => {
  const traffic = ['requests', 'displays', 'clicks'];
  const conversions = ['downloads', 'leads', 'landings'];
  const others = ['revenueEuro', 'revenueDollar', 'eyesTrackings'];
  const metrics = [...traffic, ...conversions, ...others];
  const breakdowns = ['DAILY', 'ADUNIT', 'CITY', 'DEVICEMODEL', 'CARRIER', 'BUNDLEID'];

  const text = await reportJson(fixtures, admin, { ...window, metrics, breakdowns });

  // Ignores the null fields of breakdowns that were not requested, such as new ones.
  const withoutNulls = text.replaceAll(/,?"\w+":null/g, '');
  const hash = createHash('sha256').update(withoutNulls).digest('hex');
  expect(hash).toBe('188a5f638a82bc90ce67787ee34017d3f5f1488c511204e7f7d6486b2c84bd64');
});
