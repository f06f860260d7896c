import { ColumnPlan } from '../output/column-plan.ts';
import type { EncodeOptions, Encoder, Pieces } from '../output/encoder.ts';
import { endedLines, TerminalTable } from '../present/terminal/terminal-table.ts';
import { rowsOf } from '../rows/row-batch.ts';
import { ReportSums } from '../totals/report-sums.ts';

/** Writes a table for people: aligned columns, formatted numbers, derived metrics, totals. */
export function createTableEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const table = new TerminalTable(plan, options);
  const { comparison } = options;
  const sums = new ReportSums();

  return {
    encode(batch) {
      plan.follow(batch);
      if (comparison) sums.observe(batch, plan.columns);
      return piecesOf(table.add(rowsOf(batch), batch.fields, batch.sizeBytes));
    },

    end(tail) {
      plan.settle(tail.fields);
      const ended = comparison ? endedLines(sums, { plan, comparison, look: options.table }) : [];
      return piecesOf([...table.end(), ...ended]);
    },
  };
}

function piecesOf(lines: readonly string[]): Pieces {
  return [Buffer.from(lines.map((line) => `${line}\n`).join(''))];
}
