import { parseDay, parseTimestamp, parseWallTime } from '../contract/values.ts';
import { OutputError } from '../errors.ts';
import type { EncodeOptions, Encoder, Pieces, ReportMessages } from '../output/encoder.ts';
import { findLeadingMetric } from '../present/choose-metrics.ts';
import { buildReportModel } from '../present/report-model.ts';
import { measureColumn } from '../present/sheet/column-width.ts';
import { maxTextLength, metricStyle, type SheetCell } from '../present/sheet/sheet-cells.ts';
import {
  buttonWidth,
  columnLetters,
  listClosingParts,
  listOpeningParts,
  renderHeaderRow,
  renderRow,
  renderSheetEnd,
  renderSheetList,
  renderSheetStart,
} from '../present/sheet/spreadsheet.ts';
import { buildSummarySheet } from '../present/sheet/summary-sheet.ts';
import { ZipArchive } from '../present/sheet/zip-archive.ts';
import { ColumnPlan, type PlannedColumn } from '../query/column-plan.ts';
import type { ReportTail, RowBatch, Value } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import { isTimeField, toKeyValue } from '../totals/group-keys.ts';
import { ReportSums } from '../totals/report-sums.ts';
import { byValue } from '../totals/sorting.ts';
import { RowValues, toExactDouble } from './row-values.ts';

const maxRows = 1_048_575;

/**
 * Column widths precede the rows in the file, so they are computed from the first rows, up to these
 * limits. A report within the limits is also sorted.
 */
const maxHeldRows = 10_000;
const maxHeldBytes = 8 * 1024 * 1024;

/** Limits of column widths in characters. */
const widthBounds = { min: 8, max: 60 };

/** Width of a landscape page at half size, in characters. */
const maxPageWidth = 260;

/**
 * Writes an Excel spreadsheet. The first sheet has the rows as a table named `Report`. The second
 * sheet, on which the file opens, has the totals and a chart. Excel has no time zones, so hours are
 * wall times in the report's zone.
 *
 * The rows are streamed, because packages that keep every cell take 760 MB for 100,000 rows of 32
 * columns. Throws `OutputError` if the data does not fit into a sheet.
 */
export class SpreadsheetEncoder implements Encoder {
  readonly #options: EncodeOptions;

  readonly #plan: ColumnPlan;

  readonly #values: RowValues;

  readonly #sums = new ReportSums();

  readonly #archive = new ZipArchive();

  /** Set once the first row has arrived. */
  #columns: readonly PlannedColumn[] | undefined;
  #headings: readonly string[] = [];

  #hasStartedSheet = false;
  #rowCount = 0;

  #pagesAcross = 1;

  /** Column widths in characters. */
  #widths: readonly number[] = [];

  /** Rows held until the column widths are known. */
  #heldRows: SheetRow[] = [];

