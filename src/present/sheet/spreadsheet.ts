import { measureWidth } from '../../text/cell-width.ts';
import {
  cellFormats,
  maxTextLength,
  numberFormats,
  renderCellFormat,
  type SheetCell,
  styleIndexes,
} from './sheet-cells.ts';
import { type PositionedChart, renderChart, renderDrawing } from './sheet-chart.ts';
import { declaration, officeNamespace, toXml, toXmlAttribute } from './xml-text.ts';

/** Files in the archive of a spreadsheet, and rows of its sheets (ECMA-376, SpreadsheetML). */

const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const officeType = 'application/vnd.openxmlformats-officedocument';
const spreadsheetType = `${officeType}.spreadsheetml`;
const drawingType = `${officeType}.drawing`;

/** Formats a font. `size` is in points. `before` may be bold, and `after` a color. */
function renderFont(size: number, { before = '', after = '' } = {}): string {
  return `<font>${before}<sz val="${size}"/>${after}<name val="Calibri"/><family val="2"/></font>`;
}

/** A file in the archive of a spreadsheet. */
export interface SpreadsheetPart {
  readonly path: string;
  readonly xml: string;

  /** Content type. Relationships have none. */
  readonly type?: string;
}

/** Lists the parts that precede the sheets. */
export function listOpeningParts(): SpreadsheetPart[] {
  const workbookRelationships: Relationship[] = [
    { type: 'worksheet', target: 'worksheets/sheet1.xml' },
    { type: 'worksheet', target: 'worksheets/sheet2.xml' },
    { type: 'styles', target: 'styles.xml' },
  ];

  return [
    {
      path: '_rels/.rels',
      xml: renderRelationships([{ type: 'officeDocument', target: 'xl/workbook.xml' }]),
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      xml: renderRelationships(workbookRelationships),
    },
    { path: 'xl/styles.xml', xml: renderStyles() },
  ];
}

/** Lists the parts that follow the sheets: the table, the chart, and the types of all parts. */
export function listClosingParts(
  table: SheetTable | undefined,
  chart: PositionedChart | undefined,
): SpreadsheetPart[] {
  const parts: SpreadsheetPart[] = [];
  if (table) {
    parts.push(
      { path: 'xl/tables/table1.xml', xml: renderTable(table), type: `${spreadsheetType}.table` },
      {
        path: 'xl/worksheets/_rels/sheet1.xml.rels',
        xml: renderRelationships([{ type: 'table', target: '../tables/table1.xml' }]),
      },
    );
  }
  if (chart) {
    parts.push(
      { path: 'xl/charts/chart1.xml', xml: renderChart(chart), type: `${drawingType}ml.chart` },
      { path: 'xl/drawings/drawing1.xml', xml: renderDrawing(chart), type: drawingType },
      {
        path: 'xl/drawings/_rels/drawing1.xml.rels',
        xml: renderRelationships([{ type: 'chart', target: '../charts/chart1.xml' }]),
      },
      {
        path: 'xl/worksheets/_rels/sheet2.xml.rels',
        xml: renderRelationships([{ type: 'drawing', target: '../drawings/drawing1.xml' }]),
      },
    );
  }
  return [...parts, { path: '[Content_Types].xml', xml: renderContentTypes(parts) }];
}

function renderContentTypes(parts: readonly SpreadsheetPart[]): string {
  const types = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    renderContentType('xl/workbook.xml', `${spreadsheetType}.sheet.main`),
    renderContentType('xl/worksheets/sheet1.xml', `${spreadsheetType}.worksheet`),
    renderContentType('xl/worksheets/sheet2.xml', `${spreadsheetType}.worksheet`),
    renderContentType('xl/styles.xml', `${spreadsheetType}.styles`),
  ];
  for (const { path, type } of parts) {
    if (type !== undefined) types.push(renderContentType(path, type));
  }
  return `${declaration}<Types xmlns="${packageNamespace}/content-types">${types.join('')}</Types>`;
}

function renderContentType(path: string, type: string): string {
  return `<Override PartName="/${path}" ContentType="${type}+xml"/>`;
}

/** A relationship to another part. The IDs are `rId1`, `rId2` and so on. */
interface Relationship {
  readonly type: string;
  readonly target: string;
}

function renderRelationships(relationships: readonly Relationship[]): string {
  const elements = relationships.map(({ type, target }, i) => {
    const fullType = `${officeNamespace}/relationships/${type}`;
    return `<Relationship Id="rId${i + 1}" Type="${fullType}" Target="${target}"/>`;
  });
  return `${declaration}<Relationships xmlns="${packageNamespace}/relationships">${elements.join('')}</Relationships>`;
}

