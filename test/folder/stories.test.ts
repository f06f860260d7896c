import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolderScene } from '../support/folder-scene.ts';
import { interruption, temporaryFolder } from '../support/run-cli.ts';

/** The request of the folders here. */
const request = '--by OS --metrics displays,clicks --split day -q';
const output = "-o 'data/{date}.csv'".replaceAll("'", '');

/** Changes a line of the declaration. */
function edit(path: string, key: string, value: string): void {
  const text = fs.readFileSync(path, 'utf8');
  fs.writeFileSync(path, text.replace(new RegExp(`^${key}:.*$`, 'm'), `${key}: ${value}`));
}

describe('a folder that is updated every night', () => {
  test('three weeks with late conversions, outages and a kill: every day is what the service has', async () => {
    const scene = await openFolderScene({ restate: 3 });
    const { run, runWell, check, wait } = scene;
    await runWell(`run --since 2026-11-15 ${request} --lookback 3 ${output}`);
    for (const days of [1, 10, 3]) {
      wait(days);
      const { signal, send } = interruption(143);
      if (days === 3) {
        const killed = await run('update data --json', { signal, onOutput: () => send() });
        expect(killed.stderr).toContain('To resume: adreport update data');
      }
      await runWell('update data -q');
      expect(await check()).toEqual([]);
    }

    wait(5);
    await runWell('update data -q');
    const fresh = { cwd: temporaryFolder() };
    await runWell(`run --since 2026-11-15 ${request} -o data/{date}.csv`, fresh);
    const names = fs.readdirSync(join(fresh.cwd, 'data')).filter((name) => name.endsWith('.csv'));
    expect(names).toHaveLength(24);
    for (const name of names) {
      expect(scene.read(name), name).toBe(fs.readFileSync(join(fresh.cwd, 'data', name), 'utf8'));
    }
  });

  test('the declaration says what the folder holds', async () => {
    const { runWell, read } = await openFolderScene();
    const { stderr } = await runWell(
      `run --since 2026-11-15 --by OS --metrics displays --country FR --split day --lookback 3 ${output}`,
    );
    expect(stderr).toContain(
      'Declared in data/_adreport.yaml: one file per day from 2026-11-15 on, by OS.',
    );
    expect(read('_adreport.yaml')).toMatchInlineSnapshot(`
      "# What this folder holds. adreport update brings it up to date, adreport check compares.
      since: 2026-11-15
      until: now
      lookback: 3
      strict: false
      split: day
      profile: buyer
      by: [OS]
      metrics: [displays]
      country: [FR]
      output: '{date}.csv'
      format: csv
      login: b…@example.com#6a6c26195c36
      service: 127.0.0.1
      id: 247b60758eae
      "
    `);
    const [line = ''] = read('_adreport.history').split('\n');
    expect(Object.keys(JSON.parse(line))).toEqual(
      'id file since until created report rows bytes sha256 totals warnings'.split(' '),
    );
  });
});

test('update --dry-run shows the requests for what is due, and makes none', async () => {
  const { runWell, path, orders } = await openFolderScene();
  await runWell(`run --since 2026-11-15 ${request} ${output}`);
  fs.rmSync(path('2026-11-16.csv'));
  const before = orders();
  const { stdout } = await runWell('update data --dry-run --json');
  expect(JSON.parse(stdout).requests).toMatchObject([{ output: 'data/2026-11-16.csv' }]);
  expect(orders()).toBe(before);
});

