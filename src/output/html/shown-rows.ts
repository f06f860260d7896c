import type { RowBatch } from '../../rows/row-batch.ts';
import { Aggregate } from '../../view/aggregate.ts';
import type { PlannedColumn } from '../columns.ts';
import { HeldRows, type TableRows } from './held-rows.ts';
import { type Unit, unitsOf } from './units.ts';

/** As many rows as a page holds: more would open slowly, and nobody reads them. */
export const mostRows = 50_000;

/**
 * The rows of a page's table: those of the report, or, once they are more than a page holds, their sums by as many
 * fields as keep them below that. The field with the most values is given up first.
 *
 * Its memory is bounded: once there are too many rows, every possible grouping is summed at the same time, and one that
 * becomes too large is forgotten.
 */
export class ShownRows {
  #held: HeldRows | undefined = new HeldRows();
  #groupings: readonly { readonly by: readonly string[]; readonly sums: Aggregate }[] = [];

  /** Adds the rows of a batch; the columns are those that are to be shown. */
  observe(batch: RowBatch, columns: readonly PlannedColumn[]): void {
    const held = this.#held;
    if (held) {
      held.add(batch);
      if (held.rowCount <= mostRows) return;
      this.#held = undefined;
      this.#groupings = groupingsOf(held, columns);
      for (const earlier of held.batches) this.#sum(earlier);
    } else this.#sum(batch);
  }

  /** The report's rows, or their sums by as many fields as the page has room for. */
  rows(): TableRows {
    if (this.#held) return this.#held;
    // The last is the sum of all, which always fits.
    const [{ by, sums } = { by: [], sums: new Aggregate() }] = this.#groupings;
    const groups = [...sums];
    return {
      by,
      rowCount: groups.length,
      *cells({ field, numeric }) {
        const index = by.indexOf(field);
        for (const group of groups) {
          if (numeric) yield group.sums.get(field)?.toString() ?? null;
          else yield group.key[index] ?? null;
        }
      },
    };
  }

  #sum(batch: RowBatch): void {
    for (const { sums } of this.#groupings) sums.observe(batch);
    this.#groupings = this.#groupings.filter(({ sums }) => sums.size <= mostRows);
  }
}

/** By all fields that have values, then by ever fewer: the next to go is the one that now has the most values. */
function groupingsOf(held: HeldRows, columns: readonly PlannedColumn[]) {
  const counted = unitsOf(columns)
    .flatMap((unit) => (unit.isTime ? unit.fields.map((field): Unit => ({ fields: [field], isTime: true })) : [unit]))
    .map((unit) => ({ unit, count: countValues(held, unit) }))
    .filter(({ count }) => count > 0);
  // Of two with as many values, the one whose column comes first stays: time does.
  const kept = [...counted].sort((a, b) => a.count - b.count).map(({ unit }) => unit);
  return Array.from({ length: kept.length + 1 }, (_, left) => {
    const units = kept.slice(0, kept.length - left);
    const by = columns.map(({ field }) => field).filter((field) => units.some(({ fields }) => fields.includes(field)));
    return { by, sums: new Aggregate(by) };
  });
}

/** How many different values a unit has; 0 where it is null throughout. */
function countValues(held: HeldRows, { fields }: Unit): number {
  const values = new Aggregate(fields);
  for (const batch of held.batches) values.observe(batch);
  const [first] = values;
  return values.size === 1 && first?.key.every((value) => value === null) ? 0 : values.size;
}
