import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../../../context.ts';
import type { TableLook } from '../../../output/encoder.ts';
import { createEncoder } from '../../../output/formats/table.ts';
import { openReportFile, type ReportFile, readReportStream } from '../../../rows/report-file.ts';
import type { ReportTail, RowBatch } from '../../../rows/row-batch.ts';
import { Aggregate } from '../../../view/aggregate.ts';
import { FigureCounter, type Figures } from '../../../view/figures.ts';
import { type KeyColumn, resolveKeys } from '../../../view/view-columns.ts';

/** What reading a file once gave. */
export interface ReadFile {
  readonly tail: ReportTail;
  readonly sizeBytes: number;
  readonly figures: Figures;
  readonly keys: readonly KeyColumn[];
  readonly groups: Aggregate;
  /** The first rows, as a table; empty where none were wanted. */
  readonly preview: string;
}

/** What to make of a file while it is read. */
export interface Reading {
  /** What to add up by: columns or breakdowns; `undefined` for the time of the rows, as it turns out to be. */
  readonly by: readonly string[] | undefined;
  /** How many rows to hold for the preview, and how it looks. */
  readonly preview: { readonly rowCount: number; readonly look: TableLook };
}

/**
 * Reads a report file, or stdin for `-`, once, in constant memory.
 * @throws UsageError where it cannot be opened, or lacks a column
 * @throws IncompleteDataError where it is no whole report
 */
export async function readFile(context: Context, name: string, reading: Reading): Promise<ReadFile> {
  const shown = name === '-' ? 'stdin' : name;
  const { stdin, signal, cwd } = context.host;
  const source: ReportFile =
    name === '-'
      ? readReportStream(addAbortSignal(signal, stdin), shown)
      : await openReportFile(resolve(cwd, name), shown);
  const meter = (await context.progress()).transfer('Reading', source.sizeBytes);
  const counter = new FigureCounter();
  const preview = new Preview(reading.preview);
  let keys: readonly KeyColumn[] | undefined;
  let groups = new Aggregate();
  const settle = (fields: readonly string[]): void => {
    keys = resolveKeys(reading.by ?? timeOf(fields), fields);
    groups = new Aggregate(keys.map(({ field }) => field));
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await source.batches.next();
      if (next.done) {
        const tail = next.value;
        if (!keys) settle(tail.fields);
        const sizeBytes = source.sizeBytes ?? tail.sizeBytes;
        return {
          tail,
          sizeBytes,
          figures: counter.figures(),
          keys: keys ?? [],
          groups,
          preview: await preview.text(tail),
        };
      }
      if (!keys) settle(next.value.fields);
      counter.observe(next.value);
      groups.observe(next.value);
      await preview.observe(next.value);
      meter.update({ bytes: source.readBytes(), rows: counter.rowCount });
    }
  } finally {
    meter.stop();
    await source.batches.return(undefined as never);
  }
}

function timeOf(fields: readonly string[]): string[] {
  return ['hour', 'date'].filter((field) => fields.includes(field)).slice(0, 1);
}

/** The first rows of a report as a table without totals. */
class Preview {
  readonly #rowCount: number;
  readonly #encoder: ReturnType<typeof createEncoder>;
  #pieces = '';

  constructor({ rowCount, look }: Reading['preview']) {
    this.#rowCount = rowCount;
    this.#encoder = createEncoder({ table: { ...look, totals: false } });
  }

  async observe(batch: RowBatch): Promise<void> {
    const wanted = this.#rowCount - batch.firstRow;
    if (wanted > 0) this.#add(await this.#encoder.encode({ ...batch, rowCount: Math.min(wanted, batch.rowCount) }));
  }

  async text(tail: ReportTail): Promise<string> {
    if (this.#rowCount > 0) this.#add(await this.#encoder.end(tail));
    return this.#pieces;
  }

  #add(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) this.#pieces += Buffer.from(piece).toString();
  }
}
