import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { codeOf, IncompleteDataError, RejectedError, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { readSummary } from './json-document.ts';
import { membersFrom, type ParquetNote } from './parquet-messages.ts';
import { prepended, readHead, readRows } from './read-rows.ts';
import type { ReportMember, ReportTail, RowBatches } from './row-batch.ts';

/** A report that was written earlier: its rows, and the size of its file where it has one. */
export interface ReportFile {
  /**
   * Throw `UsageError` where it cannot be read, `IncompleteDataError` where it is no whole report.
   */
  readonly batches: RowBatches;
  readonly sizeBytes: number | undefined;

  /** How many bytes of it have been read so far, as they stand in the file. */
  readBytes(): number;
}

/**
 * Opens a report file of any form: what it holds decides, not its name.
 * @param path where it is; `shown` is how the user called it
 * @param signal ends the reading
 * @throws UsageError where it cannot be opened
 */
export async function openReportFile(
  path: string,
  shown: string,
  signal?: AbortSignal,
): Promise<ReportFile> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const stat = await file.stat();
    // A named pipe gives each byte once.
    const isFile = stat.isFile();
    if (isFile) {
      const { buffer: head } = await file.read(Buffer.alloc(4), 0, 4, 0);
      if (isParquet(head)) return parquetFile({ file, sizeBytes: stat.size, shown, signal });
    }
    const start = isFile ? 0 : undefined;
    const stream = file.createReadStream({ start, highWaterMark: 256 * 1024, signal });
    const read = readReportStream(stream, shown);
    return { ...read, sizeBytes: isFile ? stat.size : undefined };
  } catch (error) {
    await file?.close();
    throw errorInFile(error, shown);
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
  const chunks = counted();
  async function* read(): RowBatches {
    const head = await readHead(chunks);
    if (isParquet(head)) throw parquetInPipe();
    const form = formForPeople(head);
    if (form) throw isForPeople(shown, form);

    const bytes = prepended(head, chunks);
    const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(shown) ? 'expected' : 'allowed';
    const isGzip = head[0] === 0x1f && head[1] === 0x8b;
    return yield* readRows(isGzip ? unzipped(bytes) : bytes, { lines });
  }
  const batches = inFile(read(), shown, () => chunks.return(undefined));
  return { batches, sizeBytes: undefined, readBytes: () => receivedBytes };
}

function parquetInPipe(): UsageError {
  return new UsageError(
    'Parquet cannot be read from a pipe: its table of contents stands at its end.',
    { hint: 'Give the name of the file.' },
  );
}

/** A form of report that is for people, and with what they open it. */
interface FormForPeople {
  readonly name: string;
  readonly program: string;
}

/** The form of a file that is for people alone; `undefined` for every other file. */
function formForPeople(head: Buffer): FormForPeople | undefined {
  const text = head.toString('latin1').trimStart();
  if (text.startsWith('%PDF-')) return { name: 'a PDF', program: 'a PDF reader' };
  if (text.startsWith('<')) return { name: 'a web page', program: 'a browser' };
  if (!text.startsWith('PK\x03\x04')) return undefined;
  return { name: 'a sheet', program: 'Excel, LibreOffice or another program for sheets' };
}

function isForPeople(shown: string, { name, program }: FormForPeople): UsageError {
  return new UsageError(`${printable(shown)} is ${name}: open it with ${program}.`, {
    hint: 'adreport view reads JSON, NDJSON, CSV and Parquet: write the report as one of these too.',
  });
}

function isParquet(head: Buffer): boolean {
  return head.toString('latin1', 0, 4) === 'PAR1';
}

interface OpenParquet {
  readonly file: FileHandle;
  readonly sizeBytes: number;
  readonly shown: string;
  readonly signal: AbortSignal | undefined;
}

function parquetFile({ file, sizeBytes, shown, signal }: OpenParquet): ReportFile {
  let readBytes = 0;
  let notes: readonly ParquetNote[] = [];
  async function* lines(): AsyncGenerator<Uint8Array> {
    const { readParquetLines } = await import('./parquet-rows.ts');
    const listener = {
      position(bytes: number): void {
        readBytes = bytes;
      },
      notes(list: readonly ParquetNote[]): void {
        notes = list;
      },
    };
    yield* damagedOr('It is no whole Parquet file', readParquetLines(file, listener, signal));
  }
  async function* rows(): RowBatches {
    const tail = yield* readRows(lines(), { lines: 'expected' });
    return tailWith(tail, membersFrom(notes));
  }
  const batches = inFile(rows(), shown, () => file.close());
  return { batches, sizeBytes, readBytes: () => readBytes };
}

function tailWith(tail: ReportTail, members: readonly ReportMember[]): ReportTail {
  const summary = members.find(({ name }) => name === 'summary');
  return { ...tail, members, summary: readSummary(summary?.json) };
}

function unzipped(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The callback is there because an error without one would be thrown; the reader sees it on the
  // stream itself.
  const gunzip = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => {});
  return damagedOr('Its gzip stream is not whole', gunzip);
}

/**
 * The same pieces; what reading them throws says that the file does not hold what its form
 * promises.
 */
async function* damagedOr(
  what: string,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pieces) yield piece;
  } catch (cause) {
    const reason = printable(cause instanceof Error ? cause.message : String(cause)).slice(0, 200);
    throw new IncompleteDataError(`${what}: ${reason}.`, { code: 'TRUNCATED', cause });
  }
}

/** The batches; what reading them throws names the file. */
async function* inFile(
  batches: RowBatches,
  shown: string,
  close: () => Promise<unknown>,
): RowBatches {
  try {
    return yield* batches;
  } catch (error) {
    throw errorInFile(error, shown);
  } finally {
    await close();
  }
}

/** An error that names the file as the user did, and does not advise to ask the service again. */
function errorInFile(error: unknown, shown: string): unknown {
  const name = printable(shown);
  if (error instanceof Error && 'syscall' in error) return unreadableFile(error, name);

  const isOfBody = error instanceof IncompleteDataError || error instanceof RejectedError;
  if (!isOfBody) return error;
  return new IncompleteDataError(`${name}: ${error.message}`, {
    code: error.code,
    retryable: false,
    hint:
      'If it was cut off on its way, fetch it again. adreport view reads JSON, NDJSON and CSV with a header row, each ' +
      'also as .gz, and Parquet.',
    cause: error,
  });
}

/** The error of a file that the system does not open or read. */
function unreadableFile(cause: Error, name: string): UsageError {
  const code = codeOf(cause) ?? '';
  let reason = `cannot be read (${cause.message})`;
  if (code === 'ENOENT') reason = 'does not exist';
  if (code === 'EISDIR') reason = 'is a folder';
  return new UsageError(`${name} ${reason}.`, {
    code,
    hint: 'Give the name of a report file; adreport run … -o FILE writes one.',
    cause,
  });
}
