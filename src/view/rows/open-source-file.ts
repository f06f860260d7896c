import type { Hash } from 'node:crypto';
import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { CsvReading } from '../../rows/csv-rows.ts';
import type { ParquetDecoder } from '../../rows/parquet-rows.ts';
import { openReportFile, type ReportFile, readReportStream } from '../../rows/report-file.ts';
import type { Context } from '../../run/context.ts';
import type { SourceFile } from '../sources/source-file.ts';

/**
 * Opens a file, a pipe or stdin, once. Throws like `openReportFile`.
 * @param hash receives all bytes of the file
 */
export async function openSourceFile(
  { host }: Pick<Context, 'host'>,
  { path, shown }: SourceFile,
  { csv, decoder, hash }: { csv: CsvReading; decoder: ParquetDecoder; hash: Hash | undefined },
): Promise<ReportFile> {
  const { cwd, signal, stdin } = host;
  if (path === '-') return readReportStream(addAbortSignal(signal, stdin), 'stdin', { csv });

  const absolute = resolve(cwd, path);
  if (await isPipe(absolute)) return readReportStream(openPipe(absolute, signal), shown, { csv });
  return openReportFile(absolute, shown, { signal, csv, decoder, hash });
}

async function isPipe(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFIFO() === true;
}

/**
 * Reads a named pipe. Opening and reading block until another program opens it, and cannot be
 * aborted; so on a signal, this program opens the other end itself.
 */
function openPipe(path: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const wake = (): void => {
    try {
      const end = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(end, '\n');
      closeSync(end);
    } catch {
      // The read has already ended.
    }
  };
  signal.addEventListener('abort', wake, { once: true });
  return createReadStream(path, { highWaterMark: 256 * 1024, signal });
}
