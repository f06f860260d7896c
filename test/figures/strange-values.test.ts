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
      '1 value of displays is no number, and is in no sum.',
      '2 values of revenueEuro are no numbers, and are in no sum.',
    ],
  },
  {
    format: 'html',
    notes: [
      '1 value of Displays is no number, and is in no sum.',
      '2 values of Revenue (€) are no numbers, and are in no sum.',
    ],
  },
  {
    format: 'xlsx',
    notes: [
      '1 value of displays is no number, and is in no sum.',
      '2 values of revenueEuro are no numbers, and are in no sum.',
    ],
  },
] as const)('$format says what its totals do not hold', async ({ format, notes }) => {
  expect((await encode(body, format)).notes).toEqual(notes);
});

it('a page says it to its readers too', async () => {
  const { text } = await encode(body, 'html');
  expect(text).toContain('2 values of Revenue (€) are no numbers, and are in no sum.');
});

it('a metric that was not chosen is not spoken of', async () => {
  expect((await encode(body, 'html', { selectedColumns: ['date', 'clicks'] })).notes).toEqual([]);
});
