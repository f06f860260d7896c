import type { EncodeOptions, Encoder, Pieces, ReportMessages } from '../output/encoder.ts';
import { renderPage } from '../present/page/page.ts';
import { buildReportModel, maxTableRows } from '../present/report-model.ts';
import { ColumnPlan } from '../query/column-plan.ts';
import { type ReportTail, type Row, type RowBatch, toRows } from '../rows/row-batch.ts';
import { ReportSums } from '../totals/report-sums.ts';

/** Writes a page as a single file that opens without a network connection. */
export class PageEncoder implements Encoder {
  readonly #options: EncodeOptions;
  readonly #plan: ColumnPlan;
  readonly #sums = new ReportSums();

  /** Rows for the table, or `undefined` once there are too many. */
  #rows: Row[] | undefined = [];

  constructor(options: EncodeOptions) {
    this.#options = options;
    this.#plan = new ColumnPlan(options);
  }

  encode(batch: RowBatch): Pieces {
    this.#plan.addBatch(batch);
    this.#sums.observe(batch, this.#plan.columns);

    const rowCount = (this.#rows?.length ?? 0) + batch.rowCount;
    if (rowCount > maxTableRows) this.#rows = undefined;
    this.#rows?.push(...toRows(batch));
    // A page begins with the totals, so nothing is written before the end.
    return [];
  }

  end(tail: ReportTail, messages?: ReportMessages): Pieces {
    this.#plan.finish(tail.fields);
    const model = buildReportModel({
      plan: this.#plan,
      sums: this.#sums,
      tail,
      options: this.#options,
      rows: this.#rows,
      messages,
    });
    return [Buffer.from(renderPage(model))];
  }
}
