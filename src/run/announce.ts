import { fieldTypeOf } from '../contract/columns.ts';
import { isClosedPipe } from '../errors.ts';
import { visibleJson } from '../text/printable.ts';
import { formatBytes, formatDuration, formatPlural } from '../text/quantity.ts';
import { timeKeys } from '../totals/group-keys.ts';
import { GroupedTotals } from '../totals/grouped-totals.ts';
import { formatSum } from '../totals/numbers.ts';
import { showMetrics, writtenMessage } from './announce-output.ts';
import type { Context } from './context.ts';
import type { FileInPlace, WrittenReport } from './run-report.ts';

type Announcer = Pick<Context, 'console' | 'flags' | 'elapsedMs'>;

/**
 * Prints the warnings, notes and totals of a report on stderr, and the size of each file; with
 * `--json` also a line for each file on stdout.
 */
export async function announce(tools: Announcer, report: WrittenReport): Promise<void> {
  printWarnings(tools, report);
  const files = filesToAnnounce(report);
  if (files.length === 0) return;
  await printJsonLines(tools, report, files);
  for (const file of files) printFile(tools, report, file);
  printChanges(tools, report);
  const { metrics, comparison, labels } = report;
  if (metrics) showMetrics(tools.console, metrics, { comparison, labels });
}

/** Runs with more files print only a total for the rest. */
const maxListedFiles = 10;

/** Reports the files of one run as they are written, and their totals at the end. */
export class RunAnnouncer {
  readonly #tools: Announcer;
  readonly #reports: WrittenReport[] = [];
  readonly #files: NamedFile[] = [];

  constructor(tools: Announcer) {
    this.#tools = tools;
  }

  /** Prints the warnings of a written report, and its file if there are few files so far. */
  async add(report: WrittenReport): Promise<void> {
    printWarnings(this.#tools, report);
    const files = filesToAnnounce(report);
    if (files.length === 0) return;
    this.#reports.push(report);
    await printJsonLines(this.#tools, report, files);
    for (const file of files) {
      this.#files.push(file);
      if (this.#files.length <= maxListedFiles) printFile(this.#tools, report, file);
    }
    printChanges(this.#tools, report);
  }

  /** Prints the size of all files, unless all were listed and their metrics cannot be added up. */
  printTotalSize(isOneReport: boolean): void {
    const { console, elapsedMs } = this.#tools;
    if (this.#files.length <= maxListedFiles && this.#metrics(isOneReport).length <= 1) return;

    let rowCount = 0;
    let sizeBytes = 0;
    for (const file of this.#files) {
      rowCount += file.rowCount ?? 0;
      sizeBytes += file.sizeBytes;
    }
    const files = formatPlural(this.#files.length, 'file');
    const size = `${formatPlural(rowCount, 'row')}, ${formatBytes(sizeBytes)}`;
    console.note(`Total: ${files}, ${size}, in ${formatDuration(elapsedMs())}.`);
  }

  /** Shows the metrics of all files as one card. */
  showTotalCard(isOneReport: boolean): void {
    const metrics = this.#metrics(isOneReport);
    if (metrics.length === 0) return;

    const isByTime = metrics.some(({ by }) => by.length > 0);
    const total = new GroupedTotals(isByTime ? timeKeys : []);
    for (const each of metrics) total.absorb(each);
    showMetrics(this.#tools.console, total);
  }

  /** Returns nothing for several reports, which may count the same displays twice. */
  #metrics(isOneReport: boolean): GroupedTotals[] {
    if (!isOneReport) return [];
    return this.#reports.flatMap(({ metrics }) => metrics ?? []);
  }
}

interface NamedFile extends FileInPlace {
  readonly name: string;
}

/** Leaves out stdout. */
function filesToAnnounce({ files }: WrittenReport): readonly NamedFile[] {
  return files.filter((file): file is NamedFile => file.name !== undefined);
}

/** Prints the warnings and notes of a report, after its file names, and warnings about its file. */
function printWarnings({ console }: Announcer, report: WrittenReport): void {
  const { checkResult, recorded } = report;
  const names = filesToAnnounce(report).map(({ name }) => name);
  const place = names.length === 0 ? '' : `${names.join(', ')}: `;
  for (const { message } of checkResult.warnings) console.warn(`${place}${message}`);
  for (const { message } of checkResult.notes) console.note(`Note: ${place}${message}`);
  for (const warning of recorded?.warnings ?? []) console.warn(warning);
}

async function printJsonLines(
  { console, flags }: Announcer,
  report: WrittenReport,
  files: readonly NamedFile[],
): Promise<void> {
  if (!flags.json) return;
  try {
    for (const file of files) await console.result(formatJsonLine(report, file));
  } catch (error) {
    // Only the reader of stdout is gone. The remaining files still have to be written.
    if (!isClosedPipe(error)) throw error;
  }
}

function formatJsonLine(report: WrittenReport, file: NamedFile): string {
  const { label, checkResult, recorded } = report;
  return visibleJson({
    file: file.name,
    report: label?.report ?? null,
    account: label?.account ?? null,
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

/** Prints totals that differ from the last download: `2026-11-19 changed: downloads 40 → 43`. */
function printChanges({ console }: Announcer, { since, recorded, label }: WrittenReport): void {
  if (!recorded?.changes) return;

  const texts: string[] = [];
  for (const [metric, [before, after]] of Object.entries(recorded.changes)) {
    const values = `${metric} ${formatSum(metric, before)} → ${formatSum(metric, after)}`;
    const isMoney = fieldTypeOf(metric) === 'money';
    texts.push(isMoney ? `${values} (${formatPercentChange(before, after)})` : values);
  }
  const day = since?.slice(0, 10);
  const subject = label?.job === undefined ? day : `${label.job} ${day}`;
  console.note(`${subject} changed: ${texts.join(', ')}`);
}

function formatPercentChange(before: string, after: string): string {
  if (Number(before) === 0) return 'new';

  const percent = (100 * (Number(after) - Number(before))) / Math.abs(Number(before));
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

function printFile(
  { console, elapsedMs }: Announcer,
  { recorded }: WrittenReport,
  { name, rowCount, sizeBytes }: NamedFile,
): void {
  if (recorded?.kept) return;
  console.note(writtenMessage({ file: name, rowCount: rowCount ?? 0, sizeBytes, elapsedMs }));
}
