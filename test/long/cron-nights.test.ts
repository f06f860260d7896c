import { test } from 'vitest';
import { expectGoodAdvice } from '../support/cron-nights.ts';

for (let restateDays = 1; restateDays <= 9; restateDays += 1) {
  test(`sixty nights, restated for ${restateDays} days: the books tell every change, and which lookback is just enough`, () =>
    expectGoodAdvice(60, restateDays));
}
