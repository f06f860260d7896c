import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fillOnce } from '../support/fill-once.ts';
import { serveOdd } from '../support/odd-service.ts';
import { interruption, parseWithSlashes, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const onWindows = process.platform === 'win32';
const dayMs = 86_400_000;
const fourDays =
  'run --period 2026-11-09..2026-11-12 --by OS --split day -q -o data/date={date}/part.csv';
const historyFile = 'data/_adreport.ndjson';

/** A folder with a file for each of four days. */
async function keepDays(more = '') {
  const server = await serveForTest({ delayMs: 0 });
  await fillOnce(`four days ${more}`, server.cwd, async () => {
    expect(await server.run(`${fourDays} ${more}`)).toMatchObject({ exitCode: 0 });
  });
  const at = (name: string): string => join(server.cwd, 'data', name);
  const check = async () => parseWithSlashes((await server.run('check data --json')).stdout);
  return { ...server, at, check };
}

/** The lines of a history, by kind. */
function linesOf(text = '') {
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  const specs = lines.filter((line) => 'history' in line);
  const files = lines.filter((line) => 'file' in line);
  return { lines, specs, files };
}

describe('the history', () => {
  test('starts with the spec, and has a line with totals for each file', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { histories, files } = await run(`${fourDays} --country FR --excel --strict`);

    const { lines, specs, files: fileLines } = linesOf(histories[historyFile]);
    expect(specs).toEqual([lines[0]]);
    expect(lines[0]).toEqual({
      history: 1,
      spec: expect.stringMatching(/^[0-9a-f]{32}$/),
      content: expect.stringMatching(/^[0-9a-f]{32}$/),
      request: {
        profile: 'buyer',
        metrics: expect.arrayContaining(['displays']),
        breakdowns: ['OS'],
        filters: { countryId: ['3017382'] },
      },
      timezone: 'Europe/Paris',
      format: { name: 'csv', excel: true },
      output: 'date={date}/part.csv',
      split: 'day',
      period: '2026-11-09..2026-11-12',
      strict: true,
      service: 'local',
      at: expect.stringMatching(/^2026-11-20T/),
      adreport: expect.any(String),
    });

    expect(fileLines.map(({ file }) => `data/${file}`).sort()).toEqual(Object.keys(files));
    const [line] = fileLines.filter(({ file }) => file.includes('2026-11-09'));
    const rows = (files['data/date=2026-11-09/part.csv'] ?? '').trimEnd().split('\r\n');
    const displaysAt = rows[0]?.split(';').indexOf('displays') ?? 0;
    let displays = 0;
    for (const row of rows.slice(1)) displays += Number(row.split(';')[displaysAt]);
    expect(line).toMatchObject({
      spec: lines[0].spec,
      since: '2026-11-09T00:00:00+01:00',
      until: '2026-11-09T23:59:59+01:00',
      rows: rows.length - 1,
      totals: { displays: String(displays) },
    });
  });

  test('gets a spec line when the spec changes, even if nothing is due', async () => {
    const { run, calls } = await serveForTest({ delayMs: 0 });
    await run(fourDays);
    await run(fourDays);
    await run(`${fourDays} --missing --lookback 2`);

    const { histories } = await run(fourDays);

    const { specs } = linesOf(histories[historyFile]);
    expect(specs.map(({ lookback }) => lookback)).toEqual([undefined, 2, undefined]);
    expect(calls('buyer')).toBe(12);
  });

  test('gets no line from a dry run or a refused run', async () => {
    const { run, cwd } = await keepDays();
    const before = readFileSync(join(cwd, historyFile), 'utf8');
    await run(`${fourDays} --strict --dry-run`);
    expect((await run(`${fourDays} --country DE`)).exitCode).toBe(2);
    expect(readFileSync(join(cwd, historyFile), 'utf8')).toBe(before);
  });

  test('each shard has its own; --no-history, {id} and a single report have none', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    await run(`${fourDays} --shard 1/2`);
    const { histories } = await run(`${fourDays} --shard 2/2`);

    const names = ['data/_adreport-1-of-2.ndjson', 'data/_adreport-2-of-2.ndjson'];
    expect(Object.keys(histories)).toEqual(names);
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
    const day = 'run --period 2026-11-09 --by OS -q';
    for (const line of [
      `${day} --split day --no-history -o b/{date}.csv`,
      `${day} --split day -o b/{date}-{id}.csv`,
      `${day} -o b/{date}.csv`,
    ]) {
      expect(Object.keys((await run(line)).histories), line).toEqual(names);
    }
  });

  test.skipIf(onWindows)(
    'is never an output, and never written through a link or into a pipe',
    async () => {
      const { run, cwd } = await serveForTest({ delayMs: 0 });
      const direct = await run('run --period 2026-11-09 --by OS -o _adreport.ndjson');
      expect(direct).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('would replace the history of a folder'),
      });

      mkdirSync(join(cwd, 'data'));
      writeFileSync(join(cwd, 'mine.txt'), 'mine\n');
      symlinkSync(join(cwd, 'mine.txt'), join(cwd, historyFile));
      const linked = await run(fourDays);
      expect(linked).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('it is a link'),
      });
      expect({ ...linked.files, ...linked.histories }).toEqual({
        'mine.txt': 'mine\n',
        [historyFile]: 'mine\n',
      });

      rmSync(join(cwd, historyFile));
      execFileSync('mkfifo', [join(cwd, historyFile)]);
      expect(await run(fourDays)).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('not a regular file'),
      });
    },
  );

  test('accepts requests of up to 64 KB', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const ids = Array.from({ length: 999 }, (_, index) => `1${'0'.repeat(80)}${index}`).join(',');
    const { exitCode, stderr } = await run(`${fourDays} --filter adunitId=${ids}`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--no-history');
  });
});

