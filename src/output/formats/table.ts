import { type FieldType, metricOfField } from '../../contract/columns.ts';
import { type Row, rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import {
  type Comparison,
  changeText,
  type Figure,
  figureText,
  sumsOfRow,
} from '../../view/figures.ts';
import { Grouping, keyText, type Sums, strangeNotices } from '../../view/grouping.ts';
import { hourText } from '../../view/numbers.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { type CellText, clip, type TableColumn, TableLayout } from '../table/table-layout.ts';

/** A table for people: aligned columns, true numbers, derived metrics, a line of totals. */
export function createTableEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const table = new ReportTable(plan, options);
  const piecesOf = (lines: readonly string[]): Pieces => [
    Buffer.from(lines.map((line) => `${line}\n`).join('')),
  ];
  return {
    encode(batch) {
      plan.follow(batch);
      return piecesOf(table.add(rowsOf(batch), batch.fields));
    },
    end(tail) {
      plan.settle(tail.fields);
      return piecesOf(table.end());
    },
  };
}

/** So many rows are held to find the widths of the columns; the totals of the rest may have so many more digits. */
const heldRows = 1000;
const spareDigits = 3;

/** The rows of a report as lines. The plan decides the columns before the first rows come. */
export class ReportTable {
  readonly #plan: ColumnPlan;
  readonly #options: EncodeOptions;
  readonly #held: Row[] = [];
  readonly #totals = new Grouping();
  #columns: readonly PlannedColumn[] = [];
  #layout: TableLayout | undefined;