function renderStyles(): string {
  const { date, hour, wallTime, change, euro, dollar } = numberFormats;
  const formats = [
    `<numFmt numFmtId="${date}" formatCode="yyyy\\-mm\\-dd"/>`,
    `<numFmt numFmtId="${hour}" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>`,
    `<numFmt numFmtId="${wallTime}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>`,
    `<numFmt numFmtId="${change}" formatCode="&quot;▲ &quot;0.0%;&quot;▼ &quot;0.0%;&quot;= &quot;0.0%"/>`,
    `<numFmt numFmtId="${euro}" formatCode="${moneyFormat('€')}"/>`,
    `<numFmt numFmtId="${dollar}" formatCode="${moneyFormat('$')}"/>`,
  ];
  const fontList = [
    renderFont(11),
    renderFont(11, { before: '<b/>' }),
    renderFont(16, { before: '<b/>' }),
    renderFont(11, { after: '<color rgb="FF5C626C"/>' }),
    renderFont(11, { before: '<b/>', after: '<color rgb="FF15703C"/>' }),
    renderFont(11, { before: '<b/>', after: '<color rgb="FFB42318"/>' }),
  ];
  const fillList = [
    '<fill><patternFill patternType="none"/></fill>',
    '<fill><patternFill patternType="gray125"/></fill>',
    '<fill><patternFill patternType="solid"><fgColor rgb="FFF0F1F3"/></patternFill></fill>',
  ];
  const borderList = [
    '<border><left/><right/><top/><bottom/><diagonal/></border>',
    '<border><left/><right/><top/><bottom style="thin"><color rgb="FF9AA0A8"/></bottom><diagonal/></border>',
  ];
  const styleFormats = ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'];
  const cellStyles = ['<cellStyle name="Normal" xfId="0" builtinId="0"/>'];

  const lists = [
    renderList('numFmts', formats),
    renderList('fonts', fontList),
    renderList('fills', fillList),
    renderList('borders', borderList),
    renderList('cellStyleXfs', styleFormats),
    renderList('cellXfs', Object.values(cellFormats).map(renderCellFormat)),
    renderList('cellStyles', cellStyles),
  ];
  return `${declaration}<styleSheet xmlns="${mainNamespace}">${lists.join('')}</styleSheet>`;
}

/** Puts the currency after the sign: `-€5.00`. */
function moneyFormat(currency: string): string {
  const amount = `&quot;${currency}&quot;#,##0.00`;
  return `${amount};-${amount}`;
}

function renderList(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`;
}

/**
 * Formats the part that lists the sheets. The file opens on the second sheet. Each printed page of
 * the first sheet repeats the header.
 *
 * @param summaryArea printed cells of the second sheet: `$A$1:$F$40`
 * @param repeatedColumns number of columns on the left that each printed page repeats
 */
export function renderSheetList(summaryArea: string, repeatedColumns: number): string {
  const views = '<bookViews><workbookView activeTab="1"/></bookViews>';
  const sheets =
    '<sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/>';
  const columns = repeatedColumns > 0 ? `Report!$A:$${columnLetters(repeatedColumns - 1)},` : '';
  const names = [
    `<definedName name="_xlnm.Print_Area" localSheetId="1">Summary!${summaryArea}</definedName>`,
    `<definedName name="_xlnm.Print_Titles" localSheetId="0">${columns}Report!$1:$1</definedName>`,
  ];
  return `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}/relationships">${views}<sheets>${sheets}</sheets><definedNames>${names.join('')}</definedNames></workbook>`;
}

/** A named table for formulas and pivot tables. */
interface SheetTable {
  readonly headings: readonly string[];

  /** Range with the header: `A1:J249`. */
  readonly range: string;
}

/** Formats the table `Report` with filter buttons. */
function renderTable({ headings, range }: SheetTable): string {
  const columns = headings.map((heading, i) => {
    return `<tableColumn id="${i + 1}" name="${toXmlAttribute(heading)}"/>`;
  });
  return [
    declaration,
    `<table xmlns="${mainNamespace}" id="1" name="Report" displayName="Report" ref="${range}" totalsRowShown="0">`,
    `<autoFilter ref="${range}"/>`,
    renderList('tableColumns', columns),
    '<tableStyleInfo name="TableStyleLight1" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/>',
    '</table>',
  ].join('');
}

/** Row heights in points. */
const lineHeight = 15;
const headerMargin = 3;
const maxRowHeight = 409;

/** Width of a filter button, in characters. */
export const buttonWidth = 3;

/** Longer lines always need the maximum height. */
const maxMeasuredLength = 2_000;

/**
 * Formats a row. Empty cells are omitted, and strings that are wider than their column wrap.
 *
 * @param number 1-based row number
 */
