import { createHash, type Hash } from 'node:crypto';
import { ReportCheck } from '../../checks/report-check.ts';
import { fieldOfMetric, fieldTypeOf, metricOfField } from '../../contract/columns.ts';
import { derivedMetrics, metrics } from '../../contract/vocabulary.ts';
import { IncompleteDataError, UsageError } from '../../errors.ts';
import { readFileColumns } from '../../query/columns.ts';
import { valuesOf } from '../../rows/column-values.ts';
import { ParquetDecoder } from '../../rows/parquet-rows.ts';
import type { ReportFile } from '../../rows/report-file.ts';
import { hasValue, type ReportTail, type RowBatch } from '../../rows/row-batch.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';
import { isTime, type KeyColumn, timeKeys } from '../../totals/group-keys.ts';
import { GroupedTotals } from '../../totals/grouped-totals.ts';
import { numberIn } from '../../totals/numbers.ts';
import { resolveKeys } from '../../totals/ranked-groups.ts';
import {
  findReportMetric,
  listAllMetrics,
  type ReportMetric,
} from '../../totals/report-metrics.ts';
import { parseSort } from '../../totals/sorting.ts';
import { type SourceFile, UnusableFileError } from '../sources/source-file.ts';
import { CellCheck, type UsedColumns } from './check-cells.ts';
import { KeptRows, type RowChoice } from './kept-rows.ts';
import { openSourceFile } from './open-source-file.ts';
import { CellReading, expectDistinct } from './read-cells.ts';
import type { RowFilter } from './row-filter.ts';
import { expectSameRequest, type ReadFile } from './same-request.ts';
import { SeenRows } from './seen-rows.ts';

/** Both days are included: `2026-11-01`. */
export interface DaySpan {
  readonly since: string;
  readonly until: string;
}

/** Applies to the rows of all files. */
export interface Question {
  readonly by: readonly string[] | undefined;

  /** Names in `--metrics`; by default all metrics. */
  readonly metrics: readonly string[] | undefined;

  /** Names in `--columns`, if rows are not grouped. */
  readonly columns: readonly string[] | undefined;
  readonly sort: string | undefined;
  readonly filters: readonly RowFilter[];

  /** For `--chart line`, which groups by time without `--by`. */
  readonly followsTime: boolean;

  /** Rows to keep without `--by`; `undefined` to keep none. */
  readonly rows: RowChoice | undefined;

  /** Days to add up separately: the requested ones, and those of `--compare`. */
  readonly spans: readonly DaySpan[];
}

interface SpanAnswer {
  readonly byTime: GroupedTotals;

  /** Grouped by the columns of `--by`; one group without it. */
  readonly groups: GroupedTotals;
  readonly rows: KeptRows | undefined;

  /** Rows before `--filter`. */
  readonly rowCount: number;
}

export interface Collected {
  /** One for each span of the question; a single one without spans. */
  readonly answers: readonly SpanAnswer[];

  /** Keys of `--by`; `undefined` without it, or if no file has columns. */
  readonly keys: readonly KeyColumn[] | undefined;

  /** Columns of the files, in order, without those of comparisons. */
  readonly fields: readonly string[];

  /** Those of a CSV, and those of other files that have a value in some row. */
  readonly filledFields: readonly string[];

  /** Columns of numbers that the vocabulary does not know. */
  readonly unknownNumbers: readonly string[];
  readonly tails: readonly ReportTail[];

