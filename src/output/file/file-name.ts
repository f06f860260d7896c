import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, posix, resolve, win32 } from 'node:path';
import { UsageError } from '../../errors.ts';
import { deviceNames } from '../../query/file-name.ts';
import { quoted } from '../../text/printable.ts';

/** On Windows, throws `UsageError` if the system does not accept a path. */
export function requireValidOnWindows(path: string, platform: NodeJS.Platform): void {
  if (platform !== 'win32') return;

  const withoutDrive = path.replace(/^([\\/]{2}\?[\\/])?([a-z]:(?=[\\/]))?/i, '');
  for (const part of withoutDrive.split(/[\\/]/)) {
    const reason = describeWindowsProblem(part);
    if (reason === undefined) continue;

    throw new UsageError(`${quoted(path)} is not a valid file name on Windows: ${reason}.`, {
      about: { value: path },
      hint: isDriveOnly.test(path)
        ? `If ${path.slice(0, 2)} is a drive, add a backslash after it.`
        : 'Choose another name.',
    });
  }
}

/**
 * Matches a drive without a slash. Windows would resolve the rest against the current folder of
 * that drive.
 */
const isDriveOnly = /^[a-z]:[^\\/]/i;

/** Describes why Windows rejects a part of a path: `it contains “?”`. */
function describeWindowsProblem(part: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Windows rejects these
  const character = /[<>:"|?*\u0000-\u001f]/.exec(part)?.[0];
  if (character !== undefined) return `it contains ${quoted(character)}`;
  if (deviceNames.test(part)) return `${quoted(part)} is the name of a device`;

  const isRelative = part === '.' || part === '..';
  if (isRelative || !/[. ]$/.test(part)) return undefined;
  return `${quoted(part)} ends in ${part.endsWith('.') ? 'a dot' : 'a space'}`;
}

/** Returns the same key for all spellings of a path. macOS and Windows ignore case. */
export function pathKey(path: string, platform: NodeJS.Platform = process.platform): string {
  const { normalize } = platform === 'win32' ? win32 : posix;
  const normalized = normalize(path);
  const ignoresCase = platform === 'win32' || platform === 'darwin';
  return ignoresCase ? normalized.normalize('NFC').toLowerCase() : normalized;
}

/** Follows up to 40 symbolic links. */
export function followLinks(path: string, linksLeft = 40): string {
  const next = readLink(path);
  if (next === undefined || linksLeft === 0) return path;
  return followLinks(resolve(resolveLinks(dirname(path)), next), linksLeft - 1);
}

/** Resolves the symbolic links in an absolute path. The file and its folders may be missing. */
export function resolveLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const target = followLinks(path);
    const folder = dirname(path);
    if (target !== path || folder === path) return target;
    return join(resolveLinks(folder), basename(path));
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    // The path is not a link, or it cannot be read.
    return undefined;
  }
}
