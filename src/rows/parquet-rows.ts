import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { ParquetMessage, ParquetNote } from './parquet-messages.ts';

/** The memory limit for the values of a file, in megabytes. */
const maxMemoryMb = 224;

/** The longest silence of the process, plus a second for each megabyte of the column it decodes. */
const usualSilenceMs = 10_000;
const bytesPerMs = 1000;

/** Receives information about a Parquet file while it is read. */
export interface ParquetListener {
  /** The rows so far end at about this byte of the file. */
  position(bytes: number): void;

  /** adreport's metadata in the file. */
  notes(notes: readonly ParquetNote[]): void;
}

/**
 * The rows of a Parquet file as JSON objects, one per line. A separate process decodes it, because
 * on some damaged files hyparquet loops endlessly, or builds lists at which V8 ends the process.
 * @param signal ends the process
 * @throws any kind of error when aborted, or if the file is damaged, has another number of rows
 * than its metadata says, or uses an unsupported feature
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

/** The process that decodes a file, seen from its parent. */
class Decoder {
  readonly #child: ChildProcess;
  readonly #listener: ParquetListener;
  readonly #endWithUs = (): void => this.end();

  /** The reason why the file cannot be read, without a full stop. */
  #failure: string | undefined;

  #silenceMs = usualSilenceMs;

  /** Ends the process. Runs while waiting for rows. */
  #watch: NodeJS.Timeout | undefined;

  constructor(descriptor: number, listener: ParquetListener) {
    this.#listener = listener;
    this.#child = fork(modulePath(), [String(process.pid)], {
      env: environmentOfProcess(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // The last entry becomes `fileDescriptor`. V8's output before it gives up is discarded.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc', descriptor],
    });
    this.#child.on('message', (message) => this.#receive(message as ParquetMessage));
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

  #receive(message: ParquetMessage): void {
    if (message.kind === 'failure') this.#failure = message.reason;
    if (message.kind === 'position') this.#listener.position(message.bytes);
    if (message.kind === 'notes') this.#listener.notes(message.notes);
    if (message.kind === 'column') {
      this.#silenceMs = usualSilenceMs + Math.ceil(message.sizeBytes / bytesPerMs);
      if (this.#watch) this.#watchSilence();
    }
  }

  /** Ends the process if it is silent for too long from now on. */
  #watchSilence(): void {
    this.#stopWatch();
    this.#watch = setTimeout(() => {
      this.#failure = 'one of its columns takes too long to decode';
      this.#child.kill('SIGKILL');
    }, this.#silenceMs);
  }

  #stopWatch(): void {
    clearTimeout(this.#watch);
    this.#watch = undefined;
  }
}

/**
 * The variables that Node needs to start, on Windows too. The process reads untrusted files, so it
 * gets no token or password.
 */
function environmentOfProcess(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, LD_LIBRARY_PATH } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH };
}

/** The path of the process's module in the built program, which the sources use too. */
function modulePath(): string {
  return createRequire(import.meta.url).resolve('#parquet-process');
}
