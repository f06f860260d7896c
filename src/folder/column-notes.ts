import { printable } from '../text/printable.ts';
import { listWords } from '../text/quantity.ts';
import type { FileLine } from './history-schema.ts';

/**
 * Returns notes on columns that were not requested and that the service adds or leaves out: each
 * file that was written is compared with the one before it in time.
 *
 * @param earlier newest line of each file before the run
 * @param written lines of the run
 */
export function columnNotes(earlier: readonly FileLine[], written: readonly FileLine[]): string[] {
  const ofRun = new Set(written);
  const newest = new Map<string, FileLine>();
  // A report without rows has no columns to compare.
  for (const line of [...earlier, ...written]) if (line.rows > 0) newest.set(line.file, line);

  const notes: string[] = [];
  let before: readonly string[] = [];
  for (const line of [...newest.values()].sort(byTime)) {
    const { added = [] } = line;
    if (ofRun.has(line)) notes.push(...changesSince(before, line));
    before = added;
  }
  return notes;
}

function byTime(one: FileLine, other: FileLine): number {
  return Date.parse(one.since) - Date.parse(other.since);
}

function changesSince(before: readonly string[], { added = [], since }: FileLine): string[] {
  const fresh = added.filter((column) => !before.includes(column));
  const gone = before.filter((column) => !added.includes(column));
  const day = since.slice(0, 10);
  const notes: string[] = [];
  if (fresh.length > 0) {
    const verb = fresh.length === 1 ? 'was' : 'were';
    notes.push(`From ${day} on, files have ${nameColumns(fresh)}, which ${verb} not requested.`);
  }
  if (gone.length > 0) notes.push(`From ${day} on, files no longer have ${nameColumns(gone)}.`);
  return notes;
}

/** Returns `the column frequency`. */
function nameColumns(columns: readonly string[]): string {
  const noun = columns.length === 1 ? 'the column' : 'the columns';
  return `${noun} ${listWords(columns.map(printable))}`;
}
