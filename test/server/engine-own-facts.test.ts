import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metrics } from '../../src/contract/vocabulary.ts';
import { byDimension, dimensionNames, type FactSource, type Member } from '../../src/server/fixtures/facts.ts';
import { type Account, createFixtures, type Fixtures } from '../../src/server/fixtures/fixtures.ts';
import { FactStore } from '../../src/server/fixtures/stored-facts.ts';
import { referenceRows } from './reference-report.ts';
import { reportRows } from './reports.ts';

const admin: Account = {
  name: 'admin',
  email: 'admin@example.com',
  password: 'x',
  profile: 'buyer',
  admin: true,
  token: 'x',
  advertiserIds: [],
};
const allMetrics = metrics.map(({ name }) => name);

/** How many row fields the dimensions have that have more than one. */
const fieldCounts: Readonly<Record<string, number>> = { CAMPAIGN: 2, ADUNIT: 4 };

/** Dimensions whose only field is an id. */
const numbered: readonly string[] = ['CREATIVE', 'PUBLISHERID'];

/** Members of one dimension: ids of any length, texts of any kind, and one that is unknown. */
function memberList(name: string): fc.Arbitrary<Member[]> {
  const fieldCount = fieldCounts[name] ?? 1;
  const id = fc.bigInt({ min: 0n, max: 10n ** 19n }).map(String);
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('a', 'B', '10', '9', '=1', 'é', '🐴'),
  );
  return fc
    .uniqueArray(fc.tuple(id, text), {
      maxLength: 40,
      comparator: ([digits, value], [otherDigits, otherValue]) => digits === otherDigits || value === otherValue,
    })
    .map((list) => [
      ...list.map(([digits, value]): Member => {
        // In the dimensions of several fields the first is the id, in an ad unit the limits are ids too.
        const values =
          fieldCount === 1
            ? [numbered.includes(name) ? digits : value]
            : [digits, value, '7', '10'].slice(0, fieldCount);
        return { id: digits, values };
      }),
      { id: null, values: Array.from({ length: fieldCount }, () => null) },
    ]);
}

const fixturesOf: fc.Arbitrary<Fixtures> = fc
  .record({
    members: fc.tuple(...dimensionNames.map(memberList)),
    facts: fc.array(
      fc.record({
        hour: fc.integer({ min: 494_000, max: 494_060 }),
        codes: fc.array(fc.nat(), { minLength: dimensionNames.length, maxLength: dimensionNames.length }),
        values: fc.array(fc.nat({ max: 2 ** 31 }), { minLength: metrics.length, maxLength: metrics.length }),
      }),
      { maxLength: 300, size: 'max' },
    ),
  })
  .map(({ members, facts }) => {
    const lists = byDimension((name, position) =>
      (members[position] ?? []).map((member) =>
        name === 'ADVERTISER' ? { ...member, values: [...member.values, 'billed'] } : member,
      ),
    );
    const store = new FactStore();
    for (const { hour, codes, values } of facts) {
      store.add(
        hour,
        dimensionNames.map((name, position) => (codes[position] ?? 0) % lists[name].length),
        values,
      );
    }
    return createFixtures([admin], [], store.source(lists));
  });

const breakdowns = fc
  .tuple(fc.constantFrom([], ['DAILY'], ['HOURLY']), fc.subarray([...dimensionNames]))
  .map((names) => names.flat());

test('facts of any kind, in any order, are reported as plain counting reports them', async () => {
  await fc.assert(
    fc.asyncProperty(fixturesOf, breakdowns, async (fixtures, names) => {
      const request = { since: 494_005 * 3600, until: 494_055 * 3600, metrics: allMetrics, breakdowns: names };
      expect(await reportRows(fixtures, admin, request)).toEqual(referenceRows(fixtures, admin, request));
    }),
    { numRuns: 25 },
  );
});

test('a dimension that a source knows nothing of is unknown throughout, and no filter selects it', async () => {
  const store = new FactStore();
  store.add(494_000, [], [7]);
  const known = store.source(byDimension((name): Member[] => (name === 'CITY' ? [] : [{ id: '1', values: ['x'] }])));
  const source: FactSource = {
    ...known,
    open: (query) => ({
      *read(firstHour, lastHour) {
        for (const { codes, ...chunk } of known.open(query).read(firstHour, lastHour)) {
          const { CITY: _unknown, ...others } = codes;
          yield { ...chunk, codes: others };
        }
      },
    }),
  };
  const fixtures = createFixtures([admin], [], source);
  const request = { since: 0, until: 2e9, metrics: ['requests'], breakdowns: ['CITY'] };
  expect(await reportRows(fixtures, admin, request)).toMatchObject([{ city: null, requests: 7 }]);
  expect(await reportRows(fixtures, admin, { ...request, filters: { cityId: ['1'] } })).toEqual([]);
  expect(await reportRows(fixtures, admin, { ...request, filters: { countryId: ['1'] } })).toHaveLength(1);
});

test('more facts than a chunk holds, in rows of more bits than a word holds', async () => {
  const names = ['CITY', 'CARRIER', 'BUNDLEID'];
  const members = byDimension((name) =>
    Array.from({ length: names.includes(name) ? 5_000 : 1 }, (_, code): Member => ({ id: null, values: [`${code}`] })),
  );
  const store = new FactStore();
  const expected = new Map<string, number>();
  for (let fact = 0; fact < 40_000; fact++) {
    // 6,000 different triples, over and over.
    const triple = fact % 6_000;
    const codes = [triple % 5_000, Math.floor(triple / 5_000) * 4_000, (triple * 7) % 5_000];
    store.add(
      494_000,
      dimensionNames.map((name) => codes[names.indexOf(name)] ?? 0),
      [fact],
    );
    const key = JSON.stringify(codes.map(String));
    expected.set(key, (expected.get(key) ?? 0) + fact);
  }
  const fixtures = createFixtures([admin], [], store.source(members));
  const request = { since: 0, until: 2e9, metrics: ['requests'], breakdowns: names };
  const rows = await reportRows(fixtures, admin, request);
  const found = rows.map(({ city, carrier, bundleId, requests }) => [
    JSON.stringify([city, carrier, bundleId]),
    requests,
  ]);
  expect(expected.size).toBe(6_000);
  expect(found).toEqual([...expected].sort(([a], [b]) => (a < b ? -1 : 1)));
});
