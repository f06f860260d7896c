import { fieldLabel } from '../../contract/columns.ts';
import type { Row } from '../../rows/row-batch.ts';
import { hiddenCharacters } from '../../text/printable.ts';
import { numberIn } from '../../view/decimal.ts';
import { derivedInRow, type FigureColumn, figureDigits, figureValue } from '../../view/figure-columns.ts';
import { Grouping, keyText } from '../../view/grouping.ts';
import type { ReportSums } from '../../view/report-sums.ts';
import type { PlannedColumn } from '../columns.ts';

/** As many rows as a page holds: more would open slowly, and nobody reads them. */
export const mostRows = 50_000;

/** How many rows stand in the page as HTML, and are shown at once. */
export const pageRows = 100;

/** How many rows are printed, from the page that is shown on. */
export const printedRows = 2000;

/** What a cell holds: a number that a script reads to its last digit, any other number or text as text, or nothing. */
export type PageCell = string | number | null;

/** How cells are shown: a `key` is an id or a time, which is never broken into lines. */
export type CellType = 'integer' | 'money' | 'percent' | 'text' | 'key';

/** A column of a page's table. */
export interface PageColumn {
  /** Its name in the report. */
  readonly name: string;
  readonly label: string;
  readonly type: CellType;
  /** Whether the values are computed from those of other columns, and cannot be added up. */
  readonly computed: boolean;
  readonly cells: readonly PageCell[];
  /** As `cells`, for a reader. */
  readonly total: string | undefined;
}

/**
 * The rows of a page's table: those of the report, or, once they are more than a page holds, their sums by as many
 * fields as keep them below that. The field with the most values is given up first. Memory is bounded: once there are
 * too many rows, every grouping that may be shown is summed at the same time, and one that becomes too large is dropped.
 */
export class PageRows {
  #rows: Row[] | undefined = [];
  #groupings: readonly Grouping[] = [];

  /** The fields whose values tell rows apart that are sums; `undefined` where they are the report's own. */
  get by(): readonly string[] | undefined {
    return this.#rows ? undefined : this.#sums.by.map(({ field }) => field);
  }

  get rowCount(): number {
    return this.#rows?.length ?? this.#sums.size;
  }

  /** Adds rows; `sums` are those of the report so far, `columns` those that are shown, `all` every key so far. */
  observe(rows: readonly Row[], sums: ReportSums, columns: readonly PlannedColumn[], all: readonly string[]): void {
    if (this.#rows && this.#rows.length + rows.length <= mostRows) {
      for (const row of rows) this.#rows.push(row);
      return;
    }
    if (this.#rows) {
      this.#groupings = groupingsOf(
        sums,
        columns.map(({ field }) => field),
      );
      this.#sum(this.#rows, all);
      this.#rows = undefined;
    }
    this.#sum(rows, all);
  }

  /** The cells of a column, from the first row on. */
  cells(column: PlannedColumn, figure: FigureColumn | undefined): PageCell[] {
    const derived = figure?.derived && figure;
    if (this.#rows) {
      return this.#rows.map((row) =>
        derived ? rounded(derivedInRow(derived, row)) : cellOf(row[column.field], column),
      );
    }
    const { by } = this.#sums;
    const index = by.findIndex(({ field }) => field === column.field);
    return [...this.#sums].map(({ key, sums }) => {
      if (derived) return rounded(figureValue(derived, sums));
      return figure ? cellOf(sums.get(column.field)?.toString(), column) : (key[index] ?? null);
    });
  }

  get #sums(): Grouping {
    // The last is the sum of all, which always fits.
    return this.#groupings[0] ?? new Grouping();
  }

  #sum(rows: readonly Row[], all: readonly string[]): void {
    for (const grouping of this.#groupings) grouping.observe(rows, all);
    this.#groupings = this.#groupings.filter(({ size }) => size <= mostRows);
  }
}

/** By all fields that have values, then by ever fewer: the next to go is the unit that now has the most values. */
function groupingsOf(sums: ReportSums, fields: readonly string[]): Grouping[] {
  const units = sums.units.map(({ unit, groups }) => ({
    fields: unit.fields.filter((field) => fields.includes(field)),
    count: groups?.size ?? Number.POSITIVE_INFINITY,
  }));
  // An hour that is given up leaves its day.
  if (fields.includes('hour')) units.push({ fields: ['date'], count: 0 });
  // Of two with as many values, the one whose column comes first stays: time does.
  const kept = units.sort((a, b) => a.count - b.count);
  return Array.from({ length: kept.length + 1 }, (_, left) => {
    const wanted = kept.slice(0, kept.length - left).flatMap((unit) => unit.fields);
    return new Grouping(fields.filter((field) => wanted.includes(field)));
  });
}

function cellOf(value: Row[string], { numeric }: PlannedColumn): PageCell {
  const number = numeric ? numberIn(value) : undefined;
  return typeof number === 'number' ? number : (number?.toString() ?? keyText(value));
}

function rounded(value: number | undefined): PageCell {
  return value === undefined ? null : Number(value.toFixed(6));
}

/** A column as JSON for the page's script: each value, or the different ones and where each stands. */
export function embedColumn({ name, label, type, computed, cells }: PageColumn): string {
  const facts = JSON.stringify({ name, label, type, ...(computed ? { computed } : {}) }).slice(0, -1);
  const places = new Map<PageCell, number>();
  const codes = cells.map((cell) => {
    const place = places.get(cell) ?? places.size;
    places.set(cell, place);
    return place;
  });
  // Most columns of text have few different ones: each is written once.
  const isPacked = (type === 'text' || type === 'key') && 2 * places.size <= cells.length;
  const values = isPacked
    ? `"words":${JSON.stringify([...places.keys()])},"codes":[${codes.join()}]`
    : `"values":${JSON.stringify(cells)}`;
  return escapeJson(`${facts},${values}}`);
}

/**
 * JSON for a `<script type="application/json">`: nothing in it can end the element or begin a comment, and nothing acts
 * on a terminal or an editor that shows the file.
 */
export function escapeJson(json: string): string {
  return json
    .replaceAll('<', '\\u003c')
    .replace(hiddenCharacters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a column of the plan is in a page. */
export function pageColumn(
  column: PlannedColumn,
  rows: PageRows,
  figure: FigureColumn | undefined,
  totals: Parameters<typeof figureDigits>[1],
): PageColumn {
  const { field, name, type } = column;
  const isKey = type !== undefined && type !== 'text';
  const cells = rows.cells(column, figure);
  const total = figure?.derived ? rounded(figureValue(figure, totals)) : figure && figureDigits(figure, totals);
  return {
    name,
    label: fieldLabel(field),
    type: figure?.type ?? (isKey ? 'key' : 'text'),
    computed: figure?.derived !== undefined,
    cells,
    total: total === null || total === undefined ? undefined : String(total),
  };
}
