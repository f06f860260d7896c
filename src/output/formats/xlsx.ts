import { Zip, ZipDeflate } from 'fflate';
import { OutputError } from '../../errors.ts';
import { type ReportTail, type Row, rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { strangeNotices } from '../../view/grouping.ts';
import { ReportSums } from '../../view/report-sums.ts';
import { describeReport } from '../../view/window-text.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { SheetColumn } from '../xlsx/sheet-column.ts';
import { summarySheet } from '../xlsx/summary-sheet.ts';
import { fixedParts, headerRow, lettersOf, sheetBeginning, sheetEnd, workbookXml } from '../xlsx/workbook.ts';

const mostRows = 1_048_575;

/** The widths of the columns stand before the rows: they are those of so many rows. */
const heldRows = 1000;

/**
 * Reports as a workbook for Excel: the rows with numbers and dates as such, and on a second sheet what they come to.
 * Excel has no time zones: an hour is what the clocks of the report's zone showed.
 *
 * The sheet is written as a stream: packages that keep every cell take 760 MB for 100,000 rows of 32 columns. Throws
 * `OutputError` for what does not fit into a sheet.
 */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  const archive = zipArchive();
  for (const [path, xml] of fixedParts) archive.add(path)(xml, true);
  const writeSheet = archive.add('xl/worksheets/sheet1.xml');
  let columns: SheetColumn[] = [];
  let rowCount = 0;
  /** Rows that wait for the widths of their columns; `undefined` once these are written. */
  let held: Row[] | undefined = [];

  function rowsXml(rows: readonly Row[], firstSheetRow: number): string {
    const lines = rows.map((row, i) => {
      const sheetRow = firstSheetRow + i;
      return `<row r="${sheetRow}">${columns.map((column) => column.cellOf(row, sheetRow)).join('')}</row>`;
    });
    return lines.join('');
  }

  function begin(rows: readonly Row[]): void {
    columns = plan.shown.map((column, i) => new SheetColumn(column, i));
    const xml = rowsXml(rows, 2);
    const widths = columns.map(({ width }) => width);
    const labels = columns.map(({ label }) => label);
    const header = `${headerRow(1, labels, widths)}${columns.map((column) => column.headerCell()).join('')}</row>`;
    writeSheet(sheetBeginning(widths, 1) + (columns.length > 0 ? header : '') + xml);
    held = undefined;
  }

  function noticesOf({ summary }: ReportTail): string[] {
    const zone = summary?.timezone ?? "the report's zone";
    const hours = `Hours are the wall time of ${zone}: Excel has no time zones.`;
    const hasHours = plan.columns.some(({ type }) => type === 'hour');
    return [...(hasHours ? [hours] : []), ...strangeNotices(sums.total, plan.columns)];
  }

  return {
    encode(batch): Pieces {
      rowCount += batch.rowCount;
      if (rowCount > mostRows) throw tooManyRows();
      plan.follow(batch);
      const rows = rowsOf(batch);
      sums.observe(rows, plan.columns, batch.fields);
      if (held) for (const row of rows) held.push(row);
      else writeSheet(rowsXml(rows, rowCount - rows.length + 2));
      if (held && rowCount >= heldRows) begin(held);
      return archive.take();
    },
    end(tail): Pieces {
      plan.settle(tail.fields);
      if (held) begin(held);
      const filtered = columns.length > 0 ? `A1:${lettersOf(columns.length - 1)}${rowCount + 1}` : undefined;
      writeSheet(sheetEnd(filtered), true);
      const { comparison, madeMs, title, note } = options;
      const notices = noticesOf(tail);
      for (const notice of notices) note?.(notice);
      const described = describeReport(tail.summary, sums);
      const made = madeMs === undefined ? undefined : new Date(madeMs).toISOString();
      const facts = Object.entries({
        Window: described.window,
        Zone: described.zone,
        Rows: rowCount.toLocaleString('en'),
        Made: made && `${made.slice(0, 10)} ${made.slice(11, 16)} UTC`,
        'Compared with': comparison?.before,
      });
      const summary = summarySheet({
        title: printable(title ?? described.title),
        facts: facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, printable(text)] as const])),
        notices: [...notices, ...(comparison?.notices ?? [])].map(printable),
        sums,
        comparison,
      });
      archive.add('xl/worksheets/sheet2.xml')(summary, true);
      archive.add('xl/workbook.xml')(workbookXml(filtered), true);
      archive.end();
      return archive.take();
    },
  };
}

function tooManyRows(): OutputError {
  return new OutputError('The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.', {
    code: 'TOO_LARGE',
    hint: "Write CSV or Parquet (-o report.parquet), or a sheet a month: --split month -o '{date}.xlsx'.",
  });
}

/** What fits into an entry of a ZIP archive without its extension for more, which spreadsheets do not read. */
const largestBytes = 0xffffffff;

/** A ZIP archive as a stream: `add` begins an entry, and its text follows in pieces; `take` gives the bytes that are ready. */
export function zipArchive() {
  let pieces: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    pieces.push(piece);
  });
  return {
    add(name: string) {
      // Higher levels take twice as long and save a tenth.
      const entry = new ZipDeflate(name, { level: 3 });
      // The first day of ZIP: with the time of writing, the same report would give other bytes each time.
      entry.mtime = new Date(1980, 0, 1);
      zip.add(entry);
      let sizeBytes = 0;
      return (text: string, isLast = false): void => {
        const bytes = Buffer.from(text);
        sizeBytes += bytes.length;
        if (sizeBytes > largestBytes) {
          throw new OutputError('The sheet becomes larger than 4 GiB, which no spreadsheet opens.', {
            code: 'TOO_LARGE',
            hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
          });
        }
        entry.push(bytes, isLast);
      };
    },
    end: () => zip.end(),
    take(): Uint8Array[] {
      const ready = pieces;
      pieces = [];
      return ready;
    },
  };
}
