import type { FileEntry } from '../../folder/history.ts';
import type { CalendarUnit } from '../../report/window.ts';

/** A report file to view. */
export interface SourceFile {
  /** The path to open; `-` is stdin. */
  readonly path: string;

  /** The path for messages. */
  readonly shown: string;

  /** The days of its report, if the history of its folder has a line for its bytes. */
  readonly unit?: CalendarUnit | undefined;
  readonly entry?: FileEntry | undefined;
  readonly sizeBytes?: number | undefined;
}
