import { expect, test } from 'vitest';
import {
  breakdowns,
  computedMetrics,
  derivedBreakdowns,
  filters,
  metrics,
} from '../../src/contract/vocabulary.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';

async function vocabulary(...argv: readonly string[]) {
  return JSON.parse((await runCli(['fields', '--json', ...argv])).stdout);
}

const ofBuyer = ({ profiles }: { readonly profiles: readonly string[] }): boolean =>
  profiles.includes('buyer');
const counts = [
  [...metrics, ...metrics.slice(0, computedMetrics.length)],
  [...breakdowns, ...derivedBreakdowns],
  filters,
].map((list) => list.filter(ofBuyer).length);

test('the vocabulary of a profile', async () => {
  const buyer = await vocabulary();

  expect([buyer.metrics.length, buyer.breakdowns.length, buyer.filters.length]).toEqual(counts);
  expect(Math.min(...counts)).toBeGreaterThan(8);

  const dsp = await vocabulary('--profile', 'dsp');
  const names = dsp.metrics.map(({ name }: { name: string }) => name);

  expect(names).toEqual(['displays', 'revenueEuro', 'revenueDollar', 'ecpmEuro', 'ecpmDollar']);
  expect(dsp.filters).toEqual([]);
});

test('as a table with flag, name and meaning', async () => {
  const { exitCode, stdout } = await runCli(['fields'], { env: { COLUMNS: '200' } });

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^ +--metrics displays +\S/m);
  expect(stdout).toMatch(/^ +--by COUNTRY +\S/m);
  expect(stdout).toMatch(/^ +--filter countryId +countries, as geoname IDs$/m);
  expect(stdout.split('\n').filter((line) => line.startsWith('  --'))).toHaveLength(
    counts.reduce((sum, count) => sum + count),
  );
});

test.each([
  { word: 'spend', name: 'revenueEuro' },
  { word: 'impressions', name: 'displays' },
  { word: 'CPM', name: 'ecpmEuro' },
  { word: 'cpc', name: 'cpcEuro' },
  { word: 'cost per click', name: 'cpcEuro' },
  { word: 'placement', name: 'ADUNIT' },
  { word: 'publisher', name: 'PUBLISHERID' },
  { word: 'countr', name: 'countryId' },
  { word: 'viewability', name: 'displays' },
])('trade words and parts of names or meanings: $word finds $name', async ({ word, name }) => {
  const { metrics, breakdowns, filters } = await vocabulary(word);
  const found: { name: string }[] = [...metrics, ...breakdowns, ...filters];

  expect(found.map((entry) => entry.name)).toContain(name);
  expect(found.length).toBeLessThan(8);
});

test('an unknown term is exit 2', async () => {
  expectRefusal(await runCli('fields xylophone'), 2, 'xylophone');
});

test('countries, by name, code and id', async () => {
  const france = { code: 'FR', id: '3017382', name: 'France' };

  for (const term of ['France', 'fr', '3017382'])
    expect((await vocabulary(term)).countries).toEqual([france]);
  expect((await runCli('fields France')).stdout).toMatch(
    /--country +FR +France, countryId 3017382/,
  );
  expect((await vocabulary('united')).countries.length).toBeGreaterThan(2);
  expect((await vocabulary('France', '--profile', 'dsp')).countries).toEqual([]);
});
