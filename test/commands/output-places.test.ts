import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

test('two reports with one output are exit 2 before any call', async () => {
  const { run, cwd, server } = await serveForTest();
  const reports = '{one: {output: report.csv}, two: {output: ./report.csv}}';
  writeFileSync(join(cwd, 'adreport.yaml'), `defaults: {period: yesterday}\nreports: ${reports}\n`);

  const result = await run('run --all');

  expectRefusal(result, 2, 'The reports one and two would both be written to report.csv.');
  expect(server.requests()).toEqual([]);
});

test('what a killed run left of a declaration is removed by the next one', async () => {
  const { run, cwd } = await serveForTest();
  const left = join(cwd, 'data/._adreport.yaml.adreport-otherhost-1-abc123.tmp');
  mkdirSync(dirname(left));
  writeFileSync(left, 'since');
  utimesSync(left, 0, 0);

  await run('run --period yesterday --split day -o data/{date}/a.csv');

  expect(readdirSync(dirname(left)).sort()).toEqual([
    '2026-11-19',
    '_adreport.history',
    '_adreport.yaml',
  ]);
});

describe.skipIf(process.platform === 'win32')('in a declared folder, a link', () => {
  test('to the history is no output', async () => {
    const { run, cwd } = await serveForTest();
    symlinkSync('data/_adreport.history', join(cwd, 'linked.csv'));

    const result = await run('run --period yesterday -o linked.csv');

    expectRefusal(result, 2, '-o linked.csv would overwrite the declaration or history');
  });

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

    expectRefusal(result, 8, /Cannot write \S+part.csv: (it|a folder on its path) is a symlink/);
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe('mine');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(result.histories['data/_adreport.history']).toBe('');

    rmSync(path);
    const again = await run(line);
    expect(again.exitCode).toBe(0);
    expect(calls('buyer')).toBe(1);
  });
});
