import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

const line = 'run --period 2026-11-09 --metrics displays -o it.csv';

test('exit 6 prints the whole command', async () => {
  const { env } = await serve(({ path }, response) =>
    json(response, path === '/buyer-reporting' ? { id: 'r1' } : { status: 'failed' }),
  );
  const cwd = temporaryFolder();

  const failed = await runCli(`${line} --strict`, { cwd, env });

  expect(failed.exitCode).toBe(6);
  expect(failed.stderr).toContain(
    'adreport run --metrics displays --period 2026-11-09 --strict -o it.csv\n',
  );
});

test.each([
  { what: 'order', path: '/buyer-reporting' },
  { what: 'status call', path: '/status-reporting' },
])('exit 5 of the $what prints the whole command', async ({ path }) => {
  const { env } = await serve((request, response) =>
    json(response, { id: 'r1' }, request.path === path ? 503 : 200),
  );

  const failed = await runCli(`${line} --retries 0 --strict`, { env });

  expect(failed.exitCode).toBe(5);
  expect(failed.stderr).toContain(
    'adreport run --metrics displays --period 2026-11-09 --strict -o it.csv\n',
  );
});
