import { type CalendarUnit, formatDate, unitHolding } from '../report/window.ts';
import { formatCount, formatPlural } from '../text/quantity.ts';
import type { BookedFile, BookFacts, Books } from './book.ts';
import type { OrderLine } from './forms.ts';
import { differencesOfOrders, fallsIn } from './line.ts';
import { isAwaited, isLate, type Rhythm, rhythmOf, timesSince } from './rhythm.ts';
import {
  createdAt,
  type FetchedTime,
  FileNames,
  isAlike,
  isLongFinal,
  isOfOtherUnit,
  timesOf,
  unitOfLine,
  unitOfName,
  unitsWithin,
} from './series.ts';
import { type SeriesFile, type SeriesSummary, summaryOfSeries } from './series-summary.ts';
import type { Standing } from './standing.ts';

/** The kinds of things that can be wrong with a folder: the list of `cli.md` is closed. */
type FindingKind =
  | 'missing'
  | 'changed'
  | 'older'
  | 'early'
  | 'stale'
  | 'other'
  | 'unbooked'
  | 'late'
  | 'unreadable';

/** One thing that is wrong. */
interface Finding {
  /** The path of the file, or of what is unreadable, from the folder of the books, with slashes. */
  readonly file: string;
  readonly kind: FindingKind;

  /** A whole sentence that names the file. */
  readonly said: string;

  /** How it is mended. */
  readonly cure: Cure;
}

/** What mends a finding. */
type Cure =
  /** Fetching units again, or for a file of no unit the window of its line. */
  | { readonly by: 'fetch'; readonly order: OrderLine; readonly times: readonly FetchedTime[] }

  /** What a person can do, as a sentence; absent where the finding says it all. */
  | { readonly by: 'person'; readonly said?: string };

/** What a folder was found to hold. */
export interface FolderVerdict {
  readonly series: readonly SeriesSummary[];

  /** In the order of their files. */
  readonly findings: readonly Finding[];

  /** What may be right, in sentences. */
  readonly notes: readonly string[];
  readonly books: readonly BookFacts[];
}

/** What is known of a folder. */
export interface FolderFacts {
  readonly books: Books;

  /**
   * What stands at each path that the books or the names of a series tell, by its path from the
   * folder.
   */
  readonly standings: ReadonlyMap<string, Standing>;

  /** Whether a file is of the part that was asked about; absent where that is the whole folder. */
  readonly isMeant?: (name: string) => boolean;

  /** Whether files stand beside books that have no sound line. */
  readonly isUntold?: boolean;

  /** The folders that cannot be listed, each with a reason. */
  readonly closedFolders: ReadonlyMap<string, string>;

  /** In unix seconds. */
  readonly now: number;
}

/** Holds a folder against its books. Nothing is read here: it is decided from values alone. */
export function judgeFolder(facts: FolderFacts): FolderVerdict {
  const { books, standings, closedFolders } = facts;
  const findings: Finding[] = [];
  const notes: string[] = [];
  for (const { name, unreadable } of books.facts) {
    if (unreadable === undefined) continue;
    const said = `The book ${name} cannot be read: ${unreadable}.`;
    const person = `Put the book ${name} in order by hand, or remove it.`;
    findings.push({ file: '.', kind: 'unreadable', said, cure: { by: 'person', said: person } });
  }
  if (facts.isUntold && findings.length === 0) {
    const said = 'The books have no line that can be read: nobody tells what the files here are.';
    findings.push({ file: '.', kind: 'unreadable', said, cure: { by: 'person', said: runAgain } });
  }
  for (const [folder, why] of closedFolders) {
    const said = `${folder} cannot be listed: ${why}.`;
    findings.push({ file: folder, kind: 'unreadable', said, cure: { by: 'person' } });
  }

  const series = seriesOf(books);
  const judged = series.map((each) => new SeriesJudge(facts, each));
  const inSeries = new Set(series.flatMap(({ files }) => [...files.keys()]));
  for (const name of books.files.keys()) {
    if (inSeries.has(name) || facts.isMeant?.(name) === false) continue;
    const finding = findingWithoutOrder(facts, name);
    if (finding) findings.push(finding);
  }
  for (const name of standings.keys()) {
    if (books.files.has(name)) continue;
    const finding = unbookedFinding(facts, name, series);
    if (finding) findings.push(finding);
  }
  for (const judge of judged) {
    findings.push(...judge.findings(findings));
    notes.push(...judge.notes());
  }

  findings.sort((one, other) => (one.file < other.file ? -1 : Number(one.file > other.file)));
  return {
    series: judged.filter(({ isMeant }) => isMeant).map((judge) => judge.summary()),
    findings,
    notes: [...notes, ...notesOfBooks(books)],
    books: books.facts,
  };
}

