import { OutputError } from '../../errors.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { type Row, rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { strangeNotice } from '../../view/grouping.ts';
import { ReportSums } from '../../view/report-sums.ts';
import { breakdownsOf, describeZone, titleOf, windowText } from '../../view/window-text.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { figuresOfColumns, withDerived } from '../report-figures.ts';
import { Archive } from '../xlsx/archive.ts';
import { ReportColumn } from '../xlsx/report-column.ts';
import { summarySheet } from '../xlsx/summary-sheet.ts';
import { fixedParts, headerRow, lettersOf, sheetBeginning, sheetEnd, workbookXml } from '../xlsx/workbook.ts';

/** What a sheet holds, less its header. */
const mostRows = 1_048_575;

/** The widths of the columns stand before the rows: they are those of so many rows. */
const heldRows = 1000;

/**
 * Reports as a workbook for Excel: the rows with numbers and dates as such, and on a second sheet what they come to.
 * Excel has no time zones: an hour is what the clocks of the report's zone showed.
 *
 * The sheet is written as a stream. The packages for that keep every cell: write-excel-file took 760 MB and 43 s for
 * 100,000 rows of 32 columns, and a million rows are more than one string of XML can hold.
 *
 * Its calls throw `OutputError` for what does not fit into a sheet.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  return new XlsxEncoder(options);
}

class XlsxEncoder implements Encoder {
  readonly #plan: ColumnPlan;
  readonly #options: EncodeOptions;
  readonly #archive = new Archive();
  readonly #sheet;
  readonly #sums = new ReportSums();
  #columns: ReportColumn[] = [];
  #rowCount = 0;
  /** Rows that wait for the widths of their columns; `undefined` once these are written. */
  #held: Row[] | undefined = [];

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
    for (const [path, xml] of fixedParts) this.#archive.add(path, xml);
    this.#sheet = this.#archive.open('xl/worksheets/sheet1.xml');
  }

  encode(batch: RowBatch): Pieces {
    if (this.#rowCount + batch.rowCount > mostRows) throw tooManyRows();
    this.#plan.follow(batch);
    if (this.#columns.length === 0) this.#columns = columnsOf(this.#plan.columns, batch.fields, this.#options);
    const rows = rowsOf(batch);
    this.#sums.observe(rows, this.#plan.columns, batch.fields);
    this.#rowCount += rows.length;
    if (!this.#held) this.#sheet.write(this.#rowsXml(rows, this.#rowCount - rows.length + 2));
    else this.#held.push(...rows);
    if (this.#held && this.#rowCount >= heldRows) this.#begin(this.#held);
    return this.#archive.take();
  }

  end(tail: ReportTail): Pieces {
    this.#plan.settle(tail.fields);
    if (this.#columns.length === 0) this.#columns = columnsOf(this.#plan.columns, tail.fields, this.#options);
    if (this.#held) this.#begin(this.#held);
    const filtered =
      this.#columns.length > 0 ? `A1:${lettersOf(this.#columns.length - 1)}${this.#rowCount + 1}` : undefined;
    this.#sheet.write(sheetEnd(filtered, 'landscape'), true);
    const { summary } = tail;
    const hours = this.#plan.columns.some(({ type }) => type === 'hour')
      ? `Hours are the wall time of ${summary?.timezone ?? "the report's zone"}: Excel has no time zones.`
      : '';
    const strange = this.#plan.columns.flatMap(({ field, name }) => {
      const count = this.#sums.total.strangeCounts.get(field);
      return count === undefined ? [] : strangeNotice(name, count, ['text', 'text']);
    });
    const notices = [...(hours ? [hours] : []), ...strange];
    for (const notice of notices) this.#options.note?.(notice);
    this.#archive.add('xl/worksheets/sheet2.xml', this.#summarySheet(tail, notices));
    this.#archive.add('xl/workbook.xml', workbookXml(filtered));
    this.#archive.end();
    return this.#archive.take();
  }

  /** Writes the sheet up to the rows that were held. */
  #begin(rows: readonly Row[]): void {
    const xml = this.#rowsXml(rows, 2);
    const header = this.#columns.map((column) => column.headerCell()).join('');
    const widths = this.#columns.map(({ width }) => width);
    const row = headerRow(
      1,
      this.#columns.map(({ label }) => label),
      widths,
    );
    const head = header === '' ? '' : `${row}${header}</row>`;
    this.#sheet.write(sheetBeginning(widths, 1) + head + xml);
    this.#held = undefined;
  }

  #rowsXml(rows: readonly Row[], firstSheetRow: number): string {
    let xml = '';
    for (const [i, row] of rows.entries()) {
      const sheetRow = firstSheetRow + i;
      xml += `<row r="${sheetRow}">`;
      for (const column of this.#columns) xml += column.cellOf(row, sheetRow);
      xml += '</row>';
    }
    return xml;
  }

  #summarySheet({ summary, rowCount }: ReportTail, notices: readonly string[]): string {
    const { comparison, madeMs, title } = this.#options;
    const units = this.#sums.units.map(({ unit }) => unit);
    const made =
      madeMs === undefined ? undefined : `${new Date(madeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const facts = Object.entries({
      Window: summary && windowText(summary),
      Zone: summary && describeZone(summary.timezone),
      Rows: rowCount.toLocaleString('en'),
      Made: made,
      'Compared with': comparison?.before,
    }).flatMap(([name, text]) => (text === undefined ? [] : [[name, printable(text)] as const]));
    return summarySheet({
      title: printable(title ?? titleOf(breakdownsOf(summary, units))),
      facts,
      notices: [...notices, ...(comparison?.notices ?? [])].map(printable),
      sums: this.#sums,
      comparison,
    });
  }
}

function columnsOf(
  planned: readonly PlannedColumn[],
  fields: readonly string[],
  options: EncodeOptions,
): ReportColumn[] {
  const figures = figuresOfColumns(planned, fields);
  return withDerived(planned, figures, options).map((column, i) => {
    return new ReportColumn(column, i, figures.get(column.field));
  });
}

function tooManyRows(): OutputError {
  return new OutputError('The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.', {
    code: 'TOO_LARGE',
    hint: "Write CSV or Parquet (-o report.parquet), or a sheet a month: --split month -o '{date}.xlsx'.",
  });
}
