import { fieldTypeOf } from '../contract/columns.ts';
import { Decimal } from '../text/decimal.ts';
import { formatCount, formatPlural } from '../text/quantity.ts';
import { moneyText } from '../totals/numbers.ts';
import type { FileState, Listing } from './disk.ts';
import { finality } from './finality.ts';
import { type FileEntry, type History, newestEntry, type Totals } from './history.ts';
import { calendarUnits, type RangeUnit, type Span, unitsInRange } from './range.ts';
import { belongsToUnit, ownerConflict, type Series, SeriesIndex } from './series.ts';
import { specDifferences } from './spec.ts';
import { type FolderUnit, unitOfDay } from './units.ts';

/** Complete list: see the table in cli.md. */
export type ProblemKind = 'missing' | 'changed' | 'stale' | 'foreign' | 'untracked' | 'unreadable';

/** Concerns a file, folder or history file. */
export interface FolderProblem {
  /** Path relative to the folder of the history, with slashes. */
  readonly file: string;
  readonly kind: ProblemKind;

  /** Full sentence. */
  readonly message: string;

  /** Full sentence. */
  readonly fix: string;

  /**
   * Series and unit of a report file, or the first of several consecutive units; absent otherwise.
   */
  readonly of?: {
    readonly series: Series;
    readonly unit: FolderUnit;

    /** Last of consecutive units whose files are missing: a range may have millions. */
    last: FolderUnit;
    count: number;
  };

  /** For a file that was kept, the time of the first report without numbers. */
  readonly keptSince?: string;
}

/** Splits a problem of consecutive missing files into one for each file. */
export function* problemsByFile(problems: Iterable<FolderProblem>): Generator<FolderProblem> {
  for (const problem of problems) {
    if (!problem.of || problem.of.count === 1) {
      yield problem;
      continue;
    }
    const { series, unit, last } = problem.of;
    const span = { since: unit.start, until: last.over - 1 };
    for (const missing of calendarUnits(series.current.spec, span)) {
      const file = series.names.nameFor(missing);
      yield { ...problem, file, message: missingMessage(file) };
    }
  }
}

export interface SeriesSummary {
  /** `output` of its specs; the folder of files whose spec is lost. */
  readonly output: string;

  /** Absent for files whose spec is lost. */
  readonly series?: Series;

  /** First and last day of the units that were checked; absent if there are none. */
  readonly since?: string;
  readonly until?: string;

  /** Files that match their history lines; if the spec is lost, all files. */
  readonly files: number;
  readonly rows: number;
  readonly totals: Totals;

  /** Files named like the series but outside its range. */
  readonly outside: number;

  /** Files outside its range that the history knows and that no longer exist. */
  readonly gone: number;
}

export interface CheckedFiles {
  readonly series: readonly SeriesSummary[];

  /** In time order within a series. */
  readonly problems: readonly FolderProblem[];

  /** Sentences about things that may be fine. */
  readonly notes: readonly string[];
}

/** Folder with a history, or some of its files. */
export interface FolderSelection {
  readonly history: History;

  /** Selects the files to check; absent if all files are checked. */
  readonly isSelected?: (name: string) => boolean;
}

/** Folder with its state on disk. */
export interface FolderState extends FolderSelection {
  readonly allSeries: readonly Series[];

  /** Files that exist, with their hashes. */
  readonly onDisk: ReadonlyMap<string, FileState>;
  readonly listing: Listing;

  /** Returns the window to check, in the zone of a series; `undefined` for all of its range. */
  readonly windowOf: (series: Series) => Span | undefined;

  /** In unix seconds. */
  readonly now: number;
}

