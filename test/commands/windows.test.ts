import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Behavior on Windows that can be tested on any system. */
const onWindows = { platform: 'win32' } as const;

const day = ['run', '--period', '2026-11-18', '--by', 'CAMPAIGN'];

describe('a name that Windows cannot hold', () => {
  test.each([
    { name: 'what?.csv', why: 'it contains “?”' },
    { name: 'x:y.csv', why: 'it contains “:”' },
    { name: 'con.csv', why: '“con.csv” is the name of a device' },
    { name: 'data\\Lpt9.tar.gz', why: '“Lpt9.tar.gz” is the name of a device' },
    { name: 'a /report.csv', why: '“a ” ends in a space' },
    { name: '{date}?.csv', why: '“2026-11-18?.csv” is not a valid file name on Windows' },
  ])('$name is refused before the order: $why', async ({ name, why }) => {
    const { server, run } = await serveForTest();

    const refused = await run([...day, '-o', name, '--format', 'csv'], onWindows);

    expectRefusal(refused, 2, why);
    expect(refused.stderr).toContain('on Windows');
    expect(refused.files).toEqual({});
    expect(server.requests()).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('is valid on other systems', async () => {
    const line = [...day, '--local', '--format', 'csv', '-o'];

    const { exitCode, files } = await runCli([...line, 'what?: {date}.'], { platform: 'linux' });

    expect(exitCode).toBe(0);
    expect(Object.keys(files)).toEqual(['what?: 2026-11-18.']);
  });
});

describe('a printed command has the quotes of the platform', () => {
  test('that continues with a report', async () => {
    const { run } = await serveForTest({ manual: true });
    const line = [...day, '--wait-timeout', '5s', '-o', 'my data/{date}.csv'];

    const onLinux = await run(line, { platform: 'linux' });
    const elsewhere = await run(line, onWindows);

    expect(onLinux.stderr).toContain(`-o 'my data/{date}.csv'`);
    expect(elsewhere.stderr).toContain('-o "my data/{date}.csv"');
    expect(elsewhere.stderr).not.toContain(`'my data`);
  });

  test('that updates a folder', async () => {
    const cwd = temporaryFolder();
    const line = [...day, '--split', 'day', '--local', '-o', 'my data/{date}.csv'];
    await runCli(line, { cwd });
    rmSync(join(cwd, 'my data/2026-11-18.csv'));

    const { stdout } = await runCli(['check', 'my data'], { cwd, ...onWindows });

    expect(stdout).toContain('adreport update "my data"');
  });

  test('that curl makes', async () => {
    const { stdout } = await runCli([...day, '--local', '--dry-run'], onWindows);

    expect(stdout).toContain('-H "Authorization: %ADREPORT_TOKEN%" -H "Accept: application/json"');
    expect(stdout).toMatch(/--data-raw "\{""since"":\d+/);
    expect(stdout).not.toContain("'");
  });

  test('of an example', async () => {
    const { stdout } = await runCli('run --help', onWindows);
    expect(stdout).toContain('-o "daily/{date}.csv"');
  });
});
