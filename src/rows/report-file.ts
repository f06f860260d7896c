import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { IncompleteDataError, RejectedError, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { less } from './bytes.ts';
import { readRows } from './read-rows.ts';
import type { RowBatches } from './row-batch.ts';

/** A report that was written earlier: its rows, and the size of its file where it has one. */
export interface ReportFile {
  /** Throw `UsageError` where it cannot be read, `IncompleteDataError` where it is no whole report. */
  readonly batches: RowBatches;
  readonly sizeBytes: number | undefined;
  /** How many bytes of it have been read so far, as they stand in the file. */
  readBytes(): number;
}

const pieceBytes = 256 * 1024;

/** So many bytes tell the form of a file. */
const formBytes = 4;

/**
 * Opens a report file of any form: what it holds decides, not its name.
 * @param path where it is; `shown` is how the user called it
 * @throws UsageError where it cannot be opened
 * @throws IncompleteDataError where it is of a form that cannot be read
 */
export async function openReportFile(path: string, shown: string): Promise<ReportFile> {
  const file = await open(path).catch((error: unknown) => {
    throw inFile(error, shown);
  });
  try {
    const stat = await file.stat();
    // A named pipe gives each byte once.
    if (!stat.isFile()) return readReportStream(file.createReadStream({ highWaterMark: pieceBytes }), shown);
    const { buffer: head, bytesRead } = await file.read(Buffer.alloc(formBytes), 0, formBytes, 0);
    const begins = head.subarray(0, bytesRead);
    if (isParquet(begins)) return parquetFile(file, stat.size, shown);
    const stream = file.createReadStream({ start: 0, highWaterMark: pieceBytes });
    const batches = named(readText(stream, begins, shown), shown);
    return { batches, sizeBytes: stat.size, readBytes: () => stream.bytesRead };
  } catch (error) {
    await file.close();
    throw inFile(error, shown);
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
    const chunks = counted();
    try {
      let begins = Buffer.alloc(0);
      while (begins.length < formBytes) {
        const next = await chunks.next();
        if (next.done) break;
        begins = Buffer.concat([begins, next.value]);
      }
      if (isParquet(begins)) {
        throw new UsageError('Parquet cannot be read from a pipe: its table of contents stands at its end.', {
          hint: 'Give the name of the file.',
        });
      }
      return yield* readText(prepended(begins, chunks), begins, shown);
    } finally {
      await chunks.return(undefined);
    }
  }
  return { batches: named(read(), shown), sizeBytes: undefined, readBytes: () => receivedBytes };
}

function isParquet(begins: Buffer): boolean {
  return begins.toString('latin1', 0, 4) === 'PAR1';
}

function parquetFile(file: FileHandle, sizeBytes: number, shown: string): ReportFile {
  let readBytes = 0;
  async function* lines(): AsyncGenerator<Buffer> {
    const { readParquetLines } = await import('./parquet-rows.ts');
    try {
      yield* readParquetLines(file, sizeBytes, (bytes) => {
        readBytes = bytes;
      });
    } catch (error) {
      throw damaged('It is no whole Parquet file', error);
    } finally {
      await file.close();
    }
  }
  return { batches: named(readRows(lines(), { lines: 'expected' }), shown), sizeBytes, readBytes: () => readBytes };
}

/** The rows of a text that `begins` so; the whole of it is in `bytes`. */
function readText(bytes: AsyncIterable<Uint8Array>, begins: Buffer, shown: string): RowBatches {
  if (begins.toString('latin1', 0, 2) === 'PK') return readRows(sheetLines(bytes), { lines: 'expected' });
  if (begins[0] === less) throw noReport('it is a web page', shown);
  if (begins.length === 0 && !/\.(?:ndjson|jsonl)$/i.test(shown)) throw noReport('it is empty', shown);
  const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(shown) ? 'expected' : 'allowed';
  const isGzip = begins[0] === 0x1f && begins[1] === 0x8b;
  return readRows(isGzip ? unzipped(bytes) : bytes, { lines });
}

async function* sheetLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readSheetLines } = await import('./sheet-rows.ts');
  try {
    yield* readSheetLines(bytes);
  } catch (error) {
    throw damaged('It is no sheet that adreport wrote', error);
  }
}

async function* prepended(begins: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (begins.length > 0) yield begins;
  for await (const chunk of rest) yield chunk;
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The callback is there because an error without one would be thrown; the reader sees it on the stream itself.
  const gunzip = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => {});
  try {
    for await (const chunk of gunzip) yield chunk;
  } catch (error) {
    throw damaged('Its gzip stream is not whole', error);
  }
}

/** The same batches, with errors that name the file. */
async function* named(batches: RowBatches, shown: string): RowBatches {
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return next.value;
      yield next.value;
    }
  } catch (error) {
    throw inFile(error, shown);
  } finally {
    await batches.return(undefined as never);
  }
}

const readable =
  'adreport view reads JSON, NDJSON, CSV with a header row, Parquet and the xlsx of adreport; each of the first three also as .gz.';

/** An error whose message names its file already. */
class NoReportError extends IncompleteDataError {}

/** The error for a file that holds something else; `what` is a sentence without its full stop. */
function noReport(what: string, shown: string): IncompleteDataError {
  const message = `${printable(shown)} is no report: ${what}.`;
  return new NoReportError(message, { code: 'NO_DATA', retryable: false, hint: readable });
}

/** The error for a file that does not hold what its form promises: `It is no whole Parquet file: …`. */
function damaged(what: string, cause: unknown): IncompleteDataError {
  const reason = printable(cause instanceof Error ? cause.message : String(cause)).slice(0, 200);
  return new IncompleteDataError(`${what}: ${reason}.`, { code: 'TRUNCATED', cause });
}

/**
 * What reading a file threw, as an error that names the file as the user did, and does not advise to ask the service
 * again: `UsageError` where the system gives no access to it, `IncompleteDataError` where it is no whole report. What
 * has nothing to do with the file stays as it is.
 */
function inFile(error: unknown, shown: string): unknown {
  if (error instanceof Error && 'syscall' in error) return noAccess(error, shown);
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

const reasons: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ['does not exist', 'Check the name; adreport run … -o FILE writes one.'],
  ENOTDIR: ['does not exist', 'A part of its path is a file, not a folder.'],
  EISDIR: ['is a folder', 'Give the name of a report file in it.'],
  EACCES: ['may not be read', "Check the file's permissions."],
  EPERM: ['may not be read', "Check the file's permissions."],
};

function noAccess(error: Error, shown: string): UsageError {
  const code = 'code' in error ? String(error.code) : '';
  const otherwise = [`cannot be read (${error.message})`, 'Check that it is a file, and on a disk in order.'] as const;
  const [what, hint] = reasons[code] ?? otherwise;
  return new UsageError(`${printable(shown)} ${what}.`, { code, hint, cause: error });
}
