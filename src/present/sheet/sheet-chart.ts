import type { SheetCell } from './sheet-cells.ts';
import { declaration, officeNamespace, toXml, toXmlAttribute } from './xml-text.ts';

/** A chart of a sheet (ECMA-376, DrawingML). */

/** A line, or the bars of one color. */
export interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

/** Lines over time, or horizontal bars, the first at the top. */
export interface SheetChart {
  readonly kind: 'lines' | 'bars';
  readonly title: string;
  readonly labels: readonly string[];

  /** One or more series. The first series is drawn in the main color. */
  readonly series: readonly ChartSeries[];

  /** Style of the cells with the values. */
  readonly style: SheetCell['style'];

  /** Height in points. */
  readonly height: number;
}

/** A chart with its position on the sheet. Rows are 1-based. */
export interface PositionedChart extends SheetChart {
  /** Row in which the chart begins. */
  readonly firstRow: number;

  /** Row of the headings above the values. */
  readonly cellsRow: number;

  /** Width in points. */
  readonly width: number;
}

const drawingNamespace = 'http://schemas.openxmlformats.org/drawingml/2006';
const relationshipNamespace = `${officeNamespace}/relationships`;

/** English Metric Units in a point. */
const unitsPerPoint = 12_700;

const colors = ['2F5FC4', '9AA5B8'];
const grey = '<a:solidFill><a:srgbClr val="E3E3DF"/></a:solidFill>';

/** IDs of the axes. Any two different numbers will do. */
const categoryAxis = 1;
const valueAxis = 2;

/** Formats the drawing that positions a chart. The drawing refers to the chart as `rId1`. */
export function renderDrawing({ title, firstRow, width, height }: PositionedChart): string {
  const size = `cx="${Math.round(width * unitsPerPoint)}" cy="${Math.round(height * unitsPerPoint)}"`;
  const anchor = `<xdr:col>0</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>${firstRow - 1}</xdr:row><xdr:rowOff>0</xdr:rowOff>`;
  const name = `<xdr:cNvPr id="2" name="Chart 1" descr="${toXmlAttribute(title)}"/>`;
  return [
    declaration,
    `<xdr:wsDr xmlns:xdr="${drawingNamespace}/spreadsheetDrawing" xmlns:a="${drawingNamespace}/main">`,
    `<xdr:oneCellAnchor><xdr:from>${anchor}</xdr:from><xdr:ext ${size}/>`,
    `<xdr:graphicFrame macro=""><xdr:nvGraphicFramePr>${name}<xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr>`,
    '<xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm>',
    `<a:graphic><a:graphicData uri="${drawingNamespace}/chart">`,
    `<c:chart xmlns:c="${drawingNamespace}/chart" xmlns:r="${relationshipNamespace}" r:id="rId1"/>`,
    '</a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/></xdr:oneCellAnchor></xdr:wsDr>',
  ].join('');
}

export function renderChart(chart: PositionedChart): string {
  const { kind, title, series } = chart;
  const legend =
    series.length > 1 ? '<c:legend><c:legendPos val="b"/><c:overlay val="0"/></c:legend>' : '';
  return [
    declaration,
    `<c:chartSpace xmlns:c="${drawingNamespace}/chart" xmlns:a="${drawingNamespace}/main" xmlns:r="${relationshipNamespace}">`,
    '<c:roundedCorners val="0"/><c:chart>',
    renderTitle(title),
    '<c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>',
    kind === 'lines' ? renderLines(chart) : renderBars(chart),
    renderAxes(chart),
    `</c:plotArea>${legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>`,
    `<c:spPr><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln w="9525">${grey}</a:ln></c:spPr>`,
    '</c:chartSpace>',
  ].join('');
}

function renderTitle(title: string): string {
  const run = `<a:r><a:rPr lang="en-US" sz="1200" b="1"/><a:t>${toXml(title)}</a:t></a:r>`;
  const paragraph = `<a:p><a:pPr><a:defRPr sz="1200" b="1"/></a:pPr>${run}</a:p>`;
  return `<c:title><c:tx><c:rich><a:bodyPr/>${paragraph}</c:rich></c:tx><c:overlay val="0"/></c:title>`;
}

function renderLines(chart: PositionedChart): string {
  const lines = chart.series.map((_, i) => {
    const fill = `<a:solidFill><a:srgbClr val="${chooseColor(i)}"/></a:solidFill>`;
    const look = `<c:spPr><a:ln w="22225" cap="rnd">${fill}<a:round/></a:ln></c:spPr><c:marker><c:symbol val="none"/></c:marker>`;
    return `<c:ser>${renderSeries(chart, i, look)}<c:smooth val="0"/></c:ser>`;
  });
  return `<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>${lines.join('')}<c:marker val="1"/>${axisIds}</c:lineChart>`;
}

