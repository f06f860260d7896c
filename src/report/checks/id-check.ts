import type { Column } from '../../contract/columns.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { changesOf, emptyRowsOf } from '../../rows/row-keys.ts';
import { printable } from '../../text/printable.ts';
import { type Check, keyColumns } from './check.ts';

/** A value, and the row of its batch. */
interface ValueOfRow {
  readonly value: unknown;
  readonly row: number;
}

/** Finds values that are no id, a string of digits, where each row has one: one finding a column. */
export class IdCheck implements Check {
  readonly #fields: readonly string[];

  /** The finding of a field, once there is one. */
  readonly #findings = new Map<string, string>();

  constructor(columns: readonly Column[]) {
    const ids = keyColumns(columns).filter(({ type }) => type === 'id');
    this.#fields = ids.map(({ field }) => field);
  }

  observe(batch: RowBatch): void {
    for (const field of this.#fields) {
      if (this.#findings.has(field) || !batch.fields.includes(field)) continue;
      changesOf(batch, field, (value, row) => {
        const isId = /^\d+$/.test(String(value).trim());
        if (!isId) this.#note(field, batch, { value, row });
      });
    }
  }

  findings(): string[] {
    return [...this.#findings.values()];
  }

  #note(field: string, batch: RowBatch, { value, row }: ValueOfRow): void {
    // A row that has nothing, or a word for a total, is a finding of its own.
    if (this.#findings.has(field) || emptyRowsOf(batch, [field]).includes(row)) return;

    const text = printable((JSON.stringify(value) ?? '').slice(0, 50));
    const number = batch.firstRow + row + 1;
    this.#findings.set(field, `The ${field} of row ${number} is no id: it is ${text}.`);
  }
}
