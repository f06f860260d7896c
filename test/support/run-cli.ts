import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import type { Host } from '../../src/host.ts';
import { main } from '../../src/main.ts';

export interface CliOptions {
  /** Environment on top of a settings folder of the test's own; the machine's is never seen. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether the streams are terminals. */
  readonly tty?: boolean;
  readonly stdin?: string;
  /** Working folder; made for the test where absent. */
  readonly cwd?: string;
  /** Milliseconds since 1970; 2026-11-20T12:00:00Z where absent. */
  readonly now?: number;
  /** Sends a signal when a line of stderr matches. */
  readonly interrupt?: { readonly when: RegExp; readonly signal: 'SIGINT' | 'SIGTERM' };
  /** Called with each piece of stdout and stderr as it is written. */
  readonly onOutput?: (text: string) => void;
  /** Sends a signal when a promise is fulfilled. */
  readonly interruptOn?: { readonly promise: Promise<void>; readonly signal: 'SIGINT' | 'SIGTERM' };
  /** Called for each pause instead of sleeping through it. */
  readonly onSleep?: (durationMs: number) => void | Promise<void>;
}

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Every file of the working folder, by its path in it. */
  readonly files: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command line in this process, as `bin/adreport.js` would, with a clock and a settings folder of its own. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const cwd = options.cwd ?? temporaryFolder();
  const controller = new AbortController();
  const stdout = collector(options.tty, options.onOutput);
  const stderr = collector(options.tty, (text) => {
    options.onOutput?.(text);
    if (options.interrupt?.when.test(text)) controller.abort(new InterruptedError(options.interrupt.signal));
  });
  const { interruptOn } = options;
  void interruptOn?.promise.then(() => controller.abort(new InterruptedError(interruptOn.signal)));
  const stdin = Object.assign(new PassThrough(), { isTTY: options.tty === true });
  stdin.end(options.stdin ?? '');

  let elapsedMs = 0;
  const startMs = options.now ?? Date.UTC(2026, 10, 20, 12);
  const host: Host = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ADREPORT_CONFIG_DIR: options.cwd ? join(cwd, '.config') : temporaryFolder(), ...options.env },
    cwd,
    signal: controller.signal,
    wallClock: () => startMs + elapsedMs,
    stopwatch: () => elapsedMs,
    sleep: async (durationMs, signal) => {
      elapsedMs += durationMs;
      await options.onSleep?.(durationMs);
      // Lets the local server of the same process answer in between.
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
    random: () => 0.5,
  };
  const exitCode = await main(argv, host);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), files: filesIn(cwd), cwd };
}

function collector(isTTY = false, onText: (text: string) => void = () => {}) {
  const pieces: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      // The program may use its buffer again once the write is done.
      pieces.push(Buffer.from(chunk));
      onText(chunk.toString());
      done();
    },
  });
  const text = (): string => Buffer.concat(pieces).toString('utf8');
  return { stream: Object.assign(stream, { isTTY, columns: 100 }) as unknown as NodeJS.WriteStream, text };
}

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.config') && statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
