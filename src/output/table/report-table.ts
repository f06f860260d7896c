import { metricOfField } from '../../contract/columns.ts';
import type { derivedMetrics } from '../../contract/derived.ts';
import type { MetricName } from '../../contract/vocabulary.ts';
import type { Row } from '../../rows/row-objects.ts';
import { printable } from '../../text/printable.ts';
import { numberIn } from '../../view/decimal.ts';
import { type FigureColumn, figuresOf, figureText, sumsOfRow } from '../../view/figure-columns.ts';
import { Grouping, keyText, type Sums, strangeNotice } from '../../view/grouping.ts';
import { groupedText, hourText, moneyText } from '../../view/number-text.ts';
import type { PlannedColumn } from '../columns.ts';
import type { EncodeOptions } from '../encoder.ts';
import { type Cell, clip, TableLayout } from './table-layout.ts';

/** How many rows are held to find the widths of the columns; the rest is laid out like them. */
const heldRows = 1000;

/** How many more digits the totals may have than those of the rows that are held. */
const spareDigits = 3;

/** What a table gives up first where there is no room stands last: what is spent and earned is read before all else. */
const metricOrder: readonly string[] = [
  'displays',
  'revenueEuro',
  'clicks',
  'ctr',
  'downloads',
  'ecpmEuro',
  'leads',
  'landings',
  'revenueDollar',
  'requests',
  'ecpmDollar',
  'eyesTrackings',
] satisfies (MetricName | (typeof derivedMetrics)[number]['field'])[];

/** Names tell more than the third metric. */
const nameRank = 3.5;

/** What belongs to a name, and tells no row from another. */
const attributes = ['adUnitLimitType', 'adUnitLimitValue', 'billingEntity'];

const afterMetrics = metricOrder.length + 1;

/** A column as far as its worth depends on it. */
export interface JudgedColumn {
  /** The row field, or the field of a derived metric. */
  readonly field: string;
  readonly type: string | undefined;
  readonly numeric: boolean;
  /** How many different values it has. */
  readonly distinct: number;
}

/**
 * How gladly each column of a report's table is given up: 0 never, then the higher the sooner. What tells the rows
 * apart stays; an id goes before its name, unless two have one name, and what is the same in every row goes first.
 */
export function rankColumns(columns: readonly JudgedColumn[]): number[] {
  const hasHours = columns.some(({ type }) => type === 'hour');
  const isName = ({ field, type, numeric, distinct }: JudgedColumn) =>
    !numeric && distinct > 1 && !attributes.includes(field) && type !== 'id' && type !== 'date' && type !== 'hour';
  const first = columns.find(isName) ?? columns.find(({ type, distinct }) => type === 'id' && distinct > 1);
  return columns.map((column, i) => {
    if (column === first) return 0;
    if (!column.numeric && column.distinct <= 1 && columns.some(({ distinct }) => distinct > 1))
      return afterMetrics + 2;
    if (column.type === 'hour') return 0;
    if (column.type === 'date') return hasHours ? afterMetrics : 0;
    if (column.distinct <= 1 && columns.some(({ distinct }) => distinct > 1)) return afterMetrics + 2;
    if (attributes.includes(column.field)) return afterMetrics + 1;
    const name = columns[i + 1];
    const isTold = name?.type !== 'text' || name.distinct >= column.distinct;
    if (column.type === 'id') return isTold ? afterMetrics + 1 : nameRank;
    return column.numeric ? rankOfMetric(column.field, columns) : nameRank;
  });
}

function rankOfMetric(field: string, columns: readonly JudgedColumn[]): number {
  const name = metricOfField(field)?.name ?? field;
  // Dollars are read where there are no euros.
  const hasEuros = columns.some((column) => column.field === 'revenueEuro');
  const sought = name === 'revenueDollar' && !hasEuros ? 'revenueEuro' : name;
  const rank = metricOrder.indexOf(sought);
  return rank < 0 ? afterMetrics : rank + 1;
}

/**
 * The rows of a report as lines for people: aligned columns, true numbers, derived metrics, a line of totals. The first
 * thousand rows are held to find the widths.
 */
export class ReportTable {
  readonly #options: EncodeOptions;
  /** The planned columns; the derived figures that they give come after them. */
  #columns: readonly PlannedColumn[] = [];
  #derived: readonly FigureColumn[] = [];
  #figures: ReadonlyMap<string, FigureColumn> = new Map();
  readonly #held: Row[] = [];
  #layout: TableLayout | undefined;
  readonly #totals = new Grouping();

  constructor(options: EncodeOptions) {
    this.#options = options;
  }

