import { expect, test } from 'vitest';
import { serveForTest } from '../support/service.ts';

/** With --json and -o each file is one line on stdout (`cli.md`, Output). */

const day = ['--since', '2026-11-09', '--until', '2026-11-10', '--by', 'DAILY', '--json', '-q'];

test('a file: its name, rows, bytes, report, window and warnings', async () => {
  const { run } = await serveForTest();
  const { exitCode, stdout, files } = await run(['run', ...day, '-o', 'r.csv']);
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
  const period = ['--period', '2026-10-01..2026-10-12', '--by', 'OS', '--split', 'day', '--json', '-q'];
  const { stdout } = await run(['run', ...period, '-o', '{date}.csv']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ file }) => file).sort()).toEqual(
    Array.from({ length: 12 }, (_, at) => `2026-10-${String(at + 1).padStart(2, '0')}.csv`),
  );
  expect(new Set(lines.map(({ reportId }) => reportId)).size).toBe(12);
  expect((await run(['run', ...day, '--format', 'csv'])).stdout).toMatch(/^date,/);
});

test('download tells the window that the service states', async () => {
  const { run } = await serveForTest({ delayMs: 0 });
  const { stdout: id } = await run(['report', 'create', '--period', '2026-11-09', '--by', 'DAILY']);
  const { stdout } = await run(['download', id.trim(), '-o', 'd.json', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ file: 'd.json', reportId: id.trim(), since: '2026-11-09T00:00:00+0100' });
});
