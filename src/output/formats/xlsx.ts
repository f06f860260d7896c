import { Zip, ZipDeflate } from 'fflate';
import { fieldLabel } from '../../contract/columns.ts';
import { dayOf, exactDouble, momentOf, numberTextOf, wallTimeOf } from '../../contract/values.ts';
import { OutputError } from '../../errors.ts';
import { type ReportTail, type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { keyText, strangeNotices } from '../../view/grouping.ts';
import { ReportSums } from '../../view/report-sums.ts';
import { describeReport } from '../../view/window-text.ts';
import { ColumnPlan, type PlannedColumn, valueIn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { widthOf } from '../table/table-layout.ts';
import { summarySheet } from '../xlsx/summary-sheet.ts';
import {
  fixedParts,
  lettersOf,
  rowXml,
  type SheetCell,
  sheetBeginning,
  sheetEnd,
  workbookXml,
} from '../xlsx/workbook.ts';

/** So many rows, and so many characters a cell, are all that a sheet of Excel holds. */
const mostRows = 1_048_575;
const longestText = 32_767;

/** The widths of the columns stand before the rows: they are those of so many rows. */
const heldRows = 1000;

/** Columns are as wide as their contents, in characters, between these. */
const narrowest = 8;
const widest = 45;

/**
 * Reports as a workbook for Excel: the rows with numbers and dates as such, and on a second sheet what they come to.
 * Excel has no time zones: an hour is what the clocks of the report's zone showed.
 *
 * The sheet is written as a stream: packages that keep every cell take 760 MB for 100,000 rows of 32 columns. Throws
 * `OutputError` for what does not fit into a sheet.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  return new WorkbookEncoder(options);
}

/** The cells of a row, `undefined` where there is none. */
type RowCells = readonly (SheetCell | undefined)[];

class WorkbookEncoder implements Encoder {
  readonly #options: EncodeOptions;
  readonly #plan: ColumnPlan;
  readonly #sums = new ReportSums();
  readonly #archive = new ZipArchive();
  readonly #sheet: ZipEntry;

  /** Rows that wait for the widths of their columns. */
  #heldRows: Row[] = [];

  #columns: readonly PlannedColumn[] = [];
  #rowCount = 0;

  /** Whether the widths of the columns are written. */
  #isBegun = false;

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
    for (const [path, xml] of fixedParts) this.#archive.add(path).end(xml);
    this.#sheet = this.#archive.add('xl/worksheets/sheet1.xml');
  }

  encode(batch: RowBatch): Pieces {
    const rowCount = this.#rowCount + this.#heldRows.length + batch.rowCount;
    if (rowCount > mostRows) throw tooManyRows();

    this.#plan.follow(batch);
    const rows = rowsOf(batch);
    this.#sums.observe(rows, this.#plan.columns, batch.fields);

    if (this.#isBegun) {
      this.#writeRows(rows);
    } else {
      for (const row of rows) this.#heldRows.push(row);
      if (this.#heldRows.length >= heldRows) this.#begin();
    }
    return this.#archive.take();
  }

  end({ fields, summary }: ReportTail): Pieces {
    this.#plan.settle(fields);
    if (!this.#isBegun) this.#begin();

    const range = this.#range;
    this.#sheet.end(sheetEnd(range));
    this.#archive.add('xl/worksheets/sheet2.xml').end(this.#summaryXml(summary));
    this.#archive.add('xl/workbook.xml').end(workbookXml(range));
    this.#archive.end();
    return this.#archive.take();
  }

  /** Writes the widths of the columns, the header and the rows that waited for them. */
  #begin(): void {
    this.#isBegun = true;
    this.#columns = this.#plan.shown;
    const rows = this.#heldRows;
    this.#heldRows = [];

    const header: SheetCell[] = [];
    for (const { name, numeric } of this.#columns) {
      header.push([numeric ? 'numberHeader' : 'header', fieldLabel(name)]);
    }
    const cells = rows.map((row, i) => this.#cellsOf(row, i + 1));
    const widths = header.map(([, label], i) => columnWidth(String(label), cells, i));

    const headerXml = header.length > 0 ? rowXml(1, header, widths) : '';
    this.#sheet.write(sheetBeginning(widths, 1) + headerXml + this.#xmlOf(cells));
  }

  #writeRows(rows: readonly Row[]): void {
    const cells = rows.map((row, i) => this.#cellsOf(row, this.#rowCount + i + 1));
    this.#sheet.write(this.#xmlOf(cells));
  }

  /** The rows with these cells, which follow those written so far; the header stands above the first. */
  #xmlOf(rows: readonly RowCells[]): string {
    let xml = '';
    for (const cells of rows) {
      this.#rowCount++;
      xml += rowXml(this.#rowCount + 1, cells);
    }
    return xml;
  }

  /** @param number of the row, counted from 1, for an error */
  #cellsOf(row: Row, number: number): RowCells {
    return this.#columns.map((column) => cellOf(row, column, number));
  }

  /** The cells of the header and the rows, as `A1:F20`; `undefined` where there are no columns. */
  get #range(): string | undefined {
    if (this.#columns.length === 0) return undefined;
    return `A1:${lettersOf(this.#columns.length - 1)}${this.#rowCount + 1}`;
  }

  #summaryXml(summary: ReportTail['summary']): string {
    const { comparison, title, note } = this.#options;
    const described = describeReport(summary, this.#sums);
    const notices = this.#noticesOf(summary);
    for (const notice of notices) note?.(notice);

    return summarySheet(
      printable(title ?? described.title),
      this.#factsOf(described.window, described.zone),
      [...notices, ...(comparison?.notices ?? [])].map(printable),
      this.#sums,
      comparison,
    );
  }

  #noticesOf(summary: ReportTail['summary']): string[] {
    const notices = strangeNotices(this.#sums.total, this.#plan.columns);
    const hasHours = this.#plan.columns.some(({ type }) => type === 'hour');
    if (!hasHours) return [...notices];

    const zone = summary?.timezone ?? "the report's zone";
    return [`Hours are the wall time of ${zone}: Excel has no time zones.`, ...notices];
  }

  /** What stands above the totals, each fact with its name. */
  #factsOf(
    window: string | undefined,
    zone: string | undefined,
  ): (readonly [name: string, text: string])[] {
    const { comparison, madeMs } = this.#options;
    const made = madeMs === undefined ? undefined : new Date(madeMs).toISOString();
    const texts = {
      Window: window,
      Zone: zone,
      Rows: this.#rowCount.toLocaleString('en'),
      Made: made && `${made.slice(0, 10)} ${made.slice(11, 16)} UTC`,
      'Compared with': comparison?.before,
    };

    const facts: (readonly [string, string])[] = [];
    for (const [name, text] of Object.entries(texts)) {
      if (text !== undefined) facts.push([name, printable(text)]);
    }
    return facts;
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

/** How wide a column is, in characters: as its header and its cells need. */
function columnWidth(label: string, rows: readonly RowCells[], index: number): number {
  let width = narrowest;
  // The words of a header may stand one below the other, beside the button of the filter.
  for (const word of label.split(' ')) width = Math.max(width, widthOf(word) + 3);
  for (const cells of rows) width = Math.max(width, widthIn(cells[index]) + 2);
  return Math.min(widest, width);
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

/** The cell of a row, which `rowNumber` names in an error; `undefined` for null. */
function cellOf(row: Row, column: PlannedColumn, rowNumber: number): SheetCell | undefined {
  const value = valueIn(row, column);
  if (value === null || value === undefined) return undefined;

  const { type, numeric, figure } = column;
  const mayBeNumber = numeric || (type === undefined && typeof value === 'number');
  const number = mayBeNumber ? numberTextOf(value) : undefined;
  const exact = number === undefined ? undefined : exactDouble(number);
  if (exact !== undefined) {
    const style = figure?.type ?? (numeric ? 'integer' : 'plain');
    return [style, exact];
  }

  const text = keyText(value) ?? '';
  if (type === 'date' || type === 'hour' || type === 'wallTime') {
    const day = wallDays[type](text);
    const serial = day === undefined ? undefined : day + serialOf1970;
    if (serial !== undefined && serial >= firstSerial) return [type, serial];
  }

  if (text.length > longestText) throw textTooLong(column.name, text.length, rowNumber);
  return ['plain', text];
}

function textTooLong(column: string, length: number, rowNumber: number): OutputError {
  return new OutputError(
    `Row ${rowNumber}: ${printable(column)} has ${length} characters, and a cell of Excel holds 32,767.`,
    {
      code: 'TOO_LARGE',
      hint: 'Choose the other columns with --columns, or write CSV or Parquet.',
    },
  );
}

/** How many characters a time takes, as its style shows it. */
const timeWidths: Readonly<Record<string, number>> = { date: 10, hour: 16, wallTime: 19 };

/** How many characters a cell takes: of a number with its thousands apart. */
function widthIn(cell: SheetCell | undefined): number {
  if (!cell) return 0;
  const [style, content] = cell;
  if (typeof content === 'string') return widthOf(content.slice(0, widest));

  const timeWidth = timeWidths[style];
  if (timeWidth !== undefined) return timeWidth;

  const isWhole = style === 'integer' || style === 'plain';
  const digits = isWhole ? String(content) : content.toFixed(2);
  return Math.ceil(1.3 * Math.max(digits.length, 4));
}

/** What fits into an entry of a ZIP archive without its extension for more, which spreadsheets do not read. */
const largestBytes = 0xffffffff;

/** A ZIP archive as a stream. An entry is written to its end before the next one begins. */
export class ZipArchive {
  #pieces: Uint8Array[] = [];

  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });

  add(path: string): ZipEntry {
    // Higher levels take twice as long and save a tenth.
    const file = new ZipDeflate(path, { level: 3 });
    // The first day of ZIP: with the time of writing, the same report would give other bytes each time.
    file.mtime = new Date(1980, 0, 1);
    this.#zip.add(file);
    return new ZipEntry(file);
  }

  end(): void {
    this.#zip.end();
  }

  /** The bytes that are ready, each once. */
  take(): Uint8Array[] {
    const ready = this.#pieces;
    this.#pieces = [];
    return ready;
  }
}

/** A file of an archive, whose text comes in pieces. Throws `OutputError` where it becomes too large. */
class ZipEntry {
  readonly #file: ZipDeflate;
  #sizeBytes = 0;

  constructor(file: ZipDeflate) {
    this.#file = file;
  }

  write(text: string): void {
    this.#push(text, false);
  }

  end(text: string): void {
    this.#push(text, true);
  }

  #push(text: string, isLast: boolean): void {
    const bytes = Buffer.from(text);
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > largestBytes) throw sheetTooLarge();
    this.#file.push(bytes, isLast);
  }
}

function sheetTooLarge(): OutputError {
  return new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
    code: 'TOO_LARGE',
    hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
  });
}
