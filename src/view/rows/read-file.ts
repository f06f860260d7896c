import type { ReportTail } from '../../rows/row-batch.ts';
import type { SourceFile } from '../sources/source-file.ts';

/** A file after its last row. */
export interface ReadFile {
  readonly source: SourceFile;
  readonly tail: ReportTail;

  /** Columns, without those of comparisons; with `date` if the rows have the day of the file. */
  readonly fields: readonly string[];

  /** Columns with a value in some row. */
  readonly filled: ReadonlySet<string>;

  /** Sentences on a total among the rows. */
  readonly warnings: readonly string[];
}
