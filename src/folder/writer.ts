import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../errors.ts';
import { historyName } from '../output/file/file-name.ts';
import { describeWindow, formatDate, formatTime, type Window } from '../query/calendar.ts';
import { type FileHost, FileInUseError } from '../text/file-in-use.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { columnNotes } from './column-notes.ts';
import { type FileState, linkOnPath, readFileStates } from './disk.ts';
import { coversWholeUnit } from './finality.ts';
import {
  appendErrorReason,
  appendLine,
  expectAppendable,
  type FileEntry,
  formatSpecLine,
  type History,
  nameInFolder,
  newestEntry,
  type SpecLine,
  type Totals,
} from './history.ts';
import type { FileLine } from './history-schema.ts';
import { lastSpec } from './series.ts';

/** In a temporary file, ready to be renamed into place. */
export interface CompleteReport {
  /** Absolute target path. */
  readonly path: string;
  readonly window: Window;

  /** End of its unit, in unix seconds. */
  readonly overAt: number;
  readonly rowCount: number;

  /** Set if a row has a number other than 0 in a requested metric. */
  readonly hasFigures: boolean;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly totals: Totals;

  /** Columns that were not requested, and that the specification does not have. */
  readonly addedColumns: readonly string[];
  readonly reportId: string | null;

  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly warnings: readonly string[];
}

/** Totals that differ from the last download. */
type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** Result of recording a report in the history. */
export interface RecordResult {
  /** Old file, if it is kept because the report has no numbers. */
  readonly kept?: {
    /** `null` if the history does not have its hash. */
    readonly rows: number | null;
    readonly bytes: number;
    readonly sha256: string | undefined;
  };
  readonly changes?: Changes | undefined;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
}

/** History that a run writes. */
interface WrittenHistory {
  readonly history: History;

  /** Spec of the files. */
  readonly line: SpecLine;

  /**
   * History file of a run. Absent for a repair, which appends to the history file with the newest
   * line of each file.
   */
  readonly source?: string;

  /** Version of this program. */
  readonly version: string;

  /** A report without numbers then never replaces a file with numbers. */
  readonly keepsFigures: boolean;
  readonly wallClock: () => number;
  readonly host: FileHost;
}

const maxWarnings = 3;
const maxAddedColumns = 100;
const maxTextLength = 2_000;

/** Writes the history lines for the files of one spec. */
export class HistoryWriter {
  readonly #to: WrittenHistory;

  /** History files that this run has found or begun, and that should still exist. */
  readonly #begun = new Set<string>();

  /** File lines that this run has written. */
  readonly #written: FileLine[] = [];

  constructor(to: WrittenHistory) {
    this.#to = to;
  }

  /**
   * Writes the spec line of a run if it differs from the last one of its series.
   *
   * @throws OutputError if this line, or later ones, cannot be written
   */
  async begin(): Promise<void> {
    const { history, line, version, source } = this.#to;
    if (source === undefined) {
      const readable = history.sources.filter(({ unreadable }) => unreadable === undefined);
      for (const { name } of readable) {
        await this.#expectAppendable(name);
        this.#begun.add(name);
      }
      return;
    }

    const { output } = line.spec;
    const last = lastSpec(history, { output, source });
    if (last && isSameRun(last, line)) await this.#expectAppendable(source);
    else await this.#append(source, formatSpecLine(line, version), notDownloaded);
    this.#begun.add(source);
  }

