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
 * Process that decodes Parquet files in the order of the requests. It writes the rows of each file
 * to stdout as NDJSON, then `endOfRows` and a line with a `ParquetEnd`.
 */

/** Interval at which `watch` checks the process. */
const pollIntervalMs = 50;

interface DecodedFile {
  readonly notes: readonly ParquetNote[];

  /** Last lines, which have not been written yet. */
  readonly lines: Uint8Array;
}

/**
 * Writes the rows of a file except for the last lines, so that a small file is written in one go.
 */
async function decodeFile(path: string): Promise<DecodedFile> {
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
 * Ends the process if its parent is gone, or if it takes too much memory. V8's own limit does not
 * include the bytes of pages. Runs in a thread of its own, because decoding a page may never
 * return.
 */
function watch(): void {
  const parentPid = Number(process.argv[2]);
  setInterval(() => {
    const isOrphan = process.ppid !== parentPid;
    const isTooLarge = process.memoryUsage.rss() > maxProcessBytes;
    if (isOrphan || isTooLarge) process.kill(process.pid, 'SIGKILL');
  }, pollIntervalMs);
}

/** Describes an error. The message of a crash is meaningless to users. */
function describeError(error: unknown): string {
  const isCrash = error instanceof TypeError || error instanceof RangeError;
  if (isCrash) return 'its contents are inconsistent';
  return error instanceof Error ? error.message : String(error);
}

async function sendFile({ path }: ParquetRequest): Promise<void> {
  let lines: Uint8Array = Buffer.alloc(0);
  let end: ParquetEnd;
  try {
    const decoded = await decodeFile(path);
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