describe('--missing', () => {
  test('does not mistake a day for a week or month of the same name, and does not replace it', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = (split: string, period = '2026-09-28..2026-10-04') =>
      `run --period ${period} --by OS --split ${split} -q -o data/{date}.csv`;
    const ofDays = await run(line('day'));

    for (const asked of [line('week'), line('month', '2026-10')]) {
      for (const missing of ['', '--missing']) {
        const { exitCode, stderr, files } = await run(`${asked} ${missing}`);
        expect(exitCode, stderr).toBe(2);
        expect(stderr).toMatch(/split: day → (week|month)/);
        expect(files).toEqual(ofDays.files);
      }
    }

    expect(await run(`${line('week')} --refetch`)).toMatchObject({ exitCode: 0 });
    const { problems, series } = JSON.parse((await run('check data --json')).stdout);
    expect(problems).toEqual([]);
    expect(series).toMatchObject([{ files: 1, outside: 6 }]);
  });

  test('--refetch downloads the whole window, with --missing and any --lookback too', async () => {
    const { run, at, calls } = await keepDays('--country FR');
    const day = fourDays.replace('2026-11-09..2026-11-12', '2026-11-12');
    expect(await run(`${day} --country DE --refetch`)).toMatchObject({ exitCode: 0 });
    rmSync(at('date=2026-11-10/part.csv'));
    const before = calls('buyer');

    const refused = await run(`${fourDays} --country FR --missing`);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('date=2026-11-12/part.csv comes from a different request');
    expect(refused.stderr).toContain('country: DE → FR');
    expect(calls('buyer')).toBe(before);

    expect(await run(`${fourDays} --country FR --missing --refetch`)).toMatchObject({
      exitCode: 0,
    });
    expect(calls('buyer') - before).toBe(4);
    const more = `${fourDays} --country FR --lookback 30 --refetch`;
    expect(await run(more)).toMatchObject({ exitCode: 0 });
    expect(calls('buyer') - before).toBe(8);
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('without a history, treats existing files as complete, with a note', async () => {
    const { run, calls } = await keepDays('--no-history');
    const before = calls('buyer');
    const { exitCode, stderr } = await run(`${fourDays.replace(' -q', '')} --missing --no-history`);
    expect({ exitCode, orders: calls('buyer') - before }).toEqual({ exitCode: 0, orders: 0 });
    expect(stderr).toContain('only checks whether a file exists');
  });

  test('rounds --since -3d to whole days, or to weeks with --split week', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = 'run --by OS --missing -q --until yesterday';
    const rounded = await run(`${line} --since -3d --split day -o data/{date}.csv`);
    expect(Object.keys(rounded.files)).toEqual(
      [17, 18, 19].map((day) => `data/2026-11-${day}.csv`),
    );
    const weeks = await run(
      'run --by OS --missing -q --since -14d --split week -o weeks/{date}.csv',
    );
    expect(weeks.exitCode, weeks.stderr).toBe(0);
    expect(Object.keys(weeks.files).slice(-2)).toEqual(
      ['02', '09'].map((day) => `weeks/2026-11-${day}.csv`),
    );
  });
});

