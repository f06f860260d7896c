import { fieldTypeOf } from '../contract/columns.ts';
import { moneyText } from '../figures/numbers.ts';
import { differences } from '../report/spec.ts';
import type { CalendarUnit } from '../report/window.ts';
import { Decimal } from '../text/decimal.ts';
import { formatCount, formatPlural } from '../text/quantity.ts';
import type { Listing, OnDisk } from './disk.ts';
import { finality } from './finality.ts';
import { type FileEntry, type History, newestEntry, type Totals } from './history.ts';
import { type RangeUnit, unitsInRange } from './range.ts';
import { isOfUnit, ownerConflict, type Series, seriesOf } from './series.ts';

/** The list is complete: see the table in cli.md. */
export type FindingKind = 'missing' | 'changed' | 'stale' | 'foreign' | 'untracked' | 'unreadable';

/** A problem with a file, folder or history file. */
export interface FolderFinding {
  /** The path relative to the folder of the history, with slashes. */
  readonly file: string;
  readonly kind: FindingKind;

  /** A sentence. */
  readonly message: string;

  /** How to fix it, as a sentence. */
  readonly fix: string;

  /** The series and unit of a report file; absent otherwise. */
  readonly of?: { readonly series: Series; readonly unit: CalendarUnit };
}

/** The files of one series. */
export interface SeriesSummary {
  /** The `output` of its specs; the folder of files whose spec is lost. */
  readonly output: string;

  /** Absent for files whose spec is lost. */
  readonly series?: Series;

  /** The first and last day of its range; absent for an empty range. */
  readonly since?: string;
  readonly until?: string;

  /** The number of files that match their history lines; if the spec is lost, of all files. */
  readonly files: number;
  readonly rows: number;
  readonly totals: Totals;

  /** The number of files named like the series but outside its range. */
  readonly outside: number;
}

/** The result of a check. */
export interface FolderVerdict {
  readonly series: readonly SeriesSummary[];

  /** In time order within a series. */
  readonly findings: readonly FolderFinding[];

  /** Sentences about things that may be fine. */
  readonly notes: readonly string[];
}

/** A series with the units to check. */
export interface JudgedSeries {
  readonly series: Series;
  readonly units: readonly RangeUnit[];
}

/** A folder with a history, or some of its files. */
export interface FolderPart {
  readonly history: History;

  /** True for a file to check; absent if all files are checked. */
  readonly isSelected?: (name: string) => boolean;
}

/**
 * The files that a folder should contain.
 *
 * @param now the current time, in unix seconds
 */
export function expectedOf({ history, isSelected }: FolderPart, now: number): JudgedSeries[] {
  return seriesOf(history, now).map((series) => {
    const units = unitsInRange(series, now);
    const selected = units.filter((unit) => isSelected?.(series.names.of(unit)) ?? true);
    return { series, units: selected };
  });
}

/** The state of a folder on disk, and its expected files. */
export interface FolderFacts extends FolderPart {
  readonly expected: readonly JudgedSeries[];

  /** The files of the expected units, with their hashes. */
  readonly onDisk: ReadonlyMap<string, OnDisk>;
  readonly listing: Listing;

  /** In unix seconds. */
  readonly now: number;
}

/** Compares a folder with its history, without reading from disk. */
export function judgeFolder(facts: FolderFacts): FolderVerdict {
  const { history, expected, listing, isSelected = () => true } = facts;
  const findings = [...findingsOfHistory(history), ...findingsOfFolders(listing)];
  const summaries: SeriesSummary[] = [];
  const notes: string[] = [];
  const wrongFiles = new Set<string>();
  const outside = namesOutside(facts);

  for (const { series, units } of expected) {
    const files = units.map((unit) => judgeFile(facts, series, unit));
    for (const { finding, name } of files) {
      // The name of a file may fit two series.
      if (finding && !wrongFiles.has(name)) findings.push(finding);
      if (finding) wrongFiles.add(name);
    }
    notes.push(...notesOfFiles(files));

    const count = outside.get(series) ?? 0;
    const isIncluded = !facts.isSelected || units.length + count > 0;
    if (isIncluded) summaries.push(summaryOf(series, files, count));
  }

  const orphans = orphansOf(facts);
  findings.push(...orphans.map(({ line }) => orphanFinding(line.file)));
  summaries.push(...summariesOfOrphans(orphans));
  const strays = listing.names.filter((name) => isSelected(name) && !history.files.has(name));
  notes.push(...notesOfStrays(strays, expected), ...notesOfHistory(history));
  return { series: summaries, findings, notes };
}

