import { test } from 'vitest';
import { compareWithParse, Dice } from '../rows/scanner-against-parse.ts';

test.each([1, 2, 3, 4, 5])(
  'a million documents with a changed token are read as JSON.parse does: part %i of 5',
  async (part) => {
    await compareWithParse(new Dice(1_000 * part), 200_000);
  },
);
