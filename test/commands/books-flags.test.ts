import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { globalFlags } from '../../src/app/flags/global-flags.ts';
import { runFlags } from '../../src/app/flags/run-flags.ts';
import { savedKeys } from '../../src/app/saved-reports.ts';
import type { CliResult } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Every flag of `run` and every key of a saved report either decides what a file holds, or does not. */

/** What takes the place of a flag of the usual line, as it is typed. */
type Typed = Readonly<Record<string, string>>;

const usual: Typed = {
  by: '--by DAILY',
  period: '--period 2026-11-09..2026-11-15',
  split: '--split day',
  missing: '--missing',
  output: '-o data/{date}.csv',
};

/** With another value of one of these a file would hold something else. */
const deciding: Typed = {
  profile: '--profile dsp',
  metrics: '--metrics clicks',
  by: '--by DAILY,OS',
  breakdowns: '--breakdowns DAILY,OS',
  filter: '--filter osId=1',
  country: '--country FR',
  campaign: '--campaign *a*',
  adUnit: '--ad-unit *a*',
  advertiser: '--advertiser *a*',
  timezone: '--timezone Asia/Tokyo',
  windowClock: '--window-clock wall',
  compare: '--compare previous',
  split: '--split week',
  format: '--format ndjson',
  columns: '--columns date,displays',
  normalize: '--normalize',
  delimiter: '--delimiter ;',
  decimal: '--decimal ,',
  bom: '--bom',
  excel: '--excel',
  escapeFormulas: '--escape-formulas',
  header: '--no-header',
  account: '--account other',
  baseUrl: '--base-url http://localhost:9',
  local: '--local',
};

/** These decide how a run goes, which of the files it looks at, and what it prints. */
const indifferent: Typed = {
  period: '--period 2026-11-09..2026-11-10',
  since: '--since 2026-11-09',
  until: '--until 2026-11-10',
  direct: '--direct',
  fresh: '--fresh',
  strict: '--strict',
  title: '--title Other',
  open: '--open',
  clobber: '--no-clobber',
  concurrency: '--concurrency 2',
  lookback: '--lookback 0',
  refetch: '--refetch',
  shard: '--shard 1/2',
  waitTimeout: '--wait-timeout 5m',
  pollInterval: '--poll-interval 1s',
  encoding: '--encoding form',
  retries: '--retries 1',
  timeout: '--timeout 10s',
  json: '--json',
  quiet: '--quiet',
  verbose: '-vv',
  color: '--no-color',
  progress: '--progress none',
};

/** These name the files, decide whether the books are asked at all, or are refused for CSV. */
const elsewhere: readonly string[] = [
  'output',
  'missing',
  'books',
  'dryRun',
  'all',
  'file',
  'note',
  'logo',
];

function lineWith(changes: Typed): string {
  const flags = { ...usual, ...changes };
  const hasOwnWindow = 'since' in changes;
  const typed = Object.entries(flags).filter(([name]) => !hasOwnWindow || name !== 'period');
  return `run ${typed.map(([, text]) => text).join(' ')}`;
}

/** What the usual line becomes with one flag; a flag that needs another one has it beside. */
function lineWithFlag(name: string, text: string): string {
  if (name === 'breakdowns') return lineWith({ by: text });
  if (name === 'since' || name === 'until') {
    return lineWith({ since: indifferent.since ?? '', until: indifferent.until ?? '' });
  }
  return lineWith({ [name]: text });
}

test('every flag of run is placed on one of the sides', () => {
  const tables = [...runFlags, globalFlags].map(({ flags }) => Object.keys(flags));
  const placed = [...Object.keys(deciding), ...Object.keys(indifferent), ...elsewhere];

  expect(placed.sort()).toEqual([...new Set(tables.flat())].sort());
});

/** Whether files are refused as those of another request, or fetched again, by what `--dry-run --json` says. */
function isTaken({ exitCode, stdout, stderr }: CliResult): boolean {
  if (exitCode === 2) return !stderr.includes('OTHER_REQUEST');
  return exitCode !== 0 || JSON.parse(stdout).requests.length === 0;
}

test.each(['buyer', 'dsp'] as const)(
  '--missing takes no files of another request for its own (%s)',
  async (account) => {
    const { run } = await serveForTest({ delayMs: 0 }, account);
    const first = await run(`${lineWith({})} -q`);
    expect(first.exitCode, first.stderr).toBe(0);

    for (const [name, text] of Object.entries(deciding)) {
      // The zone is the one flag that only a DSP has.
      if ((name === 'timezone') !== (account === 'dsp')) continue;

      const result = await run(`${lineWithFlag(name, text)} --dry-run --json`);
      expect(isTaken(result), `${name}: ${result.stderr}`).toBe(false);
    }
  },
);

test('what does not decide what a file holds leaves nothing to fetch', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  expect((await run(`${lineWith({})} -q`)).exitCode).toBe(0);
  const calls = server.requests().length;

  for (const [name, text] of Object.entries(indifferent)) {
    const { exitCode, stderr } = await run(lineWithFlag(name, text));
    expect(exitCode, `${name}: ${stderr}`).toBe(0);
    expect(server.requests(), name).toHaveLength(calls);
  }
});

/** The key and the value of a flag as YAML. */
function yamlOf(text: string): string {
  const [, key = '', value = 'true'] = /^-{1,2}(\S+)(?: (.*))?$/.exec(text) ?? [];
  return `${key}: ${JSON.stringify(value === 'true' ? true : value)}`;
}

test('a key of a saved report is judged as its flag', async () => {
  const { run, cwd, server } = await serveForTest({ delayMs: 0 });
  const write = (changes: Typed): void => {
    const { output: _, ...settings } = { ...usual, ...changes };
    const withOwnWindow = 'since' in changes ? { ...settings, period: '' } : settings;
    const texts = Object.values(withOwnWindow).filter((text) => text !== '');
    const keys = [...texts.map(yamlOf), 'output: "data/{date}.csv"'];
    writeFileSync(join(cwd, 'adreport.yaml'), `reports:\n  r: {${keys.join(', ')}}\n`);
  };
  write({});
  expect(await run('run r -q')).toMatchObject({ exitCode: 0 });
  const calls = server.requests().length;

  const keys = savedKeys();
  const isKey = (text: string): boolean => keys.includes(/--(\S+)/.exec(text)?.[1] ?? '');
  let judged = 0;

  for (const [name, text] of Object.entries(deciding)) {
    // A zone is a DSP's, and the account of this test has no name.
    if (!isKey(text) || name === 'timezone' || name === 'account') continue;
    write(name === 'breakdowns' ? { by: text } : { [name]: text });
    const result = await run('run r --dry-run --json', {
      env: { ADREPORT_PROFILE: name === 'profile' ? undefined : 'buyer' },
    });
    expect(isTaken(result), `${name}: ${result.stderr}`).toBe(false);
    judged += 1;
  }

  for (const [name, text] of Object.entries(indifferent)) {
    if (!isKey(text)) continue;
    const isWindow = name === 'since' || name === 'until';
    const window = { since: indifferent.since ?? '', until: indifferent.until ?? '' };
    write(isWindow ? window : { [name]: text });
    const { exitCode, stderr } = await run('run r');
    expect(exitCode, `${name}: ${stderr}`).toBe(0);
    judged += 1;
  }

  expect(server.requests()).toHaveLength(calls);
  expect(judged).toBeGreaterThan(30);
});