  /** Rows before `--filter` and `--period`. */
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Reads files one after the other, each once, in constant memory. The caller ends what it returns
 * with `closeRows`.
 *
 * @throws UsageError for cells that may have two readings, columns that no file has, and files that
 *   are not one table; IncompleteDataError for a file that cannot be read; UnusableFileError for
 *   one that is not what its history line says
 */
export async function collect(
  tools: Pick<Context, 'host' | 'progress'>,
  files: readonly SourceFile[],
  question: Question,
): Promise<Collected> {
  const collector = new Collector(tools, files, question);
  const progress = await tools.progress();
  const meter = progress.transfer('Reading', totalBytes(files));
  try {
    for (const file of files) await collector.read(file, (bytes) => meter.update({ bytes }));
    return collector.end();
  } catch (error) {
    await closeRows(collector);
    throw error;
  } finally {
    meter.stop();
    collector.close();
  }
}

/** Frees the disk space of kept rows. */
export async function closeRows({ answers }: Pick<Collected, 'answers'>): Promise<void> {
  for (const { rows } of answers) await rows?.close();
}

/** Returns 0 if the size of one is unknown. */
function totalBytes(files: readonly SourceFile[]): number {
  let total = 0;
  for (const { sizeBytes } of files) {
    if (sizeBytes === undefined) return 0;
    total += sizeBytes;
  }
  return total;
}

/** Columns of a file that a question uses. */
interface FileColumns extends UsedColumns {
  readonly fields: readonly string[];
  readonly hasTime: boolean;

  /** `date` of rows that have none. */
  readonly day: string | undefined;

  /** Columns of each filter; empty if the file has none of them. */
  readonly filtered: readonly (readonly string[])[];
}

class Collector {
  readonly #tools: Pick<Context, 'host'>;
  readonly #question: Question;
  readonly #files: readonly SourceFile[];
  readonly #decoder = new ParquetDecoder();
  readonly #cells = new CellCheck();
  readonly #seen: SeenRows | undefined;
  readonly #read: ReadFile[] = [];
  readonly #answers: SpanAnswer[];
  readonly #spanRowCounts: number[];
  readonly #fields = new Set<string>();
  readonly #filledFields = new Set<string>();
  readonly #unknownNumbers = new Set<string>();
  readonly #warnings: string[] = [];
  readonly #notes: string[] = [];

  /** Files with rows, in all and by column. */
  #fileCount = 0;
  readonly #fileCounts = new Map<string, number>();

  /** Fields of the metrics that are shown. */
  readonly #used = new Set<string>();
  #keys: readonly KeyColumn[] | undefined;

  /** Set once rows have the day of their file. */
  #hasDaysOfFiles = false;
  #rowCount = 0;
  #sizeBytes = 0;

  constructor(tools: Pick<Context, 'host'>, files: readonly SourceFile[], question: Question) {
    this.#tools = tools;
    this.#files = files;
    this.#question = question;
    this.#seen = mayOverlap(files) ? new SeenRows() : undefined;
    const spans = question.spans.length === 0 ? [undefined] : question.spans;
    this.#spanRowCounts = spans.map(() => 0);
    this.#answers = spans.map((_, index) => this.#newAnswer(index));
  }

  get answers(): readonly SpanAnswer[] {
    return this.#answers;
  }

  /** @param onBytes called with the bytes read so far, of all files */
  async read(file: SourceFile, onBytes: (bytes: number) => void): Promise<void> {
    this.#seen?.begin(file);
    const hash = file.line && createHash('sha256');
    try {
      await this.#readRows(file, { hash, onBytes });
    } catch (error) {
      this.#tools.host.signal.throwIfAborted();
      // Rows of other bytes than those of the history line prove nothing.
      if (hash) this.#expectBytesOfLine(file, hash, error);
      throw error;
    }
    if (hash) this.#expectBytesOfLine(file, hash);
  }

  #expectBytesOfLine(file: SourceFile, hash: Hash, error?: unknown): void {
    if (hash.digest('hex') === file.line?.sha256) return;
    const isPiped = this.#files.some(({ sizeBytes }) => sizeBytes === undefined);
    if (isPiped) throw pipeRereadError(file);
    const cause = error instanceof UsageError ? error.cause : undefined;
    const isUnreadable = cause instanceof Error && 'syscall' in cause;
    throw new UnusableFileError(file, isUnreadable ? 'unreadable' : 'changed');
  }

