import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Reads a file that a person named, whole: a regular one, up to a number of bytes. What is no such
 * file is not waited for and not read to an end that it may not have: a pipe, a device, a file of
 * ten gigabytes.
 * @throws Error whose message says why, to stand behind a colon: `there is no such file`
 */
export function readSmallFile(path: string, bytesAtMost: number): Buffer {
  const descriptor = openToRead(path);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) throw new Error('it is no regular file');
    if (status.size > bytesAtMost) throw tooLarge(bytesAtMost);

    // The size of a file can grow, and that of a file of the system is 0.
    const bytes = readUpTo(descriptor, bytesAtMost + 1);
    if (bytes.length > bytesAtMost) throw tooLarge(bytesAtMost);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file; a pipe that nobody writes to is opened at once. */
function openToRead(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    throw new Error(isAbsent ? 'there is no such file' : `it could not be opened (${code})`, {
      cause,
    });
  }
}

function tooLarge(bytesAtMost: number): Error {
  const isOfMegabytes = bytesAtMost >= 1024 * 1024;
  const size = isOfMegabytes ? `${bytesAtMost / 1024 / 1024} MB` : `${bytesAtMost / 1024} KB`;
  return new Error(`it is larger than ${size}`);
}

/** The first bytes of a file, which may have fewer. */
function readUpTo(descriptor: number, byteCount: number): Buffer {
  const pieces: Buffer[] = [];
  let left = byteCount;

  while (left > 0) {
    const piece = Buffer.alloc(Math.min(left, 65_536));
    const length = readSync(descriptor, piece);
    if (length === 0) break;
    pieces.push(piece.subarray(0, length));
    left -= length;
  }
  return Buffer.concat(pieces);
}
