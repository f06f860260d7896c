import type { Column } from '../contract/columns.ts';
import { countriesNamed, findCountry } from '../contract/countries.ts';
import type { ReportRequest } from '../contract/messages.ts';
import type { FilterName } from '../contract/vocabulary.ts';
import type { ReportTail, RowBatch } from '../rows/row-batch.ts';
import { changesOf } from '../rows/row-keys.ts';
import { printable } from '../text/printable.ts';
import type { Check, Sayings } from './check.ts';

/** The filters whose values stand in the rows, and the fields where they stand. */
const comparedFields: readonly (readonly [filter: FilterName, field: string])[] = [
  ['campaignId', 'campaignId'],
  ['adunitId', 'adId'],
  ['carrier', 'carrier'],
  ['deviceModel', 'deviceModel'],
  ['countryId', 'country'],
];

/**
 * The checks of the filters that rows can be held against, whether they are broken down by them or
 * not.
 */
export function filterChecks(
  filters: NonNullable<ReportRequest['filters']>,
  columns: readonly Column[],
): FilterCheck[] {
  const checks: FilterCheck[] = [];
  for (const [filter, field] of comparedFields) {
    const values = filters[filter];
    const leavesOut = values && ruleOf(filter, values);
    if (!leavesOut) continue;
    const isAsked = columns.some((column) => column.field === field && column.breakdown);
    checks.push(new FilterCheck({ filter, field, isAsked, leavesOut }));
  }
  return checks;
}

/** Tells whether a filter certainly leaves a row with such a value out. */
type FilterRule = (value: string) => boolean;

/** `undefined` where nothing can be told of the values of the filter. */
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
 * Of a country that cannot be told from its name nothing is known; so it is with all, where an id
 * is of none.
 */
function countryRule(ids: readonly string[]): FilterRule | undefined {
  const codes = new Set<string>();
  for (const id of ids) {
    const country = findCountry(id);
    if (!country) return undefined;
    codes.add(country.code);
  }
  return (value) => {
    const [country, another] = countriesNamed(value);
    return country !== undefined && another === undefined && !codes.has(country.code);
  };
}

/** Without case, and in one form of Unicode. */
function plainName(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Without zeros at the beginning. */
function plainId(id: string): string {
  return id.trim().replace(/^0+(?=\d)/, '');
}

/**
 * More values than this are not kept, nor further ones once they have so many characters together.
 */
const valuesAtMost = 10_000;
const charactersAtMost = 8 * 1024 * 1024;

/** A filter, and what its rows may have. */
interface ComparedFilter {
  readonly filter: FilterName;
  readonly field: string;

  /** Whether the report is broken down by it, so that each row has a value. */
  readonly isAsked: boolean;

  readonly leavesOut: FilterRule;
}

/** Finds rows that a filter should have left out. */
class FilterCheck implements Check {
  readonly #filter: ComparedFilter;

  /** The values that were looked at. */
  readonly #values = new Set<string>();
  #characters = 0;

  /** The first value that the filter leaves out, how many there are, and the row of the first. */
  #first = '';
  #othersCount = 0;
  #firstRow = 0;

  /** The first row without a value. */
  #emptyRow = 0;

  constructor(filter: ComparedFilter) {
    this.#filter = filter;
  }

  observe(batch: RowBatch): void {
    const { field, isAsked } = this.#filter;
    if (!batch.fields.includes(field)) return;

    changesOf(batch, field, (value, row) => {
      const isText = typeof value === 'string' || typeof value === 'number';
      const text = isText ? String(value) : '';
      if (text.trim() !== '') this.#look(text, batch.firstRow + row + 1);
      else if (isAsked) this.#emptyRow ||= batch.firstRow + row + 1;
    });
  }

  close(_tail: ReportTail, sayings: Sayings): void {
    const { filter, field } = this.#filter;
    const finding = `The report has rows that the filter ${filter} should have left out`;
    if (this.#othersCount > 0) {
      const more = this.#othersCount > 1 ? ` and ${this.#othersCount - 1} more` : '';
      const list = `${printable(this.#first.slice(0, 100))}${more}`;
      sayings.find('filters', `${finding}: ${field} ${list}; the first is row ${this.#firstRow}.`);
    }
    if (this.#emptyRow > 0)
      sayings.find('filters', `${finding}: row ${this.#emptyRow} has no ${field}.`);
  }

  #look(text: string, row: number): void {
    if (this.#values.has(text)) return;
    const isFull = this.#values.size >= valuesAtMost || this.#characters > charactersAtMost;
    const isLeftOut = this.#filter.leavesOut(text);
    if (!isFull) {
      this.#values.add(text);
      this.#characters += text.length;
    }
    if (!isLeftOut) return;

    this.#othersCount += 1;
    if (this.#firstRow !== 0) return;
    this.#first = text;
    this.#firstRow = row;
  }
}
