import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf, OutputError } from '../../errors.ts';
import { withReason } from '../../output/file/file-error.ts';
import { sweepFolder, temporaryName } from '../../output/file/temporary-files.ts';
import { printable } from '../../text/printable.ts';
import { formatDuration } from '../../text/quantity.ts';

/** A page of 2,000 printed rows takes some seconds; a browser that takes longer than this hangs. */
const usualTimeLimitMs = 120_000;

const maxMegabytes = 100;

/** So much of what the browser says last can stand in an error. */
const mostCharacters = 200;

/** How a page is printed. */
export interface PrintOptions {
  /** The path of a Chrome, Chromium or Edge. */
  readonly browser: string;

  readonly env: Readonly<Record<string, string | undefined>>;

  /** Ends the browser. */
  readonly signal: AbortSignal;

  readonly timeLimitMs?: number;
}

/**
 * Prints a page with a browser that shows no window, keeps nothing and reaches no network.
 *
 * @returns the bytes of a whole PDF
 * @throws OutputError where the browser fails, takes too long or writes something else, and the
 * reason of the signal
 */
export async function printPage(page: Uint8Array, options: PrintOptions): Promise<Buffer> {
  options.signal.throwIfAborted();
  const place = folderFor(options);
  await sweepFolder(place);
  const folder = join(place, temporaryName('print'));
  await withReason(folder, () => mkdir(folder, { mode: 0o700 }));

  try {
    const pagePath = join(folder, 'page.html');
    const pdfPath = join(folder, 'page.pdf');
    await withReason(pagePath, () => writeFile(pagePath, page));

    const browser = new PrintingBrowser(options, argumentsFor({ folder, pagePath, pdfPath }));
    await browser.end();
    return await readPdf(pdfPath, browser);
  } finally {
    // A browser that was ended may still hold its files for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/**
 * Where temporary files can be: a Chromium of snap has a `/tmp` of its own, and sees only its own
 * folder.
 */
function folderFor({ browser, env }: PrintOptions): string {
  const isSnap = browser.startsWith('/snap/') && env.HOME;
  return isSnap ? join(env.HOME ?? '', 'snap/chromium/common') : tmpdir();
}

/** The files of one printing. */
interface PrintFiles {
  readonly folder: string;
  readonly pagePath: string;
  readonly pdfPath: string;
}

function argumentsFor({ folder, pagePath, pdfPath }: PrintFiles): string[] {
  const flags = [
    '--headless',
    `--print-to-pdf=${pdfPath}`,
    '--no-pdf-header-footer',
    // A profile of its own: the user's browser may be open, and its extensions could read the
    // report.
    `--user-data-dir=${join(folder, 'profile')}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-extensions',
    '--disable-gpu',
    // Containers have little shared memory.
    '--disable-dev-shm-usage',
    // The page loads nothing by its own policy; the browser itself would ask for updates and the
    // like.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-proxy-server',
    '--host-resolver-rules=MAP * ~NOTFOUND',
  ];
  // Chromium refuses to run as root in its sandbox. Without one it is run only then, and only
  // because the page loads nothing and runs no script but the program's own, which its content
  // security policy names by its hash.
  if (process.getuid?.() === 0) flags.push('--no-sandbox');
  return [...flags, pathToFileURL(pagePath).href];
}

/** A browser that prints one page and ends by itself, or is ended. */
class PrintingBrowser {
  readonly #process: ChildProcess;

  readonly #options: PrintOptions;

  /** The end of what it says on stderr. */
  #words = '';

  constructor(options: PrintOptions, flags: readonly string[]) {
    this.#options = options;
    this.#process = spawn(options.browser, flags, {
      // A group of its own, so that the processes that it starts can be ended with it.
      detached: process.platform !== 'win32',
      env: withoutSecrets(options.env),
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
    });
    this.#process.stderr?.on('data', (piece: Buffer) => {
      this.#words = (this.#words + piece.toString('utf8')).slice(-10 * mostCharacters);
    });
  }

  /**
   * Waits until the browser has ended. Throws `OutputError` where it fails or takes too long, and
   * the reason of the signal.
   */
  async end(): Promise<void> {
    const { signal, timeLimitMs = usualTimeLimitMs } = this.#options;
    const limit = AbortSignal.timeout(timeLimitMs);
    const stop = (): void => this.#kill();
    signal.addEventListener('abort', stop);
    limit.addEventListener('abort', stop);

    try {
      const exitCode = await this.#exit();
      signal.throwIfAborted();
      if (limit.aborted) throw this.failure(`did not end within ${formatDuration(timeLimitMs)}`);
      if (exitCode !== 0) throw this.failure(`ended with ${exitCode ?? 'a signal'}`);
    } finally {
      signal.removeEventListener('abort', stop);
      limit.removeEventListener('abort', stop);
      // What it has started must not outlive it.
      this.#kill();
    }
  }

  /** Its exit code; `null` where a signal has ended it. */
  #exit(): Promise<number | null> {
    return new Promise((resolve, reject) => {
      // What it has started would keep its stderr open.
      this.#process.once('exit', () => this.#kill());
      this.#process.once('close', resolve);
      this.#process.once('error', (error) => {
        reject(this.failure(`could not be started (${codeOf(error) ?? error.message})`));
      });
    });
  }

  #kill(): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    if (process.platform === 'win32') {
      this.#process.kill();
      return;
    }

    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing of its group is left.
    }
  }

  /** The error for what the browser did, with the last line that it said. */
  failure(what: string): OutputError {
    const lines = this.#words.split('\n').filter((line) => line.trim() !== '');
    const lastLine = printable(lines.at(-1) ?? '').slice(0, mostCharacters);
    const words = lastLine === '' ? '' : ` It said: ${lastLine}`;
    const name = printable(this.#options.browser);
    return new OutputError(`The PDF was not printed: ${name} ${what}.${words}`, {
      code: 'NOT_PRINTED',
      hint: 'Name another Chrome, Chromium or Edge with ADREPORT_BROWSER, or write the page, -o report.html, and print that.',
    });
  }
}

/** What a browser has printed. Throws `OutputError` for what is no whole PDF, or too large. */
async function readPdf(path: string, browser: PrintingBrowser): Promise<Buffer> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) throw browser.failure('wrote no file');
  if (stats.size > maxMegabytes * 1_000_000) {
    throw browser.failure(`wrote more than ${maxMegabytes} MB`);
  }

  const bytes = await withReason(path, () => readFile(path));
  const head = bytes.toString('latin1', 0, 5);
  const end = bytes.toString('latin1', Math.max(0, bytes.length - 16));
  if (head === '%PDF-' && end.trimEnd().endsWith('%%EOF')) return bytes;
  throw browser.failure('wrote no whole PDF');
}

/** The browser needs no token and no password. */
function withoutSecrets(env: PrintOptions['env']): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => !name.startsWith('ADREPORT_'));
  return Object.fromEntries(entries);
}
