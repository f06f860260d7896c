/**
 * Makes the picture of the README: a page of the built-in data, as a browser of the Chromium family
 * shows it. Run it after a build: `node test/pictures/make.js`, or with another folder behind it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const target = resolve(process.argv[2] ?? import.meta.dirname);
const program = resolve(import.meta.dirname, '../../bin/adreport.js');
const folder = mkdtempSync(join(tmpdir(), 'adreport-pictures-'));

const line = 'run --local --period 2026-10 --by DAILY,CAMPAIGN --compare -o october.html -q';
execFileSync(process.execPath, [program, ...line.split(' ')], {
  cwd: folder,
  env: { ...process.env, ADREPORT_CONFIG_DIR: folder },
});

const executablePath = process.env.ADREPORT_BROWSER ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
await page.goto(`file://${join(folder, 'october.html')}`);

// The page down to the end of its first chart.
const chart = await page.locator('figure').first().boundingBox();
const height = Math.ceil((chart?.y ?? 0) + (chart?.height ?? 0)) + 6;
const clip = { x: 0, y: 0, width: 1280, height };
await page.screenshot({ path: join(target, 'page.png'), clip, fullPage: true });
await browser.close();
rmSync(folder, { recursive: true });