  async #expectAppendable(source: string): Promise<void> {
    const path = join(this.#to.history.folder, source);
    try {
      await expectAppendable(path, this.#to.host);
    } catch (error) {
      throw cannotAppend(path, error, notDownloaded);
    }
  }

  /** Throws `OutputError` if a link is on the path of a file. */
  async expectNoLink(path: string): Promise<void> {
    const { folder } = this.#to.history;
    const why = await linkOnPath(folder, nameInFolder(folder, path));
    if (why === undefined) return;
    throw new OutputError(`Cannot write ${printable(path)} through a link: ${why}.`, {
      hint: 'Replace the link with a regular file or folder.',
    });
  }

  /**
   * Records a complete report. If the result has `kept`, the old file must not be replaced.
   *
   * @throws OutputError if the line cannot be written, or if a link has appeared on the path
   */
  async record(report: CompleteReport): Promise<RecordResult> {
    await this.expectNoLink(report.path);

    const { history, host } = this.#to;
    const { signal } = host;
    const name = nameInFolder(history.folder, report.path);
    const reads = () => !report.hasFigures;
    const looked = await readFileStates(history.folder, [name], { signal, reads });
    const onDisk = looked.get(name) ?? { kind: 'absent' };
    if (onDisk.kind === 'file' && this.#keepsFile(name, report, onDisk)) {
      return this.#keep(name, onDisk);
    }

    const line = this.#buildLine(name, report);
    await this.#appendFile(line);
    this.#written.push(line);
    const isLost = onDisk.kind === 'absent' && !report.hasFigures;
    const warnings = isLost ? this.#figuresBefore(name) : [];
    const before = this.#comparable(name, report);
    if (!before) return { notes: [], warnings };

    const day = describeWindow(report.window).since.slice(0, 10);
    const notes = findLargeDrops(before.totals, report.totals).map((metric) => {
      return `${day}: ${metric} fell by half or more.`;
    });
    const changes = changesBetween(before.totals, report.totals);
    return { changes, notes, warnings };
  }

  /** Returns notes on columns that the service has added or left out since the file before. */
  columnNotes(): string[] {
    const earlier: FileLine[] = [];
    for (const entries of this.#to.history.files.values()) {
      const newest = entries.at(-1);
      if (newest && this.#isSameRequest(newest)) earlier.push(newest.line);
    }
    return columnNotes(earlier, this.#written);
  }

  /** For a report without numbers that would replace a file with numbers. */
  #keepsFile(name: string, report: CompleteReport, onDisk: FileOnDisk): boolean {
    if (!this.#to.keepsFigures || report.hasFigures) return false;
    if (onDisk.bytes === 0 || onDisk.sha256 === report.sha256) return false;

    const entries = this.#entriesFor(name);
    if (entries.length === 0) return true;
    const ofBytes = entries.filter(({ line }) => line.sha256 === onDisk.sha256);
    const candidates = ofBytes.length > 0 ? ofBytes : entries;
    return candidates.some(({ line, own }) => {
      const mayBeSame = !own || own.content === this.#to.line.content;
      return mayBeSame && hasFigures(line);
    });
  }

  /**
   * Records that a file was kept: its new line is the one with its bytes, so that it is as final as
   * before. Without such a line the file stays a problem.
   */
  async #keep(name: string, { bytes, sha256 }: FileOnDisk): Promise<RecordResult> {
    const ofBytes = this.#entriesFor(name).findLast((entry) => {
      return entry.line.sha256 === sha256 && this.#isSameRequest(entry);
    });
    const message = `${printable(name)} is kept, because the new report has no numbers`;
    if (!ofBytes) {
      const fix =
        'The history has no download with this content: restore the file, or use --refetch.';
      const kept = { rows: null, bytes, sha256 };
      return { kept, notes: [], warnings: [`${message}. ${fix}`] };
    }

    const { line } = ofBytes;
    await this.#appendFile({ ...line, fetched: this.#nowText(), kept: true });
    const rows = formatPlural(line.rows, 'row');
    return { kept: line, notes: [], warnings: [`${message}: it has ${rows}.`] };
  }

