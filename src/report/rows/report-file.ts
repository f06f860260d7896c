import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { printable } from '../../contract/printable.ts';
import type { RowBatches } from '../../contract/row-batch.ts';
import { AdreportError, IncompleteDataError, RejectedError, UsageError } from '../../errors.ts';
import { readRows } from './read-rows.ts';

/** A report that was written earlier: its rows, and the size of its file where it has one. */
export interface ReportFile {
  readonly batches: RowBatches;
  readonly sizeBytes: number | undefined;
  /** How many bytes of it have been read so far, as they stand in the file. */
  readBytes(): number;
}

const readable =
  'adreport view reads JSON, NDJSON, CSV with a header row, and Parquet; each of the first three also as .gz.';

/**
 * Opens a report file of any form: what it holds decides, not its name.
 * @param path where it is; `shown` is how the user called it
 * @throws UsageError where it cannot be opened, or is of a form that cannot be read
 */
export async function openReportFile(path: string, shown: string): Promise<ReportFile> {
  const file = await open(path).catch((error: unknown) => {
    throw notOpened(error, shown);
  });
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw notOpened(Object.assign(new Error(), { code: 'EISDIR' }), shown);
    const { buffer: head, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, stat.isFile() ? 0 : null);
    const begins = head.subarray(0, bytesRead);
    if (begins.toString('latin1') === 'PAR1') {
      if (!stat.isFile()) throw parquetInPipe();
      const place = { bytes: 0 };
      const batches = readParquet(file, stat.size, (bytes) => {
        place.bytes = bytes;
      });
      return { batches: inFile(batches, shown), sizeBytes: stat.size, readBytes: () => place.bytes };
    }
    // A named pipe gives each byte once.
    const rest = createReadStream(path, {
      fd: file,
      highWaterMark: 256 * 1024,
      ...(stat.isFile() ? { start: 0 } : {}),
    });
    const bytes = stat.isFile() ? rest : prepended(begins, rest);
    const sizeBytes = stat.isFile() ? stat.size : undefined;
    return { batches: inFile(readText(bytes, begins, shown), shown), sizeBytes, readBytes: () => rest.bytesRead };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A report that comes through a pipe. */
export function readReportStream(stream: AsyncIterable<Uint8Array>, shown: string): ReportFile {
  let receivedBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      receivedBytes += chunk.length;
      yield chunk;
    }
  }
  async function* read(): RowBatches {
    const chunks = counted()[Symbol.asyncIterator]();
    let begins = Buffer.alloc(0);
    while (begins.length < 4) {
      const next = await chunks.next();
      if (next.done) break;
      begins = Buffer.concat([begins, next.value]);
    }
    if (begins.toString('latin1', 0, 4) === 'PAR1') {
      throw parquetInPipe();
    }
    return yield* readText(prepended(begins, { [Symbol.asyncIterator]: () => chunks }), begins.subarray(0, 4), shown);
  }
  return { batches: inFile(read(), shown), sizeBytes: undefined, readBytes: () => receivedBytes };
}

async function* prepended(begins: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (begins.length > 0) yield begins;
  for await (const chunk of rest) yield chunk;
}

async function* readParquet(file: FileHandle, sizeBytes: number, tell: (bytes: number) => void): RowBatches {
  const { readParquetLines } = await import('./parquet-rows.ts');
  try {
    return yield* readRows(readParquetLines(file, sizeBytes, tell), { lines: 'expected' });
  } catch (error) {
    if (error instanceof AdreportError || !(error instanceof Error)) throw error;
    throw new IncompleteDataError(`It is no whole Parquet file: ${error.message}.`, { code: 'TRUNCATED' });
  } finally {
    await file.close();
  }
}

function readText(bytes: AsyncIterable<Uint8Array>, begins: Buffer, shown: string): RowBatches {
  if (begins.toString('latin1', 0, 2) === 'PK') throw noReport('it is a zip file, such as xlsx', shown);
  if (begins[0] === 0x3c) throw noReport('it is a web page', shown);
  if (begins.length === 0 && !/\.(?:ndjson|jsonl)$/i.test(shown)) throw noReport('it is empty', shown);
  const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(shown) ? 'expected' : 'allowed';
  const isGzip = begins[0] === 0x1f && begins[1] === 0x8b;
  return readRows(isGzip ? unzipped(bytes) : bytes, { lines });
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The callback is there because an error without one would be thrown; the reader sees it on the stream itself.
  const gunzip = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => {});
  try {
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new IncompleteDataError(`Its gzip stream is not whole: ${error.message}.`, { code: 'TRUNCATED' });
  }
}

/** The same batches, with errors that say which file is meant, and that asking the service again is of no use. */
async function* inFile(batches: RowBatches, shown: string): RowBatches {
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      yield next.value;
    }
  } catch (error) {
    throw named(error, shown);
  } finally {
    await batches.return(undefined as never);
  }
}

function named(error: unknown, shown: string): unknown {
  if (error instanceof RejectedError) return noReport('it holds an error of the service', shown);
  if (!(error instanceof IncompleteDataError) || error instanceof NoReportError) return error;
  if (error.code === 'NO_DATA') return noReport('it is a JSON document without rows', shown);
  const isCut = error.code === 'TRUNCATED';
  return new IncompleteDataError(`${printable(shown)}: ${error.message}`, {
    code: error.code,
    retryable: false,
    hint: isCut ? 'The file was cut off on its way: fetch the report again.' : `Is it a report? ${readable}`,
    cause: error,
  });
}

function parquetInPipe(): UsageError {
  return new UsageError('Parquet cannot be read from a pipe: its table of contents stands at its end.', {
    hint: 'Give the name of the file.',
  });
}

/** What says all there is to say, the name of the file included. */
class NoReportError extends IncompleteDataError {}

function noReport(what: string, shown: string): NoReportError {
  return new NoReportError(`${printable(shown)} is no report: ${what}.`, {
    code: 'NO_DATA',
    retryable: false,
    hint: readable,
  });
}

function notOpened(error: unknown, shown: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Readonly<Record<string, readonly [string, string]>> = {
    ENOENT: ['does not exist', 'Check the name; adreport run … -o FILE writes one.'],
    ENOTDIR: ['does not exist', 'A part of its path is a file, not a folder.'],
    EISDIR: ['is a folder', 'Give the name of a report file in it.'],
    EACCES: ['may not be read', "Check the file's permissions."],
    EPERM: ['may not be read', "Check the file's permissions."],
  };
  const [what, hint] = reasons[code] ?? [];
  if (what === undefined || hint === undefined) return error;
  return new UsageError(`${printable(shown)} ${what}.`, { code, hint });
}
