import { IncompleteDataError } from '../errors.ts';
import type { ReportTail, RowBatch, RowBatches } from '../rows/row-batch.ts';
import { printable } from '../text/printable.ts';
import type { Encoder, Pieces, Sink } from './encoder.ts';

interface WriteOptions {
  readonly batches: RowBatches;
  readonly encoder: Encoder;
  readonly sink: Sink;
  /** Sees every batch before it is written, e.g. to check that no day is missing. */
  readonly observe?: (batch: RowBatch) => void;
}

export interface WriteResult {
  readonly rowCount: number;
  /** How many bytes the output has in the end. */
  readonly sizeBytes: number;
  readonly tail: ReportTail;
}

/**
 * Writes a report from its first row to its end. On any error the batches are closed, so that the download behind
 * them stops; the sink is the caller's to commit or to abort.
 *
 * @throws IncompleteDataError where a late row has a column that the header lacks, and the sink cannot be rewritten;
 *   what the batches, the encoder and the sink throw
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
        const widenedBytes = await widen(encoder, sink);
        return { rowCount: next.value.rowCount, sizeBytes: widenedBytes ?? sizeBytes, tail: next.value };
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

/** Writes everything once more where columns appeared late; returns how many bytes there are then. */
async function widen(encoder: Encoder, sink: Sink): Promise<number | undefined> {
  const change = encoder.lateColumns?.length ? encoder.widen?.bind(encoder) : undefined;
  if (!change || !sink.rewrite) return undefined;
  let sizeBytes = 0;
  await sink.rewrite(async function* (written) {
    for await (const piece of change(written)) {
      sizeBytes += piece.length;
      yield piece;
    }
  });
  return sizeBytes;
}
