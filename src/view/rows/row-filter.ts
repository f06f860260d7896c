import { fieldTypeOf } from '../../contract/columns.ts';
import { findCountry } from '../../contract/countries.ts';
import { filters, findBreakdown } from '../../contract/vocabulary.ts';
import { valuesOf } from '../../rows/column-values.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { nearestNames } from '../../text/nearest.ts';
import { printable } from '../../text/printable.ts';
import { matchesWildcard } from '../../text/wildcard.ts';
import { keyText } from '../../totals/group-keys.ts';
import { fieldsNamed } from '../../totals/ranked-groups.ts';
import type { Condition } from '../view-flags.ts';

/** Values that a filter remembers. */
const maxValues = 100_000;

interface RowValue {
  readonly field: string;
  readonly text: string;
}

interface FilteredRows {
  readonly columns: readonly string[];
  readonly rows: readonly number[];
  readonly day: string | undefined;
}

/** One `--filter`, for all files of a view. */
export class RowFilter {
  readonly condition: Condition;

  /** Values of earlier rows, with true for a match. */
  readonly #matches = new Map<string, boolean>();

  /** Values of the condition that rows have had. */
  readonly #found = new Set<string>();

  constructor(condition: Condition) {
    this.condition = condition;
  }

  /** Returns the columns that the condition is about. Throws `UsageError` if there are none. */
  columnsIn(fields: readonly string[]): string[] {
    const { name } = this.condition;
    return fieldsNamed(fields.includes(name) ? name : columnOfFilter(name), fields);
  }

  /**
   * Returns the given rows of a batch that have one of the values: ids as digits, names in any case
   * and with wildcards (`Ski*`), countries by code, id or name.
   *
   * @param day the value of `date` in rows that have none
   */
  select(batch: RowBatch, { columns, rows, day }: FilteredRows): number[] {
    const isMatch = new Array<boolean>(batch.rowCount).fill(false);
    for (const field of columns) {
      const isDayOfFile = field === 'date' && day !== undefined;
      const values = isDayOfFile ? undefined : valuesOf(batch, field);
      for (const row of rows) {
        const text = values ? (keyText(values[row]) ?? '') : (day ?? '');
        if (this.#isMatch({ field, text })) isMatch[row] = true;
      }
    }
    return rows.filter((row) => isMatch[row]);
  }

  /** Values of the condition that no row has had. */
  get missing(): string[] {
    return this.condition.values.filter((value) => value !== '' && !this.#found.has(value));
  }

  /** Names in rows that are close to the missing values, at most 3. */
  get nearestNames(): string[] {
    const names = [...this.#matches.keys()].filter((value) => !/^\d*$/.test(value));
    const near = this.missing.flatMap((value) => nearestNames(value, names));
    return [...new Set(near)].slice(0, 3);
  }

  #isMatch(value: RowValue): boolean {
    const known = this.#matches.get(value.text);
    if (known !== undefined) return known;

    const found = this.condition.values.filter((wanted) => isValue(value, wanted));
    for (const wanted of found) this.#found.add(wanted);
    if (this.#matches.size < maxValues) this.#matches.set(value.text, found.length > 0);
    return found.length > 0;
  }
}

/** Returns `adId` for the service's filter `adunitId`; other names are unchanged. */
function columnOfFilter(name: string): string {
  const filter = filters.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const fields = (filter && findBreakdown(filter.on)?.fields) ?? [];
  const column = fields.find(({ type }) => type === 'id') ?? fields[0];
  return column?.name ?? name;
}

function isValue({ field, text }: RowValue, wanted: string): boolean {
  if (wanted === text || matchesWildcard(wanted, text)) return true;
  if (fieldTypeOf(field) === 'id' && digitsOf(wanted) === digitsOf(text)) return true;
  if (field !== 'country') return false;

  const country = findCountry(wanted);
  return country !== undefined && findCountry(text) === country;
}

/** Removes leading zeros. */
function digitsOf(text: string): string {
  return text.trim().replace(/^0+(?=\d)/, '');
}

/** Returns sentences on values of filters that no row has, with the closest names. */
export function missingValueSentences(rowFilters: readonly RowFilter[]): string[] {
  const sentences: string[] = [];
  for (const { condition, missing, nearestNames: names } of rowFilters) {
    if (missing.length === 0) continue;

    const typed = printable(`${condition.name}=${missing.join(',')}`);
    const closest = names.map((name) => `“${printable(name)}”`).join(', ');
    const hint = closest === '' ? '' : ` Did you mean ${closest}?`;
    sentences.push(`No row matches --filter ${typed}.${hint}`);
  }
  return sentences;
}
