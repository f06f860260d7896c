import { AdreportError, codeOf, OutputError } from '../../errors.ts';
import { printable } from '../../text/printable.ts';

const reasons: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  ENOSPC: ['the disk is full', 'Free some space, or write elsewhere with -o.'],
  EDQUOT: ['the disk quota is used up', 'Free some space, or write elsewhere with -o.'],
  EROFS: ['the file system is read-only', 'Write elsewhere with -o.'],
  EACCES: ['permission is denied', "Check the folder's and the file's permissions, or write elsewhere with -o."],
  EPERM: [
    'the system does not permit it',
    "Check the folder's and the file's permissions, or write elsewhere with -o.",
  ],
  ENOENT: ['its folder does not exist, or has vanished', 'Make the folder, and run the command again.'],
  ENOTDIR: ['a part of its path is a file, not a folder', 'Choose another path with -o.'],
  // What making a folder says where a file has its name.
  EEXIST: ['a part of its path is a file, not a folder', 'Choose another path with -o.'],
  EISDIR: ['it is a folder', 'Give a file name after it.'],
  ENAMETOOLONG: ['its name is too long', 'Choose a shorter one with -o.'],
  EFBIG: ['the file would grow too large for its file system', 'Write elsewhere with -o.'],
  ELOOP: ['its symbolic links go round in a circle', 'Choose another path with -o.'],
  EMFILE: ['too many files are open', 'Close some, or lower --concurrency.'],
  EBUSY: ['another program has it open', 'Close it there, and run the command again.'],
  EIO: ['the disk reports an error', 'Write elsewhere with -o.'],
};

/**
 * A system error as the reason why a file could not be written: an `OutputError` with the system's code. Anything else,
 * our own errors included, is returned as it is.
 *
 * @param path as the user gave it
 */
export function fileError(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === undefined || !(error instanceof Error) || error instanceof AdreportError) return error;
  const [reason, hint] = reasons[code] ?? [error.message, 'Write elsewhere with -o.'];
  return new OutputError(`${printable(path)} could not be written: ${reason}.`, { code, hint, cause: error });
}

/** Does something to a file. What the system throws becomes the `OutputError` of `fileError`. */
export async function withReason<T>(path: string, action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw fileError(error, path);
  }
}

/** The target exists, and `--no-clobber` keeps it. */
export function fileExists(path: string): OutputError {
  return new OutputError(`${printable(path)} exists already, and --no-clobber keeps it.`, {
    code: 'EEXIST',
    hint: 'Leave out --no-clobber to replace it, or choose another name.',
  });
}
