import { breakdownOfField } from '../../contract/columns.ts';
import {
  type Breakdown,
  type DerivedBreakdown,
  findAnyBreakdown,
} from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import type { SourceFile } from '../sources/open-paths.ts';

/** Columns of a file that has been read. */
export interface FileFields {
  readonly source: SourceFile;
  readonly tail: ReportTail;

  /**
   * All columns except those of comparisons. Includes `date` if rows get the date of their file.
   */
  readonly fields: readonly string[];

  /** Columns with a value in at least one row. */
  readonly filled: ReadonlySet<string>;

  /** Warnings about a row of totals. */
  readonly warnings: readonly string[];
}

/** Throws `UsageError` if the rows of two files have different breakdowns. */
export function requireSameBreakdowns(one: FileFields, other: FileFields): void {
  if (one.tail.rowCount === 0 || other.tail.rowCount === 0) return;

  const declared = declaredBreakdowns(one);
  const otherDeclared = declaredBreakdowns(other);
  const areSame =
    declared && otherDeclared
      ? declared.size === otherDeclared.size && hasAll(declared, otherDeclared)
      : hasAll(findColumns(one, one.fields), findColumns(other, other.filled)) &&
        hasAll(findColumns(other, other.fields), findColumns(one, one.filled));
  if (areSame) return;

  const both = `${one.source.displayPath} and ${other.source.displayPath}`;
  throw new UsageError(`${both} have different breakdowns.`, {
    hint: 'View them one at a time.',
  });
}

function hasAll(known: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  return [...names].every((name) => known.has(name));
}

/** Breakdowns of dates, by the unit of a folder's files. */
const breakdownsBySplit = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const;

/** Returns the breakdowns in the declaration or the summary, or `undefined` if there is neither. */
function declaredBreakdowns({ source: { record }, tail }: FileFields): Set<string> | undefined {
  const query = record?.declaration.query;
  const names = query?.breakdowns ?? tail.summary?.breakdowns;
  if (!names) return undefined;
  const found = new Set(names.map((name) => findAnyBreakdown(name)?.name ?? name));
  if (!query || found.has('HOURLY') || found.has('DAILY')) return found;

  // In a folder of weeks or months, the date of a row is the first day of its file.
  for (const name of found) {
    if (isDate(findAnyBreakdown(name))) found.delete(name);
  }
  return found.add(breakdownsBySplit[query.split]);
}

/**
 * Finds the breakdowns of columns. Days, weeks and months count as one breakdown, because their
 * headers are the same. In JSON, a breakdown that was not requested is null in every row.
 */
function findColumns(file: FileFields, fields: Iterable<string>): Set<string> {
  const declared = declaredBreakdowns(file);
  const breakdowns = declared
    ? [...declared].map((name) => findAnyBreakdown(name))
    : [...fields].map(breakdownOfField);
  const found = new Set<string>();
  for (const breakdown of breakdowns) {
    if (breakdown) found.add(isDate(breakdown) ? dates : breakdown.name);
  }
  // An hour includes its date.
  if (found.has('HOURLY')) found.delete(dates);
  return found;
}

/** Stands for days, weeks or months. */
const dates = 'DATES';

function isDate(breakdown: Breakdown | DerivedBreakdown | undefined): boolean {
  return breakdown?.time === true && breakdown.name !== 'HOURLY';
}
