import { readReport } from './read-rows.ts';

/** The tokens of JSON, and some invalid ones: each is put into each place of a document. */
const tokens: readonly string[] = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  ' ',
  '7',
  '-',
  'null',
  '"date":',
  ',"date":',
  '{"displays":',
];

/** A reproducible source of random numbers (Park and Miller). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 up to, and without, `count`. */
  below(count: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % count;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}

/** White space between two tokens, so that learned gaps are short, long, equal and different. */
const blanks = ['', '', '', ' ', '\n  ', ' '.repeat(300)];

const names = ['date', 'displays', 'a', 'x'.repeat(260)];

const values = ['"2026-11-01"', '2', '-1.5e3', 'null', '"{\\"date\\":"', '[1,{"a":2}]'];

/**
 * A report of up to four rows, each with all keys, one key, no key, or the keys in another order:
 * the tokens of its text.
 */
function documentOf(dice: Dice): string[] {
  const firstName = dice.below(names.length - 1);
  const keys = names.slice(firstName, firstName + 2 + dice.below(2));
  const blank = dice.pick(blanks);
  const document = ['['];
  const rowCount = 1 + dice.below(4);
  for (let row = 0; row < rowCount; row++) {
    if (row > 0) document.push(`${blank},`);
    document.push(...rowOf(dice, keys, blank));
  }
  return [...document, ']'];
}

function rowOf(dice: Dice, keys: readonly string[], blank: string): string[] {
  const oneKey = [dice.pick(keys)];
  const keysOfRow = dice.pick([keys, keys, oneKey, oneKey, [], [...keys].reverse()]);
  const row = [`${blank}{`];
  for (const [i, key] of keysOfRow.entries()) {
    if (i > 0) row.push(`,${blank}`);
    row.push(`"${key}"`, ':', dice.pick(values));
  }
  return [...row, '}'];
}

/** A document with one token removed, added, replaced, repeated, or swapped with the next. */
function mutationOf(dice: Dice, document: readonly string[]): string {
  const mutated = [...document];
  const at = dice.below(document.length);
  const token = document[at] ?? '';
  const mutations = [
    () => mutated.splice(at, 1),
    () => mutated.splice(at, 0, dice.pick(tokens)),
    () => mutated.splice(at, 1, dice.pick(tokens)),
    () => mutated.splice(at, 1, dice.pick(tokens)),
    () => mutated.splice(at, 1, token, token),
    () => mutated.splice(at, 2, document[at + 1] ?? '', token),
  ];
  dice.pick(mutations)();
  return mutated.join('');
}

/** The rows of a list according to `JSON.parse`; `undefined` if it is invalid. */
function parsedRows(text: string): readonly object[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const areObjects = value.every(
    (row) => typeof row === 'object' && row !== null && !Array.isArray(row),
  );
  return areObjects ? value : undefined;
}

/**
 * Reads mutated documents with the scanner and with `JSON.parse`. Throws an error with the first
 * text that only one of them accepts, or whose rows differ.
 */
export async function compareWithParse(dice: Dice, caseCount: number): Promise<void> {
  const perDocument = 20;
  for (let done = 0; done < caseCount; done += perDocument) {
    const document = documentOf(dice);
    for (let i = 0; i < perDocument; i++) await compareOne(mutationOf(dice, document), dice);
  }
}

async function compareOne(text: string, dice: Dice): Promise<void> {
  const expected = parsedRows(text);
  const pieceBytes = dice.pick([65_536, 65_536, 7]);
  let rows: readonly string[];
  try {
    rows = (await readReport(text, { contentType: 'application/json', pieceBytes })).rows;
  } catch (error) {
    // The scanner handles documents with a `data` member and empty ones before it reads rows.
    if (expected === undefined) return;
    throw new Error(`refused: ${text}`, { cause: error });
  }
  if (expected === undefined) throw new Error(`taken for a report: ${text}`);

  const actual = JSON.stringify(rows.map((row): unknown => JSON.parse(row)));
  if (actual !== JSON.stringify(expected)) throw new Error(`read as other rows: ${text}`);
}
