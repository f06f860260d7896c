import { describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import { drawCard } from '../../src/present/terminal/report-card.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { GroupedTotals } from '../../src/totals/grouped-totals.ts';
import { chunksOf } from '../rows/report-documents.ts';

async function totals(rows: readonly object[]): Promise<GroupedTotals> {
  const counter = new GroupedTotals();
  const body = Buffer.from(JSON.stringify({ data: rows }));
  for await (const batch of readRows(chunksOf(body, 1000))) counter.observe(batch);
  return counter;
}

/** Zeros for all metrics, which a report has unless some were named. */
const ofEveryMetric = Object.fromEntries(
  vocabularyOf('buyer').metrics.map(({ name, rowField }) => [rowField?.buyer ?? name, 0]),
);

const days = Array.from({ length: 14 }, (_, day) => ({
  ...ofEveryMetric,
  date: `2026-11-${String(day + 1).padStart(2, '0')}`,
  requests: 400_000 + 10_000 * day,
  displays: 300_000 + 20_000 * (day % 7),
  clicks: 6000,
  downloads: 500,
  leads: 200,
  landings: 3_000,
  revenueEuro: 1234.5,
  valueDollar: 1400.25,
  eyesTrackings: 80_000,
}));

describe('a card', () => {
  it('has the main metrics; it fits 60 columns', async () => {
    const card = drawCard(await totals(days), { width: 60 });

    expect(card.join('\n')).toMatchInlineSnapshot(`
      "  Revenue (€) 17,283.00  Downloads       7,000
        Displays    5,040,000  Leads           2,800
        Clicks         84,000  Landings       42,000
        CTR             1.67%  eCPM (€)         3.43"
    `);
    expect(Math.max(...card.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
