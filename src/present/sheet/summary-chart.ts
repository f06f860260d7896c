import { fieldLabel } from '../../contract/columns.ts';
import { type Comparison, type Figure, figureValue } from '../../figures/figures.ts';
import type { Sums } from '../../figures/grouping.ts';
import type { ReportModel } from '../report-model.ts';
import type { BreakdownRanking } from '../report-ranking.ts';
import type { ReportTrend } from '../report-trend.ts';
import type { SheetChart } from './sheet-chart.ts';
import type { SheetCell } from './workbook.ts';

/** Shows the leading metric over time, or its largest values. */
export interface ChartPlan {
  /** Number of sheet rows that the chart covers. */
  readonly rowCount: number;

  /** Rows that only the chart needs, below the others: a heading, then the cells. */
  readonly dataRows: readonly (readonly SheetCell[])[];

  place(place: ChartPlace): SheetChart;
}

/** Rows are counted from 1. */
interface ChartPlace {
  readonly firstRow: number;

  /** Heading of the first ranking. */
  readonly tableRow: number;

  /** Heading of the data rows. */
  readonly dataRow: number;

  /** In points. */
  readonly width: number;
}

/** In points. */
const rowHeight = 15;
const lineChartHeight = 210;
const barHeight = 20;
const barsMargin = 60;

/** Returns `undefined` for a report with neither two times nor two values to compare. */
export function chartOf(
  { trend, rankings, figures, empty }: ReportModel,
  comparison: Comparison | undefined,
): ChartPlan | undefined {
  const { lead } = figures;
  if (!lead || empty !== undefined) return undefined;
  if (trend) return lineChartOf(trend, lead, comparison);

  const ranking = rankings[0];
  return ranking && ranking.topCount > 1 ? barChartOf(ranking, comparison) : undefined;
}

function lineChartOf(
  { axis, whole, before }: ReportTrend,
  figure: Figure,
  comparison: Comparison | undefined,
): ChartPlan {
  const now = whole.sums.map((sums) => cellValue(figure, sums));
  const earlier = before?.sums.map((sums) => cellValue(figure, sums));
  const label = fieldLabel(figure.field);
  const names = [comparison?.now ?? label, ...(earlier && comparison ? [comparison.before] : [])];
  const lines = [now, ...(earlier ? [earlier] : [])];

  const labels = withoutYear(axis.labels);
  const headings = [`${label} per ${axis.step}`, ...names];
  const dataRows = labels.map((text, i): SheetCell[] => [
    { style: 'plain', content: text },
    ...lines.map((values) => numberCell(figure, values[i])),
  ]);
  const heading = headings.map((content, i): SheetCell => {
    return { style: i === 0 ? 'header' : 'numberHeader', content };
  });

  return {
    rowCount: Math.ceil(lineChartHeight / rowHeight),
    dataRows: [heading, ...dataRows],
    place: ({ firstRow, dataRow, width }) => {
      const cellsOf = (column: string) => columnRange(column, dataRow + 1, dataRows.length);
      return {
        kind: 'lines',
        title: `${label} per ${axis.step}`,
        categories: { range: cellsOf('A'), contents: labels },
        series: lines.map((contents, i) => ({
          name: names[i] ?? '',
          values: { range: cellsOf(i === 0 ? 'B' : 'C'), contents },
        })),
        format: formatOf(figure),
        firstRow,
        width,
        height: lineChartHeight,
      };
    },
  };
}

/** Drops the year if all labels have the same: `Thu 1 Oct`. */
function withoutYear(labels: readonly string[]): readonly string[] {
  const years = new Set(labels.map((label) => /\d{4}/.exec(label)?.[0]));
  return years.size > 1 ? labels : labels.map((label) => label.replace(/ \d{4}(?=$|,)/, ''));
}

function barChartOf(
  { groups, topCount, figure, noun }: BreakdownRanking,
  comparison: Comparison | undefined,
): ChartPlan {
  const shown = groups.slice(0, topCount);
  const label = fieldLabel(figure.field);
  const names = shown.map(({ shortName }) => shortName);
  const height = barHeight * shown.length * (comparison ? 1.5 : 1) + barsMargin;
  return {
    rowCount: Math.ceil(height / rowHeight),
    dataRows: [],
    place: ({ firstRow, tableRow, width }) => {
      const cellsOf = (column: string) => columnRange(column, tableRow + 1, shown.length);
      const series = [
        {
          name: comparison?.now ?? label,
          values: {
            range: cellsOf('C'),
            contents: shown.map(({ sums }) => cellValue(figure, sums)),
          },
        },
      ];
      if (comparison) {
        const contents = shown.map(({ before }) => before && cellValue(figure, before));
        series.push({ name: comparison.before, values: { range: cellsOf('D'), contents } });
      }
      const title = `${label} by ${noun}`;
      return {
        kind: 'bars',
        title,
        categories: { range: cellsOf('A'), contents: names },
        series,
        format: formatOf(figure),
        firstRow,
        width,
        height,
      };
    },
  };
}

function columnRange(column: string, firstRow: number, count: number): string {
  return `Summary!$${column}$${firstRow}:$${column}$${firstRow + count - 1}`;
}

/** Percentages become fractions. */
function cellValue(figure: Figure, sums: Sums): number | undefined {
  const value = figureValue(figure, sums);
  if (value === undefined) return undefined;
  return Number((figure.type === 'percent' ? value / 100 : value).toPrecision(15));
}

function numberCell({ type }: Figure, value: number | undefined): SheetCell {
  return value === undefined ? { style: 'right', content: '' } : { style: type, content: value };
}

function formatOf({ type }: Figure): string {
  return type === 'percent' ? '0.0%' : '#,##0';
}

/** In points. */
const leastWidth = 420;
const mostWidth = 1_800;
const emptyColumnWidth = 48;

/**
 * Returns the width in points, and the number of columns that the chart covers or the sheet has.
 */
export function chartSize(widths: readonly number[]): { width: number; columnCount: number } {
  // A character is 7 pixels wide, and each cell has 5 pixels more.
  const total = widths.reduce((sum, width) => sum + 0.75 * (7 * width + 5), 0);
  const missing = Math.max(0, leastWidth - total);
  return {
    width: Math.min(mostWidth, Math.max(leastWidth, total)),
    columnCount: widths.length + Math.ceil(missing / emptyColumnWidth),
  };
}
