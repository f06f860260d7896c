import { UsageError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { FileState } from './disk.ts';
import { finality } from './finality.ts';
import { type History, newestEntry, type SpecLine } from './history.ts';
import { type RangeUnit, unitsInRange } from './range.ts';
import { belongsToUnit, ownerConflict, type Series } from './series.ts';
import { specDifferences } from './spec.ts';
import type { FolderUnit } from './units.ts';

/** Run that adds files to a folder. */
export interface FolderRun {
  readonly history: History;

  /** Spec line of this run. */
  readonly line: SpecLine;

  /** History file that it appends to. */
  readonly source: string;

  /** Series before this run; absent for a new one. */
  readonly before: Series | undefined;

  /** Series with the spec line of this run. */
  readonly series: Series;

  /** In unix seconds. */
  readonly now: number;
}

/** File of a unit of the window. */
export interface WindowFile {
  /** Path relative to the folder, with slashes. */
  readonly name: string;
  readonly unit: FolderUnit;
  readonly onDisk: FileState;
}

/** For files whose size alone cannot show whether they match their newest line. */
export function needsReading(history: History, name: string): boolean {
  const entries = history.files.get(name) ?? [];
  const newest = entries.at(-1)?.line;
  return entries.some(({ line }) => {
    return line.bytes === newest?.bytes && line.sha256 !== newest.sha256;
  });
}

/**
 * Explains why a file is due, as a clause; `undefined` if it is final or its unit has not begun.
 */
export function reasonToDownload(
  run: FolderRun,
  { name, unit, onDisk }: WindowFile,
): string | undefined {
  if (unit.start > run.now) return undefined;
  if (onDisk.kind === 'absent') return 'no file yet';
  if (onDisk.kind !== 'file') return `its file cannot be read: ${onDisk.why}`;

  const entry = newestEntry(run.history, name);
  if (!entry) return 'its file is not in the history';
  if (!entry.own) return 'the request for its file is no longer in the history';
  if (!belongsToUnit(entry, unit)) return `its file covers a different time (${entry.line.since})`;
  if (otherRequest(entry.own, run.line)) return 'its file is from a different request';

  const { line } = entry;
  if (onDisk.bytes === 0 && line.bytes > 0) return 'its file is empty';
  const hasOtherHash = onDisk.sha256 !== undefined && onDisk.sha256 !== line.sha256;
  if (onDisk.bytes !== line.bytes || hasOtherHash) return 'its file was changed';
  return finality(entry, unit, { spec: run.line.spec, now: run.now }).reason;
}

/** Describes how the requests or accounts of two specs differ; `undefined` if they do not. */
function otherRequest(before: SpecLine, now: SpecLine): string | undefined {
  if (before.content !== now.content) return specDifferences(before.spec, now.spec).join('; ');
  const conflict = ownerConflict(before.spec, now.spec);
  return conflict && `${conflict.before} → ${conflict.now}`;
}

/**
 * Refuses a folder of another account, or with files in the window from a different request;
 * `undefined` if the run may proceed.
 */
export function folderConflict(
  run: FolderRun,
  files: readonly WindowFile[],
): UsageError | undefined {
  return otherAccount(run) ?? otherFiles(run, files);
}

const conflictHint = 'Use a different -o, or add --refetch to download the whole period again.';

function otherAccount({ line, before }: FolderRun): UsageError | undefined {
  const conflict = before && ownerConflict(before.current.spec, line.spec);
  if (!conflict) return undefined;

  const { output } = line.spec;
  const message = `The files ${output} belong to ${conflict.before}, but this run is for ${conflict.now}.`;
  return new UsageError(printable(message), { code: 'OTHER_ACCOUNT', hint: conflictHint });
}

function otherFiles(run: FolderRun, files: readonly WindowFile[]): UsageError | undefined {
  const others = new Set<string>();
  const names: string[] = [];
  for (const { name, onDisk } of files) {
    const own = newestEntry(run.history, name)?.own;
    const other = own && otherRequest(own, run.line);
    if (other === undefined || onDisk.kind === 'absent') continue;
    others.add(other);
    names.push(name);
  }
  if (names.length === 0) return undefined;

  const isOne = names.length === 1;
  const subject = isOne ? `${names[0]} comes` : `These ${nameFiles(names)} come`;
  const message = `${subject} from a different request: ${[...others].join('; ')}.`;
  return new UsageError(printable(message), { code: 'OTHER_REQUEST', hint: conflictHint });
}

function nameFiles(names: readonly string[]): string {
  return `${formatPlural(names.length, 'file')} (${names[0]} … ${names.at(-1)})`;
}

/** Unit of the range before the window of a run. */
export interface UnitBefore {
  readonly name: string;
  readonly unit: RangeUnit;
}

/**
 * Returns the units of the range before the window of a run, which the run will not download.
 *
 * @param begin first second of the window, in unix seconds
 */
export function unitsBefore({ series, now }: FolderRun, begin: number): UnitBefore[] {
  const units = unitsInRange(series, now).filter(({ over }) => over <= begin);
  return units.map((unit) => ({ name: series.names.nameFor(unit), unit }));
}

/** Counts the missing and stale units, which only a repair downloads. */
export function countLeft(
  { history, series, now }: FolderRun,
  units: readonly UnitBefore[],
  onDisk: ReadonlyMap<string, FileState>,
) {
  let missing = 0;
  let stale = 0;
  for (const { name, unit } of units) {
    const entry = newestEntry(history, name);
    const exists = (onDisk.get(name)?.kind ?? 'absent') !== 'absent';
    if (!exists && (unit.isExpected || entry)) missing += 1;

    const rules = { spec: series.current.spec, now };
    const isStale = entry && finality(entry, unit, rules).state === 'stale';
    if (exists && isStale) stale += 1;
  }
  return { missing, stale };
}
