import type { Column } from '../contract/columns.ts';
import { findCountry } from '../contract/countries.ts';
import type { ReportRequest } from '../contract/messages.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import { readField } from '../rows/column-values.ts';
import type { ReportTail, RowBatch, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { Check, CheckMessages } from './check.ts';

/** Whether a filter excludes rows with this value. */
type Rule = (value: string) => boolean;

/** A filter whose values can be compared with the rows. */
interface ComparedFilter {
  readonly filter: FilterName;
  readonly field: string;

  /** Returns `undefined` if these values cannot be compared with the rows. */
  readonly ruleFor: (values: readonly string[]) => Rule | undefined;
}

const comparedFilters: readonly ComparedFilter[] = [
  { filter: 'campaignId', field: 'campaignId', ruleFor: excludeIds },
  { filter: 'adunitId', field: 'adId', ruleFor: excludeIds },
  { filter: 'carrier', field: 'carrier', ruleFor: excludeNames },
  { filter: 'deviceModel', field: 'deviceModel', ruleFor: excludeNames },
  { filter: 'countryId', field: 'country', ruleFor: excludeCountries },
];

/**
 * Makes a check for each filter that can be compared with the rows, even if the filter is not a
 * breakdown of the report.
 */
export function makeFilterChecks(
  filters: NonNullable<ReportRequest['filters']>,
  columns: readonly Column[],
): FilterCheck[] {
  const checks: FilterCheck[] = [];
  for (const { filter, field, ruleFor } of comparedFilters) {
    const values = filters[filter];
    const excludes = values && ruleFor(values);
    if (!excludes) continue;
    const isRequested = columns.some((column) => column.field === field && column.breakdown);
    checks.push(new FilterCheck({ filter, field, isRequested, excludes }));
  }
  return checks;
}

function excludeIds(values: readonly string[]): Rule {
  const ids = new Set(values.map(toPlainId));
  return (value) => /^\s*\d+\s*$/.test(value) && !ids.has(toPlainId(value));
}

function excludeNames(values: readonly string[]): Rule {
  const names = new Set(values.map(toPlainName));
  return (value) => !names.has(toPlainName(value));
}

/**
 * Builds a rule that compares countries by English name. An unknown ID may be any country, so there
 * is no rule then.
 */
function excludeCountries(ids: readonly string[]): Rule | undefined {
  const codes = new Set(ids.map((id) => findCountry(id)?.code));
  if (codes.has(undefined)) return undefined;

  return (value) => {
    const country = findCountry(value);
    return country !== undefined && !codes.has(country.code);
  };
}

/** Converts a name to lower case and Unicode form C. */
function toPlainName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Removes leading zeros. */
function toPlainId(id: string): string {
  return id.trim().replace(/^0+(?=\d)/, '');
}

interface ActiveFilter {
  readonly filter: FilterName;
  readonly field: string;

  /** Whether the field is a requested breakdown, so that each row must have a value. */
  readonly isRequested: boolean;
  readonly excludes: Rule;
}

/** Maximum number of distinct values to remember. */
const maxValues = 10_000;

/** Finds rows that the filter should have excluded. */
class FilterCheck implements Check {
  readonly #filter: ActiveFilter;

  /** Values already checked. */
  readonly #values = new Set<string>();

  /** First excluded value, with its row. */
  #first: { readonly value: string; readonly row: number } | undefined;

  /** Number of other excluded values. */
  #moreCount = 0;

  /** First row without a value. */
  #emptyRow = 0;

  constructor(filter: ActiveFilter) {
    this.#filter = filter;
  }

  observe(batch: RowBatch): void {
    const { field, isRequested } = this.#filter;
    if (!batch.fields.includes(field)) return;

    let before: Value | undefined;
    for (const [index, value] of readField(batch, field).entries()) {
      if (index > 0 && value === before) continue;
      before = value;
      const row = batch.firstRow + index + 1;
      const text = String(value ?? '');
      if (text.trim() !== '') this.#inspect(text, row);
      else if (isRequested) this.#emptyRow ||= row;
    }
  }

  close(_tail: ReportTail, messages: CheckMessages): void {
    const { filter, field } = this.#filter;
    const warning = `The report has rows that the filter ${filter} should have excluded`;
    if (this.#first) {
      const { value, row } = this.#first;
      const more = this.#moreCount > 0 ? ` and ${this.#moreCount} more` : '';
      const list = `${printable(value.slice(0, 100))}${more}`;
      messages.addWarning('filters', `${warning}: ${field} ${list} (first: row ${row}).`);
    }
    if (this.#emptyRow > 0) {
      messages.addWarning('filters', `${warning}: row ${this.#emptyRow} has no ${field}.`);
    }
  }

  #inspect(value: string, row: number): void {
    if (this.#values.has(value)) return;
    if (this.#values.size < maxValues) this.#values.add(value);
    if (!this.#filter.excludes(value)) return;

    if (this.#first) this.#moreCount += 1;
    else this.#first = { value, row };
  }
}
