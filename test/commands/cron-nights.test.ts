import { test } from 'vitest';
import { expectGoodAdvice } from '../support/cron-nights.ts';

test(
  'over six nights the books tell which lookback is just enough',
  () => expectGoodAdvice(6, 2),
  120_000,
);
