import { closeSync, constants, createReadStream, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import type { Context } from '../../context.ts';
import { createSpool, type Spool } from '../../output/file/spool.ts';
import type { CsvCells } from '../../rows/csv-rows.ts';
import type { ParquetDecoder } from '../../rows/parquet-rows.ts';
import { openReportFile, type ReportFile, readReportStream } from '../../rows/report-file.ts';

/** A path, `-` for stdin, and the path for messages. */
interface OpenedFile {
  readonly path: string;
  readonly shown: string;
}

/** A file, or a stream that is copied to disk when it is first read. */
export class ReportSource {
  readonly #context: ReadingContext;
  readonly #file: OpenedFile;
  readonly #spool: Spool | undefined;
  readonly #decoder: ParquetDecoder | undefined;
  #isSpooled = false;

  private constructor(
    context: ReadingContext,
    file: OpenedFile,
    { spool, decoder }: { spool: Spool | undefined; decoder: ParquetDecoder | undefined },
  ) {
    this.#context = context;
    this.#file = file;
    this.#spool = spool;
    this.#decoder = decoder;
  }

  static async open(
    context: ReadingContext,
    file: OpenedFile,
    decoder?: ParquetDecoder,
  ): Promise<ReportSource> {
    const isStream = file.path === '-' || (await isPipe(resolve(context.host.cwd, file.path)));
    const spool = isStream ? await createSpool(tmpdir()) : undefined;
    return new ReportSource(context, file, { spool, decoder });
  }

  async read(cells: CsvCells | undefined): Promise<ReportFile> {
    const { cwd, signal, stdin } = this.#context.host;
    const isStdin = this.#file.path === '-';
    const path = resolve(cwd, this.#file.path);
    const shown = isStdin ? 'stdin' : this.#file.shown;
    const spool = this.#spool;
    if (!spool) return openReportFile(path, shown, { signal, cells, decoder: this.#decoder });
    if (this.#isSpooled) return readReportStream(spool.read(), shown, { cells });

    this.#isSpooled = true;
    const stream = isStdin ? addAbortSignal(signal, stdin) : openPipe(path, signal);
    async function* spooling(): AsyncGenerator<Uint8Array> {
      for await (const piece of stream) {
        await spool?.write(piece);
        yield piece;
      }
    }
    return readReportStream(spooling(), shown, { cells });
  }

  async close(): Promise<void> {
    await this.#spool?.close();
  }
}

async function isPipe(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFIFO() === true;
}

/**
 * The bytes of a named pipe. Opening and reading block until another program opens it, and cannot
 * be aborted; so on a signal, this program opens the other end itself.
 */
function openPipe(path: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const wake = (): void => {
    try {
      const end = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(end, '\n');
      closeSync(end);
    } catch {
      // The read has already ended.
    }
  };
  signal.addEventListener('abort', wake, { once: true });
  return createReadStream(path, { highWaterMark: 256 * 1024, signal });
}

export type ReadingContext = Pick<Context, 'host'>;
