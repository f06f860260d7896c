import type { Context } from '../../context.ts';
import { createSpool, type Spool } from '../../output/file/temporary-file.ts';
import { readRows } from '../../rows/read-rows.ts';
import { counted, type Delivered } from '../output/delivery.ts';
import type { Intake } from './fetch-report.ts';

/** A report that is whole and waits on the disk. */
export interface Spooled extends Delivered {
  readonly spool: Spool;
  readonly contentType: string | undefined;
  readonly reportId: string | undefined;
}

/** Takes a report's body to the disk as it came, and reads it once on the way, so that a damaged one comes again. */
export function spoolIntake(context: Context, folder: string): Intake<Spooled> {
  return {
    async take(answer, reportId) {
      const spool = await createSpool(folder);
      const meter = (await context.progress()).transfer('Downloading', answer.sizeBytes);
      try {
        let [sizeBytes, rowCount] = [0, 0];
        const body = counted(answer.body, (bytes) => {
          sizeBytes = bytes;
          meter.update({ bytes, rows: rowCount });
        });
        for await (const batch of readRows(kept(body, spool, context.host.signal), {
          contentType: answer.contentType,
        })) {
          rowCount = batch.firstRow + batch.rowCount;
        }
        await spool.finish();
        return { spool, contentType: answer.contentType, reportId, rowCount, sizeBytes, file: undefined };
      } catch (error) {
        await spool.close();
        throw error;
      } finally {
        meter.stop();
      }
    },
  };
}

/** The same bytes, which go to the spool as well. Throws the signal's reason when it is aborted. */
async function* kept(body: AsyncIterable<Buffer>, spool: Spool, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    signal.throwIfAborted();
    await spool.write(piece);
    yield piece;
  }
}