export function renderRow(
  number: number,
  cells: readonly (SheetCell | undefined)[],
  widths: readonly number[],
): string {
  let lines = 1;
  const wrapped = cells.map((cell, i) => {
    const count = countLines(cell, widths[i]);
    lines = Math.max(lines, count);
    return cell && count > 1 ? { ...cell, style: 'lines' as const } : cell;
  });
  if (lines === 1) return `<row r="${number}">${renderCells(number, cells)}</row>`;

  // LibreOffice does not compute the height, and would draw the lines over the next rows.
  const height = Math.min(lineHeight * lines, maxRowHeight);
  return `<row r="${number}" ht="${height}" customHeight="1">${renderCells(number, wrapped)}</row>`;
}

/** Counts the lines of a cell. Only plain strings wrap. */
function countLines(cell: SheetCell | undefined, width = Number.POSITIVE_INFINITY): number {
  if (cell?.style !== 'plain' || typeof cell.content !== 'string') return 1;

  const room = Math.max(1, width - 1);
  // A character is at most two digits wide, so most cells need not be measured.
  const isShort = 2 * cell.content.length <= room;
  if (isShort && !cell.content.includes('\n')) return 1;

  let lines = 0;
  for (const line of cell.content.split('\n', maxRowHeight)) {
    lines += Math.max(1, Math.ceil(measureWidth(line.slice(0, maxMeasuredLength)) / room));
  }
  return lines;
}

/** Formats the row of headings, which wrap at the widths of their columns. */
export function renderHeaderRow(
  number: number,
  cells: readonly SheetCell[],
  widths: readonly number[],
): string {
  let lines = 1;
  for (const [i, width] of widths.entries()) {
    const text = String(cells[i]?.content ?? '');
    const room = width - (cells[i]?.style === 'numberTableHeader' ? buttonWidth : 1);
    lines = Math.max(lines, Math.ceil(text.length / Math.max(1, room)));
  }
  const height = lineHeight * lines + headerMargin;
  return `<row r="${number}" ht="${height}" customHeight="1">${renderCells(number, cells)}</row>`;
}

function renderCells(row: number, cells: readonly (SheetCell | undefined)[]): string {
  let xml = '';
  for (const [i, cell] of cells.entries()) {
    if (cell) xml += renderCell(cell, columnLetters(i) + row);
  }
  return xml;
}

function renderCell({ style, content }: SheetCell, reference: string): string {
  const attributes = `r="${reference}" s="${styleIndexes.get(style)}"`;
  if (typeof content === 'number') return `<c ${attributes}><v>${content}</v></c>`;
  if (content === '') return `<c ${attributes}/>`;

  const space = /^\s|\s$|\n/.test(content) ? ' xml:space="preserve"' : '';
  return `<c ${attributes} t="inlineStr"><is><t${space}>${toXml(content.slice(0, maxTextLength))}</t></is></c>`;
}

/** Table of rows with a frozen header, or the summary. */
type SheetKind = 'table' | 'summary';

/** Formats what precedes the rows of a sheet: its columns and its view. */
export function renderSheetStart(widths: readonly number[], kind: SheetKind): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view =
    kind === 'table'
      ? `<sheetView workbookViewId="0">${pane}</sheetView>`
      : '<sheetView showGridLines="0" tabSelected="1" workbookViewId="0"></sheetView>';
  const columns = widths.map((width, i) => {
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });

  return [
    declaration,
    `<worksheet xmlns="${mainNamespace}" xmlns:r="${officeNamespace}/relationships">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews>${view}</sheetViews>`,
    `<sheetFormatPr defaultRowHeight="${lineHeight}"/>`,
    columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '',
    '<sheetData>',
  ].join('');
}

interface SheetExtras {
  readonly tableRange?: string | undefined;
  readonly hasChart?: boolean;

  /** Number of printed pages next to each other. Default: 1. */
  readonly pagesAcross?: number;
}

/** Formats what follows the rows of a sheet: print settings, and a table or a chart. */
export function renderSheetEnd({ tableRange, hasChart, pagesAcross = 1 }: SheetExtras): string {
  // The summary, which has no table, is one page.
  const pageCount = tableRange === undefined ? 1 : 0;
  const endings = [
    '</sheetData>',
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>',
    `<pageSetup paperSize="9" orientation="landscape" fitToWidth="${pagesAcross}" fitToHeight="${pageCount}"/>`,
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>',
  ];
  if (tableRange !== undefined) {
    endings.push(
      // IDs are stored as text on purpose. Without this, Excel would mark each cell with a green
      // corner.
      `<ignoredErrors><ignoredError sqref="${tableRange}" numberStoredAsText="1"/></ignoredErrors>`,
      '<tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
    );
  }
  if (hasChart) endings.push('<drawing r:id="rId1"/>');
  return `${endings.join('')}</worksheet>`;
}

/** Formats the letters of a column, counted from 0: A to Z, AA to ZZ, AAA … */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}
