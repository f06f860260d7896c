import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endedGroups } from '../../src/view/ended-groups.ts';
import { type Comparison, changeOf, figuresOf, figureText } from '../../src/view/figures.ts';
import { headlineOf } from '../../src/view/headline.ts';
import { ReportSums } from '../../src/view/report-sums.ts';
import { batchesOf } from '../output/encode.ts';

/** What a reader sees of a comparison, held against integers that are added up here. */

interface SaleRow {
  readonly campaignId: number;
  readonly campaignName: string;
  readonly displays: number;
  readonly clicks: number;
  readonly revenueEuro: string;
}

const columns = [
  { field: 'campaignId', numeric: false },
  { field: 'campaignName', numeric: false },
];

const saleRow = fc
  .record({
    campaignId: fc.integer({ min: 1, max: 5 }),
    displays: fc.integer({ min: 0, max: 4000 }),
    clicks: fc.integer({ min: 0, max: 90 }),
    cents: fc.integer({ min: 0, max: 9_999_999 }),
  })
  .map(({ campaignId, displays, clicks, cents }): SaleRow => {
    const revenueEuro = `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;
    return { campaignId, campaignName: `Été ${campaignId}`, displays, clicks, revenueEuro };
  });
const saleRows = fc.array(saleRow, { minLength: 1, maxLength: 12 });

const centsOf = ({ revenueEuro }: SaleRow) => BigInt(revenueEuro.replace(',', ''));

function sumOf(rows: readonly SaleRow[], numberOf: (row: SaleRow) => bigint): bigint {
  let sum = 0n;
  for (const row of rows) sum += numberOf(row);
  return sum;
}

async function sumsOf(rows: readonly SaleRow[]): Promise<ReportSums> {
  const sums = new ReportSums();
  for await (const batch of batchesOf(rows)) sums.observe(batch, columns);
  return sums;
}

/** `over ÷ under` rounded to whole numbers, a half away from zero; both are positive. */
const rounded = (over: bigint, under: bigint) => (2n * over + under) / (2n * under);

const grouped = (digits: bigint) => digits.toLocaleString('en');

/** A number of so many decimals, given without its point. */
function decimalText(digits: bigint, decimals: number): string {
  const text = String(digits).padStart(decimals + 1, '0');
  return `${grouped(BigInt(text.slice(0, -decimals)))}.${text.slice(-decimals)}`;
}

function changeTextOf(now: bigint, before: bigint): string {
  if (before === 0n) return now === 0n ? '= 0.0 %' : 'new';
  const size = now > before ? now - before : before - now;
  const tenths = rounded(size * 1000n, before);
  if (tenths === 0n) return '= 0.0 %';
  const percent = decimalText(tenths, 1).replaceAll(',', '');
  return `${now > before ? '▲' : '▼'} ${percent} %`;
}

function moneyInSentence(cents: bigint): string {
  return cents < 100_000n ? `€${decimalText(cents, 2)}` : `€${grouped(rounded(cents, 100n))}`;
}

function headlineFrom(now: readonly SaleRow[], before: readonly SaleRow[]): string | undefined {
  const centsNow = sumOf(now, centsOf);
  const centsBefore = sumOf(before, centsOf);
  if (centsNow === 0n || centsBefore === 0n) return undefined;

  const isRise = centsNow > centsBefore;
  const size = isRise ? centsNow - centsBefore : centsBefore - centsNow;
  const tenths = rounded(size * 1000n, centsBefore);
  const ids = new Set([...now, ...before].map(({ campaignId }) => campaignId));
  if (tenths === 0n || ids.size < 2) return undefined;

  const moves = [...ids].map((id) => {
    const rowsNow = now.filter(({ campaignId }) => campaignId === id);
    const rowsBefore = before.filter(({ campaignId }) => campaignId === id);
    const difference = sumOf(rowsNow, centsOf) - sumOf(rowsBefore, centsOf);
    return { id, rowsNow, rowsBefore, size: isRise ? difference : -difference };
  });
  let greatest = moves[0];
  for (const move of moves) if (greatest && move.size > greatest.size) greatest = move;
  if (!greatest) return undefined;

  const name = `Été ${greatest.id}`;
  let clause = `${name} brought ${moneyInSentence(greatest.size)} ${isRise ? 'more' : 'less'}`;
  if (greatest.rowsBefore.length === 0) {
    clause = `the new ${name} brought ${moneyInSentence(greatest.size)}`;
  } else if (greatest.rowsNow.length === 0) {
    clause = `${name}, which ended, had brought ${moneyInSentence(greatest.size)}`;
  }
  const whole = grouped(rounded(size * 100n, centsBefore));
  const percent = tenths < 100n ? decimalText(tenths, 1) : whole;
  return `Revenue ${isRise ? 'rose' : 'fell'} ${percent} % to ${moneyInSentence(centsNow)}; ${clause}`;
}

test('changes, rates and the headline are those of the rows, to the last digit', async () => {
  const figures = figuresOf(['displays', 'clicks', 'revenueEuro']);
  const figureNamed = (name: string) => {
    const figure = figures.find(({ field }) => field === name);
    if (!figure) throw new Error(`There is no ${name}.`);
    return figure;
  };
  const revenue = figureNamed('revenueEuro');

  await fc.assert(
    fc.asyncProperty(saleRows, saleRows, async (now, before) => {
      const sums = await sumsOf(now);
      const comparison: Comparison = {
        sums: await sumsOf(before),
        now: 'now',
        before: 'before',
        notices: [],
      };
      const totals = sums.total.totals();
      const totalsBefore = comparison.sums.total.totals();

      const cents = sumOf(now, centsOf);
      const displays = sumOf(now, (row) => BigInt(row.displays));
      const clicks = sumOf(now, (row) => BigInt(row.clicks));
      const centsBefore = sumOf(before, centsOf);
      const displaysBefore = sumOf(before, (row) => BigInt(row.displays));

      const change = changeOf(revenue, totals, totalsBefore);
      expect(change.text).toBe(changeTextOf(cents, centsBefore));
      if (change.ratio !== undefined && centsBefore > 0n) {
        expect(change.ratio).toBeCloseTo(Number(cents - centsBefore) / Number(centsBefore), 8);
      }

      const hasDisplays = displays > 0n;
      const ctr = hasDisplays ? `${decimalText(rounded(clicks * 10_000n, displays), 2)} %` : null;
      const ecpm = hasDisplays ? decimalText(rounded(cents * 1000n, displays), 2) : null;
      expect(figureText(figureNamed('ctr'), totals)).toBe(ctr);
      expect(figureText(figureNamed('ecpmEuro'), totals)).toBe(ecpm);
      if (hasDisplays && displaysBefore > 0n) {
        const ecpmChange = changeOf(figureNamed('ecpmEuro'), totals, totalsBefore);
        const expected = changeTextOf(cents * displaysBefore, centsBefore * displays);
        expect(ecpmChange.text).toBe(expected);
      }

      expect(headlineOf({ sums, lead: revenue, comparison })).toBe(headlineFrom(now, before));

      const [unit] = sums.units;
      const ended = unit ? endedGroups(unit, comparison, revenue) : [];
      const idsNow = new Set(now.map(({ campaignId }) => campaignId));
      const gone = before.filter((row) => !idsNow.has(row.campaignId) && centsOf(row) > 0n);
      const goneIds = new Set(gone.map(({ campaignId }) => String(campaignId)));
      expect(new Set(ended.map(({ key }) => key[0]))).toEqual(goneIds);
    }),
    { numRuns: 200 },
  );
});

test('there is no headline without revenue, without a change, and of one group alone', async () => {
  const row = { campaignName: 'Summer', displays: 10, clicks: 1 };
  const one = [{ ...row, campaignId: 1, revenueEuro: '5,00' }];
  const more = [{ ...row, campaignId: 1, revenueEuro: '6,00' }];
  const [displays, revenue] = figuresOf(['displays', 'revenueEuro']);
  const comparison = { sums: await sumsOf(one), now: 'now', before: 'before', notices: [] };

  const ofOneGroup = headlineOf({ sums: await sumsOf(more), lead: revenue, comparison });
  const ofNoChange = headlineOf({ sums: await sumsOf(one), lead: revenue, comparison });
  const ofDisplays = headlineOf({ sums: await sumsOf(more), lead: displays, comparison });
  const alone = headlineOf({ sums: await sumsOf(more), lead: revenue, comparison: undefined });

  expect([ofOneGroup, ofNoChange, ofDisplays, alone]).toEqual(Array(4).fill(undefined));
});
