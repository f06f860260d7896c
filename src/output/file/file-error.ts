import { AdreportError, codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EACCES: 'permission is denied',
  EPERM: 'the system does not permit it',
  ENOENT: 'its folder does not exist, or has vanished',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EEXIST: 'it exists already, and --no-clobber keeps it',
  EISDIR: 'it is a folder',
  NO_HARD_LINKS: 'its disk has no hard links, without which an existing file cannot be kept',
  HELD: 'it is open in another program',
  EXCHANGED: 'somebody has exchanged its temporary file for another one',
};

const hints: Readonly<Record<string, string>> = {
  EEXIST: 'Leave out --no-clobber to replace it, or choose another name.',
  HELD: 'Close it there, and run the same command again.',
  NO_HARD_LINKS: 'Leave out --no-clobber, or write to another disk.',
};

const usualHint =
  'Check the path, its permissions and the space on its disk, or write elsewhere with -o.';

/** An error as the system would throw it, or for one of the reasons above that only we have. */
export function systemError(code: string, cause?: unknown): Error {
  return Object.assign(new Error(code, { cause }), { code });
}

/**
 * Does something to a file; where the system refuses, throws an `OutputError` with the reason.
 * Other errors stay.
 */
export async function withReason<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw outputErrorOf(path, error);
  }
}

function outputErrorOf(path: string, error: unknown): unknown {
  const code = codeOf(error);
  const isOfSystem = code !== undefined && error instanceof Error;
  if (!isOfSystem || error instanceof AdreportError) return error;

  const reason = reasons[code] ?? printable(error.message);
  return new OutputError(`${printable(path)} could not be written: ${reason}.`, {
    code,
    hint: hints[code] ?? usualHint,
    cause: error,
  });
}

/** Makes nothing of the system errors with these codes, and passes on any other. */
export function ignore(...codes: readonly string[]) {
  return (error: unknown): undefined => {
    if (!codes.includes(codeOf(error) ?? '')) throw error;
  };
}
