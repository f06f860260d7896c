import type { TableLook, TableStyle } from '../../output/encoder.ts';
import { wrap } from '../../text/cell-width.ts';
import { printable } from '../../text/printable.ts';
import type { Change } from '../../totals/change.ts';
import type { Comparison } from '../../totals/comparison.ts';
import type { Sums } from '../../totals/grouped-totals.ts';
import { compareMetric, formatMetric, metricValue } from '../../totals/report-metrics.ts';
import { comparisonSentence } from '../report-model.ts';
import {
  compareRow,
  findNameColumn,
  formatCell,
  type ReportTable,
  type TableColumn,
  type TableRow,
} from '../report-table.ts';
import { chooseHeading } from './headings.ts';
import { type DrawnColumn, drawTable, type TextCell } from './text-table.ts';

const noText: TextCell = { text: '' };

/** Draws a table for a terminal, with totals and the changes against an earlier report. */
export function tableLines(
  table: ReportTable,
  look: TableLook,
  comparison?: Comparison | undefined,
): string[] {
  const columns = listColumns(table, comparison !== undefined, look);
  const lines = drawTable(
    {
      columns: columns.map(({ shown }) => shown),
      rows: table.rows.map((row) => columns.map(({ buildCell }) => buildCell(row))),
      foot: look.totals === false ? [] : footRows(table, columns, { comparison, look }),
      advice: 'Choose columns with --columns or --metrics, or see all with --format csv.',
    },
    look,
  );
  const hasLines = comparison !== undefined && look.totals !== false;
  return hasLines ? [...lines, ...comparisonLines(comparison, look.width)] : lines;
}

/** Wraps the sentence on the comparison. */
export function comparisonLines(
  comparison: Comparison,
  width = Number.POSITIVE_INFINITY,
): string[] {
  return wrap(printable(comparisonSentence(comparison)), width);
}

interface LineColumn {
  readonly shown: DrawnColumn;

  /** Column of the table; absent for labels and changes. */
  readonly column?: TableColumn;
  buildCell(row: TableRow): TextCell;
}

/**
 * Lists the columns. The change of each row follows the leading metric. One more column has the
 * labels for the rows below the table.
 */
function listColumns(
  table: ReportTable,
  hasComparison: boolean,
  { style }: TableLook,
): LineColumn[] {
  const { columns, lead, isCompared } = table;
  const listed: LineColumn[] = [];
  if (hasComparison && !findNameColumn(columns)) {
    const shown = { heading: '', isNumeric: false, isName: false };
    listed.push({ shown, buildCell: () => ({ text: 'now' }) });
  }

  for (const column of columns) {
    const { field, label, kind, metric } = column;
    const shown = {
      heading: printable(chooseHeading(field, label)),
      isNumeric: kind === 'metric',
      isName: kind === 'name' || kind === 'other',
    };
    listed.push({ shown, column, buildCell: (row) => ({ text: formatCell(column, row) }) });
    if (!isCompared || !metric || field !== lead?.field) continue;

    const change = { heading: 'change', isNumeric: true, isName: false };
    const buildCell = (row: TableRow) => changeCell(compareRow(table, metric, row), style);
    listed.push({ shown: change, buildCell });
  }
  return listed;
}

/**
 * Lists the rows below the table. These are the totals, if there are several rows, and the earlier
 * report with its changes.
 */
function footRows(
  { columns, rows, total }: ReportTable,
  listed: readonly LineColumn[],
  { comparison, look }: { comparison: Comparison | undefined; look: TableLook },
): TextCell[][] {
  const hasTotals = columns.some(
    ({ metric }) => metric && metricValue(metric, total) !== undefined,
  );
  if (!hasTotals && !comparison) return [];

  const labelled = listed.find(({ shown }) => !shown.isNumeric);
  const footRow = (label: string, buildCell: (column: TableColumn) => TextCell): TextCell[] => {
    return listed.map((own) => {
      if (own === labelled) return { text: label };
      return own.column?.metric ? buildCell(own.column) : noText;
    });
  };
  const sumRow = (label: string, sums: Sums): TextCell[] => {
    return footRow(label, ({ metric }) => ({
      text: (metric && formatMetric(metric, sums)) ?? null,
    }));
  };

  const foot = rows.length > 1 ? [sumRow('total', total)] : [];
  const before = comparison?.sums.total.totals();
  if (!before) return foot;

  const changes = footRow('change', ({ metric }) => {
    return metric ? changeCell(compareMetric(metric, total, before), look.style) : noText;
  });
  return [...foot, sumRow('before', before), changes];
}

function changeCell(change: Change | undefined, style: TableStyle | undefined): TextCell {
  if (!change) return noText;
  return { text: change.text, paint: style && changeColor(change, style) };
}

/** Returns green for increases, red for decreases, none for money. */
export function changeColor(
  { direction, isNeutral = false }: Change,
  style: TableStyle,
): ((text: string) => string) | undefined {
  if (isNeutral) return undefined;
  if (direction === 'up') return style.green;
  return direction === 'down' ? style.red : undefined;
}