describe('the account of a folder', () => {
  const asBuyer = { ADREPORT_EMAIL: 'buyer@example.com', ADREPORT_PASSWORD: 'demo' };
  const asAdmin = { ADREPORT_EMAIL: 'admin@example.com', ADREPORT_PASSWORD: 'demo' };
  const noToken = { ADREPORT_TOKEN: undefined };

  test('is changed only by a run with --refetch', async () => {
    const { run, calls } = await serveForTest({ delayMs: 0 });
    const buyer = { env: { ...noToken, ...asBuyer } };
    const admin = { env: { ...noToken, ...asAdmin } };
    await run(fourDays, buyer);
    const masked = /^b…@example\.com#[0-9a-f]{12}$/;
    const { histories } = await run('check data', buyer);
    expect(linesOf(histories[historyFile]).specs[0].login).toMatch(masked);
    const before = calls('buyer');

    const refused = await run(`${fourDays} --missing --strict -q`, admin);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/b…@example\.com#\w+.*a…@example\.com#\w+/s);
    expect(refused.stderr).toContain('--refetch');
    expect(calls('buyer')).toBe(before);

    expect(await run(`${fourDays} --refetch`, admin)).toMatchObject({ exitCode: 0 });
    expect(await run('check data', admin)).toMatchObject({ exitCode: 0 });
    expect(await run(`${fourDays} --missing`, buyer)).toMatchObject({ exitCode: 2 });
  });

  test('is on a real service or a local server, never both', async () => {
    const { run, cwd } = await keepDays();
    const path = join(cwd, historyFile);
    const history = readFileSync(path, 'utf8');
    writeFileSync(path, history.replace('"service":"local"', '"service":"https://x.example/"'));
    for (const line of [`${fourDays} --missing --local`, `${fourDays} --missing`]) {
      const { exitCode, stderr } = await run(line);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('https://x.example/');
      expect(stderr).toContain('a local server');
    }
  });

  test.each([
    { how: 'its e-mail address', env: { ...noToken, ...asBuyer }, exitCode: 0 },
    { how: 'another e-mail address', env: { ...noToken, ...asAdmin }, exitCode: 3 },
    { how: 'ADREPORT_ACCOUNT', env: { ADREPORT_ACCOUNT: 'work' }, exitCode: 0 },
    { how: 'another ADREPORT_ACCOUNT', env: { ADREPORT_ACCOUNT: 'home' }, exitCode: 3 },
    { how: 'a nameless token', env: {}, exitCode: 3 },
  ])('is that of the environment with $how: exit $exitCode', async ({ how, env, exitCode }) => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const byLogin = how.includes('e-mail')
      ? { ...noToken, ...asBuyer }
      : { ADREPORT_ACCOUNT: 'work' };
    await run(fourDays.replace('..2026-11-12', ''), { env: byLogin });
    rmSync(join(cwd, 'data/date=2026-11-09/part.csv'));

    const repaired = await run('repair data', { env });

    expect(repaired.exitCode, repaired.stderr).toBe(exitCode);
    if (exitCode === 3) expect(repaired.stderr).toMatch(/--account or ADREPORT_ACCOUNT/);
  });

  test('is found by its login; if it is not stored, repair is exit 3', async () => {
    const { run, at, cwd, calls, server } = await keepDays();
    const path = join(cwd, historyFile);
    const history = readFileSync(path, 'utf8');
    rmSync(at('date=2026-11-10/part.csv'));
    writeFileSync(path, history.replace('"service":"local"', '"account":"work","service":"local"'));
    const bare = { env: { ADREPORT_TOKEN: undefined, ADREPORT_BASE_URL: undefined } };
    const before = calls('buyer');

    const refused = await run('repair data', bare);
    expect(refused.exitCode, refused.stderr).toBe(3);
    expect(refused.stderr).toContain('the account work');
    expect(calls('buyer')).toBe(before);

    const login = `login --base-url ${server.url} --email buyer@example.com --password-stdin --account main`;
    expect(await run(login, { ...bare, stdin: 'demo' })).toMatchObject({ exitCode: 0 });
    const named = await run('repair data', bare);
    expect(named.exitCode, named.stderr).toBe(3);
    const bySelf = await run(fourDays.replace(' -q', ' --refetch --account main -q'), bare);
    expect(bySelf.exitCode, bySelf.stderr).toBe(0);
    rmSync(at('date=2026-11-10/part.csv'));
    const text = readFileSync(path, 'utf8').replaceAll('"account":"main"', '"account":"renamed"');
    writeFileSync(path, text);
    const found = await run('repair data', bare);
    expect(found.exitCode, found.stderr).toBe(0);
  });
});

