import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** A machine whose clock is eight hours behind the service's, shortly before midnight in Paris. */

const now = '2026-11-19T22:30:00Z';

async function run(flags: string) {
  const { server, env } = await serveForTest({ delayMs: 0 });
  const headers = { date: 'Fri, 20 Nov 2026 06:30:00 GMT' };
  const data = [{ date: '2026-11-18', displays: 7 }];
  server.fault({ endpoint: 'download', answer: { headers, body: { data } } });
  const line = `run --by DAILY --metrics displays --format ndjson ${flags}`;
  return runCli(line, { env, now: Date.parse(now) });
}

test.each(['--strict', '--strict -q'])('a window in words names both days, %s', async (flags) => {
  const { exitCode, stderr } = await run(`--period yesterday ${flags}`);

  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain(
    "Warning: This machine's clock is 8 h behind the service's. The period is 2026-11-18; by the service's clock it would be 2026-11-19.",
  );
});

test('dates are no other window by another clock', async () => {
  const { stderr } = await run('--period 2026-11-18');
  expect(stderr).not.toContain('Warning:');
});
