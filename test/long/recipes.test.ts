import { spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../../src/index.ts';
import { startLocalServer } from '../../src/local-server.ts';
import type { LocalServer } from '../../src/server/start.ts';
import { type CodeBlock, findCodeBlock, readCodeBlocks } from '../support/code-blocks.ts';
import {
  daysIn,
  hasDuckDb,
  isInstalled,
  openDuckDb,
  pathWithAdreport,
} from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { startSlurm, whySlurmCannotRun } from '../support/slurm.ts';
import { runToEnd, start } from '../support/spawn.ts';

/**
 * Runs the code blocks of the topics, other than single lines, with their programs. If such a
 * program cannot run here, a parser of its format reads the block, and its command runs alone.
 */

const root = resolve(import.meta.dirname, '../..');
const toolFolder = join(process.env.ADREPORT_TOOLS ?? '', 'node_modules');
const hasTool = (name: string): boolean => existsSync(join(toolFolder, name));

const tested = new Set<string>();
const keyOf = ({ topic, heading, language }: Omit<CodeBlock, 'text'>): string =>
  `${topic} / ${heading} / ${language}`;

/** Returns the text of a block, which then counts as tested. */
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

/** Returns a Python that has these modules. Debian's packages are those of the second one. */
function findPython(modules: string): string | undefined {
  return ['python3', '/usr/bin/python3'].find(
    (python) =>
      isInstalled('python3') && runToEnd(python, ['-c', `import ${modules}`], root).status === 0,
  );
}

/**
 * Starts a server. `shell` runs lines in a folder that find `adreport` and sign in with e-mail and
 * password.
 */
async function openPlace(more: Readonly<Record<string, string>> = {}) {
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

  const shell = (line: string) => start('bash', ['-c', line], { cwd, env }).ended;
  return { server, cwd, env, shell };
}

/** Fills the folder `data` with thirty days. */
const fillData =
  "adreport run --since -30d --by CAMPAIGN --split day --lookback 3 -q -o 'data/{date}.csv'";

/** Counts the reports that were requested from a server. */
const countReports = (server: LocalServer): number =>
  server.requests().filter(({ endpoint }) => endpoint === 'buyer').length;

/** Names of the files of October, one per day. */
const october = Array.from(
  { length: 31 },
  (_, index) => `2026-10-${String(index + 1).padStart(2, '0')}.csv`,
);

describe('cron', () => {
  const crontab = findCodeBlock(
    'folders',
    'Folders: one file per day, complete and current',
    'crontab',
  ).text;
  const noCron = !existsSync('/usr/sbin/cron') ? 'no cron' : process.getuid?.() !== 0 && 'not root';

  testWith('keeps a folder complete under the real daemon', noCron, async () => {
    const { cwd, env, shell } = await openPlace();
    const data = join(cwd, 'data');
    expect(await shell(fillData)).toMatchObject({ exitCode: 0 });
    for (const day of daysIn(data).slice(3)) rmSync(join(data, day));

    const settings = Object.entries({ ...env, ADREPORT_CONFIG_DIR: `${cwd}/settings` });
    const lines = settings.map(([name, value]) => `${name}=${value}`);
    // A system crontab needs a user in each line.
    const [update = ''] = crontab.split('\n');
    const everyMinute = update.replace('15 6 * * *', '* * * * * root').replace(' data', ` ${data}`);
    const file = `/etc/cron.d/adreport-test-${process.pid}`;
    writeFileSync(file, `${[...lines, everyMinute].join('\n')}\n`, { mode: 0o644 });
    onTestFinished(() => rmSync(file, { force: true }));

    // If the system's cron is running, this one ends immediately, and that one does the work.
    const daemon = spawn('/usr/sbin/cron', ['-f'], { stdio: 'ignore' });
    onTestFinished(() => void daemon.kill());

    await expect.poll(() => daysIn(data), { timeout: 150_000, interval: 1_000 }).toHaveLength(30);
  });

  test('check prints problems only', async () => {
    const { cwd, shell } = await openPlace();
    const [, check = ''] = /^0 9 \* \* \* +(.*)$/m.exec(crontab) ?? [];
    expect(await shell(fillData)).toMatchObject({ exitCode: 0 });
    expect(await shell(check)).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });

    const [day = ''] = daysIn(join(cwd, 'data'));
    rmSync(join(cwd, 'data', day));

    expect((await shell(check)).stdout).toMatch(/^missing: data\/.*\n$/);
  });
});

