import type { TableLook, TableStyle } from '../../output/encoder.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';
import type { Comparison } from '../../totals/comparison.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { compareMetric, formatMetric, metricValue } from '../../totals/report-metrics.ts';
import { formatComparison } from '../report-model.ts';
import {
  compareRow,
  findNameColumn,
  formatCell,
  type ReportTable,
  type TableColumn,
  type TableRow,
} from '../report-table.ts';
import { type DrawnColumn, drawTable, type TextCell } from './text-table.ts';

const emptyCell: TextCell = { text: '' };

/** Draws a table for a terminal, with totals and changes. */
export function drawReportTable(
  table: ReportTable,
  look: TableLook,
  comparison?: Comparison | undefined,
): string[] {
  const columns = listColumns(table, comparison !== undefined, look);
  const lines = drawTable(
    {
      columns: columns.map(({ drawn }) => drawn),
      rows: table.rows.map((row) => columns.map(({ buildCell }) => buildCell(row))),
      foot: listFootRows(table, columns, { comparison, look }),
      advice: 'Choose columns with --columns or --metrics, or see all with --format csv.',
    },
    look,
  );
  return comparison ? [...lines, ...wrapComparison(comparison, look.width)] : lines;
}

/** Names the periods of a comparison, in lines of at most this width. */
export function wrapComparison(comparison: Comparison, width = Number.POSITIVE_INFINITY): string[] {
  return wrap(printable(formatComparison(comparison)), width);
}

interface LineColumn {
  readonly drawn: DrawnColumn;

  /** Not set for labels and changes. */
  readonly column?: TableColumn;
  buildCell(row: TableRow): TextCell;
}

/**
 * Lists the columns. The change of each row follows the leading metric. If there are only metrics,
 * an extra column labels the rows.
 */
function listColumns(
  table: ReportTable,
  hasComparison: boolean,
  { style }: TableLook,
): LineColumn[] {
  const { columns, leadingMetric, isCompared } = table;
  const listed: LineColumn[] = [];
  if (hasComparison && !findNameColumn(columns)) {
    const drawn = { heading: '', isNumeric: false, isName: false };
    listed.push({ drawn, buildCell: () => ({ text: 'now' }) });
  }

  for (const column of columns) {
    const { field, label, kind, metric } = column;
    const drawn = {
      heading: printable(label),
      isNumeric: kind === 'metric',
      isName: kind === 'name' || kind === 'other',
    };
    listed.push({ drawn, column, buildCell: (row) => ({ text: formatCell(column, row) }) });
    if (!isCompared || !metric || field !== leadingMetric?.field) continue;

    const change = { heading: 'Change', isNumeric: true, isName: false };
    const buildCell = (row: TableRow) => buildChangeCell(compareRow(table, metric, row), style);
    listed.push({ drawn: change, buildCell });
  }
  return listed;
}

/** Lists the rows below the table: totals (of more than one row), earlier totals, and changes. */
function listFootRows(
  { columns, rows, total }: ReportTable,
  listed: readonly LineColumn[],
  { comparison, look }: { comparison: Comparison | undefined; look: TableLook },
): TextCell[][] {
  const hasTotals = columns.some(
    ({ metric }) => metric && metricValue(metric, total) !== undefined,
  );
  if (!hasTotals && !comparison) return [];

  const labelColumn = listed.find(({ drawn }) => !drawn.isNumeric);
  const buildFootRow = (
    label: string,
    buildCell: (column: TableColumn) => TextCell,
  ): TextCell[] => {
    return listed.map((lineColumn) => {
      if (lineColumn === labelColumn) return { text: label };
      const { column } = lineColumn;
      return column?.metric ? buildCell(column) : emptyCell;
    });
  };
  const buildSumRow = (label: string, sums: Sums): TextCell[] => {
    return buildFootRow(label, ({ metric }) => ({
      text: (metric && formatMetric(metric, sums)) ?? null,
    }));
  };

  const sumRows = rows.length > 1 ? [buildSumRow('total', total)] : [];
  const before = comparison?.sums.total.totals();
  if (!before) return sumRows;

  const changes = buildFootRow('change', ({ metric }) => {
    return metric ? buildChangeCell(compareMetric(metric, total, before), look.style) : emptyCell;
  });
  return [...sumRows, buildSumRow('before', before), changes];
}

function buildChangeCell(change: Change | undefined, style: TableStyle | undefined): TextCell {
  if (!change) return emptyCell;
  return { text: change.text, paint: style && changeColor(change, style) };
}

/** Returns green for increases and red for decreases, but no color for money. */
export function changeColor(
  { direction, isNeutral = false }: Change,
  style: TableStyle,
): ((text: string) => string) | undefined {
  if (isNeutral) return undefined;
  if (direction === 'up') return style.green;
  return direction === 'down' ? style.red : undefined;
}