/** The number of files of each series outside its range; each file counts once. */
function namesOutside({ expected, listing, isSelected }: FolderFacts): Map<Series, number> {
  const inRange = new Set(
    expected.flatMap(({ series, units }) => units.map((unit) => series.names.of(unit))),
  );
  const counts = new Map<Series, number>();
  for (const name of listing.names) {
    if (inRange.has(name) || isSelected?.(name) === false) continue;
    const found = expected.find(({ series }) => series.names.fits(name))?.series;
    if (found) counts.set(found, (counts.get(found) ?? 0) + 1);
  }
  return counts;
}

const runAgain = 'Run the original command again.';
const repairFix = 'adreport repair downloads it again.';

function findingsOfHistory({ sources }: History): FolderFinding[] {
  const findings: FolderFinding[] = [];
  for (const { name, unreadable } of sources) {
    if (unreadable === undefined) continue;
    const message = `Cannot read the history ${name}: ${unreadable}.`;
    const fix = `Repair or remove ${name}, then run the original command again.`;
    findings.push({ file: name, kind: 'unreadable', message, fix });
  }
  return findings;
}

function findingsOfFolders({ closed }: Listing): FolderFinding[] {
  return [...closed].map(([file, why]) => {
    const message = `The folder ${file} cannot be listed: ${why}.`;
    return { file, kind: 'unreadable', message, fix: `Make ${file} readable.` };
  });
}

/** A file of the range with its finding. */
interface JudgedFile {
  readonly name: string;
  readonly unit: RangeUnit;
  readonly entry: FileEntry | undefined;
  readonly onDisk: OnDisk;
  readonly finding: FolderFinding | undefined;
}

/** A finding without its file and unit. */
type FileProblem = Pick<FolderFinding, 'kind' | 'message' | 'fix'>;

function judgeFile(facts: FolderFacts, series: Series, unit: RangeUnit): JudgedFile {
  const name = series.names.of(unit);
  const entry = newestEntry(facts.history, name);
  const onDisk = facts.onDisk.get(name) ?? { kind: 'nothing' };
  const problem = problemOf(facts, series, { name, unit, entry, onDisk });
  const finding = problem && { file: name, ...problem, of: { series, unit } };
  return { name, unit, entry, onDisk, finding };
}

function problemOf(
  facts: FolderFacts,
  series: Series,
  { name, unit, entry, onDisk }: Omit<JudgedFile, 'finding'>,
): FileProblem | undefined {
  if (onDisk.kind === 'nothing') {
    const isDue = unit.isExpected || entry !== undefined;
    if (!isDue) return undefined;
    return {
      kind: 'missing',
      message: `${name} is missing.`,
      fix: 'adreport repair downloads it.',
    };
  }
  if (onDisk.kind !== 'file') {
    const fix = `Move ${name} away, or replace it with a readable file.`;
    return { kind: 'unreadable', message: `Cannot read ${name}: ${onDisk.why}.`, fix };
  }
  if (!entry?.own || !isOfUnit(entry, unit)) {
    const isLost = entry !== undefined && !entry.own;
    const problem = isLost ? 'The history lost the spec of' : 'The history has no line for';
    return { kind: 'untracked', message: `${problem} ${name}.`, fix: repairFix };
  }
  return (
    foreignOf(name, entry, series) ??
    changedOf(name, onDisk, facts.history.files.get(name) ?? []) ??
    staleOf(name, entry, { series, unit, now: facts.now })
  );
}

function foreignOf(name: string, { own }: FileEntry, { current }: Series): FileProblem | undefined {
  if (!own) return undefined;
  const fix = `Move ${name} elsewhere, or run the original command again with --refetch.`;
  if (own.content !== current.content) {
    const texts = differences(own.spec, current.spec).join('; ');
    return { kind: 'foreign', message: `${name} is from a different request (${texts}).`, fix };
  }

  const conflict = ownerConflict(own.spec, current.spec);
  if (!conflict) return undefined;
  const message = `${name} belongs to ${conflict.before}, but the series to ${conflict.now}.`;
  return { kind: 'foreign', message, fix };
}

type FileOnDisk = Extract<OnDisk, { kind: 'file' }>;