  /** Takes rows, and returns the lines that are ready. Columns that were planned too late are not shown. */
  add(columns: readonly PlannedColumn[], rows: readonly Row[], fields: readonly string[]): string[] {
    if (this.#layout) {
      const late = columns.slice(this.#columns.length).map(({ name }) => name);
      if (columns !== this.#columns && late.length > 0)
        this.#note('Columns that only later rows have are not shown', late);
    }
    this.#totals.observe(rows, fields);
    const placed = this.#layout;
    if (placed) return rows.map((row) => placed.line(this.#cellsOf(row)));
    this.#columns = columns;
    const room = heldRows - this.#held.length;
    this.#held.push(...rows.slice(0, room));
    if (rows.length < room) return [];
    const { lines, layout } = this.#place(spareDigits);
    return [...lines, ...rows.slice(room).map((row) => layout.line(this.#cellsOf(row)))];
  }

  /** The last lines: the totals, where there are any. */
  end(columns: readonly PlannedColumn[]): string[] {
    if (!this.#layout) this.#columns = columns;
    const lines = this.#layout ? [] : this.#place(0).lines;
    const { table: look = {}, note } = this.#options;
    const { rowCount, strangeCounts } = this.#totals;
    const totals = this.#totals.totals();
    const hasTotals = this.#columns.some(({ field }) => totals.get(field));
    if (rowCount < 2 || look.totals === false || !this.#layout || !hasTotals) return lines;
    const line = this.#layout.line(this.#totalCells(totals, this.#layout));
    for (const { field, name } of this.#columns) {
      const count = strangeCounts.get(field);
      if (count !== undefined) note?.(strangeNotice(name, count));
    }
    return [...lines, this.#layout.rule(), look.style?.bold(line) ?? line];
  }

  #cellsOf(row: Row): Cell[] {
    return [
      ...this.#columns.map((column) => this.#cellOf(row, column)),
      ...this.#derived.map((figure) => figureText(figure, sumsOfRow(row))),
    ];
  }

  #cellOf(row: Row, { field, type, numeric }: PlannedColumn): Cell {
    const figure = this.#figures.get(field);
    if (figure?.derived) return figureText(figure, sumsOfRow(row));
    const value = row[field];
    const text = keyText(value);
    if (text === null) return null;
    const number = numeric ? numberIn(value) : undefined;
    if (number === undefined || number === null) {
      return clip(printable(type === 'hour' ? hourText(text) : text));
    }
    return groupedText(type === 'money' ? moneyText(String(number)) : String(number));
  }

  #totalCells(totals: Sums, layout: TableLayout): Cell[] {
    const cells: Cell[] = [...this.#columns, ...this.#derived].map(({ field }) => {
      const figure = this.#figures.get(field);
      return figure && (figureText(figure, totals) ?? (figure.derived ? null : undefined));
    });
    const labelled = layout.columns.find(({ numeric }) => !numeric);
    if (labelled) cells[labelled.index] = 'total';
    return cells;
  }

  /** Finds the columns' places from the rows held so far, and writes those; totals may take `spare` more cells. */
  #place(spare: number): { lines: string[]; layout: TableLayout } {
    const { table: look = {}, select } = this.#options;
    const figures = figuresOf(this.#totals.metrics);
    this.#figures = new Map(figures.map((figure) => [figure.field, figure]));
    const has = (field: string) => this.#columns.some((column) => column.field === field);
    // Columns that were chosen are all that is wanted.
    this.#derived = select
      ? []
      : figures.filter(({ field, derived }) => derived && has(derived.over) && has(derived.under) && !has(field));
    const held = this.#held.map((row) => this.#cellsOf(row));
    this.#held.length = 0;
    const layout = new TableLayout(this.#tableColumns(held, spare), look);
    this.#layout = layout;
    const dropped = layout.dropped.flatMap((index) => this.#columns[index]?.name ?? []);
    if (dropped.length > 0) this.#note('Not shown, for lack of room', dropped);
    return { lines: [...layout.head(), ...held.map((cells) => layout.line(cells))], layout };
  }

  #tableColumns(held: readonly Cell[][], spare: number) {
    const { table: look = {}, select } = this.#options;
    const judged: JudgedColumn[] = [
      ...this.#columns.map(({ field, type, numeric }) => ({ field, type, numeric })),
      ...this.#derived.map(({ field }) => ({ field, type: undefined, numeric: true })),
    ].map((column, i) => ({ ...column, distinct: new Set(held.map((cells) => cells[i])).size }));
    const names = [
      ...this.#columns.map(({ name }) => clip(printable(name))),
      ...this.#derived.map(({ name }) => plainName(name, look.unicode)),
    ];
    const ranks = rankColumns(judged);
    const totals = this.#totals.totals();
    const labelled = judged.findIndex(({ numeric }) => !numeric);
    return judged.map(({ field, numeric, type }, i) => {
      const figure = this.#figures.get(field);
      const total = look.totals === false || !figure ? '' : (figureText(figure, totals) ?? '');
      return {
        name: names[i] ?? '',
        numeric,
        rigid: type === 'date' || type === 'hour',
        dispensable: ranks[i] ?? 0,
        // A column that was chosen is shown, even where nothing is in it.
        cells: held.map((cells) => cells[i] ?? (select ? '' : cells[i])),
        minWidth: i === labelled && held.length > 1 ? 'total'.length : numeric ? total.length + spare : 0,
      };
    });
  }

  #note(what: string, names: readonly string[]): void {
    this.#options.note?.(`${what}: ${names.join(', ')}. Choose with --columns, or see all with --format csv.`);
  }
}

/** The heading of a figure for a terminal that may show ASCII alone. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}
