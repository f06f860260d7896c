import { OutputError } from '../errors.ts';
import type { EncodeOptions, Encoder } from '../output/encoder.ts';
import { reportLines } from '../present/terminal/report-lines.ts';
import { ColumnPlan } from '../query/column-plan.ts';
import { type Row, toRows } from '../rows/row-batch.ts';
import { ReportSums } from '../totals/report-sums.ts';

/** All rows are in memory until they are sorted. */
const maxRows = 100_000;
const maxMegabytes = 64;

/**
 * Writes a table for people. It has aligned columns, formatted numbers, derived metrics and totals.
 */
export function createTableEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  const rows: Row[] = [];
  let sizeBytes = 0;

  return {
    encode(batch) {
      plan.follow(batch);
      sums.observe(batch, plan.columns);
      sizeBytes += batch.sizeBytes;
      if (rows.length + batch.rowCount > maxRows || sizeBytes > 1e6 * maxMegabytes) {
        throw tableTooLarge();
      }
      for (const row of toRows(batch)) rows.push(row);
      return [];
    },

    end(tail) {
      plan.settle(tail.fields);
      const lines = reportLines({ plan, sums, rows, options });
      return [Buffer.from(lines.map((line) => `${line}\n`).join(''))];
    },
  };
}

function tableTooLarge(): OutputError {
  return new OutputError('The report has more than 100,000 rows, the most that a table can show.', {
    code: 'TOO_LARGE',
    hint: 'Write a file, for example -o report.csv, or choose fewer breakdowns.',
  });
}