describe('other schedulers', () => {
  /** Runs the commands of a scheduler in a folder with `adreport.yaml` and a filled `data`. */
  async function expectDone(commands: readonly string[]): Promise<void> {
    const { shell } = await openPlace();
    const begin = `adreport init && ${fillData}`;
    expect(await shell(begin)).toMatchObject({ exitCode: 0 });
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await shell(command);
      expect({ command, exitCode, stdout, stderr }).toEqual({
        ...{ command, exitCode: 0 },
        ...{ stdout: '', stderr: '' },
      });
    }
  }

  const units = readCodeBlocks().filter(({ language }) => language === 'ini');
  for (const unit of units) tested.add(keyOf(unit));
  const [service = '', timer = ''] = units.map(({ text }) => text);

  testWith('systemd finds no fault in the units', without('systemd-analyze'), async () => {
    const { cwd, shell } = await openPlace();
    const program = service.replaceAll('/usr/local/bin/adreport', '/bin/true');
    writeFileSync(join(cwd, 'adreport.service'), program);
    writeFileSync(join(cwd, 'adreport.timer'), timer);

    const verify = 'systemd-analyze verify "$PWD"/adreport.{service,timer}';
    const { exitCode, stderr } = await shell(verify);

    const about = stderr.split('\n').filter((line) => line.includes('adreport'));
    expect({ exitCode, about }).toEqual({ exitCode: 0, about: [] });
  });

  test('the commands of systemd run', async () => {
    const commands = [...service.matchAll(/^ExecStart=\S+bin\/(adreport .*)$/gm)];
    expect(commands).toHaveLength(2);
    await expectDone(commands.map(([, command = '']) => command));
  });

  const plist = recipe('automation', 'macOS: launchd', 'xml');
  testWith('launchd: the list is one, and its command runs', without('python3'), async () => {
    const program =
      'import json, plistlib, sys; print(json.dumps(plistlib.load(sys.stdin.buffer)))';
    const file = join(temporaryFolder(), 'adreport.weekly.plist');
    writeFileSync(file, plist);
    const { stdout } = runToEnd('bash', ['-c', `python3 -c '${program}' < ${file}`]);
    const job = JSON.parse(stdout);

    expect(job.StartCalendarInterval).toEqual({ Weekday: 1, Hour: 7, Minute: 0 });
    await expectDone([job.ProgramArguments.at(-1)]);
  });

  test('the commands of Task Scheduler run', async () => {
    const lines = recipe('automation', 'Windows Task Scheduler', 'bat');
    const commands = [...lines.matchAll(/"cmd \/c cd \/d C:\\Reports && (.*)"$/gm)];
    expect(commands).toHaveLength(2);
    await expectDone(commands.map(([, command = '']) => command));
  });

  const airflow = recipe('automation', 'Airflow', 'python');
  testWith('Airflow: the file is Python, and its commands run', without('python3'), async () => {
    const { cwd, shell } = await openPlace();
    writeFileSync(join(cwd, 'dag.py'), airflow);
    const names = ['airflow.providers.standard.operators.bash', 'airflow.sdk'];
    const packages = ['airflow', 'airflow.providers', 'airflow.providers.standard'];
    const operators = [...packages, 'airflow.providers.standard.operators', ...names];
    const program = `import sys, runpy
from unittest.mock import MagicMock
for name in ${JSON.stringify(operators)}: sys.modules[name] = MagicMock()
runpy.run_path("dag.py")
calls = sys.modules["${names[0]}"].BashOperator.call_args_list
for call in calls: print(call.kwargs["bash_command"].replace("/srv/reports/", ""))`;
    writeFileSync(join(cwd, 'main.py'), program);

    const { stdout } = await shell(`python3 main.py`);

    await expectDone(stdout.trimEnd().split('\n'));
  });
});

