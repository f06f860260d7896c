import * as fs from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { detectBinaryFormat, isPage } from '../contract/body-kind.ts';
import { AdreportError, codeOf, IncompleteDataError, UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import type { CsvReading } from './csv-rows.ts';
import { readSummary } from './json-document.ts';
import { type ParquetNote, toMembers } from './parquet-messages.ts';
import type { ParquetDecoder } from './parquet-rows.ts';
import { prepend, readHead, readRows } from './read-rows.ts';
import type { ReportMember, ReportTail, RowBatches } from './row-batch.ts';
import { RowPlaces } from './row-places.ts';

export interface ReportFile {
  /**
   * Rows of the file. Throws `UsageError` if it cannot be read, `IncompleteDataError` if it is not
   * a report.
   */
  readonly batches: RowBatches;

  /** Returns the size of the file. For a stream, returns the number of bytes read so far. */
  sizeBytes(): number;

  /** Names the place of a row, counted from 1: `line 3` of a CSV, `row 2` of others. */
  placeOf(row: number): string;
}

interface ReportFileOptions {
  readonly signal?: AbortSignal;

  readonly csv?: CsvReading | undefined;

  /**
   * Decoder for Parquet. Its creator ends it. Files are read in the order in which reading them
   * began.
   */
  readonly decoder: ParquetDecoder;
}

/** Bytes of a file to read together: a small file needs little memory. */
const maxPieceBytes = 256 * 1024;
const minPieceBytes = 16 * 1024;

function pieceBytesFor(sizeBytes: number): number {
  return Math.min(maxPieceBytes, Math.max(minPieceBytes, sizeBytes + 1));
}

/**
 * Opens a report file of any format. Its content decides, not its name.
 *
 * @param shown path as the user wrote it
 * @throws UsageError if it cannot be opened
 */
export async function openReportFile(
  path: string,
  shown: string,
  { signal, csv, decoder }: ReportFileOptions,
): Promise<ReportFile> {
  let file: number | undefined;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const stats = fs.fstatSync(file);
    if (!stats.isFile()) throw notAFileError(shown);

    const pieceBytes = pieceBytesFor(stats.size);
    const piece = Buffer.allocUnsafe(pieceBytes);
    const first = piece.subarray(0, fs.readSync(file, piece, 0, pieceBytes, 0));
    if (detectBinaryFormat(first) === 'parquet') {
      return parquetFile({ file, path, sizeBytes: stats.size, shown, signal, decoder });
    }
    const chunks = readRest(file, { first, isAll: first.length < pieceBytes, signal });
    return { ...readReportStream(chunks, shown, { csv, pieceBytes }), sizeBytes: () => stats.size };
  } catch (error) {
    if (file !== undefined) fs.closeSync(file);
    throw nameFileInError(error, shown);
  }
}

/** Yields the first bytes of a file, then the others, and closes it. */
async function* readRest(
  file: number,
  start: {
    readonly first: Buffer;
    readonly isAll: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<Uint8Array> {
  const { first, isAll, signal } = start;
  let rest: fs.ReadStream | undefined;
  try {
    yield first;
    if (isAll) return;
    rest = fs.createReadStream('', {
      fd: file,
      start: first.length,
      highWaterMark: maxPieceBytes,
      signal,
    });
    yield* rest;
  } finally {
    // A stream closes its file itself.
    if (!rest) fs.closeSync(file);
  }
}

function notAFileError(shown: string): UsageError {
  return new UsageError(`${printable(shown)} is not a file.`, {
    hint: 'Give a file or a folder; - reads standard input: … | adreport view -',
  });
}

interface StreamOptions extends Pick<ReportFileOptions, 'csv'> {
  /** Bytes to scan together. */
  readonly pieceBytes?: number;
}

/** Reads a report from a stream, such as standard input. */
export function readReportStream(
  stream: AsyncIterable<Uint8Array>,
  shown: string,
  { csv, pieceBytes }: StreamOptions = {},
): ReportFile {
  let receivedBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      receivedBytes += chunk.length;
      yield chunk;
    }
  }
  const chunks = counted();
  const places = new RowPlaces();
  async function* read(): RowBatches {
    const head = await readHead(chunks);
    const form = detectBinaryFormat(head);
    if (form === 'parquet') throw parquetPipeError();
    const formForPeople = detectDocumentFormat(head);
    if (formForPeople) throw documentFormatError(shown, formForPeople);
    refuseArchive(head);

    const bytes = prepend(head, chunks);
    const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(shown) ? 'expected' : 'allowed';
    const body = form === 'gzip' ? decompress(bytes) : bytes;
    return yield* readRows(body, { lines, pieceBytes, csv: { reading: csv, places } });
  }
  const close = (): Promise<unknown> => chunks.return(undefined);
  return {
    batches: nameFileInErrors(read(), { shown, damageOf: explainGzipError, close }),
    sizeBytes: () => receivedBytes,
    placeOf: (row) => places.nameOf(row),
  };
}

