import { UsageError } from '../../errors.ts';
import { readField } from '../../rows/column-values.ts';
import { type RowBatch, toRows, type Value } from '../../rows/row-batch.ts';
import { RowKeys } from '../../rows/row-keys.ts';
import { maxServiceText, printable } from '../../text/printable.ts';
import { dayIn, findRowKeys } from '../../totals/group-keys.ts';
import type { SourceFile } from '../sources/open-paths.ts';
import type { UsedColumns } from './used-columns.ts';

/** A file with the days of its rows; empty if they are not known. */
interface DatedFile {
  readonly shown: string;
  firstDay: string;
  lastDay: string;

  /** Set for several days whose rows have no date. */
  readonly isUndated: boolean;
}

/** True unless the days of all files are known and different. */
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
  readonly #files: DatedFile[] = [];
  readonly #keys = new RowKeys();

  begin({ shown, record }: SourceFile): void {
    const names = record?.declaration.query.breakdowns ?? [];
    const hasDays = names.includes('DAILY') || names.includes('HOURLY');
    const { firstDay = '', lastDay = '' } = record?.part ?? {};
    this.#files.push({ shown, firstDay, lastDay, isUndated: !hasDays && firstDay !== lastDay });
  }

  /** Adds rows of the file that was begun last. Throws `UsageError` for one that another has. */
  add(batch: RowBatch, { time, dayOfFile: day }: UsedColumns): void {
    const owner = this.#files.length;
    const file = this.#files[owner - 1];
    const fields = findRowKeys(batch.fields);
    if (file && time !== undefined) extendDays(file, batch, time);
    this.#keys.add(batch, { fields, day, owner }, (row, other) => {
      if (other === owner) return;
      const values = toRows(batch)[row];
      const ids = fields.filter(({ describes }) => describes === undefined);
      const key = ids.map(({ field }) => values?.[field]);
      throw overlap(this.#files[other - 1], file, time === undefined ? [day, ...key] : key);
    });
  }

  /** Throws `UsageError` for a file of several days without dates that has days of another. */
  end(): void {
    for (const file of this.#files.filter(({ isUndated }) => isUndated)) {
      const other = this.#files.find((one) => one !== file && haveSameDays(one, file));
      if (other) throw overlap(other, file);
    }
  }
}

function extendDays(file: DatedFile, batch: RowBatch, time: string): void {
  let before: unknown;
  for (const value of readField(batch, time)) {
    if (value === before) continue;
    before = value;
    const day = dayIn(value);
    if (file.firstDay === '' || (day !== '' && day < file.firstDay)) file.firstDay = day;
    if (day > file.lastDay) file.lastDay = day;
  }
}

function haveSameDays(one: DatedFile, other: DatedFile): boolean {
  const areKnown = one.firstDay !== '' && other.firstDay !== '';
  return areKnown && one.firstDay <= other.lastDay && other.firstDay <= one.lastDay;
}

/** @param key values of a row that both files have; without, their days are the same */
function overlap(
  one: DatedFile | undefined,
  other: DatedFile | undefined,
  key: readonly (Value | undefined)[] = [],
): UsageError {
  const names = `${printable(one?.shown ?? '')} and ${printable(other?.shown ?? '')}`;
  const known = key.filter((value) => value !== undefined && value !== null);
  const row = printable(known.join(', ')).slice(0, maxServiceText);
  const shared = row === '' ? 'have rows of the same days' : `both have a row of ${row}`;
  return new UsageError(`${names} ${shared}, which would be counted twice.`, {
    hint: 'Remove one, or view them one at a time.',
  });
}
