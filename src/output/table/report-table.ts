import { metricOfField } from '../../contract/columns.ts';
import type { derivedMetrics, MetricName } from '../../contract/vocabulary.ts';
import type { Row } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { type Comparison, changeText } from '../../view/comparison.ts';
import { numberIn } from '../../view/decimal.ts';
import { type FigureColumn, figureText, figureValue, sumsOfRow } from '../../view/figure-columns.ts';
import { Grouping, keyText, type Sums, strangeNotice } from '../../view/grouping.ts';
import { groupedText, hourText, moneyText } from '../../view/number-text.ts';
import type { PlannedColumn } from '../columns.ts';
import type { EncodeOptions } from '../encoder.ts';
import { figuresOfColumns, withDerived } from '../report-figures.ts';
import { type CellText, clip, TableLayout } from './table-layout.ts';

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
  /** The planned columns, and those that derive from them; decided by the first rows. */
  #columns: readonly PlannedColumn[] = [];
  #figures: ReadonlyMap<string, FigureColumn> = new Map();
  readonly #held: Row[] = [];
  #layout: TableLayout | undefined;
  readonly #totals = new Grouping();
  #headIsWritten = false;

  constructor(options: EncodeOptions) {
    this.#options = options;
  }

  /** Takes rows, and returns the lines that are ready; `fields` are all the keys that rows have had so far. */
  add(planned: readonly PlannedColumn[], rows: readonly Row[], fields: readonly string[]): string[] {
    this.#totals.observe(rows, fields);
    if (this.#columns.length === 0) this.#decide(planned, fields);
    const placed = this.#layout;
    if (placed) return rows.map((row) => placed.line(this.#cellsOf(row)));
    const room = heldRows - this.#held.length;
    for (const row of rows.slice(0, room)) this.#held.push(row);
    if (rows.length < room) return [];
    const layout = this.#place(spareDigits);
    return [...this.#heldLines(layout), ...rows.slice(room).map((row) => layout.line(this.#cellsOf(row)))];
  }

  /** The last lines: the totals, where there are any. */
  end(planned: readonly PlannedColumn[]): string[] {
    if (this.#columns.length === 0) this.#decide(planned, []);
    const layout = this.#layout ?? this.#place(0);
    const lines = this.#heldLines(layout);
    const { table: look = {}, note } = this.#options;
    const { rowCount, strangeCounts } = this.#totals;
    const totals = this.#totals.totals();
    const hasTotals = this.#columns.some(({ field }) => totals.get(field));
    if (rowCount < 2 || look.totals === false || !hasTotals) return lines;
    for (const { field, name } of this.#columns) {
      const count = strangeCounts.get(field);
      if (count !== undefined) note?.(strangeNotice(name, count));
    }
    const line = layout.line(this.#totalCells(totals, layout, 'total'));
    return [...lines, layout.rule(), look.style?.bold(line) ?? line, ...this.#comparisonLines(totals, layout)];
  }

  #decide(planned: readonly PlannedColumn[], fields: readonly string[]): void {
    this.#figures = figuresOfColumns(planned, fields);
    this.#columns = withDerived(planned, this.#figures, this.#options);
  }

  #cellsOf(row: Row): CellText[] {
    return this.#columns.map(({ field, type, numeric }) => {
      const figure = this.#figures.get(field);
      if (figure?.derived) return figureText(figure, sumsOfRow(row));
      const value = row[field];
      const text = keyText(value);
      if (text === null) return null;
      const number = numeric ? numberIn(value) : undefined;
      if (number === undefined || number === null) return clip(printable(type === 'hour' ? hourText(text) : text));
      return groupedText(type === 'money' ? moneyText(String(number)) : String(number));
    });
  }

  #totalCells(totals: Sums, layout: TableLayout, label: string): CellText[] {
    const cells: CellText[] = this.#columns.map(({ field }) => {
      const figure = this.#figures.get(field);
      return figure && (figureText(figure, totals) ?? (figure.derived ? null : undefined));
    });
    const labelled = layout.columns.find(({ numeric }) => !numeric);
    if (labelled) cells[labelled.index] = label;
    return cells;
  }

  /** The totals of an earlier report, the change of each, and what is compared with what. */
  #comparisonLines(totals: Sums, layout: TableLayout): string[] {
    const { table: look = {}, comparison } = this.#options;
    if (!comparison) return [];
    const before = comparison.sums.total.totals();
    const changes: CellText[] = this.#columns.map(({ field }) => {
      const figure = this.#figures.get(field);
      return figure && changeText(figureValue(figure, totals), figureValue(figure, before), look.unicode);
    });
    const labelled = layout.columns.find(({ numeric }) => !numeric);
    if (labelled) changes[labelled.index] = 'change';
    return [
      layout.line(this.#totalCells(before, layout, 'before')),
      layout.line(changes),
      ...comparisonNotices(comparison),
    ];
  }

  /** Finds the columns' places from the rows held so far; totals may take `spare` more cells. */
  #place(spare: number): TableLayout {
    const layout = new TableLayout(this.#tableColumns(spare), this.#options.table);
    const dropped = layout.dropped.flatMap((index) => {
      const column = this.#columns[index];
      // What derives from others was not asked for, unless it was named.
      return column && (column.computed || !this.#figures.get(column.field)?.derived) ? column.name : [];
    });
    if (dropped.length > 0) {
      const names = dropped.map((name) => clip(printable(name))).join(', ');
      const hint = 'Choose with --columns, or see all with --format csv.';
      this.#options.note?.(`Not shown, for lack of room: ${names}. ${hint}`);
    }
    this.#layout = layout;
    return layout;
  }

  /** The head and the rows held so far, once. */
  #heldLines(layout: TableLayout): string[] {
    if (this.#headIsWritten) return [];
    this.#headIsWritten = true;
    return [...layout.head(), ...this.#held.splice(0).map((row) => layout.line(this.#cellsOf(row)))];
  }

  #tableColumns(spare: number) {
    const { table: look = {}, select, comparison } = this.#options;
    const held = this.#held.map((row) => this.#cellsOf(row));
    const judged: JudgedColumn[] = this.#columns.map(({ field, type, numeric }, i) => {
      const distinct = new Set(held.map((cells) => cells[i])).size;
      return { field, type, numeric: numeric || this.#figures.get(field)?.derived !== undefined, distinct };
    });
    const ranks = rankColumns(judged);
    const totals = this.#totals.totals();
    const labelled = judged.findIndex(({ numeric }) => !numeric);
    const label = comparison ? 'before' : 'total';
    return judged.map(({ field, numeric, type }, i) => {
      const figure = this.#figures.get(field);
      const total = look.totals === false || !figure ? '' : (figureText(figure, totals) ?? '');
      const least = comparison && total !== '' ? '▲ 100.0 %'.length : 0;
      return {
        name: clip(printable(figure?.derived ? plainName(figure.name, look.unicode) : (this.#columns[i]?.name ?? ''))),
        numeric,
        rigid: type === 'date' || type === 'hour',
        dispensable: ranks[i] ?? 0,
        // A column that was chosen is shown, even where nothing is in it.
        cells: held.map((cells) => cells[i] ?? (select ? '' : cells[i])),
        minWidth:
          i === labelled && held.length > 1 ? label.length : numeric ? Math.max(least, total.length + spare) : 0,
      };
    });
  }
}

/** What stands below a comparison: both windows, and what makes them unequal. */
export function comparisonNotices({ now, before, notices }: Comparison): string[] {
  return [`Change: ${now} against ${before}.`, ...notices].map(printable);
}

/** The heading of a figure for a terminal that may show ASCII alone. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}
