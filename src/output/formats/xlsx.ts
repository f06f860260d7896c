import { Zip, ZipDeflate } from 'fflate';
import { fieldLabel } from '../../contract/columns.ts';
import { dayOf, exactDouble, momentOf, numberTextOf, wallTimeOf } from '../../contract/values.ts';
import { OutputError } from '../../errors.ts';
import { type Row, rowsOf } from '../../rows/row-batch.ts';
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
  const { comparison, madeMs, title, note } = options;
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  const archive = zipArchive();
  for (const [path, xml] of fixedParts) archive.add(path)(xml, true);
  const writeSheet = archive.add('xl/worksheets/sheet1.xml');
  let columns: readonly PlannedColumn[] = [];
  let rowCount = 0;
  /** Rows that wait for the widths of their columns; `undefined` once these are written. */
  let held: Row[] | undefined = [];

  const cellsOf = (row: Row, number: number) =>
    columns.map((column) => cellOf(row, column, number));

  function begin(rows: readonly Row[]): void {
    columns = plan.shown;
    const cells = rows.map((row, i) => cellsOf(row, i + 1));
    const header = columns.map(({ name, numeric }): SheetCell => {
      return [numeric ? 'numberHeader' : 'header', fieldLabel(name)];
    });
    const widths = header.map(([, label], i) => {
      // The words of a header may stand one below the other, beside the button of the filter.
      const words = String(label)
        .split(' ')
        .map((word) => widthOf(word) + 3);
      const needed = cells.reduce(
        (most, each) => Math.max(most, widthIn(each[i]) + 2),
        Math.max(...words),
      );
      return Math.min(widest, Math.max(narrowest, needed));
    });
    const headerRow = header.length > 0 ? rowXml(1, header, widths) : '';
    writeSheet(
      sheetBeginning(widths, 1) + headerRow + cells.map((each, i) => rowXml(i + 2, each)).join(''),
    );
    held = undefined;
  }

  return {
    encode(batch): Pieces {
      const before = rowCount;
      rowCount += batch.rowCount;
      if (rowCount > mostRows) {
        throw new OutputError(
          'The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.',
          {
            code: 'TOO_LARGE',
            hint: "Write CSV or Parquet (-o report.parquet), or a sheet a month: --split month -o '{date}.xlsx'.",
          },
        );
      }
      plan.follow(batch);
      const rows = rowsOf(batch);
      sums.observe(rows, plan.columns, batch.fields);
      if (held) for (const row of rows) held.push(row);
      else
        writeSheet(
          rows.map((row, i) => rowXml(before + i + 2, cellsOf(row, before + i + 1))).join(''),
        );
      if (held && rowCount >= heldRows) begin(held);
      return archive.take();
    },
    end({ fields, summary }): Pieces {
      plan.settle(fields);
      if (held) begin(held);
      const filtered =
        columns.length > 0 ? `A1:${lettersOf(columns.length - 1)}${rowCount + 1}` : undefined;
      writeSheet(sheetEnd(filtered), true);
      const zone = summary?.timezone ?? "the report's zone";
      const hasHours = plan.columns.some(({ type }) => type === 'hour');
      const notices = [
        ...(hasHours ? [`Hours are the wall time of ${zone}: Excel has no time zones.`] : []),
        ...strangeNotices(sums.total, plan.columns),
      ];
      for (const notice of notices) note?.(notice);
      const described = describeReport(summary, sums);
      const made = madeMs === undefined ? undefined : new Date(madeMs).toISOString();
      const facts = Object.entries({
        Window: described.window,
        Zone: described.zone,
        Rows: rowCount.toLocaleString('en'),
        Made: made && `${made.slice(0, 10)} ${made.slice(11, 16)} UTC`,
        'Compared with': comparison?.before,
      });
      const known = facts.flatMap(([name, text]) =>
        text === undefined ? [] : [[name, printable(text)] as const],
      );
      const said = [...notices, ...(comparison?.notices ?? [])].map(printable);
      const second = summarySheet(
        printable(title ?? described.title),
        known,
        said,
        sums,
        comparison,
      );
      archive.add('xl/worksheets/sheet2.xml')(second, true);
      archive.add('xl/workbook.xml')(workbookXml(filtered), true);
      archive.end();
      return archive.take();
    },
  };
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
  const { name, type, numeric, figure } = column;
  const value = valueIn(row, column);
  if (value === null || value === undefined) return undefined;
  const number =
    numeric || (type === undefined && typeof value === 'number') ? numberTextOf(value) : undefined;
  const exact = number === undefined ? undefined : exactDouble(number);
  if (exact !== undefined) return [figure?.type ?? (numeric ? 'integer' : 'plain'), exact];
  const text = keyText(value) ?? '';
  if (type === 'date' || type === 'hour' || type === 'wallTime') {
    const serial = (wallDays[type](text) ?? Number.NaN) + serialOf1970;
    if (serial >= firstSerial) return [type, serial];
  }
  if (text.length <= longestText) return ['plain', text];
  throw new OutputError(
    `Row ${rowNumber}: ${printable(name)} has ${text.length} characters, and a cell of Excel holds 32,767.`,
    {
      code: 'TOO_LARGE',
      hint: 'Choose the other columns with --columns, or write CSV or Parquet.',
    },
  );
}

/** How many characters a cell takes: of a number with its thousands apart, of a time as its style shows it. */
function widthIn([style, content]: SheetCell | undefined = ['plain', '']): number {
  if (typeof content === 'string') return widthOf(content.slice(0, widest));
  const time = { date: 10, hour: 16, wallTime: 19 }[style as string];
  const digits = style === 'integer' || style === 'plain' ? String(content) : content.toFixed(2);
  return time ?? Math.ceil(1.3 * Math.max(digits.length, 4));
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
          throw new OutputError(
            'The sheet becomes larger than 4 GiB, which no spreadsheet opens.',
            {
              code: 'TOO_LARGE',
              hint: 'Choose fewer columns with --columns, or write CSV or Parquet.',
            },
          );
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
