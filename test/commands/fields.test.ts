import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

async function vocabulary(...argv: readonly string[]) {
  return JSON.parse((await runCli(['fields', '--json', ...argv])).stdout);
}

test('the vocabulary of a profile', async () => {
  const buyer = await vocabulary();
  expect([buyer.metrics.length, buyer.breakdowns.length, buyer.filters.length]).toEqual([9, 24, 15]);
  const dsp = await vocabulary('--profile', 'dsp');
  expect(dsp.metrics.map(({ name }: { name: string }) => name)).toEqual(['displays', 'revenueEuro', 'revenueDollar']);
  expect(dsp.filters).toEqual([]);
});

test('as a table: the flag of each, its name, its meaning', async () => {
  const { exitCode, stdout } = await runCli(['fields'], { env: { COLUMNS: '200' } });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^--metrics +displays +\S/m);
  expect(stdout).toMatch(/^--by +COUNTRY +\S/m);
  expect(stdout).toMatch(/^--filter +countryId +countries, as geoname IDs$/m);
  expect(stdout.split('\n').filter((line) => line.startsWith('--'))).toHaveLength(9 + 24 + 15);
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
