import type { Writable } from 'node:stream';
import { AdreportError, OutputError } from '../errors.ts';

/** Whoever read our stdout has gone (`| head`): the program ends at once, quietly, and with success. */
export class ClosedPipeError extends AdreportError {
  readonly exitCode = 0;
  constructor() {
    super('Nobody reads the output any more.', 'CLOSED_PIPE');
  }
}

/** stdout as a place for results. */
export interface ResultStream {
  readonly isClosed: boolean;
  /** Resolves once the system has taken the bytes. Throws `ClosedPipeError`, or `OutputError` (a full disk). */
  write(bytes: Uint8Array | string): Promise<void>;
}

export function createResultStream(stream: Writable): ResultStream {
  let failure: AdreportError | undefined;
  const fail = (error: NodeJS.ErrnoException): AdreportError => {
    failure ??= toOurs(error);
    return failure;
  };
  // Without a listener the error of a closed pipe would end the process with a stack trace.
  stream.on('error', fail);
  return {
    get isClosed() {
      return failure instanceof ClosedPipeError;
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (failure) reject(failure);
        else stream.write(bytes, (error) => (error ? reject(fail(error)) : resolve()));
      }),
  };
}

/** What a write says when its reader is gone: on a pipe, on Windows, on a socket, and every write after the first. */
const closedCodes = new Set(['EPIPE', 'EOF', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function toOurs(error: NodeJS.ErrnoException): AdreportError {
  if (closedCodes.has(error.code ?? '')) return new ClosedPipeError();
  // `ENOSPC: no space left on device, write`: only the middle is for people.
  const reason = /^\w+: (.*), \w+$/.exec(error.message)?.[1] ?? error.message;
  return new OutputError(`stdout could not be written: ${reason}.`, { cause: error });
}
