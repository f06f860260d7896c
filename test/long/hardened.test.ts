import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { expectRefusal, interruption, runCli, temporaryFolder } from '../support/run-cli.ts';
import { spawnCli, startCli } from '../support/spawn.ts';

/** Hostile input that once hung the program, or that a shell could have run. */

const onWindows = process.platform === 'win32';

describe.skipIf(onWindows)('signals end a table of endless rows', () => {
  function* endless(): Generator<string> {
    yield 'date,campaignName,clicks\n';
    for (let i = 0; ; i++) yield `2026-11-01,Campaign ${i % 100},1\n`.repeat(1_000);
  }

  test.each([
    { line: 'view -', signals: ['SIGINT'] },
    { line: 'view -', signals: ['SIGINT', 'SIGINT'] },
    { line: 'view - --format table', signals: ['SIGINT', 'SIGINT'] },
  ] as const)('$line: $signals', { timeout: 30_000 }, async ({ line, signals }) => {
    const stdin = Readable.from(endless());
    const { child, ended } = startCli(line, { stdin });
    // It has read more than fits into the pipe.
    let sentBytes = 0;
    stdin.on('data', (text: string) => {
      const before = sentBytes;
      sentBytes += text.length;
      if (before < 5_000_000 && sentBytes >= 5_000_000)
        for (const signal of signals) child.kill(signal);
    });
    const { exitCode, signal } = await ended;
    stdin.destroy();

    expect([130, 'SIGINT']).toContain(exitCode ?? signal);
  });
});

test.skipIf(onWindows)(
  'the curl line of a token with shell characters runs no other command',
  async () => {
    const cwd = temporaryFolder();
    const wild = "x';touch${IFS}ran;'$(touch${IFS}ran)`touch${IFS}ran`";
    await runCli(['local-server', 'export', 'data', '--period', '2026-10-09'], { cwd });
    const file = join(cwd, 'data', 'accounts.json');
    const accounts = JSON.parse(readFileSync(file, 'utf8'));
    accounts[0].token = wild;
    writeFileSync(file, JSON.stringify(accounts));
    const { signal, send } = interruption(130);
    const onOutput = (text: string): void => void (text.includes('Press Ctrl-C to stop') && send());

    const { exitCode, stderr } = await runCli('local-server --port 0 --fixtures data', {
      cwd,
      signal,
      onOutput,
    });

    expect(exitCode).toBe(0);

    const [, line = ''] = /Try: (curl .*)/.exec(stderr) ?? [];

    const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`], {
      cwd,
      encoding: 'utf8',
    });

    expect(stdout.split('\n').slice(0, 2)).toEqual(['-H', `Authorization: ${wild}`]);
    expect(readdirSync(cwd)).not.toContain('ran');
  },
);

test('a damaged Parquet page that would make hyparquet loop forever is exit 9', async () => {
  const file = join(temporaryFolder(), 'report.parquet');
  const run = `run --local --direct --period 2026-11-01..2026-11-09 --by DAILY,COUNTRY -q -o ${file}`;

  expect(await runCli(run)).toMatchObject({ exitCode: 0 });

  const bytes = readFileSync(file);

  // With the type of its second field changed, this header has no lengths of its levels, and
  // hyparquet never ends.
  const at = bytes.indexOf(0x5c);

  expect(at).toBeGreaterThan(4);

  bytes[at + 1] = 0x03;
  writeFileSync(file, bytes);

  expectRefusal(await spawnCli(['view', file]), 9, 'takes too long to decode');
});