function parquetPipeError(): UsageError {
  return new UsageError('Cannot read Parquet from a pipe: its footer is at the end of the file.', {
    hint: 'Give the file name instead.',
  });
}

/** A format for people, and a program that opens it. */
interface DocumentFormat {
  readonly name: string;
  readonly program: string;
}

/** Recognizes formats made for people; `undefined` for all others. */
function detectDocumentFormat(head: Buffer): DocumentFormat | undefined {
  const text = head.toString('latin1');
  if (text.trimStart().startsWith('%PDF-')) return { name: 'a PDF', program: 'a PDF reader' };
  if (isPage(text)) return { name: 'a web page', program: 'a browser' };
  if (detectBinaryFormat(head) !== 'zip' || !isSheet(head)) return undefined;
  return { name: 'a spreadsheet', program: 'Excel, LibreOffice or another spreadsheet program' };
}

/** Returns true if the first file of a zip is that of a spreadsheet. */
function isSheet(head: Buffer): boolean {
  if (head.length < 30) return true;
  const nameLength = head.readUInt16LE(26);
  const name = head.toString('utf8', 30, 30 + nameLength);
  return /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|mimetype$)/.test(name);
}

/** Throws `IncompleteDataError` for the beginning of an archive. */
function refuseArchive(head: Buffer): void {
  const form = detectBinaryFormat(head);
  if (form !== 'zip' && form !== 'zstd') return;
  const sentence = form === 'zip' ? 'This is a zip archive.' : 'This file is compressed with zstd.';
  throw new IncompleteDataError(sentence, { code: 'ARCHIVE', retryable: false });
}

function documentFormatError(shown: string, { name, program }: DocumentFormat): UsageError {
  return new UsageError(`${printable(shown)} is ${name}: open it with ${program}.`, {
    hint: 'adreport view reads JSON, NDJSON, CSV and Parquet. Write the report as one of these as well.',
  });
}

interface OpenParquet {
  readonly file: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly shown: string;
  readonly signal: AbortSignal | undefined;
  readonly decoder: ParquetDecoder;
}

function parquetFile(open: OpenParquet): ReportFile {
  const { file, path, sizeBytes, shown, signal, decoder } = open;

  let notes: readonly ParquetNote[] = [];
  let isWhole = true;
  async function* lines(): AsyncGenerator<Uint8Array> {
    try {
      notes = yield* decoder.lines(path, signal);
    } catch (error) {
      isWhole = endsAsParquet(file, sizeBytes);
      throw error;
    }
  }
  async function* rows(): RowBatches {
    const tail = yield* readRows(lines(), {
      lines: 'expected',
      pieceBytes: pieceBytesFor(sizeBytes),
    });
    return addMembers(tail, toMembers(notes));
  }
  const damageOf = (error: Error): Damage | undefined => {
    if (error instanceof AdreportError) return undefined;
    const problem = `The Parquet file is ${isWhole ? 'damaged' : 'incomplete'}: ${error.message}`;
    return { problem, code: isWhole ? 'DAMAGED' : 'TRUNCATED' };
  };
  return {
    batches: nameFileInErrors(rows(), { shown, damageOf, close: async () => fs.closeSync(file) }),
    sizeBytes: () => sizeBytes,
    placeOf: (row) => `row ${row}`,
  };
}