function renderBars(chart: PositionedChart): string {
  const bars = chart.series.map((_, i) => {
    const fill = `<a:solidFill><a:srgbClr val="${chooseColor(i)}"/></a:solidFill>`;
    const look = `<c:spPr>${fill}</c:spPr><c:invertIfNegative val="0"/>`;
    return `<c:ser>${renderSeries(chart, i, look)}</c:ser>`;
  });
  return `<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>${bars.join('')}<c:gapWidth val="60"/>${axisIds}</c:barChart>`;
}

const axisIds = `<c:axId val="${categoryAxis}"/><c:axId val="${valueAxis}"/>`;

function chooseColor(series: number): string {
  return colors[Math.min(series, colors.length - 1)] ?? '';
}

/** Formats the name of a series, its look, and its cells. */
function renderSeries(chart: PositionedChart, index: number, look: string): string {
  const { name = '', values = [] } = chart.series[index] ?? {};
  return [
    `<c:idx val="${index}"/><c:order val="${index}"/><c:tx><c:v>${toXml(name)}</c:v></c:tx>`,
    look,
    `<c:cat>${renderLabels(chart)}</c:cat>`,
    `<c:val>${renderValues(chart, values, index + 1)}</c:val>`,
  ].join('');
}

/** Formats the range of a chart's cells in a column, which is counted from 0. */
function cellRange({ labels, cellsRow }: PositionedChart, column: number): string {
  const letter = 'ABC'[column];
  return `Summary!$${letter}$${cellsRow + 1}:$${letter}$${cellsRow + labels.length}`;
}

function renderLabels(chart: PositionedChart): string {
  const points = chart.labels.map((text, i) => renderPoint(i, toXml(text)));
  const cache = `<c:ptCount val="${points.length}"/>${points.join('')}`;
  return `<c:strRef><c:f>${cellRange(chart, 0)}</c:f><c:strCache>${cache}</c:strCache></c:strRef>`;
}

function renderValues(
  chart: PositionedChart,
  values: ChartSeries['values'],
  column: number,
): string {
  const points = values.map((number, i) => {
    return number === undefined ? '' : renderPoint(i, String(number));
  });
  const format = `<c:formatCode>${toXml(numberFormat(chart))}</c:formatCode>`;
  const cache = `${format}<c:ptCount val="${values.length}"/>${points.join('')}`;
  return `<c:numRef><c:f>${cellRange(chart, column)}</c:f><c:numCache>${cache}</c:numCache></c:numRef>`;
}

function numberFormat({ style }: SheetChart): string {
  if (style === 'percent') return '0.0%';
  if (style === 'euro') return '"€"#,##0';
  return style === 'dollar' ? '"$"#,##0' : '#,##0';
}

function renderPoint(index: number, xml: string): string {
  return `<c:pt idx="${index}"><c:v>${xml}</c:v></c:pt>`;
}

/** Maximum number of labels below a line chart. */
const maxLabels = 8;

/** Formats the axes. The first bar is at the top, and the scale at the bottom. */
function renderAxes(chart: SheetChart): string {
  const { kind, labels } = chart;
  const isBars = kind === 'bars';
  const line = `<c:spPr><a:ln w="9525">${grey}</a:ln></c:spPr>`;
  const marks = '<c:majorTickMark val="none"/><c:minorTickMark val="none"/>';
  const numFmt = (code: string) =>
    `<c:numFmt formatCode="${toXmlAttribute(code)}" sourceLinked="0"/>`;
  const step = Math.max(1, Math.ceil(labels.length / maxLabels));
  const skip = isBars ? '' : `<c:tickLblSkip val="${step}"/><c:tickMarkSkip val="${step}"/>`;
  return [
    `<c:catAx><c:axId val="${categoryAxis}"/><c:scaling><c:orientation val="${isBars ? 'maxMin' : 'minMax'}"/></c:scaling>`,
    `<c:delete val="0"/><c:axPos val="${isBars ? 'l' : 'b'}"/>${numFmt('General')}${marks}<c:tickLblPos val="low"/>${line}`,
    `<c:crossAx val="${valueAxis}"/><c:crosses val="autoZero"/><c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/>${skip}<c:noMultiLvlLbl val="1"/></c:catAx>`,
    `<c:valAx><c:axId val="${valueAxis}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>`,
    `<c:axPos val="${isBars ? 'b' : 'l'}"/><c:majorGridlines>${line}</c:majorGridlines>${numFmt(numberFormat(chart))}${marks}<c:tickLblPos val="nextTo"/>`,
    '<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>',
    `<c:crossAx val="${categoryAxis}"/><c:crosses val="${isBars ? 'max' : 'autoZero'}"/><c:crossBetween val="between"/></c:valAx>`,
  ].join('');
}
