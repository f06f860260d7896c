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
      tables: 2,
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

      await page.evaluate("dispatchEvent(new Event('beforeprint'))");

      for (const table of await page.locator('section.rows').all()) {
        const count = await table.locator('tbody tr').count();
        expect(count).toBeGreaterThan(0);
        expect(count).toBeLessThanOrEqual(300);
      }
      expect(await page.locator('section.rows').count()).toBe(tables);
    },
  );

  test('the table sorts by numbers, filters by words, and turns its pages', async () => {
    const page = await open(fileOf(await pageOf(500)));
    const before = await columnOf(page, 4);
    const head = page.getByRole('columnheader', { name: 'Displays' }).last();
    await head.getByRole('button').click();

    const falling = (await columnOf(page, 5)).map(numberOf);

    expect(falling[0]).toBeGreaterThan(8000);
    expect(falling).toEqual([...falling].sort((a, b) => b - a));

    await head.getByRole('button').click();

    await head.getByRole('button').click();

    expect(await columnOf(page, 4)).toEqual(before);

    const filter = page.getByLabel('Filter').last();
    await filter.fill('ETE app12');
    // By date, and the largest revenue of a day first.
    const ordered = Array.from({ length: 500 }, (_, i) => i).sort(
      (a, b) => (a % 31) - (b % 31) || ((b * 31) % 5000) - ((a * 31) % 5000),
    );
    const wanted = ordered.filter((i) => String(i).startsWith('12') && i % 37);

    expect(await columnOf(page, 4)).toEqual(wanted.map((i) => `com.example.app${i}`));

    await filter.fill('');

    await page.getByRole('button', { name: 'Next rows' }).click();

    expect((await columnOf(page, 4))[0]).toBe(`com.example.app${ordered[300]}`);
  });

  test('filtered totals have correct rates, computed from the sums of the remaining rows', async () => {
    const page = await open(fileOf(await reportPage('--by CAMPAIGN')));
    await page.getByLabel('Filter').fill('puzzle king');

    const rowTexts = await page.locator('section.rows tbody tr').allInnerTexts();
    const [total = ''] = await page.locator('section.rows tfoot tr').allInnerTexts();
    // A table with many columns hides the ids.
    const shownHeads = page.locator('section.rows th').filter({ visible: true });
    const heads = await shownHeads.allInnerTexts();
    const cellIn = (line: string, head: string) => {
      const cell = line.split('\t')[heads.findIndex((text) => text.startsWith(head))] ?? '';
      return numberOf(cell.replace(/\s*%/, ''));
    };
    const sumOf = (head: string) => rowTexts.reduce((sum, line) => sum + cellIn(line, head), 0);

    expect(rowTexts.length).toBeGreaterThan(1);
    expect(cellIn(total, 'Clicks')).toBe(sumOf('Clicks'));
    const rate = (100 * sumOf('Clicks')) / sumOf('Displays');
    expect(cellIn(total, 'CTR')).toBeCloseTo(rate, 2);
    const ecpm = (1000 * sumOf('Revenue (€)')) / sumOf('Displays');
    expect(cellIn(total, 'eCPM (€)')).toBeCloseTo(ecpm, 2);
  });

  test.each([
    '--by CAMPAIGN --compare previous',
    '--by DAILY --compare previous',
    '--by DAILY,CAMPAIGN',
    '--by DAILY,CAMPAIGN --compare previous',
  ])('%s: at 1280 px every column is visible', async (flags) => {
    const page = await open(fileOf(await reportPage(flags)));
    const widths =
      "['scrollWidth', 'clientWidth'].map((name) => document.querySelector('.scroll')[name])";
    const [contentWidth, ownWidth] = (await page.evaluate(widths)) as number[];

    expect(contentWidth).toBe(ownWidth);

    // The page itself does not become wider on a narrower screen.
    await page.setViewportSize({ width: 1100, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1100);
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

  test('a legend has each name once: shortened on screen, whole in print', async () => {
    const names = ['Summer', `Winter ${'sale '.repeat(20)}`.trim()];
    const data = ['2026-10-01', '2026-10-02'].flatMap((date) =>
      names.map((campaignName, i) => ({ date, campaignId: i, campaignName, displays: 9 - i })),
    );
    const page = await open(fileOf((await encode(JSON.stringify({ data }), 'html')).text));
    const legend = page.locator('.legend > span');

    expect(await legend.allInnerTexts()).toEqual(['Summer', expect.stringMatching(/^Wi[^…]*…$/)]);

    await page.emulateMedia({ media: 'print' });

    expect(await legend.allInnerTexts()).toEqual(names);
  });

  test('the label of a tick is below its column', async () => {
    const page = await open(fileOf(await reportPage('--by DAILY')));
    const chart = page.locator('figure.time').first();
    const label = await chart.locator('.x text', { hasText: '12 Oct' }).boundingBox();
    const slot = await chart.locator('.slots i').nth(11).boundingBox();
    const middleOf = (box: { x: number; width: number } | null) =>
      (box?.x ?? 0) + (box?.width ?? 0) / 2;

    expect(Math.abs(middleOf(label) - middleOf(slot))).toBeLessThan(2);
  });

  test.each(['2026-W45', '2026-10-01..2026-10-12', '2026-10', '2026'])(
    'on a phone the labels of %s do not overlap',
    async (period) => {
      const by = period === '2026' ? 'MONTHLY' : 'DAILY';
      const { files } = await runCli(`run --local --period ${period} --by ${by} -o r.html`);
      const page = await open(fileOf(files['r.html'] ?? ''), phone);

      const labels = page
        .locator('figure.time')
        .first()
        .locator('.x text')
        .filter({ visible: true });
      const boxes = await Promise.all((await labels.all()).map((label) => label.boundingBox()));
      expect(boxes.length).toBeGreaterThanOrEqual(period === '2026' ? 5 : 3);
      for (const [i, box] of boxes.entries()) {
        const before = boxes[i - 1];
        if (before && box) expect(box.x - (before.x + before.width)).toBeGreaterThan(4);
      }
    },
  );

  test('on a phone no touch target is smaller than 44 px, and names replace ids', async () => {
    const page = await open(fileOf(await reportPage('--by CAMPAIGN')), phone);
    const controls = await page.locator('button, input, summary').filter({ visible: true }).all();
    expect(controls.length).toBeGreaterThan(3);
    for (const control of controls) {
      const { width, height } = (await control.boundingBox()) ?? { width: 0, height: 0 };
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
    }
    expect(
      await page
        .locator('.id, li small', { hasText: /^\d{5}$/ })
        .filter({ visible: true })
        .count(),
    ).toBe(0);
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
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(2);
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
      expect(pages.length).toBeLessThanOrEqual(3);
      const lines = pages.flat();
      expect(lines).toContain('All campaigns');
      expect(lines).toContainEqual(
        // Revenue, displays and clicks, each with its change.
        expect.stringMatching(`^\\d{5} ${campaign}(?: [\\d,.]+ [▲▼] [\\d.]+%){3} `),
      );
      expect(lines.join(' ')).toContain('Metrics by day and campaign are not printed.');
      expect(lines.join(' ')).toMatch(/About this report .* Key: date, campaignId/);
    });

    test('a year by month and campaign has complete names, a running head and page numbers', async () => {
      const { pages } = await printed('--period 2025 --by MONTHLY,CAMPAIGN --title "The year"');

      expect(pages.length).toBeGreaterThan(2);
      for (const [i, lines] of pages.entries()) {
        expect(lines).toContain(`Page ${i + 1} of ${pages.length}`);
        if (i > 0) expect(lines[0]).toBe('The year 1 January – 31 December 2025');
        // A heading is never the last line of a page.
        const foot = lines.filter((line) => line !== '').at(-2);
        expect(foot).not.toMatch(/^(?:All|Top|Over) /);
      }

      const rows = pages.flat().filter((line) => /^(?:January|July) 2025 /.test(line));
      expect(rows.length).toBeGreaterThan(8);
      expect(rows).toContainEqual(
        expect.stringMatching(`^January 2025 \\d{5} ${campaign} 8,049\\.54 `),
      );
      for (const row of rows) expect(row).toMatch(/ [\d,]+$/);
    });

    test('columns that do not fit are dropped in order, and the page names them', async () => {
      const metrics =
        'requests,displays,clicks,downloads,leads,landings,revenueEuro,revenueDollar,ctr,ecpmEuro,cpcEuro';
      const { pages } = await printed(
        `--period 2026-10 --by CAMPAIGN,COUNTRY,OS --metrics ${metrics}`,
      );

      const sentence = pages.flat().find((line) => line.startsWith('Not shown: ')) ?? '';
      expect(sentence).toContain('Revenue ($)');
      expect(sentence).not.toMatch(/Revenue \(€\)|Displays|Clicks/);
    });
  });
});
