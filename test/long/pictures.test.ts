import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findProgram, isInstalled } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const pictures = resolve(import.meta.dirname, '../pictures');
const browser = findProgram('chromium', 'chromium-browser', 'google-chrome');
const canMake = browser !== undefined && isInstalled('script');
if (!canMake) console.log('Skipped: there is no browser of the Chromium family, or no script.');

/** The duration of the report differs in each picture. */
const withoutSeconds = (picture: string): string => {
  return picture.replace(/, in [\d.]+ m?s\./, '').replaceAll(/ textLength="[\d.]+"/g, '');
};

test.skipIf(!canMake)('the pictures of the README are current', async () => {
  const folder = temporaryFolder();
  const env = { ...process.env, ADREPORT_BROWSER: browser };
  await promisify(execFile)(process.execPath, [join(pictures, 'make.js'), folder], { env });

  for (const name of ['terminal.svg', 'folder.svg']) {
    const made = readFileSync(join(folder, name), 'utf8');
    const committed = readFileSync(join(pictures, name), 'utf8');
    expect(withoutSeconds(made)).toBe(withoutSeconds(committed));
  }
  expect(statSync(join(folder, 'page.png')).size).toBeGreaterThan(20_000);
});
