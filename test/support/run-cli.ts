import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
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

  /** The system that the program takes the machine for; the machine's own where absent. */
  readonly platform?: NodeJS.Platform;

  /** Of the streams, where not 100. */
  readonly columns?: number;

  readonly stdin?: string | Uint8Array | Readable;

  /** Working folder, which need not exist; made for the test where absent. */
  readonly cwd?: string;

  /** Milliseconds since 1970; `usualStartMs` where absent. */
  readonly now?: number;

  /** Measures durations, in milliseconds; by default only pauses take time. */
  readonly stopwatch?: () => number;

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
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/**
 * A command line as a user types it, with double quotes around a word that holds blanks; or its
 * words.
 */
export type CommandLine = string | readonly string[];

export function wordsOf(line: CommandLine): readonly string[] {
  if (typeof line !== 'string') return line;

  const words = line.match(/(?:"[^"]*"|[^ "])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ''));
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

/** On Windows, a terminal that shows what those of other systems show. */
const asElsewhere = process.platform === 'win32' ? { WT_SESSION: 'test' } : {};

/** A document of `--json`, whose paths have slashes on Windows too. */
export function parseWithSlashes(json: string) {
  const slashed = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.split(sep).join('/') : value;
  return JSON.parse(json, slashed);
}

/** What came of a command line. */
export interface CliResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;

  /** Every file of the working folder, by its path in it, with slashes. */
  readonly files: Readonly<Record<string, string>>;

  /** The history files of folders, in the same way. */
  readonly histories: Readonly<Record<string, string>>;

  readonly cwd: string;
}

/**
 * Runs a command line in this process, as `bin/adreport.js` would, with a clock and a settings
 * folder of its own.
 */
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
    env: { ...asElsewhere, ADREPORT_CONFIG_DIR: settingsFolder, ...options.env },
    cwd,
    platform: options.platform ?? process.platform,
    signal: options.signal ?? new AbortController().signal,
    wallClock: () => startMs + elapsedMs,
    stopwatch: options.stopwatch ?? (() => elapsedMs),
    random: () => 0.5,

    sleep: async (durationMs, signal) => {
      elapsedMs += durationMs;
      await options.onSleep?.(durationMs);
      // Lets the local server of the same process answer in between.
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
    },
  };

  const exitCode = await main(wordsOf(line), host);

  const all = Object.entries(filesIn(cwd));
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

/** A longer file is none that a test reads whole. */
const longestText = 500_000_000;

/** What stands at a path; nothing where a link leads to itself, or nowhere. */
function statusOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The texts of the files of a folder and those below, but for the settings, by their paths in it.
 */
function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};

  const files: Record<string, string> = {};
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const isSetting = path.startsWith('.config');
    const status = statusOf(join(folder, path));
    const isText = status?.isFile() && status.size <= longestText;
    if (isText && !isSetting) {
      files[path.split(sep).join('/')] = readFileSync(join(folder, path), 'utf8');
    }
  }
  return files;
}
