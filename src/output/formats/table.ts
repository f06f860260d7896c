import { quote } from '../../contract/ascii.ts';
import { printable } from '../../contract/printable.ts';
import type { ReportTail, RowBatch } from '../../contract/row-batch.ts';
import { ColumnPlan, type PlannedColumn } from '../column-plan.ts';
import { DecimalSum } from '../decimal-sum.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { layOut, type PlacedColumn, type TableColumn, tableHead, tableLine, tableRule } from '../table-layout.ts';

/** How many rows are held to find the widths of the columns; the rest is laid out like them. */
const heldRows = 1000;

/** A table for people: aligned columns, true numbers, a line of totals. */
export function createEncoder(options: EncodeOptions): Encoder {
  return new TableEncoder(options);
}

type Cells = (string | undefined)[];

class TableEncoder implements Encoder {
  readonly #options: EncodeOptions;
  readonly #plan: ColumnPlan;
  readonly #held: Cells[] = [];
  /** By column; only metrics have one. */
  readonly #totals: (DecimalSum | undefined)[] = [];
  #placed: readonly PlacedColumn[] | undefined;
  #rowCount = 0;

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    const added = this.#plan.follow(batch.fields);
    if (added.length > 0 && this.#placed)
      this.#note(
        'Columns that only later rows have are not shown',
        added.map((column) => column.name),
      );
    const lines: string[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      const cells = this.#plan.columns.map((column, i) => this.#cellOf(batch, row, i, column));
      this.#rowCount++;
      if (this.#placed) lines.push(this.#line(cells, this.#placed));
      else if (this.#held.push(cells) === heldRows) lines.push(...this.#place(3));
    }
    return piecesOf(lines);
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    const lines = this.#placed ? [] : this.#place(0);
    const placed = this.#placed ?? [];
    if (this.#rowCount > 1 && this.#totals.some((total) => total)) {
      const totals: Cells = this.#plan.columns.map((_, i) => this.#totals[i]?.toString());
      const labelled = placed.findIndex((column) => !column.numeric);
      const line = tableLine(
        placed.map((column, i) => (i === labelled ? 'total' : totals[column.index])),
        placed,
        this.#options.table,
      );
      lines.push(tableRule(placed, this.#options.table), this.#options.table?.style?.bold(line) ?? line);
    }
    return piecesOf(lines);
  }

  #cellOf(batch: RowBatch, row: number, index: number, column: PlannedColumn): string | undefined {
    const field = this.#plan.indexes[index] as number;
    const place = row * batch.fields.length + field;
    const start = field < 0 ? -1 : (batch.valueStarts[place] as number);
    if (start < 0) return undefined;
    const json = batch.bytes.toString('utf8', start, batch.valueEnds[place]);
    if (json === 'null') return undefined;
    const text = batch.bytes[start] === quote ? String(JSON.parse(json)) : json;
    if (!column.numeric) return printable(text);
    const number = /^-?\d+,\d+$/.test(text) ? text.replace(',', '.') : text;
    this.#totals[index] ??= new DecimalSum();
    this.#totals[index]?.add(number);
    return printable(number);
  }

  /** Finds the columns' places from the rows held so far, and writes those; totals may take `spare` more cells. */
  #place(spare: number): string[] {
    const { table: look = {} } = this.#options;
    const layout = layOut(
      this.#plan.columns.map((column, i) => this.#tableColumn(column, i, spare)),
      look.columns,
    );
    this.#placed = layout.columns;
    if (layout.dropped.length > 0) this.#note('Columns for which the terminal is too narrow', layout.dropped);
    const head = layout.columns.length > 0 ? tableHead(layout.columns, look) : [];
    const lines = this.#held.map((cells) => this.#line(cells, layout.columns));
    this.#held.length = 0;
    return [...head, ...lines];
  }

  #tableColumn(column: PlannedColumn, index: number, spare: number): TableColumn {
    // A column that was chosen is shown, even where nothing is in it.
    const cells = this.#held.map((row) => row[index] ?? (this.#options.select ? '' : undefined));
    const constant = cells.length > 1 && cells.every((cell) => cell === cells[0]);
    const isTime = column.type === 'date' || column.type === 'hour';
    const dispensable = constant ? 3 : column.type === 'id' ? 2 : column.numeric || isTime ? 0 : 1;
    const total = this.#totals[index]?.toString();
    return {
      name: printable(column.name),
      numeric: column.numeric,
      dispensable,
      cells,
      ...(total === undefined ? {} : { minWidth: total.length + spare }),
    };
  }

  #line(cells: Cells, placed: readonly PlacedColumn[]): string {
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
