import { rowsOf } from '../../rows/row-batch.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { ReportTable } from '../table/report-table.ts';

/** A table for people: aligned columns, true numbers, derived metrics, a line of totals. */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const table = new ReportTable(options);
  const piecesOf = (lines: readonly string[]): Pieces =>
    lines.length === 0 ? [] : [Buffer.from(`${lines.join('\n')}\n`)];
  return {
    encode(batch) {
      plan.follow(batch);
      return piecesOf(table.add(plan.columns, rowsOf(batch), batch.fields));
    },
    end(tail) {
      plan.settle(tail.fields);
      return piecesOf(table.end(plan.columns));
    },
  };
}
