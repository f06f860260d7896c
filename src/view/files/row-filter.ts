import { findCountry } from '../../contract/countries.ts';
import { filters, findBreakdown } from '../../contract/vocabulary.ts';
import { keyText } from '../../figures/grouping.ts';
import { fieldsNamed } from '../../figures/ranked-groups.ts';
import type { Row } from '../../rows/row-batch.ts';
import { nearestNames } from '../../text/nearest.ts';
import { printable } from '../../text/printable.ts';
import { matchesWildcard } from '../../text/wildcard.ts';
import type { Condition } from '../view-flags.ts';

/** The maximum number of values that a filter remembers. */
const valuesAtMost = 100_000;

/** A value of a row. */
interface RowValue {
  readonly field: string;
  readonly text: string;
}

/** One `--filter`, for all files of a view. */
export class RowFilter {
  readonly condition: Condition;

  /** Values of earlier rows, with true for a match. */
  readonly #matches = new Map<string, boolean>();

  /** Those of the condition that rows have had. */
  readonly #found = new Set<string>();

  constructor(condition: Condition) {
    this.condition = condition;
  }

  /**
   * A test for rows with these fields: true for one of the values, in any case and with wildcards
   * (`Ski*`), and for a country by code, id or name. Throws `UsageError` for a column that does not
   * exist.
   */
  testFor(fields: readonly string[]): (row: Row) => boolean {
    const { name } = this.condition;
    const columns = fieldsNamed(fields.includes(name) ? name : columnOfFilter(name), fields);
    return (row) =>
      columns.some((field) => this.#isMatch({ field, text: keyText(row[field]) ?? '' }));
  }

  /** The values of the condition that no row has had. */
  get missing(): string[] {
    return this.condition.values.filter((value) => value !== '' && !this.#found.has(value));
  }

  /** Names in rows that are close to the missing values. */
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
    if (this.#matches.size < valuesAtMost) this.#matches.set(value.text, found.length > 0);
    return found.length > 0;
  }
}

/** The column of a filter of the service: `adId` of `adunitId`; other names are unchanged. */
function columnOfFilter(name: string): string {
  const filter = filters.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const fields = (filter && findBreakdown(filter.on)?.fields) ?? [];
  const column = fields.find(({ type }) => type === 'id') ?? fields[0];
  return column?.name ?? name;
}

function isValue({ field, text }: RowValue, wanted: string): boolean {
  if (wanted === text || matchesWildcard(wanted, text)) return true;
  if (field !== 'country') return false;

  const country = findCountry(wanted);
  return country !== undefined && findCountry(text) === country;
}

/** Sentences on values of filters that no row has, with the closest names. */
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
