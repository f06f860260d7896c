import { dayOf, momentOf, numberTextOf, wallTimeOf } from '../contract/values.ts';
import { OutputError } from '../errors.ts';
import { keyText, strangeValueNotes } from '../figures/grouping.ts';
import { ReportSums } from '../figures/report-sums.ts';
import { ColumnPlan, columnValues, type PlannedColumn } from '../output/columns.ts';
import type { EncodeOptions, Encoder, Pieces, ReportJudgement } from '../output/encoder.ts';
import { modelOfReport } from '../present/report-model.ts';
import { columnWidth } from '../present/sheet/column-width.ts';
import { summarySheet } from '../present/sheet/summary-sheet.ts';
import {
  buttonWidth,
  headerRowXml,
  lettersOf,
  longestText,
  openingParts,
  rowXml,
  type SheetCell,
  sheetBeginning,
  sheetEnd,
  tableXml,
  workbookXml,
} from '../present/sheet/workbook.ts';
import { ZipArchive, type ZipEntry } from '../present/sheet/zip-archive.ts';
import {
  makeRoomForObjects,
  type ReportTail,
  type RowBatch,
  type Value,
} from '../rows/row-batch.ts';
import { exactDouble } from '../text/decimal.ts';
import { printable } from '../text/printable.ts';

const mostRows = 1_048_575;

/**
 * The widths of the columns stand before the rows: they are those of so many rows, or fewer of so
 * many bytes.
 */
const heldRows = 1000;
const heldBytes = 4 * 1024 * 1024;

/** Columns are as wide as their contents, in characters, between these. */
const widthBounds = { least: 8, most: 45 };

/**
 * Reports as a workbook for Excel: the rows, in their order, as a table called `Report` with
 * numbers and dates as such, and on a second sheet what they come to. Excel has no time zones: an
 * hour is what the clocks of the report's zone showed.
 *
 * The sheet is written as a stream: packages that keep every cell take 760 MB for 100,000 rows of
 * 32 columns. Throws `OutputError` for what does not fit into a sheet.
 */
export class WorkbookEncoder implements Encoder {
  readonly #options: EncodeOptions;

  readonly #plan: ColumnPlan;

  readonly #sums = new ReportSums();

  readonly #archive = new ZipArchive();

  /** The sheet of the rows, once the widths of its columns are written. */
  #sheet: ZipEntry | undefined;

  /** The columns of the sheet, from its first row on, and their headings. */
  #columns: readonly PlannedColumn[] | undefined;
  #headings: readonly string[] = [];

  #rowCount = 0;

  /** Rows that wait for the widths of their columns. */
  #held: SheetRow[] = [];

  #bytesSoFar = 0;

