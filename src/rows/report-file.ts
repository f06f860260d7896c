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
import { RowPositions } from './row-positions.ts';

export interface ReportFile {
  /**
   * Rows of the file. Throws `UsageError` if the file cannot be read, and `IncompleteDataError` if
   * it is not a report.
   */
  readonly batches: RowBatches;

  /** Returns the size of the file, or the number of bytes that were read from a stream. */
  sizeBytes(): number;

  /** Formats the position of a 1-based row: `line 3` in a CSV, otherwise `row 2`. */
  positionOf(row: number): string;
}

interface ReportFileOptions {
  readonly signal?: AbortSignal;

  readonly csv?: CsvReading | undefined;

  /** Decoder for Parquet, which the caller ends. */
  readonly decoder: ParquetDecoder;
}

/** Bytes of a file to read at a time. A small file needs little memory. */
const maxPieceBytes = 256 * 1024;
const minPieceBytes = 16 * 1024;

function choosePieceBytes(sizeBytes: number): number {
  return Math.min(maxPieceBytes, Math.max(minPieceBytes, sizeBytes + 1));
}

/**
 * Opens a report file of any format. The format is recognized by the content, not by the name.
 *
 * @param displayPath path as the user wrote it
 * @throws UsageError if the file cannot be opened
 */
export async function openReportFile(
  path: string,
  displayPath: string,
  { signal, csv, decoder }: ReportFileOptions,
): Promise<ReportFile> {
  let file: number | undefined;
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const stats = fs.fstatSync(file);
    if (!stats.isFile()) throw notAFileError(displayPath);

    const pieceBytes = choosePieceBytes(stats.size);
    const piece = Buffer.allocUnsafe(pieceBytes);
    const first = piece.subarray(0, fs.readSync(file, piece, 0, pieceBytes, 0));
    if (detectBinaryFormat(first) === 'parquet') {
      return readParquet({ file, path, sizeBytes: stats.size, displayPath, signal, decoder });
    }
    const chunks = readRest(file, { first, isAll: first.length < pieceBytes, signal });
    return {
      ...readReportStream(chunks, displayPath, { csv, pieceBytes }),
      sizeBytes: () => stats.size,
    };
  } catch (error) {
    if (file !== undefined) fs.closeSync(file);
    throw nameFileInError(error, displayPath);
  }
}

/** Yields the first bytes of a file, then all others, and closes the file. */
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
    // A stream closes the file itself.
    if (!rest) fs.closeSync(file);
  }
}

function notAFileError(displayPath: string): UsageError {
  return new UsageError(`${printable(displayPath)} is not a file.`, {
    hint: 'Pass a file or a folder, or - for stdin: … | adreport view -',
  });
}

interface StreamOptions extends Pick<ReportFileOptions, 'csv'> {
  /** Number of bytes to scan at a time. */
  readonly pieceBytes?: number;
}

/** Reads a report from a stream, such as standard input. */
export function readReportStream(
  stream: AsyncIterable<Uint8Array>,
  displayPath: string,
  { csv, pieceBytes }: StreamOptions = {},
): ReportFile {
  let receivedBytes = 0;
  async function* countBytes(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) {
      receivedBytes += chunk.length;
      yield chunk;
    }
  }
  const chunks = countBytes();
  const positions = new RowPositions();
  async function* readBatches(): RowBatches {
    const head = await readHead(chunks);
    const format = detectBinaryFormat(head);
    if (format === 'parquet') throw parquetPipeError();
    const documentFormat = detectDocumentFormat(head);
    if (documentFormat) throw documentFormatError(displayPath, documentFormat);
    refuseArchive(head);

    const bytes = prepend(head, chunks);
    const lines = /\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(displayPath) ? 'expected' : 'allowed';
    const body = format === 'gzip' ? decompress(bytes) : bytes;
    return yield* readRows(body, { lines, pieceBytes, csv: { reading: csv, positions } });
  }
  const close = (): Promise<unknown> => chunks.return(undefined);
  return {
    batches: nameFileInErrors(readBatches(), {
      displayPath,
      explainDamage: explainGzipError,
      close,
    }),
    sizeBytes: () => receivedBytes,
    positionOf: (row) => positions.positionOf(row),
  };
}

function parquetPipeError(): UsageError {
  return new UsageError('Cannot read Parquet from a pipe: its footer is at the end of the file.', {
    hint: 'Pass the file name instead.',
  });
}

/** A format for people, and the kind of program that opens it. */
interface DocumentFormat {
  readonly name: string;
  readonly program: string;
}

/** Recognizes a format for people. */
function detectDocumentFormat(head: Buffer): DocumentFormat | undefined {
  const text = head.toString('latin1');
  if (text.trimStart().startsWith('%PDF-')) return { name: 'a PDF', program: 'a PDF reader' };
  if (isPage(text)) return { name: 'a web page', program: 'a browser' };
  if (detectBinaryFormat(head) !== 'zip' || !isSpreadsheet(head)) return undefined;
  return { name: 'a spreadsheet', program: 'Excel, LibreOffice or another spreadsheet program' };
}

