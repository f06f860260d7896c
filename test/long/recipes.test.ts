import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '../../src/server/start.ts';
import { hasPostgres, installInto, isInstalled, startPostgres } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** The recipes as they are printed, under the programs that they are for. */

const root = resolve(import.meta.dirname, '../..');
const recipes = join(root, 'test/recipes');

/** Runs a test where its programs are installed, and says why where it does not. */
function testWith(what: string, missing: string | undefined, run: () => Promise<void>): void {
  if (missing !== undefined) console.log(`Skipped: ${what} (${missing})`);
  test.skipIf(missing !== undefined)(what, run);
}

async function serve(options: LocalServerOptions = {}): Promise<LocalServer> {
  const server = await startLocalServer({ delayMs: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A folder with `adreport` in it, as an install leaves it on the path. */
function installed(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  installInto(folder);
  return folder;
}

function environment(server: LocalServer, folder: string): Record<string, string> {
  const [account] = server.accounts;
  return {
    PATH: `${folder}:${process.env.PATH}`,
    ADREPORT_BASE_URL: server.url,
    ADREPORT_EMAIL: account?.email ?? '',
    ADREPORT_PASSWORD: account?.password ?? '',
    ADREPORT_CONFIG_DIR: join(folder, 'settings'),
  };
}

/** Runs a shell line to its end while the server of this process answers. */
function shell(line: string, options: { env: Record<string, string>; cwd: string }) {
  const child = spawn('sh', ['-c', line], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (piece) => {
    stdout += piece;
  });
  child.stderr.on('data', (piece) => {
    stderr += piece;
  });
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((done) => {
    child.on('close', (status) => done({ status, stdout, stderr }));
  });
}

async function fetchDays(env: Record<string, string>, cwd: string): Promise<void> {
  const line = "adreport run --period 2024-10-25..2024-10-29 --by CAMPAIGN --split day -o 'data/date={date}/part.csv'";
  expect((await shell(line, { env, cwd })).stderr).toContain('Wrote');
}

function displaysOf(cwd: string): number {
  const files = readdirSync(join(cwd, 'data')).map((day) => readFileSync(join(cwd, 'data', day, 'part.csv'), 'utf8'));
  const rows = files.flatMap((text) => text.trimEnd().split('\r\n').slice(1));
  // The last columns are the metrics: requests, displays, clicks …
  return rows.reduce((sum, row) => sum + Number(row.split(',').at(-8)), 0);
}

describe('cron', () => {
  const noCron = !existsSync('/usr/sbin/cron') ? 'no cron' : process.getuid?.() !== 0 ? 'not root' : undefined;

  testWith('the crontab line keeps a folder complete under the real daemon', noCron, async () => {
    const server = await serve();
    const folder = installed();
    const out = join(folder, 'reports');
    const crontab = readFileSync(join(recipes, 'crontab'), 'utf8')
      .replace(/^PATH=.*$/m, `PATH=${folder}:/usr/bin:/bin\nADREPORT_CONFIG_DIR=${folder}/settings`)
      .replace(/^ADREPORT_BASE_URL=.*$/m, `ADREPORT_BASE_URL=${server.url}`)
      .replace('me@example.com', 'buyer@example.com')
      .replace('secret', 'demo')
      .replace('15 6 * * *', '* * * * * root')
      .replaceAll('/tmp/adreport.lock', join(folder, 'lock'))
      .replaceAll('/srv/reports', out);
    const file = `/etc/cron.d/adreport-test-${process.pid}`;
    mkdirSync(out);
    writeFileSync(file, crontab, { mode: 0o644 });
    onTestFinished(() => rmSync(file, { force: true }));
    // Where the system's own is running, this one ends at once, and that one does the work.
    const daemon = spawn('/usr/sbin/cron', ['-f'], { stdio: 'ignore' });
    onTestFinished(() => void daemon.kill());
    for (let seconds = 0; seconds < 150 && readdirSync(out).length < 30; seconds++) await sleep(1_000);
    expect(readdirSync(out)).toHaveLength(30);
    expect(readdirSync(out)).toContain(`date=${new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10)}`);
  });

  testWith(
    'flock: a run that still goes on keeps the next one out',
    isInstalled('flock') ? undefined : 'no flock',
    async () => {
      const server = await serve();
      const folder = installed();
      const env = environment(server, folder);
      const line = /flock -n \/tmp\/adreport\.lock.*$/m.exec(readFileSync(join(recipes, 'crontab'), 'utf8'))?.[0] ?? '';
      const here = line.replace('/tmp/adreport.lock', 'lock').replace('/srv/reports', 'reports');
      const held = await shell(`exec 9>lock; flock 9; ${here.replace('flock -n', 'flock -n -E 9')} 9>&-`, {
        env,
        cwd: folder,
      });
      expect(held.status).toBe(9);
      expect(server.requests()).toEqual([]);
      expect((await shell(here, { env, cwd: folder })).status).toBe(0);
      expect(readdirSync(join(folder, 'reports'))).toHaveLength(30);
    },
  );
});

describe('systemd', () => {
  testWith(
    'the timer and its service are sound',
    isInstalled('systemd-analyze') ? undefined : 'no systemd-analyze',
    async () => {
      const folder = installed();
      const units = ['adreport.service', 'adreport.timer'];
      for (const unit of units) {
        const text = readFileSync(join(recipes, unit), 'utf8').replace('/usr/local/bin/adreport', `${folder}/adreport`);
        writeFileSync(join(folder, unit), text);
      }
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))], {
        encoding: 'utf8',
      });
      const about = stderr.split('\n').filter((line) => line.includes('adreport'));
      expect({ status, about }).toEqual({ status: 0, about: [] });
    },
  );
});

