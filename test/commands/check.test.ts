import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileLine, OrderLine } from '../../src/archive/forms.ts';
import { serveDamaged } from '../support/damaged-service.ts';
import { interruption } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const dayMs = 86_400_000;
const week =
  'run --period 2026-11-09..2026-11-15 --by OS --split day -q -o data/date={date}/part.csv';
const book = 'data/_adreport.ndjson';

/** A folder of a week of days. */
async function keepWeek(more = '') {
  const server = await serveForTest({ delayMs: 0 });
  expect(await server.run(`${week} ${more}`)).toMatchObject({ exitCode: 0 });
  const at = (name: string): string => join(server.cwd, 'data', name);
  const check = async () => JSON.parse((await server.run('check data --json')).stdout);
  return { ...server, at, check };
}

/** The order lines and the file lines of a book. */
function linesOf(text = '') {
  const lines: (OrderLine | FileLine)[] = [];
  for (const line of text.split('\n')) {
    if (line !== '') lines.push(JSON.parse(line));
  }
  const orders = lines.filter((line): line is OrderLine => 'books' in line);
  const files = lines.filter((line): line is FileLine => 'file' in line);
  return { lines, orders, files };
}

describe('the books', () => {
  test('begin with the order, and have a line for each file with what it adds up to', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { books, files } = await run(`${week} --country FR --delimiter ;`);

    const { lines, orders, files: fileLines } = linesOf(books[book]);
    expect(lines[0]).toEqual(orders[0]);
    expect(orders).toHaveLength(1);
    expect(orders[0]).toMatchObject({
      books: 1,
      request: {
        profile: 'buyer',
        breakdowns: ['OS'],
        filters: { countryId: ['3017382'] },
        columns: null,
      },
      timezone: 'Europe/Paris',
      format: { name: 'csv', delimiter: ';' },
      output: 'date={date}/part.csv',
      split: 'day',
      period: '2026-11-09..2026-11-15',
      lookback: 0,
      account: null,
      service: 'local',
      windowClock: 'instant',
    });

    expect(fileLines.map(({ file }) => `data/${file}`).sort()).toEqual(Object.keys(files));
    const [line] = fileLines.filter(({ file }) => file.includes('2026-11-09'));
    const rows = (files['data/date=2026-11-09/part.csv'] ?? '').trimEnd().split('\r\n');
    const displaysAt = rows[0]?.split(';').indexOf('displays') ?? 0;
    let displays = 0;
    for (const row of rows.slice(1)) displays += Number(row.split(';')[displaysAt]);
    expect(line).toMatchObject({
      order: orders[0]?.order,
      since: '2026-11-09T00:00:00+0100',
      until: '2026-11-09T23:59:59+0100',
      rows: rows.length - 1,
      totals: { displays: String(displays) },
      warnings: [],
    });
  });

  test('say what the service’s clock says of the time of a report', async () => {
    const nowMs = Date.UTC(2026, 10, 20, 12);
    const { run } = await serveForTest({ delayMs: 0, clock: () => nowMs });

    const { books } = await run(week, { now: nowMs + 30 * dayMs });

    const created = linesOf(books[book]).files.map((line) => line.created);
    expect(new Set(created)).toEqual(new Set(['2026-11-20T12:00:00.000Z']));
  });

  test('have an order where it is new, and no other', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    await run(week);
    await run(week);
    await run(`${week} --missing --lookback 5`);

    const { books } = await run(week);

    expect(linesOf(books[book]).orders.map(({ lookback }) => lookback)).toEqual([0, 5, 0]);
  });

  test('of a shard are its own, and --no-books and a name by id leave them out', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    await run(`${week} --shard 1/2`);
    const { books } = await run(`${week} --shard 2/2`);

    const names = ['data/_adreport-1-of-2.ndjson', 'data/_adreport-2-of-2.ndjson'];
    expect(Object.keys(books)).toEqual(names);
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
    const day = 'run --period 2026-11-09 --by OS -q';
    for (const line of [`${day} --no-books -o b/{date}.csv`, `${day} -o b/{date}-{id}.csv`]) {
      expect(Object.keys((await run(line)).books)).toEqual(names);
    }
  });

  test('are never a target, and never written to through a link or into a pipe', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const direct = await run('run --period 2026-11-09 --by OS -o _adreport.ndjson');
    expect(direct).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('the books of') });

    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'mine.txt'), 'mine\n');
    symlinkSync(join(cwd, 'mine.txt'), join(cwd, book));
    const linked = await run(week);
    expect(linked).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('it is a link') });
    expect({ ...linked.files, ...linked.books }).toEqual({
      'mine.txt': 'mine\n',
      [book]: 'mine\n',
    });

    rmSync(join(cwd, book));
    execFileSync('mkfifo', [join(cwd, book)]);
    expect(await run(week)).toMatchObject({ exitCode: 8, stderr: expect.stringContaining('book') });
  });
});

