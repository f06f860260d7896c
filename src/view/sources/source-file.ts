import type { FileEntry } from '../../folder/history.ts';
import type { CalendarUnit } from '../../report/window.ts';

export interface SourceFile {
  /** Path to open; `-` is stdin. */
  readonly path: string;

  /** Path for messages. */
  readonly shown: string;

  /** Days of its report, if the history of its folder has a line for its bytes. */
  readonly unit?: CalendarUnit | undefined;
  readonly entry?: FileEntry | undefined;
  readonly sizeBytes?: number | undefined;
}
