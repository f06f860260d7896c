/**
 * The parts of a workbook but for its sheets (ECMA-376, SpreadsheetML), and what cells are made of.
 */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The names of the languages and relationships of a workbook, which stand in its XML. */
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006';
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The places of the fonts, fills and borders in `styles.xml`. */
const fonts = { plain: 0, bold: 1, large: 2, grey: 3, green: 4, red: 5 } as const;
const fills = { none: 0, header: 2 } as const;
const borders = { none: 0, header: 1 } as const;

/** Number formats: those below 164 are built in, the others stand in `styles.xml`. */
const numberFormats = {
  general: 0,
  integer: 3,
  money: 4,
  percent: 10,
  date: 164,
  hour: 165,
  wallTime: 166,
  change: 167,
  instant: 168,
} as const;

/** How the cells of a style look. */
interface CellFormat {
  readonly numberFormat: number;
  readonly font?: number;
  readonly align?: 'left' | 'right';
  readonly vertical?: 'bottom';

  /** So many characters stay free at the side to which the text is set. */
  readonly indent?: number;

  readonly wraps?: boolean;
  readonly isHeader?: boolean;
}

const { general } = numberFormats;

/** A heading of a table. */
const heading = {
  numberFormat: general,
  font: fonts.bold,
  vertical: 'bottom',
  wraps: true,
  isHeader: true,
} as const;

const cellFormats = {
  plain: { numberFormat: general },
  header: heading,
  numberHeader: { ...heading, align: 'right' },
  date: { numberFormat: numberFormats.date, align: 'left' },
  hour: { numberFormat: numberFormats.hour, align: 'left' },
  wallTime: { numberFormat: numberFormats.wallTime, align: 'left' },
  integer: { numberFormat: numberFormats.integer },
  money: { numberFormat: numberFormats.money },
  percent: { numberFormat: numberFormats.percent },
  change: { numberFormat: numberFormats.change, align: 'right' },
  changeUp: { numberFormat: numberFormats.change, font: fonts.green, align: 'right' },
  changeDown: { numberFormat: numberFormats.change, font: fonts.red, align: 'right' },
  title: { numberFormat: general, font: fonts.large },
  strong: { numberFormat: general, font: fonts.bold },
  note: { numberFormat: general, font: fonts.grey },
  right: { numberFormat: general, align: 'right' },
  finding: { numberFormat: general, font: fonts.red },
  tableHeader: heading,
  // The button of a column stands at the right.
  numberTableHeader: { ...heading, align: 'right', indent: 2 },
  lines: { numberFormat: general, wraps: true },
  count: { numberFormat: numberFormats.integer, align: 'left' },
  instant: { numberFormat: numberFormats.instant, align: 'left' },
} as const satisfies Record<string, CellFormat>;

type CellStyle = keyof typeof cellFormats;

/** How many characters a cell holds. */
export const longestText = 32_767;

/** What is in a cell, and how it is shown. */
export interface SheetCell {
  readonly style: CellStyle;
  readonly content: string | number;
}

const styleNames = Object.keys(cellFormats) as CellStyle[];
const styleIndexes = new Map(styleNames.map((name, index) => [name, index]));

function cellFormatXml(format: CellFormat): string {
  const {
    numberFormat,
    font = fonts.plain,
    align,
    vertical,
    wraps,
    indent,
    isHeader = false,
  } = format;
  const fill = isHeader ? fills.header : fills.none;
  const border = isHeader ? borders.header : borders.none;
  const ids = `numFmtId="${numberFormat}" fontId="${font}" fillId="${fill}" borderId="${border}" xfId="0"`;
  const applied =
    'applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"';

  let alignment = '';
  if (align) alignment += ` horizontal="${align}"`;
  if (vertical) alignment += ` vertical="${vertical}"`;
  if (wraps) alignment += ' wrapText="1"';
  if (indent) alignment += ` indent="${indent}"`;
  const alignmentXml = alignment === '' ? '' : `<alignment${alignment}/>`;
  return `<xf ${ids} ${applied}>${alignmentXml}</xf>`;
}

/** @param size in points @param marks what stands before and after the size: bold, a colour */
function fontXml(size: number, { before = '', after = '' } = {}): string {
  return `<font>${before}<sz val="${size}"/>${after}<name val="Calibri"/><family val="2"/></font>`;
}

/** A file of the archive that a workbook is. */
export interface WorkbookPart {
  readonly path: string;
  readonly xml: string;
}

/**
 * The parts of a workbook that stand before its sheets. @param hasTable whether the rows are a
 * table
 */
