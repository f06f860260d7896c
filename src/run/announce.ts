import { fieldTypeOf } from '../contract/columns.ts';
import { isClosedPipe } from '../errors.ts';
import type { CardOptions } from '../present/terminal/report-card.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import { formatSum } from '../totals/report-metrics.ts';
import { showMetrics, writtenMessage } from './announce-output.ts';
import type { Context } from './context.ts';
import { describePeriod, keyFor } from './describe-report.ts';
import type { FileInPlace, WrittenReport } from './run-report.ts';

/** Runs with more files print only a total for the rest. */
const maxListedFiles = 10;

/**
 * Prints reports as they are written: on stderr warnings, notes and files, and at the end their
 * totals; with `--json` a line for each file on stdout.
 */
export class Announcer {
  readonly #context: Context;
  #reportCount = 0;
  #fileCount = 0;
  #rowCount = 0;
  #sizeBytes = 0;

  /** Metrics of all reports. */
  #total: GroupedTotals | undefined;

  /** How the metrics of a single report are shown. */
  #card: CardOptions = {};

  constructor(context: Context) {
    this.#context = context;
  }

  async add(written: WrittenReport): Promise<void> {
    const files = written.files.filter(isNamed);
    this.#printWarnings(written, files);
    if (files.length === 0) return;

    await this.#printJsonLines(written, files);
    for (const file of files) this.#addFile(file, written.recorded?.kept !== undefined);
    this.#printChanges(written);
    this.#reportCount += 1;
    const { report, metrics, comparison } = written;
    this.#card = { comparison, labels: labelsByMetric(report.output.label) };
    if (metrics && this.#total) this.#total.absorb(metrics);
    else this.#total ??= metrics;
  }

  /**
   * Prints the size of all files unless each was listed, and the metrics of one report; several
   * reports may count the same displays twice.
   */
  end({ isOneReport }: { readonly isOneReport: boolean }): void {
    const { console, elapsedMs } = this.#context;
    const total = isOneReport ? this.#total : undefined;
    const hasParts = this.#reportCount > 1;
    if (this.#fileCount > maxListedFiles || (total && hasParts)) {
      const files = formatPlural(this.#fileCount, 'file');
      const size = `${formatPlural(this.#rowCount, 'row')}, ${formatBytes(this.#sizeBytes)}`;
      console.note(`Total: ${files}, ${size}, in ${formatDuration(elapsedMs())}.`);
    }
    if (total) showMetrics(console, total, hasParts ? {} : this.#card);
  }

  #addFile({ name, rowCount, sizeBytes }: NamedFile, isKept: boolean): void {
    const { console, elapsedMs } = this.#context;
    const rows = rowCount ?? 0;
    this.#fileCount += 1;
    this.#rowCount += rows;
    this.#sizeBytes += sizeBytes;
    if (isKept || this.#fileCount > maxListedFiles) return;
    console.note(writtenMessage({ file: name, rowCount: rows, sizeBytes, elapsedMs }));
  }

  /** Prints the warnings and notes of a report, after its file names, and those about its file. */
  #printWarnings({ checkResult, recorded }: WrittenReport, files: readonly NamedFile[]): void {
    const { console } = this.#context;
    const names = files.map(({ name }) => name);
    const place = names.length === 0 ? '' : `${names.join(', ')}: `;
    for (const { message } of checkResult.warnings) console.warn(`${place}${message}`);
    for (const { message } of checkResult.notes) console.note(`Note: ${place}${message}`);
    for (const warning of recorded?.warnings ?? []) console.warn(warning);
  }

  async #printJsonLines(written: WrittenReport, files: readonly NamedFile[]): Promise<void> {
    const { console, flags } = this.#context;
    if (!flags.json) return;
    try {
      for (const file of files) await console.result(formatJsonLine(written, file));
    } catch (error) {
      // Only the reader of stdout is gone. The remaining files still have to be written.
      if (!isClosedPipe(error)) throw error;
    }
  }

  /** Prints totals that differ from the last download: `2026-11-19 changed: downloads 40 → 43`. */
  #printChanges({ report, rows, recorded }: WrittenReport): void {
    if (!recorded?.changes) return;

    const changes: string[] = [];
    for (const [metric, [before, after]] of Object.entries(recorded.changes)) {
      const values = `${metric} ${formatSum(metric, before)} → ${formatSum(metric, after)}`;
      const isMoney = fieldTypeOf(metric) === 'money';
      changes.push(isMoney ? `${values} (${formatPercentChange(before, after)})` : values);
    }
    const { label, part } = report;
    const day = describePeriod(part, rows.tail).since?.slice(0, 10);
    const subject = label === undefined ? day : `${label} ${day}`;
    this.#context.console.note(`${subject} changed: ${changes.join(', ')}`);
  }
}

/** Every file but stdout. */
interface NamedFile extends FileInPlace {
  readonly name: string;
}

function isNamed(file: FileInPlace): file is NamedFile {
  return file.name !== undefined;
}

function formatJsonLine(written: WrittenReport, file: NamedFile): string {
  const { report, rows, checkResult, recorded } = written;
  const { title, query, part } = report;
  return visibleJson({
    file: file.name,
    report: title?.report ?? null,
    account: title?.account ?? null,
    rows: file.rowCount,
    bytes: file.sizeBytes,
    sha256: file.sha256,
    key: keyFor(query),
    reportId: rows.id ?? null,
    ...('reportIds' in rows && { reportIds: rows.reportIds }),
    ...describePeriod(part, rows.tail),
    warnings: checkResult.warnings.map(({ message }) => message),
    // A warning about a file is no proof against the report.
    notes: [...checkResult.notes.map(({ message }) => message), ...(recorded?.warnings ?? [])],
    changed: recorded?.changes ?? null,
    ...(recorded?.kept && { kept: true }),
  });
}

function formatPercentChange(before: string, after: string): string {
  if (Number(before) === 0) return 'new';

  const percent = (100 * (Number(after) - Number(before))) / Math.abs(Number(before));
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}
