import { findCountry } from '../../contract/countries.ts';
import { filters, findBreakdown } from '../../contract/vocabulary.ts';
import { findNamedFields } from '../../query/file-columns.ts';
import { readField } from '../../rows/column-values.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { matchesWildcard } from '../../text/wildcard.ts';
import { toKeyValue } from '../../totals/group-keys.ts';
import type { Condition } from '../view-flags.ts';

/** Maximum number of values that a filter caches. */
const maxValues = 100_000;

/** One `--filter`, for all files of a view. */
export class RowFilter {
  readonly #condition: Condition;

  /** Caches whether a value matches, by field and value. */
  readonly #matches = new Map<string, boolean>();

  constructor(condition: Condition) {
    this.#condition = condition;
  }

  /** Returns the columns in the condition. Throws `UsageError` if there are none. */
  findColumns(fields: readonly string[]): string[] {
    const { name } = this.#condition;
    return findNamedFields(fields.includes(name) ? name : filterColumn(name), fields);
  }

  /**
   * Selects the rows that have one of the values: IDs as digits, names with wildcards (`Ski*`) and
   * ignoring case, countries by code, ID or name.
   */
  select(batch: RowBatch, fields: readonly string[], rows: readonly number[]): readonly number[] {
    return rows.filter((row) => {
      return fields.some((field) => {
        return this.#isMatch(field, toKeyValue(readField(batch, field)[row]) ?? '');
      });
    });
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

/** Returns `adId` for the service's filter `adunitId`, and any other name unchanged. */
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
