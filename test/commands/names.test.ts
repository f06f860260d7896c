import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

/** Countries and campaigns by name, and the clock by which a service reads a window. */

const run = ['run', '--local', '--period', '2026-11-09', '--dry-run', '--json'];

async function bodyOf(...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await runCli([...run, ...flags]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return JSON.parse(stdout).requests[0].body;
}

test('--country takes codes, English names and ids, and adds to --filter', async () => {
  expect((await bodyOf('--country', 'FR,germany', '--country', '3175395')).countryId).toEqual([
    '3017382',
    '2921044',
    '3175395',
  ]);
  expect((await bodyOf('--filter', 'countryId=FR')).countryId).toEqual(['3017382']);
});

test('a country that is none is exit 2 with the nearest', async () => {
  const { exitCode, stderr } = await runCli([...run, '--country', 'Germny']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Germany');
});

test('a campaign name that nothing has offers the nearest campaigns', async () => {
  const names = JSON.parse((await runCli(['campaigns', '--local', '--format', 'json'])).stdout).map(
    ({ campaignName }: { readonly campaignName: string }) => campaignName,
  );
  const word = names.flatMap((name: string) => name.match(/\b[A-Z][a-z]{5,}\b/) ?? [])[0];
  const misspelt = `${word.slice(0, 2)}${word.slice(3)}*`;
  const result = await runCli(['run', '--local', '--period', '2026-11-09', '--campaign', misspelt]);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.stringify(result.stderr)).toContain(word);
});

test('--window-clock wall sends the digits of the wall time, as if they were UTC', async () => {
  const day = Date.UTC(2026, 10, 9) / 1_000;
  expect(await bodyOf()).toMatchObject({ since: day - 3_600, until: day + 86_399 - 3_600 });
  expect(await bodyOf('--window-clock', 'wall')).toMatchObject({ since: day, until: day + 86_399 });
});