describe('a folder that one run per night builds', () => {
  test('run --period DAY: the folder ends with the latest day', async () => {
    const { run, runWell, check, wait, read, path } = await openFolderScene();
    for (const day of ['2026-11-17', '2026-11-18', '2026-11-19']) {
      await runWell(`run --period ${day} ${request} ${output}`);
    }
    wait(10);
    expect(await check()).toEqual([]);
    expect(read('_adreport.yaml')).toContain('since: 2026-11-17\nuntil: 2026-11-19\n');
    edit(path('_adreport.yaml'), 'until', '2026-11-18');
    const { notes } = JSON.parse((await run('check data --json')).stdout);
    expect(notes).toEqual(['2026-11-19.csv: after the folder’s last day (until: 2026-11-18).']);
  });

  test.each([
    ['--since 2026-11-20 --until yesterday', '2026-11-20', undefined],
    ['--period 2026-11..yesterday', '2026-11-01', '2026-11-01T05:00:00Z'],
  ])('%s begins on its first day, on which nothing is over', async (period, since, start) => {
    const { runWell, check, wait, read, orders } = await openFolderScene(start ? { start } : {});
    await runWell(`run ${period} ${request} ${output}`);
    expect(orders()).toBe(0);
    expect(read('_adreport.yaml')).toContain(`since: ${since}\nuntil: now\n`);
    wait(2);
    expect(await check()).toEqual([`missing ${since}.csv`]);
    await runWell('update data');
    expect(await check()).toEqual([]);
  });

  test('a nightly job and an hourly one with --until now: the hourly one hides nothing', async () => {
    const { runWell, check, wait, read } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    await runWell(`run --since today --until now ${request} ${output}`);
    const partial = read('2026-11-20.csv');
    expect(partial).not.toBe('');
    expect(await check()).toEqual([]);
    wait(3);
    await runWell(`run --since today --until now ${request} ${output}`);
    expect(await check()).toEqual(['stale 2026-11-20.csv', 'missing 2026-11-21.csv']);
    await runWell('update data');
    expect(await check()).toEqual([]);
    expect(read('2026-11-20.csv')).not.toBe(partial);
  });
});

describe('the days of a folder', () => {
  test('a backfill by shards moves the beginning; what no shard brought is missing', async () => {
    const { runWell, check, read } = await openFolderScene();
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    const line = `run --since 2026-11-10 --until 2026-11-17 ${request} ${output}`;
    expect((await runWell(`${line} --dry-run`)).stderr).toBe('');
    const { stderr } = await runWell(`${line} --shard 2/4`);
    expect(stderr).toContain(
      'data now begins on 2026-11-10, not on 2026-11-18: 8 days more. To undo this, write since: 2026-11-18 in data/_adreport.yaml.',
    );
    expect(read('_adreport-2-of-4.history').split('\n')).toHaveLength(3);
    expect(await check()).toHaveLength(6);
    for (const shard of ['1/4', '3/4', '4/4']) await runWell(`${line} --shard ${shard}`);
    expect(await check()).toEqual([]);
  });

  test('of the lines of several shards the latest counts', async () => {
    const { runWell, check, wait, read, path } = await openFolderScene();
    const line = `run --since 2026-11-17 ${request} ${output}`;
    await runWell(line);
    const others = read('_adreport.history').replaceAll(/"sha256":"..../g, '"sha256":"0000');
    fs.writeFileSync(path('_adreport.history'), others);
    expect(await check()).toHaveLength(3);
    wait(1);
    for (const shard of ['1/2', '2/2']) await runWell(`${line} --fresh --shard ${shard}`);
    expect(await check()).toEqual([]);
  });

  test('days whose report had a warning are a note', async () => {
    const { run, runWell, server } = await openFolderScene();
    server.reset();
    server.fault({ endpoint: 'download', change: (document) => ({ ...document, partial: true }) });
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    const { notes } = JSON.parse((await run('check data --json')).stdout);
    expect(notes).toEqual([
      expect.stringMatching(/^2026-11-18.csv, 2026-11-19.csv: the report had a warning: /),
    ]);
  });

  test('old files that were deleted are missing until since is raised, or left out', async () => {
    const { run, runWell, check, path } = await openFolderScene();
    await runWell(`run --since 2026-11-10 ${request} ${output}`);
    for (const day of [10, 11, 13]) fs.rmSync(path(`2026-11-${day}.csv`));
    expect((await run('check data')).stdout).toContain(
      'missing: data/2026-11-10.csv … 2026-11-11.csv (2 days). To drop old files, raise since (2026-11-10) in _adreport.yaml.\nmissing: data/2026-11-13.csv.\nTo solve: adreport update data\n',
    );
    expect(await check('data --since -5d')).toEqual([]);
    edit(path('_adreport.yaml'), 'since', '2026-11-14');
    expect(await check()).toEqual([]);
  });

  test('a first run with a fixed end says its last day', async () => {
    const { run } = await openFolderScene();
    const { stderr } = await run(`run --period 2026-11-01..2026-11-05 --split day ${output}`);
    expect(stderr).toContain('from 2026-11-01 to 2026-11-05, in total.');
  });

  test('update --since before the beginning is a note; a period without a day is exit 2', async () => {
    const { run, runWell } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    expect((await runWell('update data --since 2026-11-01')).stderr).toContain(
      'data begins on 2026-11-15. To add earlier days, repeat the first adreport run with',
    );
    for (const command of ['check', 'update']) {
      expect(await run(`${command} data --period 2025`)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('data has no days in 2025.'),
      });
    }
  });

  test('run warns of parts before its period', async () => {
    const { runWell, wait } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    wait(4);
    expect((await runWell(`run --period yesterday ${request} ${output}`)).stderr).toContain(
      'Before this period, 3 days are missing or stale. To download: adreport update data',
    );
  });
});

