import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import type { Host } from '../../src/host.ts';
import { main } from '../../src/main.ts';
import { captureOutput, input } from './streams.ts';

/** When the clock of a test begins, unless it says otherwise: 2026-11-20T12:00:00Z. */
const usualStartMs = Date.UTC(2026, 10, 20, 12);

export interface CliOptions {
  /** Environment on top of a settings folder of the test's own; the machine's is never seen. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether the streams are terminals, of 100 columns. */
  readonly tty?: boolean;
  /** Of the streams, where not 100. */
  readonly columns?: number;
  readonly stdin?: string | Uint8Array | Readable;
  /** Working folder, which need not exist; made for the test where absent. */
  readonly cwd?: string;
  /** Milliseconds since 1970; `usualStartMs` where absent. */
  readonly now?: number;
  /** Called with each piece of stdout and stderr as it is written. */
  readonly onOutput?: (text: string) => void;
  /** Of an `interruption`. */
  readonly signal?: AbortSignal;
  /** Called for each pause instead of sleeping through it. */
  readonly onSleep?: (durationMs: number) => void | Promise<void>;
}

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The words of a command line: a text is split at its blanks. */
export type CommandLine = string | readonly string[];

export function wordsOf(line: CommandLine): readonly string[] {
  return typeof line === 'string' ? line.split(' ') : line;
}

/** Holds a command line to its refusal: the exit code, nothing on stdout, and what stderr says. */
export function expectRefusal(result: object, exitCode: number, says: string | RegExp): void {
  const stderr =
    typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says);
  expect(result).toMatchObject({ exitCode, stdout: '', stderr });
}

/** SIGINT (130) or SIGTERM (143) for a command line, which arrives when the test sends it. */
export function interruption(exitCode: 130 | 143) {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    send: () => controller.abort(new InterruptedError(exitCode)),
  };
}

/** What came of a command line; `files` is every file of the working folder, by its path in it. */
export type CliResult = Awaited<ReturnType<typeof runCli>>;

/** Runs a command line in this process, as `bin/adreport.js` would, with a clock and a settings folder of its own. */
export async function runCli(line: CommandLine, options: CliOptions = {}) {
  const {
    cwd = temporaryFolder(),
    tty: isTTY = false,
    columns = 100,
    onOutput: onText,
    stdin,
  } = options;
  const stdout = captureOutput({ isTTY, columns, onText });
  const stderr = captureOutput({ isTTY, columns, onText });
  let elapsedMs = 0;
  const startMs = options.now ?? usualStartMs;
  const host: Host = {
    stdin: (stdin instanceof Readable ? stdin : input(stdin, { isTTY })) as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: {
      ADREPORT_CONFIG_DIR: options.cwd ? join(cwd, '.config') : temporaryFolder(),
      ...options.env,
    },
    cwd,
    signal: options.signal ?? new AbortController().signal,
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
  const exitCode = await main(wordsOf(line), host);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), files: filesIn(cwd), cwd };
}

function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('.config') && statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
