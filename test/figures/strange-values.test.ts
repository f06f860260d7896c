import { expect, it } from 'vitest';
import { documentOf, encode } from '../formats/encode.ts';

const body = documentOf(
  '{"date":"2026-11-01","displays":1,"clicks":"","revenueEuro":"1234,50"}',
  '{"date":"2026-11-02","displays":2,"clicks":null,"revenueEuro":"12.345,67"}',
  '{"date":"2026-11-03","displays":"n/a","clicks":3,"revenueEuro":"1.234,50"}',
);

it.each([
  {
    format: 'table',
    notes: [
      '1 value of displays is not a number and is left out of the sums.',
      '2 values of revenueEuro are not numbers and are left out of the sums.',
    ],
  },
  {
    format: 'html',
    notes: [
      '1 value of Displays is not a number and is left out of the sums.',
      '2 values of Revenue (€) are not numbers and are left out of the sums.',
    ],
  },
  {
    format: 'xlsx',
    notes: [
      '1 value of displays is not a number and is left out of the sums.',
      '2 values of revenueEuro are not numbers and are left out of the sums.',
    ],
  },
] as const)('$format notes values that are not in its totals', async ({ format, notes }) => {
  expect((await encode(body, format)).notes).toEqual(notes);
});

it('a page shows the note to its readers', async () => {
  const { text } = await encode(body, 'html');
  expect(text).toContain('2 values of Revenue (€) are not numbers and are left out of the sums.');
});

it('a metric that was not selected has no note', async () => {
  expect((await encode(body, 'html', { selectedColumns: ['date', 'clicks'] })).notes).toEqual([]);
});
