import * as fs from 'node:fs/promises';
import { type Column, fieldOfColumn, fieldTypeOf } from '../contract/columns.ts';
import { type CheckMessage, IncompleteDataError, OutputError } from '../errors.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { formatEnds } from '../query/calendar.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import { padMoney } from '../totals/numbers.ts';
import { formatSum } from '../totals/report-metrics.ts';
import type { Declaration } from './declaration.ts';
import { readFileStates, requireWritablePath } from './disk.ts';
import { isChanged } from './due.ts';
import { appendLine, type HistoryTarget, hasNumbers } from './history.ts';
import type { FileLine, Totals } from './history-schema.ts';

/** Folder that a run fills. */
export interface OutputFolder extends HistoryTarget {
  readonly declaration: Declaration;

  /** Resolved path of the folder. A link that appears later must not redirect the run. */
  readonly realPath: string;

  /** Last history line of each file before the run. */
  readonly lines: ReadonlyMap<string, FileLine>;
}

/** A complete report whose file has not been renamed into place yet. */
interface CompleteReport {
  readonly part: Part;
  readonly file: Pick<WrittenFile, 'rowCount' | 'sizeBytes' | 'sha256'>;
  readonly sums: Pick<GroupedTotals, 'metrics' | 'totals'>;

  /** Whether any requested metric has a number other than 0. */
  readonly hasNumbers: boolean;
  readonly warnings: readonly CheckMessage[];
  readonly reportId: string | undefined;

  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** Totals that changed since the last download. */
type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** A file that a report without numbers must not replace. */
interface KeptFile {
  /** Rows in the file; `null` if the file does not match its history line. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;

  /** Whether the file has the declared report. */
  readonly matchesDeclaration: boolean;
}

export interface RecordResult {
  /** Existing file that was not replaced. */
  readonly kept?: KeptFile;
  readonly changes?: Changes | undefined;
  readonly warnings: readonly string[];
}

/**
 * Records a complete report in the history, before the file is renamed into place. A report without
 * numbers is not recorded if it would replace a file with numbers.
 *
 * @throws OutputError if the line cannot be written, or if the folder or the file was replaced by a
 * link
 */
export async function recordDownload(
  outputFolder: OutputFolder,
  report: CompleteReport,
): Promise<RecordResult> {
  await requireUnmovedFolder(outputFolder, report.part);
  const { declaration } = outputFolder;
  const line = buildLine(declaration, report);
  const displayPath = printable(line.file);
  const kept = report.hasNumbers ? undefined : await findFileToKeep(outputFolder, line);
  if (kept) {
    const why =
      'because the new report has no numbers. To accept that, delete the file and run again';
    return { kept, warnings: [`${displayPath} was kept, ${why}.`] };
  }

  await appendLine(outputFolder, line);
  const last = outputFolder.lines.get(line.file);
  const warnings: string[] = [];
  if (!report.hasNumbers && last && hasNumbers(last)) {
    const rows = formatPlural(last.rows, 'row');
    warnings.push(`${displayPath} now has no numbers; the last download had ${rows}.`);
  }
  const isSameReport = last?.id === declaration.id;
  return { changes: isSameReport ? findChanges(last.totals, line.totals) : undefined, warnings };
}

/**
 * Finds the file that a report without numbers must not replace. A file may be replaced if it is
 * empty, if its history line has no numbers, or if the report has the same bytes.
 */
async function findFileToKeep(
  { folder, declaration, lines, host }: OutputFolder,
  { file: name, sha256: newHash }: FileLine,
): Promise<KeptFile | undefined> {
  const options = { computeHash: true, signal: host.signal };
  const file = (await readFileStates(folder, [name], options)).get(name);
  if (file?.kind !== 'file' || file.bytes === 0 || file.sha256 === newHash) return undefined;

  const { bytes, sha256 = '' } = file;
  const line = lines.get(name);
  if (!line || isChanged(file, line))
    return { rows: null, bytes, sha256, matchesDeclaration: false };
  if (!hasNumbers(line)) return undefined;
  return { rows: line.rows, bytes, sha256, matchesDeclaration: line.id === declaration.id };
}

/** Throws `IncompleteDataError` if a kept file does not have the declared report. */
export function requireDeclaredReport({ kept }: RecordResult, name: string | undefined): void {
  if (!kept || kept.matchesDeclaration) return;
  throw new IncompleteDataError(`Kept ${name}, but it belongs to another report.`, {
    hint: 'Delete the file to accept that the new report has no numbers, and run again.',
  });
}

/**
 * Throws `OutputError` if a file cannot be put in place, or if the folder was replaced by a link.
 */
export async function requireUnmovedFolder(outputFolder: OutputFolder, part: Part): Promise<void> {
  const { folder, realPath, declaration } = outputFolder;
  const name = declaration.pattern.nameFor(part);
  await requireWritablePath(folder, name);
  const path = await fs.realpath(folder).catch(() => realPath);
  if (path === realPath) return;
  throw new OutputError(
    `Cannot write ${printable(name)}: ${printable(folder)} was replaced by a symlink.`,
    {
      hint: 'Move the folder back, and run the command again.',
    },
  );
}

function buildLine({ id, pattern }: Declaration, report: CompleteReport): FileLine {
  const { part, file, sums, createdMs, reportId = null, warnings } = report;
  return {
    id,
    file: pattern.nameFor(part),
    ...formatEnds(part),
    created: new Date(createdMs).toISOString(),
    report: reportId,
    rows: file.rowCount,
    bytes: file.sizeBytes,
    sha256: file.sha256 ?? '',
    totals: formatTotals(sums, listQueryColumns(part.query)),
    warnings: warnings.map(({ message }) => message),
  };
}

/** Formats `downloads 40 → 43, revenueEuro 1,234.56 → 1,256.78 (+1.8 %)`. */
export function formatChanges(changes: Changes): string {
  const formatted: string[] = [];
  for (const [metric, [before, after]] of Object.entries(changes)) {
    const values = `${metric} ${formatSum(metric, before)} → ${formatSum(metric, after)}`;
    const isMoney = fieldTypeOf(metric) === 'money';
    formatted.push(isMoney ? `${values} (${formatPercentChange(before, after)})` : values);
  }
  return formatted.join(', ');
}

function formatPercentChange(before: string, after: string): string {
  if (Number(before) === 0) return 'new';

  const percent = (100 * (Number(after) - Number(before))) / Math.abs(Number(before));
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

/** Returns the totals that changed, or `undefined` if none did. */
function findChanges(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};
  for (const [metric, value] of Object.entries(now)) {
    const old = before[metric];
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/** Formats the exact sum of each requested metric, by metric name. */
function formatTotals(sums: CompleteReport['sums'], columns: readonly Column[]): Totals {
  const all = sums.totals();
  const totals: Record<string, string> = {};
  for (const column of columns) {
    const { metric, type, hidden } = column;
    if (metric === undefined || hidden) continue;
    // In a report without rows, every sum is 0.
    const sum = String(all.get(fieldOfColumn(column, sums.metrics)) ?? 0);
    totals[metric] = type === 'money' ? padMoney(sum) : sum;
  }
  return totals;
}