  #heldBytes = 0;

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
    this.#values = new RowValues(options);
  }

  get endedRowCount(): number {
    return this.#values.endedRowCount;
  }

  encode(batch: RowBatch): Pieces {
    const rowsBefore = this.#rowCount;
    this.#rowCount += batch.rowCount;
    if (this.#rowCount > maxRows) throw tooManyRowsError();

    this.#plan.addBatch(batch);
    this.#columns ??= this.#values.withEarlierColumns(this.#plan.visibleColumns);
    this.#sums.observe(batch, this.#plan.columns);

    const rows = this.#toSheetRows(batch, this.#columns, rowsBefore);
    if (this.#hasStartedSheet) this.#writeRows(rows, rowsBefore);
    else {
      for (const row of rows) this.#heldRows.push(row);
      this.#heldBytes += batch.sizeBytes;
      const isEnough = this.#rowCount >= maxHeldRows || this.#heldBytes >= maxHeldBytes;
      if (isEnough) this.#startSheet();
    }
    return this.#archive.take();
  }

  end(tail: ReportTail, messages?: ReportMessages): Pieces {
    const plan = this.#plan;
    const options = this.#options;
    plan.finish(tail.fields);
    this.#columns ??= this.#values.withEarlierColumns(plan.visibleColumns);
    if (!this.#hasStartedSheet) {
      this.#sortHeldRows(this.#columns);
      this.#startSheet();
    }
    this.#writeEndedRows(this.#columns);
    const sums = this.#sums;
    const range = this.#tableRange();
    this.#archive.end(renderSheetEnd({ tableRange: range, pagesAcross: this.#pagesAcross }));

    const sheetNotes = this.#listNotes(tail.summary?.timezone);

    // The chart of a sheet draws only its rows.
    const modelOptions = { ...options, overTime: undefined };
    const model = buildReportModel({ plan, sums, tail, options: modelOptions, messages });
    const summary = buildSummarySheet(model, sheetNotes);
    this.#archive.add('xl/worksheets/sheet2.xml', summary.xml);
    this.#archive.add(
      'xl/workbook.xml',
      renderSheetList(summary.printArea, this.#countRepeatedColumns()),
    );
    const table = range === undefined ? undefined : { headings: this.#headings, range };
    for (const part of listClosingParts(table, summary.chart)) {
      this.#archive.add(part.path, part.xml);
    }
    this.#archive.close();
    return this.#archive.take();
  }

  #toSheetRows(batch: RowBatch, columns: readonly PlannedColumn[], rowsBefore: number): SheetRow[] {
    const values = columns.map((column) => this.#values.read(batch, column));
    const rows: SheetRow[] = [];
    for (let row = 0; row < batch.rowCount; row++) {
      const number = rowsBefore + row + 1;
      rows.push(columns.map((column, i) => toCell(values[i]?.[row], column, number)));
    }
    return rows;
  }

  /** Writes the rows that only the earlier report has. */
  #writeEndedRows(columns: readonly PlannedColumn[]): void {
    const rowsBefore = this.#rowCount;
    const ended = this.#values.listEndedRows(columns).map((values, i) => {
      return columns.map((column, j) => toCell(values[j], column, rowsBefore + i + 1));
    });
    this.#rowCount += ended.length;
    if (this.#rowCount > maxRows) throw tooManyRowsError();
    this.#writeRows(ended, rowsBefore);
  }

  #writeRows(rows: readonly SheetRow[], rowsBefore: number): void {
    // Rows are numbered from 1, and the first one is the header.
    for (const [i, row] of rows.entries()) {
      this.#archive.write(renderRow(rowsBefore + i + 2, row, this.#widths));
    }
  }

  /** Sorts the held rows, largest first, unless they have a time or the user chose their order. */
  #sortHeldRows(columns: readonly PlannedColumn[]): void {
    const hasTime = columns.some(({ field }) => isTimeField(field));
    const leadingMetric = findLeadingMetric(columns.flatMap(({ metric }) => metric ?? []));
    if (hasTime || !leadingMetric || this.#options.keepsOrder) return;

    const leadingIndex = columns.findIndex(({ field }) => field === leadingMetric.field);
    const leadingValue = (row: SheetRow): number | undefined => {
      const content = row[leadingIndex]?.content;
      return typeof content === 'number' ? content : undefined;
    };
    this.#heldRows.sort(byValue(leadingValue, (a, b) => b - a));
  }

  /** Starts the archive and the first sheet, with the headings and the held rows. */
  #startSheet(): void {
    const columns = this.#columns ?? [];
    for (const { path, xml } of listOpeningParts()) this.#archive.add(path, xml);
    this.#archive.begin('xl/worksheets/sheet1.xml');
    this.#hasStartedSheet = true;

    this.#headings = listHeadings(columns);
    const headerCells = columns.map(({ numeric }, i): SheetCell => {
      const style = numeric ? 'numberTableHeader' : 'tableHeader';
      return { style, content: this.#headings[i] ?? '' };
    });
    const widths = this.#headings.map((heading, i) => {
      const cells = this.#heldRows.map((row) => row[i]);
      const hasButton = columns[i]?.numeric === true;
      return measureColumn(heading, cells, widthBounds) + (hasButton ? buttonWidth - 1 : 0);
    });

    this.#widths = widths;
    const totalWidth = widths.reduce((sum, width) => sum + width, 0);
    this.#pagesAcross = Math.max(1, Math.ceil(totalWidth / maxPageWidth));
    const headerRow = columns.length > 0 ? renderHeaderRow(1, headerCells, widths) : '';
    this.#archive.write(renderSheetStart(widths, 'table') + headerRow);
    this.#writeRows(this.#heldRows, 0);
    this.#heldRows = [];
  }

  /** Returns the range of the table with its header, or `undefined` if there are no columns. */
  #tableRange(): string | undefined {
    if (this.#headings.length === 0) return undefined;

    // A table has at least one row, even if it is empty.
    const lastRow = Math.max(1, this.#rowCount) + 1;
    return `A1:${columnLetters(this.#headings.length - 1)}${lastRow}`;
  }

  /** Counts the columns that printed pages repeat, so that rows can be identified on each page. */
  #countRepeatedColumns(): number {
    const columns = this.#columns ?? [];
    return this.#pagesAcross > 1 ? columns.findIndex(({ numeric }) => numeric) : 0;
  }

  #listNotes(timezone: string | undefined): string[] {
    const hasHours = this.#plan.columns.some(({ type }) => type === 'hour');
    if (!hasHours) return [];

    const zone = timezone ?? "the report's zone";
    return [`Hours are wall times in ${zone}: Excel has no time zones.`];
  }
}

