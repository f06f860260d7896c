import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/run-cli.ts';
import { startCli } from '../support/spawn.ts';

test.skipIf(process.platform === 'win32').each([
  { signal: 'SIGTERM', exitCode: 143 },
  { signal: 'SIGINT', exitCode: 130 },
] as const)(
  'view of a named pipe that nobody writes to ends on the first $signal',
  async ({ signal, exitCode }) => {
    const cwd = temporaryFolder();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const { child, ended } = startCli('view pipe', { cwd });
    await new Promise((resolve) => setTimeout(resolve, 700));

    child.kill(signal);

    expect(await ended).toMatchObject({ exitCode });
  },
);
