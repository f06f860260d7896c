import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { printPage } from '../../src/present/pdf/print-page.ts';
import { encode } from '../formats/encode.ts';
import { findProgram } from '../support/programs.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';
import { spawnCli } from '../support/spawn.ts';

/**
 * Pages in a real browser, if there is one: what they show, how they react, and that they do
 * nothing else.
 */

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome');
let browser: Browser;
beforeAll(async () => {
  if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser?.close());

const desktop = { viewport: { width: 1280, height: 900 } } as const;
const phone = { viewport: { width: 375, height: 740 }, hasTouch: true } as const;

const pdfToText = findProgram('pdftotext');

/** Without an emoji font, emoji are not text in a PDF. */
const hasEmoji =
  findProgram('fc-list') !== undefined && /emoji/i.test(execFileSync('fc-list').toString());

/** Prints like the program. */
const printer = (page: Uint8Array): Promise<Buffer> => {
  const { signal } = new AbortController();
  return printPage(page, { browser: executablePath ?? '', env: process.env, signal });
};

/** Names with markup, long names, and many scripts. */
const hostileNames = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  '{{7*7}} ${7*7} javascript:alert(3)',
  '¡Ñam, ñam! – “Été” №1 €',
  'Король игр Ωμέγα',
  'مبيعات الصيف',
  'קמפיין קיץ',
  'Puzzle King 👑🎯',
  'x'.repeat(200),
];

/** Opens a page. After the test, expects that it had no errors and made no forbidden requests. */
async function open(
  url: string,
  options: BrowserContextOptions = desktop,
  may = (asked: string) => asked === url,
) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const events: string[] = [];
  page.on('console', (message) => events.push(message.text()));
  page.on('pageerror', (error) => events.push(error.message));
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => events.push(dialog.message())));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:') && !may(request.url())) events.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect(events).toEqual([]);
  });
  await page.goto(url);
  return page;
}

