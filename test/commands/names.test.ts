import { expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Countries and campaigns by name, and the clock by which a service reads a window. */

const run = 'run --local --period 2026-11-09 --dry-run --json';

async function bodyOf(flags: string) {
  const { exitCode, stdout } = await runCli(`${run} ${flags}`);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout).requests[0].body;
}

test('--country takes codes, English names and ids, and adds to --filter; a wrong one is exit 2 with the nearest', async () => {
  const ids = ['3017382', '2921044', '3175395'];
  expect((await bodyOf('--country FR,germany --country 3175395')).countryId).toEqual(ids);
  expect((await bodyOf('--filter countryId=FR')).countryId).toEqual(['3017382']);
  expectRefusal(await runCli(`${run} --country Germny`), 2, 'Germany');
});

test('--campaign becomes ids, shown in the dry run; the report is that of the ids', async () => {
  const { run: runHere } = await serveForTest({ delayMs: 0 });
  const listed = await runHere('campaigns --format csv --no-header --columns campaignId,campaignName');
  const [id] = listed.stdout.split(',');
  const byDay = 'run --period 2024-10-24..2024-10-31 --by DAILY --metrics displays';
  const byName = [...byDay.split(' '), '--campaign', 'fil ROUGE*'];
  const dry = await runHere([...byName, '--dry-run']);
  expect(dry.stdout).toContain(`"campaignId":["${id}"]`);
  expect(dry.stderr).toContain(`(${id})`);
  const byId = await runHere(`${byDay} --filter campaignId=${id}`);
  expect((await runHere(byName)).stdout).toBe(byId.stdout);
  expect((await runHere(`${byDay} --campaign ${id}`)).stdout).toBe(byId.stdout);
});

test('a name that matches nothing is exit 2, with the nearest', async () => {
  const { run: runHere, server } = await serveForTest();
  expectRefusal(await runHere('run --period 2026-11-09 --ad-unit Nowhere'), 2, '--ad-unit "Nowhere"');
  expect(server.requests().map(({ endpoint }) => endpoint)).toEqual(['campaigns']);
  const misspelt = await runHere('run --period 2026-11-09 --campaign Polrlicht*');
  expectRefusal(misspelt, 2, 'Polarlicht');
});

test.each(['', ',', '"A, B'])('%j is no name: exit 2, and nobody is asked', async (name) => {
  const { run: runHere, server } = await serveForTest();
  expectRefusal(await runHere(['run', '--period', '2026-11-09', '--campaign', name]), 2, 'this is no name');
  expect(server.requests()).toEqual([]);
});

test('--window-clock wall sends the digits of the wall time, as if they were UTC', async () => {
  const day = Date.UTC(2026, 10, 9) / 1_000;
  expect(await bodyOf('--by OS')).toMatchObject({ since: day - 3_600, until: day + 86_399 - 3_600 });
  expect(await bodyOf('--window-clock wall')).toMatchObject({ since: day, until: day + 86_399 });
});