  constructor(plan: ColumnPlan, options: EncodeOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  /** Takes rows, and returns the lines that are ready; `fields` are all the keys so far. */
  add(rows: readonly Row[], fields: readonly string[]): string[] {
    this.#totals.observe(rows, fields);
    const layout = this.#layout;
    if (layout) return rows.map((row) => layout.line(this.#cellsOf(row)));
    for (const row of rows) this.#held.push(row);
    return this.#held.length < heldRows ? [] : this.#begin(spareDigits);
  }

  end(): string[] {
    const { table: look = {}, note, comparison } = this.#options;
    const lines = this.#layout ? [] : this.#begin(0);
    const layout = this.#layout;
    const totals = this.#totals.totals();
    const hasTotals = this.#columns.some(({ field }) => totals.get(field) !== undefined);
    if (!layout || this.#totals.rowCount < 2 || look.totals === false || !hasTotals) return lines;
    for (const notice of strangeNotices(this.#totals, this.#columns)) note?.(notice);
    const labelled = layout.columns.find(({ numeric }) => !numeric)?.index;
    const cellsOf = (label: string, textOf: (figure: Figure) => CellText) =>
      this.#columns.map(({ figure }, i) => (i === labelled ? label : figure && textOf(figure)));
    const sums = (label: string, of: Sums) =>
      cellsOf(label, (figure) => figureText(figure, of) ?? (figure.derived ? null : undefined));
    lines.push(...layout.foot(sums('total', totals)));
    if (!comparison) return lines;
    const before = comparison.sums.total.totals();
    const changes = cellsOf('change', (figure) => changeText(figure, totals, before, look.unicode));
    return [
      ...lines,
      layout.line(sums('before', before)),
      layout.line(changes),
      ...comparisonNotices(comparison),
    ];
  }

  #cellsOf(row: Row): CellText[] {
    const sums = sumsOfRow(row);
    return this.#columns.map(({ field, type, figure }) => {
      const number = figure && figureText(figure, sums);
      if (number || figure?.derived) return number;
      return keyCell(keyText(row[field]), type);
    });
  }

  /** Finds the columns' places from the rows held so far; totals may take `spare` more cells. */
  #begin(spare: number): string[] {
    const { table: look = {}, selectedColumns, comparison, note } = this.#options;
    const columns = this.#plan.shown;
    this.#columns = columns;
    const rows = this.#held.splice(0).map((row) => this.#cellsOf(row));
    const totals = this.#totals.totals();
    const ranks = rankColumns(columns, rows);
    const labelled = rows.length > 1 ? columns.findIndex(({ numeric }) => !numeric) : -1;
    const given = columns.map(({ name, figure, numeric, type }, i): TableColumn => {
      const total = look.totals === false || !figure ? '' : (figureText(figure, totals) ?? '');
      const least = comparison && total !== '' ? '▲ 100.0 %'.length : 0;
      const label = i === labelled ? (comparison ? 'before' : 'total').length : 0;
      return {
        name: clip(printable(figure?.derived ? plainName(figure.name, look.unicode) : name)),
        numeric,
        rigid: type === 'date' || type === 'hour',
        dispensable: ranks[i] ?? 0,
        // A column that was chosen is shown, even where nothing is in it.
        cells: rows.map((cells) => cells[i] ?? (selectedColumns ? '' : null)),
        minWidth: numeric ? Math.max(least, total.length + spare) : label,
      };
    });
    const layout = new TableLayout(given, look);
    this.#layout = layout;
    // What derives from others was not asked for, unless it was named.
    const dropped = columns.filter((column, i) => {
      return (
        layout.dropped.includes(i) &&
        (this.#plan.columns.includes(column) || !column.figure?.derived)
      );
    });
    if (dropped.length > 0) {
      const names = dropped.map(({ name }) => clip(printable(name))).join(', ');
      note?.(
        `Not shown, for lack of room: ${names}. Choose with --columns or --metrics, or see all with --format csv.`,
      );
    }
    return [...layout.head(), ...rows.map((cells) => layout.line(cells))];
  }
}

/** What is spent and earned is read before all else, and given up last. */
const figureOrder =
  'displays revenueEuro clicks ctr downloads ecpmEuro leads landings revenueDollar requests ecpmDollar eyesTrackings';

/**
 * How gladly each column is given up where there is no room: 0 never, then the higher the sooner. What tells the rows
 * apart stays; an id goes before its name, unless two have one name; what is the same in every row goes first.
 */
function rankColumns(columns: readonly PlannedColumn[], rows: readonly CellText[][]): number[] {
  const counts = columns.map((_, i) => new Set(rows.map((cells) => cells[i])).size);
  const varies = (i: number) => (counts[i] ?? 0) > 1;
  const isText = (i: number) => columns[i]?.type === 'text' && varies(i);
  const hasHours = columns.some(({ type }) => type === 'hour');
  const dimensions = [...columns.keys()].filter((i) => !columns[i]?.numeric && varies(i));
  const first = dimensions.find(isText) ?? dimensions.find((i) => columns[i]?.type === 'id');
  return columns.map(({ type, figure }, i) => {
    if (!varies(i) && counts.some((count) => count > 1)) return 200;
    if (figure)
      return figureOrder.split(' ').indexOf(metricOfField(figure.field)?.name ?? figure.field) + 1;
    if (i === first || type === 'hour' || (type === 'date' && !hasHours)) return 0;
    const isTold = type === 'id' && isText(i + 1) && (counts[i + 1] ?? 0) >= (counts[i] ?? 0);
    // Names tell more than the third figure.
    return type === 'date' || isTold ? 100 : 3.5;
  });
}

/** What stands below a comparison: both windows, and what makes them unequal. */
export function comparisonNotices({ now, before, notices }: Comparison): string[] {
  return [`Change: ${now} against ${before}.`, ...notices].map(printable);
}

/** The heading of a figure for a terminal that may show ASCII alone. */
export function plainName(name: string, unicode = true): string {
  return unicode ? name : name.replace('€', 'EUR');
}

/** A value that is no number as a cell. */
export function keyCell(text: string | null, type: FieldType | undefined): string | null {
  return text === null ? null : clip(printable(type === 'hour' ? hourText(text) : text));
}
