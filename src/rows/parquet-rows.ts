import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { endOfRows, type ParquetEnd, type ParquetNote } from './parquet-messages.ts';

/** Memory limit for the values of a file, in megabytes. */
const maxMemoryMb = 224;

/** Longest silence of the process. A column of 128 MB takes less. */
const maxSilenceMs = 30_000;

/**
 * Decodes Parquet files in a separate process. On some damaged files hyparquet loops endlessly, or
 * builds lists so large that V8 ends the process. Several files may be open. They are decoded in
 * the order in which reading them began, and have to be read in that order.
 */
export class ParquetDecoder {
  #process: DecoderProcess | undefined;

  /**
   * Yields the rows of a file as JSON objects, one per line. Returns the metadata that adreport
   * wrote to the file.
   *
   * @param path absolute
   * @param signal ends the process
   * @throws any kind of error when aborted, or if the file is damaged, has another number of rows
   * than its metadata says, or uses an unsupported feature
   */
  async *lines(
    path: string,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array, readonly ParquetNote[]> {
    signal?.throwIfAborted();
    this.#process ??= new DecoderProcess();
    const decoder = this.#process;
    const endWithSignal = (): void => this.end();
    signal?.addEventListener('abort', endWithSignal);
    let isDone = false;
    try {
      const { notes = [], failure } = yield* decoder.decode(path);
      isDone = true;
      if (failure !== undefined) throw new Error(failure);
      return notes;
    } finally {
      signal?.removeEventListener('abort', endWithSignal);
      if (!isDone) this.end();
    }
  }

  end(): void {
    this.#process?.end();
    this.#process = undefined;
  }
}

/** Decoding process, seen from its parent. */
class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #ended: Promise<unknown[]>;
  readonly #endWithUs = (): void => this.end();

  /** Output that has been received but not read. */
  #rest: Buffer = Buffer.alloc(0);

  /** Fulfilled once the files requested so far have been read. */
  #earlier = Promise.resolve();

  /** Why the process was ended, without a full stop. */
  #reason: string | undefined;

  /** Timer that ends the process. It runs while waiting for output. */
  #watch: NodeJS.Timeout | undefined;

  constructor() {
    this.#child = fork(findModule(), [String(process.pid)], {
      env: decoderEnvironment(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // V8's output before it gives up is discarded.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.#ended = once(this.#child, 'close');
    this.#ended.catch(() => {});
    this.#pieces = (this.#child.stdout as Readable)[Symbol.asyncIterator]();
    // Sending to a process that has ended fails.
    this.#child.on('error', () => {});
    process.once('exit', this.#endWithUs);
  }

  /** Requests a file, waits for its turn, and yields its rows. Throws if the process ends. */
  async *decode(path: string): AsyncGenerator<Buffer, ParquetEnd> {
    const before = this.#earlier;
    let isRead = (): void => {};
    this.#earlier = new Promise((resolve) => {
      isRead = resolve;
    });
    this.#child.send({ path }, () => {});
    await before;
    try {
      yield* this.#rows();
      return JSON.parse((await this.#endLine()).toString());
    } finally {
      isRead();
    }
  }

  async *#rows(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = await this.#next();
      const end = piece.indexOf(endOfRows);
      if (end > 0) yield piece.subarray(0, end);
      if (end >= 0) {
        this.#rest = piece.subarray(end + 1);
        return;
      }
      yield piece;
    }
  }

  /** Returns the line after the rows of a file. */
  async #endLine(): Promise<Buffer> {
    let line: Buffer = Buffer.alloc(0);
    for (;;) {
      line = Buffer.concat([line, await this.#next()]);
      const end = line.indexOf('\n');
      if (end < 0) continue;
      this.#rest = line.subarray(end + 1);
      return line.subarray(0, end);
    }
  }

  /** Returns the next output, never empty. Throws the reason why the process has ended. */
  async #next(): Promise<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) return rest;

    this.#watchSilence();
    const next = await this.#pieces.next();
    this.#stopWatch();
    if (!next.done) return next.value;

    await this.#ended;
    throw new Error(this.#reason ?? `its values take more than ${maxMemoryMb} MB of memory`);
  }

  end(): void {
    this.#stopWatch();
    process.removeListener('exit', this.#endWithUs);
    this.#child.kill('SIGKILL');
  }

  /** Ends the process if it is silent for too long from now on. */
  #watchSilence(): void {
    this.#stopWatch();
    this.#watch = setTimeout(() => {
      this.#reason = 'one of its columns takes too long to decode';
      this.#child.kill('SIGKILL');
    }, maxSilenceMs);
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
function decoderEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, LD_LIBRARY_PATH } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH };
}

/** Resolves the process's module in the built program, which the sources use too. */
function findModule(): string {
  return createRequire(import.meta.url).resolve('#parquet-process');
}
