import { fieldTypeOf } from '../contract/columns.ts';
import { isClosedPipe } from '../errors.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import { timeKeys } from '../totals/group-keys.ts';
import { GroupedTotals } from '../totals/grouped-totals.ts';
import { formatSum } from '../totals/report-metrics.ts';
import { showMetrics, writtenMessage } from './announce-output.ts';
import type { Context } from './context.ts';
import type { FileInPlace, WrittenReport } from './run-report.ts';

/** Runs with more files print only a total for the rest. */
const maxListedFiles = 10;

/**
 * Prints reports as they are written: on stderr warnings, notes and files, and at the end their
 * totals; with `--json` a line for each file on stdout.
 */
export class Announcer {
  readonly #context: Context;
  readonly #reports: WrittenReport[] = [];
  readonly #files: NamedFile[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  async add(report: WrittenReport): Promise<void> {
    const { console, elapsedMs } = this.#context;
    const files = report.files.filter(isNamed);
    this.#printWarnings(report, files);
    await this.#printJsonLines(report, files);
    if (files.length > 0) this.#reports.push(report);
    for (const file of files) {
      const position = this.#files.push(file);
      if (report.recorded?.kept || position > maxListedFiles) continue;
      const { name, rowCount, sizeBytes } = file;
      console.note(writtenMessage({ file: name, rowCount: rowCount ?? 0, sizeBytes, elapsedMs }));
    }
    if (files.length > 0) this.#printChanges(report);
  }

  /**
   * Prints the size of all files unless each was listed, and the metrics of one report; several
   * reports may count the same displays twice.
   */
  end({ isOneReport }: { readonly isOneReport: boolean }): void {
    const { console, elapsedMs } = this.#context;
    const [first, ...others] = this.#reports;
    const sums = isOneReport ? this.#reports.flatMap(({ metrics }) => metrics ?? []) : [];
    if (this.#files.length > maxListedFiles || sums.length > 1) {
      const count = formatPlural(this.#files.length, 'file');
      const rowCount = this.#files.reduce((total, file) => total + (file.rowCount ?? 0), 0);
      const bytes = this.#files.reduce((total, file) => total + file.sizeBytes, 0);
      const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(bytes)}`;
      console.note(`Total: ${count}, ${size}, in ${formatDuration(elapsedMs())}.`);
    }
    if (!first || sums.length === 0) return;

    const { comparison, labels } = first;
    const total = new GroupedTotals(sums.some(({ by }) => by.length > 0) ? timeKeys : []);
    for (const sum of sums) total.absorb(sum);
    showMetrics(console, total, others.length === 0 ? { comparison, labels } : {});
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

  async #printJsonLines(report: WrittenReport, files: readonly NamedFile[]): Promise<void> {
    const { console, flags } = this.#context;
    if (!flags.json) return;
    try {
      for (const file of files) await console.result(formatJsonLine(report, file));
    } catch (error) {
      // Only the reader of stdout is gone. The remaining files still have to be written.
      if (!isClosedPipe(error)) throw error;
    }
  }

  /** Prints totals that differ from the last download: `2026-11-19 changed: downloads 40 → 43`. */
  #printChanges({ since, recorded, label }: WrittenReport): void {
    if (!recorded?.changes) return;

    const changes: string[] = [];
    for (const [metric, [before, after]] of Object.entries(recorded.changes)) {
      const values = `${metric} ${formatSum(metric, before)} → ${formatSum(metric, after)}`;
      const isMoney = fieldTypeOf(metric) === 'money';
      changes.push(isMoney ? `${values} (${formatPercentChange(before, after)})` : values);
    }
    const name = label === undefined ? '' : `${label} `;
    this.#context.console.note(`${name}${since?.slice(0, 10)} changed: ${changes.join(', ')}`);
  }
}

/** Every file but stdout. */
interface NamedFile extends FileInPlace {
  readonly name: string;
}

function isNamed(file: FileInPlace): file is NamedFile {
  return file.name !== undefined;
}

function formatJsonLine(report: WrittenReport, file: NamedFile): string {
  const { title, checkResult, recorded } = report;
  return visibleJson({
    file: file.name,
    report: title?.report ?? null,
    account: title?.account ?? null,
    rows: file.rowCount,
    bytes: file.sizeBytes,
    sha256: file.sha256,
    key: report.key,
    reportId: report.reportId,
    ...(report.reportIds && { reportIds: report.reportIds }),
    since: report.since,
    until: report.until,
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
