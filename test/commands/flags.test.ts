import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const run = 'run --local --period 2026-11-09 --dry-run';

async function bodyOf(flags: string) {
  const { exitCode, stdout } = await runCli(`${run} --json ${flags}`);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout).requests[0].body;
}

test.each([
  [
    `${run} --by OS --breakdowns CITY`,
    "'--breakdowns <a,b>' cannot be used with option '--by <a,b>'",
  ],
  [`${run} --poll-interval 50ms`, 'The shortest is 100ms.'],
  [`${run} --poll-interval 5`, 'Give a number with a unit'],
  [`${run} --timeout 0`, 'The shortest is 1ms.'],
  [`${run} --retries -1`, 'Give a whole number, 0 or more.'],
  [`${run} --concurrency 0`, 'Give a whole number, 1 or more.'],
  [`${run} --country Germny`, 'Germany'],
  ['local-server --rate-limit 5/m', 'Give a whole number, 1 or more.'],
  ['local-server --rate-limit 0/s', 'Give a whole number, 1 or more.'],
  ['local-server --polls x', 'Give a whole number, 1 or more.'],
  ['local-server --seed 20261101', 'The highest number is 999999.'],
  ['local-server --port 70000', 'The highest number is 65535.'],
])('%s is exit 2, and says what would be right', async (line, says) => {
  expectRefusal(await runCli(line), 2, says);
});

const midnight = Date.UTC(2026, 10, 9) / 1_000;

test.each([
  ['--breakdowns os', { breakdowns: ['OS'] }],
  ['--by os', { breakdowns: ['OS'] }],
  ['--country FR,germany --country 3175395', { countryId: ['3017382', '2921044', '3175395'] }],
  ['--filter countryId=FR', { countryId: ['3017382'] }],
  ['--by OS', { since: midnight - 3_600, until: midnight + 86_399 - 3_600 }],
  // The digits of the wall time, as if they were UTC.
  ['--window-clock wall', { since: midnight, until: midnight + 86_399 }],
])('%s asks for %j', async (flags, body) => {
  expect(await bodyOf(flags)).toMatchObject(body);
});

test('--poll-interval: so long between two calls, however long it takes', async () => {
  const { run: runHere } = await serveForTest({ polls: 4 });
  const pausesMs: number[] = [];
  const { exitCode } = await runHere('run --period 2026-11-09 --poll-interval 7s -q', {
    onSleep: (durationMs) => void pausesMs.push(durationMs),
  });
  expect({ exitCode, pausesMs }).toEqual({ exitCode: 0, pausesMs: [7_000, 7_000, 7_000] });
});

describe('--campaign and --ad-unit', () => {
  test('become ids, shown in the dry run; the report is that of the ids', async () => {
    const { run: runHere } = await serveForTest({ delayMs: 0 });
    const listed = await runHere(
      'campaigns --format csv --no-header --columns campaignId,campaignName',
    );
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

  test.each([
    ['--ad-unit', 'Nowhere', '--ad-unit "Nowhere"', 1],
    ['--campaign', 'Polrlicht*', 'Polarlicht', 1],
    ['--campaign', '', 'this is no name', 0],
    ['--campaign', ',', 'this is no name', 0],
    ['--campaign', '"A, B', 'this is no name', 0],
  ])('%s %j is exit 2, with the nearest, or without a call', async (flag, name, says, calls) => {
    const { run: runHere, server } = await serveForTest();
    expectRefusal(await runHere(['run', '--period', '2026-11-09', flag, name]), 2, says);
    expect(server.requests().map(({ endpoint }) => endpoint)).toEqual(
      Array(calls).fill('campaigns'),
    );
  });
});
