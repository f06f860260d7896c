import { findCountry } from '../../contract/countries.ts';
import { filters, findBreakdown } from '../../contract/vocabulary.ts';
import { findNamedFields } from '../../query/file-columns.ts';
import { readField } from '../../rows/column-values.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { matchesWildcard } from '../../text/wildcard.ts';
import { toKeyValue } from '../../totals/group-keys.ts';
import type { Condition } from '../view-flags.ts';

/** Number of values that a filter remembers. */
const maxValues = 100_000;

/** One `--filter`, for all files of a view. */
export class RowFilter {
  readonly #condition: Condition;

  /** Remembers if values of earlier rows match, by field and value. */
  readonly #matches = new Map<string, boolean>();

  constructor(condition: Condition) {
    this.#condition = condition;
  }

  /** Returns the columns that the condition is about. Throws `UsageError` if there are none. */
  columnsIn(fields: readonly string[]): string[] {
    const { name } = this.#condition;
    return findNamedFields(fields.includes(name) ? name : filterColumn(name), fields);
  }

  /**
   * Returns the rows of a batch that have one of the values: IDs as digits, names in any case and
   * with wildcards (`Ski*`), countries by code, ID or name.
   *
   * @param day the value of `date` in rows that have none
   */
  select(batch: RowBatch, columns: readonly string[], day: string | undefined): Set<number> {
    const rows = new Set<number>();
    for (const field of columns) {
      const isDayOfFile = field === 'date' && day !== undefined;
      const values = isDayOfFile
        ? Array<string>(batch.rowCount).fill(day)
        : readField(batch, field);
      for (const [row, value] of values.entries()) {
        if (this.#isMatch(field, toKeyValue(value) ?? '')) rows.add(row);
      }
    }
    return rows;
  }

  #isMatch(field: string, text: string): boolean {
    const id = `${field} ${text}`;
    const known = this.#matches.get(id);
    if (known !== undefined) return known;

    const isFound = this.#condition.values.some((wanted) => isValue(field, text, wanted));
    if (this.#matches.size < maxValues) this.#matches.set(id, isFound);
    return isFound;
  }
}

/** Returns `adId` for the service's filter `adunitId`; other names are unchanged. */
function filterColumn(name: string): string {
  const filter = filters.find((filter) => filter.name.toLowerCase() === name.toLowerCase());
  const fields = (filter && findBreakdown(filter.on)?.fields) ?? [];
  const column = fields.find(({ type }) => type === 'id') ?? fields[0];
  return column?.name ?? name;
}

function isValue(field: string, text: string, wanted: string): boolean {
  if (wanted === text || matchesWildcard(wanted, text)) return true;
  if (field !== 'country') return false;

  const country = findCountry(wanted);
  return country !== undefined && findCountry(text) === country;
}