/** Compares a folder with its history, without reading from disk. */
export function checkFiles(facts: FolderState): CheckedFiles {
  const { history, allSeries, listing, isSelected = () => true } = facts;
  const problems = [...historyProblems(history), ...folderProblems(listing)];
  const summaries: SeriesSummary[] = [];
  const notes: string[] = [];
  const index = new SeriesIndex(allSeries);
  const known = namesBySeries(facts, index);
  const checked = new Set<string>();

  for (const series of allSeries) {
    const names = known.get(series) ?? [];
    const result = checkSeries(facts, series, { names, checked });
    problems.push(...result.problems);
    notes.push(...fileNotes(result.files));
    const isIncluded = !facts.isSelected || result.unitCount + result.summary.outside > 0;
    if (isIncluded) summaries.push(result.summary);
  }

  const orphans = findOrphans(facts, index);
  problems.push(...orphans.map(({ line }) => orphanProblem(line.file)));
  summaries.push(...orphanSummaries(orphans));
  const strays = listing.names.filter((name) => isSelected(name) && !history.files.has(name));
  notes.push(...strayNotes(strays, allSeries, index), ...historyNotes(history));
  return { series: summaries, problems, notes };
}

/**
 * Returns the names of each series, on disk and in the history. Each name belongs to one series.
 */
function namesBySeries(
  { history, listing, isSelected }: FolderState,
  index: SeriesIndex,
): Map<Series, string[]> {
  const known = new Map<Series, string[]>();
  for (const name of new Set([...listing.names, ...history.files.keys()])) {
    if (isSelected?.(name) === false) continue;
    const [series] = index.find(name);
    if (!series) continue;
    const names = known.get(series);
    if (names) names.push(name);
    else known.set(series, [name]);
  }
  return known;
}

/** `checked` has files of series before, whose names fit this one too. */
function checkSeries(
  facts: FolderState,
  series: Series,
  { names, checked }: { names: readonly string[]; checked: Set<string> },
) {
  const window = facts.windowOf(series);
  const units = unitsInRange(series, facts.now).filter((unit) => isWithin(unit, window));
  const problems: FolderProblem[] = [];
  const files: CheckedFile[] = [];
  const inRange = new Set<string>();
  let unitCount = 0;

  for (const unit of units) {
    const name = series.names.nameFor(unit);
    if (facts.isSelected?.(name) === false) continue;
    unitCount += 1;
    const file = checkFile(facts, series, { name, unit });
    const { problem, entry, onDisk } = file;
    if (problem && !checked.has(name)) addProblem(problems, problem);

    const isKnown = entry !== undefined || onDisk.kind !== 'absent';
    if (!isKnown) continue;
    inRange.add(name);
    files.push(file);
    if (problem) checked.add(name);
  }

  const outside = names.filter((name) => !inRange.has(name) && isOutside(name, window, series));
  for (const name of outside) {
    const problem = checked.has(name) ? undefined : checkOutside(facts, series, name);
    if (problem) problems.push(problem);
  }
  problems.sort(byTime);

  const gone = outside.filter((name) => (facts.onDisk.get(name)?.kind ?? 'absent') === 'absent');
  const summary = summarize(series, files, units);
  const counts = { outside: outside.length - gone.length, gone: gone.length };
  return { summary: { ...summary, ...counts }, problems, files, unitCount };
}

function isWithin(unit: FolderUnit, window: Span | undefined): boolean {
  return window === undefined || (window.since < unit.over && unit.start <= window.until);
}

/** Counts any file outside the range; with a window, only if its unit is in it. */
function isOutside(name: string, window: Span | undefined, series: Series): boolean {
  if (window === undefined) return true;
  const unit = unitOfName(name, series);
  return unit !== undefined && isWithin(unit, window);
}

/** Finds the unit whose file has a name. */
function unitOfName(name: string, { names, current }: Series): FolderUnit | undefined {
  const { split, timezone } = current.spec;
  const unit = unitOfDay(/\d{4}-\d{2}-\d{2}/.exec(name)?.[0] ?? '', split, timezone);
  return unit && names.nameFor(unit) === name ? unit : undefined;
}

