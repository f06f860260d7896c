import { fieldTypeOf } from '../contract/columns.ts';
import type { ReportSummary } from '../contract/messages.ts';
import { isClosedPipe } from '../errors.ts';
import { type CardOptions, reportCard, totalLines } from '../present/terminal/report-card.ts';
import { describeWindow } from '../query/calendar.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import type { GroupedTotals } from '../totals/grouped-totals.ts';
import { formatSum } from '../totals/report-metrics.ts';
import type { Console } from '../ui/console.ts';
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
    const { console } = this.#context;
    const { report, sums, earlier, checkResult, recorded } = written;
    const files = written.files.filter(isNamed);
    const names = files.map(({ name }) => name);
    const place = names.length === 0 ? '' : `${names.join(', ')}: `;
    for (const { message } of checkResult.warnings) console.warn(`${place}${message}`);
    for (const { message } of checkResult.notes) console.note(`Note: ${place}${message}`);
    for (const warning of recorded?.warnings ?? []) console.warn(warning);
    if (files.length === 0) return;

    await this.#printJsonLines(written, files);
    for (const file of files) this.#addFile(file, recorded?.kept !== undefined);
    this.#printChanges(written);
    this.#reportCount += 1;
    this.#card = { comparison: earlier?.comparison, labels: labelsByMetric(report.output.label) };
    if (sums && this.#total) this.#total.absorb(sums);
    else this.#total ??= sums;
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
  #printChanges({ report, recorded }: WrittenReport): void {
    if (!recorded?.changes) return;

    const changes: string[] = [];
    for (const [metric, [before, after]] of Object.entries(recorded.changes)) {
      const values = `${metric} ${formatSum(metric, before)} → ${formatSum(metric, after)}`;
      const isMoney = fieldTypeOf(metric) === 'money';
      changes.push(isMoney ? `${values} (${formatPercentChange(before, after)})` : values);
    }
    const { label, part } = report;
    const subject = [label, part?.firstDay].filter((word) => word !== undefined).join(' ');
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
  const { report, account, provenance, rows, reportIds, checkResult, recorded } = written;
  const { query, part } = report;
  const { summary } = rows.tail;
  const window = part ? describeWindow(part) : summary && formatWindow(summary);
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
    since: window?.since ?? null,
    until: window?.until ?? null,
    warnings: checkResult.warnings.map(({ message }) => message),
    // A warning about a file is no proof against the report.
    notes: [...checkResult.notes.map(({ message }) => message), ...(recorded?.warnings ?? [])],
    changed: recorded?.changes ?? null,
    ...(recorded?.kept && { kept: true }),
  });
}

/** Formats the ends of a summary's window as RFC 3339: `+01:00` for `+0100`. */
function formatWindow({ since, until }: ReportSummary): Pick<ReportSummary, 'since' | 'until'> {
  const withColon = (time: string) => time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  return { since: withColon(since), until: withColon(until) };
}

function formatPercentChange(before: string, after: string): string {
  if (Number(before) === 0) return 'new';

  const percent = (100 * (Number(after) - Number(before))) / Math.abs(Number(before));
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

interface WrittenSize {
  readonly file: string;
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly elapsedMs: () => number;
}

/** Formats `Wrote month.csv: 20 rows, 3 kB, in 2 s.` */
export function writtenMessage({ file, rowCount, sizeBytes, elapsedMs }: WrittenSize): string {
  const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
  return `Wrote ${file}: ${size}, in ${formatDuration(elapsedMs())}.`;
}

/**
 * Prints the metrics of an output on stderr: on a terminal as a card as wide as the terminal,
 * elsewhere as lines.
 */
export function showMetrics(
  console: Console,
  metrics: GroupedTotals,
  options: CardOptions = {},
): void {
  const { isTerminal, width, style } = console.err;
  const lines = isTerminal
    ? reportCard(metrics, { width, style }, options)
    : totalLines(metrics, options);
  for (const line of lines) console.note(line);
}