describe('another report', () => {
  test.each([
    ['another country', '--country DE', 'country: none → DE'],
    ['other metrics', '--metrics displays', 'metrics: displays,clicks → displays'],
    ['another format', '--format json', 'format: csv → json'],
    ['another pattern', '-o data/os-{date}.csv', 'output: {date}.csv → os-{date}.csv'],
  ])('with %s is refused before any request, and nothing is written', async (_, flag, says) => {
    const { run, runWell, orders, cwd } = await openFolderScene();
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    const before = { orders: orders(), files: fs.readdirSync(join(cwd, 'data')) };
    const kept = flag.startsWith('-o') ? flag : `${output} ${flag}`;
    const line = flag.startsWith('--metrics')
      ? request.replace('--metrics displays,clicks', '')
      : request;
    const result = await run(`run --since 2026-11-10 ${line} ${kept}`);
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
    expect({ orders: orders(), files: fs.readdirSync(join(cwd, 'data')) }).toEqual(before);
  });

  test('with --fresh the folder is declared anew, and keeps its days', async () => {
    const { runWell, check, read } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    const line = `run --period yesterday --by OS --metrics displays --split day -q ${output} --fresh`;
    const { stderr } = await runWell(line);
    expect(stderr).toContain('data has a new declaration (metrics: displays,clicks → displays).');
    expect(read('_adreport.yaml')).toContain('since: 2026-11-15\n');
    expect(await check()).toEqual(
      ['15', '16', '17', '18'].map((day) => `other report 2026-11-${day}.csv`),
    );
    await runWell('update data -q');
    expect(await check()).toEqual([]);
    expect(read('2026-11-15.csv')).not.toContain('clicks');
  });

  test('a release that knows one more metric changes nothing', async () => {
    const { runWell, read, wait } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    const before = read('_adreport.yaml');
    wait(1);
    await runWell(`run --period yesterday --by OS --split day -q ${output}`);
    expect(read('_adreport.yaml')).toBe(before);
    expect(read('2026-11-20.csv')).toMatch(/^os,displays,clicks\r\n/);
  });
});

test('encoding and window-clock are kept: update sends what run sent', async () => {
  const { runWell, check, wait, server } = await openFolderScene({ windowClock: 'wall' });
  const clock = '--window-clock wall --encoding form';
  await runWell(`run --since 2026-11-18 ${request} ${output} ${clock}`);
  expect(await check()).toEqual([]);
  wait(1);
  await runWell('update data');
  expect(await check()).toEqual([]);
  const created = server.requests().filter(({ endpoint }) => endpoint === 'buyer');
  expect(created.map(({ headers }) => headers['content-type'])).toEqual(
    Array(3).fill('application/x-www-form-urlencoded'),
  );
});