/** A service that returns no rows once `state.isEmpty` is set. */
async function serveForgetful() {
  const state = { nowMs: Date.UTC(2026, 10, 20, 12), isEmpty: false };
  const { run } = await serveOdd({
    server: { delayMs: 0, clock: () => state.nowMs },
    faults: [
      {
        endpoint: 'download',
        when: () => state.isEmpty,
        change: (document: object) => ({ ...document, data: [] }),
      },
    ],
  });
  return { state, run: (line: string) => run(line, { now: state.nowMs }) };
}

describe('a report without figures', () => {
  const days = 'run --period 2026-11-14..2026-11-15 --by OS --split day -o data/{date}.csv';

  test('does not replace a file with figures, which is as final as before', async () => {
    const { state, run } = await serveForgetful();
    state.nowMs = Date.UTC(2026, 10, 16, 5);
    const first = await run(`${days} --missing --lookback 1 -q`);
    const text = first.files['data/2026-11-15.csv'];

    state.isEmpty = true;
    state.nowMs += 2 * dayMs;
    const kept = await run(`${days} --missing --lookback 1 --json`);
    expect(kept.exitCode, kept.stderr).toBe(0);
    expect(kept.stderr).toContain('2026-11-15.csv is kept, because the new report has no numbers');
    const results = kept.stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(results).toContainEqual(
      expect.objectContaining({ file: 'data/2026-11-15.csv', kept: true, rows: 3 }),
    );
    expect(kept.files['data/2026-11-15.csv']).toBe(text);
    const { specs, files } = linesOf(kept.histories[historyFile]);
    expect(specs).toHaveLength(1);
    const [before, after] = files.filter(({ file }) => file === '2026-11-15.csv');
    expect(after).toEqual({ ...before, kept: true, fetched: after?.fetched });
    const checked = await run('check data');
    expect(checked).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('kept, because'),
    });

    const again = await run(`${days} --missing --lookback 1`);
    expect(again.stderr).toContain('To download: 1 of 2 days.');
    state.nowMs += dayMs;
    const stale = await run('check data');
    const way = 'run .*--period 2026-11-15 .*--refetch';
    expect(stale.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      new RegExp(`Without figures since 2026-11-18; to accept that: adreport ${way}`),
    );
    const typed = await run(`${days} --refetch`);
    expect(typed.exitCode, typed.stderr).toBe(0);
    expect(typed.files['data/2026-11-15.csv']).not.toBe(text);
  });

  test('does not replace an edited file, which remains a problem', async () => {
    const { state, run } = await serveForgetful();
    const { cwd, histories } = await run(`${days} -q`);
    const path = join(cwd, 'data/2026-11-14.csv');
    appendFileSync(path, 'damage');
    const damaged = readFileSync(path, 'utf8');

    state.isEmpty = true;
    const repaired = await run('repair data');

    expect(repaired.exitCode).toBe(9);
    expect(repaired.stderr).toContain('restore the file, or use --refetch');
    expect(repaired.stdout).toContain('restore the file, or use --refetch');
    expect(readFileSync(path, 'utf8')).toBe(damaged);
    expect(repaired.histories).toEqual(histories);

    const { stdout } = await run(`${days} --missing --json`);
    const sha256 = createHash('sha256').update(damaged).digest('hex');
    const facts = { kept: true, rows: null, bytes: damaged.length, sha256 };
    expect(JSON.parse(stdout)).toMatchObject(facts);
  });

  test('does not replace a restored file, even if repair wrote an empty one in the meantime', async () => {
    const { state, run } = await serveForgetful();
    const { cwd } = await run(`${days} -q`);
    const path = join(cwd, 'data/2026-11-14.csv');
    const backup = readFileSync(path, 'utf8');
    rmSync(path);
    state.isEmpty = true;
    expect(await run('repair data -q')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).not.toBe(backup);

    writeFileSync(path, backup);
    const repaired = await run('repair data');

    expect(repaired).toMatchObject({ exitCode: 0 });
    expect(repaired.stderr).toContain('2026-11-14.csv is kept, because');
    expect(readFileSync(path, 'utf8')).toBe(backup);
    const { files } = linesOf(repaired.histories[historyFile]);
    expect(files.at(-1)).toMatchObject({ file: '2026-11-14.csv', kept: true, rows: 3 });
  });

  test('is written if there is no file, with a warning if the history had figures', async () => {
    const { state, run } = await serveForgetful();
    const { cwd } = await run(`${days} -q`);
    rmSync(join(cwd, 'data/2026-11-14.csv'));
    state.isEmpty = true;

    const { exitCode, stderr, files } = await run('repair data -q');

    expect(exitCode).toBe(0);
    expect(stderr).toContain('2026-11-14.csv now has no numbers; the history had 3 rows for it.');
    expect(files['data/2026-11-14.csv']).toBeDefined();
  });
});