/** Recognizes the same problem in the next day, week or month of a series. */
export function isSameInNextUnit(last: FolderProblem, { kind, of }: FolderProblem): boolean {
  if (last.kind !== kind || !of || last.of?.series !== of.series) return false;
  return last.of.last.over === of.unit.start;
}

/** Adds a problem; missing files of consecutive units are one problem. */
function addProblem(problems: FolderProblem[], problem: FolderProblem): void {
  const before = problems.at(-1);
  const isOne = before && problem.kind === 'missing' && isSameInNextUnit(before, problem);
  if (!isOne || !before.of || !problem.of) {
    problems.push(problem);
    return;
  }
  before.of.last = problem.of.last;
  before.of.count += 1;
}

/** Files of units that have not begun come first, by their names. */
function byTime(one: FolderProblem, other: FolderProblem): number {
  const difference = (one.of?.unit.start ?? 0) - (other.of?.unit.start ?? 0);
  return difference || (one.file < other.file ? -1 : 1);
}

/**
 * Compares only the bytes of a file outside the range. A file of a unit that has not begun, by a
 * wrong clock, cannot be downloaded again.
 */
function checkOutside(
  { history, onDisk, now }: FolderState,
  series: Series,
  name: string,
): FolderProblem | undefined {
  const entries = history.files.get(name);
  const file = onDisk.get(name);
  if (!entries || !file || file.kind === 'absent') return undefined;

  const problem =
    file.kind === 'file' ? changedProblem(name, file, entries) : unreadableProblem(name, file.why);
  const unit = unitOfName(name, series);
  if (!problem || !unit) return problem && { file: name, ...problem };
  if (unit.start > now) {
    const fix = `Remove ${name}: its ${series.current.spec.split} has not begun.`;
    return { file: name, ...problem, fix };
  }
  return { file: name, ...problem, of: { series, unit, last: unit, count: 1 } };
}

const runAgain = 'Run the original command again.';
const repairFix = 'adreport repair downloads it again.';

function historyProblems({ sources }: History): FolderProblem[] {
  const problems: FolderProblem[] = [];
  for (const { name, unreadable } of sources) {
    if (unreadable === undefined) continue;
    const message = `Cannot read the history ${name}: ${unreadable}.`;
    const fix = `Repair or remove ${name}, then run the original command again.`;
    problems.push({ file: name, kind: 'unreadable', message, fix });
  }
  return problems;
}

function folderProblems({ closed }: Listing): FolderProblem[] {
  return [...closed].map(([file, why]) => {
    const message = `The folder ${file} cannot be listed: ${why}.`;
    return { file, kind: 'unreadable', message, fix: `Make ${file} readable.` };
  });
}

interface CheckedFile {
  readonly name: string;
  readonly unit: RangeUnit;
  readonly entry: FileEntry | undefined;
  readonly onDisk: FileState;
  readonly problem: FolderProblem | undefined;
}

/** Has no file and unit yet. */
type FileProblem = Pick<FolderProblem, 'kind' | 'message' | 'fix' | 'keptSince'>;

function checkFile(
  facts: FolderState,
  series: Series,
  { name, unit }: Pick<CheckedFile, 'name' | 'unit'>,
): CheckedFile {
  const entry = newestEntry(facts.history, name);
  const onDisk = facts.onDisk.get(name) ?? { kind: 'absent' };
  const found = findProblem(facts, series, { name, unit, entry, onDisk });
  const of = { series, unit, last: unit, count: 1 };
  return { name, unit, entry, onDisk, problem: found && { file: name, ...found, of } };
}

