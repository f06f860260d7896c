import { test } from 'vitest';
import { expectBounded, expectShapesOnly } from '../support/recording-property.ts';

test('10,000 recordings of random exchanges contain no planted value', () => {
  expectShapesOnly(10_000);
});

test('a recording of 2,000 large exchanges stays below 200 KB and counts those it leaves out', () => {
  expectBounded();
});