describe('containers', () => {
  const dockerfile = recipe('automation', 'Containers and Kubernetes', 'dockerfile');
  const require = createRequire(import.meta.url);

  testWith(
    'the Dockerfile is one',
    !hasTool('dockerfile-utils') && 'no dockerfile-utils',
    async () => {
      const { validate } = require(join(toolFolder, 'dockerfile-utils'));

      expect(validate(dockerfile)).toEqual([]);
      expect(validate(dockerfile.replace('USER node', 'USER'))).not.toEqual([]);
    },
  );

  const job = recipe('automation', 'Containers and Kubernetes', 'yaml');

  testWith(
    'Kubernetes knows every field of the job',
    !hasTool('kubernetes-types') && 'no kubernetes-types',
    async () => {
      const compile = (yaml: string) => {
        const folder = temporaryFolder();
        const file = join(folder, 'job.ts');
        const type = `import type { CronJob } from '${toolFolder}/kubernetes-types/batch/v1.js';`;
        const value = JSON.stringify(parse(yaml));
        writeFileSync(file, `${type}\nexport const job: CronJob = ${value};\n`);
        const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', file];
        return runToEnd(join(root, 'node_modules/.bin/tsc'), flags, folder);
      };

      expect(compile(job)).toMatchObject({ status: 0, stdout: '' });
      expect(compile(job.replace('fsGroup', 'fsgroup')).stdout).toContain('fsgroup');
    },
  );

  test('the arguments of the job keep a folder', async () => {
    const { cwd, env } = await openPlace();
    const { spec } = parse(job);
    const [container] = spec.jobTemplate.spec.template.spec.containers;
    const args: string[] = container.args.map((word: string) => word.replace('2026-11-01', '-4d'));
    const here = args.map((word) => word.replace('/reports', `${cwd}/reports`));

    const { exitCode, stderr } = await start('adreport', here, { cwd, env }).ended;

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(daysIn(join(cwd, 'reports'))).toHaveLength(4);
  });
});

describe('many processes', () => {
  const parallel = recipe('automation', 'GNU parallel and Slurm', 'sh');
  testWith('GNU parallel: each day is downloaded by one of four', without('parallel'), async () => {
    const { cwd, server, shell } = await openPlace();

    expect(await shell(parallel.replace('--local ', ''))).toMatchObject({ exitCode: 0 });

    expect(daysIn(join(cwd, 'os'))).toEqual(october);
    expect(countReports(server)).toBe(31);
  });

  const slurm = recipe('automation', 'GNU parallel and Slurm', 'bash');
  testWith('Slurm: an array of four, and one of them again', whySlurmCannotRun(), async () => {
    const { cwd, server, shell } = await openPlace(await startSlurm());
    writeFileSync(join(cwd, 'backfill.sh'), slurm);

    expect(await shell('sbatch --wait backfill.sh')).toMatchObject({ exitCode: 0 });
    expect(daysIn(join(cwd, 'october'))).toEqual(october);
    expect(countReports(server)).toBe(31);

    // The first part belongs to the fourth task, the fourth part to the third task.
    rmSync(join(cwd, 'october', october[3] ?? ''));
    expect(await shell('sbatch --wait --array=3 backfill.sh')).toMatchObject({ exitCode: 0 });
    expect(daysIn(join(cwd, 'october'))).toEqual(october);
    expect(countReports(server)).toBe(32);
  });
});

