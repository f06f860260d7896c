import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres, isInstalled, pathWithAdreport, startPostgres } from '../support/programs.ts';
import { serveForTest } from '../support/service.ts';
import { runToEnd, start } from '../support/spawn.ts';

/** The recipes as they are printed, under the programs that they are for. */

const recipes = resolve(import.meta.dirname, '../recipes');
const recipeOf = (name: string): string => readFileSync(join(recipes, name), 'utf8');

/** Runs a test where its programs are installed, and says why where it does not. */
function testWith(what: string, missing: string | false, run: () => Promise<void>): void {
  if (missing) console.log(`Skipped: ${what} (${missing})`);
  test.skipIf(missing)(what, run);
}

const without = (program: string): string | false => !isInstalled(program) && `no ${program}`;

/** A server, and shell lines with \`adreport\` on their path and its e-mail and password in their environment. */
async function settle(more: Readonly<Record<string, string>> = {}) {
  const { server, cwd } = await serveForTest({ delayMs: 0, clock: Date.now });
  const [{ email = '', password = '' } = {}] = server.accounts;
  const signIn = {
    ADREPORT_BASE_URL: server.url,
    ADREPORT_EMAIL: email,
    ADREPORT_PASSWORD: password,
  };
  const env = { PATH: pathWithAdreport(), ...signIn, ...more };
  return {
    server,
    cwd,
    env,
    shell: (line: string) => start('sh', ['-c', line], { cwd, env }).ended,
  };
}
type Settled = Awaited<ReturnType<typeof settle>>;

/** Fetches five days, and gives the sum of their displays. */
async function fetchDays({ shell, cwd }: Settled): Promise<number> {
  const line =
    "adreport run --period 2024-10-25..2024-10-29 --by CAMPAIGN --split day -o 'data/date={date}/part.csv'";
  expect((await shell(line)).stderr).toContain('Wrote');
  const files = readdirSync(join(cwd, 'data')).map((day) =>
    readFileSync(join(cwd, 'data', day, 'part.csv'), 'utf8'),
  );
  const rows = files.flatMap((text) => text.trimEnd().split('\r\n').slice(1));
  // The last columns are the metrics: requests, displays, clicks …
  return rows.reduce((sum, row) => sum + Number(row.split(',').at(-8)), 0);
}

describe('cron', () => {
  const noCron = !existsSync('/usr/sbin/cron') ? 'no cron' : process.getuid?.() !== 0 && 'not root';

  testWith('the crontab line keeps a folder complete under the real daemon', noCron, async () => {
    const { server, cwd, env } = await settle();
    const out = join(cwd, 'reports');
    const crontab = recipeOf('crontab')
      .replace(/^PATH=.*$/m, `PATH=${env.PATH}\nADREPORT_CONFIG_DIR=${cwd}/settings`)
      .replace(/^ADREPORT_BASE_URL=.*$/m, `ADREPORT_BASE_URL=${server.url}`)
      .replace('me@example.com', 'buyer@example.com')
      .replace('secret', 'demo')
      .replace('15 6 * * *', '* * * * * root')
      .replaceAll('/tmp/adreport.lock', join(cwd, 'lock'))
      .replaceAll('/srv/reports', out);
    const file = `/etc/cron.d/adreport-test-${process.pid}`;
    mkdirSync(out);
    writeFileSync(file, crontab, { mode: 0o644 });
    onTestFinished(() => rmSync(file, { force: true }));
    // Where the system's own is running, this one ends at once, and that one does the work.
    const daemon = spawn('/usr/sbin/cron', ['-f'], { stdio: 'ignore' });
    onTestFinished(() => void daemon.kill());
    await expect
      .poll(() => readdirSync(out), { timeout: 150_000, interval: 1_000 })
      .toHaveLength(30);
    expect(readdirSync(out)).toContain(
      `date=${new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10)}`,
    );
  });

  testWith('flock: a run that still goes on keeps the next one out', without('flock'), async () => {
    const { server, cwd, shell } = await settle();
    const [line = ''] = /flock -n \/tmp\/adreport\.lock.*$/m.exec(recipeOf('crontab')) ?? [];
    const here = line.replace('/tmp/adreport.lock', 'lock').replace('/srv/reports', 'reports');
    const held = await shell(
      `exec 9>lock; flock 9; ${here.replace('flock -n', 'flock -n -E 9')} 9>&-`,
    );
    expect(held.exitCode).toBe(9);
    expect(server.requests()).toEqual([]);
    expect((await shell(here)).exitCode).toBe(0);
    expect(readdirSync(join(cwd, 'reports'))).toHaveLength(30);
  });
});

testWith('systemd: the timer and its service are sound', without('systemd-analyze'), async () => {
  const { cwd, shell } = await settle();
  const units = ['adreport.service', 'adreport.timer'];
  for (const unit of units)
    writeFileSync(join(cwd, unit), recipeOf(unit).replace('/usr/local/bin/adreport', '/bin/true'));
  const { exitCode, stderr } = await shell(
    `systemd-analyze verify ${units.map((unit) => join(cwd, unit)).join(' ')}`,
  );
  const about = stderr.split('\n').filter((line) => line.includes('adreport'));
  expect({ exitCode, about }).toEqual({ exitCode: 0, about: [] });
});

describe('databases', () => {
  const sums = 'select count(*), count(distinct date), sum(displays) from campaign_days';

  /** Loads days twice, with a download that fails in between: no row comes twice, and none is lost. */
  async function loadTwice(settled: Settled, recipe: string, query: string): Promise<void> {
    const { server, shell } = settled;
    const load = async (window: string) =>
      (await shell(`${recipes}/databases.sh ${recipe} ${window}`)).exitCode;
    const sum = async () => (await shell(query)).stdout.trim().split('|');
    const days = '2024-10-25 2024-10-29';
    expect(await load(days)).toBe(0);
    const loaded = await sum();
    expect(loaded.slice(1)).toEqual(['5', String(await fetchDays(settled))]);
    server.fault('download:truncate:bytes=200');
    expect(await load(days)).toBe(9);
    expect(await sum()).toEqual(loaded);
    server.reset();
    for (const window of [days, '2024-10-29 2024-10-30']) expect(await load(window)).toBe(0);
    expect((await sum())[1]).toBe('6');
    expect(await load(days)).toBe(0);
  }

  testWith(
    'PostgreSQL: the days of a report, again and again',
    !hasPostgres && 'no postgresql',
    async () => loadTwice(await settle(startPostgres()), 'to_postgres', `psql -qAt -c '${sums}'`),
  );

  testWith('SQLite: the days of a report, again and again', without('sqlite3'), async () =>
    loadTwice(await settle(), 'to_sqlite reports.db', `sqlite3 reports.db '${sums}'`),
  );

  testWith('DuckDB reads the folder as it stands', without('duckdb'), async () => {
    const settled = await settle();
    const displays = await fetchDays(settled);
    const { stdout, stderr } = await settled.shell(`${recipes}/databases.sh with_duckdb data`);
    expect(stderr).toBe('');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('date,displays');
    expect(rows.map((row) => row.split(',')[0])).toEqual(
      [25, 26, 27, 28, 29].map((day) => `2024-10-${day}`),
    );
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[1]), 0)).toBe(displays);
  });
});

testWith('Airflow’s file is Python', without('python3'), async () => {
  const compile = `compile(open('${join(recipes, 'airflow.py')}').read(), 'airflow.py', 'exec')`;
  expect(runToEnd('python3', ['-c', compile])).toMatchObject({ status: 0, stderr: '' });
});
