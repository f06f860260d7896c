import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readSheet } from '../present/xlsx-reader.ts';
import {
  daysIn,
  hasDuckDb,
  hasPostgres,
  isInstalled,
  openDuckDb,
  startPostgres,
} from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';
import { spawnCli, startCli } from '../support/spawn.ts';

/** The main tasks of three kinds of users, each from an empty folder with the installed program. */

type Row = Readonly<Record<string, string | number | null>>;

/**
 * Command lines in one folder, signed in by the environment. Windows are dates, because clocks
 * differ.
 */
async function sitDown() {
  const { server, cwd, env } = await serveForTest({ delayMs: 0 });
  return { server, cwd, start: (line: string) => startCli(line, { cwd, env }) };
}

const sumOf = (rows: readonly Row[], field: string): number =>
  rows.reduce((sum, row) => sum + Number(row[field]), 0);

/** A change for display: `▲ 12.3%`. */
function changeOf(now: number, before: number): string {
  const percent = (100 * (now - before)) / before;
  return `${percent > 0 ? '▲' : '▼'} ${Math.abs(percent).toFixed(1)}%`;
}

test('a buyer: a month by campaign as a sheet and a page, with the change against the month before', async () => {
  const { cwd, start } = await sitDown();
  const read = async (period: string): Promise<Row[]> => {
    const line = `run --period ${period} --by CAMPAIGN --metrics displays,clicks,revenueEuro --format json`;
    return JSON.parse((await start(line).ended).stdout).data;
  };

  // The earlier window is the previous month, although it is longer.
  const [now, before] = [await read('2026-09'), await read('2026-08')];

  expect(now.length).toBeGreaterThan(5);

  const asked = '--by CAMPAIGN --metrics displays,clicks,ctr,revenueEuro --compare previous';

  for (const file of ['september.xlsx', 'september.html']) {
    const { ended } = start(`run --period 2026-09 ${asked} -o ${file} --strict`);
    expect(await ended).toMatchObject({ exitCode: 0, stdout: '' });
  }

  const archive = readFileSync(join(cwd, 'september.xlsx'));

  const [header = [], ...lines] = readSheet(archive);
  // The totals are on Summary.
  expect(lines.flat()).not.toContain('Total');

  // A sheet also has the eCPM of each revenue, and every metric of the month before.
  const metrics = ['Displays', 'Clicks', 'CTR', 'Revenue (€)', 'eCPM (€)'];
  const metricColumns = metrics.flatMap((label) => [label, `${label} before`]);
  expect(header).toEqual(['Campaign ID', 'Campaign name', ...metricColumns]);

  const figuresOf = (row: Row | undefined) => [
    row?.displays,
    row?.clicks,
    row && expect.closeTo(Number(row.clicks) / Number(row.displays), 5),
    row && Number(row.revenueEuro),
    row && expect.closeTo((1000 * Number(row.revenueEuro)) / Number(row.displays), 5),
  ];
  for (const row of now) {
    const line = lines.find(([id]) => id === row.campaignId) ?? [];
    const earlier = before.find(({ campaignId }) => campaignId === row.campaignId);
    const [id, name, ...figures] = line;
    const shown = figures.filter((_figure, index) => index % 2 === 0);
    const shownBefore = figures.filter((_figure, index) => index % 2 === 1);

    expect([id, name]).toEqual([row.campaignId, row.campaignName]);
    expect(shown).toEqual(figuresOf(row));
    if (earlier) expect(shownBefore).toEqual(figuresOf(earlier));
  }

  const summary = readSheet(archive, 2);

  const windows = summary.flat().join('\n');

  expect(windows).toContain('1–30 September 2026');
  expect(windows).toContain('1–31 August 2026');
  for (const { label, field } of [
    { label: 'Displays', field: 'displays' },
    { label: 'Clicks', field: 'clicks' },
    { label: 'Revenue (€)', field: 'revenueEuro' },
  ] as const) {
    const sums = [sumOf(now, field), sumOf(before, field)] as const;
    const line = summary.find(([name]) => name === label);
    expect(line).toEqual([
      label,
      expect.closeTo(sums[0], 2),
      expect.closeTo(sums[1], 2),
      expect.closeTo((sums[0] - sums[1]) / sums[1], 6),
    ]);
  }

  const page = readFileSync(join(cwd, 'september.html'), 'utf8');

  for (const name of ['1–30 September 2026', 'compared with 1–31 August 2026'])
    expect(page).toContain(name);

  const displays = [sumOf(now, 'displays'), sumOf(before, 'displays')] as const;

  expect(page).toMatch(
    new RegExp(
      `<dt>Displays</dt><dd[^>]*>${displays[0].toLocaleString('en')}</dd><dd class="change">`,
    ),
  );
  const pageText = page.replaceAll(/<[^>]*>/g, '').replaceAll('\u00a0', ' ');
  expect(pageText).toContain(`${changeOf(...displays)} ${displays[1].toLocaleString('en')} before`);
  // Metrics that were not requested are absent.
  for (const label of ['Leads', 'Downloads', 'Country']) expect(page).not.toContain(`>${label}<`);
});

