import { OutputError } from '../errors.ts';
import type { EncodeOptions, Encoder } from '../output/encoder.ts';
import { drawReport } from '../present/terminal/report-lines.ts';
import { ColumnPlan } from '../query/column-plan.ts';
import { type Row, toRows } from '../rows/row-batch.ts';
import { ReportSums } from '../totals/report-sums.ts';

/** All rows must be in memory to be sorted. */
const maxRows = 100_000;
const maxMegabytes = 64;

/** Writes a table for people, with aligned columns, formatted numbers and totals. */
export function createTableEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new ReportSums();
  const rows: Row[] = [];
  let sizeBytes = 0;

  return {
    encode(batch) {
      plan.addBatch(batch);
      sums.observe(batch, plan.columns);
      sizeBytes += batch.sizeBytes;
      if (rows.length + batch.rowCount > maxRows || sizeBytes > 1e6 * maxMegabytes) {
        throw tableTooLargeError();
      }
      for (const row of toRows(batch)) rows.push(row);
      return [];
    },

    end(tail) {
      plan.finish(tail.fields);
      const lines = drawReport({ plan, sums, rows, options });
      return [Buffer.from(lines.map((line) => `${line}\n`).join(''))];
    },
  };
}

function tableTooLargeError(): OutputError {
  return new OutputError('A table can show at most 100,000 rows and 64 MB; the report has more.', {
    code: 'TOO_LARGE',
    hint: 'Write a file, for example -o report.csv, or choose fewer breakdowns.',
  });
}
