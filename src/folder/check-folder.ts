import { formatCount, formatPlural } from '../text/quantity.ts';
import { addSums } from '../totals/grouped-totals.ts';
import { toSums } from '../totals/report-metrics.ts';
import { declarationName } from './declaration.ts';
import { findMismatch, type Mismatch } from './due.ts';
import { isExpected, isStale } from './finality.ts';
import type { FolderSnapshot } from './folder-snapshot.ts';
import { skippedNotes } from './history.ts';
import type { FileLine, Totals } from './history-schema.ts';
import { type FolderPart, findPart, listParts } from './parts.ts';

/** A file that contradicts the declaration or the history of its folder. */
export interface Problem {
  /** Path relative to the folder, with slashes. */
  readonly file: string;
  readonly kind: Mismatch | 'stale';

  /** Predicate for messages about the file: `is missing`. */
  readonly clause: string;

  /** How to solve the problem, unless an update solves it. */
  readonly advice?: string | undefined;
  readonly fixedBy: 'update' | 'person';

  /** Part that the file belongs to, if any. */
  readonly part?: FolderPart | undefined;
}

/** Result of comparing a folder with its declaration and history. */
export interface FolderCheck {
  /** Parts that were checked, in time order. */
  readonly parts: readonly FolderPart[];

  /** Problems of the parts in time order, then problems of other files. */
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];

  /** Number of intact files. Rows and totals cover these files. */
  readonly files: number;
  readonly rows: number;
  readonly totals: Totals;
}

/**
 * Compares the selected files of a folder with its declaration and its history.
 *
 * @param now in unix seconds
 */
export function checkFolder(snapshot: FolderSnapshot, now: number): FolderCheck {
  const { declaration, history, onDisk, selection } = snapshot;
  const problems = unreadableSources(snapshot);
  const intact: FileLine[] = [];
  const parts = listParts(declaration, now, selection);
  for (const part of parts) {
    const problem = checkPart(part, snapshot, now);
    if (problem) problems.push(problem);
    const line = history.lines.get(part.name);
    const isIntact = onDisk.has(part.name) && (!problem || problem.kind === 'stale');
    if (line && isIntact) intact.push(line);
  }

  const inside = new Set(parts.map(({ name }) => name));
  for (const name of [...onDisk.keys()].sort()) {
    const problem = inside.has(name) ? undefined : checkOtherFile(name, snapshot);
    if (problem) problems.push(problem);
  }

  return {
    parts,
    problems,
    notes: [
      ...warningNotes(intact),
      ...strayNotes(snapshot),
      ...lateNotes(snapshot),
      ...skippedNotes(history),
    ],
    files: intact.length,
    rows: intact.reduce((sum, { rows }) => sum + rows, 0),
    totals: sumTotals(intact),
  };
}

/** Checks the file of a part in the folder's days. */
function checkPart(part: FolderPart, snapshot: FolderSnapshot, now: number): Problem | undefined {
  const { declaration, history } = snapshot;
  const { name: file } = part;
  const kind = findMismatch(file, snapshot);
  const line = history.lines.get(file);
  if (kind === undefined) {
    if (!line || !isStale(line, part, { declaration, now })) return undefined;
    const { created, since, until } = line;
    const clause = `is not final: its report, requested at ${created}, covers ${since} to ${until}`;
    return { file, kind: 'stale', clause, fixedBy: 'update', part };
  }
  if (kind === 'missing' && !isExpected(part, declaration, now)) return undefined;

  const clause = describeMismatch(file, kind, snapshot);
  const isOldest = part.firstDay <= declaration.since;
  if (kind === 'unreadable') return { file, kind, clause, ...byPerson, part };
  const dropAdvice = `To drop old files, raise since (${declaration.since}) in ${declarationName}.`;
  const advice = kind === 'missing' && isOldest ? dropAdvice : undefined;
  return { file, kind, clause, advice, fixedBy: 'update', part };
}

/** For files that a download does not replace. */
const byPerson = { advice: 'Make it readable, or move it away.', fixedBy: 'person' } as const;

