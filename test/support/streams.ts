import { PassThrough, Writable } from 'node:stream';

/** A stream for output that keeps what is written to it. */
export interface Capture {
  readonly stream: NodeJS.WriteStream;
  text(): string;
}

export interface CaptureOptions {
  readonly isTTY?: boolean;
  /** Of a terminal. Default: 80. */
  readonly columns?: number;
  /** Sees what is written. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** A stand-in for stdout or stderr, of a terminal or of a pipe. */
export function captureOutput({ isTTY = false, columns = 80, onText }: CaptureOptions = {}): Capture {
  const pieces: Buffer[] = [];
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // The program may use its buffer again once the write is done.
      pieces.push(Buffer.from(chunk));
      onText?.(chunk.toString());
      done();
    },
  });
  const stream = Object.assign(writable, isTTY ? { isTTY, columns } : {}) as unknown as NodeJS.WriteStream;
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') };
}

/** A stdin that holds a text and ends. */
export function input(text: string | Uint8Array = '', { isTTY = false } = {}): NodeJS.ReadStream {
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.end(text);
  return stream as unknown as NodeJS.ReadStream;
}