/** The files of one `output`. */
interface Series {
  readonly names: FileNames;

  /** The one that a run would fetch by now. */
  readonly newestOrder: OrderLine;

  /** By the names of the files. */
  readonly files: ReadonlyMap<string, SeriesFile>;
}

function seriesOf(books: Books): Series[] {
  const files = new Map<string, Map<string, SeriesFile>>();
  for (const output of books.newestOrders.keys()) files.set(output, new Map());
  for (const [name, lines] of books.files) {
    const line = lines.at(-1)?.line;
    const order = line && books.orders.get(line.order);
    if (line && order) files.get(order.output)?.set(name, { line, order, lines });
  }

  const series: Series[] = [];
  for (const [output, newestOrder] of books.newestOrders) {
    const ownFiles = files.get(output) ?? new Map<string, SeriesFile>();
    series.push({ names: new FileNames(output), newestOrder, files: ownFiles });
  }
  return series;
}

/** What the books themselves are noted for. */
function notesOfBooks({ facts }: Books): string[] {
  const notes: string[] = [];
  for (const { name, passedOver } of facts) {
    if (passedOver.length === 0) continue;
    const lines = formatPlural(passedOver.length, 'line');
    const [verb, subject] = passedOver.length === 1 ? ['is', 'it is'] : ['are', 'they are'];
    notes.push(`${lines} of ${name} ${verb} passed over: ${subject} torn, or of another version.`);
  }
  return notes;
}

const runAgain = 'Run the command that fetched the files once more: it fetches what has no line.';
const folderInPlace = 'Move away what stands there, and repair again.';

/** What is wrong with a file whose order no book tells. */
function findingWithoutOrder({ books, standings }: FolderFacts, name: string): Finding | undefined {
  const lines = books.files.get(name) ?? [];
  const broken = brokenFile(name, lines, standings.get(name));
  if (!broken) return undefined;

  const said = `Run the command that fetched ${name} once more: its order is torn in the books.`;
  return { ...broken, file: name, cure: { by: 'person', said } };
}

/** What is wrong with the bytes of a file, by its lines. */
function brokenFile(
  name: string,
  lines: readonly BookedFile[],
  standing: Standing = { kind: 'nothing' },
): { readonly kind: FindingKind; readonly said: string } | undefined {
  const line = lines.at(-1)?.line;
  if (!line) return undefined;
  if (standing.kind === 'nothing') {
    return { kind: 'missing', said: `${name} is missing: the books say that it was written.` };
  }
  if (standing.kind !== 'file') {
    return { kind: 'unreadable', said: `${name} cannot be read: ${standing.why}.` };
  }
  if (standing.sha256 === line.sha256) return undefined;

  const earlier = lines.findLast((each) => each.line.sha256 === standing.sha256);
  if (earlier) {
    const { fetched } = earlier.line;
    const said = `${name} is an older copy: it was fetched at ${fetched}, and again at ${line.fetched}.`;
    return { kind: 'older', said };
  }

  if (standing.bytes === 0) return { kind: 'changed', said: `${name} is empty.` };
  const size =
    standing.bytes === line.bytes
      ? 'its size is the same, and its bytes are not'
      : `it has ${formatCount(standing.bytes)} bytes instead of ${formatCount(line.bytes)}`;
  return { kind: 'changed', said: `${name} is not what was written: ${size}.` };
}

/** A file without a line, whose name fits a series. */
function unbookedFinding(
  { standings, books, now }: FolderFacts,
  name: string,
  series: readonly Series[],
): Finding | undefined {
  const standing = standings.get(name) ?? { kind: 'nothing' };
  if (standing.kind === 'nothing') return undefined;

  const fitting: { readonly order: OrderLine; readonly unit: CalendarUnit }[] = [];
  for (const { names } of series) {
    const order = books.newestOrders.get(names.output);
    const unit = order && unitOfName(names, order, name);
    if (order && unit && unit.start <= now) fitting.push({ order, unit });
  }
  const [first, ...others] = fitting;
  if (!first) return undefined;
  if (standing.kind !== 'file') {
    const said = `${name} cannot be read: ${standing.why}.`;
    return {
      file: name,
      kind: 'unreadable',
      said,
      cure: cureOf(standing, first.order, first.unit),
    };
  }

  const said = `${name} has no line in the books.`;
  if (others.length === 0) {
    return { file: name, kind: 'unbooked', said, cure: fetchUnit(first.order, first.unit) };
  }
  const person = `${name} may be of ${first.order.output} or of ${others[0]?.order.output}.`;
  return { file: name, kind: 'unbooked', said, cure: { by: 'person', said: person } };
}

