import { keyText } from '../../figures/grouping.ts';
import { fieldsNamed } from '../../figures/ranked-groups.ts';
import type { Row } from '../../rows/row-batch.ts';
import { nearest } from '../../text/nearest.ts';
import { printable } from '../../text/printable.ts';
import { matchesWildcard } from '../../text/wildcard.ts';
import type { Condition } from '../view-flags.ts';

/** The maximum number of values that a filter remembers. */
const valuesAtMost = 100_000;

/** One `--filter`, for all files of a view. */
export class RowFilter {
  readonly condition: Condition;

  /** Values of earlier rows, with true for a match. */
  readonly #matches = new Map<string, boolean>();

  constructor(condition: Condition) {
    this.condition = condition;
  }

  /**
   * A test for rows with these fields: true for one of the values, in any case and with wildcards
   * (`Ski*`). Throws `UsageError` for a column that does not exist.
   */
  testFor(fields: readonly string[]): (row: Row) => boolean {
    const columns = fieldsNamed(this.condition.name, fields);
    return (row) => columns.some((field) => this.#isMatch(keyText(row[field]) ?? ''));
  }

  get hasMatched(): boolean {
    return [...this.#matches.values()].includes(true);
  }

  /** The value closest to the typed one. */
  get nearestValue(): string | undefined {
    const known = [...this.#matches.keys()].filter((value) => value !== '');
    return this.condition.values.map((value) => nearestTo(value, known)).find((value) => value);
  }

  #isMatch(text: string): boolean {
    const known = this.#matches.get(text);
    if (known !== undefined) return known;

    const { values } = this.condition;
    const isMatch = values.some((value) => value === text || matchesWildcard(value, text));
    if (this.#matches.size < valuesAtMost) this.#matches.set(text, isMatch);
    return isMatch;
  }
}

function nearestTo(text: string, values: readonly string[]): string | undefined {
  const bare = text.replaceAll('*', '').trim().toLowerCase();
  if (bare === '') return undefined;
  const containing = values.find((value) => value.toLowerCase().includes(bare));
  return containing ?? nearest(bare, values);
}

/** A sentence for filters without matching rows, with the closest value. */
export function noMatchSentence(filters: readonly RowFilter[]): string {
  const filter = filters.find(({ hasMatched }) => !hasMatched) ?? filters[0];
  if (!filter) return 'No row matches --filter.';

  const { name, values } = filter.condition;
  const near = filter.nearestValue;
  const typed = printable(`${name}=${values.join(',')}`);
  return `No row matches --filter ${typed}.${near ? ` Did you mean “${printable(near)}”?` : ''}`;
}