function addMembers(tail: ReportTail, members: readonly ReportMember[]): ReportTail {
  const summary = members.find(({ name }) => name === 'summary');
  return { ...tail, members, summary: readSummary(summary?.json) };
}

/** Yields the content of a gzip stream. Throws `IncompleteDataError` if it is compressed again. */
async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Without a callback an error would be thrown; the reader gets it from the stream.
  const gunzip = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), () => {});
  try {
    const pieces: AsyncIterator<Uint8Array> = gunzip[Symbol.asyncIterator]();
    const head = await readHead(pieces);
    if (detectBinaryFormat(head) === 'gzip') {
      throw new IncompleteDataError('It is compressed twice.', { code: 'ARCHIVE' });
    }
    refuseArchive(head);
    yield* prepend(head, pieces);
  } finally {
    gunzip.destroy();
  }
}

/** Problem with a file, without a full stop, and the code of its error. */
interface Damage {
  readonly problem: string;
  readonly code: 'TRUNCATED' | 'DAMAGED';
}

/** Explains an error of a gzip stream; `undefined` for any other error. */
function explainGzipError(error: Error): Damage | undefined {
  const code = codeOf(error);
  if (code === 'Z_BUF_ERROR')
    return { problem: 'Its gzip stream is incomplete', code: 'TRUNCATED' };
  if (!code?.startsWith('Z_')) return undefined;
  // The header at the beginning of the file has been recognized, so this is a second one.
  const hasRest = error.message === 'incorrect header check';
  const problem = hasRest
    ? 'It has bytes after the end of its gzip stream'
    : `Its gzip stream is damaged (${error.message})`;
  return { problem, code: 'DAMAGED' };
}

/** Checks the last four bytes. */
function endsAsParquet(file: number, sizeBytes: number): boolean {
  const end = Buffer.alloc(4);
  fs.readSync(file, end, 0, 4, Math.max(0, sizeBytes - 4));
  return detectBinaryFormat(end) === 'parquet';
}

interface OpenRows {
  readonly shown: string;

  /** Explains an error of a decoder; `undefined` for any other error. */
  readonly damageOf: (error: Error) => Damage | undefined;
  readonly close: () => Promise<unknown>;
}

/** Passes batches through. If an error occurs, adds the name of the file. */
async function* nameFileInErrors(
  batches: RowBatches,
  { shown, damageOf, close }: OpenRows,
): RowBatches {
  try {
    return yield* batches;
  } catch (error) {
    const damage = error instanceof Error ? damageOf(error) : undefined;
    throw nameFileInError(damage ? damageError(damage, error) : error, shown);
  } finally {
    await close();
  }
}

function damageError({ problem, code }: Damage, cause: unknown): IncompleteDataError {
  return new IncompleteDataError(`${printable(problem).slice(0, 300)}.`, { code, cause });
}

/** Hints by error code. */
const hints: Readonly<Record<string, string>> = {
  TRUNCATED: 'Its end is missing: download it again.',
  NOT_UTF8: 'Save the file as UTF-8.',
  ARCHIVE: 'Extract it and view the report file inside.',
};
const readableHint =
  'adreport view reads JSON, NDJSON and CSV with a header row, each also as .gz, and Parquet.';

/** Adds the name of the file to an error. Removes the advice to request the report again. */
function nameFileInError(error: unknown, shown: string): unknown {
  const name = printable(shown);
  if (error instanceof Error && 'syscall' in error) return unreadableFileError(error, name);

  if (!(error instanceof AdreportError) || ![4, 9].includes(error.exitCode)) return error;
  return new IncompleteDataError(`${name}: ${error.message}`, {
    code: error.code,
    retryable: false,
    hint: hints[error.code] ?? readableHint,
    cause: error,
  });
}

function unreadableFileError(cause: Error, name: string): UsageError {
  const code = codeOf(cause) ?? '';
  if (code === 'EACCES' || code === 'EPERM') {
    return new UsageError(`Cannot read ${name}: permission denied.`, {
      code,
      hint: "Check the file's permissions.",
      cause,
    });
  }

  const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${cause.message})`;
  return new UsageError(`${name} ${reason}.`, {
    code,
    hint: 'Give a report file. To write one: adreport run --period yesterday -o report.csv',
    cause,
  });
}
