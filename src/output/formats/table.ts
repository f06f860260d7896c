import { metricOfField } from '../../contract/columns.ts';
import { type DerivedMetric, derivedMetrics } from '../../contract/derived.ts';
import { quote } from '../../rows/ascii.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { DecimalSum } from '../../view/decimal-sum.ts';
import { strangeNotice } from '../../view/strange-values.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { derivedName, derivedTexts, hourText, moneyText } from '../table/cell-texts.ts';
import { type JudgedColumn, rankColumns } from '../table/column-worth.ts';
import { type Cell, layOut, type PlacedColumn, tableHead, tableLine, tableRule } from '../table/table-layout.ts';

/** How many rows are held to find the widths of the columns; the rest is laid out like them. */
const heldRows = 1000;

/** How many more digits the totals may have than those of the rows that are held. */
const spareDigits = 3;

/** A table for people: aligned columns, true numbers, derived metrics, a line of totals. */
export function createEncoder(options: EncodeOptions): Encoder {
  return new TableEncoder(options);
}

class TableEncoder implements Encoder {
  readonly #options: EncodeOptions;
  readonly #plan: ColumnPlan;
  readonly #held: Cell[][] = [];
  /** By column; only metrics have one. */
  readonly #totals: (DecimalSum | undefined)[] = [];
  /** The columns that were there when the places were found; derived ones come after them. */
  #columns: readonly PlannedColumn[] = [];
  #derived: readonly DerivedMetric[] = [];
  /** The index of each metric's column, by the metric's name. */
  #metrics: ReadonlyMap<string, number> = new Map();
  #placed: readonly PlacedColumn[] | undefined;
  #rowCount = 0;
  /** How many values of a metric are no numbers, by the column's name. */
  readonly #strange = new Map<string, number>();

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.follow(batch);
    const lines: string[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      const cells = this.#plan.columns.map((column, i) =>
        this.#isWanted(column, i) ? this.#cellOf(batch, row, i, column) : undefined,
      );
      this.#rowCount++;
      if (this.#placed) lines.push(this.#lineOf(this.#withDerived(cells), this.#placed));
      else if (this.#held.push(cells) === heldRows) lines.push(...this.#place(spareDigits));
    }
    return piecesOf(lines);
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    const lines = this.#placed ? [] : this.#place(0);
    const placed = this.#placed ?? [];
    const { table: look = {} } = this.#options;
    if (this.#rowCount > 1 && look.totals !== false && this.#totals.some((total) => total)) {
      const totals = this.#withDerived(this.#totalCells());
      const labelled = placed.findIndex((column) => !column.numeric);
      const cells = placed.map((column, i) => (i === labelled ? 'total' : totals[column.index]));
      const line = tableLine(cells, placed, look);
      lines.push(tableRule(placed, look), look.style?.bold(line) ?? line);
      for (const [name, count] of this.#strange) this.#options.note?.(strangeNotice(name, count));
    }
    return piecesOf(lines);
  }

  /** Whether anybody will see the column's values, or their sum. */
  #isWanted(column: PlannedColumn, index: number): boolean {
    return column.numeric || this.#placed === undefined || this.#placed.some((placed) => placed.index === index);
  }

