import type { Dimensions } from '../fixtures/fixtures.ts';

/**
 * Something that a fact may be of, by chance, and what is drawn next: of a device its apps, of a
 * place its carriers.
 */
export interface Choice {
  /**
   * Those that belong together, and those of what was drawn before: a city is always in its
   * country.
   */
  readonly dimensions: Partial<Dimensions>;
  readonly weight: number;

  /** A draw table; empty where nothing is drawn next. */
  readonly next: DrawTable;
}

/** 256 entries, so that a byte of a hash draws one of them. */
export type DrawTable = readonly Choice[];

/** What a choice is made of; it weighs 1 where nothing is said. */
interface ChoiceOptions {
  readonly dimensions: Partial<Dimensions>;
  readonly weight?: number;
  readonly next?: readonly Choice[];
}

/** A choice; what is drawn next has its dimensions too. */
export function createChoice({ dimensions, weight = 1, next = [] }: ChoiceOptions): Choice {
  const following = next.map((choice) => ({
    ...choice,
    dimensions: { ...dimensions, ...choice.dimensions },
  }));
  return { dimensions, weight, next: createDrawTable(following) };
}

/** A table in which each choice takes a share by its weight. */
export function createDrawTable(choices: readonly Choice[]): DrawTable {
  let total = 0;
  for (const { weight } of choices) total += weight;

  const table: Choice[] = [];
  let before = 0;
  for (const choice of choices) {
    before += choice.weight;
    const end = Math.floor((before * 256) / total);
    while (table.length < end) table.push(choice);
  }
  return table;
}