  #entriesFor(name: string): readonly FileEntry[] {
    return this.#to.history.files.get(name) ?? [];
  }

  /** For a file line that is known to have the same request. */
  #isSameRequest({ line, own }: FileEntry): boolean {
    const { id, content } = this.#to.line;
    return own ? own.content === content : line.spec === id;
  }

  /** Returns a warning if the history had numbers for a file that no longer exists. */
  #figuresBefore(name: string): string[] {
    const before = this.#entriesFor(name).findLast((entry) => {
      return hasFigures(entry.line) && this.#isSameRequest(entry);
    });
    if (!before) return [];
    const rows = formatPlural(before.line.rows, 'row');
    return [`${printable(name)} now has no numbers; the history had ${rows} for it.`];
  }

  /** Returns the previous line, if it has the same request and covers the whole unit. */
  #comparable(name: string, { overAt }: CompleteReport): FileLine | undefined {
    const before = newestEntry(this.#to.history, name);
    if (!before || !this.#isSameRequest(before)) return undefined;
    return coversWholeUnit(before.line, { over: overAt }) ? before.line : undefined;
  }

  #nowText(): string {
    return new Date(this.#to.wallClock()).toISOString();
  }

  #buildLine(name: string, report: CompleteReport): FileLine {
    const { window, rowCount, sizeBytes, sha256, totals, reportId, createdMs } = report;
    const added = report.addedColumns.slice(0, maxAddedColumns);
    const isWithoutFigures = rowCount > 0 && !report.hasFigures;
    const { since, until, zone } = window;
    const warnings = report.warnings.slice(0, maxWarnings);
    return {
      spec: this.#to.line.id,
      file: name,
      since: formatTime(since, zone),
      until: formatTime(until, zone),
      created: new Date(createdMs).toISOString(),
      fetched: this.#nowText(),
      report: reportId === null ? null : reportId.slice(0, maxTextLength),
      rows: rowCount,
      bytes: sizeBytes,
      sha256,
      totals,
      ...(isWithoutFigures && { figures: false as const }),
      ...(added.length > 0 && { added: added.map((name) => name.slice(0, maxTextLength)) }),
      warnings: warnings.map((warning) => warning.slice(0, maxTextLength)),
    };
  }

  #appendFile(line: FileLine): Promise<void> {
    const { history, source: ofRun } = this.#to;
    const source = ofRun ?? newestEntry(history, line.file)?.source ?? historyName();
    return this.#append(source, JSON.stringify(line), `${line.file} was not written`);
  }

  async #append(source: string, text: string, consequence: string): Promise<void> {
    const { folder } = this.#to.history;
    const path = join(folder, source);
    try {
      await fs.mkdir(folder, { recursive: true });
      await appendLine(path, text, { host: this.#to.host, exists: this.#begun.has(source) });
      this.#begun.add(source);
    } catch (error) {
      throw cannotAppend(path, error, consequence);
    }
  }
}

/** For a line that adds nothing new: the same spec, and outside standing jobs the same days. */
function isSameRun(last: SpecLine, line: SpecLine): boolean {
  if (last.id !== line.id) return false;
  const { timezone: zone } = line.spec;
  const daysOf = ({ window: { since, until } }: SpecLine): string =>
    `${formatDate(since, zone)} ${formatDate(until, zone)}`;
  return line.isStanding || daysOf(last) === daysOf(line);
}

type FileOnDisk = Extract<FileState, { kind: 'file' }>;

/** Rows of a line without `figures` may have numbers other than 0. */
function hasFigures({ rows, figures }: FileLine): boolean {
  return rows > 0 && figures === undefined;
}

const notDownloaded = 'nothing was downloaded';

function cannotAppend(path: string, error: unknown, consequence: string): OutputError {
  const message = `Cannot write the history ${path}: ${appendErrorReason(error)}; ${consequence}.`;
  const hint =
    error instanceof FileInUseError
      ? 'Close it there and run the command again.'
      : 'Check the permissions of the folder and the space on its disk, or use --no-history.';
  return new OutputError(printable(message), { hint, cause: error });
}

/** Returns `undefined` if no total differs. */
function changesBetween(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};
  for (const [metric, value] of Object.entries(now)) {
    const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/** Returns metrics above 1,000 that fell by half or more, which corrections rarely cause. */
function findLargeDrops(before: Totals, now: Totals): string[] {
  const changes = Object.entries(changesBetween(before, now) ?? {});
  const falls = changes.filter(([, [old, value]]) => {
    return Number(old) > 1_000 && Number(value) <= Number(old) / 2;
  });
  return falls.map(([metric]) => metric);
}
