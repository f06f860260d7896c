import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { less } from './bytes.ts';
import { readRows } from './read-rows.ts';
import type { RowBatches } from './row-batch.ts';
import { damaged, inFile, noReport, parquetInPipe } from './unreadable-file.ts';

/** A report that was written earlier: its rows, and the size of its file where it has one. */
export interface ReportFile {
  /** Throw `UsageError` where it cannot be read, `IncompleteDataError` where it is no whole report. */
  readonly batches: RowBatches;
  readonly sizeBytes: number | undefined;
  /** How many bytes of it have been read so far, as they stand in the file. */
  readBytes(): number;
}

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
    return isParquet(begins) ? parquetFile(file, stat.size, shown) : textFile(file, stat.size, begins, shown);
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
      if (isParquet(begins)) throw parquetInPipe();
      return yield* readText(prepended(begins, chunks), begins, shown);
    } finally {
      await chunks.return(undefined);
    }
  }
  return { batches: named(read(), shown), sizeBytes: undefined, readBytes: () => receivedBytes };
}

const pieceBytes = 256 * 1024;

/** So many bytes tell the form of a file. */
const formBytes = 4;

function isParquet(begins: Buffer): boolean {
  return begins.toString('latin1', 0, 4) === 'PAR1';
}

function parquetFile(file: FileHandle, sizeBytes: number, shown: string): ReportFile {
  let readBytes = 0;
  const lines = parquetLines(file, sizeBytes, (bytes) => {
    readBytes = bytes;
  });
  return { batches: named(readRows(lines, { lines: 'expected' }), shown), sizeBytes, readBytes: () => readBytes };
}

async function* parquetLines(
  file: FileHandle,
  sizeBytes: number,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const { readParquetLines } = await import('./parquet-rows.ts');
  try {
    yield* readParquetLines(file, sizeBytes, tell);
  } catch (error) {
    throw damaged('It is no whole Parquet file', error);
  } finally {
    await file.close();
  }
}

function textFile(file: FileHandle, sizeBytes: number, begins: Buffer, shown: string): ReportFile {
  const stream = file.createReadStream({ start: 0, highWaterMark: pieceBytes });
  const batches = named(readText(stream, begins, shown), shown);
  return { batches, sizeBytes, readBytes: () => stream.bytesRead };
}

/** The rows of a text that `begins` so; the whole of it is in `bytes`. */
function readText(bytes: AsyncIterable<Uint8Array>, begins: Buffer, shown: string): RowBatches {
  if (begins.toString('latin1', 0, 2) === 'PK') throw noReport('it is a zip file, such as xlsx', shown);
  if (begins[0] === less) throw noReport('it is a web page', shown);
  if (begins.length === 0 && !/\.(?:ndjson|jsonl)$/i.test(shown)) throw noReport('it is empty', shown);
  const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(shown) ? 'expected' : 'allowed';
  const isGzip = begins[0] === 0x1f && begins[1] === 0x8b;
  return readRows(isGzip ? unzipped(bytes) : bytes, { lines });
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
