import type { Declaration } from '../../folder/declaration.ts';
import type { FileLine } from '../../folder/history-schema.ts';
import type { CalendarUnit } from '../../query/calendar.ts';

/** A file to read. */
export interface SourceFile {
  /** Absolute; `-` is stdin. */
  readonly path: string;

  /** For messages. */
  readonly shown: string;

  /** Set if the file has the bytes of a line in the history of a declared folder. */
  readonly record?: FileRecord | undefined;
}

/** What a folder knows of one of its files. */
interface FileRecord {
  readonly declaration: Declaration;
  readonly line: FileLine;

  /** Days of the report. */
  readonly part: CalendarUnit;
}
