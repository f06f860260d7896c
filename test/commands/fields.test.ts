import { expect, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import { runCli } from '../support/run-cli.ts';

async function vocabulary(...argv: readonly string[]) {
  return JSON.parse((await runCli(['fields', '--json', ...argv])).stdout);
}

const ofBuyer = ({ profiles }: { readonly profiles: readonly string[] }): boolean => profiles.includes('buyer');
const counts = [metrics, breakdowns, filters].map((list) => list.filter(ofBuyer).length);

test('the vocabulary of a profile', async () => {
  const buyer = await vocabulary();
  expect([buyer.metrics.length - 3, buyer.breakdowns.length, buyer.filters.length]).toEqual(counts);
  expect(buyer.metrics.slice(-3).map(({ name }: { name: string }) => name)).toEqual(['ctr', 'ecpmEuro', 'ecpmDollar']);
  expect(Math.min(...counts)).toBeGreaterThan(8);
  const dsp = await vocabulary('--profile', 'dsp');
  expect(dsp.metrics.map(({ name }: { name: string }) => name)).toEqual([
    ...['displays', 'revenueEuro', 'revenueDollar'],
    ...['ecpmEuro', 'ecpmDollar'],
  ]);
  expect(dsp.filters).toEqual([]);
});

test('as a table: the flag of each, its name, its meaning', async () => {
  const { exitCode, stdout } = await runCli(['fields'], { env: { COLUMNS: '200' } });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^--metrics +displays +\S/m);
  expect(stdout).toMatch(/^--by +COUNTRY +\S/m);
  expect(stdout).toMatch(/^--filter +countryId +countries, as geoname IDs$/m);
  expect(stdout.split('\n').filter((line) => line.startsWith('--'))).toHaveLength(
    counts.reduce((sum, count) => sum + count) + 3,
  );
});

test('found by name and by meaning', async () => {
  expect((await vocabulary('countr')).filters).toEqual([{ name: 'countryId', meaning: 'countries, as geoname IDs' }]);
  expect((await vocabulary('viewability')).metrics).toEqual([expect.objectContaining({ name: 'displays' })]);
  expect((await runCli(['fields', 'GEONAME'])).stdout).toMatch(/--filter +countryId/);
  expect(await runCli(['fields', 'xylophone'])).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('xylophone'),
  });
});

test.each([
  ['spend', 'revenueEuro'],
  ['impressions', 'displays'],
  ['CPM', 'ecpmEuro'],
  ['click-through rate', 'ctr'],
])('the trade says %s, and it is called %s here', async (term, name) => {
  expect((await vocabulary(term)).metrics).toContainEqual(expect.objectContaining({ name }));
});

test('a country is found with its id, by its name, its code and the beginning of its name', async () => {
  expect((await vocabulary('france')).countries).toEqual([{ code: 'FR', id: '3017382', name: 'France' }]);
  expect((await vocabulary('DE')).countries).toEqual([expect.objectContaining({ id: '2921044' })]);
  expect((await runCli(['fields', 'Germ'])).stdout).toMatch(/^--country +DE +Germany: countryId=2921044$/m);
});
