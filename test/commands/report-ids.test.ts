import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/** Report ids are the service's own: whatever they hold, what is said can be read and run. */

test.each([
  ['a line break', 'a\nb "c"', '\\n'],
  ['a dash in front', '-rf', ' -- -rf'],
])('%s: the resume command leads back to the id', async (_name, id, visible) => {
  const { env } = await serve((_request, response) => json(response, { status: 'progress', report_id: id }));
  const result = await runCli('run --period 2026-11-09 --wait-timeout 1s -q', { env });
  expect(result.exitCode).toBe(7);
  expect(result.stderr).toContain(visible);
  expect(result.stderr).not.toContain('a\nb');
  const [, command = ''] = /Go on with: (.*?) && /.exec(result.stderr) ?? [];
  const script = `adreport() { printf '%s\\0' "$@"; }; ${command}`;
  const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stdout.split('\0')).toContain(id);
});

test.each([
  '{"id": 12345678901234567890}',
  '12345678901234567890',
  '{"response":{"note":"1\\"2","report_id":12345678901234567890}}',
])('a number with more digits than a number holds: %s', async (text) => {
  const { env, received } = await serve(({ path }, response) => {
    if (path === '/buyer-reporting') response.end(text);
    else json(response, path === '/status-reporting' ? { status: 'ready' } : { data: [{ displays: 7 }] });
  });
  const result = await runCli('run --period 2026-11-09 --metrics displays --format ndjson', { env });
  expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
  const asked = received.filter(({ path }) => path !== '/buyer-reporting').map(({ body }) => JSON.parse(body));
  expect(asked).toEqual([{ id: '12345678901234567890' }, { id: '12345678901234567890' }]);
});

test('report create hands on data that it did not ask for, and says that there is no id', async () => {
  const { env } = await serve((_request, response) => json(response, { data: [{ displays: 7 }] }));
  const line = 'report create --period 2026-11-09 --metrics displays --format ndjson';
  const result = await runCli(line, { env });
  expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n' });
  expect(result.stderr).toContain('there is no report id');
});

test('escapes of adreport.yaml are visible in --dry-run', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'adreport.yaml'), 'reports:\n  "a\\e[31m": { period: 2026-11-09, output: "x\\e[2J.csv" }\n');
  const { exitCode, stdout } = await runCli('run --all --local --dry-run', { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('␛[31m');
});
