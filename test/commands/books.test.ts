import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { BookLine } from '../../src/report/book-line.ts';
import { serveForTest } from '../support/service.ts';

const week =
  'run --period 2026-11-09..2026-11-15 --split day --missing -q -o data/date={date}/part.csv';
const booksFile = 'data/_adreport.ndjson';

function linesOf(books: Readonly<Record<string, string>>, name = booksFile): BookLine[] {
  const texts = (books[name] ?? '').split('\n').filter((text) => text !== '');
  return texts.map((text) => JSON.parse(text));
}

describe('the books', () => {
  test('have a line for each file, with what it answers and what it adds up to', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { exitCode, files, books } = await run(`${week} --by DAILY,CAMPAIGN --country FR`);

    expect(exitCode).toBe(0);
    const lines = linesOf(books);
    expect(lines.map(({ file }) => file).sort()).toEqual(
      Object.keys(files).map((name) => name.replace('data/', '')),
    );
    const line = lines.find(({ file }) => file === 'date=2026-11-09/part.csv');
    expect(line).toMatchObject({
      window: {
        since: '2026-11-09T00:00:00+0100',
        until: '2026-11-09T23:59:59+0100',
        timezone: 'Europe/Paris',
      },
      request: {
        profile: 'buyer',
        breakdowns: ['DAILY', 'CAMPAIGN'],
        filters: { countryId: ['3017382'] },
      },
      key: ['date', 'campaignId'],
      warnings: [],
      format: { name: 'csv' },
    });

    const rows = (files['data/date=2026-11-09/part.csv'] ?? '').trimEnd().split('\r\n');
    const columns = rows[0]?.split(',') ?? [];
    const displaysAt = columns.indexOf('displays');
    let displays = 0;
    for (const row of rows.slice(1))
      displays += Number(row.split(',').at(displaysAt - columns.length));
    expect(line?.rows).toBe(rows.length - 1);
    expect(line?.totals.displays).toBe(String(displays));
  });

  test('of a shard are its own', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    await run(`${week} --by OS --shard 1/2`);
    const { books } = await run(`${week} --by OS --shard 2/2`);

    expect(Object.keys(books).sort()).toEqual([
      'data/_adreport-1-of-2.ndjson',
      'data/_adreport-2-of-2.ndjson',
    ]);
    expect(await run(`${week} --by OS --shard 1/2`)).toMatchObject({ exitCode: 0 });
    const again = await run(`${week} --by OS`);
    expect(linesOf(again.books)).toEqual([]);
  });

  test('are left out with --no-books, and where no name tells the time', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    expect((await run(`${week} --by OS --no-books`)).books).toEqual({});
    expect((await run('run --period 2026-11-09 --by OS -q -o one.csv')).books).toEqual({});
  });

  test('tell which totals moved when a day is fetched again', async () => {
    let nowMs = Date.UTC(2026, 10, 16, 4);
    const { run } = await serveForTest({ delayMs: 0, restateDays: 5, clock: () => nowMs });
    const line =
      'run --period last-3d --by CAMPAIGN --split day --missing --lookback 3 -o {date}.csv';

    await run(`${line} -q`, { now: nowMs });
    nowMs += 86_400_000;
    const { stdout, stderr, books } = await run(`${line} --json`, { now: nowMs });

    expect(stderr).toMatch(/2026-11-1\d changed: .*downloads [\d,]+ → [\d,]+/);
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    const result = results.find(({ file }) => file === '2026-11-15.csv');
    const lines = linesOf(books, '_adreport.ndjson').filter(
      ({ file }) => file === '2026-11-15.csv',
    );
    expect(lines).toHaveLength(2);
    expect(result.changed).toEqual(lines[1]?.changed);
    expect(result.changed.downloads).toEqual([
      lines[0]?.totals.downloads,
      lines[1]?.totals.downloads,
    ]);
  });

  test('of two cron lines at once tell a restated day once', async () => {
    let nowMs = Date.UTC(2026, 10, 16, 4);
    const { run } = await serveForTest({ delayMs: 0, restateDays: 9, clock: () => nowMs });
    const line =
      'run --period last-3d --by CAMPAIGN --split day --missing --lookback 3 --fresh -q -o {date}.csv';
    await run(line, { now: nowMs });

    nowMs += 86_400_000;
    await Promise.all([run(line, { now: nowMs }), run(line, { now: nowMs })]);

    const { books } = await run('check . -q', { now: nowMs });
    const lines = linesOf(books, '_adreport.ndjson');
    const day = lines.filter(({ file }) => file === '2026-11-15.csv');
    expect(day).toHaveLength(3);
    expect(day.map(({ changed }) => changed !== undefined)).toEqual([false, true, false]);
  });

  test('that are torn are told of once a run, and by their folder', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${week.replace('part.csv', '{account}.csv')} --by OS --local --account buyer,admin`;
    await run(line);
    appendFileSync(join(cwd, booksFile), '{"hello":');

    const { stderr } = await run(line.replace(' -q', ''));

    expect(stderr.match(/Line 15 of data\/_adreport.ndjson is torn/g)).toHaveLength(1);
  });

  test('name an account alike, whether its usual name is typed or left out', async () => {
    const { run, server } = await serveForTest({ delayMs: 0 });
    const env = { ADREPORT_BASE_URL: undefined, ADREPORT_TOKEN: undefined };
    const email = 'buyer@example.com';
    const login = `login --base-url ${server.url} --email ${email} --password-stdin -q`;
    expect((await run(login, { env, stdin: 'demo\n' })).exitCode).toBe(0);

    const { books } = await run(`${week} --by OS`, { env });
    expect(linesOf(books)[0]?.request.account).toBe(email);

    const calls = server.requests().length;
    const typed = await run(`${week} --by OS --account default`, { env });
    expect(typed.exitCode, typed.stderr).toBe(0);
    expect(server.requests()).toHaveLength(calls);
  });

  test('that cannot be written to are a warning, and exit 8 with --strict', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by OS`);
    rmSync(join(cwd, booksFile));
    // A folder of that name takes no lines.
    writeFileSync(join(cwd, 'blocker'), '');
    await run('run --period 2026-11-01 --by OS -q -o data/_adreport.ndjson/x.csv');
    const line = `${week.replace(' --missing', '')} --by OS`;

    const lenient = await run(line.replace(' -q', ''));
    expect(lenient.exitCode).toBe(0);
    expect(lenient.stderr).toContain('could not be written to');
    expect((await run(`${line} --strict`)).exitCode).toBe(8);
  });
});

