import { currencyOf } from '../../contract/columns.ts';
import type { ReportMetric } from '../../query/metrics.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { metricValue } from '../../totals/report-metrics.ts';

/** Cells of a spreadsheet and their styles (ECMA-376, SpreadsheetML). */

/** Indexes of fonts in `styles.xml`. */
const fonts = { plain: 0, bold: 1, large: 2, grey: 3, green: 4, red: 5 } as const;
const fills = { none: 0, header: 2 } as const;
const borders = { none: 0, header: 1 } as const;

/** IDs of number formats. IDs below 164 are built in. `styles.xml` defines the others. */
export const numberFormats = {
  general: 0,
  integer: 3,
  money: 4,
  percent: 10,
  date: 164,
  hour: 165,
  wallTime: 166,
  change: 167,
  euro: 168,
  dollar: 169,
} as const;

interface CellFormat {
  readonly numberFormat: number;
  readonly font?: number;
  readonly align?: 'left' | 'right';
  readonly vertical?: 'bottom';

  /** Indent in characters, on the side to which the text is aligned. */
  readonly indent?: number;

  readonly wraps?: boolean;
  readonly isHeader?: boolean;
}

const { general } = numberFormats;

const heading = {
  numberFormat: general,
  font: fonts.bold,
  vertical: 'bottom',
  wraps: true,
  isHeader: true,
} as const;

export const cellFormats = {
  plain: { numberFormat: general },
  header: heading,
  numberHeader: { ...heading, align: 'right' },
  date: { numberFormat: numberFormats.date, align: 'left' },
  hour: { numberFormat: numberFormats.hour, align: 'left' },
  wallTime: { numberFormat: numberFormats.wallTime, align: 'left' },
  integer: { numberFormat: numberFormats.integer },
  money: { numberFormat: numberFormats.money },
  euro: { numberFormat: numberFormats.euro },
  dollar: { numberFormat: numberFormats.dollar },
  percent: { numberFormat: numberFormats.percent },
  change: { numberFormat: numberFormats.change, align: 'right' },
  changeUp: { numberFormat: numberFormats.change, font: fonts.green, align: 'right' },
  changeDown: { numberFormat: numberFormats.change, font: fonts.red, align: 'right' },
  title: { numberFormat: general, font: fonts.large },
  strong: { numberFormat: general, font: fonts.bold },
  note: { numberFormat: general, font: fonts.grey },
  right: { numberFormat: general, align: 'right' },
  warning: { numberFormat: general, font: fonts.red },
  tableHeader: heading,
  // The filter button of a column is on the right.
  numberTableHeader: { ...heading, align: 'right', indent: 2 },
  lines: { numberFormat: general, wraps: true },
} as const satisfies Record<string, CellFormat>;

type CellStyle = keyof typeof cellFormats;

/** Returns the number for a cell. Percentages are fractions, and Excel keeps 15 digits. */
export function cellNumber(metric: ReportMetric, sums: Sums): number | undefined {
  const value = metricValue(metric, sums);
  if (value === undefined) return undefined;
  return Number((metric.type === 'percent' ? value / 100 : value).toPrecision(15));
}

/** Returns the style of a metric's cells. Money is shown with its currency sign. */
export function metricStyle({ field, type }: Pick<ReportMetric, 'field' | 'type'>): CellStyle {
  if (type !== 'money') return type;
  const currency = currencyOf(field);
  if (currency === '€') return 'euro';
  return currency === '$' ? 'dollar' : 'money';
}

/** Maximum length of a cell in spreadsheet programs, in characters. */
export const maxTextLength = 32_767;

export interface SheetCell {
  readonly style: CellStyle;
  readonly content: string | number;
}

const styleNames = Object.keys(cellFormats) as CellStyle[];
export const styleIndexes = new Map(styleNames.map((name, index) => [name, index]));

export function renderCellFormat(format: CellFormat): string {
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
