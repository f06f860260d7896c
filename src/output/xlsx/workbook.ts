import { printable } from '../../text/printable.ts';
import { xmlText } from './xml-text.ts';

/** The parts of a workbook of one sheet, but for the sheet itself (ECMA-376, SpreadsheetML). */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const package_ = 'http://schemas.openxmlformats.org/package/2006';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Where the sheet is in the archive, and what it begins with. */
export const sheetPath = 'xl/worksheets/sheet1.xml';
export const sheetBeginning = `${declaration}<worksheet xmlns="${main}">`;

interface CellFormat {
  /** A built-in number format, or one of those in `styles.xml` below. */
  readonly format: number;
  readonly bold?: true;
  /** A line above. */
  readonly line?: true;
  readonly align?: 'left' | 'right';
}

const cellFormats = {
  plain: { format: 0 },
  header: { format: 0, bold: true },
  numberHeader: { format: 0, bold: true, align: 'right' },
  date: { format: 164, align: 'left' },
  hour: { format: 165, align: 'left' },
  wallTime: { format: 166, align: 'left' },
  integer: { format: 3 },
  money: { format: 4 },
  total: { format: 0, bold: true, line: true },
  totalInteger: { format: 3, bold: true, line: true },
  totalMoney: { format: 4, bold: true, line: true },
} as const satisfies Record<string, CellFormat>;

/** The number by which a cell names its format. */
export function styleOf(name: keyof typeof cellFormats): number {
  return Object.keys(cellFormats).indexOf(name);
}

function cellFormatXml({ format, bold, line, align }: CellFormat): string {
  const attributes = [
    `numFmtId="${format}" fillId="0" xfId="0"`,
    ...(format === 0 ? [] : ['applyNumberFormat="1"']),
    ...(bold ? ['fontId="1" applyFont="1"'] : []),
    ...(line ? ['borderId="1" applyBorder="1"'] : []),
    ...(align ? ['applyAlignment="1"'] : []),
  ].join(' ');
  return align ? `<xf ${attributes}><alignment horizontal="${align}"/></xf>` : `<xf ${attributes}/>`;
}

/** Path and text of each part. */
export const workbookParts: readonly (readonly [path: string, xml: string])[] = [
  [
    '[Content_Types].xml',
    `<Types xmlns="${package_}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/${sheetPath}" ContentType="${types}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/relationships/officeDocument" Target="xl/workbook.xml"/><Relationship Id="rId2" Type="${package_}/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `<workbook xmlns="${main}" xmlns:r="${office}/relationships"><sheets><sheet name="report" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${package_}/relationships"><Relationship Id="rId1" Type="${office}/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/relationships/styles" Target="styles.xml"/></Relationships>`,
  ],
  [
    'xl/styles.xml',
    `<styleSheet xmlns="${main}"><numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border><border><left/><right/><top style="thin"><color auto="1"/></top><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${Object.keys(cellFormats).length}">${Object.values(cellFormats).map(cellFormatXml).join('')}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  ],
].map(([path = '', xml = '']) => [path, declaration + xml] as const);

/** Where the properties are in the archive. */
export const propertiesPath = 'docProps/core.xml';

/** The properties of the file, which Excel shows beside it. The description may hold text of the service. */
export function propertiesXml(description: string): string {
  return `${declaration}<cp:coreProperties xmlns:cp="${package_}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>adreport</dc:creator><dc:description>${xmlText(printable(description))}</dc:description></cp:coreProperties>`;
}
