import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { ParquetMessage, ParquetNote } from './parquet-messages.ts';

/** How much memory the values of a file may take, in megabytes. */
const maxMemoryMb = 224;

/**
 * The process may be silent for so long, and a second more for each megabyte of the column that it
 * decodes.
 */
const usualSilenceMs = 10_000;
const bytesPerMs = 1000;

/** Hears what is told of a Parquet file while it is read. */
export interface ParquetListener {
  /** The rows so far end at this byte of the file, roughly. */
  position(bytes: number): void;

  /** What adreport noted of the report. */
  notes(notes: readonly ParquetNote[]): void;
}

/**
 * The rows of a Parquet file as JSON objects, one a line. A process of its own decodes it: of some
 * damaged files hyparquet makes endless loops, or lists of a length at which V8 ends the whole
 * process.
 * @param signal ends the process
 * @throws an error of any kind, where the signal comes, or the file is damaged, holds other rows
 * than it says, or uses what cannot be read
 */
export async function* readParquetLines(
  file: FileHandle,
  listener: ParquetListener,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const decoder = new Decoder(file.fd, listener);
  const endWithSignal = (): void => decoder.end();
  signal?.addEventListener('abort', endWithSignal);
  try {
    yield* decoder.lines();
  } finally {
    signal?.removeEventListener('abort', endWithSignal);
    decoder.end();
  }
}

/** The process that decodes a file, as its parent sees it. */
class Decoder {
  readonly #child: ChildProcess;
  readonly #listener: ParquetListener;
  readonly #endWithUs = (): void => this.end();

  /** Why the file cannot be read; a text without a full stop. */
  #failure: string | undefined;

  #silenceMs = usualSilenceMs;

  /** Ends the process; it runs while rows are waited for. */
  #watch: NodeJS.Timeout | undefined;

  constructor(descriptor: number, listener: ParquetListener) {
    this.#listener = listener;
    this.#child = fork(modulePath(), [String(process.pid)], {
      env: environmentOfProcess(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // The file becomes `fileDescriptor` there. What V8 prints before it gives up is for nobody.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc', descriptor],
    });
    this.#child.on('message', (message) => this.#hear(message as ParquetMessage));
    process.once('exit', this.#endWithUs);
  }

  async *lines(): AsyncGenerator<Uint8Array> {
    const ended = once(this.#child, 'close');
    const pieces = (this.#child.stdout as Readable)[Symbol.asyncIterator]();
    for (;;) {
      this.#watchSilence();
      const next = await pieces.next();
      this.#stopWatch();
      if (next.done) break;
      yield next.value;
    }

    const [exitCode] = await ended;
    if (this.#failure !== undefined) throw new Error(this.#failure);
    if (exitCode !== 0) throw new Error(`its values take more than ${maxMemoryMb} MB of memory`);
  }

  end(): void {
    this.#stopWatch();
    process.removeListener('exit', this.#endWithUs);
    this.#child.kill('SIGKILL');
  }

  #hear(message: ParquetMessage): void {
    if (message.kind === 'failure') this.#failure = message.reason;
    if (message.kind === 'position') this.#listener.position(message.bytes);
    if (message.kind === 'notes') this.#listener.notes(message.notes);
    if (message.kind === 'column') {
      this.#silenceMs = usualSilenceMs + Math.ceil(message.sizeBytes / bytesPerMs);
      if (this.#watch) this.#watchSilence();
    }
  }

  /** Ends the process where it is silent for too long from now on. */
  #watchSilence(): void {
    this.#stopWatch();
    this.#watch = setTimeout(() => {
      this.#failure = 'a column of it comes to no end';
      this.#child.kill('SIGKILL');
    }, this.#silenceMs);
  }

  #stopWatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}

/**
 * What a Node needs to start, on Windows too: the process that reads a file from anywhere has no
 * token and no password.
 */
function environmentOfProcess(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, LD_LIBRARY_PATH } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH };
}

/** Where the module of the process is: in the built program, with which the sources run too. */
function modulePath(): string {
  return createRequire(import.meta.url).resolve('#parquet-process');
}
