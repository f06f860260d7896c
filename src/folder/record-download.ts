import * as fs from 'node:fs/promises';
import { OutputError } from '../errors.ts';
import { formatTime } from '../query/calendar.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { Declaration } from './declaration.ts';
import { requirePlace } from './disk.ts';
import { appendLine, type HistoryTarget, hasNumbers } from './history.ts';
import type { FileLine, Totals } from './history-schema.ts';
import { findFileToKeep, type KeptFile } from './kept-file.ts';

/** Folder that a run fills. */
export interface FolderToFill extends HistoryTarget {
  readonly declaration: Declaration;

  /** Where the folder is, without links. A link that appears later must not move it. */
  readonly realPath: string;

  /** Last line of each file before the run. */
  readonly lines: ReadonlyMap<string, FileLine>;
}

/** A report in a temporary file, ready to be renamed into place. */
export interface CompleteReport {
  /** First and last second of the report, in unix seconds. */
  readonly since: number;
  readonly until: number;
  readonly rowCount: number;

  /** Set if a row has a number other than 0 in a requested metric. */
  readonly hasNumbers: boolean;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly totals: Totals;
  readonly reportId: string | null;

  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly warnings: readonly string[];
}

/** Totals that differ from those of the last download. */
type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** Result of recording a report. */
export interface RecordResult {
  /** Set if the file must not be replaced. */
  readonly kept?: KeptFile;
  readonly changes?: Changes | undefined;
  readonly warnings: readonly string[];
}

/**
 * Records a complete report in the history, before its file is renamed into place. A report without
 * numbers is not recorded if it would replace a file with numbers.
 *
 * @param name path of the file from the folder, with slashes
 * @throws OutputError if the line cannot be written, or if a link has appeared in the place of the
 *   folder or the file
 */
export async function recordDownload(
  filled: FolderToFill,
  name: string,
  report: CompleteReport,
): Promise<RecordResult> {
  await requireSamePlace(filled, name);
  const { declaration, lines, host } = filled;
  const last = lines.get(name);
  const shown = printable(name);
  if (!report.hasNumbers) {
    const { folder } = filled;
    const { id } = declaration;
    const kept = await findFileToKeep({ folder, name, line: last, id, signal: host.signal });
    const wouldChange = kept && kept.sha256 !== report.sha256;
    const why =
      'because the new report has no numbers. To accept that, delete the file and run again';
    if (wouldChange) return { kept, warnings: [`${shown} was kept, ${why}.`] };
  }

  await appendLine(filled, buildLine(declaration, name, report));
  const isLost = !report.hasNumbers && last !== undefined && hasNumbers(last);
  const before = `the last download had ${formatPlural(last?.rows ?? 0, 'row')}`;
  const warnings = isLost ? [`${shown} now has no numbers; ${before}.`] : [];
  const isSameReport = last?.id === declaration.id;
  return { changes: isSameReport ? findChanges(last.totals, report.totals) : undefined, warnings };
}

/** Throws `OutputError` if a file cannot be put in its place, or the folder became a link. */
export async function requireSamePlace(filled: FolderToFill, name: string): Promise<void> {
  const { folder, realPath } = filled;
  await requirePlace(folder, name);
  const path = await fs.realpath(folder).catch(() => realPath);
  if (path === realPath) return;
  throw new OutputError(`Cannot write ${printable(name)}: ${printable(folder)} became a link.`, {
    hint: 'Put the folder back in its place, and run the command again.',
  });
}

function buildLine({ id, timezone }: Declaration, file: string, report: CompleteReport): FileLine {
  const { since, until, createdMs, reportId, rowCount, sizeBytes, sha256, totals } = report;
  return {
    id,
    file,
    since: formatTime(since, timezone),
    until: formatTime(until, timezone),
    created: new Date(createdMs).toISOString(),
    report: reportId,
    rows: rowCount,
    bytes: sizeBytes,
    sha256,
    totals,
    warnings: [...report.warnings],
  };
}

/** Returns `undefined` if no total differs. */
function findChanges(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};
  for (const [metric, value] of Object.entries(now)) {
    const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}
