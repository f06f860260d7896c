import { AdreportError, codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'part of its path is a file, not a folder',
  EEXIST: 'it already exists',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a symlink',
  EMLINK: 'it is a symlink',
  LINKED_FOLDER: 'a folder on its path is a symlink',
  NO_REGULAR_FILE: 'it is not a regular file',
  NO_HARD_LINKS: '--no-clobber needs hard links, which this disk does not support',
  HELD: 'it is open in another program',
};

const hints: Readonly<Record<string, string>> = {
  EEXIST: 'Remove --no-clobber to replace it, or choose another name.',
  HELD: 'Close it there and run the command again.',
  NO_HARD_LINKS: 'Remove --no-clobber, or write to another disk.',
};

const defaultHint =
  'Check the path, its permissions and free disk space, or choose another file with -o.';

/** Explains why a file cannot be read or written, to follow its name: `permission denied`. */
export function describeFileError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return reasons[codeOf(error) ?? ''] ?? printable(message);
}

/** Builds a system error. Some of the codes above are adreport's own. */
export function systemError(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

/**
 * Runs an action on a file. Converts a system error to an `OutputError` with a reason. Rethrows any
 * other error.
 */
export async function withReason<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw toOutputError(path, error);
  }
}

function toOutputError(path: string, error: unknown): unknown {
  const code = codeOf(error);
  const isSystemError = code !== undefined && error instanceof Error;
  if (!isSystemError || error instanceof AdreportError) return error;

  return new OutputError(`Cannot write ${printable(path)}: ${describeFileError(error)}.`, {
    code,
    hint: hints[code] ?? defaultHint,
    cause: error,
  });
}

/** Returns a handler that ignores system errors with these codes and rethrows all others. */
export function ignore(...codes: readonly string[]) {
  return (error: unknown): undefined => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}