/** Recognizes a spreadsheet by the first file in its archive. */
function isSpreadsheet(head: Buffer): boolean {
  if (head.length < 30) return true;
  const nameLength = head.readUInt16LE(26);
  const name = head.toString('utf8', 30, 30 + nameLength);
  return /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|mimetype$)/.test(name);
}

/** Throws `IncompleteDataError` if a file begins like an archive. */
function refuseArchive(head: Buffer): void {
  const format = detectBinaryFormat(head);
  if (format !== 'zip' && format !== 'zstd') return;
  const message =
    format === 'zip' ? 'This is a zip archive.' : 'This file is compressed with zstd.';
  throw new IncompleteDataError(message, { code: 'ARCHIVE', retryable: false });
}

function documentFormatError(displayPath: string, { name, program }: DocumentFormat): UsageError {
  return new UsageError(`${printable(displayPath)} is ${name}: open it with ${program}.`, {
    hint: 'adreport view reads JSON, NDJSON, CSV and Parquet. Write the report as one of these as well.',
  });
}

interface OpenParquet {
  readonly file: number;
  readonly path: string;
  readonly sizeBytes: number;
  readonly displayPath: string;
  readonly signal: AbortSignal | undefined;
  readonly decoder: ParquetDecoder;
}

function readParquet(open: OpenParquet): ReportFile {
  const { file, path, sizeBytes, displayPath, signal, decoder } = open;

  let notes: readonly ParquetNote[] = [];
  let isWhole = true;
  async function* decodeLines(): AsyncGenerator<Uint8Array> {
    try {
      notes = yield* decoder.readLines(path, signal);
    } catch (error) {
      isWhole = endsAsParquet(file, sizeBytes);
      throw error;
    }
  }
  async function* readBatches(): RowBatches {
    const tail = yield* readRows(decodeLines(), {
      lines: 'expected',
      pieceBytes: choosePieceBytes(sizeBytes),
    });
    return addMembers(tail, toMembers(notes));
  }
  const explainDamage = (error: Error): Damage | undefined => {
    if (error instanceof AdreportError) return undefined;
    const problem = `The Parquet file is ${isWhole ? 'damaged' : 'incomplete'}: ${error.message}`;
    return { problem, code: isWhole ? 'DAMAGED' : 'TRUNCATED' };
  };
  return {
    batches: nameFileInErrors(readBatches(), {
      displayPath,
      explainDamage,
      close: async () => fs.closeSync(file),
    }),
    sizeBytes: () => sizeBytes,
    positionOf: (row) => `row ${row}`,
  };
}

function addMembers(tail: ReportTail, members: readonly ReportMember[]): ReportTail {
  const summary = members.find(({ name }) => name === 'summary');
  return { ...tail, members, summary: readSummary(summary?.json) };
}

/** Yields the content of a gzip stream. Throws `IncompleteDataError` if it is compressed again. */
async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The callback keeps an error from being thrown here. Readers get the error from the stream.
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

interface Damage {
  /** Sentence without a full stop. */
  readonly problem: string;
  readonly code: 'TRUNCATED' | 'DAMAGED';
}

/** Explains an error of a gzip stream. Returns `undefined` for any other error. */
function explainGzipError(error: Error): Damage | undefined {
  const code = codeOf(error);
  if (code === 'Z_BUF_ERROR')
    return { problem: 'Its gzip stream is incomplete', code: 'TRUNCATED' };
  if (!code?.startsWith('Z_')) return undefined;
  // The first header of the file is valid, so a later one is wrong.
  const hasRest = error.message === 'incorrect header check';
  const problem = hasRest
    ? 'It has bytes after the end of its gzip stream'
    : `Its gzip stream is damaged (${error.message})`;
  return { problem, code: 'DAMAGED' };
}

function endsAsParquet(file: number, sizeBytes: number): boolean {
  const end = Buffer.alloc(4);
  fs.readSync(file, end, 0, 4, Math.max(0, sizeBytes - 4));
  return detectBinaryFormat(end) === 'parquet';
}

interface OpenRows {
  readonly displayPath: string;

  /** Explains an error of a decoder. Returns `undefined` for any other error. */
  readonly explainDamage: (error: Error) => Damage | undefined;
  readonly close: () => Promise<unknown>;
}

/** Yields batches. Adds the name of the file to errors. */
async function* nameFileInErrors(
  batches: RowBatches,
  { displayPath, explainDamage, close }: OpenRows,
): RowBatches {
  try {
    return yield* batches;
  } catch (error) {
    const damage = error instanceof Error ? explainDamage(error) : undefined;
    throw nameFileInError(damage ? damageError(damage, error) : error, displayPath);
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

/** Adds the name of the file to an error, and replaces the advice to request the report again. */
function nameFileInError(error: unknown, displayPath: string): unknown {
  const name = printable(displayPath);
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
    hint: 'Pass a report file. To write one: adreport run --period yesterday -o report.csv',
    cause,
  });
}
