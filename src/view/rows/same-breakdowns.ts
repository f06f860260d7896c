import { breakdownOfField } from '../../contract/columns.ts';
import {
  type Breakdown,
  type DerivedBreakdown,
  findAnyBreakdown,
} from '../../contract/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { ReportTail } from '../../rows/row-batch.ts';
import type { SourceFile } from '../sources/open-paths.ts';

/** Facts about a file that has been read. */
export interface FileFields {
  readonly source: SourceFile;
  readonly tail: ReportTail;

  /** Columns without those of comparisons. Includes `date` if the rows have the day of the file. */
  readonly fields: readonly string[];

  /** Columns with a value in some row. */
  readonly filled: ReadonlySet<string>;

  /** Warnings about a row of totals. */
  readonly warnings: readonly string[];
}

/** Throws `UsageError` if the rows of two files have different breakdowns. */
export function requireSameBreakdowns(one: FileFields, other: FileFields): void {
  const areSame = hasAll(one, filledBreakdowns(other)) && hasAll(other, filledBreakdowns(one));
  if (areSame || one.tail.rowCount === 0 || other.tail.rowCount === 0) return;

  const both = `${one.source.shown} and ${other.source.shown}`;
  throw new UsageError(`${both} have different breakdowns.`, {
    hint: 'View them one at a time.',
  });
}

function hasAll(file: FileFields, names: ReadonlySet<string>): boolean {
  const known = declaredBreakdowns(file) ?? findBreakdowns(file.fields);
  return [...names].every((name) => known.has(name));
}

/** In JSON, a breakdown that was not requested is null in every row. */
function filledBreakdowns(file: FileFields): ReadonlySet<string> {
  return declaredBreakdowns(file) ?? findBreakdowns(file.filled);
}

/** Returns the breakdowns of a declaration or a summary, or `undefined` if there is neither. */
function declaredBreakdowns({ source: { record }, tail }: FileFields): Set<string> | undefined {
  const query = record?.declaration.query;
  const names = query?.breakdowns ?? tail.summary?.breakdowns;
  if (!names) return undefined;
  const found = new Set(names.map((name) => nameBreakdown(findAnyBreakdown(name)) ?? name));
  if (!query || found.has('HOURLY')) return found;

  // In a folder of weeks or months, the date of a row is the first day of its file.
  const hasDays = query.split === 'day' || names.includes('DAILY');
  found.delete(dates);
  return found.add(hasDays ? dates : `${dates} of each ${query.split}`);
}

function findBreakdowns(fields: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const field of fields) {
    const name = nameBreakdown(breakdownOfField(field));
    if (name !== undefined) found.add(name);
  }
  // An hour includes its date.
  if (found.has('HOURLY')) found.delete(dates);
  return found;
}

/** Stands for days, weeks and months, which look the same in a header. */
const dates = 'DATES';

function nameBreakdown(breakdown: Breakdown | DerivedBreakdown | undefined): string | undefined {
  return breakdown?.time && breakdown.name !== 'HOURLY' ? dates : breakdown?.name;
}
