import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * Reads a regular file of limited size. Pipes, devices and larger files are rejected immediately.
 * @throws Error whose message follows the file name: `it does not exist`
 */
export function readSmallFile(path: string, maxBytes: number): Buffer {
  const descriptor = openToRead(path);
  try {
    const status = fstatSync(descriptor);
    if (status.isDirectory()) throw new Error('it is a folder');
    if (!status.isFile()) throw new Error('it is not a regular file');
    if (status.size > maxBytes) throw tooLargeError(maxBytes);

    // The file may grow, and the size of a system file is 0.
    const bytes = readUpTo(descriptor, { byteCount: maxBytes + 1, expected: status.size });
    if (bytes.length > maxBytes) throw tooLargeError(maxBytes);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file. For a pipe, does not wait for a writer. */
function openToRead(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const isAbsent = code === 'ENOENT' || code === 'ENOTDIR';
    throw new Error(isAbsent ? 'it does not exist' : `it could not be opened (${code})`, {
      cause,
    });
  }
}

function tooLargeError(maxBytes: number): Error {
  const isInMegabytes = maxBytes >= 1024 * 1024;
  const size = isInMegabytes ? `${maxBytes / 1024 / 1024} MB` : `${maxBytes / 1024} KB`;
  return new Error(`it is larger than ${size}`);
}

function readUpTo(
  descriptor: number,
  { byteCount, expected }: { readonly byteCount: number; readonly expected: number },
): Buffer {
  const pieces: Buffer[] = [];
  const pieceBytes = Math.min(65_536, Math.max(4_096, expected + 1));
  let left = byteCount;

  while (left > 0) {
    const piece = Buffer.allocUnsafe(Math.min(left, pieceBytes));
    const length = readSync(descriptor, piece);
    if (length === 0) break;
    pieces.push(piece.subarray(0, length));
    left -= length;
  }
  return Buffer.concat(pieces);
}
