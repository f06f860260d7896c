import type { Writable } from 'node:stream';
import { type Console, type ConsoleFlags, createConsole } from '../../src/ui/console.ts';
import { type Capture, captureOutput, input } from './streams.ts';

export interface ConsoleSetup {
  /** Which streams are terminals; none where absent. */
  readonly tty?: { readonly stdin?: boolean; readonly stdout?: boolean; readonly stderr?: boolean };
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Partial<ConsoleFlags>;
  readonly stdin?: NodeJS.ReadStream;
  /** Takes the results in place of what keeps them. */
  readonly out?: Writable;
}

/** The program's voice, and what it says; stdout is 100 columns wide and stderr 90, where they are terminals. */
export function openConsole({ tty = {}, env = {}, flags = {}, ...streams }: ConsoleSetup = {}): {
  readonly console: Console;
  readonly stdout: Capture;
  readonly stderr: Capture;
} {
  const stdout = captureOutput({ isTTY: tty.stdout === true, columns: 100 });
  const stderr = captureOutput({ isTTY: tty.stderr === true, columns: 90 });
  const host = {
    stdin: streams.stdin ?? input('', { isTTY: tty.stdin === true }),
    stdout: (streams.out as NodeJS.WriteStream | undefined) ?? stdout.stream,
    stderr: stderr.stream,
    env,
  };
  const console = createConsole(host, { verbose: 0, color: true, ...flags });
  return { console, stdout, stderr };
}
