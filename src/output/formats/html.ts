import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder, Pieces } from '../encoder.ts';
import { composePage } from '../html/compose-page.ts';
import { renderPage } from '../html/page.ts';
import { ShownRows } from '../html/shown-rows.ts';
import { AllSums } from '../html/unit-sums.ts';

/** A page to mail: everything in one file, which opens without a network and holds what it shows. */
export function createEncoder(options: EncodeOptions): Encoder {
  const plan = new ColumnPlan(options);
  const sums = new AllSums();
  const rows = new ShownRows();
  return {
    encode(batch: RowBatch): Pieces {
      plan.follow(batch);
      sums.observe(batch, plan.columns);
      rows.observe(batch, plan.columns);
      // The totals stand before the rows: nothing is written until the last of them is known.
      return [];
    },
    end(tail: ReportTail): Pieces {
      plan.settle(tail.fields);
      const page = composePage({ plan, sums, rows, tail, options });
      return renderPage(page).map((piece) => Buffer.from(piece));
    },
  };
}
