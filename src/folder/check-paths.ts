import { UsageError } from '../errors.ts';
import type { Window } from '../query/calendar.ts';
import { resolvePeriod, type TypedPeriod } from '../query/period.ts';
import { printable } from '../text/printable.ts';
import { checkFolder, type FolderCheck, type Problem, type Selection } from './check-folder.ts';
import { type Declaration, declarationName } from './declaration.ts';
import { type DeclarationFile, readDeclaration } from './declaration-file.ts';
import type { FolderPart } from './due.ts';
import {
  type FolderTarget,
  findFolders,
  readFolder,
  refreshSnapshot,
  type TypedPath,
} from './folder-snapshot.ts';

/** A folder and the result of comparing it with its declaration and history. */
export interface CheckedFolder {
  /** Absolute path. */
  readonly folder: string;

  /** Absent if the declaration cannot be read. */
  readonly declaration?: Declaration;
  readonly check: FolderCheck;
}

export interface CheckOptions {
  /** Limits the check to a period. Without a period, the whole folder is checked. */
  readonly period: TypedPeriod;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
  readonly signal: AbortSignal;

  /** Called with the number of bytes just read. */
  readonly onBytes?: (count: number) => void;
}

/**
 * Checks the declared folders at a path and below it.
 *
 * @throws UsageError if a path has no declaration, or if the period is invalid or has no day of
 * these folders
 */
export async function checkPath(path: TypedPath, options: CheckOptions): Promise<CheckedFolder[]> {
  const checked: CheckedFolder[] = [];
  for (const target of await findFolders(path, options.signal)) {
    checked.push(await checkTarget(target, options));
  }
  const partCount = checked.reduce((count, { check }) => count + check.parts.length, 0);
  const declarations = checked.flatMap(({ declaration }) => declaration ?? []);
  requireParts(path, { period: options.period, partCount, declarations });
  return checked;
}

/** Throws `UsageError` if the typed period has no day of any folder. */
export function requireParts(
  { shown }: TypedPath,
  {
    period: { period, since, until },
    partCount,
    declarations: [first],
  }: {
    readonly period: TypedPeriod;
    readonly partCount: number;
    readonly declarations: readonly Declaration[];
  },
): void {
  const typed = period ?? ([since, until].filter(Boolean).join(' to ') || undefined);
  if (typed === undefined || partCount > 0 || !first) return;

  throw new UsageError(`${printable(shown)} has no days in ${printable(typed)}.`, {
    about: { flag: period === undefined ? '--since' : '--period' },
    hint: `Choose days from ${first.since} to ${first.until}.`,
  });
}

async function checkTarget(target: FolderTarget, options: CheckOptions): Promise<CheckedFolder> {
  const { folder } = target;
  const { nowMs, signal, onBytes } = options;
  const file = await readDeclaration(folder);
  if (file.kind !== 'valid') return { folder, check: checkUndeclared(file) };

  const now = Math.floor(nowMs / 1_000);
  const { declaration } = file;
  const selection = selectParts(target, declaration, options);
  const isSelected = selection.files;
  const reading = { signal, onBytes, isSelected, hashes: true };
  const snapshot = await readFolder(folder, declaration, reading);
  const check = checkFolder(snapshot, now, selection);
  if (check.problems.length === 0) return { folder, declaration, check };

  const reported = new Set(check.problems.map((problem) => problem.file));
  const recheck = checkFolder(await refreshSnapshot(snapshot, reported, signal), now, selection);
  const problems = recheck.problems.filter((problem) => reported.has(problem.file));
  return { folder, declaration, check: { ...recheck, problems } };
}

/** The parts and files of a folder to check or update. */
interface FolderSelection extends Required<Selection> {
  /** Typed period; absent to select the whole folder. */
  readonly window?: Pick<Window, 'since' | 'until'> | undefined;
}

/** Returns the parts and files of a folder that a typed path and a typed period select. */
export function selectParts(
  { file }: FolderTarget,
  { timezone: zone, split: unit }: Declaration,
  { period: { period, since, until }, nowMs }: Pick<CheckOptions, 'period' | 'nowMs'>,
): FolderSelection {
  const isTyped = (period ?? since ?? until) !== undefined;
  const typed = { period, since, until };
  const window = isTyped ? resolvePeriod(typed, { zone, nowMs, unit }) : undefined;
  return {
    window,
    files: (name) => file === undefined || name === file,
    parts: (part: FolderPart) => {
      return window === undefined || (part.since <= window.until && window.since < part.end);
    },
  };
}

function checkUndeclared(file: Exclude<DeclarationFile, { readonly kind: 'valid' }>): FolderCheck {
  const problem: Problem = {
    file: declarationName,
    kind: 'unreadable',
    clause: explain(file),
    advice: 'Undo the edit, restore the file, or replace it with run --fresh.',
    fixedBy: 'person',
  };
  return { parts: [], problems: [problem], notes: [], files: 0, rows: 0, totals: {} };
}

function explain(file: Exclude<DeclarationFile, { readonly kind: 'valid' }>): string {
  if (file.kind === 'absent') return 'has gone';
  if (file.kind === 'edited') return 'was edited: its id does not match';
  return `cannot be read: ${file.why}`;
}
