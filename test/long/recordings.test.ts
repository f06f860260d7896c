import { test } from 'vitest';
import { expectShapesOnly } from '../support/recording-property.ts';

test('10,000 recordings of random exchanges hold nothing that was planted', () => {
  expectShapesOnly(10_000);
});
