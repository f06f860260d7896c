import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, UsageError } from '../errors.ts';

/** The work under a lock takes milliseconds; whatever is older was left behind. */
const staleMs = 10_000;
const waitLimitMs = 15_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly id: string;
}

/**
 * Does some work while no other process does the same, wherever it runs.
 * The lock is a file: made by whoever comes first, removed after the work, and broken if its holder has died.
 * Throws `UsageError`, naming the file, if another process holds it for longer than 15 s.
 */
export async function withLock<T>(path: string, work: () => T, limitMs = waitLimitMs): Promise<T> {
  const mine = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() } satisfies Holder);
  const startMs = performance.now();
  while (!tryToMake(path, mine)) {
    breakIfStale(path, mine);
    if (performance.now() - startMs > limitMs) throw isHeld(path);
    // Uneven pauses, so that those who wait do not come back all at once.
    await sleep(5 + Math.random() * 20);
  }
  try {
    return work();
  } finally {
    if (read(path) === mine) rmSync(path, { force: true });
  }
}

function tryToMake(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // Windows refuses a name whose file is just being removed.
    if (process.platform === 'win32' && ['EPERM', 'EBUSY'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Removes a lock whose holder has died. Only under a second lock: of two that find the same dead lock, the slower would
 * otherwise remove the new lock of the faster.
 */
function breakIfStale(path: string, mine: string): void {
  if (!isStale(path)) return;
  const breaking = `${path}.breaking`;
  if (!tryToMake(breaking, mine)) {
    if (ageMs(breaking) > staleMs) rmSync(breaking, { force: true });
    return;
  }
  try {
    if (isStale(path)) rmSync(path, { force: true });
  } finally {
    rmSync(breaking, { force: true });
  }
}

function isStale(path: string): boolean {
  if (ageMs(path) > staleMs) return true;
  const holder = parseHolder(read(path));
  return holder !== undefined && holder.host === hostname() && !isAlive(holder.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to someone else.
    return codeOf(error) !== 'ESRCH';
  }
}

/** A lock that is gone, or whose maker has not written it yet, has no holder. */
function parseHolder(text: string): Holder | undefined {
  try {
    const { host, pid, id } = JSON.parse(text);
    return typeof host === 'string' && Number.isInteger(pid) && pid > 0 ? { host, pid, id } : undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** 0 for a file that is gone. */
function ageMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? Date.now() - stats.mtimeMs : 0;
}

function isHeld(path: string): UsageError {
  const pid = parseHolder(read(path))?.pid;
  return new UsageError(`The settings are being written by another adreport${pid ? ` (process ${pid})` : ''}.`, {
    code: 'SETTINGS_LOCKED',
    hint: `Run the same command again; if no other adreport is running, remove ${path} first.`,
    retryable: true,
  });
}
