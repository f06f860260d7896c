/** The parts of a workbook but for its sheets (ECMA-376, SpreadsheetML), and what cells are made of. */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const package_ = 'http://schemas.openxmlformats.org/package/2006';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A number format (a built-in one, or of `styles.xml` below), a font (bold 1, large 2, grey 3), and how it is set. */
type CellFormat = readonly [
  format: number,
  font?: number,
  align?: 'left' | 'right' | '',
  isHeader?: boolean,
];

const cellFormats = {
  plain: [0],
  header: [0, 1, '', true],
  numberHeader: [0, 1, 'right', true],
  date: [164, 0, 'left'],
  hour: [165, 0, 'left'],
  wallTime: [166, 0, 'left'],
  integer: [3],
  money: [4],
  percent: [10],
  title: [0, 2],
  strong: [0, 1],
  note: [0, 3],
  right: [0, 0, 'right'],
} as const satisfies Record<string, CellFormat>;

/** What is in a cell, and how it is shown. */
export type SheetCell = readonly [style: keyof typeof cellFormats, content: string | number];

const styleIndexes = new Map(Object.keys(cellFormats).map((name, index) => [name, index]));

function cellFormatXml([format, font = 0, align = '', isHeader = false]: CellFormat): string {
  const ids = `numFmtId="${format}" fontId="${font}" fillId="${isHeader ? 2 : 0}" borderId="${isHeader ? 1 : 0}" xfId="0"`;
  const applied =
    'applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"';
  const alignment = `${align && ` horizontal="${align}"`}${isHeader ? ' vertical="center" wrapText="1"' : ''}`;
  return `<xf ${ids} ${applied}>${alignment && `<alignment${alignment}/>`}</xf>`;
}

const fontXml = (size: number, weight = '', color = ''): string =>
  `<font>${weight}<sz val="${size}"/>${color}<name val="Calibri"/><family val="2"/></font>`;

export const fixedParts: readonly (readonly [path: string, xml: string])[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${package_}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/relationships/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="${office}/relationships/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${main}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="4">${fontXml(11)}${fontXml(11, '<b/>')}${fontXml(16, '<b/>')}${fontXml(11, '', '<color rgb="FF5C626C"/>')}</fonts><fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFF0F1F3"/></patternFill></fill></fills><borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top/><bottom style="thin"><color rgb="FF9AA0A8"/></bottom><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${Object.keys(cellFormats).length}">${Object.values(cellFormats).map(cellFormatXml).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
].map(([path = '', xml = '']) => [path, declaration + xml] as const);

/** The workbook: two sheets, of which the first repeats its header on every printed page and filters `filtered`. */
export function workbookXml(filtered: string | undefined): string {
  const absolute = filtered?.replaceAll(/[A-Z]+|\d+/g, '$$$&');
  const names = absolute
    ? `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Report!${absolute}</definedName><definedName name="_xlnm.Print_Titles" localSheetId="0">Report!$1:$1</definedName></definedNames>`
    : '';
  return `${declaration}<workbook xmlns="${main}" xmlns:r="${office}/relationships"><sheets><sheet name="Report" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/></sheets>${names}</workbook>`;
}

const lineHeight = 15;

/** A row of a sheet. @param widths of the columns, for a row of headers, which is as high as its texts need */
export function rowXml(
  row: number,
  cells: readonly (SheetCell | undefined)[],
  widths?: readonly number[],
): string {
  const lines = widths?.map((width, i) =>
    Math.ceil(String(cells[i]?.[1] ?? '').length / (width - 1)),
  );
  const height = lines && ` ht="${lineHeight * Math.max(1, ...lines) + 3}" customHeight="1"`;
  const xml = cells.map((cell, i) => (cell ? cellXml(cell, `${lettersOf(i)}${row}`) : ''));
  return `<row r="${row}"${height ?? ''}>${xml.join('')}</row>`;
}

function cellXml([style, content]: SheetCell, place: string): string {
  const begin = `<c r="${place}" s="${styleIndexes.get(style)}"`;
  if (typeof content === 'number') return `${begin}><v>${content}</v></c>`;
  return content === '' ? `${begin}/>` : begin + textCell(content);
}

/** What a sheet begins with: fitted to the width of a page, its first rows frozen, its columns as wide as said. */
export function sheetBeginning(widths: readonly number[], frozenRows: number): string {
  const pane = `<pane ySplit="${frozenRows}" topLeftCell="A${frozenRows + 1}" activePane="bottomLeft" state="frozen"/>`;
  const columns = widths.map(
    (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  );
  return `${declaration}<worksheet xmlns="${main}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView${frozenRows > 0 ? '' : ' showGridLines="0"'} workbookViewId="0">${frozenRows > 0 ? pane : ''}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="${lineHeight}"/>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`;
}

/** What a sheet ends with: the range with filters, and how it is printed. */
export function sheetEnd(filtered: string | undefined): string {
  return `</sheetData>${filtered ? `<autoFilter ref="${filtered}"/>` : ''}<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/><pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/><headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter></worksheet>`;
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

/** A text in a cell, after its place and style. What XML cannot hold is written as `_x001B_` (ECMA-376, ST_Xstring). */
function textCell(text: string): string {
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  const written = text
    .replace(
      unwritable,
      (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replace(/[&<>]/g, (letter) => entities[letter] ?? '');
  return ` t="inlineStr"><is><t${space}>${written}</t></is></c>`;
}
