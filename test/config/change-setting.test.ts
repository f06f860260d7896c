import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

test('what is not stored is not taken back, and that is said', async () => {
  const cwd = temporaryFolder();
  const config = (...argv: string[]) => runCli(['config', ...argv], { cwd });
  await config('set', 'base-url', 'https://reports.example.com');
  await config('unset', 'account');
  const stored = () => readFileSync(join(cwd, '.config', 'settings.json'), 'utf8');
  const before = stored();
  expect(await config('unset', 'account')).toMatchObject({ exitCode: 0, stderr: 'No default account was stored.\n' });
  expect(await config('unset', 'profile')).toMatchObject({
    exitCode: 0,
    stderr: 'No profile of account “default” was stored.\n',
  });
  expect(stored()).toBe(before);
});
