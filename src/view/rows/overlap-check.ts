import { UsageError } from '../../errors.ts';
import { readField } from '../../rows/column-values.ts';
import type { ReportTail, RowBatch, Value } from '../../rows/row-batch.ts';
import { RowKeys } from '../../rows/row-keys.ts';
import { maxServiceCharacters, printable } from '../../text/printable.ts';
import { findRowKeys } from '../../totals/group-keys.ts';
import type { SourceFile } from '../sources/open-paths.ts';

/** Returns true unless the days of all files are known and different. */
export function mayOverlap(sources: readonly SourceFile[]): boolean {
  let end = 0;
  // Sources are in time order.
  for (const { record } of sources) {
    if (sources.length > 1 && (!record || record.part.since < end)) return true;
    end = record?.part.end ?? 0;
  }
  return false;
}

/** Period of a file, in milliseconds since 1970; `until` is included. */
interface FilePeriod {
  readonly file: string;
  readonly since: number;
  readonly until: number;
}

/** Finds rows of the same day and breakdowns in two files. */
export class OverlapCheck {
  /** Names of the files so far. */
  readonly #files: string[] = [];
  readonly #keys = new RowKeys();

  /** Periods of the files whose rows are sums of a whole period. */
  readonly #periods: FilePeriod[] = [];

  /** Adds rows of a file. Throws `UsageError` for one that an earlier file has. */
  add(batch: RowBatch, { shown }: SourceFile): void {
    if (batch.firstRow === 0) this.#files.push(shown);
    const owner = this.#files.length;
    const fields = findRowKeys(batch.fields);
    this.#keys.add(batch, { fields, owner }, (row, other) => {
      if (other === owner) return;
      const ids = fields.filter(({ describes }) => describes === undefined);
      const key = ids.map(({ field }) => readField(batch, field)[row]);
      const files = `${this.#files[other - 1]} and ${shown}`;
      throw overlapError(files, [batch.day, ...key]);
    });
  }

  /**
   * Ends a file. Throws `UsageError` if its rows and those of another file
   * are sums of different periods that overlap: such rows have different dates.
   */
  end(tail: ReportTail, { shown: file }: SourceFile): void {
    const period = findPeriodOfRows(tail);
    if (!period) return;
    const { since, until } = period;
    for (const other of this.#periods) {
      const isSame = since === other.since && until === other.until;
      if (isSame || until < other.since || other.until < since) continue;
      throw new UsageError(`The periods of ${other.file} and ${file} overlap.`, {
        hint: 'Remove one, or view them one at a time.',
      });
    }
    this.#periods.push({ file, since, until });
  }
}

/** Returns the period of rows that are sums of a whole period; `undefined` for other rows. */
function findPeriodOfRows({ summary }: ReportTail): Omit<FilePeriod, 'file'> | undefined {
  if (!summary?.breakdowns.includes('RANGE')) return undefined;
  return { since: Date.parse(summary.since), until: Date.parse(summary.until) };
}

/** @param key values of a row that both files have */
function overlapError(files: string, key: readonly (Value | undefined)[]): UsageError {
  const known = key.filter((value) => value !== undefined && value !== null);
  const row = printable(known.join(', ')).slice(0, maxServiceCharacters);
  const shared = row === '' ? 'have the same row' : `both have a row for ${row}`;
  return new UsageError(`${files} ${shared}, which would be counted twice.`, {
    hint: 'Remove one, or view them one at a time.',
  });
}
