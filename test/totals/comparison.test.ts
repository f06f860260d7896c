import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatHeadline } from '../../src/present/headline.ts';
import { endedGroups } from '../../src/totals/ended-groups.ts';
import {
  type Comparison,
  changeOf,
  defaultMetrics,
  formatMetric,
} from '../../src/totals/report-metrics.ts';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf } from '../formats/encode.ts';
import { windows } from './compared-windows.ts';

/** Checks the figures of a comparison against independent sums. */

interface SaleRow {
  readonly campaignId: number;

  /** May change while the id stays the same. */
  readonly campaignName: string;
  readonly displays: number;
  readonly clicks: number;
  readonly cents: number;
}

/** Revenue in a service's format: numbers for buyers, texts with a decimal comma for DSPs. */
interface Revenue {
  readonly field: string;
  readonly isText: boolean;
  readonly sign: string;
}

const revenues: readonly Revenue[] = [
  { field: 'revenueEuro', isText: false, sign: '€' },
  { field: 'valueDollar', isText: false, sign: '$' },
  { field: 'revenueEuro', isText: true, sign: '€' },
  { field: 'revenueDollar', isText: true, sign: '$' },
];

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
    isRenamed: fc.boolean(),
  })
  .map(({ isRenamed, ...row }): SaleRow => {
    const campaignName = `${isRenamed ? 'Hiver' : 'Été'} ${row.campaignId}`;
    return { ...row, campaignName };
  });
const saleRows = fc.array(saleRow, { minLength: 1, maxLength: 12 });

const centsOf = ({ cents }: SaleRow) => BigInt(cents);

function sumOf(rows: readonly SaleRow[], numberOf: (row: SaleRow) => bigint): bigint {
  let sum = 0n;
  for (const row of rows) sum += numberOf(row);
  return sum;
}

async function sumsOf(rows: readonly object[], of = columns): Promise<ReportSums> {
  const sums = new ReportSums();
  for await (const batch of batchesOf(rows)) sums.observe(batch, of);
  return sums;
}

/** Rows in the format of the service. */
function bodyOf(rows: readonly SaleRow[], { field, isText }: Revenue): object[] {
  return rows.map(({ cents, ...row }) => {
    const digits = String(cents).padStart(3, '0');
    const text = `${digits.slice(0, -2)},${digits.slice(-2)}`;
    return { ...row, [field]: isText ? text : cents / 100 };
  });
}

/** `numerator ÷ denominator` of positive numbers, rounded half up. */
const rounded = (numerator: bigint, denominator: bigint) =>
  (2n * numerator + denominator) / (2n * denominator);

const grouped = (digits: bigint) => digits.toLocaleString('en');

/** Formats digits as a number with that many decimals. */
function decimalText(digits: bigint, decimals: number): string {
  const text = String(digits).padStart(decimals + 1, '0');
  return `${grouped(BigInt(text.slice(0, -decimals)))}.${text.slice(-decimals)}`;
}

function changeTextOf(now: bigint, before: bigint): string {
  if (before === 0n) return now === 0n ? '= 0.0%' : 'new';
  const size = now > before ? now - before : before - now;
  const tenths = rounded(size * 1000n, before);
  if (tenths === 0n) return '= 0.0%';
  const percent = decimalText(tenths, 1).replaceAll(',', '');
  return `${now > before ? '▲' : '▼'} ${percent}%`;
}

/** The rows of a report and of the one it is compared with. */
interface TwoReports {
  readonly now: readonly SaleRow[];
  readonly before: readonly SaleRow[];
}

function headlineFrom({ now, before }: TwoReports, { sign }: Revenue): string | undefined {
  const moneyInSentence = (cents: bigint): string => sign + decimalText(cents, 2);
  const centsNow = sumOf(now, centsOf);
  const centsBefore = sumOf(before, centsOf);
  if (centsNow === 0n || centsBefore === 0n) return undefined;

  const isRise = centsNow > centsBefore;
  const size = isRise ? centsNow - centsBefore : centsBefore - centsNow;
  const tenths = rounded(size * 1000n, centsBefore);
  const ids = new Set([...now, ...before].map(({ campaignId }) => campaignId));
  if (tenths === 0n) return undefined;

  const moves = [...ids].map((id) => {
    const rowsNow = now.filter(({ campaignId }) => campaignId === id);
    const rowsBefore = before.filter(({ campaignId }) => campaignId === id);
    const difference = sumOf(rowsNow, centsOf) - sumOf(rowsBefore, centsOf);
    return { id, rowsNow, rowsBefore, size: isRise ? difference : -difference };
  });
  let greatest = moves[0];
  for (const move of moves) if (greatest && move.size > greatest.size) greatest = move;
  if (!greatest) return undefined;

  const name = (greatest.rowsNow.at(-1) ?? greatest.rowsBefore.at(-1))?.campaignName;
  let clause = `“${name}” has ${moneyInSentence(greatest.size)} ${isRise ? 'more' : 'less'}`;
  if (greatest.rowsBefore.length === 0) {
    clause = `the new campaign “${name}” added ${moneyInSentence(greatest.size)}`;
  } else if (greatest.rowsNow.length === 0) {
    clause = `the campaign “${name}”, which ended, had ${moneyInSentence(greatest.size)}`;
  }
  const percent = decimalText(tenths, 1).replaceAll(',', '');
  const change = `Revenue ${isRise ? 'rose' : 'fell'} ${percent}% to ${moneyInSentence(centsNow)}`;
  return ids.size < 2 ? `${change}.` : `${change}; ${clause}.`;
}

