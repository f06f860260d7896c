import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { printable } from '../../src/text/printable.ts';
import { encode } from '../output/encode.ts';
import { findBrowser } from '../support/browser.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { checkContrasts } from './contrasts.ts';

/** Pages in a real browser, where there is one: what they show, that they answer, and that nothing else happens. */

const executablePath = findBrowser();
let browser: Browser;

beforeAll(async () => {
  if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser?.close());

const desktop = { viewport: { width: 1200, height: 900 } } as const;
const phone = { viewport: { width: 375, height: 740 }, hasTouch: true } as const;

/** Opens a page from a file, and at the end of the test expects that it asked for nothing and complained of nothing. */
async function open(html: string, options: BrowserContextOptions = desktop): Promise<Page> {
  const path = join(temporaryFolder(), 'report.html');
  writeFileSync(path, html);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const events: string[] = [];
  page.on('console', (message) => events.push(message.text()));
  page.on('pageerror', (error) => events.push(error.message));
  page.on('dialog', (dialog) => {
    events.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) events.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(events).toEqual([pathToFileURL(path).href]);
  });
  await page.goto(pathToFileURL(path).href);
  return page;
}

async function reportPage(...flags: string[]): Promise<string> {
  const { files } = await runCli(['run', '--local', '--period', '2026-10', ...flags, '-o', 'report.html']);
  return files['report.html'] ?? '';
}

/** Rows as `{"date":…}` texts of a report of so many. */
function rowsOf(count: number): string {
  const rows = Array.from({ length: count }, (_, i) => {
    const date = `2026-10-${String((i % 31) + 1).padStart(2, '0')}`;
    const names = `"campaignId":"${40_000 + (i % 37)}","campaignName":"Campagne ${i % 37} – été","bundleId":"com.example.app${i % 4001}"`;
    return `{"date":"${date}",${names},"displays":${(i * 17) % 9000},"clicks":${i % 200},"revenueEuro":${((i * 31) % 5000) / 100}}`;
  });
  return `{"data":[${rows.join()}]}`;
}

const cellsOf = (page: Page, column: number): Promise<string[]> =>
  page.locator(`tbody td:nth-child(${column})`).allTextContents();

const numberOf = (text: string | null): number => Number((text ?? '').replaceAll(',', ''));

const cases: readonly (readonly [name: string, make: () => Promise<string>])[] = [
  ['days and campaigns', () => reportPage('--by', 'DAILY,CAMPAIGN')],
  ['countries, no time', () => reportPage('--by', 'COUNTRY,OS')],
  ['hours', () => reportPage('--by', 'HOURLY')],
  ['a DSP report', () => reportPage('--profile', 'dsp', '--by', 'DAILY,FORMAT,BUNDLEID')],
  ['every breakdown of a place', () => reportPage('--by', 'COUNTRY,REGION,DEPARTMENT,CITY,POSTALCODE,CARRIER')],
  ['no rows', () => reportPage('--by', 'DAILY,CAMPAIGN', '--filter', 'campaignId=1')],
  ['one row', () => reportPage()],
  ['60,000 rows, added up', async () => (await encode(rowsOf(60_000), 'html')).text],
];

