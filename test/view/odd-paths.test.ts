import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type CliResult, expectRefusal } from '../support/run-cli.ts';
import { serveFolder } from '../support/serve-folder.ts';

// What a stranger may name, and folders in any state: a clear sentence, or the right figures.

const daily =
  '--period 2026-10-01..2026-10-04 --split day --by CAMPAIGN --metrics displays -o data/{date}.csv';

/** Views a path by day; returns the days that it has rows of, and the result. */
async function viewDays(run: (line: string) => Promise<CliResult>, path: string) {
  const result = await run(`view ${path} --by DAILY --json -q`);
  const { groups }: { groups: { date: string }[] } = JSON.parse(result.stdout);
  return { ...result, days: groups.map(({ date }) => date) };
}

describe('a path that is not a folder of reports', () => {
  test('is refused, with what to name instead', async () => {
    const { run, at } = await serveFolder(daily);
    mkdirSync(at('empty'));
    for (const name of ['torn', 'garbage', 'gone'])
      cpSync(at('data'), at(name), { recursive: true });
    const declaration = readFileSync(at('data/_adreport.yaml'), 'utf8');
    writeFileSync(at('torn/_adreport.yaml'), declaration.slice(0, 200));
    writeFileSync(at('garbage/_adreport.history'), 'not a history\n');
    for (const day of [1, 2, 3, 4]) rmSync(at(`gone/2026-10-0${day}.csv`));

    const refusals = [
      ['view empty', 'empty has no declaration (_adreport.yaml).'],
      ['view torn', 'torn/_adreport.yaml cannot be read'],
      ['view garbage', '4 of 4 days are missing'],
      ['view gone', 'No files to show in gone: 4 of 4 days are missing (2026-10-01'],
      ['view data/*.csv', 'data/*.csv does not exist.'],
      ['view nothing', 'nothing does not exist.'],
      ['view C:/nothing/2026-10-01.csv', 'C:/nothing/2026-10-01.csv does not exist.'],
      ['view data data', 'data/2026-10-01.csv is given twice'],
      ['view data ./data/2026-10-02.csv', 'data/2026-10-02.csv is given twice'],
      ['view . --by CAMPAIGN', '. has 4 declared folders.'],
    ] as const;
    for (const [line, says] of refusals) expectRefusal(await run(line), 2, says);
  });

  test('is refused as an output that would replace what is shown', async () => {
    const { run, read, at } = await serveFolder(daily);
    const before = read('data/2026-10-02.csv');
    symlinkSync('data', at('linked'), 'junction');

    for (const line of [
      'view data --by CAMPAIGN -o data/2026-10-02.csv',
      'view data/2026-10-02.csv --by CAMPAIGN -o ./data/2026-10-02.csv',
      'view data -o data/{date}.csv --period 2026-10-02',
      'view linked/2026-10-02.csv --by CAMPAIGN -o data/2026-10-02.csv',
    ]) {
      expectRefusal(await run(line), 2, 'is one of the input files');
    }
    expect(read('data/2026-10-02.csv')).toBe(before);
  });
});

describe('a folder in any state', () => {
  test('shows the days that match their history, and names the others', async () => {
    const { run, at } = await serveFolder(daily);
    const damages: Record<string, (file: string) => void> = {
      'is missing': (file) => rmSync(file),
      'has changed': (file) => appendFileSync(file, '\n'),
    };
    for (const [says, damage] of Object.entries(damages)) {
      cpSync(at('data'), at('copy'), { recursive: true });
      damage(at('copy/2026-10-03.csv'));
      const { stderr, exitCode, days } = await viewDays(run, 'copy');

      expect(stderr).toMatch(`Warning: 1 of 4 days ${says}`);
      expect(exitCode).toBe(0);
      expect(days).toEqual(['2026-10-01', '2026-10-02', '2026-10-04']);
      rmSync(at('copy'), { recursive: true });
    }
  });

  test('leaves out a file of the same size with other bytes', async () => {
    const { run, at } = await serveFolder(daily);
    const file = at('data/2026-10-03.csv');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill('7', bytes.length - 3, bytes.length - 2));
    const { stderr, days } = await viewDays(run, 'data');
    const named = await run('view data/2026-10-03.csv --by CAMPAIGN -q');

    const changed = '1 of 4 days has changed (2026-10-03).';
    expect(stderr).toBe(`Warning: ${changed}\n`);
    expect(days).toEqual(['2026-10-01', '2026-10-02', '2026-10-04']);
    expect(named.stderr).toContain('data/2026-10-03.csv has changed since it was downloaded.');
    expectRefusal(await run('view data --strict -o page.html'), 9, changed);
  });

  test('is found through a link, from above, and with a slash at its end', async () => {
    const { run, at } = await serveFolder(daily);
    symlinkSync('data', at('link'), 'junction');
    const { days } = await viewDays(run, 'data');

    expect(days).toHaveLength(4);
    for (const path of ['link', 'data/', '.', './data/../data']) {
      expect((await viewDays(run, path)).days, path).toEqual(days);
    }
  });

  test('is read while a run writes it: each day is there or missing, and whole', async () => {
    const { run } = await serveFolder(daily);
    const days = '--period 2026-10-05..2026-10-12 --split day --by CAMPAIGN --metrics displays';
    const writing = run(`run ${days} -o data/{date}.csv -q`);
    const reads = [];
    for (let i = 0; i < 4; i += 1) {
      reads.push(await run('view data --period 2026-10 --json -q'));
    }
    await writing;

    for (const { exitCode, stderr } of reads) {
      expect(exitCode).toBe(0);
      expect(stderr).toMatch(/^Warning: \d+ of 31 days are missing \([\d, …-]+\)\.\n$/);
    }
  });
});

test('a report without rows says so, and adds nothing to other files', async () => {
  const { run, at, read } = await serveFolder(daily);
  const [header] = read('data/2026-10-01.csv').split('\n');
  writeFileSync(at('header.csv'), `${header}\n`);
  writeFileSync(at('nothing.json'), '{"data":[]}');

  for (const name of ['header.csv', 'nothing.json']) {
    expect(await run(`view ${name}`)).toMatchObject({
      exitCode: 0,
      stderr: 'Note: The report has no rows.\n',
    });
  }
  const alone = await run('view data/2026-10-01.csv');
  const together = await run('view nothing.json data/2026-10-01.csv header.csv');
  expect(together).toMatchObject({ stdout: alone.stdout, stderr: '' });
});
