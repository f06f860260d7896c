import { PassThrough, Writable } from 'node:stream';
import { Console, type ConsoleFlags } from '../../src/ui/console.ts';

interface CaptureOptions {
  readonly isTTY: boolean;

  /** Of a terminal. */
  readonly columns: number;

  /** Sees what is written. */
  readonly onText?: ((text: string) => void) | undefined;
}

/**
 * A stand-in for stdout or stderr, of a terminal or of a pipe, that keeps what is written to it.
 */
export function captureOutput({ isTTY, columns, onText }: CaptureOptions) {
  const pieces: Buffer[] = [];
  const writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // The program may use its buffer again once the write is done.
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

/** A stdin that holds a text and ends. */
export function input(text: string | Uint8Array = '', { isTTY = false } = {}): NodeJS.ReadStream {
  const stream = Object.assign(new PassThrough(), { isTTY });
  stream.end(text);
  return stream as unknown as NodeJS.ReadStream;
}

export interface ConsoleSetup {
  /** Which streams are terminals; none where absent. */
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Partial<ConsoleFlags>;
  readonly stdin?: NodeJS.ReadStream;

  /** Takes the results in place of what keeps them. */
  readonly out?: Writable;
}

/**
 * The program's voice, and what it says; stdout is 100 columns wide and stderr 90, where they are
 * terminals.
 */
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
  const console = new Console(host, { verbose: 0, color: true, ...flags });
  return { console, stdout, stderr };
}
