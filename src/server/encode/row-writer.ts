import type { Column } from '../../contract/columns.ts';
import type { ReportTable, RowBatch, TableDimension } from '../engine/table.ts';
import { isTimeBreakdown } from '../fixtures/facts.ts';
import { commaDecimal, shortestDecimal } from './money.ts';

/** How a format writes a row. */
export interface RowSyntax {
  readonly open: string;
  readonly close: string;
  /** What comes before the value of the column at `index`: its separator and, where the format has them, its name. */
  lead(field: string, index: number): string;
  text(value: string | null): string;
}

/** The text of row `row` of a batch. */
export type RowText = (row: number) => string;

interface Cell {
  readonly lead: string;
  /** The position of its value among the row fields of its breakdown; `undefined` where the cell is always null. */
  readonly value: number | undefined;
}

/** Cells that change together: those of a dimension, or of time, and the nulls that follow them. */
interface Segment {
  readonly breakdown: string | undefined;
  readonly cells: Cell[];
}

/**
 * A writer of the table's rows. The text of a member is made once, not once a row: a row is a few strings strung together.
 */
export function createRowWriter(table: ReportTable, syntax: RowSyntax): (batch: RowBatch) => RowText {
  const [time, ...segments] = segmentsOf(table.columns, syntax);
  const fragments = table.dimensions.map((dimension, position) => fragmentsOf(dimension, segments[position], syntax));
  const metricColumns = [...table.columns.entries()].filter(([, column]) => column.metric !== undefined);
  const leads = metricColumns.map(([index, { field }]) => syntax.lead(field, index));
  const formats = metricColumns.map(([, column]) => numberFormat(column, table));
  return ({ time: labels, ranks, sums }) => {
    const start = syntax.open + (time ? segmentText(time, labels, syntax) : '');
    return (row) => {
      let text = start;
      for (let position = 0; position < ranks.length; position++) {
        text += fragments[position]?.(ranks[position]?.[row] ?? 0) ?? '';
      }
      for (let position = 0; position < sums.length; position++) {
        text += leads[position] ?? '';
        text += formats[position]?.(sums[position]?.[row] ?? 0) ?? '';
      }
      return text + syntax.close;
    };
  };
}

/** The columns before the metrics, cut where a dimension that was asked for begins; time and leading nulls come first. */
function segmentsOf(columns: readonly Column[], syntax: RowSyntax): Segment[] {
  const first = columns[0]?.breakdown;
  const segments: Segment[] = [{ breakdown: first && isTimeBreakdown(first) ? first : undefined, cells: [] }];
  for (const [index, { field, breakdown, metric }] of columns.entries()) {
    if (metric !== undefined) break;
    if (breakdown !== undefined && breakdown !== segments.at(-1)?.breakdown) segments.push({ breakdown, cells: [] });
    const cells = segments.at(-1)?.cells ?? [];
    const value = breakdown === undefined ? undefined : cells.length;
    cells.push({ lead: syntax.lead(field, index), value });
  }
  return segments;
}

function segmentText({ cells }: Segment, values: readonly (string | null)[], syntax: RowSyntax): string {
  return cells
    .map(({ lead, value }) => lead + syntax.text(value === undefined ? null : (values[value] ?? null)))
    .join('');
}

/** The text of a dimension's members by their rank, made when first asked for. */
function fragmentsOf(
  { members }: TableDimension,
  segment: Segment | undefined,
  syntax: RowSyntax,
): (rank: number) => string {
  const fragments: string[] = [];
  return (rank) => {
    const known = fragments[rank];
    if (known !== undefined) return known;
    const fragment = segment ? segmentText(segment, members[rank]?.values ?? [], syntax) : '';
    fragments[rank] = fragment;
    return fragment;
  };
}

/** Buyers' metrics are numbers; a DSP's revenue is text, which both formats put in double quotes. */
function numberFormat({ type }: Column, { profile }: ReportTable): (value: number) => string {
  if (type !== 'money') return String;
  return profile === 'dsp' ? (cents) => `"${commaDecimal(cents)}"` : shortestDecimal;
}
