import { describe, expect, test } from 'vitest';
import type { EncodeOptions } from '../../src/output/encoder.ts';
import { buildReportModel, type ReportModel } from '../../src/present/report-model.ts';
import { describeRow, limitRows } from '../../src/present/report-table.ts';
import { ColumnPlan } from '../../src/query/column-plan.ts';
import { ReportSums } from '../../src/totals/report-sums.ts';
import { batchesOf } from '../formats/encode.ts';
import { windows } from '../totals/compared-windows.ts';

/** The content of a report for people, which pages, sheets and terminals only draw. */

async function modelOf(
  rows: readonly object[],
  options: EncodeOptions = {},
): Promise<{ readonly model: ReportModel; readonly sums: ReportSums }> {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  for await (const batch of batchesOf(rows)) {
    plan.addBatch(batch);
    sums.observe(batch, plan.columns);
  }
  const tail = { rowCount: rows.length, summary: undefined };
  return { model: buildReportModel({ plan, sums, tail, options }), sums };
}

const metricsOf = ({ totals }: ReportModel) => totals.map(({ metric }) => metric.field);

describe('the metrics', () => {
  test('named by the user are shown, including the second currency and zeros', async () => {
    const named = { requests: 3, leads: 0, revenueEuro: 1, revenueDollar: 2 };

    const { model } = await modelOf([named]);

    expect(metricsOf(model)).toEqual(['revenueEuro', 'requests', 'leads', 'revenueDollar']);
  });

  test('lead with dollars if there are no euros', async () => {
    const { model } = await modelOf([{ displays: 1000, valueDollar: 5 }]);

    expect(metricsOf(model)).toEqual(['valueDollar', 'displays', 'ecpmDollar']);
  });
});

describe('a comparison', () => {
  const campaign = (campaignId: number, revenueEuro: number) => {
    return { campaignId, campaignName: `Campaign ${campaignId}`, revenueEuro };
  };

  async function compared(now: readonly object[], earlier: readonly object[]) {
    const { sums } = await modelOf(earlier);
    return (await modelOf(now, { comparison: { sums, ...windows } })).model;
  }

  test('is one sentence, and lists new and ended campaigns', async () => {
    const model = await compared(
      [campaign(1, 30), campaign(2, 5)],
      [campaign(1, 20), campaign(3, 7)],
    );

    expect(model.comparisonNote).toBe(
      'Change: 1–31 October 2026 (31 days) compared with 1–30 September 2026 (30 days).',
    );
    const [campaigns] = model.breakdowns;
    expect(campaigns?.endedNote).toBe('Ended: Campaign 3 (€7.00 before).');
    expect(model.totals.map(({ metric, change }) => `${metric.label} ${change?.text}`)).toEqual([
      'Revenue (€) ▲ 29.6%',
    ]);
  });

  test('adds up the values that are not shown one by one', async () => {
    const many = Array.from({ length: 310 }, (_, i) => campaign(i + 1, i + 1));

    const [campaigns] = (await compared(many, [campaign(1, 1), campaign(2, 1)])).breakdowns;

    const table = campaigns?.table;
    if (!table) throw new Error('The campaigns are a table.');
    const { rows, others } = limitRows(table, 10);
    expect(rows.map((row) => describeRow(table, row).name).slice(0, 2)).toEqual([
      'Campaign 310',
      'Campaign 309',
    ]);
    expect(others && describeRow(table, others).name).toBe('300 others');
    expect(others?.sums.get('revenueEuro')).toBe(45_150);
    expect(others?.before?.get('revenueEuro')).toBe(2);
  });
});

describe('the trend', () => {
  const day = (date: string, campaignId: number, revenueEuro: number) => {
    return { date, campaignId, campaignName: `Campaign ${campaignId}`, revenueEuro };
  };

  test('has lines for the five largest values, and a sentence on the others', async () => {
    const rows = [1, 2, 3, 4, 5, 6, 7].flatMap((id) => {
      return [day('2026-10-01', id, id), day('2026-10-02', id, id)];
    });

    const { trend } = (await modelOf(rows)).model;

    expect(trend?.lines.map(({ name }) => name)).toEqual([
      'Campaign 7',
      'Campaign 6',
      'Campaign 5',
      'Campaign 4',
      'Campaign 3',
    ]);
    expect(trend?.unchartedNote).toBe('Not charted: 2 other campaigns, €6.00 in total (10.7%).');
  });

  test('does not exist for a single day', async () => {
    const { model } = await modelOf([day('2026-10-01', 1, 5), day('2026-10-01', 2, 5)]);

    expect(model.trend).toBeUndefined();
    expect(model.breakdowns).toHaveLength(1);
  });
});

test('a report without rows is one sentence, without its notes', async () => {
  const plan = new ColumnPlan({});
  plan.finish(['displays']);
  const messages = { warnings: ['The zone is another one.'], notes: ['No rows.'] };
  const tail = { rowCount: 0, summary: undefined };

  const model = buildReportModel({ plan, sums: new ReportSums(), tail, options: {}, messages });

  expect(model.emptyMessage).toContain('Nothing ran in this period');
  expect(model.emptyMessage).not.toContain('adreport');
  expect([...model.notes, ...model.totals, ...model.breakdowns]).toEqual([]);
  expect(model.warnings).toEqual(messages.warnings);
});
