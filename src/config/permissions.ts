import { chmodSync, readdirSync, statSync } from 'node:fs';

const othersBits = 0o077;

/**
 * Takes a file away from everyone but its owner, and tells what was done: one sentence, or nothing where all was well.
 * Windows has no such modes.
 */
export function tightenFile(path: string): string | undefined {
  const mode = looseMode(path);
  if (mode === undefined) return undefined;
  const found = `${path} was open to other users (mode ${octal(mode)})`;
  return tryToChange(path, 0o600)
    ? `${found}; it is now 0600. If somebody may have read it, make a new token.`
    : `${found}, and is not ours to close.`;
}

/**
 * Does the same for a folder, if it is one for settings alone: to close a home folder or `/etc`, which somebody may well
 * have named in `ADREPORT_CONFIG_DIR`, would break more than it protects, for the file in it is closed anyway.
 */
export function tightenFolder(path: string): string | undefined {
  const mode = looseMode(path);
  if (mode === undefined || !holdsOnlyFiles(path) || !tryToChange(path, 0o700)) return undefined;
  return `${path} was open to other users (mode ${octal(mode)}); it is now 0700.`;
}

function holdsOnlyFiles(folder: string): boolean {
  try {
    return readdirSync(folder, { withFileTypes: true }).every((entry) => entry.isFile() || entry.name === 'ledger');
  } catch {
    return false;
  }
}

/** The mode of what is there and open to others. */
function looseMode(path: string): number | undefined {
  if (process.platform === 'win32') return undefined;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & othersBits) === 0 ? undefined : mode & 0o7777;
}

function tryToChange(path: string, mode: number): boolean {
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