  constructor(options: EncodeOptions) {
    makeRoomForObjects();
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    const rowsBefore = this.#rowCount;
    this.#rowCount += batch.rowCount;
    if (this.#rowCount > mostRows) throw tooManyRows();

    this.#plan.follow(batch);
    this.#columns ??= this.#plan.shown;
    this.#sums.observe(batch, this.#plan.columns);

    const rows = rowsIn(batch, this.#columns, rowsBefore);
    if (this.#sheet) writeRows(this.#sheet, rows, rowsBefore);
    else {
      for (const row of rows) this.#held.push(row);
      this.#bytesSoFar += batch.sizeBytes;
      const isEnough = this.#rowCount >= heldRows || this.#bytesSoFar >= heldBytes;
      if (isEnough) this.#begin();
    }
    return this.#archive.take();
  }

  end(tail: ReportTail, judgement?: ReportJudgement): Pieces {
    const plan = this.#plan;
    const options = this.#options;
    plan.settle(tail.fields);
    this.#columns ??= plan.shown;
    const sheet = this.#sheet ?? this.#begin();
    const sums = this.#sums;
    const range = this.#tableRange();
    sheet.end(sheetEnd('table', range));
    if (range !== undefined) {
      const xml = tableXml({ headings: this.#headings, range });
      this.#archive.add('xl/tables/table1.xml', xml);
    }

    const ownNotes = this.#notes(tail.summary?.timezone);
    for (const note of ownNotes) options.note?.(note);

    const { comparison, provenance } = options;
    const cells = new Map<string, SheetCell>();
    cells.set('Rows', { style: 'count', content: this.#rowCount });
    if (provenance) cells.set('Fetched', instantCell(provenance.fetchedMs));
    const summary = summarySheet({
      model: modelOfReport({ plan, sums, tail, options, judgement }),
      sums,
      comparison,
      ownNotes,
      cells,
      isFirst: this.#opensOnSummary,
    });
    this.#archive.add('xl/worksheets/sheet2.xml', summary);
    this.#archive.add('xl/workbook.xml', workbookXml(this.#opensOnSummary));
    this.#archive.end();
    return this.#archive.take();
  }

  /** Whether somebody prepared the workbook for readers. */
  get #opensOnSummary(): boolean {
    const { title, remark, comparison } = this.#options;
    return title !== undefined || remark !== undefined || comparison !== undefined;
  }

  /** Begins the archive and its first sheet: the headings of the columns, and the rows so far. */
  #begin(): ZipEntry {
    const columns = this.#columns ?? [];
    const openings = openingParts(columns.length > 0);
    for (const { path, xml } of openings) this.#archive.add(path, xml);
    const sheet = this.#archive.begin('xl/worksheets/sheet1.xml');
    this.#sheet = sheet;

    this.#headings = headingsOf(columns);
    const headerCells = columns.map(({ numeric }, i): SheetCell => {
      const style = numeric ? 'numberTableHeader' : 'tableHeader';
      return { style, content: this.#headings[i] ?? '' };
    });
    const widths = this.#headings.map((heading, i) => {
      const cells = this.#held.map((row) => row[i]);
      const hasButton = columns[i]?.numeric === true;
      return columnWidth(heading, cells, widthBounds) + (hasButton ? buttonWidth - 1 : 0);
    });

    const headerRow = columns.length > 0 ? headerRowXml(1, headerCells, widths) : '';
    sheet.write(sheetBeginning(widths, 'table', !this.#opensOnSummary) + headerRow);
    writeRows(sheet, this.#held, 0);
    this.#held = [];
    return sheet;
  }

  /** The cells of the header and the rows; `undefined` if there are no columns. */
  #tableRange(): string | undefined {
    if (this.#headings.length === 0) return undefined;

    // A table has at least one row, be it an empty one.
    const lastRow = Math.max(1, this.#rowCount) + 1;
    return `A1:${lettersOf(this.#headings.length - 1)}${lastRow}`;
  }

  #notes(timezone: string | undefined): string[] {
    const notes = strangeValueNotes(this.#sums.total, this.#plan.columns);
    const hasHours = this.#plan.columns.some(({ type }) => type === 'hour');
    if (!hasHours) return notes;

    const zone = timezone ?? "the report's zone";
    return [`Hours are the wall time of ${zone}: Excel has no time zones.`, ...notes];
  }
}

function tooManyRows(): OutputError {
  return new OutputError(
    'The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.',
    {
      code: 'TOO_LARGE',
      hint: "Write CSV or Parquet (-o report.parquet), or a sheet a month: --split month -o '{date}.xlsx'.",
    },
  );
}

function writeRows(sheet: ZipEntry, rows: readonly SheetRow[], rowsBefore: number): void {
  // Rows of a sheet count from 1, and the first one is the header.
  for (const [i, row] of rows.entries()) sheet.write(rowXml(rowsBefore + i + 2, row));
}

/** What the header cell of a table holds at most. */
const longestHeading = 255;

/**
 * The headings of the columns, as a table needs them: none is empty, and no two are alike in any
 * case.
 */
function headingsOf(columns: readonly PlannedColumn[]): string[] {
  const taken = new Set<string>();
  return columns.map((column, i) => {
    const label = column.label.slice(0, longestHeading);
    const number = ` (column ${i + 1})`;
    const isFree = label.trim() !== '' && !taken.has(label.toLowerCase());
    const heading = isFree ? label : label.slice(0, longestHeading - number.length) + number;
    taken.add(heading.toLowerCase());
    return heading;
  });
}

/** The serial number of 1970-01-01, and of the first day from which on all spreadsheets agree. */
const serialOf1970 = 25_569;
const firstSerial = 61;

/** Days since 1970, with their fraction, that the clocks of the report's zone showed. */
const wallDays = {
  date: dayOf,
  hour: (text: string) => (momentOf(text)?.wallMs ?? Number.NaN) / 86_400_000,
  wallTime: (text: string) => (wallTimeOf(text) ?? Number.NaN) / 86_400_000,
};

/** An instant in milliseconds since 1970, as the clocks of UTC showed it. */
function instantCell(ms: number): SheetCell {
  return { style: 'instant', content: ms / 86_400_000 + serialOf1970 };
}

/** The cells of a row, by column; `undefined` where it has none. */
type SheetRow = readonly (SheetCell | undefined)[];

/** The rows of a batch as cells. */
function rowsIn(
  batch: RowBatch,
  columns: readonly PlannedColumn[],
  rowsBefore: number,
): SheetRow[] {
  const values = columns.map((column) => columnValues(batch, column));
  const rows: SheetRow[] = [];
  for (let row = 0; row < batch.rowCount; row++) {
    const number = rowsBefore + row + 1;
    rows.push(columns.map((column, i) => cellOf(values[i]?.[row], column, number)));
  }
  return rows;
}

/** The cell of a value, whose row `rowNumber` names in an error; `undefined` for null. */
function cellOf(
  value: Value | undefined,
  column: PlannedColumn,
  rowNumber: number,
): SheetCell | undefined {
  if (value === null || value === undefined) return undefined;

  const { name, type, numeric, figure } = column;

  const isNumber = numeric || (type === undefined && typeof value === 'number');
  const number = isNumber ? exactNumber(value) : undefined;
  if (number !== undefined) {
    const style = figure?.type ?? (numeric ? 'integer' : 'plain');
    return { style, content: number };
  }

  const text = keyText(value) ?? '';
  if (type === 'date' || type === 'hour' || type === 'wallTime') {
    const serial = (wallDays[type](text) ?? Number.NaN) + serialOf1970;
    if (serial >= firstSerial) return { style: type, content: serial };
  }
  if (text.length <= longestText) {
    return { style: text.includes('\n') ? 'lines' : 'plain', content: text };
  }

  throw new OutputError(
    `Row ${rowNumber}: ${printable(name)} has ${text.length} characters, and a cell of Excel holds 32,767.`,
    {
      code: 'TOO_LARGE',
      hint: 'Choose the other columns with --columns, or write CSV or Parquet.',
    },
  );
}

/**
 * The number that a value is or holds; `undefined` where it is none, or one that a double does not
 * hold.
 */
function exactNumber(value: Value): number | undefined {
  // A number that a double would have changed came as a text.
  if (typeof value === 'number') return value;
  const digits = numberTextOf(value);
  return digits === undefined ? undefined : exactDouble(digits);
}
