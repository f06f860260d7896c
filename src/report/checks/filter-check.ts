import type { Column } from '../../contract/columns.ts';
import type { ReportRequest } from '../../contract/messages.ts';
import { filters as allFilters, type Filter } from '../../contract/vocabulary.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { changesOf } from '../../rows/row-keys.ts';
import { printable } from '../../text/printable.ts';
import { formatPlural } from '../../text/quantity.ts';
import { type Check, keyColumns } from './check.ts';

/** The checks of those filters whose dimension the report is broken down by. */
export function filterChecks(
  filters: ReportRequest['filters'],
  columns: readonly Column[],
): FilterCheck[] {
  const checks: FilterCheck[] = [];
  const keys = keyColumns(columns);
  for (const filter of allFilters) {
    const values = filters[filter.name];
    const column = keys.find(({ breakdown }) => breakdown === filter.on);
    if (values && column) checks.push(new FilterCheck(filter, values, column));
  }
  return checks;
}

/** More values than this are not kept, nor further ones once they have so many characters together. */
const valuesAtMost = 10_000;
const charactersAtMost = 8 * 1024 * 1024;

/** Finds rows that a filter should have left out: by their ids or exact names, or where these are not in the rows, by how many there are. */
export class FilterCheck implements Check {
  readonly #filter: Filter;
  readonly #asked: ReadonlySet<string>;
  readonly #field: string;

  /** Whether the rows have what the filter compares. */
  readonly #isByValue: boolean;

  readonly #values = new Set<string>();
  #characters = 0;

  /** The values that the filter does not name, with the row of the first. */
  readonly #others = new Set<string>();
  #firstRow = 0;

  constructor(filter: Filter, values: readonly string[], { field, type }: Column) {
    this.#filter = filter;
    this.#asked = new Set(values.map((value) => plain(value)));
    this.#field = field;
    this.#isByValue = filter.compare === 'text' || type === 'id';
  }

  observe(batch: RowBatch): void {
    changesOf(batch, this.#field, (value, row) => {
      const isValue = (typeof value === 'string' && value !== '') || typeof value === 'number';
      if (!isValue) return;

      const text = plain(String(value));
      const isFull = this.#values.size >= valuesAtMost || this.#characters > charactersAtMost;
      if (isFull || this.#values.has(text)) return;
      this.#values.add(text);
      this.#characters += text.length;

      if (!this.#isByValue || this.#asked.has(text)) return;
      this.#firstRow ||= batch.firstRow + row + 1;
      this.#others.add(text);
    });
  }

  findings(): string[] {
    const { name } = this.#filter;
    if (this.#isByValue) {
      if (this.#others.size === 0) return [];
      const [first = ''] = this.#others;
      const more = this.#others.size > 1 ? ` and ${this.#others.size - 1} more` : '';
      const list = `${printable(first.slice(0, 100))}${more}`;
      return [
        `The report has rows that the filter ${name} should have left out: ${this.#field} ${list}; the first is row ${this.#firstRow}.`,
      ];
    }

    if (this.#values.size <= this.#asked.size) return [];
    const values = formatPlural(this.#values.size, 'value');
    const ids = formatPlural(this.#asked.size, 'id');
    return [
      `The filter ${name} seems to be ignored: ${this.#field} has ${values}, and the filter names ${ids}.`,
    ];
  }
}

function plain(value: string): string {
  return value.normalize('NFC').trim();
}
