import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { metricOfField } from '../../contract/columns.ts';
import { UsageError } from '../../errors.ts';
import { isTime } from '../../figures/grouping.ts';
import { type Row, type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import type { SourceFile } from '../sources/source-file.ts';
import type { TakenFile } from './file-taker.ts';
import { type RowTaker, readReport } from './read-file.ts';

/** Throws `UsageError` if two files have rows with the same days and keys. */
export async function expectNoOverlap(
  context: Pick<Context, 'host'>,
  taken: readonly TakenFile[],
): Promise<void> {
  const suspects = suspectsOf(taken);
  const owners = new Map<string, SourceFile>();
  const ignoresDates = suspects.some(isOfSeveralDays);
  for (const { file, source } of suspects) {
    const { taker } = await readReport(context, source, {
      makeTaker: () => new KeyTaker(file, { owners, ignoresDates }),
      onBytes: () => {},
    });
    if (!taker.found) continue;

    const hasDays =
      file.unit !== undefined || suspects.some(({ read }) => read.taker.days.size > 0);
    throw overlaps(taker.found, file, { hasDays });
  }
}

function overlaps(one: SourceFile, other: SourceFile, { hasDays }: { hasDays: boolean }) {
  if (one.path === other.path) {
    return new UsageError(`${printable(one.shown)} is there twice: it would be added twice.`, {
      hint: 'Name each file once.',
    });
  }
  const both = `${printable(one.shown)} and ${printable(other.shown)}`;
  const message = hasDays
    ? `${both} overlap on the same days and would be counted twice.`
    : `${both} have the same keys and no dates, so they may cover the same days.`;
  return new UsageError(message, {
    hint: 'Remove one, or view them one at a time.',
  });
}

/** True for a week or a month whose rows have no dates, and may be of any of its days. */
function isOfSeveralDays({ file: { unit }, read }: TakenFile): boolean {
  return unit !== undefined && unit.since !== unit.until && !read.tail.fields.some(isTime);
}

/** The files that may have rows of the same days. In a folder, each day is in one unit. */
function suspectsOf(taken: readonly TakenFile[]): TakenFile[] {
  const ofDay = new Map<string, TakenFile[]>();
  for (const each of taken) {
    if (each.read.taker.rowCount === 0) continue;
    for (const day of daysOf(each)) {
      const known = ofDay.get(day);
      if (known) known.push(each);
      else ofDay.set(day, [each]);
    }
  }
  const suspects = new Set<TakenFile>();
  for (const files of ofDay.values()) {
    if (files.length > 1) for (const file of files) suspects.add(file);
  }
  return [...suspects];
}

function* daysOf({ file, read }: TakenFile): Generator<string> {
  const { unit } = file;
  const { days } = read.taker;
  if (!unit) {
    if (days.size === 0) yield 'no date';
    else yield* days;
    return;
  }
  const last = Date.parse(unit.until);
  for (let day = Date.parse(unit.since); day <= last; day += 86_400_000) {
    yield new Date(day).toISOString().slice(0, 10);
  }
}

/** Collects the keys of rows, to find one that another file has. */
class KeyTaker implements RowTaker {
  readonly needsDates = true;
  readonly #file: SourceFile;
  readonly #owners: Map<string, SourceFile>;
  readonly #ignoresDates: boolean;
  found: SourceFile | undefined;

  constructor(
    file: SourceFile,
    {
      owners,
      ignoresDates,
    }: { readonly owners: Map<string, SourceFile>; readonly ignoresDates: boolean },
  ) {
    this.#file = file;
    this.#owners = owners;
    this.#ignoresDates = ignoresDates;
  }

  observe(batch: RowBatch): void {
    const day = batch.fields.some(isTime) ? undefined : this.#file.unit?.since;
    const fields = new Set(day === undefined ? batch.fields : ['date', ...batch.fields]);
    const keys = [...fields].filter((field) => this.#isOfKey(field)).sort();
    for (const row of rowsOf(batch)) {
      const key = keyOfRow(day === undefined ? row : { date: day, ...row }, keys);
      const owner = this.#owners.get(key);
      if (owner && owner !== this.#file) this.found ??= owner;
      this.#owners.set(key, this.#file);
    }
  }

  #isOfKey(field: string): boolean {
    return !metricOfField(field) && !(this.#ignoresDates && isTime(field));
  }
}

/** A short text for the key of a row; columns without a value may be missing in another file. */
function keyOfRow(row: Row, fields: readonly string[]): string {
  const values: string[] = [];
  for (const field of fields) {
    const value = row[field] ?? '';
    if (value !== '') values.push(field, String(value));
  }
  return createHash('sha1').update(JSON.stringify(values)).digest('base64');
}
