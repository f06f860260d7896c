import { escapeHtml } from '../../text/printable.ts';
import { type DateUnit, toKeyValue } from '../../totals/group-keys.ts';
import { formatMetric } from '../../totals/report-metrics.ts';
import { formatTimeLabels } from '../../totals/time-axis.ts';
import { maxTableRows, type ReportModel, type TitledTable } from '../report-model.ts';
import {
  compareRow,
  describeRow,
  findNameColumn,
  formatCell,
  limitRows,
  type ReportTable,
  type TableColumn,
  type TableRow,
} from '../report-table.ts';
import { renderChange, renderName, toHtml } from './page-text.ts';

/** Maximum number of columns in portrait. Wider tables are printed in landscape. */
const maxPortraitColumns = 8;

/** Renders a table, which the page's script makes sortable. */
export function renderTable({ title, table }: TitledTable, model: ReportModel): string {
  const { columns, leadingMetric, rows: all } = table;
  const { rows, others } = limitRows(table, maxTableRows);
  const times = formatTableTimes(columns, rows, model.dateUnit);
  const rowHtml = (row: TableRow): string => {
    return columns.map((column) => renderCell(column, row, { table, times })).join('');
  };

  const isSorted = columns.every(({ kind }) => kind !== 'time');
  const heads = columns.map((column) => {
    const sort = isSorted && column.field === leadingMetric?.field ? ' aria-sort="descending"' : '';
    return `<th scope="col" class="${chooseClasses(column, columns)}"${sort}>${toHtml(column.label)}`;
  });
  const body = rows.map((row) => `<tr>${rowHtml(row)}`).join('\n');
  const rest = others
    ? renderSum(table, { ...others, className: 'rest', label: describeRow(table, others).name })
    : '';
  const whole = { className: 'total', label: 'Total', sums: model.sums, before: model.sumsBefore };
  const total = all.length > 1 ? renderSum(table, whole) : '';
  const broad = columns.length > maxPortraitColumns ? ' class="broad"' : '';
  return `<section class="rows"><h2>${toHtml(title)}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table: ${toHtml(title)}"><table${broad}>
<thead><tr>${heads.join('')}</thead>
<tbody>${body}</tbody>
<tfoot>${rest}${total}</tfoot>
</table></div>
</section>
`;
}

/** Formats the times in a table. Returns the formatted times by value. */
function formatTableTimes(
  columns: readonly TableColumn[],
  rows: readonly TableRow[],
  dateUnit: DateUnit,
): ReadonlyMap<string, string> {
  const times = columns.filter(({ kind }) => kind === 'time');
  const values = times.flatMap(({ field }) =>
    rows.map((row) => toKeyValue(row.getValue(field)) ?? ''),
  );
  return formatTimeLabels(values, dateUnit);
}

function renderCell(
  column: TableColumn,
  row: TableRow,
  { table, times }: { readonly table: ReportTable; readonly times: ReadonlyMap<string, string> },
): string {
  const classes = chooseClasses(column, table.columns);
  const text = formatCell(column, row);
  if (text === null) return `<td class="${classes} none">–`;

  const { field, kind, metric } = column;
  if (kind === 'time') {
    const time = toKeyValue(row.getValue(field)) ?? '';
    return `<td class="${classes}" data-v="${toHtml(time)}">${toHtml(times.get(time) ?? text)}`;
  }
  if (kind === 'name' || kind === 'other') return `<td class="${classes}">${renderName(text)}`;

  const change = metric && compareRow(table, metric, row);
  const changeElement = change && change.direction !== 'none' ? renderChange(change) : '';
  return `<td class="${classes}">${escapeHtml(text)}${changeElement}`;
}

interface SumRow extends Pick<TableRow, 'sums' | 'before'> {
  readonly className: string;
  readonly label: string;
}

function renderSum(table: ReportTable, { className, label, sums, before }: SumRow): string {
  const { columns } = table;
  const labelColumn = findNameColumn(columns);
  const cells = columns.map((column) => {
    const { metric } = column;
    const opening = `<td class="${chooseClasses(column, columns)}">`;
    if (!metric) return `${opening}${column === labelColumn ? toHtml(label) : ''}`;

    const text = formatMetric(metric, sums) ?? '–';
    const change = compareRow(table, metric, { sums, before });
    return `${opening}${escapeHtml(text)}${change ? renderChange(change) : ''}`;
  });
  return `<tr class="${className}">${cells.join('')}`;
}

/**
 * Returns CSS classes: `n` for numbers, `k` for IDs and times, `t` for strings, `first` for the
 * name column.
 */
function chooseClasses(column: TableColumn, columns: readonly TableColumn[]): string {
  const { kind } = column;
  const first = column === findNameColumn(columns) ? ' first' : '';
  if (kind === 'metric') return `n${first}`;
  return (kind === 'id' || kind === 'time' ? 'k' : 't') + first;
}
