import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../present/xlsx-reader.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** `--logo` and `--note`. */

const day = 'run --local --period 2026-11-19 --metrics displays';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><path d="M0 0h4v1H0z"/></svg>';

function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  return cwd;
}

/** The picture in the head of a page, as type and bytes of its `data:` URI. */
function logoOf(html: string) {
  const [, type, data = ''] =
    /<img class="logo" src="data:([^;]+);base64,([^"]+)" alt="">/.exec(html) ?? [];
  return { type, bytes: Buffer.from(data, 'base64').toString('latin1') };
}

describe('--logo', () => {
  test.each([
    { name: 'a PNG', content: png, type: 'image/png' },
    { name: 'an SVG', content: svg, type: 'image/svg+xml' },
    {
      name: 'an SVG of a drawing program',
      content: `\ufeff<?xml version="1.0"?>\n<!-- made by hand -->\n<!DOCTYPE svg [<!ENTITY a "b">]>\n${svg}`,
      type: 'image/svg+xml',
    },
  ])('$name is embedded in the page', async ({ content, type }) => {
    const cwd = folderWith({ 'logo.bin': content });

    const { files, stderr } = await runCli(`${day} -o r.html --logo logo.bin`, { cwd });

    expect(stderr).toContain('Wrote r.html');
    expect(logoOf(files['r.html'] ?? '')).toEqual({
      type,
      bytes: Buffer.from(content).toString('latin1'),
    });
  });

  test.each([
    { name: 'no such file', file: 'none.png', says: 'there is no such file' },
    { name: 'a folder', file: '.', says: 'it is a folder' },
    { name: 'a page', file: 'page.svg', says: 'neither a PNG nor an SVG' },
    { name: 'comments alone', file: 'comments.svg', says: 'neither a PNG nor an SVG' },
    { name: 'a JPEG', file: 'photo.png', says: 'neither a PNG nor an SVG' },
    { name: 'a large picture', file: 'large.png', says: 'larger than 200 KB' },
  ])('$name: exit 2, and nothing is sent', async ({ file, says }) => {
    const { run, server, cwd } = await serveForTest();
    writeFileSync(join(cwd, 'page.svg'), `<html>${svg}`);
    writeFileSync(join(cwd, 'comments.svg'), '<!---->'.repeat(28_000));
    writeFileSync(join(cwd, 'photo.png'), Buffer.from('ffd8ffe000104a464946', 'hex'));
    writeFileSync(join(cwd, 'large.png'), Buffer.concat([png, Buffer.alloc(205_000)]));

    const result = await run(`run --period 2026-11-19 --campaign * -o r.html --logo ${file}`);

    expectRefusal(result, 2, says);
    expect(server.requests()).toEqual([]);
  });
});

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
  { flags: '--logo logo.png -o r.xlsx', says: '--logo works with html and pdf, not with xlsx.' },
  { flags: '--logo logo.png', says: 'not with csv' },
])('$flags: exit 2, because it would not be shown', async ({ flags, says }) => {
  expectRefusal(await runCli(`${day} ${flags}`), 2, says);
});

test('a saved report has both as keys; its logo is found from the folder of its file', async () => {
  const { run, cwd } = await serveForTest({ delayMs: 0 });
  mkdirSync(join(cwd, 'below'));
  writeFileSync(join(cwd, 'logo.svg'), svg);
  const keys = 'period: 2026-11-19, logo: logo.svg, note: To all, output: r.html';
  writeFileSync(join(cwd, 'adreport.yaml'), `reports: {daily: {${keys}}}`);

  const { stderr } = await run('run daily', { cwd: join(cwd, 'below') });

  expect(stderr).toContain(`Wrote ${join('..', 'r.html')}`);
  const html = readFileSync(join(cwd, 'r.html'), 'utf8');
  expect(logoOf(html)).toEqual({ type: 'image/svg+xml', bytes: svg });
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
