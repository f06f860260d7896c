import { describe, expect, test } from 'vitest';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const run = 'run --local --period 2026-11-09 --dry-run';

async function bodyOf(flags: string) {
  const { exitCode, stdout } = await runCli(`${run} --json ${flags}`);
  expect(exitCode).toBe(0);
  return JSON.parse(stdout).requests[0].body;
}

test.each([
  {
    line: `${run} --poll-interval 50ms`,
    says: 'Invalid --poll-interval “50ms”.\n  The minimum is 100ms.',
  },
  {
    line: `${run} --since -2d --since -3d`,
    says: '--since takes one value, but got “-2d” and “-3d”.',
  },
  { line: 'campaigns --local -o a.csv -o b.csv', says: 'Remove one of them.' },
  {
    line: `${run} --excel -o a.json`,
    says: '--excel cannot be used with json.\n  Write csv, or remove --excel.',
  },
  { line: `${run} --base-url http://x`, says: '--base-url cannot be used with --local.' },
  { line: `${run} --poll-interval`, says: '--poll-interval needs a value.' },
  { line: 'report --local', says: 'Unknown flag --local.\n  See: adreport report --help-all' },
  { line: 'report lst', says: 'Unknown command “report lst”.\n  Did you mean list?' },
  { line: 'export', says: 'Did you mean adreport local-server export?' },
  { line: `${run} --foo`, says: 'Unknown flag --foo.\n  See: adreport run --help-all' },
  { line: 'status', says: 'Missing argument <id>.\n  Usage: adreport status' },
  { line: 'status a b', says: 'adreport status takes 1 argument, not 2.\n  Remove “b”' },
  { line: 'completion tcsh', says: 'Unknown shell “tcsh”.\n  Choose from bash, zsh' },
  { line: `${run} --poll-interval 5`, says: 'Use a number with a unit' },
  { line: 'local-server --seed 20261101', says: 'The maximum is 999999.' },
])('$line is exit 2 with a correction', async ({ line, says }) => {
  expectRefusal(await runCli(line), 2, says);
});

test.each([
  { line: 'run --bogus --json', says: 'Unknown flag --bogus.' },
  { line: '--json --bogus', says: 'Unknown flag --bogus.' },
  { line: 'bogus --json', says: 'Unknown command “bogus”.' },
  { line: 'run --json --since', says: '--since needs a value.' },
])('$line: an error before the flags are known is one line of JSON on stderr', async (row) => {
  const { stdout, stderr, exitCode } = await runCli(row.line);

  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'USAGE',
      message: expect.stringContaining(row.says),
      hint: expect.any(String),
      retryable: false,
      exitCode: 2,
      reportId: null,
    },
  });
});

test('--json after -- belongs to the other program', async () => {
  const { stderr } = await runCli('local-server exec --bogus -- curl --json');

  expect(stderr).toMatch(/^adreport: Unknown flag --bogus\.\n/);
});

const midnight = Date.UTC(2026, 10, 9) / 1_000;

test.each([
  {
    flags: '--country FR,germany --country 3175395',
    body: { countryId: ['3017382', '2921044', '3175395'] },
  },
  { flags: '--by OS', body: { since: midnight - 3_600, until: midnight + 86_399 - 3_600 } },
  // The digits of the wall time, as if they were UTC.
  { flags: '--window-clock wall', body: { since: midnight, until: midnight + 86_399 } },
])('$flags requests $body', async ({ flags, body }) => {
  expect(await bodyOf(flags)).toMatchObject(body);
});

test('a flag may repeat its value, and lists add up', async () => {
  const twice = `${run} --json --format csv --format csv --by OS --by CITY --metrics clicks`;

  expect((await runCli(twice)).exitCode).toBe(0);
  expect((await bodyOf('--by OS --by CITY')).breakdowns).toEqual(['OS', 'CITY']);
});

test('--poll-interval: a fixed pause between calls', async () => {
  const { run: runHere } = await serveForTest({ polls: 4 });
  const pausesMs: number[] = [];

  const { exitCode } = await runHere('run --period 2026-11-09 --poll-interval 7s -q', {
    onSleep: (durationMs) => void pausesMs.push(durationMs),
  });

  expect({ exitCode, pausesMs }).toEqual({ exitCode: 0, pausesMs: [7_000, 7_000, 7_000] });
});

describe('--campaign, --ad-unit and --advertiser', () => {
  test('are resolved to ids, in the dry run and in the request', async () => {
    const { run: runHere } = await serveForTest({ delayMs: 0 });
    const listed = await runHere('campaigns --format json');
    const [{ campaignId: id }] = JSON.parse(listed.stdout);
    const byDay = 'run --period 2024-10-24..2024-10-31 --by DAILY --metrics displays';
    const byName = `${byDay} --campaign "fil ROUGE*"`;

    const dry = await runHere(`${byName} --dry-run`);

    expect(dry.stdout).toContain(`"campaignId":["${id}"]`);
    expect(dry.stderr).toContain(`(${id})`);

    const byId = await runHere(`${byDay} --filter campaignId=${id}`);

    expect((await runHere(byName)).stdout).toBe(byId.stdout);
    expect((await runHere(`${byDay} --campaign ${id}`)).stdout).toBe(byId.stdout);
  });

  test('--advertiser is for an admin', async () => {
    const { run: runHere } = await serveForTest({ delayMs: 0 }, 'admin');
    const line = `run --period 2026-11-09 --by ADVERTISER --metrics displays --format csv`;

    const { stdout } = await runHere(`${line} --advertiser "café*"`);

    expect(stdout.split('\r\n')).toHaveLength(3);
    expect(stdout).toContain('Café Déjà Vu');
  });

  test.each([
    { flag: '--ad-unit', name: 'Nowhere', says: 'No ad unit matches “Nowhere”', calls: 1 },
    { flag: '--campaign', name: 'Polrlicht*', says: 'Polarlicht', calls: 1 },
    { flag: '--campaign', name: '', says: 'Pass at least one value', calls: 0 },
  ])(
    '$flag $name is exit 2, with the nearest name or before any call',
    async ({ flag, name, says, calls }) => {
      const { run: runHere, server } = await serveForTest();

      expectRefusal(await runHere(['run', '--period', '2026-11-09', flag, name]), 2, says);
      expect(server.requests()).toHaveLength(calls);
    },
  );
});