function fetchUnit(order: OrderLine, { start, over }: CalendarUnit): Cure {
  return { by: 'fetch', order, times: [{ since: start, until: over - 1 }] };
}

function cureOf(standing: Standing, order: OrderLine, unit: CalendarUnit): Cure {
  if (standing.kind === 'blocked') return { by: 'person', said: folderInPlace };
  return fetchUnit(order, unit);
}

/** A file of a series with what was found out about it. */
interface JudgedFile extends SeriesFile {
  readonly name: string;
  readonly standing: Standing;
  readonly unit: CalendarUnit | undefined;
}

/** What is wrong with a file of a series. */
interface FileFinding extends Omit<Finding, 'file'> {
  /** From when on a run could fetch it as it should be, in unix seconds. */
  readonly awaitedSince?: number;
}

/** Judges the files of one series. */
class SeriesJudge {
  readonly #facts: FolderFacts;
  readonly #series: Series;
  readonly #files: readonly JudgedFile[];
  readonly #rhythm: Rhythm | undefined;

  constructor(facts: FolderFacts, series: Series) {
    this.#facts = facts;
    this.#series = series;
    const files: JudgedFile[] = [];
    const times: number[] = [];
    for (const [name, file] of series.files) {
      for (const { line } of file.lines) times.push(createdAt(line));
      if (facts.isMeant?.(name) === false) continue;
      const standing = facts.standings.get(name) ?? { kind: 'nothing' };
      files.push({ ...file, name, standing, unit: unitOfLine(file.line, file.order) });
    }
    this.#files = files.sort((one, other) => startOf(one) - startOf(other));
    this.#rhythm = rhythmOf(series.newestOrder, times, facts.now);
  }

  /** The order that tells what most of its files answer. */
  get #order(): OrderLine {
    const { newestOrder } = this.#series;
    const usual = usualOrder(this.#files, this.#facts.books);
    return !usual || usual.content === newestOrder.content ? newestOrder : usual;
  }

  /** Whether it has files of what was asked about. */
  get isMeant(): boolean {
    return !this.#facts.isMeant || this.#files.length > 0;
  }

  /** `others` are the findings about files of other series, and about those of none. */
  findings(others: readonly Finding[]): Finding[] {
    const usual = usualOrder(this.#files, this.#facts.books);
    const findings: Finding[] = this.#gapFindings();
    const awaited: Finding[] = [];

    for (const file of this.#files) {
      // A clock that was ahead leaves files of days to come, which nobody can fetch yet.
      if (startOf(file) > this.#facts.now) continue;
      const finding =
        this.#bytesFinding(file) ?? this.#timeFinding(file) ?? this.#otherFinding(file, usual);
      if (!finding) continue;
      const list = this.#isAwaited(finding) ? awaited : findings;
      list.push({ ...finding, file: file.name });
    }
    const late = this.#lateFinding();
    if (late) findings.push(late);

    // What the next run would fetch is fetched now where something else is: then the next run is
    // not awaited any more.
    const { output } = this.#series.names;
    const isMended = [...findings, ...others].some(({ cure }) => {
      return cure.by === 'fetch' && cure.order.output === output;
    });
    return isMended ? [...findings, ...awaited] : findings;
  }

  /** Whether the run that will mend a finding is still to come. */
  #isAwaited({ awaitedSince }: FileFinding): boolean {
    if (awaitedSince === undefined || !this.#rhythm) return false;
    return isAwaited(this.#rhythm, awaitedSince, this.#facts.now);
  }

  #bytesFinding(file: JudgedFile): FileFinding | undefined {
    const { name, lines, standing, order, line } = file;
    const broken = brokenFile(name, lines, standing);
    if (!broken) return undefined;
    if (standing.kind === 'blocked') {
      return { ...broken, cure: { by: 'person', said: folderInPlace } };
    }
    if (line.kept && broken.kind === 'changed') {
      const said = `The service had no rows any more for ${name}, when it was last asked: keep it as it is, or remove it and repair again.`;
      return { ...broken, cure: { by: 'person', said } };
    }
    return { ...broken, cure: fetchFile(order, file) };
  }

  #timeFinding(file: JudgedFile): FileFinding | undefined {
    const { name, line, order, unit } = file;
    if (!unit) return undefined;

    const { now } = this.#facts;
    const { lookback } = order;
    if (isLongFinal(line, order, lookback)) return undefined;
    const times = timesOf(unit, order, { lookback, kept: line.kept });
    const created = createdAt(line);
    const cure = fetchFile(order, file);

    if (created < times.over) {
      if (now < times.over) return undefined;
      const said = `${name} is early: its report was created at ${line.created}, before its time was over.`;
      return { kind: 'early', said, cure, awaitedSince: times.over };
    }
    if (created >= times.final || now < times.left) return undefined;
    const said = `${name} is stale: its report was created at ${line.created}, and --lookback ${lookback} asks for a later one.`;
    return { kind: 'stale', said, cure, awaitedSince: times.final };
  }

  #otherFinding(
    { name, line, order, standing }: JudgedFile,
    usual: OrderLine | undefined,
  ): FileFinding | undefined {
    if (!usual || standing.kind !== 'file') return undefined;
    if (order.content === usual.content && !holdsOtherUnit({ line, order }, usual))
      return undefined;

    const differences = differencesOfOrders(usual, order);
    const said = `${name} answers another request than most files of its series (${differences.join('; ')}).`;
    const person = `Files of two requests share ${this.#series.names.output}: move those of one elsewhere, or fetch them again with adreport run and --refetch.`;
    return { kind: 'other', said, cure: { by: 'person', said: person } };
  }

