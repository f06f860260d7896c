import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What runs on any system, and behaves as on Windows. */
const onWindows = { platform: 'win32' } as const;

const day = ['run', '--period', '2026-11-18', '--by', 'CAMPAIGN'];

describe('a name that Windows cannot hold', () => {
  test.each([
    { name: 'what?.csv', why: 'it contains “?”' },
    { name: 'a<b>.csv', why: 'it contains “<”' },
    { name: 'data/a|b.csv', why: 'it contains “|”' },
    { name: 'x:y.csv', why: 'it contains “:”' },
    { name: 'report.csv:stream', why: 'it contains “:”' },
    { name: 'a\tb.csv', why: 'it contains “␉”' },
    { name: 'con.csv', why: '“con.csv” is the name of a device' },
    { name: 'data\\Lpt9.tar.gz', why: '“Lpt9.tar.gz” is the name of a device' },
    { name: 'nul', why: '“nul” is the name of a device' },
    { name: 'report.csv.', why: '“report.csv.” ends in a dot' },
    { name: 'a /report.csv', why: '“a ” ends in a blank' },
    { name: '{date}?.csv', why: '“2026-11-18?.csv” cannot be a file on Windows' },
    { name: '{report}/aux.{date}.csv', why: '“campaign/aux.2026-11-18.csv” cannot be a file' },
  ])('$name is refused before the order: $why', async ({ name, why }) => {
    const { server, run } = await serveForTest();

    const refused = await run([...day, '-o', name, '--format', 'csv'], onWindows);

    expectRefusal(refused, 2, why);
    expect(refused.stderr).toContain('on Windows');
    expect(refused.files).toEqual({});
    expect(server.requests()).toEqual([]);
  });

  test('of one part is refused for all, before the first order', async () => {
    const line = [...day, '--split', 'day', '--local', '-o', 'data?/{date}.csv'];
    expectRefusal(await runCli(line, onWindows), 2, '“data?/2026-11-18.csv”');
  });

  test.each([{ command: 'campaigns --local' }, { command: 'download 0123 --local' }])(
    'is refused by $command too',
    async ({ command }) => {
      expectRefusal(await runCli(`${command} -o con.csv`, onWindows), 2, 'the name of a device');
    },
  );

  test('is a file like any other elsewhere', async () => {
    const line = [...day, '--local', '--format', 'csv', '-o'];

    const { exitCode, files } = await runCli([...line, 'what?: {date}.'], { platform: 'linux' });

    expect(exitCode).toBe(0);
    expect(Object.keys(files)).toEqual(['what?: 2026-11-18.']);
  });
});
