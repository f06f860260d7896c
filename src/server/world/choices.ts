import type { Dimensions } from '../fixtures/fixtures.ts';

/**
 * A random choice for a fact, and the table for the next choice. For example, apps depend on the
 * device, and carriers on the place.
 */
export interface Choice {
  /** Dimensions that are chosen together, including the dimensions of the previous choice. */
  readonly dimensions: Partial<Dimensions>;
  readonly weight: number;

  /** Table for the next choice, empty if there is none. */
  readonly next: DrawTable;
}

/** Table of 256 choices, indexed by a random byte. */
export type DrawTable = readonly Choice[];

interface ChoiceOptions {
  readonly dimensions: Partial<Dimensions>;
  readonly weight?: number;
  readonly next?: readonly Choice[];
}

/** Creates a choice, and adds its dimensions to the next choices. */
export function createChoice({ dimensions, weight = 1, next = [] }: ChoiceOptions): Choice {
  const following = next.map((choice) => ({
    ...choice,
    dimensions: { ...dimensions, ...choice.dimensions },
  }));
  return { dimensions, weight, next: createDrawTable(following) };
}

/** Creates a table in which each choice has entries in proportion to its weight. */
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