function fileOf(html: string): string {
  const path = join(temporaryFolder(), 'report.html');
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

async function reportPage(flags: string): Promise<string> {
  const { files } = await runCli(`run --local --period 2026-10 ${flags} -o report.html`);
  return files['report.html'] ?? '';
}

/** A report with `count` rows, some of whose names are markup. */
async function pageOf(count: number): Promise<string> {
  const rows = Array.from({ length: count }, (_, i) => ({
    date: `2026-10-${String((i % 31) + 1).padStart(2, '0')}`,
    campaignId: String(40_000 + (i % 37)),
    campaignName:
      i % 37 === 0
        ? '<img src=x onerror=alert(1)></script><script>alert(2)</script>'
        : `Été ${i % 37}`,
    bundleId: `com.example.app${i}`,
    displays: (i * 17) % 9000,
    clicks: i % 200,
    revenueEuro: ((i * 31) % 5000) / 100,
  }));
  return (await encode(JSON.stringify({ data: rows }), 'html')).text;
}

/**
 * The texts of a page with a contrast below 4.5 (WCAG 2.2, AA). Runs in the page; it is a text
 * because the tests are checked without browser types.
 */
const faintTexts = `(() => {
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => (part / 255 <= 0.03928 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join('');
    if (text === '' || element.disabled || !element.checkVisibility() || element.closest('script, svg')) continue;
    const [ink, paper] = [parse(getComputedStyle(element).color).slice(0, 3), backgroundOf(element)].map(luminance);
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) found.add(element.tagName + ' ' + text.slice(0, 20) + ' ' + contrast.toFixed(2));
  }
  return [...found];
})()`;

const columnOf = (page: Page, column: number): Promise<string[]> =>
  page.locator('section.rows').last().locator(`tbody td:nth-child(${column})`).allTextContents();
const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

describe.skipIf(!executablePath)('in a browser (skipped where no Chromium is installed)', () => {
  test.each([
    { name: 'days and campaigns', make: () => reportPage('--by DAILY,CAMPAIGN'), tables: 2 },
    { name: 'countries, no time', make: () => reportPage('--by COUNTRY,OS'), tables: 2 },
    {
      name: 'hours of a DSP',
      make: () => reportPage('--profile dsp --by HOURLY,FORMAT'),
      tables: 1,
    },
    {
      name: 'no rows',
      make: () => reportPage('--by DAILY,CAMPAIGN --filter campaignId=1'),
      tables: 0,
    },
    { name: 'one row', make: () => reportPage(''), tables: 0 },
    { name: '60,000 rows, some named as markup', make: () => pageOf(60_000), tables: 1 },
  ])(
    '$name: readable in both themes, on a desk, on a phone, and on paper',
    async ({ make, tables }) => {
      const url = fileOf(await make());
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const screen of [desktop, phone]) {
          const page = await open(url, { ...screen, colorScheme });
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(
            screen.viewport.width,
          );
          expect(await page.evaluate(faintTexts)).toEqual([]);
        }
      }
      const page = await open(url, { ...desktop, colorScheme: 'dark' });

      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });

      expect(await page.evaluate(faintTexts)).toEqual([]);
      expect(await page.locator('input, select').filter({ visible: true }).count()).toBe(0);
      expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(10_000);

      for (const table of await page.locator('section.rows').all()) {
        const count = await table.locator('tbody tr').count();
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(300);
      }
      expect(await page.locator('section.rows').count()).toBe(tables);
    },
  );

  test('a click on a heading sorts the table', async () => {
    const page = await open(fileOf(await pageOf(500)));
    const head = page.getByRole('columnheader', { name: 'Displays' }).last();
    const displays = async () => (await columnOf(page, 4)).map(numberOf);

    await head.getByRole('button').click();

    const falling = await displays();
    expect(falling).toEqual([...falling].sort((a, b) => b - a));
    expect(new Set(falling).size).toBeGreaterThan(20);

    await head.getByRole('button').click();

    expect(await displays()).toEqual([...falling].sort((a, b) => a - b));
  });

  test('the values of a chart are above it at the pointer, each with the colour of its line', async () => {
    const page = await open(fileOf(await reportPage('--by DAILY,CAMPAIGN')));
    const slot = page.locator('figure.wide .slots i').nth(9);
    await slot.hover();

    const tip = page.locator('.tip');
    expect(await tip.innerText()).toMatch(/^Sat 10 Oct 2026\n/);
    expect(await tip.locator('.key').count()).toBe(5);
    const place = await slot.boundingBox();
    const box = await tip.boundingBox();
    if (!place || !box) throw new Error('Nothing is shown.');
    expect(box.y + box.height).toBeLessThanOrEqual(place.y);
    expect(box.x + box.width / 2).toBeCloseTo(place.x + place.width / 2, 0);

    await page.mouse.move(2, 2);
    expect(await tip.isVisible()).toBe(false);
  });

  test.skipIf(!pdfToText || !hasEmoji)(
    'a PDF of hostile names shows every character as text, and contains no scripts (skipped without pdftotext and emoji)',
    async () => {
      const rows = hostileNames.map((campaignName, i) => {
        return { campaignId: String(40_000 + i), campaignName, displays: 10 + i, clicks: i };
      });
      const { bytes } = await encode(JSON.stringify({ data: rows }), 'pdf', { printer });
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'r.pdf'), bytes);

      const text = execFileSync(pdfToText ?? '', ['r.pdf', '-'], { cwd: folder, encoding: 'utf8' });
      // Lines are broken at the edge of the paper, and Arabic letters have several forms.
      const plain = text.normalize('NFKC').replaceAll(/\s/g, '');
      for (const word of hostileNames.join(' ').split(' ')) {
        expect(plain).toContain(word.normalize('NFKC'));
      }
      expect(bytes.toString('latin1')).not.toMatch(
        /\/(?:JavaScript|JS|Launch|URI|GoToR|SubmitForm|EmbeddedFile|RichMedia)\b/,
      );
    },
  );

  test('a PDF is requested like any other file, and shows the same as the page', async () => {
    const cwd = temporaryFolder();
    const line = 'run --local --period 2026-10 --by CAMPAIGN --compare previous -o r.pdf --json';

    const { exitCode, stdout, stderr } = await spawnCli(line, { cwd });

    expect(exitCode, stderr).toBe(0);
    const pdf = readFileSync(join(cwd, 'r.pdf'));
    expect(JSON.parse(stdout)).toMatchObject({ file: 'r.pdf', bytes: pdf.length });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  describe.skipIf(!pdfToText)('a PDF, read as text (skipped without pdftotext)', () => {
    /** The lines of each page of a report's PDF; consecutive blanks count as one. */
    async function printed(flags: string) {
      const cwd = temporaryFolder();
      const { exitCode, stderr } = await spawnCli(`run --local ${flags} -o r.pdf`, { cwd });
      expect(exitCode, stderr).toBe(0);
      const options = { cwd, encoding: 'utf8' } as const;
      const text = execFileSync(pdfToText ?? '', ['-layout', 'r.pdf', '-'], options);
      const pages = text
        .split('\f')
        .slice(0, -1)
        .map((page) => page.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim()));
      return { pages, sizeBytes: readFileSync(join(cwd, 'r.pdf')).length };
    }

    const campaign = 'Dauerkampagne Städtereisen';

    test('a month by day and campaign lists its campaigns with their changes, but not all rows', async () => {
      const { pages, sizeBytes } = await printed(
        '--period 2026-10 --by DAILY,CAMPAIGN --compare previous --title "October for Alpes"',
      );

      expect(sizeBytes).toBeLessThan(400_000);
      expect(pages.length).toBeLessThanOrEqual(2);
      const lines = pages.flat();
      expect(lines).toContain('All campaigns');
      expect(lines).not.toContain('All days and campaigns');
      expect(lines.join(' ')).toContain(campaign);
      expect(lines.join(' ')).toMatch(/About this report .*Report ID [0-9a-f]+/);
    });
  });
});