function changedOf(
  name: string,
  onDisk: FileOnDisk,
  entries: readonly FileEntry[],
): FileProblem | undefined {
  const line = entries.at(-1)?.line;
  if (!line || onDisk.sha256 === line.sha256) return undefined;

  const fix = `${repairFix} If the service no longer has data for it, restore the file yourself.`;
  const earlier = entries.findLast((each) => each.line.sha256 === onDisk.sha256)?.line;
  const message = earlier
    ? `${name} is an earlier download (${earlier.fetched}), not the newest (${line.fetched}).`
    : `${name} differs from its download: ${sizeText(onDisk.bytes, line.bytes)}.`;
  return { kind: 'changed', message, fix };
}

function sizeText(bytes: number, expected: number): string {
  if (bytes === 0) return 'it is empty';
  if (bytes === expected) return 'it has the same size but different bytes';
  return `it has ${formatCount(bytes)} bytes, not ${formatCount(expected)}`;
}

function staleOf(
  name: string,
  entry: FileEntry,
  { series, unit, now }: { series: Series; unit: CalendarUnit; now: number },
): FileProblem | undefined {
  const { state, reason } = finality(entry, unit, { spec: series.current.spec, now });
  if (state !== 'stale') return undefined;
  return { kind: 'stale', message: `${name} is not final: ${reason}.`, fix: repairFix };
}

/** The newest lines of files whose spec is lost and whose names do not fit any series. */
function orphansOf({ history, expected, isSelected }: FolderFacts): FileEntry[] {
  const orphans: FileEntry[] = [];
  for (const [name, entries] of history.files) {
    const entry = entries.at(-1);
    const isOfSeries = expected.some(({ series }) => series.names.fits(name));
    const isOrphan = entry && !entry.own && !isOfSeries && isSelected?.(name) !== false;
    if (isOrphan) orphans.push(entry);
  }
  return orphans.sort((one, other) => (one.line.file < other.line.file ? -1 : 1));
}

function orphanFinding(file: string): FolderFinding {
  const message = `The history lost the spec of ${file}.`;
  return { file, kind: 'untracked', message, fix: runAgain };
}

function summariesOfOrphans(orphans: readonly FileEntry[]): SeriesSummary[] {
  const counts = new Map<string, number>();
  for (const { line } of orphans) {
    const output = line.file.split('/').slice(0, -1).join('/') || '.';
    counts.set(output, (counts.get(output) ?? 0) + 1);
  }
  return [...counts].map(([output, files]) => {
    return { output, files, rows: 0, totals: {}, outside: 0 };
  });
}

function summaryOf(series: Series, files: readonly JudgedFile[], outside: number): SeriesSummary {
  const intact = files.filter(({ onDisk, finding }) => {
    return onDisk.kind === 'file' && (!finding || finding.kind === 'stale');
  });
  let rows = 0;
  for (const { entry } of intact) rows += entry?.line.rows ?? 0;

  const since = files[0]?.unit.since;
  const until = files.at(-1)?.unit.until;
  return {
    output: series.names.output,
    series,
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    files: intact.length,
    rows,
    totals: totalsOf(intact),
    outside,
  };
}

/** The exact sum of each metric over some files. */
function totalsOf(files: readonly JudgedFile[]): Totals {
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

function notesOfFiles(files: readonly JudgedFile[]): string[] {
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
  if (warned.length > 0) notes.push(`${listText(warned)}: the report had a warning: ${warning}`);
  if (kept.length > 0)
    notes.push(`${listText(kept)}: kept, because a later report had no figures.`);
  return notes;
}

/** Notes on files outside all series that `*.parquet` and the like would read too. */
function notesOfStrays(names: readonly string[], expected: readonly JudgedSeries[]): string[] {
  const patterns = expected.map(({ series }) => series.names);
  const notes: string[] = [];
  for (const ending of new Set(patterns.map((each) => each.ending))) {
    const strays = names.filter((name) => {
      const isHidden = name.split('/').some((segment) => segment.startsWith('_'));
      return name.endsWith(ending) && !isHidden && !patterns.some((each) => each.fits(name));
    });
    if (ending === '' || strays.length === 0) continue;
    notes.push(`${listText(strays)}: not in any series of the history, but *${ending} matches it.`);
  }
  return notes;
}

function notesOfHistory({ sources }: History): string[] {
  const notes: string[] = [];
  for (const { name, skippedLines, unreadable } of sources) {
    if (skippedLines.length === 0 || unreadable !== undefined) continue;
    const lines = formatPlural(skippedLines.length, 'line');
    notes.push(`${lines} of ${name} skipped: incomplete, or from another version.`);
  }
  return notes;
}

/** Up to three names; of more, the first, the last and their number. */
function listText(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names[0]} … ${names.at(-1)} (${formatPlural(names.length, 'file')})`;
}