function findProblem(
  { history, now }: FolderState,
  series: Series,
  { name, unit, entry, onDisk }: Omit<CheckedFile, 'problem'>,
): FileProblem | undefined {
  if (onDisk.kind === 'absent') {
    const isDue = unit.isExpected || entry !== undefined;
    if (!isDue) return undefined;
    return {
      kind: 'missing',
      message: missingMessage(name),
      fix: 'adreport repair downloads it.',
    };
  }
  if (onDisk.kind !== 'file') return unreadableProblem(name, onDisk.why);
  if (!entry?.own || !belongsToUnit(entry, unit)) {
    const isLost = entry !== undefined && !entry.own;
    const message = isLost ? lostMessage(name) : `${name} is not in the history.`;
    return { kind: 'untracked', message, fix: repairFix };
  }
  const entries = history.files.get(name) ?? [];
  return (
    foreignProblem(name, entry, series) ??
    changedProblem(name, onDisk, entries) ??
    staleProblem(entries, { series, unit, now })
  );
}

function missingMessage(name: string): string {
  return `${name} is missing.`;
}

function lostMessage(name: string): string {
  return `The history no longer has the request for ${name}.`;
}

function unreadableProblem(name: string, why: string): FileProblem {
  const fix = `Move ${name} away, or replace it with a readable file.`;
  return { kind: 'unreadable', message: `Cannot read ${name}: ${why}.`, fix };
}

function foreignProblem(
  name: string,
  { own }: FileEntry,
  { current }: Series,
): FileProblem | undefined {
  if (!own) return undefined;
  const fix = `Move ${name} elsewhere, or run the original command again with --refetch.`;
  if (own.content !== current.content) {
    const texts = specDifferences(own.spec, current.spec).join('; ');
    return { kind: 'foreign', message: `${name} is from a different request (${texts}).`, fix };
  }

  const conflict = ownerConflict(own.spec, current.spec);
  if (!conflict) return undefined;
  const message = `${name} belongs to ${conflict.before}, but the other files belong to ${conflict.now}.`;
  return { kind: 'foreign', message, fix };
}

function changedProblem(
  name: string,
  onDisk: Extract<FileState, { kind: 'file' }>,
  entries: readonly FileEntry[],
): FileProblem | undefined {
  const line = entries.at(-1)?.line;
  if (!line || onDisk.sha256 === line.sha256) return undefined;

  const fix = `${repairFix} If the service no longer has data for it, restore the file yourself.`;
  const earlier = entries.findLast(({ line }) => line.sha256 === onDisk.sha256)?.line;
  const message = earlier
    ? `${name} is an earlier download (${earlier.fetched}), not the newest (${line.fetched}).`
    : `${name} differs from its download: ${describeSize(onDisk.bytes, line.bytes)}.`;
  return { kind: 'changed', message, fix };
}

function describeSize(bytes: number, expected: number): string {
  if (bytes === 0) return 'it is empty';
  if (bytes === expected) return 'it has the same size but different bytes';
  return `it has ${formatCount(bytes)} bytes, not ${formatCount(expected)}`;
}

function staleProblem(
  entries: readonly FileEntry[],
  { series, unit, now }: { series: Series; unit: FolderUnit; now: number },
): FileProblem | undefined {
  const entry = entries.at(-1);
  if (!entry) return undefined;
  const { state, reason } = finality(entry, unit, { spec: series.current.spec, now });
  if (state !== 'stale') return undefined;

  const { file } = entry.line;
  const keptSince = entries.at(entries.findLastIndex(({ line }) => !line.kept) + 1)?.line;
  const since = keptSince?.kept ? { keptSince: keptSince.fetched } : {};
  return { kind: 'stale', message: `${file} is not final: ${reason}.`, fix: repairFix, ...since };
}

/** Returns the newest lines of files whose spec is lost and whose names do not fit any series. */
function findOrphans({ history, isSelected }: FolderState, index: SeriesIndex): FileEntry[] {
  const orphans: FileEntry[] = [];
  for (const [name, entries] of history.files) {
    const entry = entries.at(-1);
    const isOrphan = entry && !entry.own && isSelected?.(name) !== false;
    if (isOrphan && index.find(name).length === 0) orphans.push(entry);
  }
  return orphans.sort((one, other) => (one.line.file < other.line.file ? -1 : 1));
}

