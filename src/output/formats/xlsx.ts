import { OutputError } from '../../errors.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { viewOf } from '../../rows/words.ts';
import { strangeNotice } from '../../view/strange-values.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { SheetColumn } from '../xlsx/sheet-column.ts';
import { propertiesPath, propertiesXml, sheetBeginning, sheetPath, workbookParts } from '../xlsx/workbook.ts';
import { ZipArchive } from '../xlsx/zip-archive.ts';

/** What a sheet holds, less its header. */
const mostRows = 1_048_575;

/** The widths of the columns stand before the rows: they are those of so many rows. */
const heldRows = 1000;

/**
 * Reports as a sheet for Excel: numbers and dates as such, a frozen bold header, sums at the foot. Excel has no time
 * zones: an hour is what the clocks of the report's zone showed.
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
  readonly #note: (sentence: string) => void;
  readonly #archive = new ZipArchive();
  /** What stands in the archive before the sheet. */
  readonly #parts = workbookParts.map(([path, xml]) => this.#archive.add(path, xml));
  readonly #sheet = this.#archive.open(sheetPath);
  readonly #columns: SheetColumn[] = [];
  #rowCount = 0;
  /** Rows that wait for the widths of their columns; `undefined` once these are written. */
  #held: string[] | undefined = [];
  #hasHours = false;

  constructor({ note = () => {}, ...options }: EncodeOptions) {
    this.#plan = new ColumnPlan(options);
    this.#note = note;
  }

  async encode(batch: RowBatch): Promise<Pieces> {
    if (this.#rowCount + batch.rowCount > mostRows) throw tooManyRows();
    this.#plan.follow(batch);
    this.#addColumns();
    const rows = this.#rowsOf(batch);
    this.#rowCount += batch.rowCount;
    if (!this.#held) return this.#sheet.write(rows);
    this.#held.push(rows);
    return this.#rowCount >= heldRows ? this.#begin(this.#held) : [];
  }

  async end({ fields, summary }: ReportTail): Promise<Pieces> {
    this.#plan.settle(fields);
    this.#addColumns();
    const beginning = this.#held ? await this.#begin(this.#held) : [];
    const rows = await this.#sheet.write(`${this.#totalRow()}</sheetData></worksheet>`);
    const zone = summary === undefined ? "the report's zone" : summary.timezone;
    const window = summary === undefined ? '' : `${summary.since} to ${summary.until}. `;
    const hours = this.#hasHours ? `Hours are the wall time of ${zone}: Excel has no time zones.` : '';
    if (hours) this.#note(hours);
    const properties = `${window}${hours}`.trim();
    return [
      ...beginning,
      ...rows,
      ...(await this.#sheet.end()),
      this.#archive.add(propertiesPath, propertiesXml(properties)),
      this.#archive.end(),
    ];
  }

  #addColumns(): void {
    for (const planned of this.#plan.columns.slice(this.#columns.length)) {
      this.#columns.push(new SheetColumn(planned, this.#columns.length));
      this.#hasHours ||= planned.type === 'hour';
    }
  }

  #rowsOf(batch: RowBatch): string {
    const { rowCount, valueStarts, valueEnds } = batch;
    const view = viewOf(batch.bytes);
    const stride = batch.fields.length;
    let xml = '';
    for (let row = 0; row < rowCount; row++) {
      const sheetRow = this.#rowCount + row + 2;
      xml += `<row r="${sheetRow}">`;
      for (const [i, column] of this.#columns.entries()) {
        const field = this.#plan.indexes[i] as number;
        const place = row * stride + field;
        const start = field < 0 ? -1 : (valueStarts[place] as number);
        if (start >= 0) xml += column.cellOf(batch, view, start, valueEnds[place] as number, sheetRow);
      }
      xml += '</row>';
    }
    return xml;
  }

  /** The parts before the sheet, and the sheet up to the rows that were held. */
  async #begin(rows: readonly string[]): Promise<Pieces> {
    const widths = this.#columns.map(
      ({ width }, i) =>
        `<col min="${i + 1}" max="${i + 1}" width="${Math.min(60, Math.max(8, width + 2))}" customWidth="1"/>`,
    );
    const header = this.#columns.map((column) => column.headerCell()).join('');
    const xml = [
      sheetBeginning,
      '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>',
      widths.length > 0 ? `<cols>${widths.join('')}</cols>` : '',
      '<sheetData>',
      widths.length > 0 ? `<row r="1">${header}</row>` : '',
      ...rows,
    ];
    this.#held = undefined;
    return [...this.#parts, ...(await this.#sheet.write(xml.join('')))];
  }

  #totalRow(): string {
    if (this.#rowCount === 0 || !this.#columns.some(({ total }) => total)) return '';
    if (this.#rowCount === mostRows) {
      this.#note('The sheet is full: there is no row left for the totals.');
      return '';
    }
    const sheetRow = this.#rowCount + 2;
    for (const { planned, textCount } of this.#columns) {
      if (textCount > 0) this.#note(strangeNotice(planned.name, textCount, ['text', 'text']));
    }
    const labelled = this.#columns.findIndex(({ total }) => !total);
    const cells = this.#columns.map((column, i) => column.totalCell(sheetRow, i === labelled ? 'total' : undefined));
    return `<row r="${sheetRow}">${cells.join('')}</row>`;
  }
}

function tooManyRows(): OutputError {
  return new OutputError('The report has more than 1,048,575 rows, which is all that a sheet of Excel holds.', {
    code: 'TOO_LARGE',
    hint: "Write CSV or Parquet (-o report.parquet), or a sheet a month: --split month -o '{date}.xlsx'.",
  });
}