test('changes, rates and the headline match the rows exactly', async () => {
  const figureOf = (name: string, { field }: Revenue) => {
    const figure = defaultMetrics(['displays', 'clicks', field]).find(
      (each) => each.field === name,
    );
    if (!figure) throw new Error(`No figure ${name}.`);
    return figure;
  };

  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...revenues),
      saleRows,
      saleRows,
      async (money, now, before) => {
        const revenue = figureOf(money.field, money);
        const ecpmFigure = figureOf(money.sign === '€' ? 'ecpmEuro' : 'ecpmDollar', money);
        const sums = await sumsOf(bodyOf(now, money));
        const comparison: Comparison = {
          sums: await sumsOf(bodyOf(before, money)),
          now: 'now',
          before: 'before',
          windows,
          notes: [],
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
        const ctr = hasDisplays ? `${decimalText(rounded(clicks * 10_000n, displays), 2)}%` : null;
        const ecpm = hasDisplays ? decimalText(rounded(cents * 1000n, displays), 2) : null;
        expect(formatMetric(figureOf('ctr', money), totals)).toBe(ctr);
        expect(formatMetric(ecpmFigure, totals)).toBe(ecpm);
        if (hasDisplays && displaysBefore > 0n) {
          const ecpmChange = changeOf(ecpmFigure, totals, totalsBefore);
          const expected = changeTextOf(cents * displaysBefore, centsBefore * displays);
          expect(ecpmChange.text).toBe(expected);
        }

        const headline = formatHeadline(sums, revenue, comparison);
        expect(headline).toBe(headlineFrom({ now, before }, money));

        const [unit] = sums.units;
        const ended = unit ? endedGroups(unit, comparison, revenue) : [];
        const idsNow = new Set(now.map(({ campaignId }) => campaignId));
        const gone = before.filter((row) => !idsNow.has(row.campaignId) && centsOf(row) > 0n);
        const goneIds = new Set(gone.map(({ campaignId }) => String(campaignId)));
        expect(new Set(ended.map(({ key }) => key[0]))).toEqual(goneIds);
      },
    ),
    { numRuns: 40 },
  );
});

test('a renamed campaign is one group with its latest name, and neither new nor ended', async () => {
  const rowsOf = (id: number | null, ...names: readonly (string | null)[]) =>
    names.map((campaignName) => ({ campaignId: id, campaignName, displays: 10 }));
  const sums = await sumsOf([
    ...rowsOf(1, 'Summer', 'Summer sale', null),
    ...rowsOf(null, 'Winter', 'Spring'),
  ]);
  const before = await sumsOf(rowsOf(1, 'Sommer'));
  const comparison = { sums: before, now: 'now', before: 'before', windows, notes: [] };
  const [displays] = defaultMetrics(['displays']);
  const [unit] = sums.units;
  if (!displays || !unit?.groups) throw new Error('No campaigns.');

  const groups = [...unit.groups];
  expect(groups.map(({ key }) => key)).toEqual([
    ['1', 'Summer sale'],
    [null, 'Winter'],
    [null, 'Spring'],
  ]);
  const changes = groups.map((group) => {
    return changeOf(displays, group.sums, comparison.sums.find(unit, group)).text;
  });
  expect(changes).toEqual(['▲ 200.0%', 'new', 'new']);
  expect(endedGroups(unit, comparison, displays)).toEqual([]);
});

test('a headline needs revenue and a change', async () => {
  const row = { campaignName: 'Summer', displays: 10, clicks: 1 };
  const one = await sumsOf([{ ...row, campaignId: 1, revenueEuro: '5,00' }]);
  const more = await sumsOf([{ ...row, campaignId: 1, revenueEuro: '6,00' }]);
  const [displays, revenue] = defaultMetrics(['displays', 'revenueEuro']);
  const comparison = { sums: one, now: 'now', before: 'before', windows, notes: [] };
  if (!displays || !revenue) throw new Error('Both are metrics.');

  expect(formatHeadline(one, revenue, comparison)).toBeUndefined();
  expect(formatHeadline(more, displays, comparison)).toBeUndefined();
});

test.each([{ campaignId: 1, campaignName: 'Summer' }, { date: '2026-10-01' }])(
  'the headline of one group, or of days, is the change alone: %o',
  async (group) => {
    const [lead] = defaultMetrics(['revenueEuro']);
    if (!lead) throw new Error('It is a metric.');
    const groupColumns = Object.keys(group).map((field) => ({ field, numeric: false }));
    const rowColumns = [...groupColumns, { field: 'revenueEuro', numeric: true }];
    const sums = await sumsOf([{ ...group, revenueEuro: '6,00' }], rowColumns);
    const earlier = await sumsOf([{ ...group, revenueEuro: '5,00' }], rowColumns);
    const comparison = { sums: earlier, now: '', before: '', windows, notes: [] };

    expect(formatHeadline(sums, lead, comparison)).toBe('Revenue rose 20.0% to €6.00.');
  },
);
