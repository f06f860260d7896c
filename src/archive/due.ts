import { join } from 'node:path';
import type { Part } from '../report/parts.ts';
import type { CalendarUnit } from '../report/window.ts';
import { type BookedFile, type Books, newestOf } from './book.ts';
import type { FileLine, OrderLine } from './forms.ts';
import { differencesOfOrders } from './line.ts';
import { createdAt, isAlike, isLongFinal, isOfOtherUnit, timesOf, unitOfLine } from './series.ts';
import { type LookOptions, lookAtAll, type Standing } from './standing.ts';

/** A file of a part, with what stands there and what the books say of it. */
export interface DueFile {
  /** Its path from the folder of the books, with slashes. */
  readonly name: string;
  readonly standing: Standing;
  readonly part: Part;
}

/** A part that is to be fetched, and why, as a clause. */
export interface PartToFetch {
  readonly part: Part;
  readonly reason: string;
}

/** What a run asks for in a folder. */
export interface RunInFolder {
  readonly books: Books;
  readonly order: OrderLine;

  /** In unix seconds. */
  readonly now: number;
}

/** A file of the run's names that answers another request. */
export interface ForeignFile {
  readonly name: string;
  readonly part: Part;

  /** What differs, a text each: `country: FR → DE`. */
  readonly differences: readonly string[];
}

/**
 * A report that says that it was created so much later than now was created by a clock that was
 * wrong.
 */
const aheadAtMostSeconds = 86_400;

/**
 * Why the part of a file is to be fetched, as a clause; `undefined` where the file is final, or is
 * not begun.
 */
export function reasonToFetch(
  { books, order, now }: RunInFolder,
  { name, standing, part }: DueFile,
): string | undefined {
  if (part.window.since > now) return undefined;
  if (standing.kind === 'nothing') return 'there is no file';
  if (standing.kind !== 'file') return `its file cannot be read: ${standing.why}`;

  const line = newestOf(books, name)?.line;
  if (!line) return 'the books have no line on its file';
  if (standing.bytes === 0 && line.bytes !== 0) return 'its file is empty';
  if (standing.sha256 !== line.sha256) return 'its file was changed';

  const own = books.orders.get(line.order);
  if (!own) return 'the books do not tell any more which request its file answers';
  const isOfPart = Date.parse(line.since) / 1_000 === part.window.since;
  if (!isOfPart) return `its file begins at ${line.since}`;
  return reasonByTime(line, { order, own, now, part });
}

/** What decides whether a file is final. */
interface TimedFile {
  readonly order: OrderLine;

  /** The order of the file. */
  readonly own: OrderLine;
  readonly now: number;
  readonly part: Part;
}

function reasonByTime(line: FileLine, { order, own, now, part }: TimedFile): string | undefined {
  const created = createdAt(line);
  if (created < part.overAt) return 'its report was created before its time was over';
  if (created > now + aheadAtMostSeconds) return 'its report was created by a clock that was ahead';

  const lookback = Math.max(order.lookback, own.lookback);
  if (isLongFinal(line, order, lookback)) return undefined;

  const unit: CalendarUnit = { ...part, start: part.window.since, over: part.overAt };
  const { final } = timesOf(unit, order, { lookback, kept: line.kept });
  if (created >= final) return undefined;
  return line.kept
    ? 'its report had no rows, and an older file stands'
    : 'its report was created while figures were still to change';
}

/**
 * The files that answer another request than the run's: its `content` and the unit of the file
 * decide, and not who asked.
 */
export function foreignFiles(
  { books, order }: RunInFolder,
  files: readonly DueFile[],
): ForeignFile[] {
  const foreign: ForeignFile[] = [];
  for (const { name, standing, part } of files) {
    const line = newestOf(books, name)?.line;
    const own = line && books.orders.get(line.order);
    if (!own || standing.kind === 'nothing') continue;

    const asked = { split: order.split, start: part.window.since, over: part.overAt };
    if (own.content === order.content && !isOfOtherUnit(line, own, asked)) continue;
    foreign.push({ name, part, differences: differencesOfOrders(own, order) });
  }
  return foreign;
}

/** A file of the series of an order. */
interface SeriesFile extends BookedFile {
  readonly own: OrderLine;
}

/** The files of the series that an order writes to, by their names. */
function filesOfSeries({ books, order }: RunInFolder): SeriesFile[] {
  const files: SeriesFile[] = [];
  for (const [name] of books.files) {
    const booked = newestOf(books, name);
    const own = booked && books.orders.get(booked.line.order);
    if (booked && own?.output === order.output) files.push({ ...booked, own });
  }
  return files;
}

/** How many files of a series answer one request, and how many another. */
export interface SeriesContents {
  readonly own: number;
  readonly other: number;
}

/**
 * How many of the files that stand in the series answer the run's request, and how many another
 * one. Throws as `lookAt`.
 */
export async function contentsOfSeries(
  run: RunInFolder,
  options: LookOptions,
): Promise<SeriesContents> {
  const files = new Map<string, SeriesFile>();
  for (const file of filesOfSeries(run)) files.set(join(run.books.folder, file.line.file), file);

  const standings = await lookAtAll([...files.keys()], options);
  let own = 0;
  let other = 0;
  for (const [path, file] of files) {
    if (standings.get(path)?.kind !== 'file') continue;
    if (isAlike(file.own, run.order)) own += 1;
    else other += 1;
  }
  return { own, other };
}

/** A unit before the window of a run whose file is not final. */
export interface EarlierUnit {
  readonly unit: CalendarUnit;
  readonly reason: string;
}

/**
 * The units before the window of a run whose files answer its request and are not final, in time
 * order: so an outage that is longer than the window leaves nothing stale behind.
 *
 * @param before the first second of the window, in unix seconds
 */
export function earlierUnits(run: RunInFolder, before: number): EarlierUnit[] {
  const units: EarlierUnit[] = [];
  for (const { line, own } of filesOfSeries(run)) {
    if (isLongFinal(line, own, own.lookback)) continue;
    const unit = unitOfLine(line, own);
    const isOfRun = own.content === run.order.content && own.split === run.order.split;
    if (!unit || !isOfRun || unit.start >= before) continue;

    const { over, final } = timesOf(unit, own, { lookback: own.lookback, kept: line.kept });
    const created = createdAt(line);
    const isFinal = created >= over && created >= final;
    if (!isFinal) units.push({ unit, reason: 'it is before the window, and not final yet' });
  }
  return units.sort((one, other) => one.unit.start - other.unit.start);
}
