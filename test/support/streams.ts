import { PassThrough, Writable } from 'node:stream';
import { Console, type ConsoleFlags } from '../../src/ui/console.ts';

interface CaptureOptions {
  readonly isTTY: boolean;

  /** Width of a terminal. */
  readonly columns: number;

  /** Called with each string written. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** Replaces stdout or stderr, as a terminal or pipe, and keeps its output. */
export function captureOutput({ isTTY, columns, onText }: CaptureOptions) {
  const pieces: Buffer[] = [];
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // The program may reuse its buffer after the write.
      pieces.push(Buffer.from(chunk));
      onText?.(chunk.toString());
      done();
    },
  });
  const stream = Object.assign(
    writable,
    isTTY ? { isTTY, columns } : {},
  ) as unknown as NodeJS.WriteStream;
  return { stream, text: () => Buffer.concat(pieces).toString('utf8') };
}

export function input(text: string | Uint8Array = '', { isTTY = false } = {}): NodeJS.ReadStream {
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.end(text);
  return stream as unknown as NodeJS.ReadStream;
}

export interface ConsoleSetup {
  /** Streams that are terminals; by default none. */
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Partial<ConsoleFlags>;
  readonly stdin?: NodeJS.ReadStream;

  /** Replaces stdout. */
  readonly out?: Writable;
}

/** Opens a console with its output. As terminals, stdout has 100 columns and stderr 90. */
export function openConsole({ tty = {}, env = {}, flags = {}, ...streams }: ConsoleSetup = {}) {
  const stdout = captureOutput({ isTTY: tty.stdout === true, columns: 100 });
  const stderr = captureOutput({ isTTY: tty.stderr === true, columns: 90 });
  const host = {
    stdin: streams.stdin ?? input('', { isTTY: tty.stdin === true }),
    stdout: (streams.out as NodeJS.WriteStream | undefined) ?? stdout.stream,
    stderr: stderr.stream,
    env,
    platform: process.platform,
  };
  const console = new Console(host, { color: true, ...flags });
  return { console, stdout, stderr };
}
