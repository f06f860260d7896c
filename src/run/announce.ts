import { isClosedPipe } from '../errors.ts';
import { formatChanges } from '../folder/record-download.ts';
import type { WrittenFile } from '../output/written-file.ts';
import { type CardOptions, formatSummary } from '../present/terminal/report-card.ts';
import { formatEnds } from '../query/calendar.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import type { Context } from './context.ts';
import type { FileInPlace, WrittenReport } from './run-report.ts';

/** Beyond this number of files, only the total is printed. */
const maxListedFiles = 10;

/**
 * Prints reports as they are written. Warnings, notes and files go to stderr, and the totals follow
 * at the end. With `--json`, stdout gets one line for each file.
 */
export class Announcer {
  readonly #context: Context;
  #reportCount = 0;
  #fileCount = 0;
  readonly #size = { rowCount: 0, sizeBytes: 0 };

  #total: GroupedTotals | undefined;

  #card: CardOptions = {};

  constructor(context: Context) {
    this.#context = context;
  }

  async add(written: WrittenReport): Promise<void> {
    const { console } = this.#context;
    const { report, sums, earlier, checkResult, recorded } = written;
    const files = written.files.filter(isNamed);
    const names = files.map(({ name }) => name);
    const prefix = names.length === 0 ? '' : `${names.join(', ')}: `;
    for (const { message } of checkResult.warnings) console.warn(`${prefix}${message}`);
    for (const { message } of checkResult.notes) console.note(`Note: ${prefix}${message}`);
    for (const warning of recorded?.warnings ?? []) console.warn(warning);
    if (files.length === 0) return;

    await this.#printJsonLines(written, files);
    for (const file of files) this.#addFile(file, recorded?.kept !== undefined);
    this.#printChanges(written);
    this.#reportCount += 1;
    this.#card = { comparison: earlier?.comparison, labels: labelsByMetric(report.output.label) };
    if (sums && this.#total) this.#total.addAll(sums);
    else this.#total ??= sums;
  }

  /**
   * Prints the size of all files, unless each file was listed. Prints the metrics only for a single
   * report, because several reports may count the same displays twice.
   */
  end({ isOneReport }: { readonly isOneReport: boolean }): void {
    const { console, elapsedMs } = this.#context;
    const total = isOneReport ? this.#total : undefined;
    const hasParts = this.#reportCount > 1;
    if (this.#fileCount > maxListedFiles || (total && hasParts)) {
      const files = formatPlural(this.#fileCount, 'file');
      console.note(`Total: ${files}, ${formatSize(this.#size, elapsedMs())}`);
    }
    if (!total) return;
    const lines = formatSummary(total, console.err, hasParts ? {} : this.#card);
    for (const line of lines) console.note(line);
  }

  #addFile({ name, rowCount, sizeBytes }: NamedFile, isKept: boolean): void {
    const { console, elapsedMs } = this.#context;
    const size = { rowCount: rowCount ?? 0, sizeBytes };
    this.#fileCount += 1;
    this.#size.rowCount += size.rowCount;
    this.#size.sizeBytes += sizeBytes;
    if (isKept || this.#fileCount > maxListedFiles) return;
    console.note(`Wrote ${name}: ${formatSize(size, elapsedMs())}`);
  }

  async #printJsonLines(written: WrittenReport, files: readonly NamedFile[]): Promise<void> {
    const { console, flags } = this.#context;
    if (!flags.json) return;
    try {
      for (const file of files) await console.result(formatJsonLine(written, file));
    } catch (error) {
      // Whatever read stdout is gone, but the remaining files still have to be written.
      if (!isClosedPipe(error)) throw error;
    }
  }

  /** Prints totals that differ from the last download: `2026-11-19 changed: downloads 40 → 43`. */
  #printChanges({ report, recorded }: WrittenReport): void {
    if (!recorded?.changes) return;

    const { label, part } = report;
    const subject = [label, part?.firstDay].filter((word) => word !== undefined).join(' ');
    this.#context.console.note(`${subject} changed: ${formatChanges(recorded.changes)}`);
  }
}

/** A file other than stdout. */
interface NamedFile extends FileInPlace {
  readonly name: string;
}

function isNamed(file: FileInPlace): file is NamedFile {
  return file.name !== undefined;
}

function formatJsonLine(written: WrittenReport, file: NamedFile): string {
  const { report, account, provenance, rows, reportIds, checkResult, recorded } = written;
  const { query, part } = report;
  const window = part ? formatEnds(part) : rows.tail.summary;
  return visibleJson({
    file: file.name,
    report: query?.report ?? null,
    account,
    rows: file.rowCount,
    bytes: file.sizeBytes,
    sha256: file.sha256,
    key: provenance.key,
    reportId: rows.id ?? null,
    reportIds,
    since: formatEnd(window?.since),
    until: formatEnd(window?.until),
    warnings: checkResult.warnings.map(({ message }) => message),
    // A warning about a file says nothing about the report itself.
    notes: [...checkResult.notes.map(({ message }) => message), ...(recorded?.warnings ?? [])],
    changed: recorded?.changes ?? null,
    ...(recorded?.kept && { kept: true }),
  });
}

/** Converts a time from the service to RFC 3339: `+0100` becomes `+01:00`. */
function formatEnd(time: string | undefined): string | null {
  return time?.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') ?? null;
}

/** Formats `20 rows, 3 kB, in 2 s.` */
export function formatSize(
  { rowCount, sizeBytes }: Pick<WrittenFile, 'rowCount' | 'sizeBytes'>,
  elapsedMs: number,
): string {
  const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
  return `${size}, in ${formatDuration(elapsedMs)}.`;
}