describe('a folder as a table', () => {
  const statement = recipe('automation', 'DuckDB and pandas', 'sql');
  testWith('in DuckDB', !hasDuckDb && 'no DuckDB in ADREPORT_TOOLS', async () => {
    const { cwd, shell } = await openPlace();
    expect(await shell(fillData)).toMatchObject({ exitCode: 0 });

    const query = await openDuckDb();
    await query(statement.replace("'data/", `'${cwd}/data/`));
    const [table] = await query(
      'select count(distinct date) as days, typeof(any_value(campaignId)) as id from reports',
    );

    expect(table).toEqual({ days: '30', id: 'VARCHAR' });
  });

  const program = recipe('automation', 'DuckDB and pandas', 'python');
  const withPandas = findPython('pandas');
  testWith('in pandas', !withPandas && 'no pandas', async () => {
    const { cwd, shell } = await openPlace();
    expect(await shell(fillData)).toMatchObject({ exitCode: 0 });
    const print = 'print(reports["date"].nunique(), type(reports["campaignId"][0]).__name__)';
    writeFileSync(join(cwd, 'read.py'), `${program}${print}\n`);

    const { stdout, stderr } = await shell(`${withPandas} read.py`);

    expect({ stdout, stderr }).toEqual({ stdout: '30 str\n', stderr: '' });
  });
});

describe('the local server', () => {
  const pytest = recipe('testing', 'Any language', 'python');
  const withPytest = findPython('pytest, requests');
  testWith('in pytest', !withPytest && 'no pytest and requests', async () => {
    const { cwd, shell } = await openPlace();
    writeFileSync(join(cwd, 'test_example.py'), pytest);

    const { stdout } = await shell(`${withPytest} -m pytest -q -p no:cacheprovider`);

    expect(stdout).toContain('1 passed');
  });

  test('with faults that change documents, send responses, and select calls', async () => {
    const code = recipe('testing', 'Faults', 'ts');
    const { server } = await openPlace();
    const [{ token = '' } = {}] = server.accounts;
    new Function('service', code)(server);
    const client = createClient({ baseUrl: server.url, token, retries: 0 });
    const request = (metrics: 'displays' | 'clicks') =>
      client.createReport({ period: '2026-10', metrics: [metrics] });

    const { id } = await request('displays');
    await request('clicks');
    const post = (path: string) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: token, accept: 'application/json' },
        body: JSON.stringify({ id }),
      });

    expect(await (await post('/status-reporting')).json()).toEqual({ state: 'QUEUED' });
    expect(Object.keys(Object(await (await post('/download-reporting')).json()))).toContain('rows');
    expect(server.reports().map(({ status }) => status)).toEqual(['ready', 'failed']);
  });

  test('with the library', async () => {
    const code = recipe('testing', 'The library', 'ts').replace(/^import .*\n/, '');
    const service = await startLocalServer({ delayMs: 0 });
    onTestFinished(() => service.close());
    const days: unknown[] = [];
    const console = { log: (day: string, displays: number) => days.push({ day, displays }) };

    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    const block = new AsyncFunction('service', 'token', 'createClient', 'console', code);
    await block(service, service.accounts[0]?.token, createClient, console);

    expect(days).toHaveLength(7);
    expect(days[0]).toEqual({ day: expect.any(String), displays: expect.any(Number) });
  });
});

describe('every block of code', () => {
  /** printed-lines.test.ts runs these line by line. */
  const languagesOfLines = ['sh', 'crontab'];

  /** package.test.ts runs this one. */
  const elsewhere = ['testing / TypeScript and JavaScript / ts'];

  test.each(readCodeBlocks().map((block) => [keyOf(block), block.language] as const))(
    '%s: a test runs it',
    (key, language) => {
      const isRun =
        languagesOfLines.includes(language) || tested.has(key) || elsewhere.includes(key);
      expect(isRun).toBe(true);
    },
  );
});
