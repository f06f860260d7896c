import type { FieldType } from '../../contract/columns.ts';
import type { ColumnPlan, PlannedColumn } from '../../output/column-plan.ts';
import type { EncodeOptions, TableLook, TableStyle } from '../../output/encoder.ts';
import type { Row } from '../../rows/row-batch.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable, withoutIsolates } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';
import {
  type Comparison,
  changeOf,
  type Figure,
  formatFigure,
  sumsOfRow,
} from '../../totals/figures.ts';
import { idWithoutName, nameText, noName } from '../../totals/group-name.ts';
import { Grouping, keyText, type Sums } from '../../totals/grouping.ts';
import { hourText } from '../../totals/numbers.ts';
import { onlyUnit, type ReportSums, type Unit } from '../../totals/report-sums.ts';
import {
  chooseFigures,
  comparisonSentence,
  type FigureChoice,
  inReadingOrder,
} from '../report-model.ts';
import { endedSentences } from '../report-ranking.ts';
import { headingOf, headingOfLabel, plainName } from './headings.ts';
import { type CellText, clip, type TableColumn, TableLayout } from './table-layout.ts';

const endless = Number.POSITIVE_INFINITY;

interface EndedParts {
  readonly plan: ColumnPlan;
  readonly comparison: Comparison;
  readonly look: TableLook | undefined;
}

/** Names what exists only in the earlier report: one sentence per breakdown, wrapped to lines. */
export function endedLines(sums: ReportSums, { plan, comparison, look }: EndedParts): string[] {
  const { shown } = choiceOf(plan, sums.total.totals());
  const lines: string[] = [];
  for (const sentence of endedSentences(sums, shown, comparison)) {
    const text = plainName(printable(withoutIsolates(sentence)), look?.unicode);
    lines.push(...wrap(text, look?.width ?? endless));
  }
  return lines;
}

function choiceOf(plan: ColumnPlan, totals: Sums): FigureChoice {
  const figures = plan.shown.map(({ figure }) => figure);
  return chooseFigures(
    figures.filter((figure) => figure !== undefined),
    totals,
  );
}

/**
 * Rows held back to determine column widths, limited in number and bytes, and the number of digits
 * by which later totals may be longer.
 */
const heldRows = 1000;
const heldBytes = 4 * 1024 * 1024;
const spareDigits = 3;

/** For the labels of comparison lines, if a report has only numbers. */
const labelColumn: PlannedColumn = {
  field: '',
  name: '',
  label: '',
  type: 'text',
  numeric: false,
};

/** Change of each row's leading metric, shown after that metric. */
const changeColumn: PlannedColumn = {
  field: '',
  name: 'change',
  label: 'Change',
  type: undefined,
  numeric: true,
};

/** `figure` is the metric whose change is shown. */
interface RowChanges {
  readonly comparison: Comparison;

  readonly unit: Unit;

  readonly figure: Figure;
}

/**
 * Formats the rows of a report as lines. The plan must have decided the columns before the first
 * rows.
 */
export class TerminalTable {
  readonly #plan: ColumnPlan;
  readonly #options: EncodeOptions;
  readonly #totals = new Grouping();

  /** Rows held back until column widths are known. */
  #heldRows: Row[] = [];
  #heldBytes = 0;

  #columns: readonly PlannedColumn[] = [];
  #rowChanges: RowChanges | undefined;
  #layout: TableLayout | undefined;