test('repair writes below a folder whose name has braces', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const { cwd } = await run(fourDays.replace('data/', 'a{{b}}/{{date}}/'));
  const path = join(cwd, 'a{b}/{date}/date=2026-11-10/part.csv');
  rmSync(path);

  const { exitCode, stdout } = await run(['repair', 'a{b}/{date}']);

  expect(exitCode).toBe(0);
  expect(stdout).toContain('No problems found.');
  expect(existsSync(path)).toBe(true);
});

test('a total that falls by half is a note', async () => {
  let isShort = false;
  const { run } = await serveOdd({
    server: { delayMs: 0 },
    faults: [
      {
        endpoint: 'download',
        when: () => isShort,
        change: ({ data, ...rest }: { data: object[] }) => ({ ...rest, data: data.slice(-1) }),
      },
    ],
  });
  const line = 'run --period 2026-11-15 --by OS --metrics displays --split day -o data/{date}.csv';
  expect(await run(line)).toMatchObject({ exitCode: 0 });

  isShort = true;
  const fallen = await run(line);

  expect(fallen.stderr).toContain('2026-11-15: displays fell by half or more.');
  expect(fallen.stderr).toMatch(/2026-11-15 changed: displays/);
});

describe('check', () => {
  test('lists each problem once, in time order, and ends with the fix', async () => {
    const { run, at, check } = await keepDays();
    rmSync(at('date=2026-11-10/part.csv'));
    rmSync(at('date=2026-11-11/part.csv'));
    appendFileSync(at('date=2026-11-09/part.csv'), 'x');
    mkdirSync(at('date=2026-11-20'));
    writeFileSync(at('date=2026-11-12/part.csv'), 'mine');
    writeFileSync(at('date=2026-11-12/other.csv'), 'mine');

    const { problems, notes, repair, histories, series } = await check();

    expect(
      problems.map(({ file, kind }: { file: string; kind: string }) => `${file} ${kind}`),
    ).toEqual([
      'data/date=2026-11-09/part.csv changed',
      'data/date=2026-11-10/part.csv missing',
      'data/date=2026-11-11/part.csv missing',
      'data/date=2026-11-12/part.csv changed',
    ]);
    expect(repair).toBe('adreport repair data');
    expect(histories).toEqual([{ file: historyFile, skippedLines: [], unreadable: null }]);
    expect(series).toMatchObject([
      { output: 'date={date}/part.csv', since: '2026-11-09', until: '2026-11-12', files: 0 },
    ]);
    expect(notes).toEqual([expect.stringContaining('date=2026-11-12/other.csv')]);
    const { exitCode, stdout } = await run('check data');
    expect(exitCode).toBe(9);
    expect(stdout).toContain(
      'missing: date=2026-11-10/part.csv … date=2026-11-11/part.csv (2 days)',
    );
    expect(stdout).toMatch(/To repair: adreport repair data {3}\(4 reports\)\n$/);
    expect(await run('repair data')).toMatchObject({ exitCode: 0 });
    expect((await check()).repair).toBeNull();
  });

  test.each([
    { name: 'without an account', env: {} },
    {
      name: 'with another account in the environment',
      env: { ADREPORT_BASE_URL: 'https://reports.example.com', ADREPORT_TOKEN: 'a'.repeat(40) },
    },
  ])('of a run with --local, the printed repair works as it is: $name', async ({ env }) => {
    const { cwd } = await runCli(`${fourDays} --local`);
    rmSync(join(cwd, 'data/date=2026-11-10/part.csv'));
    const run = (line: string) => runCli(line, { cwd, env });

    const checked = await run('check data');
    const [, command = ''] = /To repair: adreport (.*?) {3}\(1 report\)/.exec(checked.stdout) ?? [];

    expect(command).toBe('repair data --local');
    const { repair } = parseWithSlashes((await run('check data --json')).stdout);
    expect(repair).toBe('adreport repair data --local');
    expect((await run('repair data')).stderr).toContain('--local');
    expect(await run(command)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('shows how a foreign file differs from its series; repair does not touch it', async () => {
    const { run, check } = await keepDays('--country FR');
    const day = fourDays.replace('2026-11-09..2026-11-12', '2026-11-11');
    expect(await run(`${day} --country DE --refetch`)).toMatchObject({ exitCode: 0 });
    // The last run decides what is requested, and each window with a file counts.
    expect((await check()).series).toMatchObject([{ files: 1, outside: 0 }]);
    expect((await check()).problems).toHaveLength(3);

    const later = { now: Date.UTC(2026, 10, 20, 13) };
    const shard = await run(`${fourDays} --country FR --missing --refetch --shard 2/2`, later);
    expect(shard).toMatchObject({ exitCode: 0 });
    const { stdout } = await run('check data --json', later);
    const { problems, repair } = parseWithSlashes(stdout);
    expect(problems).toMatchObject([
      {
        file: 'data/date=2026-11-11/part.csv',
        kind: 'foreign',
        message: expect.stringContaining('country: DE → FR'),
      },
    ]);
    expect(repair).toBeNull();
    const repaired = await run('repair data', later);
    expect(repaired.exitCode).toBe(9);
    expect(repaired.stdout).toContain('Fix by hand');
  });

  test('checks all paths; one without a history is exit 2', async () => {
    const { run, cwd, at } = await keepDays();
    mkdirSync(join(cwd, 'unmounted'));
    writeFileSync(join(cwd, 'lone.csv'), 'a\n');
    rmSync(at('date=2026-11-10/part.csv'));

    const both = await run('check unmounted data lone.csv --json');
    expect(both.exitCode).toBe(2);
    expect(JSON.parse(both.stdout)).toMatchObject([{ problems: [{ kind: 'missing' }] }]);
    expect(both.stderr).toContain('No adreport history in unmounted.');
    expect(both.stderr).toContain('lone.csv');
    for (const path of ['unmounted', 'lone.csv']) {
      expect(await run(`check ${path}`)).toMatchObject({ exitCode: 2, stdout: '' });
      expect(await run(`repair ${path}`)).toMatchObject({ exitCode: 2, stdout: '' });
    }
  });

  test('names a series by its path relative to the checked path', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    await run('run --period 2026-11-09 --by OS --split day -q -o data/a/{date}.csv');
    const { series } = JSON.parse((await run('check data --json')).stdout);
    expect(series).toMatchObject([{ output: 'a/{date}.csv' }]);
  });

  test('skips and counts invalid lines', async () => {
    const { run, cwd, check } = await keepDays();
    const path = join(cwd, historyFile);
    appendFileSync(
      path,
      `{"history":2}\n\0\0\0\n{"file":"../../etc/passwd"}\n${'x'.repeat(200_000)}\n`,
    );

    expect(await run('check data')).toMatchObject({ exitCode: 0 });
    const { histories, notes } = await check();
    expect(histories[0].skippedLines).toEqual([6, 7, 8, 9]);
    expect(notes.join()).toContain('4 lines of _adreport.ndjson skipped');
  });

  test('reports a history without a valid line, and the next run writes it again', async () => {
    const { run, cwd, check } = await keepDays();
    const path = join(cwd, historyFile);
    const text = readFileSync(path);
    const wide = Buffer.from(text.toString(), 'utf16le');
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(8_000), wide]) {
      writeFileSync(path, bytes);
      expect((await check()).problems).toMatchObject([{ file: historyFile, kind: 'unreadable' }]);
      expect(await run('repair data')).toMatchObject({ exitCode: 9 });
    }
    expect(await run(`${fourDays} --missing`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('files whose spec is lost need the original command', async () => {
    const { run, cwd, at, check } = await keepDays();
    const path = join(cwd, historyFile);
    const [, ...files] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, ['{"history":1,"spec":"torn', ...files].join('\n'));
    rmSync(at('date=2026-11-10/part.csv'));

    const { problems, repair } = await check();
    expect(problems).toHaveLength(4);
    expect(problems[0]).toMatchObject({ kind: 'untracked' });
    expect(repair).toBeNull();
    const text = await run('check data');
    expect(text.stdout).toContain('Run the original command again.');
    expect(await run('repair data')).toMatchObject({ exitCode: 9 });
    expect(await run(`${fourDays} --missing`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('a path that looks like a flag is printed so that it can be typed', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = fourDays.replace('data/', './-d/');
    const { cwd } = await run(line);
    rmSync(join(cwd, '-d/date=2026-11-10/part.csv'));
    const { stdout } = await run('check ./-d');
    expect(stdout).toContain('To repair: adreport repair ./-d ');
    expect(await run('repair ./-d')).toMatchObject({ exitCode: 0 });
  });

  test.skipIf(onWindows)('handles folders, links, loops and pipes in place of files', async () => {
    const { run, at, cwd, check } = await keepDays();
    await run(fourDays.replace('2026-11-09..2026-11-12', '2026-11-13'));
    const places = ['09', '10', '11', '12'].map((day) => at(`date=2026-11-${day}/part.csv`));
    for (const place of places) rmSync(place);
    const [folder = '', dangling = '', loop = '', pipe = ''] = places;
    mkdirSync(folder);
    symlinkSync('nowhere', dangling);
    symlinkSync('part.csv', loop);
    execFileSync('mkfifo', [pipe]);
    execFileSync('mkfifo', [join(cwd, 'data/_adreport-1-of-2.ndjson')]);

    const { problems } = await check();
    expect(problems.map(({ kind }: { kind: string }) => kind)).toEqual(Array(5).fill('unreadable'));
    expect(problems[0].file).toBe('data/_adreport-1-of-2.ndjson');
    expect(await run(`repair data --json`)).toMatchObject({ exitCode: 9 });

    for (const path of ['', 'nowhere', 'data/date=2026-11-11/part.csv', pipe, '/dev/null']) {
      const { exitCode, stderr } = await run(['check', path]);
      expect(exitCode, stderr).toBe(2);
    }
    const lone = await run(['check', 'data/date=2026-11-13/part.csv']);
    expect(lone).toMatchObject({ exitCode: 9 });
  });

  test.skipIf(onWindows)(
    'a link on the path of a file is unreadable, and no run writes through it',
    async () => {
      const { run, at, cwd, check, calls } = await keepDays();
      mkdirSync(join(cwd, 'elsewhere'));
      rmSync(at('date=2026-11-10'), { recursive: true });
      symlinkSync(join(cwd, 'elsewhere'), at('date=2026-11-10'));
      const before = calls('buyer');

      expect((await check()).problems).toMatchObject([
        { file: 'data/date=2026-11-10/part.csv', kind: 'unreadable' },
      ]);
      expect(await run('repair data')).toMatchObject({ exitCode: 9 });
      const { exitCode, stderr, files } = await run(`${fourDays} --missing`);
      expect(exitCode).toBe(8);
      expect(stderr).toContain('date=2026-11-10 is a link');
      expect(calls('buyer')).toBe(before);
      expect(files['elsewhere/part.csv']).toBeUndefined();
    },
  );

  test('a link in place of a file is unreadable, and its target is never replaced', async () => {
    const { run, at, cwd, check, calls } = await keepDays();
    const thesis = join(cwd, 'thesis.txt');
    writeFileSync(thesis, 'three years\n');
    const file = 'date=2026-11-10/part.csv';
    rmSync(at(file));
    symlinkSync(thesis, at(file));
    const before = calls('buyer');

    expect((await check()).problems).toMatchObject([{ file: `data/${file}`, kind: 'unreadable' }]);
    const repaired = await run('repair data');
    expect(repaired).toMatchObject({
      exitCode: 9,
      stdout: expect.stringContaining('it is a link'),
    });
    expect(calls('buyer')).toBe(before);
    for (const more of ['', '--missing', '--refetch']) {
      const { exitCode, stderr } = await run(`${fourDays} ${more}`);
      expect(exitCode, more).toBe(8);
      expect(stderr).toContain(`${join('data', file)} through a link: it is a link`);
    }
    expect(readFileSync(thesis, 'utf8')).toBe('three years\n');
  });

  test('Ctrl-C interrupts reading an endless history', async () => {
    const { run, cwd } = await keepDays();
    writeFileSync(join(cwd, historyFile), 'x'.repeat(2_000_000));
    const { signal, send } = interruption(130);
    send();
    expect(await run('check data', { signal })).toMatchObject({ exitCode: 130 });
  });
});

describe('repair', () => {
  test('--dry-run lists the reports and orders nothing', async () => {
    const { run, at, calls } = await keepDays();
    rmSync(at('date=2026-11-10/part.csv'));
    const before = calls('buyer');
    const { exitCode, stdout } = await run('repair data --dry-run');
    expect(exitCode).toBe(9);
    expect(stdout).toContain(`${join('data', 'date=2026-11-10', 'part.csv')}  missing`);
    expect(stdout).toContain('1 report would be requested.');
    expect(calls('buyer')).toBe(before);
  });

  test('downloads with the filters, columns and CSV dialect of the spec', async () => {
    const more =
      '--metrics clicks,ctr,displays --filter countryId=3017382 --columns os,ctr --excel';
    const { run, at } = await keepDays(more);
    const path = at('date=2026-11-10/part.csv');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, 'damage');

    expect(await run('repair data/date=2026-11-10')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('is as strict as the spec', async () => {
    let isWrong = false;
    const { run } = await serveOdd({
      server: { delayMs: 0 },
      faults: [
        {
          endpoint: 'download',
          when: () => isWrong,
          change: (document: object) => ({ ...document, hasMore: true }),
        },
      ],
    });
    const { cwd } = await run(`${fourDays} --strict`);
    rmSync(join(cwd, 'data/date=2026-11-10/part.csv'));
    isWrong = true;

    const { exitCode, files } = await run('repair data');

    expect(exitCode).toBe(9);
    expect(files['data/date=2026-11-10/part.csv']).toBeUndefined();
  });

  test('orders more than a hundred reports only after confirmation or with --yes', async () => {
    const { run, calls, cwd, server } = await serveForTest({ delayMs: 0 });
    await run(
      'run --since 2026-11-15 --until 2026-11-15 --by OS --split day -q -o data/{date}.csv',
    );
    const before = calls('buyer');
    const path = join(cwd, 'data/_adreport.ndjson');
    const history = readFileSync(path, 'utf8');
    writeFileSync(path, history.replace('"since":"2026-11-15"', '"since":"2026-08-01"'));

    const refused = await run('repair data');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('106 reports');
    expect(refused.stderr).toContain('--yes');
    expect(calls('buyer')).toBe(before);

    server.fault('buyer:unauthorized');
    expect(await run('repair data --yes -q')).toMatchObject({ exitCode: 3 });
    expect(calls('buyer')).toBeGreaterThan(before);
  });

  test('has the exit code of a failed download, and names its days', async () => {
    const { run, at, server } = await keepDays();
    rmSync(at('date=2026-11-10/part.csv'));
    rmSync(at('date=2026-11-12/part.csv'));
    server.fault('status:failed');
    const { exitCode, stdout, stderr } = await run('repair data --retries 0');
    expect(exitCode).toBe(6);
    expect(stderr).toContain('2026-11-10');
    expect(stderr).not.toContain('{date}');
    expect(stderr).toContain('Run again: adreport repair data');
    expect(stdout).toContain('To repair: adreport repair data');
    expect(await run('repair nowhere')).toMatchObject({ exitCode: 2 });
  });
});
