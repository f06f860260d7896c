import { fstatSync } from 'node:fs';
import { fileDescriptor, type ParquetMessage } from './parquet-messages.ts';
import { ParquetReader } from './parquet-reader.ts';

/** The process that decodes a Parquet file, whose rows it writes to its standard output as JSON, one a line. */

async function main(): Promise<void> {
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

try {
  await main();
} catch (error) {
  tell({ kind: 'failure', reason: error instanceof Error ? error.message : String(error) });
}
process.disconnect?.();
