import type { Dimensions } from '../fixtures/fixtures.ts';

/**
 * A random choice for a fact, and the table for the next one: apps of a device, carriers of a
 * place.
 */
export interface Choice {
  /** Dimensions that are chosen together, including those of the previous choice. */
  readonly dimensions: Partial<Dimensions>;
  readonly weight: number;

  /** Empty if there is no next choice. */
  readonly next: DrawTable;
}

/** 256 entries, one for each value of a random byte. */
export type DrawTable = readonly Choice[];

interface ChoiceOptions {
  readonly dimensions: Partial<Dimensions>;
  readonly weight?: number;
  readonly next?: readonly Choice[];
}

/** Adds the dimensions of the choice to the next choices. */
export function createChoice({ dimensions, weight = 1, next = [] }: ChoiceOptions): Choice {
  const following = next.map((choice) => ({
    ...choice,
    dimensions: { ...dimensions, ...choice.dimensions },
  }));
  return { dimensions, weight, next: createDrawTable(following) };
}

/** Gives each choice entries in proportion to its weight. */
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