describe.skipIf(!executablePath)('in a browser (skipped where no Chromium is installed)', () => {
  test.each(cases)('%s: readable in both themes, on a desk, on a phone, and on paper', async (_name, make) => {
    const html = await make();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const screen of [desktop, phone]) {
        const page = await open(html, { ...screen, colorScheme });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(screen.viewport.width);
        expect(await checkContrasts(page)).toEqual([]);
        const [red = 0] = await backgroundOf(page);
        expect(red > 128).toBe(colorScheme === 'light');
      }
    }
    const page = await open(html, { ...desktop, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await backgroundOf(page)).toEqual([255, 255, 255]);
    expect(await checkContrasts(page)).toEqual([]);
    expect(await page.locator('input, select, .pager button').filter({ visible: true }).count()).toBe(0);
    expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(10_000);
  });

  test('sorts by numbers and by names, and comes back to the order of the report', async () => {
    const page = await open((await encode(rowsOf(500), 'html')).text);
    const before = await cellsOf(page, 5);
    const head = page.getByRole('columnheader', { name: 'Displays' });
    await head.getByRole('button').click();
    const falling = (await cellsOf(page, 5)).map(numberOf);
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    expect(await head.getAttribute('aria-sort')).toBe('descending');
    await head.getByRole('button').click();
    const rising = (await cellsOf(page, 5)).map(numberOf);
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
    expect(rising[0]).toBe(0);
    await head.getByRole('button').click();
    expect(await cellsOf(page, 5)).toEqual(before);
    await page.getByRole('button', { name: 'Bundle ID' }).press('Enter');
    expect((await cellsOf(page, 4)).slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, i) => `com.example.app${i}`));
  });

  test('filters by words in any case, without accents, and by numbers; the totals follow', async () => {
    const page = await open((await encode(rowsOf(500), 'html')).text);
    const filter = page.getByLabel('Filter');
    await filter.fill('ETE campagne app12 clicks>100');
    const shown = await cellsOf(page, 4);
    const expected = Array.from({ length: 500 }, (_, i) => i).filter(
      (i) => String(i).startsWith('12') && i % 200 > 100,
    );
    expect(shown).toEqual(expected.map((i) => `com.example.app${i}`));
    const clicks = (await cellsOf(page, 6)).map(numberOf);
    const cents = (await cellsOf(page, 7)).map((text) => Math.round(100 * numberOf(text)));
    const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
    expect(numberOf(await page.locator('tfoot td').nth(5).textContent())).toBe(sum(clicks));
    expect(Math.round(100 * numberOf(await page.locator('tfoot td').nth(6).textContent()))).toBe(sum(cents));
    expect(await page.locator('#count').textContent()).toBe(`${expected.length} rows (of 500)`);
    await filter.fill('no such name');
    expect(await page.locator('tbody tr').count()).toBe(0);
    expect(await page.locator('#more').textContent()).toBe('No row fits the filter.');
    await filter.fill('');
    expect(await page.locator('#count').textContent()).toBe('1–100 of 500 rows');
  });

  test('turns its pages, and prints all of them', async () => {
    const page = await open((await encode(rowsOf(250), 'html')).text);
    const [back, on] = [
      page.getByRole('button', { name: 'Previous rows' }),
      page.getByRole('button', { name: 'Next rows' }),
    ];
    expect(await back.isDisabled()).toBe(true);
    await on.click();
    await on.click();
    expect(await on.isDisabled()).toBe(true);
    expect((await cellsOf(page, 4))[0]).toBe('com.example.app200');
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator('tbody tr').count()).toBe(250);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect((await cellsOf(page, 4))[0]).toBe('com.example.app200');
    const long = await open((await encode(rowsOf(2500), 'html')).text);
    await long.emulateMedia({ media: 'print' });
    await long.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await long.locator('#more').innerText()).toBe('Rows 1 to 2,000 of 2,500; the file holds the others.');
  });

  test('ranks by another metric, and shows values under the pointer and by keys', async () => {
    const page = await open((await encode(rowsOf(500), 'html')).text);
    const first = page.locator('.bars ol:not([hidden]) .n').first();
    expect(await first.textContent()).toMatch(/^€/);
    await page.locator('#rank').selectOption({ label: 'Displays' });
    expect(await first.textContent()).toMatch(/^\d/);
    const chart = page.locator('figure svg').first();
    await chart.hover();
    expect(await page.locator('#tip').innerText()).toMatch(/^Fri 16 Oct 2026\n(?:Campagne \d+ – été: [€\d.,–]+\n?){5}$/);
    await chart.focus();
    await chart.press('ArrowRight');
    await chart.press('ArrowRight');
    expect(await page.locator('#tip').innerText()).toMatch(/^Sun 18 Oct 2026\n/);
    await chart.press('Escape');
    expect(await page.locator('#tip').isVisible()).toBe(false);
  });

  test('shows hostile names as what they are', async () => {
    const names = [
      '</script><script>window.bad=1</script>',
      '<!--<script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '\u2028\u001b[31m\u202e',
      '${alert(1)}',
      '</title></style></textarea>',
      '&lt;b&gt;',
    ];
    const rows = names.map((name, i) => ({ campaignName: name, [name]: name, displays: i + 1 }));
    const page = await open((await encode(JSON.stringify({ data: rows }), 'html')).text);
    expect(await cellsOf(page, 1)).toEqual(names.map(printable));
    // Drawn anew by the script, they are the same.
    await page.getByRole('button', { name: 'Displays' }).click();
    expect((await cellsOf(page, 1)).toReversed()).toEqual(names.map(printable));
    expect(await page.locator('.bars').first().locator('i').allTextContents()).toEqual(
      names.map(printable).toReversed(),
    );
    expect(await page.evaluate('window.bad')).toBeUndefined();
  });

  test('without scripts it has its cards, its charts and its first rows', async () => {
    const page = await open((await encode(rowsOf(300), 'html')).text, { ...phone, javaScriptEnabled: false });
    expect(await page.locator('dt').allTextContents()).toContain('CTR');
    expect(await page.locator('figure svg').first().isVisible()).toBe(true);
    expect(await page.locator('tbody tr').count()).toBe(100);
    expect(await page.locator('#more').innerText()).toMatch(/^Rows 1 to 100 of 300; /);
    expect(await page.locator('input, button, select').filter({ visible: true }).count()).toBe(0);
  });

  test('50,000 rows: there, sorted and filtered in the time of one look', async () => {
    const { text: html } = await encode(rowsOf(50_000), 'html');
    const startMs = performance.now();
    const page = await open(html);
    await page.getByLabel('Filter').waitFor();
    const openMs = performance.now() - startMs;
    await page.getByRole('button', { name: 'Displays' }).click();
    expect((await cellsOf(page, 5))[0]).toBe('8,999');
    const sortedMs = performance.now() - startMs;
    await page.getByLabel('Filter').fill('app400 clicks>=100');
    expect((await cellsOf(page, 4)).every((name) => name.includes('app400'))).toBe(true);
    const filteredMs = performance.now() - startMs;
    const [opened, sorted, filtered] = [openMs, sortedMs, filteredMs].map((ms) => `${Math.round(ms)} ms`);
    console.log(`50,000 rows: open after ${opened}, sorted after ${sorted}, filtered after ${filtered}`);
    // Of the rows only those that are seen are elements.
    expect(await page.locator('tr').count()).toBeLessThanOrEqual(102);
    expect(openMs).toBeLessThan(5_000);
  });
});

function backgroundOf(page: Page): Promise<number[]> {
  return page.evaluate('getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)');
}