  constructor(plan: ColumnPlan, options: EncodeOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  /**
   * Adds rows and returns the lines that are ready.
   * @param fields every key seen so far
   * @param sizeBytes size of the rows in the report's body
   */
  add(rows: readonly Row[], fields: readonly string[], sizeBytes = 0): string[] {
    this.#totals.observe(rows, fields);
    const layout = this.#layout;
    if (layout) return rows.map((row) => this.#lineOf(layout, row));

    for (const row of rows) this.#heldRows.push(row);
    this.#heldBytes += sizeBytes;
    const isEnough = this.#heldRows.length >= heldRows || this.#heldBytes >= heldBytes;
    return isEnough ? this.#begin(spareDigits) : [];
  }

  /** Returns totals, the comparison with another report, and what is not shown. */
  end(): string[] {
    const { table: look = {} } = this.#options;
    const lines = this.#layout ? [] : this.#begin(0);
    const layout = this.#layout;
    if (!layout) return lines;

    if (look.totals !== false && this.#hasFoot) lines.push(...this.#foot(layout));
    const advice = 'Choose columns with --columns or --metrics, or see all with --format csv.';
    return [...lines, ...layout.droppedColumnsMessage(advice)];
  }

  /** Returns totals, and the comparison with another report. */
  #foot(layout: TableLayout): string[] {
    const { table: look = {} } = this.#options;
    const totals = this.#totals.totals();
    const { comparison } = this.#options;
    const foot: CellText[][] = [];
    if (this.#totals.rowCount > 1) foot.push(this.#sumCells(layout, 'total', totals));
    const before = comparison?.sums.total.totals();
    if (before) foot.push(this.#sumCells(layout, 'before', before));

    const lines: string[] = [];
    const [first, ...others] = foot;
    if (first) lines.push(...layout.foot(first));
    for (const cells of others) lines.push(layout.line(cells));
    if (before) lines.push(this.#changeLine(layout, totals, before));
    if (comparison) lines.push(...comparisonLines(comparison, look.width));
    return lines;
  }

  /** Needs totals, and a second row or a comparison. */
  get #hasFoot(): boolean {
    if (this.#totals.rowCount < 2 && !this.#options.comparison) return false;
    const totals = this.#totals.totals();
    return this.#columns.some(({ field }) => totals.get(field) !== undefined);
  }

  /** Shows the changes against an earlier report. */
  #changeLine(layout: TableLayout, totals: Sums, before: Sums): string {
    const { style, unicode } = this.#options.table ?? {};
    const changes = this.#columns.map(({ figure }) => {
      return figure && changeOf(figure, totals, before, unicode);
    });
    const texts = new Map(this.#columns.map(({ figure }, i) => [figure, changes[i]?.text]));
    const cells = this.#footCells(layout, 'change', (figure) => texts.get(figure));
    const paints = changes.map((change) => change && style && changeColor(change, style));
    return layout.line(cells, paints);
  }

  #sumCells(layout: TableLayout, label: string, sums: Sums): CellText[] {
    return this.#footCells(layout, label, (figure) => {
      const text = formatFigure(figure, sums);
      return text ?? (figure.derived ? null : undefined);
    });
  }