function orphanProblem(file: string): FolderProblem {
  return { file, kind: 'untracked', message: lostMessage(file), fix: runAgain };
}

function orphanSummaries(orphans: readonly FileEntry[]): SeriesSummary[] {
  const counts = new Map<string, number>();
  for (const { line } of orphans) {
    const output = line.file.split('/').slice(0, -1).join('/') || '.';
    counts.set(output, (counts.get(output) ?? 0) + 1);
  }
  return [...counts].map(([output, files]) => {
    return { output, files, rows: 0, totals: {}, outside: 0, gone: 0 };
  });
}

function summarize(
  series: Series,
  files: readonly CheckedFile[],
  units: readonly RangeUnit[],
): Omit<SeriesSummary, 'outside' | 'gone'> {
  const intact = files.filter(({ onDisk, problem }) => {
    return onDisk.kind === 'file' && (!problem || problem.kind === 'stale');
  });
  let rows = 0;
  for (const { entry } of intact) rows += entry?.line.rows ?? 0;
  const [first] = units;
  return {
    output: series.names.output,
    series,
    ...(first && { since: first.since, until: units.at(-1)?.until ?? first.until }),
    files: intact.length,
    rows,
    totals: sumTotals(intact),
  };
}

/** Adds up each metric exactly. */
function sumTotals(files: readonly CheckedFile[]): Totals {
  const sums = new Map<string, Decimal>();
  for (const { entry } of files) {
    for (const [metric, value] of Object.entries(entry?.line.totals ?? {})) {
      const addend = Decimal.parse(value);
      if (addend) sums.set(metric, sums.get(metric)?.plus(addend) ?? addend);
    }
  }

  const totals: Record<string, string> = {};
  for (const [metric, sum] of sums) {
    const digits = sum.toString();
    totals[metric] = fieldTypeOf(metric) === 'money' ? moneyText(digits) : digits;
  }
  return totals;
}

function fileNotes(files: readonly CheckedFile[]): string[] {
  const warned: string[] = [];
  const kept: string[] = [];
  let warning = '';
  for (const { name, entry } of files) {
    if (!entry) continue;
    const { warnings, kept: isKept } = entry.line;
    if (warnings.length > 0) warned.push(name);
    warning ||= warnings[0] ?? '';
    if (isKept) kept.push(name);
  }

  const notes: string[] = [];
  if (warned.length > 0) notes.push(`${nameFiles(warned)}: the report had a warning: ${warning}`);
  if (kept.length > 0)
    notes.push(`${nameFiles(kept)}: kept, because a newer report had no numbers.`);
  return notes;
}

/** Returns notes on files outside all series that `*.parquet` and the like would read too. */
function strayNotes(
  names: readonly string[],
  allSeries: readonly Series[],
  index: SeriesIndex,
): string[] {
  const notes: string[] = [];
  for (const ending of new Set(allSeries.map((series) => series.names.ending))) {
    const strays = names.filter((name) => {
      const isHidden = name.split('/').some((segment) => segment.startsWith('_'));
      return name.endsWith(ending) && !isHidden && index.find(name).length === 0;
    });
    if (ending === '' || strays.length === 0) continue;
    notes.push(`${nameFiles(strays)}: matched by *${ending}, but not in the history.`);
  }
  return notes;
}

function historyNotes({ sources }: History): string[] {
  const notes: string[] = [];
  for (const { name, skippedLines, unreadable } of sources) {
    if (skippedLines.length === 0 || unreadable !== undefined) continue;
    const lines = formatPlural(skippedLines.length, 'line');
    notes.push(`${lines} of ${name} skipped: incomplete, or from another version.`);
  }
  return notes;
}

/** Lists up to three names; of more, the first, the last and their number. */
function nameFiles(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names[0]} … ${names.at(-1)} (${formatPlural(names.length, 'file')})`;
}