  async #readRows(file: SourceFile, { hash, onBytes }: Reading): Promise<void> {
    const shown = printable(file.path === '-' ? 'stdin' : file.shown);
    const reading = new CellReading(shown);
    const opened = await openSourceFile(this.#tools, file, {
      csv: reading,
      decoder: this.#decoder,
      hash,
    });
    const { batches, readBytes, placeOf } = opened;
    const isCsv = (): boolean => placeOf(1).startsWith('line');
    this.#cells.begin({ shown, isCsv, placeOf, nameOf: (field) => reading.nameOf(field) });

    const check = this.#newCheck();
    const filled = new Set<string>();
    let columns: FileColumns | undefined;
    let fields: readonly string[] | undefined;
    try {
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        this.#tools.host.signal.throwIfAborted();
        const batch = next.value;
        if (!columns || batch.fields !== fields)
          columns = this.#columnsOf(batch.fields, file, shown);
        fields = batch.fields;
        check.observe(batch);
        await this.#add(batch, columns, file);
        for (const field of columns.fields) {
          if (!filled.has(field) && hasValue(batch, field)) filled.add(field);
        }
        this.#noteUnknown(batch, columns);
        onBytes(this.#sizeBytes + readBytes());
      }
      const tail = next.value;
      if (tail.fields.length > 0) {
        columns = this.#columnsOf(tail.fields, file, shown);
        // A file without rows still has metrics.
        for (const { groups } of this.#answers) groups.addFields(tail.fields);
      }
      this.#end(file, { opened, tail, check, shown, columns, filled });
    } finally {
      await batches.return?.();
    }
  }

  #end(file: SourceFile, { opened, tail, check, shown, columns, filled }: FileEnd): void {
    if (tail.rowCount > 0 && !tail.fields.some((field) => fieldTypeOf(field) !== undefined)) {
      throw notAReportError(shown, tail);
    }
    const present = tail.isCsv ? (columns?.fields ?? []) : [...filled];
    for (const field of present) this.#filledFields.add(field);
    if (tail.rowCount > 0) {
      this.#fileCount += 1;
      // A metric without a value is a metric all the same.
      const metricColumns = (columns?.fields ?? []).filter((field) => this.#isMetric(field));
      const day = columns?.day === undefined ? [] : ['date'];
      for (const field of new Set([...day, ...present, ...metricColumns])) {
        this.#fileCounts.set(field, (this.#fileCounts.get(field) ?? 0) + 1);
      }
    }

    const [first] = this.#read;
    const read = { file, tail };
    if (first) expectSameRequest(first, read);
    this.#read.push(read);
    this.#rowCount += tail.rowCount;
    this.#sizeBytes += opened.sizeBytes ?? opened.readBytes();

    const start = this.#files.length === 1 ? '' : `${shown}: `;
    for (const sentence of this.#warningsOf(check, tail)) this.#warnings.push(start + sentence);
    const skipped = opened.skippedColumns();
    if (skipped.length > 0) {
      this.#notes.push(
        `${start}Columns that are not plain values are not read: ${printable(skipped.join(', '))}.`,
      );
    }
  }

  /** Returns the warning on a total among the rows of a file. */
  #warningsOf(check: ReportCheck, tail: ReportTail): string[] {
    const totals = check.close(tail).warnings.filter(({ kind }) => kind === 'total');
    return totals.map(({ message }) => message);
  }

  /** Adds rows to the groups of each span. */
  async #add(batch: RowBatch, columns: FileColumns, file: SourceFile): Promise<void> {
    const { day } = columns;
    const all = Array.from({ length: batch.rowCount }, (_, row) => row);
    let kept: readonly number[] = all;
    for (const [index, filter] of this.#question.filters.entries()) {
      // Every filter sees every row, so that it knows the values of all.
      const own = new Set(
        filter.select(batch, { columns: columns.filtered[index] ?? [], rows: all, day }),
      );
      kept = kept.filter((row) => own.has(row));
    }
    this.#cells.expectPlain(batch, columns, kept);
    this.#seen?.add(batch, columns.fields);

    for (const [span, answer] of this.#answers.entries()) {
      const inSpan = this.#rowsOfSpan(batch, span, { columns, file });
      this.#spanRowCounts[span] = (this.#spanRowCounts[span] ?? 0) + (inSpan?.length ?? all.length);
      const rows = inSpan ? intersection(kept, inSpan) : kept;
      if (rows.length === 0) continue;
      answer.byTime.observe(batch, { rows, day });
      answer.groups.observe(batch, { rows, day });
      await answer.rows?.add(batch, { rows, day });
    }
  }

  /** Returns the rows of a batch in a span; `undefined` for all. */
  #rowsOfSpan(
    batch: RowBatch,
    index: number,
    { columns, file }: { readonly columns: FileColumns; readonly file: SourceFile },
  ): number[] | undefined {
    const span = this.#question.spans[index];
    if (!span) return undefined;
    const { unit } = file;
    if (unit) {
      const isInside = span.since <= unit.firstDay && unit.lastDay <= span.until;
      if (isInside) return undefined;
      const isOutside = unit.lastDay < span.since || unit.firstDay > span.until;
      if (!columns.hasTime || isOutside) return [];
    }

    const field = columns.fields.includes('date') ? 'date' : 'hour';
    const rows: number[] = [];
    for (const [row, value] of valuesOf(batch, field).entries()) {
      const day = String(value ?? '').slice(0, 10);
      if (span.since <= day && day <= span.until) rows.push(row);
    }
    return rows;
  }

  /**
   * Finds the columns of a file that the question uses. Throws `UsageError` for impossible ones.
   */
  #columnsOf(fields: readonly string[], { unit }: SourceFile, shown: string): FileColumns {
    expectDistinct(fields, shown);
    const own = fields.filter((field) => !isBefore(field));
    const hasTime = own.some(isTime);
    const day = hasTime ? undefined : unit?.firstDay;
    if (day !== undefined) {
      this.#hasDaysOfFiles = true;
      this.#fields.add('date');
    }
    for (const field of own) this.#fields.add(field);

    const { filters, spans, followsTime } = this.#question;
    if (spans.length > 0 && !hasTime && !unit) throw noDatesError(shown);
    const all = [...this.#fields];
    this.#resolveKeys(all);
    this.#addUsed(all);

    const filtered = filters.map((filter) => columnsOfFilter(filter, own, day));
    const keys = (this.#keys ?? []).map(({ field }) => field);
    const chosen = [...keys, ...filtered.flat()].filter((field) => own.includes(field));
    const timeOfSpans = own.includes('date') ? 'date' : 'hour';
    const timeOfLine = own.includes('hour') ? 'hour' : 'date';
    return {
      fields: own,
      hasTime,
      day,
      filtered,
      metrics: [...this.#used].filter((field) => own.includes(field)),
      times: [
        ...keys.filter((field) => isTime(field)),
        ...(spans.length > 0 ? [timeOfSpans] : []),
        ...(followsTime ? [timeOfLine] : []),
      ].filter((field) => own.includes(field)),
      ids: chosen.filter((field) => fieldTypeOf(field) === 'id'),
      hasMoney: [...this.#used].some((field) => fieldTypeOf(field) === 'money'),
    };
  }

  /** Resolves `--by` by the columns so far; names that no file has had may come. */
  #resolveKeys(fields: readonly string[]): void {
    const { by } = this.#question;
    if (!by) return;
    const known = by.filter(
      (text) => readFileColumns({ flag: '--by', text, fields }) !== undefined,
    );
    const keys = resolveKeys(known, fields);
    if (JSON.stringify(keys) === JSON.stringify(this.#keys)) return;

    this.#keys = keys;
    for (const [index, answer] of this.#answers.entries()) {
      const { groups } = this.#newAnswer(index);
      if (answer.groups.rowCount > 0) groups.absorb(answer.groups);
      this.#answers[index] = { ...answer, groups };
    }
  }

  /** Adds the fields of the metrics that are shown: those named, or all. */
  #addUsed(fields: readonly string[]): void {
    const { metrics, columns, sort } = this.#question;
    const named = metrics ?? columns;
    if (named === undefined) {
      for (const field of fields) if (metricOfField(field)) this.#used.add(field);
    }
    const sorted = sort === undefined ? [] : [parseSort(sort).name];
    for (const name of [...(named ?? []), ...(named ? sorted : [])]) {
      for (const field of fieldsForMetric(name, fields)) this.#used.add(field);
    }
  }

  /** @param index more than 0 for the earlier span, whose weeks are kept by day, as `run` does */
  #newAnswer(index: number): SpanAnswer {
    const { rows, followsTime } = this.#question;
    const isSummed = (field: string): boolean => this.#used.has(field);
    const keys = this.#keys?.map((key) => {
      return index > 0 && key.unit === 'week' ? { ...key, unit: undefined } : key;
    });
    return {
      byTime: new GroupedTotals(timeKeys, isSummed),
      groups: new GroupedTotals(keys ?? (followsTime ? timeKeys : []), isSummed),
      rows: rows && new KeptRows(rows, isSummed),
      rowCount: 0,
    };
  }

  #newCheck(): ReportCheck {
    const nowMs = this.#tools.host.wallClock();
    return new ReportCheck({ expectation: undefined, isPart: false, nowMs });
  }

  #noteUnknown(batch: RowBatch, { fields }: FileColumns): void {
    for (const field of fields) {
      const isKnown = fieldTypeOf(field) !== undefined || this.#unknownNumbers.has(field);
      if (isKnown || derivedMetrics.some((metric) => metric.field === field)) continue;
      const numbers = valuesOf(batch, field).map((value) => numberIn(value));
      const areNumbers = numbers.every((number) => number !== undefined);
      if (areNumbers && numbers.some((number) => number !== null)) this.#unknownNumbers.add(field);
    }
  }

  end(): Collected {
    this.#seen?.end();
    // The day of a file comes before its columns.
    const days = this.#hasDaysOfFiles ? ['date'] : [];
    const fields = [...new Set([...days, ...this.#fields])];
    const { by, filters } = this.#question;
    if (fields.length > 0) {
      if (by) resolveKeys(by, fields);
      for (const filter of filters) filter.columnsIn(fields);
    }
    return {
      answers: this.#answers.map((answer, span) => {
        return { ...answer, rowCount: this.#spanRowCounts[span] ?? 0 };
      }),
      keys: this.#keys,
      fields,
      filledFields: fields.filter((field) => {
        return this.#filledFields.has(field) || (field === 'date' && this.#hasDaysOfFiles);
      }),
      unknownNumbers: [...this.#unknownNumbers],
      tails: this.#read.map(({ tail }) => tail),
      rowCount: this.#rowCount,
      sizeBytes: this.#sizeBytes,
      warnings: [...this.#warnings, ...this.#absences((field) => this.#isMetric(field))],
      notes: [...this.#notes, ...this.#absences((field) => !this.#isMetric(field))],
    };
  }

  #isMetric(field: string): boolean {
    return this.#used.has(field) || metricOfField(field) !== undefined;
  }

  /** Returns sentences on shown columns that only some files have. */
  #absences(isSelected: (field: string) => boolean): string[] {
    const { rows } = this.#question;
    const keys = (this.#keys ?? []).map(({ field }) => field);
    const shown = rows ? [...this.#filledFields] : [...keys, ...this.#used];
    const sentences: string[] = [];
    for (const field of new Set(shown.filter(isSelected))) {
      const absent = this.#fileCount - (this.#fileCounts.get(field) ?? 0);
      if (absent === 0 || absent === this.#fileCount) continue;
      const have = absent === 1 ? 'has' : 'have';
      sentences.push(`${absent} of ${this.#fileCount} files ${have} no ${printable(field)}.`);
    }
    return sentences;
  }

  close(): void {
    this.#decoder.end();
  }
}

interface Reading {
  /** Receives the bytes of the file. */
  readonly hash: Hash | undefined;

  /** Called with the bytes read so far, of all files. */
  readonly onBytes: (bytes: number) => void;
}

/** State of a file after its last row. */
interface FileEnd {
  readonly opened: ReportFile;
  readonly tail: ReportTail;
  readonly check: ReportCheck;
  readonly shown: string;
  readonly columns: FileColumns | undefined;

  /** Columns that have a value. */
  readonly filled: ReadonlySet<string>;
}

/** Compares files by their units: in a folder, each day is in one file. */
function mayOverlap(files: readonly SourceFile[]): boolean {
  const units = files.map(({ unit }) => unit);
  const sorted = units.filter((unit) => unit !== undefined).sort((a, b) => a.since - b.since);
  const isMixed = sorted.length < files.length && files.length > 1;
  return isMixed || sorted.some((unit, index) => unit.since < (sorted[index - 1]?.end ?? 0));
}

/** Matches the columns that `--compare` writes: `revenueEuroBefore`. */
function isBefore(field: string): boolean {
  if (!field.endsWith('Before')) return false;
  const name = field.slice(0, -'Before'.length);
  return metricOfField(name) !== undefined || derivedMetrics.some((each) => each.field === name);
}

function columnsOfFilter(
  filter: RowFilter,
  fields: readonly string[],
  day: string | undefined,
): string[] {
  try {
    return filter.columnsIn(day === undefined ? fields : ['date', ...fields]);
  } catch (error) {
    // Another file may have the column.
    if (error instanceof UsageError && error.code === 'UNKNOWN_COLUMN') return [];
    throw error;
  }
}

/** Returns the fields whose sums a metric needs; empty for a name that is not a metric. */
function fieldsForMetric(name: string, fields: readonly string[]): readonly string[] {
  if (fields.includes(name)) {
    const isComputed = derivedMetrics.some(({ field }) => field === name);
    if (!isComputed) return isTime(name) || isDimension(name) ? [] : [name];
  }
  const figure =
    findReportMetric(name, listAllMetrics(fields)) ?? findFigureOfOtherFiles(name, fields);
  if (!figure) return [];
  const { derived } = figure;
  return derived ? [derived.numeratorField, derived.denominatorField] : [figure.field];
}

/** Finds a rate if the file has only one of its metrics: another file may have the other. */
function findFigureOfOtherFiles(name: string, fields: readonly string[]): ReportMetric | undefined {
  const absent = metrics.filter((metric) => fieldOfMetric(metric.name, fields) === undefined);
  return findReportMetric(
    name,
    listAllMetrics([...fields, ...absent.map((metric) => metric.name)]),
  );
}

function isDimension(field: string): boolean {
  return fieldTypeOf(field) !== undefined && !metricOfField(field);
}

function intersection(one: readonly number[], other: readonly number[]): number[] {
  const known = new Set(other);
  return one.filter((row) => known.has(row));
}

function pipeRereadError({ shown }: SourceFile): UsageError {
  return new UsageError(`${printable(shown)} has changed since it was downloaded.`, {
    hint: 'Leave it out, or run the command without the pipe: a pipe can be read only once.',
  });
}

function noDatesError(shown: string): UsageError {
  return new UsageError(`The rows of ${shown} have no dates, so no period can be selected.`, {
    about: { flag: '--period' },
    hint: 'Remove --period, --since and --until, or view the folder filled by run.',
  });
}

function notAReportError(shown: string, { fields }: ReportTail): IncompleteDataError {
  const names = printable(fields.slice(0, 5).join(', ')) || 'none';
  return new IncompleteDataError(
    `The rows of ${shown} have no report columns. Columns found: ${names}.`,
    { code: 'NO_DATA', retryable: false, hint: 'Use the file that was downloaded.' },
  );
}
