import { test } from 'vitest';
import { expectBounded, expectShapesOnly } from '../support/recording-property.ts';

test('10,000 recordings of random exchanges hold nothing that was planted', () => {
  expectShapesOnly(10_000);
});

test('of 2,000 large exchanges a recording has as many as fit 200 KB, and says how many it leaves out', () => {
  expectBounded();
});
