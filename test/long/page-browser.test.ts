import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createReport, startForTest } from '../server/local.ts';
import { findBrowser } from '../support/browser.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const run = promisify(execFile);

const browser = findBrowser();

test.runIf(browser)('a browser runs the page: the list of reports fills, under its own security policy', async () => {
  const server = await startForTest({ manual: true });
  const [waiting, ready] = [await createReport(server), await createReport(server, 'dsp')];
  server.setReport(ready, { status: 'ready' });
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-sync', '--no-first-run'];
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    `--user-data-dir=${temporaryFolder()}`,
  ];
  const { stdout, stderr } = await run(
    browser ?? '',
    [...flags, ...quiet, '--enable-logging=stderr', '--virtual-time-budget=3000', '--dump-dom', `${server.url}/`],
    { timeout: 60_000, maxBuffer: 10_000_000 },
  );
  const cells = [...stdout.matchAll(/<td class="([^"]*)">([^<]*)<\/td>/g)].map(([, , text]) => text);
  expect(cells).toEqual([
    ...[ready, 'dsp', 'ready', '2026-11-20 12:00:00', 'DAILY'],
    ...[waiting, 'buyer', 'progress', '2026-11-20 12:00:00', 'DAILY'],
  ]);
  expect(stderr).not.toMatch(/Content Security Policy|Uncaught/);
  expect(server.requests()).toHaveLength(2);
});
