import type { Declaration } from '../../folder/declaration.ts';
import type { FileLine } from '../../folder/history-schema.ts';
import type { CalendarUnit } from '../../query/calendar.ts';

export interface SourceFile {
  /** Path to open; `-` is stdin. */
  readonly path: string;

  /** Path for messages. */
  readonly shown: string;

  /** Days of its report, if the history of its folder has a line for it. */
  readonly unit?: CalendarUnit | undefined;

  /** Line whose bytes the file should have, which is only known once it has been read. */
  readonly line?: FileLine | undefined;

  /** Declaration of its folder, if it has one. */
  readonly declaration?: Declaration | undefined;

  /** `undefined` for stdin and a pipe. */
  readonly sizeBytes?: number | undefined;
}

/** A file is not what its history line says, which was found out by reading it. */
export class UnusableFileError extends Error {
  readonly file: SourceFile;
  readonly gap: 'changed' | 'unreadable';

  constructor(file: SourceFile, gap: 'changed' | 'unreadable') {
    super(`${file.shown} is ${gap}`);
    this.file = file;
    this.gap = gap;
  }
}

/** Returns what earlier attempts have found out about a file with the bytes of a history line. */
export function knownGap(
  unusable: readonly UnusableFileError[],
  path: string,
  line: FileLine,
): UnusableFileError['gap'] | undefined {
  return unusable.find(({ file }) => {
    return file.path === path && file.line?.sha256 === line.sha256;
  })?.gap;
}