if (!hasPostgres) console.log('Skipped: no PostgreSQL is here to load a year into.');
if (!hasDuckDb) console.log('Skipped: ADREPORT_TOOLS names no folder with @duckdb/node-api.');

test('an engineer: a year by month and country, interrupted, continued and loaded without a row twice', async () => {
  const { server, cwd, start } = await sitDown();
  const folder = join(cwd, 'data');
  const year = 'run --period 2025 --by MONTHLY,COUNTRY --metrics displays,revenueEuro';

  const whole: Row[] = JSON.parse((await start(`${year} --format json`).ended).stdout).data;

  expect(new Set(whole.map(({ date }) => date)).size).toBe(12);

  const expected = [
    whole.length,
    sumOf(whole, 'displays'),
    sumOf(whole, 'revenueEuro').toFixed(2),
  ].join('|');

  const filled = `${year} --split month --missing --concurrency 1 -o data/month={since}/part.csv`;
  const files = (): string[] => (existsSync(folder) ? daysIn(folder) : []);
  const read = (month: string) =>
    readFileSync(join(folder, month, 'part.csv'), 'utf8').replaceAll('\r\n', '\n');
  const whenWritten = (): number[] =>
    files().map((month) => statSync(join(folder, month, 'part.csv')).mtimeMs);
  const creates = (): number =>
    server.requests().filter(({ path }) => path === '/buyer-reporting').length;

  // Nothing is ready from the fifth status on, so that the signal always interrupts the run.
  server.fault('status:stuck:after=4');
  const { child, ended } = start(filled);
  await expect.poll(() => files().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
  child.kill('SIGTERM');

  expect(await ended).toMatchObject({ exitCode: 143, signal: null });

  const early = files();

  const earlyTimes = whenWritten();

  expect(early.length).toBeLessThan(12);

  server.reset();

  expect(await start(filled).ended).toMatchObject({ exitCode: 0 });
  expect(files()).toHaveLength(12);
  // Existing files are not downloaded again, and a third run has nothing to do.
  expect(whenWritten().slice(0, early.length)).toEqual(earlyTimes);

  const createsAfter = creates();

  expect(createsAfter).toBe(12 - early.length);
  expect(await start(filled).ended).toMatchObject({ exitCode: 0 });
  expect(creates()).toBe(createsAfter);

  const sums = 'select count(*), sum(displays), sum(revenue) from countries';

  if (hasPostgres) {
    const env = { ...process.env, ...startPostgres() };
    const argv = ['-qAtX', '-v', 'ON_ERROR_STOP=1'];
    const sql = (input: string): string =>
      execFileSync('psql', argv, { env, input, encoding: 'utf8' }).trim();
    const columns = 'month date, country text, displays bigint, revenue numeric';
    // Each file is a transaction that replaces its month. Loaded twice, like a repeated job.
    for (let times = 0; times < 2; times += 1) {
      for (const lines of files().map(read)) {
        sql(`begin; create table if not exists countries (${columns});
create temp table staging (${columns}) on commit drop;
copy staging from stdin with (format csv, header true);
${lines}\\.
delete from countries where month in (select month from staging);
insert into countries select * from staging; commit;`);
      }
      expect(sql(`${sums};`)).toBe(expected);
    }
  }

  if (hasDuckDb) {
    const query = await openDuckDb();
    const rows = `select date as month, country, displays, "revenueEuro"::decimal(18, 2) as revenue
      from read_csv('${folder}/*/part.csv', hive_partitioning = false)`;
    for (let times = 0; times < 2; times += 1) {
      await query(`create or replace table countries as ${rows}`);
      const [loaded = {}] = await query(sums);
      expect(Object.values(loaded).map(String).join('|')).toBe(expected);
    }
  }
  // Without a database, the files are summed instead.
  const lines = files().flatMap((name) => read(name).trimEnd().split('\n').slice(1));

  expect(new Set(lines.map((line) => line.split(',').slice(0, -2).join())).size).toBe(whole.length);

  const displays = lines.reduce((sum, line) => sum + Number(line.split(',').at(-2)), 0);

  expect(`${lines.length}|${displays}`).toBe(expected.split('|').slice(0, 2).join('|'));
});

const day = {
  since: 1_780_272_000,
  until: 1_780_358_399,
  metrics: 'displays',
  breakdowns: ['DAILY'],
};

/**
 * Creates a report, meets the fault, waits by advancing the clock, and prints the result of each
 * step.
 */
const pythonClient = `
import json, sys, urllib.error, urllib.request
url, token, day = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
def call(path, body):
    headers = {"Authorization": token, "Accept": "application/json", "Content-Type": "application/json"}
    request = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, None
results = []
call("/__admin/faults", {"fault": "status:503:times=1"})
report = {"id": call("/buyer-reporting", day)[1]["response"]["report_id"]}
results.append(call("/status-reporting", report)[0])
results.append(call("/status-reporting", report)[1]["response"]["status"])
call("/__admin/clock", {"advance": "1h"})
results.append(call("/status-reporting", report)[1]["response"]["status"])
results.append(call("/download-reporting", report)[1]["data"])
print(json.dumps(results))
`;

const curlClient = `set -eu
url=$1 token=$2 day=$3
call() { # PATH BODY, and flags of curl
  path=$1 body=$2; shift 2
  curl -sS "$@" -H "Authorization: $token" -H 'Accept: application/json' -H 'Content-Type: application/json' -d "$body" "$url$path"
}
status() { call /status-reporting "$report" | sed -E 's/.*"status": ?"([a-z]+)".*/"\\1"/'; }
call /__admin/faults '{"fault":"status:503:times=1"}' -o answer.txt
report="{\\"id\\":$(call /buyer-reporting "$day" | sed -E 's/.*"report_id": ?("[^"]+").*/\\1/')}"
echo "[$(call /status-reporting "$report" -o answer.txt -w '%{http_code}'),"
echo "$(status),"
call /__admin/clock '{"advance":"1h"}' -o answer.txt
echo "$(status),"
call /download-reporting "$report" -o data.json
echo "$(node -p 'JSON.stringify(JSON.parse(require("fs").readFileSync("data.json")).data)')]"
`;

test.each([
  { program: 'python3', name: 'client.py', text: pythonClient },
  { program: 'curl', name: 'client.sh', text: curlClient },
])(
  'an integrator: a client of $program against the local server, with a fault and the clock moved',
  async ({ program, name, text }) => {
    if (!isInstalled(program)) {
      console.log(`Skipped: there is no ${program}.`);
      return;
    }
    const server = startCli('local-server --port 0 --json -q --delay 10m');
    const { url, accounts } = JSON.parse(await server.printed(/^.+\n/));
    const token: string = accounts[0].token;
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, name), text);
    const shell = program === 'curl' ? 'sh' : program;
    const { stdout } = await promisify(execFile)(shell, [name, url, token, JSON.stringify(day)], {
      cwd,
    });
    const [faulty, waiting, done, data] = JSON.parse(stdout);

    expect([faulty, waiting, done]).toEqual([503, 'progress', 'ready']);

    // The program itself reads the same figures.
    const asked = `--since ${day.since} --until ${day.until} --by DAILY --metrics displays --direct --format json`;

    const own = await spawnCli(`run ${asked}`, {
      env: { ADREPORT_BASE_URL: url, ADREPORT_TOKEN: token },
    });

    expect(data).toEqual(JSON.parse(own.stdout).data);
    expect(data.length).toBeGreaterThan(0);

    server.child.kill('SIGTERM');

    expect(await server.ended).toMatchObject({ exitCode: 0 });
  },
);