describe('the account of a folder', () => {
  test('another one is refused by run, and by update', async () => {
    const { run, runWell, orders } = await openFolderScene();
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    const before = orders();
    const admin = { env: { ADREPORT_EMAIL: 'admin@example.com', ADREPORT_TOKEN: undefined } };
    expect(await run(`run --since 2026-11-18 ${request} ${output}`, admin)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /account: b…@example.com#\w{12} at 127.0.0.1 → a…@example.com#/,
      ),
    });
    const bare = { env: { ADREPORT_EMAIL: undefined, ADREPORT_PASSWORD: undefined } };
    expect(await run(`run --since 2026-11-18 ${request} ${output}`, bare)).toMatchObject({
      exitCode: 2,
    });
    fs.rmSync(join((await run('check data')).cwd, 'data/2026-11-18.csv'));
    for (const other of [admin, bare]) {
      expect(await run('update data', other)).toMatchObject({
        exitCode: 3,
        stderr: expect.stringContaining('b…@example.com#'),
      });
    }
    expect(orders()).toBe(before);
  });

  test('a folder filled with --local is updated from a server in the process, no other one', async () => {
    const { run, runWell, orders, read, wait } = await openFolderScene();
    await runWell(`run --local --since 2026-11-18 ${request} -o local/{date}.csv`);
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    expect(read('_adreport.yaml')).toContain('service: 127.0.0.1\n');
    const before = orders();
    wait(1);
    await runWell('update local');
    expect(orders()).toBe(before);
    expect(await run('update local data --local')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('data failed: The files belong to b…@example.com#'),
    });
    edit(join((await run('check local')).cwd, 'local/_adreport.yaml'), 'by', '[BUNDLEID]');
    expect((await run('update local')).stderr).toMatch(/adreport run .*--local --fresh/);
  });
});

