import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../present/xlsx-reader.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--title` and `--note`. */

const day = 'run --local --period 2026-11-19 --metrics displays';

describe('--note', () => {
  const note = ['--note', 'For <Acme>.\nFigures may rise.'];

  test('is on the page with its line breaks, and one line in the summary of a sheet', async () => {
    const words = day.split(' ');
    const { files } = await runCli([...words, '-o', 'r.html', ...note]);

    expect(files['r.html']).toContain(
      '<p class="remark">For &lt;Acme&gt;.<br>Figures may rise.</p>',
    );

    const { cwd } = await runCli([...words, '-o', 'r.xlsx', ...note]);

    const summary = readSheet(readFileSync(join(cwd, 'r.xlsx')), 2);
    expect(summary).toContainEqual(['Note', 'For <Acme>. Figures may rise.']);
  });
});

test.each([
  { flags: '--note Hello -o r.csv', says: '--note works with html, pdf and xlsx, not with csv.' },
  { flags: '--note Hello -o r.parquet', says: 'not with parquet' },
  {
    flags: '--title Hello -o r.csv',
    says: '--title works with html, pdf and xlsx, not with csv.',
  },
])('$flags: exit 2, because it would not be shown', async ({ flags, says }) => {
  expectRefusal(await runCli(`${day} ${flags}`), 2, says);
});

test('a note is a key of a saved report', async () => {
  const { run, cwd } = await serveForTest({ delayMs: 0 });
  const keys = 'period: 2026-11-19, note: To all, output: r.html';
  writeFileSync(join(cwd, 'adreport.yaml'), `reports: {daily: {${keys}}}`);

  await run('run daily');

  const html = readFileSync(join(cwd, 'r.html'), 'utf8');
  expect(html).toContain('<p class="remark">To all</p>');
});

test('they do not affect the content of a folder of pages: --missing downloads nothing', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-11-18..2026-11-19 --split day --missing -o data/{date}.html';
  expect(await run(line)).toMatchObject({ exitCode: 0 });
  const requests = server.requests().length;

  expect(await run(`${line} --note Hello`)).toMatchObject({ exitCode: 0 });

  expect(server.requests()).toHaveLength(requests);
});
