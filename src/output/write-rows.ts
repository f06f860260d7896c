import { printable } from '../contract/printable.ts';
import type { ReportTail, RowBatch, RowBatches } from '../contract/row-batch.ts';
import { IncompleteDataError } from '../errors.ts';
import type { Encoder, Pieces, Sink } from './encoder.ts';

export interface WriteOptions {
  readonly batches: RowBatches;
  readonly encoder: Encoder;
  readonly sink: Sink;
  /** Sees every batch before it is written, e.g. to check that no day is missing. */
  readonly observe?: (batch: RowBatch) => void;
}

export interface WriteResult {
  readonly rowCount: number;
  /** How many bytes were written. */
  readonly sizeBytes: number;
  readonly tail: ReportTail;
}

/**
 * Writes a report from its first row to its end. On any error the batches are closed, so that the download behind
 * them stops; the sink is the caller's to commit or to abort.
 *
 * @throws IncompleteDataError where a late row has a column that the header lacks, and the sink cannot be rewritten
 */
export async function writeRows({ batches, encoder, sink, observe }: WriteOptions): Promise<WriteResult> {
  let sizeBytes = 0;
  const write = async (pieces: Pieces): Promise<void> => {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      sizeBytes += piece.length;
      await sink.write(piece);
    }
  };
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) {
        await write(await encoder.end(next.value));
        await widen(encoder, sink, (count) => {
          sizeBytes = count;
        });
        return { rowCount: next.value.rowCount, sizeBytes, tail: next.value };
      }
      observe?.(next.value);
      const pieces = await encoder.encode(next.value);
      if (!sink.rewrite) refuseLateColumns(encoder);
      await write(pieces);
    }
  } finally {
    // Its result is not used: after an error nothing but the closing matters.
    await batches.return(undefined as never);
  }
}

function refuseLateColumns({ lateColumns = [] }: Encoder): void {
  const [name] = lateColumns;
  if (name === undefined) return;
  throw new IncompleteDataError(
    `A later row has the key "${printable(name)}", which the header written before lacks.`,
    {
      code: 'LATE_COLUMN',
      retryable: false,
      hint: 'Write to a file (-o report.csv), whose header is completed at the end, or choose the columns with --columns.',
    },
  );
}

async function widen(encoder: Encoder, sink: Sink, setSize: (sizeBytes: number) => void): Promise<void> {
  const { lateColumns = [], widen: widened } = encoder;
  if (lateColumns.length === 0 || !widened || !sink.rewrite) return;
  await sink.rewrite(async function* (written) {
    let sizeBytes = 0;
    for await (const piece of widened.call(encoder, written)) {
      sizeBytes += piece.length;
      yield piece;
    }
    setSize(sizeBytes);
  });
}