describe('a report without numbers', () => {
  test('never replaces a file with numbers, for one night or for five', async () => {
    const { run, runWell, check, read, changes, wait, path } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} --lookback 2 ${output}`);
    const before = read('2026-11-19.csv');
    changes.isSilent = (day) => day === '2026-11-19';
    for (let night = 0; night < 5; night += 1) {
      wait(1);
      await run('update data -q');
    }
    expect(read('2026-11-19.csv')).toBe(before);
    expect(await check()).toEqual(['stale 2026-11-19.csv']);
    const last = await run('update data -q');
    expect(last.exitCode).toBe(9);
    expect(last.stderr).toContain(
      '2026-11-19.csv was kept, because the new report has no numbers. To accept that, delete the file and run again.',
    );
    fs.rmSync(path('2026-11-19.csv'));
    expect((await runWell('update data -q')).stderr).toContain('2026-11-19.csv now has no numbers');
    expect(await check()).toEqual([]);
  });

  test('with --fresh and one more metric no file loses its numbers, and the run is exit 9', async () => {
    const { run, runWell, check, read, changes } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    const before = read('2026-11-15.csv');
    changes.isSilent = (day) => day < '2026-11-18';
    const more = request.replace('clicks', 'clicks,downloads');
    expect((await run(`run --since 2026-11-15 ${more} ${output} --fresh`)).exitCode).toBe(9);
    expect(read('2026-11-15.csv')).toBe(before);
    expect(read('2026-11-18.csv')).toContain('downloads');
    expect(await check()).toEqual(
      ['15', '16', '17'].map((day) => `other report 2026-11-${day}.csv`),
    );
  });

  test('replaces an empty file, with a warning; an edited file stays', async () => {
    const { run, check, runWell, read, changes, path } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    fs.writeFileSync(path('2026-11-15.csv'), '');
    fs.appendFileSync(path('2026-11-16.csv'), 'mine\n');
    changes.isSilent = () => true;
    const { exitCode, stderr } = await run('update data -q');
    expect(exitCode).toBe(9);
    expect(stderr).toContain('2026-11-15.csv now has no numbers; the last download had');
    expect(read('2026-11-16.csv')).toContain('mine');
    expect(await check()).toEqual(['changed 2026-11-16.csv']);
  });
});

describe('damage', () => {
  /** What happens, what `check` says, and what is left after an update. */
  const cases: readonly {
    readonly name: string;
    readonly harm: (path: (name: string) => string) => void;
    readonly says: readonly string[];
    readonly left?: readonly string[];
  }[] = [
    {
      name: 'a file was copied to another day',
      harm: (path) => {
        fs.copyFileSync(path('2026-11-16.csv'), path('2026-11-17.csv'));
        fs.copyFileSync(path('2026-11-16.csv'), path('2024-02-29.csv'));
      },
      says: ['changed 2026-11-17.csv', 'untracked 2024-02-29.csv'],
      left: ['untracked 2024-02-29.csv'],
    },
    {
      name: 'a file was replaced by a link, another by a folder',
      harm: (path) => {
        fs.renameSync(path('2026-11-16.csv'), path('elsewhere'));
        fs.symlinkSync(path('elsewhere'), path('2026-11-16.csv'));
        fs.rmSync(path('2026-11-17.csv'));
        fs.mkdirSync(path('2026-11-17.csv'));
      },
      says: ['unreadable 2026-11-16.csv', 'unreadable 2026-11-17.csv'],
      left: ['unreadable 2026-11-16.csv', 'unreadable 2026-11-17.csv'],
    },
    {
      name: 'the history was cut, torn and merged',
      harm: (path) => {
        const lines = fs.readFileSync(path('_adreport.history'), 'utf8').split('\n');
        const sorted = lines.filter((line) => line !== '').sort();
        const merged = [
          sorted[1],
          '<<<<<<< HEAD',
          sorted[2],
          '{"file":"x"}',
          sorted[3]?.slice(0, 40),
        ];
        fs.writeFileSync(path('_adreport.history'), merged.join('\n'));
      },
      says: expect.arrayContaining([expect.stringMatching(/^untracked/)]),
    },
    {
      name: 'a report covered half a day',
      harm: (path) => {
        const text = fs.readFileSync(path('_adreport.history'), 'utf8');
        const half = text.replace('"2026-11-16T23:59:59', '"2026-11-16T11:59:59');
        fs.writeFileSync(path('_adreport.history'), half);
      },
      says: ['stale 2026-11-16.csv'],
    },
    {
      name: 'the history has no line that can be read',
      harm: (path) => fs.writeFileSync(path('_adreport.history'), 'x\n'),
      says: [
        'unreadable _adreport.history',
        ...['15', '16', '17', '18', '19'].map((day) => `untracked 2026-11-${day}.csv`),
      ],
    },
  ];

  test.each(cases)('$name: check says so, and one update solves it', async (one) => {
    const { run, runWell, check, path } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    one.harm(path);
    expect(await check()).toEqual(one.says);
    const { left = [] } = one;
    expect((await run('update data -q')).exitCode).toBe(left.length > 0 ? 9 : 0);
    expect(await check()).toEqual(left);
  });

  test.each([
    ['split', 'week'],
    ['metrics', '[displays]'],
    ['output', "'{date}.json'"],
    ['service', 'local'],
    ['id', '000000000000'],
  ])(
    'the declaration was edited (%s): nothing is requested until it is declared anew',
    async (key, value) => {
      const { run, runWell, check, path, orders } = await openFolderScene();
      const named = { env: { ADREPORT_ACCOUNT: 'acme' } };
      await runWell(`run --since 2026-11-15 ${request} ${output}`, named);
      edit(path('_adreport.yaml'), key, value);
      const before = orders();
      expect(await check()).toEqual(['unreadable _adreport.yaml']);
      const fresh = expect.stringMatching(/declare what it says now: adreport run .* --fresh/);
      for (const line of ['update data', `run --since 2026-11-15 ${request} ${output}`]) {
        expect(await run(line, named)).toMatchObject({ exitCode: 2, stderr: fresh });
      }
      expect(orders()).toBe(before);
      await runWell(`run --since 2026-11-15 ${request} ${output} --fresh`, named);
      expect(await check()).toEqual([]);
    },
  );

  test.each([
    ['an unknown key', 'color: red\n'],
    ['a period of 19,000 blanks', `period: '${' '.repeat(19_000)}x'\n`],
    ['an output that leaves the folder', "output: '../{date}.csv'\n"],
    ['no YAML', '{{{\n'],
    ['another file', 'a'.repeat(70_000)],
  ])('a declaration with %s is unreadable at once, and update writes nothing', async (_, text) => {
    const { run, runWell, check, path, cwd } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    fs.appendFileSync(path('_adreport.yaml'), text);
    expect(await check()).toEqual(['unreadable _adreport.yaml']);
    expect((await run('update data')).exitCode).toBe(2);
    expect(fs.readdirSync(cwd).filter((name) => name !== '.config')).toEqual(['data']);
  });

  test('a lost declaration: check is exit 2, and the next run begins with the earliest line', async () => {
    const { run, runWell, check, path, read } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    fs.rmSync(path('_adreport.yaml'));
    expect(await run('check data')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('run the command that filled it again'),
    });
    await runWell(`run --period yesterday ${request} ${output}`);
    expect(read('_adreport.yaml')).toContain('since: 2026-11-15\n');
    expect(await check()).toEqual([]);
  });

  test('a line with 19,000 blanks is skipped', async () => {
    const { runWell, check, read, path } = await openFolderScene();
    await runWell(`run --since 2026-11-15 ${request} ${output}`);
    const lines = read('_adreport.history');
    const blanks = lines
      .split('\n')[0]
      ?.replace(/"since":"[^"]*"/, `"since":"${' '.repeat(19_000)}"`);
    fs.writeFileSync(path('_adreport.history'), `${blanks}\n${lines}`);
    expect(await check()).toEqual([]);
  });
});

describe('the place of a folder', () => {
  test('it may be moved, and lie below many others', async () => {
    const { runWell, check, cwd, wait } = await openFolderScene();
    for (let index = 0; index < 300; index += 1)
      fs.mkdirSync(join(cwd, `other/${index}`), { recursive: true });
    await runWell(`run --since 2026-11-18 ${request} -o other/7/{date}.csv`);
    await runWell(`run --since 2026-11-18 ${request} -o other/8/{date}.csv`);
    fs.renameSync(join(cwd, 'other/7'), join(cwd, 'other/moved'));
    wait(1);
    await runWell('update other');
    expect(await check('other')).toEqual([]);
    expect(fs.existsSync(join(cwd, 'other/moved/2026-11-20.csv'))).toBe(true);
  });

  test.each(['nosuch', '.', 'data'])('%s without a declaration is exit 2', async (path) => {
    const { run, cwd } = await openFolderScene();
    fs.mkdirSync(join(cwd, 'data'));
    for (const command of ['check', 'update']) {
      expect((await run(`${command} ${path}`)).exitCode).toBe(2);
    }
  });

  test('-o cannot name the record of a folder, nor an account after the date', async () => {
    const { run } = await openFolderScene();
    for (const name of ['_adreport.yaml', '_adreport.history', '{date}/{account}.csv']) {
      const result = await run(`run --period yesterday ${request} -o data/${name}`);
      expect(result.exitCode, name).toBe(2);
    }
  });

  test('two runs at once declare one folder', async () => {
    const { runWell, check, read } = await openFolderScene();
    await Promise.all([
      runWell(`run --since 2026-11-10 ${request} ${output} --shard 1/2`),
      runWell(`run --since 2026-11-15 ${request} ${output}`),
    ]);
    expect(read('_adreport.yaml')).toContain('since: 2026-11-10\n');
    await runWell('update data');
    expect(await check()).toEqual([]);
  });
});

describe('wrong clocks, other machines and disks', () => {
  test('a folder that cannot be written: exit 8, nothing is requested; check works', async () => {
    const { run, runWell, check, path, orders, wait } = await openFolderScene();
    await runWell(`run --since 2026-11-18 ${request} ${output}`);
    const before = orders();
    wait(1);
    fs.renameSync(path('_adreport.history'), path('aside'));
    fs.mkdirSync(path('_adreport.history'));
    for (const line of ['update data', `run --since 2026-11-18 ${request} ${output}`]) {
      expect(await run(line)).toMatchObject({
        exitCode: 8,
        stderr: expect.stringContaining('_adreport.history: it is a folder.'),
      });
    }
    expect(orders()).toBe(before);
    expect(await check()).toContain('unreadable _adreport.history');
  });
});

test('check beside --fresh has no problems', async () => {
  const { run, runWell, check } = await openFolderScene();
  await runWell(`run --since 2026-11-12 ${request} ${output}`);
  let isDone = false;
  const fresh = run(`run --since 2026-11-12 ${request} ${output} --fresh`).then(() => {
    isDone = true;
  });
  while (!isDone) expect(await check()).toEqual([]);
  await fresh;
});