  /** The units between the first and the last that no file holds. */
  #gapFindings(): Finding[] {
    const { newestOrder, names } = this.#series;
    const { now, standings } = this.#facts;
    const findings: Finding[] = [];
    let end: number | undefined;

    for (const unit of this.#units()) {
      if (end !== undefined && unit.start > end) {
        const until = Math.min(unit.start, now);
        for (const gap of unitsWithin(newestOrder, { since: end, until })) {
          const name = names.of(gap);
          const stands = (standings.get(name)?.kind ?? 'nothing') !== 'nothing';
          if (stands) continue;
          const said = `${name} is missing: no file holds ${daysOfUnit(gap)}.`;
          findings.push({ file: name, kind: 'missing', said, cure: fetchUnit(newestOrder, gap) });
        }
      }
      end = Math.max(end ?? unit.over, unit.over);
    }
    return findings;
  }

  /** The units of its files, and of files without a line whose names fit, in time order. */
  #units(): CalendarUnit[] {
    const { names, newestOrder } = this.#series;
    const { books, standings } = this.#facts;
    const units: CalendarUnit[] = [];
    for (const { unit } of this.#files) {
      if (unit) units.push(unit);
    }
    for (const [name, { kind }] of standings) {
      if (books.files.has(name) || kind === 'nothing') continue;
      const unit = unitOfName(names, newestOrder, name);
      if (unit) units.push(unit);
    }
    return units.sort((one, other) => one.start - other.start);
  }

  /** A cron job that died. */
  #lateFinding(): Finding | undefined {
    const rhythm = this.#rhythm;
    const { newestOrder, names } = this.#series;
    const { now, isMeant } = this.#facts;
    // Of a part of its files nobody wants to know what the series lacks.
    if (!rhythm || isMeant || !isLate(rhythm, newestOrder, now)) return undefined;

    const silence = formatPlural(Math.floor((now - rhythm.last) / 86_400), 'day');
    const said = `${names.output} is late: last fetched ${silence} ago, before that every ${everyDays(rhythm.usual)}.`;
    const times = timesSince(lastUnitOf(this.#files), newestOrder, now);
    const cure: Cure =
      times.length > 0
        ? { by: 'fetch', order: newestOrder, times }
        : { by: 'person', said: 'Run the command that fetched it once more.' };
    return { file: names.output, kind: 'late', said, cure };
  }

  notes(): string[] {
    const withFindings: string[] = [];
    const kept: string[] = [];
    const fallen: string[] = [];
    let firstFinding = '';

    for (const { name, line, lines } of this.#files) {
      if (line.warnings.length > 0) {
        withFindings.push(name);
        firstFinding ||= line.warnings[0] ?? '';
      }
      if (line.kept) kept.push(name);
      if (hasFallen(lines, this.#facts.books)) fallen.push(name);
    }

    const notes: string[] = [];
    if (withFindings.length > 0) {
      notes.push(`${someOf(withFindings)}: the report came with a warning: ${firstFinding}`);
    }
    if (kept.length > 0) notes.push(`${someOf(kept)}: kept, because a later report had no rows.`);
    if (fallen.length > 0) {
      notes.push(`${someOf(fallen)}: a total has fallen by half or more.`);
    }
    return [...notes, ...renamings(this.#files, this.#series.newestOrder)];
  }

  summary(): SeriesSummary {
    return summaryOfSeries(this.#order, this.#files, this.#facts.books);
  }
}

function startOf({ line }: JudgedFile): number {
  return Date.parse(line.since) / 1_000;
}

/** How a file is fetched again: its unit, and for a file of no unit the window of its line. */
function fetchFile(order: OrderLine, { unit, line }: JudgedFile): Cure {
  if (unit) return fetchUnit(order, unit);
  const time = { since: Date.parse(line.since) / 1_000, until: Date.parse(line.until) / 1_000 };
  return { by: 'fetch', order, times: [time] };
}

/** Whether a file holds another unit than the one that an order has at its time. */
function holdsOtherUnit(
  { line, order }: Pick<SeriesFile, 'line' | 'order'>,
  { split, timezone }: OrderLine,
): boolean {
  if (split === null || split === order.split) return false;
  const day = formatDate(Date.parse(line.since) / 1_000, timezone);
  const unit = unitHolding(day, split, timezone);
  return unit !== undefined && isOfOtherUnit(line, order, { ...unit, split });
}

/**
 * The order whose content most of the standing files have, and whose split most of those; of two
 * alike that of the newer file.
 */
function usualOrder(files: readonly JudgedFile[], books: Books): OrderLine | undefined {
  const standing = files.filter(({ standing: { kind }, line }) => {
    return kind === 'file' && books.orders.has(line.order);
  });
  const content = mostFrequent(standing, ({ order }) => order.content)?.order.content;
  const alike = standing.filter(({ order }) => order.content === content);
  return mostFrequent(alike, ({ order }) => String(order.split))?.order;
}

/** The newest of the files that have what most of them have; of two alike the newer. */
function mostFrequent(
  files: readonly JudgedFile[],
  traitOf: (file: JudgedFile) => string,
): JudgedFile | undefined {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(traitOf(file), (counts.get(traitOf(file)) ?? 0) + 1);

  let usual: JudgedFile | undefined;
  let usualCount = 0;
  for (const file of files) {
    const fileCount = counts.get(traitOf(file)) ?? 0;
    const isNewer = usual === undefined || createdAt(usual.line) <= createdAt(file.line);
    if (fileCount > usualCount || (fileCount === usualCount && isNewer)) {
      usual = file;
      usualCount = fileCount;
    }
  }
  return usual;
}

function everyDays(seconds: number): string {
  const days = Math.max(1, Math.round(seconds / 86_400));
  return days === 1 ? 'day' : `${days} days`;
}

function daysOfUnit({ since, until }: CalendarUnit): string {
  return since === until ? since : `${since}..${until}`;
}

function lastUnitOf(files: readonly JudgedFile[]): CalendarUnit | undefined {
  let last: CalendarUnit | undefined;
  for (const { unit } of files) {
    if (unit && (!last || unit.over > last.over)) last = unit;
  }
  return last;
}

/**
 * Whether a total of the newest line has fallen by half or more since the line before, of the
 * same request.
 */
function hasFallen(lines: readonly BookedFile[], { orders }: Books): boolean {
  const newest = lines.at(-1)?.line;
  const before = lines.at(-2)?.line;
  if (!newest || !before) return false;

  const order = orders.get(newest.order);
  const earlier = orders.get(before.order);
  if (!order || !earlier || !isAlike(order, earlier)) return false;

  const unit = unitOfLine(before, earlier);
  const wasEarly = unit !== undefined && createdAt(before) < unit.over;
  return !wasEarly && fallsIn(before.totals, newest.totals).length > 0;
}

/** Another name of the account and another address of the service, which are no other request. */
function renamings(files: readonly JudgedFile[], newest: OrderLine): string[] {
  const accounts = new Set([newest.account, ...files.map(({ order }) => order.account)]);
  const services = new Set([newest.service, ...files.map(({ order }) => order.service)]);
  const notes: string[] = [];
  if (accounts.size > 1) {
    const names = [...accounts].map((account) => account ?? 'a token without a name');
    notes.push(`${newest.output} was fetched with several accounts: ${names.join(', ')}.`);
  }
  if (services.size > 1) {
    notes.push(`${newest.output} was fetched from several services: ${[...services].join(', ')}.`);
  }
  return notes;
}

/** Some files by their names: all of few, and of many the first with how many more there are. */
function someOf(names: readonly string[]): string {
  const sorted = [...names].sort();
  if (sorted.length <= 3) return sorted.join(', ');
  return `${sorted[0]} … ${sorted.at(-1)} (${formatPlural(sorted.length, 'file')})`;
}
