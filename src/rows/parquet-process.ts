import { fstatSync } from 'node:fs';
import { isMainThread, Worker } from 'node:worker_threads';
import { fileDescriptor, mostProcessBytes, type ParquetMessage } from './parquet-messages.ts';

/**
 * The process that decodes a Parquet file, whose rows it writes to its standard output as JSON, one
 * a line.
 */

/** The second thread looks so often. */
const lookEveryMs = 50;

async function decode(): Promise<void> {
  const { ParquetReader } = await import('./parquet-reader.ts');
  const { size } = fstatSync(fileDescriptor);
  const reader = new ParquetReader(fileDescriptor, size, tell);
  for await (const lines of reader.read()) await write(lines);
}

function tell(message: ParquetMessage): void {
  process.send?.(message);
}

function write(lines: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Ends the process where the one that started it is gone, or where it takes too much memory: V8
 * bounds its own values, and not the bytes of pages. A thread of its own looks, because a page may
 * be decoded for ever.
 */
function watch(): void {
  const parentPid = Number(process.argv[2]);
  setInterval(() => {
    const isOrphan = process.ppid !== parentPid;
    const isTooLarge = process.memoryUsage.rss() > mostProcessBytes;
    if (isOrphan || isTooLarge) process.kill(process.pid, 'SIGKILL');
  }, lookEveryMs);
}

/** Why a file cannot be decoded; what a decoder trips over in damaged bytes says nothing. */
function reasonOf(error: unknown): string {
  const isStumble = error instanceof TypeError || error instanceof RangeError;
  if (isStumble) return 'its contents do not fit together';
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<void> {
  const watcher = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  watcher.unref();
  try {
    await decode();
  } catch (error) {
    tell({ kind: 'failure', reason: reasonOf(error) });
  }
  process.disconnect?.();
}

if (isMainThread) await main();
else watch();
