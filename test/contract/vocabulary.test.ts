import { expect, test } from 'vitest';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';

// What a buyer may request is in `described-service.test.ts`.

interface Named {
  readonly name: string;
}

function namesOf(entries: readonly Named[]): string[] {
  return entries.map(({ name }) => name);
}

test('what a DSP may request', () => {
  const dsp = vocabularyOf('dsp');

  expect(namesOf(dsp.metrics)).toEqual(['displays', 'revenueEuro', 'revenueDollar']);
  expect(namesOf(dsp.breakdowns)).toEqual([
    'DAILY',
    'HOURLY',
    'MONTHLY',
    'RANGE',
    'FORMAT',
    'BUNDLEID',
  ]);
  expect(dsp.filters).toEqual([]);
});