function tooManyRowsError(): OutputError {
  return new OutputError('The report has more than 1,048,575 rows, the limit of an Excel sheet.', {
    code: 'TOO_LARGE',
    hint: "Write CSV or Parquet (-o report.parquet), or one sheet per month: --split month -o '{date}.xlsx'.",
  });
}

/** Maximum length of a table's heading in Excel, in characters. */
const maxHeadingLength = 255;

/** Lists headings that a table accepts. They are not empty, and unique even if case is ignored. */
function listHeadings(columns: readonly PlannedColumn[]): string[] {
  const taken = new Set<string>();
  return columns.map((column, i) => {
    const label = column.label.slice(0, maxHeadingLength);
    const number = ` (column ${i + 1})`;
    const isFree = label.trim() !== '' && !taken.has(label.toLowerCase());
    const heading = isFree ? label : label.slice(0, maxHeadingLength - number.length) + number;
    taken.add(heading.toLowerCase());
    return heading;
  });
}

/** Serial numbers of 1970-01-01, and of the first day on which all spreadsheet programs agree. */
const epochSerial = 25_569;
const firstSerial = 61;

/** Parsers of wall times to days since 1970, with fractions. */
const dayParsers = {
  date: parseDay,
  hour: (text: string) => (parseTimestamp(text)?.wallMs ?? Number.NaN) / 86_400_000,
  wallTime: (text: string) => (parseWallTime(text) ?? Number.NaN) / 86_400_000,
};

/** Cells of a row, `undefined` if empty. */
type SheetRow = readonly (SheetCell | undefined)[];

/**
 * Converts a value to a cell. Throws `OutputError` if the value is too long.
 * @param rowNumber 1-based row, for the error
 */
function toCell(
  value: Value | undefined,
  column: PlannedColumn,
  rowNumber: number,
): SheetCell | undefined {
  if (value === null || value === undefined) return undefined;

  const { name, type, numeric, metric } = column;

  const isNumber = numeric || (type === undefined && typeof value === 'number');
  const number = isNumber ? toExactDouble(value) : undefined;
  if (number !== undefined) {
    if (!metric) return { style: numeric ? 'integer' : 'plain', content: number };
    // Excel keeps 15 digits. Without rounding, floating-point noise would be written.
    const content = metric.type === 'money' ? Number(number.toPrecision(15)) : number;
    return { style: metricStyle(metric), content };
  }

  const text = toKeyValue(value) ?? '';
  if (type === 'date' || type === 'hour' || type === 'wallTime') {
    const serial = (dayParsers[type](text) ?? Number.NaN) + epochSerial;
    if (serial >= firstSerial) return { style: type, content: serial };
  }
  if (text.length <= maxTextLength) {
    return { style: 'plain', content: text };
  }

  throw new OutputError(
    `Row ${rowNumber}: ${printable(name)} has ${text.length} characters; an Excel cell can hold 32,767.`,
    {
      code: 'TOO_LARGE',
      hint: 'Select the other columns with --columns, or write CSV or Parquet.',
    },
  );
}