  #cellOf(batch: RowBatch, row: number, index: number, column: PlannedColumn): Cell {
    const field = this.#plan.indexes[index] as number;
    const place = row * batch.fields.length + field;
    const start = field < 0 ? -1 : (batch.valueStarts[place] as number);
    if (start < 0) return null;
    const json = batch.bytes.toString('utf8', start, batch.valueEnds[place]);
    if (json === 'null') return null;
    const text = batch.bytes[start] === quote ? String(JSON.parse(json)) : json;
    if (column.type === 'hour') return hourText(printable(text));
    if (!column.numeric) return printable(text);
    const number = /^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : text;
    this.#totals[index] ??= new DecimalSum();
    const isSummed = this.#totals[index]?.add(number);
    if (!isSummed && text !== '') this.#strange.set(column.name, (this.#strange.get(column.name) ?? 0) + 1);
    return printable(column.type === 'money' ? moneyText(number) : number);
  }

  #totalCells(): Cell[] {
    return this.#columns.map(({ type }, i) => {
      const total = this.#totals[i]?.toString();
      return total !== undefined && type === 'money' ? moneyText(total) : total;
    });
  }

  /** The cells of the columns, and the derived metrics that they give. */
  #withDerived(cells: readonly Cell[]): Cell[] {
    const own = cells.slice(0, this.#columns.length);
    if (this.#derived.length === 0) return own;
    const sumOf = (name: string): number | undefined => {
      const cell = own[this.#metrics.get(name) ?? -1];
      const value = cell === '' ? Number.NaN : Number(cell ?? Number.NaN);
      return Number.isNaN(value) ? undefined : value;
    };
    return [...own, ...derivedTexts(this.#derived, sumOf)];
  }

  /** Finds the columns' places from the rows held so far, and writes those; totals may take `spare` more cells. */
  #place(spare: number): string[] {
    const { table: look = {}, select } = this.#options;
    this.#columns = this.#plan.columns;
    this.#metrics = new Map(this.#columns.map(({ field }, i) => [metricOfField(field)?.name ?? '', i]));
    // Columns that were chosen are all that is wanted.
    const isDerivable = ({ numerator, denominator }: DerivedMetric) =>
      this.#metrics.has(numerator) && this.#metrics.has(denominator);
    this.#derived = select ? [] : derivedMetrics.filter(isDerivable);
    const held = this.#held.map((cells) => this.#withDerived(cells));
    this.#held.length = 0;
    const given = this.#tableColumns(held, spare);
    const layout = layOut(given, look.columns);
    this.#placed = layout.columns;
    const dropped = layout.dropped.flatMap((index) => this.#columns[index]?.name ?? []);
    if (dropped.length > 0) this.#note('Not shown, for lack of room', dropped);
    const head = layout.columns.length > 0 ? tableHead(layout.columns, look) : [];
    return [...head, ...held.map((cells) => this.#lineOf(cells, layout.columns))];
  }

  #tableColumns(held: readonly Cell[][], spare: number) {
    const judged: JudgedColumn[] = [
      ...this.#columns.map(({ field, type, numeric }) => ({ field, type, numeric })),
      ...this.#derived.map(({ field }) => ({ field, type: undefined, numeric: true })),
    ].map((column, i) => ({ ...column, distinct: new Set(held.map((cells) => cells[i])).size }));
    const names = [
      ...this.#columns.map(({ name }) => printable(name)),
      ...this.#derived.map((metric) => derivedName(metric, this.#options.table?.unicode)),
    ];
    const ranks = rankColumns(judged);
    const totals = this.#withDerived(this.#totalCells());
    const labelled = judged.findIndex((column) => !column.numeric);
    return judged.map(({ numeric, type }, i) => ({
      name: names[i] ?? '',
      numeric,
      rigid: type === 'date' || type === 'hour',
      dispensable: ranks[i] ?? 0,
      // A column that was chosen is shown, even where nothing is in it.
      cells: held.map((cells) => cells[i] ?? (this.#options.select ? '' : cells[i])),
      minWidth:
        i === labelled && held.length > 1 ? 'total'.length : numeric ? (totals[i]?.length ?? -spare) + spare : 0,
    }));
  }

  #lineOf(cells: readonly Cell[], placed: readonly PlacedColumn[]): string {
    return tableLine(
      placed.map((column) => cells[column.index]),
      placed,
      this.#options.table,
    );
  }

  #note(what: string, names: readonly string[]): void {
    this.#options.note?.(`${what}: ${names.join(', ')}. Choose with --columns, or see all with --format csv.`);
  }
}

function piecesOf(lines: readonly string[]): Pieces {
  return lines.length === 0 ? [] : [Buffer.from(`${lines.join('\n')}\n`)];
}
