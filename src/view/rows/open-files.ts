import { addAbortSignal } from 'node:stream';
import { ParquetDecoder } from '../../rows/parquet-rows.ts';
import { openReportFile, type ReportFile, readReportStream } from '../../rows/report-file.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import type { Context } from '../../run/context.ts';
import type { SourceFile } from '../sources/open-paths.ts';
import { CellReading } from './read-cells.ts';

export interface OpenFile {
  readonly source: SourceFile;
  readonly report: ReportFile;
  readonly cells: CellReading;

  /** First batch, which is already being read, so that files are read concurrently. */
  readonly first: Promise<IteratorResult<RowBatch, ReportTail>>;
}

const maxOpenFiles = 8;

/**
 * Yields open files in order, and closes each after use. Opens a few files ahead.
 *
 * @throws UsageError in place of a file that cannot be opened
 */
export async function* openFiles(
  sources: readonly SourceFile[],
  host: Context['host'],
): AsyncGenerator<OpenFile> {
  const decoder = new ParquetDecoder();
  const waiting = [...sources];
  const ahead: Promise<OpenFile>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  try {
    for (;;) {
      for (const source of waiting.splice(0, maxOpenFiles - ahead.length)) {
        const opening = last.then(() => openFile(source, host, decoder));
        last = opening.catch(() => {});
        ahead.push(opening);
      }
      const next = await ahead.shift();
      if (!next) return;
      try {
        yield next;
      } finally {
        await closeFile(next);
      }
    }
  } finally {
    for (const opening of ahead) await opening.then(closeFile, () => {});
    decoder.end();
  }
}

async function closeFile({ report }: OpenFile): Promise<void> {
  await report.batches.return?.();
}

async function openFile(
  source: SourceFile,
  { stdin, signal }: Context['host'],
  decoder: ParquetDecoder,
): Promise<OpenFile> {
  const { path, displayPath } = source;
  const cells = new CellReading(displayPath);
  const report =
    path === '-'
      ? readReportStream(addAbortSignal(signal, stdin), displayPath, { csv: cells })
      : await openReportFile(path, displayPath, { signal, csv: cells, decoder });
  const first = report.batches.next();
  first.catch(() => {});
  return { source, report, cells, first };
}
