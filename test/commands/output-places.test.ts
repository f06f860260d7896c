import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Two outputs of a run never write to the same file. */

const twoReports = `
defaults: {metrics: displays, period: 2026-11-01}
reports:
  one: {output: first/report.csv}
  two: {output: second/report.csv}
`;

describe.skipIf(process.platform === 'win32')('two outputs in one file', () => {
  test('through a link to a folder are exit 2 before any call', async () => {
    const { run, cwd, server } = await serveForTest();
    writeFileSync(join(cwd, 'adreport.yaml'), twoReports);
    mkdirSync(join(cwd, 'first'));
    symlinkSync('first', join(cwd, 'second'));

    const result = await run('run --all');

    expectRefusal(result, 2, 'The reports one and two would both be written to second/report.csv.');
    expect(server.requests()).toEqual([]);
  });

  test('through a link to a file that does not exist yet are exit 2', async () => {
    const { run, cwd } = await serveForTest();
    writeFileSync(join(cwd, 'adreport.yaml'), twoReports);
    mkdirSync(join(cwd, 'second'));
    symlinkSync('../first/report.csv', join(cwd, 'second/report.csv'));

    expectRefusal(await run('run --all'), 2, 'would both be written to second/report.csv.');
  });

  test('of parts of one report are named', async () => {
    const { run, cwd, server } = await serveForTest();
    symlinkSync('2026-11-01.csv', join(cwd, '2026-11-02.csv'));

    const result = await run(
      'run --period 2026-11-01..2026-11-02 --split day --by DAILY -o {date}.csv',
    );

    expectRefusal(result, 2, '2026-11-01.csv and 2026-11-02.csv are the same file (a link).');
    expect(server.requests()).toEqual([]);
  });

  test('are two if the link has another target, outside folders with a history', async () => {
    const { run, cwd } = await serveForTest({ delayMs: 0 });
    mkdirSync(join(cwd, 'elsewhere'));
    symlinkSync('elsewhere/second.csv', join(cwd, '2026-11-02.csv'));

    const result = await run(
      'run --period 2026-11-01..2026-11-02 --split day --metrics displays --by DAILY -o {date}.csv --no-history',
    );

    expect(result.exitCode).toBe(0);
    expect(readFileSync(join(cwd, 'elsewhere/second.csv'), 'utf8')).toMatch(/2026-11-02,\d+/);
    expect(readdirSync(cwd)).toContain('2026-11-01.csv');
  });
});

describe.skipIf(process.platform === 'win32')('in a folder with a history, a link', () => {
  test.each([
    { what: 'the file', link: 'data/date=2026-11-01/part.csv', target: '../../mine' },
    { what: 'its folder', link: 'data/date=2026-11-01', target: '../elsewhere' },
  ])('that replaces $what while the report is made is not written through', async (replaced) => {
    const { run, cwd, calls } = await serveForTest();
    const line =
      'run --period 2026-11-01 --split day --metrics displays -o data/date={date}/part.csv';
    const path = join(cwd, replaced.link);
    const elsewhere = join(cwd, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(cwd, 'mine'), 'mine');

    const onSleep = () => {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(replaced.target, path);
    };
    const result = await run(line, { onSleep });

    expectRefusal(result, 8, /through a link: \S+ is a link|through a link: it is a link/);
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('mine');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(result.histories['data/_adreport.ndjson']).not.toContain('"file"');

    rmSync(path);
    const again = await run(line);
    expect(again.exitCode).toBe(0);
    expect(calls('buyer')).toBe(1);
  });
});