describe('--missing', () => {
  test('fetches what is absent, cut or without a line, and says what is there', async () => {
    const { run, at, calls } = await keepWeek();
    rmSync(at('date=2026-11-10/part.csv'));
    writeFileSync(at('date=2026-11-11/part.csv'), '');
    appendFileSync(at('date=2026-11-12/part.csv'), 'x');
    const before = calls('buyer');

    const { exitCode, stderr } = await run(`${week.replace(' -q', '')} --missing`);

    expect({ exitCode, orders: calls('buyer') - before }).toEqual({ exitCode: 0, orders: 3 });
    expect(stderr).toContain('4 of 7 days are there; fetching 3.');
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('after an outage fetches the days before the window that were not final', async () => {
    let nowMs = Date.UTC(2026, 8, 1, 5);
    const { run } = await serveForTest({ delayMs: 0, restateDays: 3, clock: () => nowMs });
    const line =
      'run --period last-4d --by OS --split day --missing --lookback 3 -q -o data/{date}.csv';
    await run(line, { now: nowMs });
    nowMs += dayMs;
    await run(line, { now: nowMs });

    nowMs += 5 * dayMs;
    const late = JSON.parse((await run('check data --json', { now: nowMs })).stdout);
    expect(late.findings.map(({ kind }: { kind: string }) => kind)).toContain('late');
    expect(await run(line, { now: nowMs })).toMatchObject({ exitCode: 0 });

    const { findings } = JSON.parse((await run('check data --json', { now: nowMs })).stdout);
    const kinds = new Set(findings.map(({ kind }: { kind: string }) => kind));
    expect(kinds).toEqual(new Set(['missing']));
    expect(await run('repair data', { now: nowMs })).toMatchObject({ exitCode: 0 });
  });

  test('of another request fetches the others where most files are of this one, else nothing', async () => {
    const { run, at, calls, cwd } = await keepWeek('--country FR');
    const loud = week.replace(' -q', '');
    const other = await run(`${loud} --country DE --missing`);
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('7 files');
    expect(other.stderr).toContain('country: FR → DE');
    expect(other.stderr).not.toContain('fetching');
    expect(await run(`${week} --country DE`)).toMatchObject({ exitCode: 2 });
    expect(calls('buyer')).toBe(7);

    const day = week.replace('2026-11-09..2026-11-15', '2026-11-15');
    expect(await run(`${day} --country DE --refetch`)).toMatchObject({ exitCode: 0 });
    rmSync(at('date=2026-11-10/part.csv'));
    const most = await run(`${loud} --country FR --missing`);
    expect(most.exitCode).toBe(2);
    expect(most.stderr).toContain('date=2026-11-15/part.csv answers another request');
    expect(most.stderr).toContain('5 of 7 days are there; fetching 1.');
    expect(most.files['data/date=2026-11-10/part.csv']).toBeDefined();

    const { findings, series } = JSON.parse((await run('check data --json', { cwd })).stdout);
    expect(series).toMatchObject([{ request: { filters: { countryId: ['3017382'] } } }]);
    expect(findings).toEqual([
      {
        file: 'data/date=2026-11-15/part.csv',
        kind: 'other',
        said: expect.stringContaining('country: FR → DE'),
      },
    ]);
    const repaired = await run('repair data');
    expect(repaired).toMatchObject({ exitCode: 9 });
    expect(repaired.stdout).toContain('Only you can decide');
    expect(await run(`${week} --country FR --refetch`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('counts the files that stand, and not those that are gone, for the request of a series', async () => {
    const { run, at, check } = await keepWeek('--country FR');
    const days = week.replace('2026-11-09..2026-11-15', '2026-11-09..2026-11-11');
    expect(await run(`${days} --country DE --refetch`)).toMatchObject({ exitCode: 0 });
    for (const day of [12, 13, 14]) rmSync(at(`date=2026-11-${day}/part.csv`));

    const { exitCode, stderr, files } = await run(`${week} --country DE --missing`);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('date=2026-11-15/part.csv answers another request');
    expect(files['data/date=2026-11-13/part.csv']).toBeDefined();
    const { findings } = await check();
    expect(findings).toMatchObject([{ file: 'data/date=2026-11-15/part.csv', kind: 'other' }]);
  });

  test('never takes a day for a week or a month of the same name, and never puts one over the other', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = (split: string, period = '2026-09-28..2026-10-04') =>
      `run --period ${period} --by OS ${split} -q -o data/{date}.csv`;
    const days = await run(line('--split day'));

    for (const asked of [line('--split week'), line('--split month', '2026-10')]) {
      for (const missing of ['', '--missing']) {
        const { exitCode, stderr, files } = await run(`${asked} ${missing}`);
        expect(exitCode, stderr).toBe(2);
        expect(stderr).toMatch(/split: day → (week|month)\.\n.*6 files of it/);
        expect(files).toEqual(days.files);
      }
    }
    // A day without `--split` is a day all the same.
    expect(await run(line('', '2026-10-04'))).toMatchObject({ exitCode: 0 });

    expect(await run(`${line('--split week')} --refetch`)).toMatchObject({ exitCode: 0 });
    const { findings } = JSON.parse((await run('check data --json')).stdout);
    const said = expect.stringContaining('split: day → week');
    expect(findings).toEqual([{ file: 'data/2026-09-28.csv', kind: 'other', said }]);
    expect(await run(`${line('--split day')} --missing`)).toMatchObject({ exitCode: 2 });
    expect(await run(`${line('--split day')} --refetch`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('of two requests with as many files takes that of the newer file that stands', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const on = (day: string): string => week.replace('2026-11-09..2026-11-15', day);
    for (const [day, country] of [
      ['09', 'FR'],
      ['10', 'DE'],
      ['11', 'FR'],
    ] as const) {
      const line = on(`2026-11-${day}`);
      expect(await run(`${line} --country ${country}`)).toMatchObject({ exitCode: 0 });
    }
    rmSync(join(cwd, 'data/date=2026-11-11/part.csv'));

    const { stdout } = await run('check data --json');

    expect(JSON.parse(stdout).findings).toMatchObject([
      { file: 'data/date=2026-11-09/part.csv', kind: 'other' },
      { file: 'data/date=2026-11-11/part.csv', kind: 'missing' },
    ]);
  });

  test('without books takes what is there for whole, and says so', async () => {
    const { run, calls } = await keepWeek('--no-books');
    const { exitCode, stderr } = await run(`${week.replace(' -q', '')} --missing --no-books`);
    expect({ exitCode, orders: calls('buyer') }).toEqual({ exitCode: 0, orders: 7 });
    expect(stderr).toContain('only whether a file is there');
  });
});

describe('a report without rows, or with few', () => {
  test('without rows never replaces a file with rows, and is asked for again until seven days more are over', async () => {
    let nowMs = Date.UTC(2026, 10, 16, 5);
    let isEmpty = false;
    const run = await serveDamaged({
      name: 'a service that forgets',
      server: { delayMs: 0, clock: () => nowMs },
      answer: (answer, { path }) => {
        const isReport = path.startsWith('/download');
        return isEmpty && isReport
          ? { ...answer, json: { ...Object(answer.json), data: [] } }
          : answer;
      },
    });
    const line =
      'run --period 2026-11-14..2026-11-15 --by OS --split day --missing --lookback 1 -o data/{date}.csv';
    const first = await run(`${line} -q`, { now: nowMs });
    const text = first.files['data/2026-11-15.csv'];

    isEmpty = true;
    nowMs += 2 * dayMs;
    const kept = await run(`${line} --json`, { now: nowMs });
    expect(kept.exitCode, kept.stderr).toBe(0);
    expect(kept.stderr).toContain('2026-11-15.csv stays as it is, because the report has no rows');
    const results = kept.stdout
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(results).toContainEqual(
      expect.objectContaining({ file: 'data/2026-11-15.csv', kept: true, rows: 3 }),
    );
    expect(kept.files['data/2026-11-15.csv']).toBe(text);
    const checked = await run('check data', { now: nowMs });
    expect(checked).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('kept, because'),
    });

    nowMs += 8 * dayMs;
    expect((await run(`${line} --json`, { now: nowMs })).stdout).toContain('"kept":true');
    nowMs += dayMs;
    const final = await run(line, { now: nowMs });
    expect(final.stderr).toContain('Nothing is missing');
    expect(final.files['data/2026-11-15.csv']).toBe(text);
  });

  test('with few rows is a note of the run and of check, where a total falls by half', async () => {
    let isShort = false;
    const run = await serveDamaged({
      name: 'a service with a bad night',
      server: { delayMs: 0 },
      answer: (answer, { path }) => {
        if (!isShort || !path.startsWith('/download')) return answer;
        const json = Object(answer.json);
        return { ...answer, json: { ...json, data: json.data.slice(-1) } };
      },
    });
    const line =
      'run --period 2026-11-15 --by OS --metrics displays --split day -o data/{date}.csv';
    expect(await run(line)).toMatchObject({ exitCode: 0 });

    isShort = true;
    const fallen = await run(`${line} --refetch`);
    expect(fallen.stderr).toContain('2026-11-15: displays has fallen by half or more.');
    expect(await run('check data')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('2026-11-15.csv: a total has fallen by half or more.'),
    });
  });

  test('leaves a damaged file to a person', async () => {
    let isEmpty = false;
    const run = await serveDamaged({
      name: 'a service that forgets',
      server: { delayMs: 0 },
      answer: (answer, { path }) => {
        const isReport = path.startsWith('/download');
        return isEmpty && isReport
          ? { ...answer, json: { ...Object(answer.json), data: [] } }
          : answer;
      },
    });
    const { cwd } = await run(week);
    const path = join(cwd, 'data/date=2026-11-09/part.csv');
    appendFileSync(path, 'damage');
    const damaged = readFileSync(path, 'utf8');

    isEmpty = true;
    const { exitCode, stdout } = await run('repair data');

    expect(exitCode).toBe(9);
    expect(stdout).toContain('The service had no rows any more for date=2026-11-09/part.csv');
    expect(stdout).not.toContain('To mend');
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});

describe('check', () => {
  test('names each kind of harm once, in the order of files, and ends with what mends it', async () => {
    const { run, at, check } = await keepWeek();
    rmSync(at('date=2026-11-10/part.csv'));
    appendFileSync(at('date=2026-11-09/part.csv'), 'x');
    mkdirSync(at('date=2026-11-20'));
    writeFileSync(at('date=2026-11-16/part.csv').replace('16', '15'), 'mine');

    const { findings, mend, books, series } = await check();

    expect(
      findings.map(({ file, kind }: { file: string; kind: string }) => `${file} ${kind}`),
    ).toEqual([
      'data/date=2026-11-09/part.csv changed',
      'data/date=2026-11-10/part.csv missing',
      'data/date=2026-11-15/part.csv changed',
    ]);
    expect(mend).toBe('adreport repair data');
    expect(books).toEqual([{ file: book, passedOver: [], unreadable: null }]);
    expect(series).toHaveLength(1);
    const { exitCode, stdout } = await run('check data');
    expect(exitCode).toBe(9);
    expect(stdout.trimEnd()).toMatch(/To mend: adreport repair data {3}\(it fetches 3 files\)$/);
    expect(await run('repair data')).toMatchObject({ exitCode: 0 });
    expect((await check()).mend).toBeNull();
  });

  test('names what is stale two days later, also where there was a long outage before', async () => {
    let now = Date.UTC(2026, 8, 1, 5);
    const { run } = await serveForTest({ delayMs: 0, clock: () => now });
    const line =
      'run --period last-2d --by OS --split day --missing --lookback 1 -q -o data/{date}.csv';
    const check = async () => JSON.parse((await run('check data --json', { now })).stdout);
    for (const days of [0, 12, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]) {
      now += days * dayMs;
      expect(await run(line, { now })).toMatchObject({ exitCode: 0 });
    }
    expect(await run('repair data -q', { now })).toMatchObject({ exitCode: 0 });
    expect((await check()).findings).toEqual([]);

    // A part of the folder has the rhythm of the whole.
    const part = await run('check data/2026-09-12.csv', { now });
    expect(part).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 file') });

    now += 3 * dayMs;
    const { findings } = await check();
    expect(findings).toMatchObject([{ file: 'data/2026-09-22.csv', kind: 'stale' }]);

    now += 22 * dayMs;
    const late = expect.stringContaining('last fetched 25 days ago, before that every day.');
    expect((await check()).findings).toContainEqual(
      expect.objectContaining({ kind: 'late', said: late }),
    );
  });

  test('passes over lines that are no lines, and says nothing is wrong while every file has one', async () => {
    const { run, cwd, check } = await keepWeek();
    const path = join(cwd, book);
    appendFileSync(
      path,
      `\ufeff{"books":2}\n\0\0\0\n{"file":"../../etc/passwd"}\n${'x'.repeat(200_000)}\n`,
    );

    expect(await run('check data')).toMatchObject({ exitCode: 0 });
    const { books, notes } = await check();
    expect(books[0].passedOver).toEqual([9, 10, 11, 12]);
    expect(notes.join()).toContain('4 lines of _adreport.ndjson are passed over');
  });

  test('of which no line is sound are a finding, and the run that writes them again heals it', async () => {
    const { run, cwd, check } = await keepWeek();
    const path = join(cwd, book);
    const text = readFileSync(path);
    const wide = Buffer.from(text.toString(), 'utf16le');
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(8_000), wide]) {
      writeFileSync(path, bytes);
      expect((await check()).findings).toMatchObject([{ file: 'data', kind: 'unreadable' }]);
      expect(await run('repair data')).toMatchObject({ exitCode: 9 });
    }
    expect(await run(`${week} --missing`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('a file of a day far ahead takes no time', async () => {
    const { at, check } = await keepWeek();
    mkdirSync(at('date=9999-12-31'));
    writeFileSync(at('date=9999-12-31/part.csv'), 'x');
    const kinds = (await check()).findings.map(({ kind }: { kind: string }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['missing']));
  });

  test('a name that begins as a flag does is shown as it can be typed again', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const line = week.replace('data/', './-d/');
    expect(await run(line)).toMatchObject({ exitCode: 0 });
    const { cwd } = await run(line);
    rmSync(join(cwd, '-d/date=2026-11-10/part.csv'));
    const { stdout } = await run('check ./-d');
    expect(stdout).toContain('To mend: adreport repair ./-d ');
    expect(await run('repair ./-d')).toMatchObject({ exitCode: 0 });
  });

  test('an order that is torn leaves what the file lines say, and the run that writes it again heals it', async () => {
    const { run, cwd, at, check } = await keepWeek();
    const path = join(cwd, book);
    const [, ...files] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, ['{"books":1,"order":"torn', ...files].join('\n'));
    expect(await run('check data')).toMatchObject({ exitCode: 0 });

    rmSync(at('date=2026-11-10/part.csv'));
    expect((await check()).findings).toMatchObject([{ kind: 'missing' }]);
    expect(await run('repair data')).toMatchObject({ exitCode: 9 });
    expect(await run(`${week} --missing`)).toMatchObject({ exitCode: 0 });
    expect(await run('check data')).toMatchObject({ exitCode: 0 });
  });

  test('survives what is no file: folders, links, loops and pipes', async () => {
    const { run, at, cwd, check } = await keepWeek();
    const places = ['09', '10', '11', '12'].map((day) => at(`date=2026-11-${day}/part.csv`));
    for (const place of places) rmSync(place);
    const [folder = '', dangling = '', loop = '', pipe = ''] = places;
    mkdirSync(folder);
    symlinkSync('nowhere', dangling);
    symlinkSync('part.csv', loop);
    execFileSync('mkfifo', [pipe]);
    execFileSync('mkfifo', [join(cwd, 'data/_adreport-1-of-2.ndjson')]);

    const { findings } = await check();
    expect(findings.map(({ kind }: { kind: string }) => kind)).toEqual([
      'unreadable',
      'unreadable',
      'missing',
      'unreadable',
      'unreadable',
    ]);
    expect(findings[0].file).toBe('data');
    expect(await run(`repair data --json`)).toMatchObject({ exitCode: 9 });

    for (const path of ['', 'nowhere', 'data/date=2026-11-11/part.csv', pipe, '/dev/null']) {
      const { exitCode, stderr } = await run(['check', path]);
      expect(exitCode, stderr).toBe(2);
    }
    const lone = await run(['check', 'data/date=2026-11-13/part.csv']);
    expect(lone).toMatchObject({ exitCode: 9 });
  });

  test('a book without end is given up with Ctrl-C', async () => {
    const { run, cwd } = await keepWeek();
    writeFileSync(join(cwd, book), 'x'.repeat(50_000_000));
    const { signal, send } = interruption(130);
    send();
    expect(await run('check data', { signal })).toMatchObject({ exitCode: 130 });
  });

  test('describes a file that nobody keeps books of', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    writeFileSync(join(cwd, 'lone.csv'), 'a\n');
    const { exitCode, stdout } = await run('check lone.csv');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'lone.csv has 2 B, and no books tell what it holds.\n',
    });
  });
});

describe('repair', () => {
  test('lists with --dry-run, and asks nobody', async () => {
    const { run, at, calls } = await keepWeek();
    rmSync(at('date=2026-11-10/part.csv'));
    const { exitCode, stdout } = await run('repair data --dry-run');
    expect(exitCode).toBe(9);
    expect(stdout).toContain('data/date=2026-11-10/part.csv  missing');
    expect(calls('buyer')).toBe(7);
  });

  test('fetches in the form of the order: filters, columns, dialect', async () => {
    const more =
      '--metrics clicks,ctr,displays --filter countryId=3017382 --columns os,ctr --excel';
    const { run, at } = await keepWeek(more);
    const path = at('date=2026-11-10/part.csv');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, 'damage');

    expect(await run('repair data/date=2026-11-10')).toMatchObject({ exitCode: 0 });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('ends with the code of a fetch that failed, and with what check says then', async () => {
    const { run, at, server } = await keepWeek();
    rmSync(at('date=2026-11-10/part.csv'));
    server.fault('status:failed');
    const { exitCode, stdout } = await run('repair data');
    expect(exitCode).toBe(6);
    expect(stdout).toContain('To mend: adreport repair data');
  });

  test('does not ask another service, or another account, than the order’s', async () => {
    const { run, at, cwd, calls } = await keepWeek();
    rmSync(at('date=2026-11-10/part.csv'));
    const path = join(cwd, book);
    const books = readFileSync(path, 'utf8');
    const changes = [
      ['"service":"local"', '"service":"https://reports.example.com/"'],
      ['"account":null', '"account":"somebody"'],
    ] as const;
    for (const [before, after] of changes) {
      writeFileSync(path, books.replace(before, after));
      expect(await run('repair data')).toMatchObject({ exitCode: 9 });
    }
    expect(calls('buyer')).toBe(7);
    expect(await run('repair nowhere')).toMatchObject({ exitCode: 2 });
  });
});