describe('databases', () => {
  /** Loads days twice, with a download that fails in between: no row comes twice, and none is lost. */
  async function loadTwice(what: {
    readonly load: string;
    readonly sum: string;
    readonly env: Record<string, string>;
    readonly folder: string;
    readonly server: LocalServer;
  }): Promise<void> {
    const { load, sum, env, folder, server } = what;
    const run = (line: string) => shell(line, { env, cwd: folder });
    const days = '2024-10-25 2024-10-29';
    expect(await run(`${load} ${days}`)).toMatchObject({ status: 0 });
    const loaded = (await run(sum)).stdout;
    await fetchDays(env, folder);
    expect(loaded.trim().split('|').slice(1)).toEqual(['5', String(displaysOf(folder))]);
    server.fault('download:truncate:bytes=200');
    expect((await run(`${load} ${days}`)).status).toBe(9);
    expect((await run(sum)).stdout).toBe(loaded);
    server.reset();
    for (const window of [days, '2024-10-29 2024-10-30']) expect((await run(`${load} ${window}`)).status).toBe(0);
    expect((await run(sum)).stdout.trim().split('|')[1]).toBe('6');
    expect((await run(`${load} ${days}`)).status).toBe(0);
  }

  testWith('PostgreSQL: the days of a report, again and again', hasPostgres ? undefined : 'no postgresql', async () => {
    const server = await serve();
    const folder = installed();
    const env = { ...environment(server, folder), ...startPostgres() };
    await loadTwice({
      load: `${recipes}/databases.sh to_postgres`,
      sum: "psql -qAt -c 'select count(*), count(distinct date), sum(displays) from campaign_days'",
      env,
      folder,
      server,
    });
  });

  testWith(
    'SQLite: the days of a report, again and again',
    isInstalled('sqlite3') ? undefined : 'no sqlite3',
    async () => {
      const server = await serve();
      const folder = installed();
      await loadTwice({
        load: `${recipes}/databases.sh to_sqlite reports.db`,
        sum: "sqlite3 reports.db 'select count(*), count(distinct date), sum(displays) from campaign_days'",
        env: environment(server, folder),
        folder,
        server,
      });
    },
  );

  testWith('DuckDB reads the folder as it stands', isInstalled('duckdb') ? undefined : 'no duckdb', async () => {
    const server = await serve();
    const folder = installed();
    const env = environment(server, folder);
    await fetchDays(env, folder);
    const { stdout, stderr } = await shell(`${recipes}/databases.sh with_duckdb data`, { env, cwd: folder });
    expect(stderr).toBe('');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe('date,displays');
    expect(rows.map((row) => row.split(',')[0])).toEqual([25, 26, 27, 28, 29].map((day) => `2024-10-${day}`));
    expect(rows.reduce((sum, row) => sum + Number(row.split(',')[1]), 0)).toBe(displaysOf(folder));
  });
});

test('Airflow’s file is Python', { skip: !isInstalled('python3') }, () => {
  const folder = temporaryFolder();
  const copy = join(folder, 'airflow.py');
  cpSync(join(recipes, 'airflow.py'), copy);
  expect(spawnSync('python3', ['-m', 'py_compile', copy], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});