export function openingParts(hasTable: boolean): WorkbookPart[] {
  const ofWorkbook: Relationship[] = [
    { type: 'worksheet', target: 'worksheets/sheet1.xml' },
    { type: 'worksheet', target: 'worksheets/sheet2.xml' },
    { type: 'styles', target: 'styles.xml' },
  ];

  const parts: WorkbookPart[] = [
    { path: '[Content_Types].xml', xml: contentTypesXml(hasTable) },
    {
      path: '_rels/.rels',
      xml: relationshipsXml([{ type: 'officeDocument', target: 'xl/workbook.xml' }]),
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      xml: relationshipsXml(ofWorkbook),
    },
    { path: 'xl/styles.xml', xml: stylesXml() },
  ];
  if (hasTable) {
    parts.push({
      path: 'xl/worksheets/_rels/sheet1.xml.rels',
      xml: relationshipsXml([{ type: 'table', target: '../tables/table1.xml' }]),
    });
  }
  return parts;
}

function contentTypesXml(hasTable: boolean): string {
  const defaults = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
  ];
  const typesByPath = new Map([
    ['/xl/workbook.xml', 'sheet.main'],
    ['/xl/worksheets/sheet1.xml', 'worksheet'],
    ['/xl/worksheets/sheet2.xml', 'worksheet'],
    ['/xl/styles.xml', 'styles'],
  ]);
  if (hasTable) typesByPath.set('/xl/tables/table1.xml', 'table');

  const overrides: string[] = [];
  for (const [path, type] of typesByPath) {
    const contentType = `${spreadsheetType}.${type}+xml`;
    overrides.push(`<Override PartName="${path}" ContentType="${contentType}"/>`);
  }
  const types = [...defaults, ...overrides].join('');
  return `${declaration}<Types xmlns="${packageNamespace}/content-types">${types}</Types>`;
}

/** What a part of the archive refers to, by a number that counts from 1: `rId1`. */
interface Relationship {
  readonly type: string;
  readonly target: string;
}

function relationshipsXml(relationships: readonly Relationship[]): string {
  const elements = relationships.map(({ type, target }, i) => {
    const fullType = `${officeNamespace}/relationships/${type}`;
    return `<Relationship Id="rId${i + 1}" Type="${fullType}" Target="${target}"/>`;
  });
  return `${declaration}<Relationships xmlns="${packageNamespace}/relationships">${elements.join('')}</Relationships>`;
}

function stylesXml(): string {
  const { date, hour, wallTime, change, instant } = numberFormats;
  const formats = [
    `<numFmt numFmtId="${date}" formatCode="yyyy\\-mm\\-dd"/>`,
    `<numFmt numFmtId="${hour}" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>`,
    `<numFmt numFmtId="${wallTime}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>`,
    `<numFmt numFmtId="${change}" formatCode="&quot;▲ &quot;0.0%;&quot;▼ &quot;0.0%;&quot;= &quot;0.0%"/>`,
    `<numFmt numFmtId="${instant}" formatCode="yyyy\\-mm\\-dd\\ hh:mm&quot; UTC&quot;"/>`,
  ];
  const fontList = [
    fontXml(11),
    fontXml(11, { before: '<b/>' }),
    fontXml(16, { before: '<b/>' }),
    fontXml(11, { after: '<color rgb="FF5C626C"/>' }),
    fontXml(11, { before: '<b/>', after: '<color rgb="FF15703C"/>' }),
    fontXml(11, { before: '<b/>', after: '<color rgb="FFB42318"/>' }),
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
    listXml('numFmts', formats),
    listXml('fonts', fontList),
    listXml('fills', fillList),
    listXml('borders', borderList),
    listXml('cellStyleXfs', styleFormats),
    listXml('cellXfs', Object.values(cellFormats).map(cellFormatXml)),
    listXml('cellStyles', cellStyles),
  ];
  return `${declaration}<styleSheet xmlns="${mainNamespace}">${lists.join('')}</styleSheet>`;
}

function listXml(name: string, elements: readonly string[]): string {
  return `<${name} count="${elements.length}">${elements.join('')}</${name}>`;
}

/**
 * The workbook: two sheets, of which the first repeats its header on every printed page.
 * @param opensOnSummary whether the second one is seen first
 */
export function workbookXml(opensOnSummary: boolean): string {
  const views = `<bookViews><workbookView activeTab="${opensOnSummary ? 1 : 0}"/></bookViews>`;
  const sheets =
    '<sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/>';
  const titles =
    '<definedName name="_xlnm.Print_Titles" localSheetId="0">Report!$1:$1</definedName>';
  return `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}/relationships">${views}<sheets>${sheets}</sheets><definedNames>${titles}</definedNames></workbook>`;
}

/** The rows of a report as a table, whose name formulas and pivot tables can use. */
export interface SheetTable {
  readonly headings: readonly string[];

  /** The cells of the table with its header: `A1:J249`. */
  readonly range: string;
}

/**
 * The part `xl/tables/table1.xml`: the table called Report, each column with the button of its
 * filter.
 */
