import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../present/xlsx-reader.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--title`, `--note` and `--label`. */

const day = 'run --local --period 2026-11-19 --metrics displays';

describe('--note', () => {
  const note = ['--note', 'For <Acme>.\nFigures may rise.'];

  test('is on the page with its line breaks, and one line in the summary of a sheet', async () => {
    const words = day.split(' ');
    const { files } = await runCli([...words, '-o', 'r.html', ...note]);

    expect(files['r.html']).toContain(
      '<p class="sender-note">For &lt;Acme&gt;.<br>Figures may rise.</p>',
    );

    const { cwd } = await runCli([...words, '-o', 'r.xlsx', ...note]);

    const summary = readSheet(readFileSync(join(cwd, 'r.xlsx')), 2);
    expect(summary).toContainEqual(['Note', 'For <Acme>. Figures may rise.']);
  });
});

describe('--label', () => {
  const money = 'run --local --period 2026-11-18..2026-11-19 --metrics displays,revenueEuro';
  const labels = ['--label', 'revenueEuro=Spend', '--label', 'displays=Impressions'];
  const run = (line: string, options = {}) => runCli([...line.split(' '), ...labels], options);

  test('is what readers of pages, sheets, tables and cards see', async () => {
    const compared = `${money} --by CAMPAIGN --compare`;
    const page = await run(`${compared} -o r.html --no-color`, { tty: true });
    const { cwd } = await run(`${compared} -o r.xlsx`);
    const { stdout } = await run(`${compared} --format table`);

    const html = page.files['r.html'] ?? '';
    expect(html).toMatch(/<p class="headline">Spend (rose|fell)/);
    expect(html).toContain('<dt>Spend</dt>');
    expect(html).not.toContain('Revenue');
    expect(page.stderr).toMatch(/ {2}Spend +[\d,.]+ /);
    const sheet = readFileSync(join(cwd, 'r.xlsx'));
    expect(readSheet(sheet)[0]).toEqual(expect.arrayContaining(['Spend', 'Spend before']));
    expect(readSheet(sheet, 2).flat()).toContain('Spend');
    expect(stdout.split('\n')[0]).toMatch(/Impressions +Spend +Change/);
  });

  test('view takes it, too', async () => {
    const { cwd } = await runCli(`${money} --by CAMPAIGN -o r.csv -q`);
    const line = 'view r.csv --by CAMPAIGN --format table --label spend=Cost';

    const { stdout } = await runCli(line, { cwd });

    expect(stdout).toMatch(/Cost\s/);
  });

  test('is a value or a list in adreport.yaml, and its defaults apply to formats that know it', async () => {
    const { run: runHere, cwd } = await serveForTest({ delayMs: 0 });
    const day = 'period: 2026-11-19, metrics: [displays, revenueEuro]';
    const yaml = `defaults: {label: revenueEuro=Spend}
reports:
  page: {${day}, output: p.html}
  own: {${day}, output: o.html, label: [revenueEuro=Cost, displays=Impressions]}
  rows: {${day}, output: r.csv}
`;
    writeFileSync(join(cwd, 'adreport.yaml'), yaml);

    const { exitCode, stderr } = await runHere('run --all -q');

    expect(exitCode, stderr).toBe(0);
    const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
    expect(read('p.html')).toContain('<dt>Spend</dt>');
    expect(read('o.html')).toMatch(/<dt>Cost<\/dt>.*<dt>Impressions<\/dt>/s);
    expect(read('r.csv')).toMatch(/^displays,revenueEuro\r\n/);
  });

  test.each([
    { flags: '--label revenueEuro=Spend -o r.csv', says: '--label cannot be used with csv' },
    { flags: '--label revenue=Spend=x --label clikcs=A -o r.html', says: 'Did you mean clicks?' },
    { flags: '--label Spend -o r.html', says: 'Use NAME=VALUE, for example revenueEuro=Spend.' },
  ])('$flags: exit 2', async ({ flags, says }) => {
    expectRefusal(await runCli(`${money} ${flags}`), 2, says);
  });
});

test.each([{ flags: '--note Hello -o r.csv', says: '--note cannot be used with csv.' }])(
  '$flags: exit 2, because it would not be shown',
  async ({ flags, says }) => {
    expectRefusal(await runCli(`${day} ${flags}`), 2, says);
  },
);

test('they do not affect the content of a folder of pages: nothing is due', async () => {
  const { run, server } = await serveForTest({ delayMs: 0 });
  const line = 'run --period 2026-11-18..2026-11-19 --split day -o data/{date}.html';
  expect(await run(line)).toMatchObject({ exitCode: 0 });
  const requests = server.requests().length;

  expect(await run(`${line} --note Hello`)).toMatchObject({ exitCode: 0 });

  expect(server.requests()).toHaveLength(requests);
});
