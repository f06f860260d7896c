import type { ReportSummary } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { readField } from '../../rows/column-values.ts';
import type { ReportTail, RowBatch, Value } from '../../rows/row-batch.ts';
import { RowKeys } from '../../rows/row-keys.ts';
import { maxServiceCharacters, printable } from '../../text/printable.ts';
import { findRowKeys } from '../../totals/group-keys.ts';
import type { SourceFile } from '../sources/open-paths.ts';

/** Files overlap unless the days of all are known and different. */
export function mayOverlap(sources: readonly SourceFile[]): boolean {
  let end = 0;
  // Sources are in time order.
  for (const { record } of sources) {
    if (sources.length > 1 && (!record || record.part.since < end)) return true;
    end = record?.part.end ?? 0;
  }
  return false;
}

/** Finds rows of the same day and breakdowns in two files. */
export class OverlapCheck {
  /** Names of the files so far. */
  readonly #files: string[] = [];
  readonly #keys = new RowKeys();

  /** Summaries of the files whose rows cover a whole period, by file name. */
  readonly #summaries = new Map<string, ReportSummary>();

  /** Adds rows of a file. Throws `UsageError` if an earlier file already has one of the rows. */
  add(batch: RowBatch, { displayPath }: SourceFile): void {
    if (batch.firstRow === 0) this.#files.push(displayPath);
    const owner = this.#files.length;
    const fields = findRowKeys(batch.fields);
    this.#keys.add(batch, { fields, owner }, (row, other) => {
      if (other === owner) return;
      const ids = fields.filter(({ describes }) => describes === undefined);
      const key = ids.map(({ field }) => readField(batch, field)[row]);
      const files = `${this.#files[other - 1]} and ${displayPath}`;
      throw overlapError(files, [batch.day, ...key]);
    });
  }

  /**
   * Ends a file. Throws `UsageError` if its rows cover a whole period that overlaps another file's.
   * Such rows have different dates, so their keys differ.
   */
  end({ summary }: ReportTail, { displayPath }: SourceFile): void {
    if (!summary?.breakdowns.includes('RANGE')) return;
    for (const [other, { since, until }] of this.#summaries) {
      const isSame = since === summary.since && until === summary.until;
      const endsBefore = Date.parse(until) < Date.parse(summary.since);
      const beginsAfter = Date.parse(since) > Date.parse(summary.until);
      if (isSame || endsBefore || beginsAfter) continue;
      throw new UsageError(`The periods of ${other} and ${displayPath} overlap.`, {
        hint: 'Remove one, or view them one at a time.',
      });
    }
    this.#summaries.set(displayPath, summary);
  }
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