  /** Puts the label into the first text column. */
  #footCells(layout: TableLayout, label: string, cellOf: (figure: Figure) => CellText): CellText[] {
    const labelled = layout.columns.find(({ numeric }) => !numeric)?.index;
    return this.#columns.map(({ figure }, i) => {
      if (i === labelled) return label;
      return figure && cellOf(figure);
    });
  }

  #lineOf(layout: TableLayout, row: Row): string {
    const cells = this.#cellsOf(row);
    const { style } = this.#options.table ?? {};
    const change = style && this.#changeOfRow(row);
    if (!change) return layout.line(cells);

    const paint = changeColor(change, style);
    const paints = this.#columns.map((column) => (column === changeColumn ? paint : undefined));
    return layout.line(cells, paints);
  }

  #cellsOf(row: Row): CellText[] {
    const sums = sumsOfRow(row);
    return this.#columns.map((column) => {
      if (column === labelColumn) return 'now';
      if (column === changeColumn) return this.#changeOfRow(row)?.text;

      const { field, type, figure } = column;
      const number = figure && formatFigure(figure, sums);
      if (number || figure?.derived) return number;
      if (idWithoutName(field, (name) => row[name]) !== undefined) return noName;
      return keyCell(keyText(row[field]), type);
    });
  }

  /** Returns `undefined` if rows are not compared. */
  #changeOfRow(row: Row): Change | undefined {
    if (!this.#rowChanges) return undefined;

    const { comparison, unit, figure } = this.#rowChanges;
    const key = unit.fields.map((field) => keyText(row[field]));
    const before = comparison.sums.find(unit, { key });
    return changeOf(figure, sumsOfRow(row), before, this.#options.table?.unicode);
  }

  /** Determines the layout from the rows held so far; totals may need `spare` more cells. */
  #begin(spare: number): string[] {
    this.#rowChanges = this.#comparedRows();
    this.#columns = this.#columnsToShow();
    const rows = this.#heldRows;
    this.#heldRows = [];

    const cells = rows.map((row) => this.#cellsOf(row));
    const layout = new TableLayout(this.#tableColumns(cells, spare), this.#options.table);
    this.#layout = layout;
    return [...layout.head(), ...rows.map((row) => this.#lineOf(layout, row))];
  }

  /** Compares by a single breakdown other than time, unless the user selected columns. */
  #comparedRows(): RowChanges | undefined {
    const { comparison, selectedColumns } = this.#options;
    const unit = comparison && onlyUnit(comparison.sums);
    if (!unit || unit.isTime || selectedColumns) return undefined;

    const { lead } = choiceOf(this.#plan, this.#totals.totals());
    return lead && { comparison, unit, figure: lead };
  }

  /** Adds a column for labels to a comparison if all columns are numbers. */
  #columnsToShow(): readonly PlannedColumn[] {
    const { selectedColumns } = this.#options;
    const figures = choiceOf(this.#plan, this.#totals.totals());
    const shown = selectedColumns ? this.#plan.shown : inReadingOrder(this.#plan.shown, figures);
    const hasLabels = shown.some(({ numeric }) => !numeric);
    if (this.#options.comparison && !hasLabels) return [labelColumn, ...shown];
    if (!this.#rowChanges) return shown;

    const lead = this.#rowChanges.figure.field;
    const columns: PlannedColumn[] = [];
    for (const column of shown) {
      columns.push(column);
      if (column.figure?.field === lead) columns.push(changeColumn);
    }
    return columns;
  }

  #tableColumns(rows: readonly (readonly CellText[])[], spare: number): TableColumn[] {
    const { table: look = {}, selectedColumns, comparison } = this.#options;
    const totals = this.#totals.totals();
    // A single row has no totals and no label for them.
    const hasFoot = rows.length > 1 || comparison !== undefined;
    const labelled = hasFoot ? this.#columns.findIndex(({ numeric }) => !numeric) : -1;
    const label = comparison ? 'before' : 'total';
    const changeWidth = comparison ? '▲ 100.0%'.length : 0;
    // A selected column is shown even if it is empty.
    const nothing = selectedColumns ? '' : null;

    return this.#columns.map((column, i): TableColumn => {
      const { figure, numeric, type } = column;
      const hasTotal = look.totals !== false && figure !== undefined;
      const total = hasTotal ? (formatFigure(figure, totals) ?? '') : '';
      const totalWidth = Math.max(total === '' ? 0 : changeWidth, total.length + spare);
      const labelWidth = i === labelled ? label.length : 0;
      return {
        name: clip(printable(headingOfColumn(column, look.unicode))),
        numeric,
        isMetric: figure !== undefined || column === changeColumn,
        isName: !numeric && (type === 'text' || type === undefined),
        ...(type === 'text' && { blank: noName }),
        cells: rows.map((cells) => cells[i] ?? nothing),
        minWidth: numeric ? totalWidth : labelWidth,
      };
    });
  }
}

/** Leaves unknown fields unchanged. */
function headingOfColumn({ field, label }: PlannedColumn, unicode?: boolean): string {
  return label === field ? headingOf(field, unicode) : headingOfLabel(label, unicode);
}

/** Wraps the sentence on the comparison. */
export function comparisonLines(comparison: Comparison, width = endless): string[] {
  return wrap(printable(comparisonSentence(comparison)), width);
}

/** Returns green for increases, red for decreases, none for prices. */
export function changeColor(
  { direction, isNeutral = false }: Change,
  style: TableStyle,
): ((text: string) => string) | undefined {
  if (isNeutral) return undefined;
  if (direction === 'up') return style.green;
  return direction === 'down' ? style.red : undefined;
}

/** Formats a value that is not a number. */
export function keyCell(text: string | null, type: FieldType | undefined): string | null {
  if (text === null) return null;
  if (type === 'text') return clip(printable(nameText(text)));
  return clip(printable(type === 'hour' ? hourText(text) : text));
}
