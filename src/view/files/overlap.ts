import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { metricOfField } from '../../contract/columns.ts';
import { type RowBatch, rowsOf } from '../../rows/row-batch.ts';
import type { SourceFile } from '../sources/source-file.ts';
import type { TakenFile } from './file-taker.ts';
import { type RowTaker, readReport } from './read-file.ts';
import type { ReportSource } from './report-source.ts';

/** The files that may have rows of the same days: of units of a folder each day is in one. */
export function suspectsOf(taken: readonly TakenFile[]): TakenFile[] {
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

/** Takes the keys of rows, to find one that another file has. */
class KeyTaker implements RowTaker {
  readonly needsDates = true;
  readonly #file: SourceFile;
  readonly #owners: Map<string, SourceFile>;
  found: SourceFile | undefined;

  constructor(file: SourceFile, owners: Map<string, SourceFile>) {
    this.#file = file;
    this.#owners = owners;
  }

  observe(batch: RowBatch): void {
    const fields = batch.fields.filter((field) => !metricOfField(field)).sort();
    for (const row of rowsOf(batch)) {
      const day = row.date === undefined && row.hour === undefined ? this.#file.unit?.since : '';
      const values = fields.map((field) => row[field] ?? null);
      const key = createHash('sha1')
        .update(JSON.stringify([day, values]))
        .digest('base64');
      const owner = this.#owners.get(key);
      if (owner && owner !== this.#file) this.found ??= owner;
      this.#owners.set(key, this.#file);
    }
  }
}

interface OverlapSearch {
  readonly file: SourceFile;
  readonly source: ReportSource;
  readonly owners: Map<string, SourceFile>;
}

export async function findOverlap(
  context: Pick<Context, 'host'>,
  { file, source, owners }: OverlapSearch,
): Promise<SourceFile | undefined> {
  const { taker } = await readReport(context, source, {
    makeTaker: () => new KeyTaker(file, owners),
    onBytes: () => {},
  });
  return taker.found;
}
