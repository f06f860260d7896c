import { expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

/** With --json and -o each file is one line on stdout (`cli.md`, Output). */

test('a file: its name, rows, bytes, report, window and warnings', async () => {
  const { run } = await serveForTest();
  const { exitCode, stdout, files } = await run(
    'run --since 2026-11-09 --until 2026-11-10 --by DAILY --json -q -o r.csv',
  );
  expect(exitCode).toBe(0);
  expect(stdout.endsWith('\n')).toBe(true);
  expect(JSON.parse(stdout)).toEqual({
    file: 'r.csv',
    rows: 2,
    bytes: Buffer.byteLength(files['r.csv'] ?? ''),
    reportId: expect.stringMatching(/^[0-9a-f]+$/),
    since: '2026-11-09T00:00:00+0100',
    until: '2026-11-10T23:59:59+0100',
    warnings: [],
  });
});

test('a line for each of many files, and none for stdout', async () => {
  const { run } = await serveForTest();
  const days = 'run --period 2026-10-01..2026-10-04 --json -q';
  const { stdout } = await run(`${days} --by OS --split day -o {date}.csv`);
  const lines = stdout.trimEnd().split('\n');
  const results = lines.map((line) => JSON.parse(line));
  expect(results.map(({ file }) => file).sort()).toEqual([1, 2, 3, 4].map((day) => `2026-10-0${day}.csv`));
  expect(new Set(results.map(({ reportId }) => reportId)).size).toBe(4);
  expect((await run(`${days} --by DAILY --format csv`)).stdout).toMatch(/^date,/);
});

test('download tells the window that the service states', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const id = (await run('report create --period 2026-11-09 --by DAILY')).stdout.trim();
  const { stdout } = await run(`download ${id} -o d.json --json`);
  expect(JSON.parse(stdout)).toMatchObject({ file: 'd.json', reportId: id, since: '2026-11-09T00:00:00+0100' });
});
