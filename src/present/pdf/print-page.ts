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

/** Printing normally takes a few seconds. */
const defaultTimeLimitMs = 120_000;

const maxMegabytes = 100;

/** Maximum length of the browser's last message in an error. */
const maxMessageCharacters = 200;

export interface PrintOptions {
  /** Path of Chrome, Chromium or Edge. */
  readonly browser: string;

  readonly env: Readonly<Record<string, string | undefined>>;

  readonly signal: AbortSignal;

  readonly timeLimitMs?: number;
}

/**
 * Prints a page with a headless browser that keeps no data and has no network access.
 *
 * @returns a complete PDF
 * @throws OutputError if the browser fails, takes too long or does not write a PDF
 * @throws `signal.reason` if aborted
 */
export async function printPage(page: Uint8Array, options: PrintOptions): Promise<Buffer> {
  options.signal.throwIfAborted();
  const parent = chooseParentFolder(options);
  await sweepFolder(parent);
  const folder = join(parent, temporaryName('print'));
  await withReason(folder, () => mkdir(folder, { mode: 0o700 }));

  try {
    const pagePath = join(folder, 'page.html');
    const pdfPath = join(folder, 'page.pdf');
    await withReason(pagePath, () => writeFile(pagePath, page));

    const stderr = await runBrowser(options, listArguments({ folder, pagePath, pdfPath }));
    return await readPdf(pdfPath, (problem) => browserError(options, problem, stderr));
  } finally {
    // A browser that was killed may keep its files open for a moment.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

/**
 * Chooses where to create the temporary folder. A Chromium from snap has a private `/tmp` and can
 * read only its own folder.
 */
function chooseParentFolder({ browser, env }: PrintOptions): string {
  const home = browser.startsWith('/snap/') ? env.HOME : undefined;
  return home ? join(home, 'snap/chromium/common') : tmpdir();
}

function listArguments(files: { folder: string; pagePath: string; pdfPath: string }): string[] {
  const { folder, pagePath, pdfPath } = files;
  const flags = [
    '--headless',
    `--print-to-pdf=${pdfPath}`,
    '--no-pdf-header-footer',
    // The user's own profile may be in use, and its extensions could read the report.
    `--user-data-dir=${join(folder, 'profile')}`,
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-extensions',
    '--disable-gpu',
    // Containers have little shared memory.
    '--disable-dev-shm-usage',
    // The page loads nothing because of its own policy. These flags stop the browser from checking
    // for updates and the like.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-proxy-server',
    '--host-resolver-rules=MAP * ~NOTFOUND',
  ];
  // Chromium refuses to run as root in its sandbox. Running without a sandbox is acceptable because
  // the page loads nothing and only runs the program's own script, whose hash is in its content
  // security policy.
  if (process.getuid?.() === 0) flags.push('--no-sandbox');
  return [...flags, pathToFileURL(pagePath).href];
}

/**
 * Runs the browser until it exits or is killed, and returns the end of its stderr. Throws
 * `OutputError` if it fails or takes too long, and `signal.reason` if aborted.
 */
async function runBrowser(options: PrintOptions, flags: readonly string[]): Promise<string> {
  const { browser, env, signal, timeLimitMs = defaultTimeLimitMs } = options;
  const child = spawn(browser, flags, {
    // Starts a process group, so that child processes can be killed as well.
    detached: process.platform !== 'win32',
    env: removeSecrets(env),
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr = (stderr + piece.toString('utf8')).slice(-10 * maxMessageCharacters);
  });

  const limit = AbortSignal.timeout(timeLimitMs);
  const stop = (): void => killWithChildren(child);
  const stopSignals = [signal, limit];
  for (const stopSignal of stopSignals) stopSignal.addEventListener('abort', stop);
  // Its child processes would keep stderr open.
  child.once('exit', stop);

  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve);
      child.once('error', (error) => {
        const reason = codeOf(error) ?? error.message;
        reject(browserError(options, `could not be started (${reason})`, stderr));
      });
    });
    signal.throwIfAborted();
    if (limit.aborted) {
      const time = formatDuration(timeLimitMs);
      throw browserError(options, `did not finish within ${time}`, stderr);
    }
    if (exitCode === null) throw browserError(options, 'was ended by a signal', stderr);
    if (exitCode !== 0) throw browserError(options, `exited with code ${exitCode}`, stderr);
    return stderr;
  } finally {
    for (const stopSignal of stopSignals) stopSignal.removeEventListener('abort', stop);
    stop();
  }
}

function killWithChildren({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // The browser has ended already.
  }
}

/** @param problem follows the name of the browser in the message: `wrote no file` */
function browserError({ browser }: PrintOptions, problem: string, stderr: string): OutputError {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const lastLine = printable(lines.at(-1) ?? '').slice(0, maxMessageCharacters);
  const message = lastLine === '' ? '' : ` Its last message: ${lastLine}`;
  return new OutputError(`Cannot print the PDF: ${printable(browser)} ${problem}.${message}`, {
    code: 'NOT_PRINTED',
    hint: 'Set ADREPORT_BROWSER to another Chrome, Chromium or Edge, or write a page with -o report.html and print it from any browser.',
  });
}

/** Throws `OutputError` if the PDF is incomplete or too large. */
async function readPdf(path: string, failure: (problem: string) => Error): Promise<Buffer> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) throw failure('wrote no file');
  if (stats.size > maxMegabytes * 1_000_000) {
    throw failure(`wrote more than ${maxMegabytes} MB`);
  }

  const bytes = await withReason(path, () => readFile(path));
  const beginning = bytes.toString('latin1', 0, 5);
  const ending = bytes.toString('latin1', Math.max(0, bytes.length - 16));
  if (beginning === '%PDF-' && ending.trimEnd().endsWith('%%EOF')) return bytes;
  throw failure('wrote an incomplete PDF');
}

/** Returns the environment without secrets, which the browser does not need. */
function removeSecrets(env: PrintOptions['env']): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => !name.startsWith('ADREPORT_'));
  return Object.fromEntries(entries);
}
