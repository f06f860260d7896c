import { closeSync, fstatSync, openSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import {
  endOfRows,
  maxProcessBytes,
  type ParquetEnd,
  type ParquetNote,
  type ParquetRequest,
} from './parquet-messages.ts';

/**
 * Process that decodes Parquet files in the order of the requests. The rows of each file are
 * written to standard output as NDJSON. One byte and a line with the end of the file follow.
 */

/** Interval of the watching thread. */
const pollIntervalMs = 50;

/** A decoded file: adreport's metadata, and the last lines, which have not been written yet. */
interface DecodedFile {
  readonly notes: readonly ParquetNote[];
  readonly lines: Uint8Array;
}

/**
 * Writes the rows of a file except for the last lines. The caller writes these, so that a small
 * file is written at once.
 */
async function decode(path: string): Promise<DecodedFile> {
  const { ParquetReader } = await import('./parquet-reader.ts');
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const reader = new ParquetReader(descriptor, size);
    let lines: Uint8Array = Buffer.alloc(0);
    for await (const next of reader.read()) {
      await write(lines);
      lines = next;
    }
    return { notes: reader.notes, lines };
  } finally {
    closeSync(descriptor);
  }
}

function write(lines: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Ends the process if its parent is gone or it takes too much memory. V8's own limit does not
 * include the bytes of pages. Runs in a separate thread, because decoding a page may never return.
 */
function watch(): void {
  const parentPid = Number(process.argv[2]);
  setInterval(() => {
    const isOrphan = process.ppid !== parentPid;
    const isTooLarge = process.memoryUsage.rss() > maxProcessBytes;
    if (isOrphan || isTooLarge) process.kill(process.pid, 'SIGKILL');
  }, pollIntervalMs);
}

/** Hides a decoder's own crashes, whose messages mean nothing to users. */
function describeError(error: unknown): string {
  const isCrash = error instanceof TypeError || error instanceof RangeError;
  if (isCrash) return 'its contents are inconsistent';
  return error instanceof Error ? error.message : String(error);
}

async function sendFile({ path }: ParquetRequest): Promise<void> {
  let lines: Uint8Array = Buffer.alloc(0);
  let end: ParquetEnd;
  try {
    const decoded = await decode(path);
    lines = decoded.lines;
    end = { notes: decoded.notes };
  } catch (error) {
    end = { failure: describeError(error) };
  }
  const mark = Buffer.from([endOfRows]);
  await write(Buffer.concat([lines, mark, Buffer.from(`${JSON.stringify(end)}\n`)]));
}

function main(): void {
  const watcher = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  watcher.unref();
  let work = Promise.resolve();
  process.on('message', (request) => {
    work = work.then(() => sendFile(request as ParquetRequest));
  });
}

if (isMainThread) main();
else watch();