describe('--missing', () => {
  const otherRequests = [
    '--metrics clicks --by DAILY,CAMPAIGN --country FR',
    '--by DAILY,CAMPAIGN --country DE',
    '--by DAILY,CAMPAIGN',
    '--by DAILY,CAMPAIGN --country FR --excel',
  ];

  test.each(otherRequests)('refuses files of another request (%s)', async (flags) => {
    const { run, server } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by DAILY,CAMPAIGN --country FR`);
    const before = server.requests().length;

    const { exitCode, stderr } = await run(`${week} ${flags}`);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('answer another request than this one');
    expect(stderr).toContain('--refetch');
    expect(server.requests()).toHaveLength(before);
    expect((await run(`${week} ${flags} --refetch`)).exitCode).toBe(0);
    expect((await run(`${week} ${flags}`)).exitCode).toBe(0);
  });

  test('fetches what is empty, cut or absent, and says why in --dry-run', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${week} --by OS`;
    await run(line);
    truncateSync(join(cwd, 'data/date=2026-11-09/part.csv'), 0);
    truncateSync(join(cwd, 'data/date=2026-11-10/part.csv'), 20);
    rmSync(join(cwd, 'data/date=2026-11-11/part.csv'));

    const { stdout } = await run(`${line} --dry-run --json`);
    const { requests } = JSON.parse(stdout);
    expect(requests.map(({ reason }: { reason: string }) => reason)).toEqual([
      'its file is empty',
      'its file was cut or changed',
      'there is no file',
    ]);

    await run(line);
    expect((await run('check data')).exitCode).toBe(0);
  });

  test('says in --dry-run why a saved report would be fetched, and of a shard its own parts', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const report =
      '{period: 2026-11-09..2026-11-15, by: OS, split: day, missing: true, lookback: 1}';
    writeFileSync(
      join(cwd, 'adreport.yaml'),
      `defaults: {output: "{report}/{date}.csv"}\nreports:\n  r: ${report}\n`,
    );
    const late = Date.UTC(2026, 11, 20, 12);
    await run('run r -q', { now: late });
    rmSync(join(cwd, 'r/2026-11-10.csv'));
    rmSync(join(cwd, 'r/2026-11-11.csv'));

    for (const { flags, days } of [
      { flags: '', days: ['2026-11-10', '2026-11-11', '2026-11-15'] },
      { flags: ' --shard 1/2', days: ['2026-11-10'] },
      { flags: ' --shard 2/2', days: ['2026-11-11', '2026-11-15'] },
    ]) {
      const { stdout } = await run(`run r --dry-run --json${flags}`, { now: late });
      const { requests } = JSON.parse(stdout);
      const reasons = requests.map(({ output, reason }: Record<string, string>) => [
        output,
        reason,
      ]);
      const isLast = (day: string) => day === '2026-11-15';
      expect(reasons).toEqual(
        days.map((day) => [
          `r/${day}.csv`,
          isLast(day) ? 'it is among the last 1' : 'there is no file',
        ]),
      );
    }
  });

  describe.each(['part.csv', 'part.csv.gz', 'part.parquet'])(
    'judges files that have no line by their columns (%s)',
    (name) => {
      const line = `${week.replace('part.csv', name)} --metrics displays,clicks`;

      async function withoutBooks() {
        const place = await serveForTest({ delayMs: 0 });
        await place.run(`${line} --by CAMPAIGN`);
        rmSync(join(place.cwd, booksFile));
        return place;
      }

      test('and has nothing to do where they are the same', async () => {
        const { run, server } = await withoutBooks();
        const before = server.requests().length;

        const { exitCode, stderr } = await run(`${line} --by CAMPAIGN`.replace(' -q', ''));

        expect(exitCode).toBe(0);
        expect(stderr).toContain('The books have no line for 7 files');
        expect(server.requests()).toHaveLength(before);
      });

      test.each(['--by OS', '--by CAMPAIGN,OS', '--by CAMPAIGN --columns campaignId,displays'])(
        'and refuses others, or fetches them again with --refetch (%s)',
        async (flags) => {
          const { run, server } = await withoutBooks();
          const before = server.requests().length;

          const { exitCode, stderr } = await run(`${line} ${flags}`);

          expect(exitCode).toBe(2);
          expect(stderr).toContain('7 files, the first is date=2026-11-09');
          expect(stderr).toContain('columns: campaignId,campaignName,displays,clicks → ');
          expect(server.requests()).toHaveLength(before);

          expect((await run(`${line} ${flags} --refetch`)).exitCode).toBe(0);
          expect((await run('check data')).exitCode).toBe(0);
          expect((await run(`${line} ${flags}`)).exitCode).toBe(0);
        },
      );
    },
  );

  test('fetches a Parquet file without a line that was cut', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${week.replace('part.csv', 'part.parquet')} --by OS`;
    await run(line);
    rmSync(join(cwd, booksFile));
    truncateSync(join(cwd, 'data/date=2026-11-12/part.parquet'), 300);

    const { stdout } = await run(`${line} --dry-run --json`);

    const { requests } = JSON.parse(stdout);
    expect(requests.map(({ output, reason }: Record<string, string>) => [output, reason])).toEqual([
      ['data/date=2026-11-12/part.parquet', 'its file cannot be read'],
    ]);
  });

  test('fetches again what a run has left without its line, though it was the first of all', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${week} --by OS`;
    await run(line);
    const text = readFileSync(join(cwd, booksFile), 'utf8');
    const [first = '', ...others] = text.trimEnd().split('\n');
    writeFileSync(join(cwd, booksFile), others.map((other) => `${other}\n`).join(''));

    const { stdout } = await run(`${line} --dry-run --json`);
    const { requests } = JSON.parse(stdout);
    expect(requests).toEqual([
      expect.objectContaining({
        output: `data/${JSON.parse(first).file}`,
        reason: 'its run was ended before its line was in the books',
      }),
    ]);

    await run(line);
    expect((await run('check data')).exitCode).toBe(0);
  });

  test('fetches again what stands beside books that a run made and did not live to write to', async () => {
    const nowMs = Date.now();
    const { run, cwd } = await serveForTest({ delayMs: 0, clock: () => nowMs });
    await run('run --period yesterday --by OS --split day -q -o new/{date}.csv', { now: nowMs });
    truncateSync(join(cwd, 'new/_adreport.ndjson'), 0);
    utimesSync(join(cwd, 'new/_adreport.ndjson'), nowMs / 1_000, nowMs / 1_000);
    await run('run --period yesterday --by OS --split day -q --missing -o new/{date}.csv', {
      now: nowMs,
    });
    expect((await run('check new')).exitCode).toBe(0);
  });

  test('leaves files alone that are older than the books', async () => {
    const { run, cwd, server } = await serveForTest({ delayMs: 0 });
    const old = '--period 2026-11-09..2026-11-14 --by OS --split day -q -o {date}.csv';
    await run(`run ${old} --no-books`);
    await run('run --period 2026-11-15 --by OS --split day -q -o {date}.csv', {
      now: Date.UTC(2026, 10, 21, 12),
    });
    const before = server.requests().length;

    const { exitCode, stderr } = await run(`run ${old.replace(' -q', '')} --missing`);

    expect(exitCode).toBe(0);
    expect(stderr).toContain('The books have no line for 6 files');
    expect(server.requests()).toHaveLength(before);
    expect(existsSync(join(cwd, '2026-11-09.csv'))).toBe(true);
  });

  test('fetches again what is as long as its line says, and not what it was', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const line = `${week} --by OS`;
    await run(line);
    const path = join(cwd, 'data/date=2026-11-09/part.csv');
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    );

    await run(line);

    expect(readFileSync(path, 'utf8')).toBe(text);
    expect((await run('check data')).exitCode).toBe(0);
  });

  test('fetches nothing where a copy of the folder has other times', async () => {
    const { run, cwd, server } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by OS`);
    utimesSync(join(cwd, 'data/date=2026-11-09/part.csv'), 1_700_000_000, 1_700_000_000);
    const before = server.requests().length;

    expect((await run(`${week} --by OS`)).exitCode).toBe(0);
    expect(server.requests()).toHaveLength(before);
  });

  test('a file has the time of its report, in a folder without books too', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const nowMs = Date.UTC(2026, 10, 12, 12);

    await run('run --period yesterday --by OS -q -o one.csv', { now: nowMs });

    expect(statSync(join(cwd, 'one.csv')).mtimeMs).toBe(nowMs);
  });

  test('passes over a torn line of the books, and says so', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by OS`);
    appendFileSync(join(cwd, booksFile), '{"file":"date=2026');

    const { exitCode, stderr } = await run(`${week} --by OS`.replace(' -q', ''));

    expect(exitCode).toBe(0);
    expect(stderr).toContain('is torn');
    expect(readFileSync(join(cwd, booksFile), 'utf8')).toContain('{"file":"date=2026');
  });
});

