import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { endOfRows, type ParquetEnd, type ParquetNote } from './parquet-messages.ts';

/** Memory for the values of a file, in megabytes. */
const maxMemoryMb = 224;

/** Maximum time without output. Decoding a column of 128 MB takes less. */
const maxSilenceMs = 30_000;

/**
 * Decodes Parquet files in a separate process. On some damaged files, hyparquet loops endlessly or
 * builds lists so large that V8 ends the process. Several files may be open, but they must be read
 * in the order in which reading them began.
 */
export class ParquetDecoder {
  #process: DecoderProcess | undefined;

  /**
   * Yields the rows of a file as JSON objects, one per line. Returns the metadata that adreport
   * wrote to the file.
   *
   * @param path absolute
   * @param signal ends the process
   * @throws any kind of error if the file cannot be read, or if the signal is aborted
   */
  async *readLines(
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

/** Decoding process, as its parent sees it. */
class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #ended: Promise<unknown[]>;
  readonly #endOnExit = (): void => this.end();

  /** Output that was received but not used. */
  #rest: Buffer = Buffer.alloc(0);

  /** Fulfilled once the earlier files have been read. */
  #earlier = Promise.resolve();

  /** Reason why the process was ended, without a full stop. */
  #reason: string | undefined;

  /** Ends the process. Runs while its output is awaited. */
  #silenceTimer: NodeJS.Timeout | undefined;

  constructor() {
    this.#child = fork(findModule(), [String(process.pid)], {
      env: decoderEnvironment(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // V8 prints its state before it gives up.
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.#ended = once(this.#child, 'close');
    this.#ended.catch(() => {});
    this.#pieces = (this.#child.stdout as Readable)[Symbol.asyncIterator]();
    // Writing to a process that has ended fails. The error is reported when its output is read.
    this.#child.on('error', () => {});
    process.once('exit', this.#endOnExit);
  }

  /** Requests a file, waits for its turn, and yields its rows. Throws if the process ends. */
  async *decode(path: string): AsyncGenerator<Buffer, ParquetEnd> {
    const before = this.#earlier;
    let endTurn = (): void => {};
    this.#earlier = new Promise((resolve) => {
      endTurn = resolve;
    });
    this.#child.send({ path }, () => {});
    await before;
    try {
      yield* this.#readRows();
      return JSON.parse((await this.#readEndLine()).toString());
    } finally {
      endTurn();
    }
  }

  async *#readRows(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = await this.#readOutput();
      const end = piece.indexOf(endOfRows);
      if (end > 0) yield piece.subarray(0, end);
      if (end >= 0) {
        this.#rest = piece.subarray(end + 1);
        return;
      }
      yield piece;
    }
  }

  /** Reads the line after the rows of a file. */
  async #readEndLine(): Promise<Buffer> {
    let line: Buffer = Buffer.alloc(0);
    for (;;) {
      line = Buffer.concat([line, await this.#readOutput()]);
      const end = line.indexOf('\n');
      if (end < 0) continue;
      this.#rest = line.subarray(end + 1);
      return line.subarray(0, end);
    }
  }

  /** Reads output that is not empty. Throws the reason why the process has ended. */
  async #readOutput(): Promise<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) return rest;

    this.#startSilenceTimer();
    const next = await this.#pieces.next();
    this.#stopSilenceTimer();
    if (!next.done) return next.value;

    await this.#ended;
    throw new Error(this.#reason ?? `its values take more than ${maxMemoryMb} MB of memory`);
  }

  end(): void {
    this.#stopSilenceTimer();
    process.removeListener('exit', this.#endOnExit);
    this.#child.kill('SIGKILL');
  }

  /** From now on, ends the process if it is silent for too long. */
  #startSilenceTimer(): void {
    this.#stopSilenceTimer();
    this.#silenceTimer = setTimeout(() => {
      this.#reason = 'one of its columns takes too long to decode';
      this.#child.kill('SIGKILL');
    }, maxSilenceMs);
  }

  #stopSilenceTimer(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = undefined;
  }
}

/**
 * Returns only the variables that Node needs to start. The process reads untrusted files, so it
 * gets no token or password.
 */
function decoderEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, LD_LIBRARY_PATH } = process.env;
  return { PATH, SystemRoot, LD_LIBRARY_PATH };
}

/** Finds the module of the process in the built program, even when running from source. */
function findModule(): string {
  return createRequire(import.meta.url).resolve('#parquet-process');
}
