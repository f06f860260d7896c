import { expect, test } from 'vitest';
import { drawCard } from '../../src/present/terminal/report-card.ts';
import { findTimeKeys } from '../../src/totals/group-keys.ts';
import { GroupedTotals } from '../../src/totals/grouped-totals.ts';
import { batchesOf, documentOf, encode } from '../formats/encode.ts';
import { readSheet } from './xlsx-reader.ts';

/** Two campaigns whose revenue and its sum have more digits than cents. */
const revenues = [0.1 + 0.2, 28_520.6 + 1e-11];
const rows = revenues.map((revenueEuro, i) => ({
  campaignName: `Campaign ${i}`,
  displays: 1,
  revenueEuro,
}));
const body = documentOf(...rows.map((row) => JSON.stringify(row)));
const noise = /\.\d\d0{5}/;

test.each(['table', 'html'] as const)(
  '%s shows noise of floating point as cents',
  async (format) => {
    const { text } = await encode(body, format);
    const shown = text.replace(/<script.*/s, '');

    for (const amount of ['0.30', '28,520.60', '28,520.90']) expect(shown).toContain(amount);
    expect(shown).not.toMatch(noise);
  },
);

test('a card shows it as cents', async () => {
  const byTime = new GroupedTotals(findTimeKeys);
  for await (const batch of batchesOf(rows)) byTime.observe(batch);

  expect(drawCard(byTime).join('\n')).toContain('28,520.90');
});

test.each(['csv', 'json', 'ndjson'] as const)('%s keeps the digits', async (format) => {
  expect((await encode(body, format)).text).toContain('0.30000000000000004');
});

test('a sheet has amounts of at most 15 digits, as Excel does', async () => {
  const { bytes } = await encode(body, 'xlsx');

  const amounts = readSheet(bytes).map((row) => row[2]);
  expect(amounts).toEqual(['Revenue (€)', 28_520.6, 0.3]);
});
