import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { endOfFile, type ParquetMessage, type ParquetNote } from './parquet-messages.ts';

/** Memory limit for the values of a file, in megabytes. */
const maxMemoryMb = 224;

/** Longest silence of the process, plus a second for each megabyte of the column it decodes. */
const usualSilenceMs = 10_000;
const bytesPerMs = 1000;

/** Receives information about a Parquet file while it is read. */
export interface ParquetListener {
  /** Rows so far end at about this byte of the file. */
  position(bytes: number): void;

  /** adreport's metadata in the file. */
  notes(notes: readonly ParquetNote[]): void;

  skipped(columns: readonly string[]): void;
}

/**
 * Decodes Parquet files one after the other, in a separate process, because on some damaged files
 * hyparquet loops endlessly, or builds lists at which V8 ends the process.
 */
export class ParquetDecoder {
  #child: DecoderProcess | undefined;

  /**
   * Yields the rows of a file as JSON objects, one per line.
   *
   * @param path absolute
   * @param signal ends the process
   * @throws any kind of error when aborted, or if the file is damaged, has another number of rows
   * than its metadata says, or uses an unsupported feature
   */
  async *lines(
    path: string,
    listener: ParquetListener,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    signal?.throwIfAborted();
    this.#child ??= new DecoderProcess();
    const child = this.#child;
    const endWithSignal = (): void => this.end();
    signal?.addEventListener('abort', endWithSignal);
    let isDone = false;
    try {
      const failure = yield* child.decode(path, listener);
      isDone = true;
      if (failure !== undefined) throw new Error(failure);
    } finally {
      signal?.removeEventListener('abort', endWithSignal);
      if (!isDone) this.end();
    }
  }

  end(): void {
    this.#child?.end();
    this.#child = undefined;
  }
}

/** Decoding process, seen from its parent. */
class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #ended: Promise<unknown[]>;
  readonly #endWithUs = (): void => this.end();
  #listener: ParquetListener | undefined;

  /** Called with the message that ends a file. */
  #onDone: () => void = () => {};

  /** Reason why the file cannot be read, without a full stop. */
  #failure: string | undefined;

  #silenceMs = usualSilenceMs;

  /** Ends the process. Runs while waiting for rows. */
  #watch: NodeJS.Timeout | undefined;

  constructor() {
    this.#child = fork(modulePath(), [String(process.pid)], {
      env: environmentOfProcess(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // V8's output before it gives up is discarded.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.#ended = once(this.#child, 'close');
    this.#ended.catch(() => {});
    this.#pieces = (this.#child.stdout as Readable)[Symbol.asyncIterator]();
    this.#child.on('message', (message) => this.#receive(message as ParquetMessage));
    // Sending to a process that has ended fails.
    this.#child.on('error', () => {});
    process.once('exit', this.#endWithUs);
  }

  /** Returns the reason why the file cannot be read, if any. Throws if the process ends. */
  async *decode(
    path: string,
    listener: ParquetListener,
  ): AsyncGenerator<Buffer, string | undefined> {
    this.#listener = listener;
    this.#failure = undefined;
    const done = new Promise<void>((resolve) => {
      this.#onDone = resolve;
    });
    this.#silenceMs = usualSilenceMs;
    this.#child.send({ path }, () => {});

    for (;;) {
      this.#watchSilence();
      const next = await this.#pieces.next();
      this.#stopWatch();
      if (next.done) await this.#expectSound();
      const piece = next.value as Buffer;
      const isLast = piece.at(-1) === endOfFile;
      if (!isLast) {
        yield piece;
        continue;
      }

      if (piece.length > 1) yield piece.subarray(0, -1);
      await done;
      return this.#failure;
    }
  }

  end(): void {
    this.#stopWatch();
    process.removeListener('exit', this.#endWithUs);
    this.#child.kill('SIGKILL');
  }

  /** Throws the reason why the process has ended. */
  async #expectSound(): Promise<never> {
    await this.#ended;
    throw new Error(this.#failure ?? `its values take more than ${maxMemoryMb} MB of memory`);
  }

  #receive(message: ParquetMessage): void {
    if (message.kind === 'done') {
      this.#failure = message.failure;
      this.#onDone();
    }
    if (message.kind === 'position') this.#listener?.position(message.bytes);
    if (message.kind === 'notes') this.#listener?.notes(message.notes);
    if (message.kind === 'skipped') this.#listener?.skipped(message.columns);
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
 * Returns the variables that Node needs to start, on Windows too. The process reads untrusted
 * files, so it gets no token or password.
 */
function environmentOfProcess(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, LD_LIBRARY_PATH } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH };
}

/** Resolves the process's module in the built program, which the sources use too. */
function modulePath(): string {
  return createRequire(import.meta.url).resolve('#parquet-process');
}
