import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, type Stats } from 'node:fs';
import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import type { FormatName } from '../output/formats/index.ts';
import type { BookLine } from '../report/book-line.ts';
import type { Part } from '../report/parts.ts';
import { factsOf, type Job } from './plan.ts';

/** A file that has a line in the books, and the part that it should hold. */
interface BookedFile {
  readonly path: string;
  readonly stats: Stats;
  readonly line: BookLine;
  readonly part: Part;
}

/** Why a file with a line in the books is no whole report of its part; `undefined` where it is as it was written. */
export function harmOf({ path, stats, line, part }: BookedFile): string | undefined {
  if (stats.size === 0) return 'its file is empty';
  if (stats.size !== line.bytes) return 'its file was cut or changed';

  const isOfWindow =
    Date.parse(line.window.since) / 1_000 === part.window.since &&
    Date.parse(line.window.until) / 1_000 === part.window.until;
  const isEarly = Date.parse(line.createdAt) / 1_000 < part.overAt;
  if (!isOfWindow && !isEarly) {
    return `its file holds ${line.window.since} … ${line.window.until}`;
  }

  // A file is as old as its report. Only one that is not has to be read: it was copied, or is not the one of its line.
  const isOfLine = Math.abs(stats.mtimeMs - Date.parse(line.createdAt)) < 1;
  if (!isOfLine && hashOfFile(path) !== line.sha256) return 'its file is not the one of its line';
  return undefined;
}

/** The SHA-256 of a file in hexadecimal digits; `undefined` where the file cannot be read. */
function hashOfFile(path: string): string | undefined {
  try {
    const descriptor = openSync(path, 'r');
    try {
      return hashOf(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function hashOf(descriptor: number): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(256 * 1024);

  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    hash.update(piece.subarray(0, size));
  }
  return hash.digest('hex');
}

/** What the columns of a file say against it; nothing where they are those of the request. */
interface ColumnJudgement {
  /** Why the file is to be fetched again, as a clause. */
  readonly harm?: string;
  /** What differs from the request that is made now. */
  readonly difference?: string;
}

/** The columns of a file, and those that the request leads to; each `undefined` where nobody tells them. */
interface ColumnPair {
  readonly columns: readonly string[] | undefined;
  readonly expected: readonly string[] | undefined;
  readonly format: FormatName;
}

/** What the columns of a file say against it. */
export function judgeColumns({ columns, expected, format }: ColumnPair): ColumnJudgement {
  if (!columns) {
    // Every whole Parquet file tells its columns.
    return format === 'parquet' ? { harm: 'its file cannot be read' } : {};
  }
  if (!expected) return {};

  const names: string[] = [];
  for (const column of columns) {
    const name = metricOfField(column)?.name ?? column;
    // A service may send fields that no request asks for by name: they are kept, and tell nothing.
    if (expected.includes(name) || isOfVocabulary(name)) names.push(name);
  }
  const before = names.join(',');
  const after = expected.join(',');
  if (before === after) return {};
  return {
    harm: 'its file has other columns',
    difference: `columns: ${before || 'none'} → ${after}`,
  };
}

function isOfVocabulary(name: string): boolean {
  const isDerived = derivedMetrics.some(({ field }) => field === name);
  return isDerived || fieldTypeOf(name) !== undefined;
}

/** The columns of the files of a job, metrics by their own names; `undefined` where a file does not tell or need them. */
export function columnsOfJob(job: Job): string[] | undefined {
  const { columns: selectedColumns, header } = job.options;
  if (selectedColumns === 'all' || header === false) return undefined;

  const fields = selectedColumns ?? fieldsOfJob(job);
  return [...new Set(fields.map((field) => metricOfField(field)?.name ?? field))];
}

function fieldsOfJob(job: Job): string[] {
  const fields: string[] = [];
  for (const { field, hidden } of factsOf(job).columns ?? []) {
    if (!hidden) fields.push(field);
  }
  return fields;
}
