import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal, parseWithSlashes, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

function folderWith(yaml: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'adreport.yaml'), yaml);
  return folder;
}

const two = `
defaults: {metrics: "displays, clicks", period: 2026-11-02..2026-11-03}
reports:
  daily: {by: [DAILY], output: "{report}-{since}.csv"}
  by-os: {by: OS, filter: "osId=1,2", output: out/os.json, since: 2026-11-01, until: 2026-11-01}
`;

async function requestsOf(cwd: string, words: string) {
  const { stdout, stderr, exitCode } = await runCli(`run --dry-run --json ${words}`, { cwd });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  return parseWithSlashes(stdout).requests;
}

describe('run NAME', () => {
  test('uses the keys of the report, then the defaults; a window replaces the default one completely', async () => {
    const cwd = folderWith(two);
    const [daily, os] = await requestsOf(cwd, '--all');
    const byDay = { metrics: 'displays,clicks', breakdowns: ['DAILY'] };

    expect(daily).toMatchObject({ body: byDay, output: 'daily-2026-11-02.csv' });

    const byOs = { since: 1793487600, until: 1793573999, osId: ['1', '2'] };

    expect(os).toMatchObject({ body: byOs, output: 'out/os.json' });
    expect(await requestsOf(cwd, 'by-os daily')).toEqual([os, daily]);
  });

  test('the file is found in a parent folder, or named; outputs are relative to it', async () => {
    const root = folderWith(two);
    const cwd = join(root, 'a/b');
    mkdirSync(cwd, { recursive: true });

    expect((await requestsOf(cwd, 'by-os'))[0].output).toBe('../../out/os.json');

    const [named] = await requestsOf(
      temporaryFolder(),
      `by-os --file ${join(root, 'adreport.yaml')}`,
    );

    expect(named.output).toMatch(/^\.\..*\/out\/os\.json$/);
  });

  test('defaults set the account and profile of every command; the environment takes precedence', async () => {
    const cwd = folderWith(
      'defaults: {profile: dsp, account: agency}\nreports: {d: {period: 2026-11-01, by: DAILY}}\n',
    );

    const whoami = async (env = {}) =>
      JSON.parse((await runCli('whoami --json', { cwd, env })).stdout);

    expect(await whoami()).toMatchObject({ account: 'agency', profile: 'dsp' });

    const other = { ADREPORT_ACCOUNT: 'other', ADREPORT_PROFILE: 'buyer' };

    expect(await whoami(other)).toMatchObject({ account: 'other', profile: 'buyer' });
    expect((await requestsOf(cwd, 'd'))[0].body.metrics).toBe('displays,revenueEuro,revenueDollar');
  });

  test('one that fails is named, and the others are fetched', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0, faults: ['status:failed:times=1'] });
    writeFileSync(join(cwd, 'adreport.yaml'), two);

    const result = await run('run --all --concurrency 1 --retries 0');

    expectRefusal(result, 6, 'daily failed: ');
    expect(Object.keys(result.files).sort()).toEqual(['adreport.yaml', 'out/os.json']);
  });
});

describe('mistakes are exit 2', () => {
  test.each([
    {
      report: '\n    by: DAILY\n    period: yesterdy',
      expected: /adreport\.yaml:5: Unknown period “yesterdy”/,
    },
    {
      report: '\n    profile: dsp\n    period: yesterday\n    metrics: displays, clicks',
      expected: /adreport\.yaml:6: Unknown metric “clicks”/,
    },
    {
      report: '\n    by: DAILY',
      typed: '--period yesterdy',
      expected: /^adreport: Unknown period “yesterdy”/,
    },
    {
      report: '\n    period: yesterday\n    output: out/',
      expected: /adreport\.yaml:5: -o out\/ is a folder name\./,
    },
  ])('$report $typed', async ({ report, typed = '', expected }) => {
    const cwd = folderWith(`# a comment\nreports:\n  a: ${report}\n`);
    expectRefusal(await runCli(`run a --local ${typed}`, { cwd }), 2, expected);
  });

  test('two reports of a run would have the same file', async () => {
    const report = '{period: 2026-11-01, output: "{report}.csv"}';
    const cwd = folderWith(`reports:\n  A/B: ${report}\n  A_B: ${report}\n  c: ${report}\n`);

    const refused = await runCli('run --all --dry-run', { cwd });
    expectRefusal(refused, 2, 'The reports A/B and A_B would both be written to A_B.csv.');
    expect(await requestsOf(cwd, 'c')).toHaveLength(1);
  });

  test('one in a report that is not run does not stop another one', async () => {
    const cwd = folderWith('reports:\n  a: {priod: today}\n  b: {period: 2026-11-01}\n');
    expect(await requestsOf(cwd, 'b')).toHaveLength(1);
    expectRefusal(await runCli('run a', { cwd }), 2, 'adreport.yaml:2: Unknown key “priod”');
  });

  test('one that stops is resumed into its own file', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 20_000 });
    const report = "{period: 2026-11-01, by: OS, output: '{report}.csv'}";
    writeFileSync(join(cwd, 'adreport.yaml'), `reports: {a: ${report}}\n`);

    expectRefusal(await run('run a --wait-timeout 3s'), 7, '-o a.csv\n');
  });

  test.each([
    { words: 'nightly', hint: 'no adreport.yaml in this folder' },
    { words: '--all', hint: 'adreport init' },
    { words: '--file nowhere.yaml x', hint: 'it does not exist' },
  ])('no file: run $words', async ({ words, hint }) => {
    expectRefusal(await runCli(`run ${words}`), 2, hint);
  });

  test.each([
    { words: '--all daily', hint: '--all cannot be used with' },
    { words: '--file adreport.yaml', hint: 'Choose from daily, by-os' },
    { words: '--all -o same.csv', hint: 'same.csv' },
    { words: '--all -o -', hint: 'stdout' },
  ])('run $words', async ({ words, hint }) => {
    expectRefusal(await runCli(`run ${words}`, { cwd: folderWith(two) }), 2, hint);
  });
});

test('init writes a file that runs unchanged, and does not replace one', async () => {
  const cwd = temporaryFolder();

  const written = await runCli('init', { cwd });
  expect(written).toMatchObject({ exitCode: 0, stdout: '' });
  expect(written.files['adreport.yaml']).not.toContain(cwd);

  const planned = await runCli('run --all --local --dry-run --json -q', { cwd });
  expect(JSON.parse(planned.stdout).requests).toHaveLength(32);
  // Four days are enough to see that nightly writes its files.
  await runCli('run nightly --local --period last-4d', { cwd });
  const result = await runCli('run weekly --local', { cwd });

  expect(result.exitCode).toBe(0);
  expect(Object.keys(result.files)).toHaveLength(1 + 4 + 2);
  expect(result.files['weekly/2026-11-09.html']).toMatch(/^<!doctype html>/i);
  expect(result.files['weekly/2026-11-09.xlsx']).toMatch(/^PK/);
  expectRefusal(
    await runCli('init', { cwd }),
    8,
    'adreport: adreport.yaml already exists and was not changed.',
  );
});
