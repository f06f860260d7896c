import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const browser = findProgram('chromium', 'chromium-browser', 'google-chrome');
if (browser === undefined) console.log('Skipped: there is no browser of the Chromium family.');

test.skipIf(browser === undefined)('the picture of the README can be made again', async () => {
  const folder = temporaryFolder();
  const script = resolve(import.meta.dirname, '../pictures/make.js');
  const env = { ...process.env, ADREPORT_BROWSER: browser };

  await promisify(execFile)(process.execPath, [script, folder], { env });

  expect(statSync(join(folder, 'page.png')).size).toBeGreaterThan(20_000);
});