describe('check', () => {
  test('calls a file that ends now early, and one without a header no stranger', async () => {
    const noon = Date.UTC(2026, 10, 20, 11);
    const { run } = await serveForTest({ delayMs: 0, clock: () => noon });
    const line = 'run --since 2026-11-18 --until now --split day --by OS -q';

    await run(`${line} -o early/{date}.csv`, { now: noon });
    await run(`${week.replace('data/', 'bare/')} --by OS --no-header`);

    const early = JSON.parse((await run('check early --json', { now: noon })).stdout);
    expect(early.findings).toHaveLength(1);
    expect(early.findings[0]).toMatchObject({ kind: 'early', file: 'early/2026-11-20.csv' });
    expect((await run('check bare')).exitCode).toBe(0);
  });

  test('works for names that begin with the id of a report', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { exitCode } = await run('run --period 2026-11-09 --by OS -q -o ids/{id}-{date}.csv');

    expect(exitCode).toBe(0);
    expect((await run('check ids')).exitCode).toBe(0);
  });

  test('says that a folder is whole, and what it adds up to', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by DAILY,CAMPAIGN --country FR`);

    const { exitCode, stdout } = await run('check data');

    expect(exitCode).toBe(0);
    expect(stdout).toContain('Country: France');
    expect(stdout).toContain('7 files');
    expect(stdout).toContain('Nothing is wrong.');
  });

  test('is exit 9 where a file was changed, and names it', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    await run(`${week} --by DAILY,CAMPAIGN`);
    appendFileSync(join(cwd, 'data/date=2026-11-10/part.csv'), 'more\r\n');

    const { exitCode, stdout } = await run('check data --json');

    expect(exitCode).toBe(9);
    const { findings } = JSON.parse(stdout);
    expect(findings).toEqual([
      {
        kind: 'changed file',
        file: 'data/date=2026-11-10/part.csv',
        sentence: expect.stringContaining('was changed after it was written'),
      },
    ]);
    expect((await run('check data/date=2026-11-09/part.csv')).exitCode).toBe(0);
    expect((await run('check data/date=2026-11-10/part.csv')).exitCode).toBe(9);
  });

  test('of a file that no books are for holds it against itself', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    await run('run --period 2026-11-09 --by OS -q -o one.parquet');
    expect((await run('check one.parquet')).exitCode).toBe(0);

    truncateSync(join(cwd, 'one.parquet'), 200);
    const cut = await run('check one.parquet');
    expect(cut.exitCode).toBe(9);
    expect(cut.stdout).toContain('one.parquet is no whole Parquet file.');

    // Among files with books it should have a line.
    await run(`${week} --by OS`);
    writeFileSync(join(cwd, 'data/date=2026-11-09/other.csv'), 'a,b\n1,2\n');
    const other = await run('check data/date=2026-11-09/other.csv');
    expect(other.exitCode).toBe(9);
    expect(other.stdout).toContain('other.csv has no line in the books');
  });

  test('fits on a terminal of 80 columns, and tells of ages what a reader needs', async () => {
    let nowMs = Date.UTC(2026, 9, 1, 3);
    const { run } = await serveForTest({ delayMs: 0, restateDays: 3, clock: () => nowMs });
    const line = 'run --period last-5d --by OS --split day --missing --lookback 5 -q';
    for (let night = 0; night < 7; night += 1) {
      nowMs += 86_400_000;
      await run(`${line} -o data/{date}.csv`, { now: nowMs });
    }

    const { stdout } = await run('check data', { tty: true, columns: 80, now: nowMs });

    const lines = stdout.split('\n');
    for (const text of lines) expect(stripVTControlCharacters(text).length).toBeLessThanOrEqual(80);
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(stdout).toContain('revenueEuro: mean, most');
    expect(stdout).toMatch(/^4 to 5 +\d+ +nothing$/m);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('--lookback 3 is enough.');
  });

  test('of a path that is not there is exit 2', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    expect((await run('check nowhere')).exitCode).toBe(2);
  });
});
