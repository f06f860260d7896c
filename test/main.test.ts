import { expect, test } from 'vitest';
import { runCli } from './support/run-cli.ts';

test('a question on a terminal whose input has ended is given up, like with Ctrl-C', async () => {
  const { exitCode, stdout, stderr } = await runCli(['login'], { tty: true });
  expect([exitCode, stdout]).toEqual([130, '']);
  expect(stderr).toContain('Base URL of the service:');
});