function describeMismatch(name: string, kind: Mismatch, snapshot: FolderSnapshot): string {
  const file = snapshot.onDisk.get(name);
  const line = snapshot.history.lines.get(name);
  if (file?.kind === 'unreadable') return `cannot be read: ${file.why}`;
  if (kind === 'changed') return describeChange(file?.bytes ?? 0, line?.bytes ?? 0);
  if (kind === 'untracked') return 'is not in the history';
  return kind === 'missing' ? 'is missing' : 'was not downloaded for the report of this folder';
}

function describeChange(bytes: number, expected: number): string {
  if (bytes === expected) return 'has the same size as when downloaded, but different bytes';
  return `has ${formatCount(bytes)} bytes, but was downloaded with ${formatCount(expected)}`;
}

/** Checks a file that matches the pattern but is not for a day of the folder. */
function checkOtherFile(file: string, snapshot: FolderSnapshot): Problem | undefined {
  const kind = findMismatch(file, snapshot);
  if (kind === undefined || kind === 'changed') return undefined;

  const { declaration } = snapshot;
  const part = findPart(file, declaration);
  const clause = describeMismatch(file, kind, snapshot);
  if (kind === 'unreadable') return { file, kind, clause, ...byPerson, part };

  const where = part ? 'outside the days of the folder' : `not the name of a ${declaration.split}`;
  const advice = 'Move it away.';
  return { file, kind, clause: `${clause}, and is ${where}`, advice, fixedBy: 'person', part };
}

/** Whether the same problem affects the next day, week or month. */
export function continuesProblem(before: Problem, problem: Problem): boolean {
  if (before.kind !== problem.kind || before.fixedBy !== problem.fixedBy) return false;
  return problem.part !== undefined && before.part?.end === problem.part.since;
}

function unreadableSources({ history, listing }: FolderSnapshot): Problem[] {
  return [...history.unreadable, ...listing.unreadable].map(([file, why]) => {
    return { file, kind: 'unreadable', clause: `cannot be read: ${why}`, ...byPerson };
  });
}

function warningNotes(lines: readonly FileLine[]): string[] {
  const warned = lines.filter(({ warnings }) => warnings.length > 0);
  const [first] = warned;
  if (!first) return [];
  const names = warned.map(({ file }) => file);
  return [`${formatFiles(names)}: the report had a warning: ${first.warnings[0]}`];
}

/** Returns a note on files that a pattern such as `*.csv` would match too. */
function strayNotes({ declaration: { pattern }, listing }: FolderSnapshot): string[] {
  const strays = listing.names.filter((name) => {
    const isHidden = name.split('/').some((segment) => segment.startsWith('_'));
    return name.endsWith(pattern.ending) && !isHidden && pattern.readDay(name) === undefined;
  });
  if (pattern.ending === '' || strays.length === 0) return [];
  const [was, matches] = strays.length === 1 ? ['was', 'matches'] : ['were', 'match'];
  const names = formatFiles(strays);
  return [`${names} ${was} not written by adreport but ${matches} *${pattern.ending}.`];
}

/** Returns a note on recorded files after the end of the folder. */
function lateNotes({ declaration: { until }, history, onDisk }: FolderSnapshot): string[] {
  if (until === 'now') return [];
  const late = [...onDisk.keys()].filter((name) => {
    const day = history.lines.get(name)?.since.slice(0, until.length) ?? '';
    return day > until;
  });
  return late.length === 0
    ? []
    : [`${formatFiles(late)}: after the folder’s last day (until: ${until}).`];
}

/** Formats `a.csv, b.csv`, or `a.csv … z.csv (26 files)` for more than three names. */
function formatFiles(names: readonly string[]): string {
  if (names.length <= 3) return names.join(', ');
  return `${names[0]} … ${names.at(-1)} (${formatPlural(names.length, 'file')})`;
}

function sumTotals(lines: readonly FileLine[]): Totals {
  // All lines belong to the same report, so they have the same metrics.
  const metrics = Object.keys(lines[0]?.totals ?? {});
  const groups = lines.map(({ totals }) => ({ sums: toSums(totals) }));
  const sums = addSums(groups, metrics);
  return Object.fromEntries(metrics.map((metric) => [metric, String(sums.get(metric))]));
}
