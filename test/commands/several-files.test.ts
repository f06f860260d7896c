import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Several files from one report. */

const report = 'run --period 2026-11-07..2026-11-08 --by CAMPAIGN --metrics displays,revenueEuro';

/** The names of files in a folder that the user sees. */
function filesIn(cwd: string): string[] {
  return readdirSync(cwd).filter((name) => !name.startsWith('.'));
}

describe('run', () => {
  test('writes the files that a run for each would write, from one request', async () => {
    const { run, calls } = await serveForTest({ delayMs: 0 });
    const formats = ['csv', 'json', 'ndjson', 'xlsx'];
    for (const format of formats) await run(`${report} -o one.${format}`);
    const before = calls('buyer');

    const several = await run(`${report} ${formats.map((name) => `-o all.${name}`).join(' ')}`);

    expect(several).toMatchObject({ exitCode: 0, stdout: '' });
    expect(calls('buyer') - before).toBe(1);
    for (const format of ['csv', 'json', 'ndjson']) {
      expect(several.files[`all.${format}`]).toBe(several.files[`one.${format}`]);
    }
    for (const format of formats) {
      expect(several.stderr).toMatch(new RegExp(`Wrote all.${format}: 10 rows, `));
    }
  });

  test('--json prints a line for each file', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { stdout } = await run(`${report} -o a.csv -o a.json --json`);

    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { file: 'a.csv', rows: 10, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
      { file: 'a.json', rows: 10, sha256: expect.stringMatching(/^[\da-f]{64}$/) },
    ]);
    expect(lines[0].bytes).not.toBe(lines[1].bytes);
    expect(lines[0].reportId).toBe(lines[1].reportId);
  });

  test('stdout is one of them', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { stdout, files } = await run(`${report} -o - -o a.csv`);

    expect(stdout).toBe(files['a.csv']);
  });

  test('adreport.yaml has a list, which a typed -o replaces', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    const yaml =
      'reports:\n  week:\n    period: 2026-11-07\n    metrics: displays\n    output: [a.csv, a.json]\n';
    writeFileSync(join(cwd, 'adreport.yaml'), yaml);

    await run('run week -o b.ndjson');
    expect(filesIn(cwd)).toEqual(['adreport.yaml', 'b.ndjson']);
    await run('run week');
    expect(filesIn(cwd)).toEqual(['a.csv', 'a.json', 'adreport.yaml', 'b.ndjson']);
  });

  test('merged parts go to every file', async () => {
    const { run } = await serveForTest({ delayMs: 0 });
    const daily = 'run --period 2026-11-07..2026-11-08 --by DAILY --metrics displays';

    const { files } = await run(`${daily} --split day -o a.csv -o a.json`);

    expect(files['a.csv']).toBe((await run(`${daily} -o one.csv`)).files['one.csv']);
    expect(JSON.parse(files['a.json'] ?? '').data).toHaveLength(2);
  });

  test('each flag applies to the formats that know it', async () => {
    const { run } = await serveForTest({ delayMs: 0 });

    const { files } = await run(`${report} --excel --title Autumn -o a.csv -o a.html -o a.json`);

    expect(files['a.csv']).toMatch(/^\ufeffcampaignId;/);
    expect(files['a.html']).toContain('<h1>Autumn</h1>');
    expect(JSON.parse(files['a.json'] ?? '').data).toHaveLength(10);
  });
});

test('download and view write them, too', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const id = (
    await run('report create --period 2026-11-07 --by DAILY --metrics displays')
  ).stdout.trim();

  await run(`download ${id} --wait -o a.csv -o a.json`);
  const { files, stderr } = await run('view a.json -o b.csv -o b.ndjson -o b.html --title Autumn');

  expect(JSON.parse(files['a.json'] ?? '').data).toHaveLength(1);
  expect(files['b.csv']).toBe(files['a.csv']);
  expect(files['b.ndjson']?.split('\n')).toHaveLength(2);
  expect(files['b.html']).toContain('<h1>Autumn</h1>');
  expect(stderr).toContain('Wrote b.html: 1 row');
  const { stdout } = await run('view a.json --period 2026-11-07 -o c.csv --json');
  const since = '2026-11-07T00:00:00+01:00';
  expect(JSON.parse(stdout)).toMatchObject({ file: 'c.csv', rows: 1, since, warnings: [] });
});

describe('none is put in place before all are complete', () => {
  test.each([
    {
      when: 'the report is cut for good',
      faults: ['download:truncate:bytes=300'],
      flags: '--retries 0 -o a.csv -o a.json',
      exitCode: 9,
    },
    {
      when: 'one format cannot hold the rows',
      faults: [],
      flags: '-o a.json -o a.csv --columns displays,nothing',
      exitCode: 2,
    },
    { when: 'one folder cannot be made', faults: [], flags: '-o a.csv -o file/b.csv', exitCode: 8 },
  ])('if $when', async ({ faults, flags, exitCode }) => {
    const { run, cwd } = await serveForTest({ delayMs: 0, faults });
    writeFileSync(join(cwd, 'file'), '');
    writeFileSync(join(cwd, 'a.csv'), 'old');

    const result = await run(`${report} ${flags} -o -`);

    expect(result).toMatchObject({ exitCode, stdout: '' });
    expect(filesIn(cwd)).toEqual(['a.csv', 'file']);
    expect(readFileSync(join(cwd, 'a.csv'), 'utf8')).toBe('old');
  });
});

test.each([
  { flags: '-o a.csv -o a.csv', says: '-o a.csv is given twice.' },
  { flags: '-o a.csv -o ./a.csv', says: '-o ./a.csv is given twice.' },
  { flags: '-o - -o /dev/stdout', says: '-o /dev/stdout is given twice.' },
  { flags: '-o nodir/', says: '-o nodir/ is a folder name.\n  Add a file name: nodir/report.csv' },
  { flags: '-o ./', says: '-o ./ is a folder name.' },
  { flags: '-o nodir/.', says: '-o nodir/. is a folder name.' },
  { flags: '-o a.csv -o b.json --compare', says: '--compare cannot be used with json' },
  { flags: '-o a.csv -o - --json', says: '--json prints a line for each file' },
])('$flags is exit 2 before anything is requested', async ({ flags, says }) => {
  const { run, calls } = await serveForTest({ delayMs: 0 });

  expectRefusal(await run(`${report} ${flags}`), 2, says);
  expect(calls('buyer')).toBe(0);
});
