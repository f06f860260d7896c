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

test('escapes of adreport.yaml are visible in --dry-run', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'adreport.yaml'), 'reports:\n  "a\\e[31m": { period: 2026-11-09, output: "x\\e[2J.csv" }\n');
  const { exitCode, stdout } = await runCli('run --all --local --dry-run', { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('␛[31m');
});
