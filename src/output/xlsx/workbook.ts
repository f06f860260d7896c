/** The parts of a workbook but for its sheets (ECMA-376, SpreadsheetML), and what cells are made of. */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** The names of the languages and relationships of a workbook, which stand in its XML. */
const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006';
const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006';
const spreadsheetType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The places of the fonts, fills and borders in `styles.xml`. */
const fonts = { plain: 0, bold: 1, large: 2, grey: 3 } as const;
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
} as const;

/** How the cells of a style look. */
interface CellFormat {
  readonly numberFormat: number;
  readonly font?: number;
  readonly align?: 'left' | 'right';
  readonly isHeader?: boolean;
}

const { general } = numberFormats;
const cellFormats = {
  plain: { numberFormat: general },
  header: { numberFormat: general, font: fonts.bold, isHeader: true },
  numberHeader: { numberFormat: general, font: fonts.bold, align: 'right', isHeader: true },
  date: { numberFormat: numberFormats.date, align: 'left' },
  hour: { numberFormat: numberFormats.hour, align: 'left' },
  wallTime: { numberFormat: numberFormats.wallTime, align: 'left' },
  integer: { numberFormat: numberFormats.integer },
  money: { numberFormat: numberFormats.money },
  percent: { numberFormat: numberFormats.percent },
  change: { numberFormat: numberFormats.change, align: 'right' },
  title: { numberFormat: general, font: fonts.large },
  strong: { numberFormat: general, font: fonts.bold },
  note: { numberFormat: general, font: fonts.grey },
  right: { numberFormat: general, align: 'right' },
} as const satisfies Record<string, CellFormat>;

type CellStyle = keyof typeof cellFormats;

/** What is in a cell, and how it is shown. */
export interface SheetCell {
  readonly style: CellStyle;
  readonly content: string | number;
}

const styleNames = Object.keys(cellFormats) as CellStyle[];
const styleIndexes = new Map(styleNames.map((name, index) => [name, index]));

function cellFormatXml(format: CellFormat): string {
  const { numberFormat, font = fonts.plain, align, isHeader = false } = format;
  const fill = isHeader ? fills.header : fills.none;
  const border = isHeader ? borders.header : borders.none;
  const ids = `numFmtId="${numberFormat}" fontId="${font}" fillId="${fill}" borderId="${border}" xfId="0"`;
  const applied =
    'applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"';

  const horizontal = align ? ` horizontal="${align}"` : '';
  const vertical = isHeader ? ' vertical="center" wrapText="1"' : '';
  const alignment = horizontal + vertical;
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

/** The parts that are the same in every workbook. */
export const fixedParts: readonly WorkbookPart[] = [
  { path: '[Content_Types].xml', xml: contentTypesXml() },
  {
    path: '_rels/.rels',
    xml: relationshipsXml([{ type: 'officeDocument', target: 'xl/workbook.xml' }]),
  },
  {
    path: 'xl/_rels/workbook.xml.rels',
    xml: relationshipsXml([
      { type: 'worksheet', target: 'worksheets/sheet1.xml' },
      { type: 'worksheet', target: 'worksheets/sheet2.xml' },
      { type: 'styles', target: 'styles.xml' },
    ]),
  },
  { path: 'xl/styles.xml', xml: stylesXml() },
];

function contentTypesXml(): string {
  const defaults = [
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
  ];
  const overrides = [
    { path: '/xl/workbook.xml', type: 'sheet.main' },
    { path: '/xl/worksheets/sheet1.xml', type: 'worksheet' },
    { path: '/xl/worksheets/sheet2.xml', type: 'worksheet' },
    { path: '/xl/styles.xml', type: 'styles' },
  ].map(({ path, type }) => {
    return `<Override PartName="${path}" ContentType="${spreadsheetType}.${type}+xml"/>`;
  });
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
  const { date, hour, wallTime, change } = numberFormats;
  const formats = [
    `<numFmt numFmtId="${date}" formatCode="yyyy\\-mm\\-dd"/>`,
    `<numFmt numFmtId="${hour}" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>`,
    `<numFmt numFmtId="${wallTime}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>`,
    `<numFmt numFmtId="${change}" formatCode="&quot;▲ &quot;0.0%;&quot;▼ &quot;0.0%;&quot;= &quot;0.0%"/>`,
  ];
  const fontList = [
    fontXml(11),
    fontXml(11, { before: '<b/>' }),
    fontXml(16, { before: '<b/>' }),
    fontXml(11, { after: '<color rgb="FF5C626C"/>' }),
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

/** The workbook: two sheets, of which the first repeats its header on every printed page and filters `filtered`. */
export function workbookXml(filtered: string | undefined): string {
  const sheets =
    '<sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/>';
  const names = filtered === undefined ? '' : definedNamesXml(filtered);
  return `${declaration}<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}/relationships"><sheets>${sheets}</sheets>${names}</workbook>`;
}

function definedNamesXml(filtered: string): string {
  // `A1:J3` becomes `$A$1:$J$3`.
  const absolute = filtered.replaceAll(/[A-Z]+|\d+/g, (part) => `$${part}`);
  const filter = `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Report!${absolute}</definedName>`;
  const titles =
    '<definedName name="_xlnm.Print_Titles" localSheetId="0">Report!$1:$1</definedName>';
  return `<definedNames>${filter}${titles}</definedNames>`;
}

/** In points. */
const lineHeight = 15;
const headerMargin = 3;

/** A row of a sheet; a cell that is `undefined` is left out. @param number of the row, counted from 1 */
export function rowXml(number: number, cells: readonly (SheetCell | undefined)[]): string {
  return `<row r="${number}">${cellsXml(number, cells)}</row>`;
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
    lines = Math.max(lines, Math.ceil(text.length / (width - 1)));
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

/** What a sheet begins with: fitted to the width of a page, its columns as wide as said, perhaps its first row frozen. */
export function sheetBeginning(widths: readonly number[], freezesHeader: boolean): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  const view = freezesHeader
    ? `<sheetView workbookViewId="0">${pane}</sheetView>`
    : '<sheetView showGridLines="0" workbookViewId="0"></sheetView>';
  const columns = widths.map((width, i) => {
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`;
  });

  return [
    declaration,
    `<worksheet xmlns="${mainNamespace}">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews>${view}</sheetViews>`,
    `<sheetFormatPr defaultRowHeight="${lineHeight}"/>`,
    columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '',
    '<sheetData>',
  ].join('');
}

/** What a sheet ends with: the range with filters, and how it is printed. */
export function sheetEnd(filtered: string | undefined): string {
  return [
    '</sheetData>',
    filtered === undefined ? '' : `<autoFilter ref="${filtered}"/>`,
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>',
    '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>',
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>',
    '</worksheet>',
  ].join('');
}

/** A to Z, AA to ZZ, AAA …, for a column counted from 0. */
export function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

/** What XML cannot hold, or would change: control characters, a carriage return, and what looks like our escape. */
const unwritable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as XML. What XML cannot hold is written as `_x001B_` (ECMA-376, ST_Xstring). */
function textXml(text: string): string {
  const escaped = text.replace(unwritable, (letter) => {
    const code = letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${code}_`;
  });
  return escaped.replace(/[&<>]/g, (letter) => entities[letter] ?? '');
}
