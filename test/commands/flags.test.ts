import { expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const run = 'run --local --period 2026-11-09 --dry-run';

test.each([
  [`${run} --by OS --breakdowns CITY`, "'--breakdowns <a,b>' cannot be used with option '--by <a,b>'"],
  [`${run} --poll-interval 50ms`, 'The shortest interval is 100ms.'],
  [`${run} --poll-interval 5`, 'Give a number with a unit'],
  [`${run} --timeout 0`, '0 would mean to wait for ever'],
  [`${run} --retries -1`, 'Give a whole number, 0 or more.'],
  [`${run} --concurrency 0`, 'Give a whole number, 1 or more.'],
  ['local-server --rate-limit 5/m', 'Give a whole number, 1 or more.'],
  ['local-server --rate-limit 0/s', 'Give a whole number, 1 or more.'],
  ['local-server --polls x', 'Give a whole number, 1 or more.'],
  ['local-server --seed 20261101', 'The highest number is 999999.'],
  ['local-server --port 1234567', 'The highest port is 65535.'],
])('%s is exit 2, and says what would be right', async (line, says) => {
  expectRefusal(await runCli(line), 2, says);
});

test('--breakdowns is another word for --by', async () => {
  const body = async (flag: string) => JSON.parse((await runCli(`${run} --json ${flag} os`)).stdout).requests[0].body;
  expect(await body('--breakdowns')).toMatchObject({ breakdowns: ['OS'] });
  expect(await body('--breakdowns')).toEqual(await body('--by'));
});

test('--poll-interval: so long between two calls, however long it takes', async () => {
  const { run: runHere } = await serveForTest({ polls: 4 });
  const pausesMs: number[] = [];
  const { exitCode } = await runHere('run --period 2026-11-09 --poll-interval 7s -q', {
    onSleep: (durationMs) => void pausesMs.push(durationMs),
  });
  expect({ exitCode, pausesMs }).toEqual({ exitCode: 0, pausesMs: [7_000, 7_000, 7_000] });
});
