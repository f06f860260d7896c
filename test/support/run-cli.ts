import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { InterruptedError } from '../../src/errors.ts';
import type { Host } from '../../src/host.ts';
import { main } from '../../src/main.ts';
import { captureOutput, input } from './streams.ts';

/** Default start of a test's clock: 2026-11-20T12:00:00Z. */
const usualStartMs = Date.UTC(2026, 10, 20, 12);

export interface CliOptions {
  /** Added to a private settings folder. The machine's environment is never used. */
  readonly env?: Readonly<Record<string, string | undefined>>;

  /** Makes the streams terminals, by default of 100 columns. */
  readonly tty?: boolean;

  /** Platform that the program sees; by default the machine's. */
  readonly platform?: NodeJS.Platform;

  readonly columns?: number;

  readonly stdin?: string | Uint8Array | Readable;

  /** Need not exist; by default a new folder. */
  readonly cwd?: string;

  /** Milliseconds since 1970; by default `usualStartMs`. */
  readonly now?: number;

  /** Measures durations, in milliseconds; by default only pauses take time. */
  readonly stopwatch?: () => number;

  /** Called with each piece of stdout and stderr as it is written. */
  readonly onOutput?: (text: string) => void;

  /** Signal of an `interruption`. */
  readonly signal?: AbortSignal;

  /** Called for each pause instead of sleeping through it. */
  readonly onSleep?: (durationMs: number) => void | Promise<void>;

  /** False if the result has no files: reading thousands takes longer than a command. */
  readonly readsFiles?: boolean;
}

/** Creates a folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A command line as typed, with double quotes around words with blanks, or its words. */
export type CommandLine = string | readonly string[];

export function wordsOf(line: CommandLine): readonly string[] {
  if (typeof line !== 'string') return line;

  const words = line.match(/(?:"[^"]*"|[^ "])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
}

/** Expects an exit code, nothing on stdout, and a message on stderr. */
export function expectRefusal(result: object, exitCode: number, says: string | RegExp): void {
  const stderr =
    typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says);
  expect(result).toMatchObject({ exitCode, stdout: '', stderr });
}

/** Makes a SIGINT (130) or SIGTERM (143), which arrives when the test sends it. */
export function interruption(exitCode: 130 | 143) {
  const controller = new AbortController();
  return {
    signal: controller.signal,
    send: () => controller.abort(new InterruptedError(exitCode)),
  };
}

/** On Windows, a terminal like on other systems. */
const unixTerminalEnv = process.platform === 'win32' ? { WT_SESSION: 'test' } : {};

/** Parses a document of `--json`, with slashes in paths on Windows too. */
export function parseWithSlashes(json: string) {
  const slashed = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.split(sep).join('/') : value;
  return JSON.parse(json, slashed);
}

export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;

  /** By path, with slashes, in the working folder. */
  readonly files: Readonly<Record<string, string>>;

  /** History files of folders, by path. */
  readonly histories: Readonly<Record<string, string>>;

  readonly cwd: string;
}

/** Runs in this process like `bin/adreport.js`, with its own clock and settings folder. */
export async function runCli(line: CommandLine, options: CliOptions = {}): Promise<CliResult> {
  const isTTY = options.tty ?? false;
  const columns = options.columns ?? 100;
  const stdin = options.stdin instanceof Readable ? options.stdin : input(options.stdin, { isTTY });
  const stdout = captureOutput({ isTTY, columns, onText: options.onOutput });
  const stderr = captureOutput({ isTTY, columns, onText: options.onOutput });

  const cwd = options.cwd ?? temporaryFolder();
  const settingsFolder = options.cwd ? join(cwd, '.config') : temporaryFolder();

  const startMs = options.now ?? usualStartMs;
  let elapsedMs = 0;

  const host: Host = {
    stdin: stdin as NodeJS.ReadStream,
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: { ...unixTerminalEnv, ADREPORT_CONFIG_DIR: settingsFolder, ...options.env },
    cwd,
    platform: options.platform ?? process.platform,
    signal: options.signal ?? new AbortController().signal,
    wallClock: () => startMs + elapsedMs,
    stopwatch: options.stopwatch ?? (() => elapsedMs),
    random: () => 0.5,

    sleep: async (durationMs, signal) => {
      elapsedMs += durationMs;
      await options.onSleep?.(durationMs);
      // Lets the local server in this process respond.
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };

  const exitCode = await main(wordsOf(line), host);

  const { readsFiles = true } = options;
  const all = readsFiles ? Object.entries(filesIn(cwd)) : [];
  const isHistory = ([path]: readonly [string, string]) => /(^|\/)_adreport[^/]*$/.test(path);
  return {
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    files: Object.fromEntries(all.filter((entry) => !isHistory(entry))),
    histories: Object.fromEntries(all.filter(isHistory)),
    cwd,
  };
}

/** Longer files are not read. */
const maxTextBytes = 500_000_000;

/** Returns `undefined` for a broken link. */
function statusOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Reads the files below a folder, without the settings, by path. */
function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};

  const files: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const isSetting = path.startsWith('.config');
    const status = statusOf(join(folder, path));
    const isText = status?.isFile() && status.size <= maxTextBytes;
    if (isText && !isSetting) {
      files[path.split(sep).join('/')] = readFileSync(join(folder, path), 'utf8');
    }
  }
  return files;
}
