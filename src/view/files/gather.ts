import type { Context } from '../../context.ts';
import { Grouping, type KeyColumn } from '../../figures/grouping.ts';
import { ParquetDecoder } from '../../rows/parquet-rows.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import type { SourceFile } from '../sources/source-file.ts';
import { expectAlike } from './alike.ts';
import {
  type DaySpan,
  type FileDays,
  FileTaker,
  type RowRequest,
  type SpanSums,
  type TakenFile,
} from './file-taker.ts';
import { expectNoOverlap } from './overlap.ts';
import { type ReadFile, readReport } from './read-file.ts';
import { ReportSource } from './report-source.ts';

/** All files, added up. */
export interface GatheredRows {
  /** One for each span of the request; a single one without spans. */
  readonly sums: readonly SpanSums[];

  /** The keys of `--by`; `undefined` without it, or if no file has columns. */
  readonly keys: readonly KeyColumn[] | undefined;

  /** The columns of the files, in order. */
  readonly fields: readonly string[];
  readonly previewLines: readonly string[];

  /** The tails of the files, in order. */
  readonly tails: readonly ReportTail[];

  /** All rows, before `--filter` and `--period`. */
  readonly rowCount: number;

  /** The rows of each span of the request, before `--filter`. */
  readonly spanRowCounts: readonly number[];
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Reads files one after the other, in constant memory.
 * @throws UsageError for files that cannot be combined, and like `readReport`
 */
export async function gatherRows(
  context: Pick<Context, 'host' | 'progress'>,
  files: readonly SourceFile[],
  request: RowRequest,
): Promise<GatheredRows> {
  const gathering = new Gathering(context, request, files);
  const progress = await context.progress();
  const meter = progress.transfer('Reading', totalBytes(files));
  try {
    for (const file of files) await gathering.read(file, (bytes) => meter.update({ bytes }));
    await gathering.expectNoOverlap();
    return gathering.result();
  } finally {
    meter.stop();
    await gathering.close();
  }
}

/** Total size of files in bytes; 0 if the size of one is unknown. */
function totalBytes(files: readonly SourceFile[]): number {
  let total = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === undefined) return 0;
    total += sizeBytes;
  }
  return total;
}

class Gathering {
  readonly #context: Pick<Context, 'host' | 'progress'>;
  readonly #request: RowRequest;
  readonly #files: readonly SourceFile[];
  readonly #decoder = new ParquetDecoder();
  readonly #taken: TakenFile[] = [];
  readonly #sums: SpanSums[] = [];
  readonly #previewLines: string[] = [];
  #bytesRead = 0;

  constructor(
    context: Pick<Context, 'host' | 'progress'>,
    request: RowRequest,
    files: readonly SourceFile[],
  ) {
    this.#context = context;
    this.#request = request;
    this.#files = files;
  }

  /** @param onBytes called with the bytes of all files that have been read so far */
  async read(file: SourceFile, onBytes: (bytes: number) => void): Promise<void> {
    const { path, shown } = file;
    const source = await ReportSource.open(this.#context, { path, shown }, this.#decoder);
    const bytesBefore = this.#bytesRead;
    const request = this.#requestOfNext();
    const days = this.#daysOf(file);
    try {
      const read = await readReport(this.#context, source, {
        makeTaker: () => new FileTaker(request, days),
        onBytes: (bytes) => onBytes(bytesBefore + bytes),
      });
      read.taker.end(read.tail);
      await this.#add({ file, source, read });
    } catch (error) {
      await source.close();
      throw error;
    }
  }

  /** Files after the one that fills the preview need none. */
  #requestOfNext(): RowRequest {
    const shown = this.#sums[0]?.byTime.rowCount ?? 0;
    return shown === 0 ? this.#request : { ...this.#request, previewRows: 0 };
  }

  #daysOf({ unit, shown }: SourceFile): FileDays {
    const { spans } = this.#request;
    const span = unit && spans.length > 0 ? spanHolding(spans, unit) : undefined;
    const remembersDays = this.#files.length > 1 && !unit;
    return { day: unit?.since, span, shown: printable(shown), remembersDays };
  }

  async #add(taken: TakenFile): Promise<void> {
    const { taker } = taken.read;
    const first = this.#taken.find(hasColumns);
    if (first && hasColumns(taken)) await expectAlike(this.#context, first, taken);
    this.#taken.push(taken);
    this.#bytesRead += taken.read.sizeBytes;
    if (this.#previewLines.length === 0) this.#previewLines.push(...taker.previewLines);
    for (const [index, { byTime, groups }] of taker.sums.entries()) {
      const known = this.#sums[index];
      if (!known) this.#sums[index] = { byTime, groups };
      else {
        known.byTime.absorb(byTime);
        known.groups.absorb(groups);
      }
    }
    taker.sums = [];
  }

  expectNoOverlap(): Promise<void> {
    return expectNoOverlap(this.#context, this.#taken);
  }

  result(): GatheredRows {
    const taken = this.#taken;
    const takers = taken.map(({ read }) => read.taker);
    const withColumns = taken.find(hasColumns)?.read.taker;
    const sums = this.#sumsOfSpans();
    return {
      sums,
      keys: withColumns?.keys,
      fields: withColumns?.fields ?? [],
      previewLines: this.#previewLines,
      tails: taken.map(({ read }) => read.tail),
      rowCount: total(takers.map(({ rowCount }) => rowCount)),
      spanRowCounts: sums.map((_, span) => {
        return total(takers.map(({ spanRowCounts }) => spanRowCounts[span] ?? 0));
      }),
      sizeBytes: this.#bytesRead,
      warnings: this.#sentences(({ warnings }) => warnings),
      notes: this.#sentences(({ notes }) => notes),
    };
  }

  /** The sums of each span; empty ones for a span without a file. */
  #sumsOfSpans(): SpanSums[] {
    const spanCount = Math.max(1, this.#request.spans.length);
    return Array.from({ length: spanCount }, (_, span) => {
      return this.#sums[span] ?? { byTime: new Grouping('time'), groups: new Grouping() };
    });
  }

  /** Sentences on the files, which begin with the name of theirs if there are several. */
  #sentences(of: (read: ReadFile<FileTaker>) => readonly string[]): string[] {
    const sentences: string[] = [];
    for (const { file, read } of this.#taken) {
      const start = this.#taken.length === 1 ? '' : `${printable(file.shown)}: `;
      for (const sentence of of(read)) sentences.push(start + sentence);
    }
    return sentences;
  }

  async close(): Promise<void> {
    this.#decoder.end();
    for (const { source } of this.#taken) await source.close();
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function hasColumns({ read }: TakenFile): boolean {
  return read.taker.fields.length > 0;
}

/** The index of the span that a unit is in; -1 for none. */
function spanHolding(spans: readonly DaySpan[], unit: DaySpan): number {
  return spans.findIndex(({ since, until }) => since <= unit.since && unit.until <= until);
}
