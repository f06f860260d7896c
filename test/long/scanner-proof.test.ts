import { test } from 'vitest';
import { compareWithParse, Dice } from '../rows/scanner-against-parse.ts';

test.each([1, 2, 3, 4])(
  '400,000 documents with a changed token are read as JSON.parse does: part %i of 4',
  async (part) => {
    await compareWithParse(new Dice(1_000 * part), 100_000);
  },
);