export function tableXml({ headings, range }: SheetTable): string {
  const columns = headings.map((heading, i) => {
    return `<tableColumn id="${i + 1}" name="${attributeXml(heading)}"/>`;
  });
  return [
    declaration,
    `<table xmlns="${mainNamespace}" id="1" name="Report" displayName="Report" ref="${range}" totalsRowShown="0">`,
    `<autoFilter ref="${range}"/>`,
    listXml('tableColumns', columns),
    '<tableStyleInfo name="TableStyleLight1" showFirstColumn="0" showLastColumn="0" showRowStripes="1" showColumnStripes="0"/>',
    '</table>',
  ].join('');
}

/** In points. */
const lineHeight = 15;
const headerMargin = 3;

/** The button of a column takes so many characters beside its heading. */
export const buttonWidth = 3;
const highestRow = 409;

/**
 * A row of a sheet; a cell that is `undefined` is left out. @param number of the row, counted from
 * 1
 */
export function rowXml(number: number, cells: readonly (SheetCell | undefined)[]): string {
  let lines = 1;
  for (const cell of cells) {
    if (cell?.style === 'lines') lines = Math.max(lines, String(cell.content).split('\n').length);
  }
  if (lines === 1) return `<row r="${number}">${cellsXml(number, cells)}</row>`;

  // LibreOffice does not find the height by itself, and would draw the lines over the rows beside.
  const height = Math.min(lineHeight * lines, highestRow);
  return `<row r="${number}" ht="${height}" customHeight="1">${cellsXml(number, cells)}</row>`;
}

/** A row of headings, which is as high as its texts need in columns of these widths. */
export function headerRowXml(
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
  return `<row r="${number}" ht="${height}" customHeight="1">${cellsXml(number, cells)}</row>`;
}

function cellsXml(row: number, cells: readonly (SheetCell | undefined)[]): string {
  let xml = '';
  for (const [i, cell] of cells.entries()) {
    if (cell) xml += cellXml(cell, lettersOf(i) + row);
  }
  return xml;
}

function cellXml({ style, content }: SheetCell, place: string): string {
  const attributes = `r="${place}" s="${styleIndexes.get(style)}"`;
  if (typeof content === 'number') return `<c ${attributes}><v>${content}</v></c>`;
  if (content === '') return `<c ${attributes}/>`;

  const space = /^\s|\s$|\n/.test(content) ? ' xml:space="preserve"' : '';
  return `<c ${attributes} t="inlineStr"><is><t${space}>${textXml(content)}</t></is></c>`;
}

/**
 * The two sheets: the table of rows, whose first row stays in place, is wide; the summary is high,
 * or wide too.
 */
type SheetKind = 'table' | 'summary' | 'wide summary';

/** What a sheet begins with: fitted to the width of a page, its columns as wide as said. */
export function sheetBeginning(
  widths: readonly number[],
  kind: SheetKind,
  isSelected: boolean,
): string {
  const selected = isSelected ? ' tabSelected="1"' : '';
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view =
    kind === 'table'
      ? `<sheetView${selected} workbookViewId="0">${pane}</sheetView>`
      : `<sheetView showGridLines="0"${selected} workbookViewId="0"></sheetView>`;
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

/** What a sheet ends with: how it is printed, and the cells that are a table. */
export function sheetEnd(kind: SheetKind, tableRange?: string): string {
  const orientation = kind === 'summary' ? 'portrait' : 'landscape';
  const endings = [
    '</sheetData>',
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>',
    `<pageSetup paperSize="9" orientation="${orientation}" fitToWidth="1" fitToHeight="0"/>`,
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>',
  ];
  if (tableRange !== undefined) {
    endings.push(
      // Ids are texts of digits on purpose: without this each would have a green corner.
      `<ignoredErrors><ignoredError sqref="${tableRange}" numberStoredAsText="1"/></ignoredErrors>`,
      '<tableParts count="1"><tablePart r:id="rId1"/></tableParts>',
    );
  }
  return `${endings.join('')}</worksheet>`;
}

/** A to Z, AA to ZZ, AAA …, for a column counted from 0. */
export function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

/**
 * What XML cannot hold, or would change: control characters, a carriage return, and what looks like
 * our escape.
 */
const unwritable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Whether a text may have something that is written otherwise; most have nothing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
const mayBeSpecial = /[\u0000-\u001f&<>_\ufffe\uffff]/;

/** A text as XML. What XML cannot hold is written as `_x001B_` (ECMA-376, ST_Xstring). */
function textXml(text: string): string {
  if (!mayBeSpecial.test(text)) return text;

  const escaped = text.replace(unwritable, (letter) => {
    const code = letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${code}_`;
  });
  return escaped.replace(/[&<>]/g, (letter) => entities[letter] ?? '');
}

/** A text as the value of an attribute of a table, where a line break must be written, too. */
function attributeXml(text: string): string {
  const marked = textXml(text).replaceAll('"', '&quot;');
  return marked.replace(/[\t\n]/g, (letter) => (letter === '\n' ? '_x000A_' : '_x0009_'));
}
