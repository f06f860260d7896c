import { closeSync, fstatSync, openSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import {
  endOfFile,
  maxProcessBytes,
  type ParquetMessage,
  type ParquetRequest,
} from './parquet-messages.ts';

/**
 * Process that decodes Parquet files. It writes the rows of each file to standard output as NDJSON,
 * followed by one byte.
 */

/** Interval of the watching thread. */
const lookEveryMs = 50;

async function decode(path: string): Promise<void> {
  const { ParquetReader } = await import('./parquet-reader.ts');
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const reader = new ParquetReader(descriptor, size, send);
    for await (const lines of reader.read()) await write(lines);
  } finally {
    closeSync(descriptor);
  }
}

function send(message: ParquetMessage): void {
  process.send?.(message);
}

function write(lines: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Ends the process if its parent is gone or it takes too much memory: V8's limit does not include
 * the bytes of pages. Runs in a separate thread, because decoding a page may never return.
 */
function watch(): void {
  const parentPid = Number(process.argv[2]);
  setInterval(() => {
    const isOrphan = process.ppid !== parentPid;
    const isTooLarge = process.memoryUsage.rss() > maxProcessBytes;
    if (isOrphan || isTooLarge) process.kill(process.pid, 'SIGKILL');
  }, lookEveryMs);
}

/** Hides a decoder's own crashes, whose messages mean nothing to users. */
function reasonOf(error: unknown): string {
  const isCrash = error instanceof TypeError || error instanceof RangeError;
  if (isCrash) return 'its contents are inconsistent';
  return error instanceof Error ? error.message : String(error);
}

async function answer({ path }: ParquetRequest): Promise<void> {
  try {
    await decode(path);
    send({ kind: 'done' });
  } catch (error) {
    send({ kind: 'done', failure: reasonOf(error) });
  }
  await write(Buffer.from([endOfFile]));
}

function main(): void {
  const watcher = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  watcher.unref();
  process.on('message', (request) => void answer(request as ParquetRequest));
}

if (isMainThread) main();
else watch();
