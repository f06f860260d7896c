import type { Column } from '../contract/columns.ts';
import { findCountry } from '../contract/countries.ts';
import type { ReportRequest } from '../contract/messages.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import { valuesOf } from '../rows/column-values.ts';
import type { ReportTail, RowBatch, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { Check, CheckMessages } from './row-check.ts';

/** Filters whose values appear in the rows, and their fields. */
const comparedFields: readonly (readonly [filter: FilterName, field: string])[] = [
  ['campaignId', 'campaignId'],
  ['adunitId', 'adId'],
  ['carrier', 'carrier'],
  ['deviceModel', 'deviceModel'],
  ['countryId', 'country'],
];

/** Covers the filters that can be compared with the rows, broken down by them or not. */
export function filterChecks(
  filters: NonNullable<ReportRequest['filters']>,
  columns: readonly Column[],
): FilterCheck[] {
  const checks: FilterCheck[] = [];
  for (const [filter, field] of comparedFields) {
    const values = filters[filter];
    const excludes = values && ruleOf(filter, values);
    if (!excludes) continue;
    const isRequested = columns.some((column) => column.field === field && column.breakdown);
    checks.push(new FilterCheck({ filter, field, isRequested, excludes }));
  }
  return checks;
}

/** Returns true only if the filter certainly excludes a row with this value. */
type FilterRule = (value: string) => boolean;

/** Returns `undefined` if the values of a filter cannot be compared. */
function ruleOf(filter: FilterName, values: readonly string[]): FilterRule | undefined {
  if (filter === 'countryId') return countryRule(values);

  if (filter === 'carrier' || filter === 'deviceModel') {
    const names = new Set(values.map(plainName));
    return (value) => !names.has(plainName(value));
  }
  const ids = new Set(values.map(plainId));
  return (value) => /^\s*\d+\s*$/.test(value) && !ids.has(plainId(value));
}

/**
 * Excludes countries by their English name. `undefined` if one of the ids is unknown: any country
 * might be meant.
 */
function countryRule(ids: readonly string[]): FilterRule | undefined {
  const codes = new Set<string>();
  for (const id of ids) {
    const country = findCountry(id);
    if (!country) return undefined;
    codes.add(country.code);
  }
  return (value) => {
    const country = findCountry(value);
    return country !== undefined && !codes.has(country.code);
  };
}

/** Converts to lower case and Unicode form C. */
function plainName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Removes leading zeros. */
function plainId(id: string): string {
  return id.trim().replace(/^0+(?=\d)/, '');
}

/** Values that are remembered. */
const maxValues = 10_000;

interface ComparedFilter {
  readonly filter: FilterName;
  readonly field: string;

  /** Set if the report is broken down by the field, so that each row must have a value. */
  readonly isRequested: boolean;

  readonly excludes: FilterRule;
}

/** Finds rows that a filter should have excluded. */
class FilterCheck implements Check {
  readonly #filter: ComparedFilter;

  /** Values already checked. */
  readonly #values = new Set<string>();

  #firstExcluded = '';
  #firstExcludedRow = 0;
  #excludedCount = 0;

  /** First row without a value. */
  #emptyRow = 0;

  constructor(filter: ComparedFilter) {
    this.#filter = filter;
  }

  observe(batch: RowBatch): void {
    const { field, isRequested } = this.#filter;
    if (!batch.fields.includes(field)) return;

    let before: Value | undefined;
    for (const [row, value] of valuesOf(batch, field).entries()) {
      if (row > 0 && value === before) continue;
      before = value;
      const isText = typeof value === 'string' || typeof value === 'number';
      const text = isText ? String(value) : '';
      if (text.trim() !== '') this.#look(text, batch.firstRow + row + 1);
      else if (isRequested) this.#emptyRow ||= batch.firstRow + row + 1;
    }
  }

  close(_tail: ReportTail, messages: CheckMessages): void {
    const { filter, field } = this.#filter;
    const warning = `The report has rows that the filter ${filter} should have excluded`;
    if (this.#excludedCount > 0) {
      const more = this.#excludedCount > 1 ? ` and ${this.#excludedCount - 1} more` : '';
      const list = `${printable(this.#firstExcluded.slice(0, 100))}${more}`;
      const row = this.#firstExcludedRow;
      messages.addWarning('filters', `${warning}: ${field} ${list} (first: row ${row}).`);
    }
    if (this.#emptyRow > 0)
      messages.addWarning('filters', `${warning}: row ${this.#emptyRow} has no ${field}.`);
  }

  #look(text: string, row: number): void {
    if (this.#values.has(text)) return;
    if (this.#values.size < maxValues) this.#values.add(text);
    if (!this.#filter.excludes(text)) return;

    this.#excludedCount += 1;
    if (this.#firstExcludedRow !== 0) return;
    this.#firstExcluded = text;
    this.#firstExcludedRow = row;
  }
}
