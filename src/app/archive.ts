import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Context, version } from '../context.ts';
import { fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import { codeOf, OutputError, UsageError } from '../errors.ts';
import { expandName, hasTimePlaceholder } from '../output/file/file-name.ts';
import { type FormatName, formats } from '../output/formats/index.ts';
import {
  appendToBooks,
  type BookedFormat,
  type Bookkeeper,
  type BookLine,
  type Books,
  type Changes,
  changesBetween,
  differencesOf,
  type FetchedFile,
  hashOfQuestion,
  nameOfBooks,
  type Question,
  questionOf,
  readBooks,
  startBooks,
} from '../report/books.ts';
import { type Part, type PartFile, type PartToFetch, stillToFetch } from '../report/parts.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { chooseFormat, csvDialect } from './deliver.ts';
import { describeFile } from './folder-files.ts';
import { factsOf, fileOf, type Job } from './plan.ts';

type Streams = Pick<Context, 'console' | 'host' | 'flags'>;

/**
 * The folder that a job adds files to, and what its books say: which request each file answers, when its report was
 * created, and what it adds up to (`cli.md`, A folder of reports keeps its own books).
 */
class Archive implements Bookkeeper {
  readonly #context: Streams;
  readonly #job: Job;
  readonly #folder: string;
  readonly #question: Question;
  readonly #hash: string;
  #books: Books | undefined;
  #isStarted = false;

  constructor(context: Streams, job: Job, { folder, question }: ArchivePlace) {
    this.#context = context;
    this.#job = job;
    this.#folder = folder;
    this.#question = question;
    this.#hash = hashOfQuestion(question);
  }

  /**
   * The parts that `--missing` still has to fetch.
   *
   * @throws UsageError where a file answers another request, unless `--refetch` fetches it again
   */
  async partsToFetch(parts: readonly Part[]): Promise<PartToFetch[]> {
    const { options } = this.#job;
    const judgements = await this.#judgeFilesWithoutLine(parts);
    const differences = new Map<string, string[]>();
    let unknownCount = 0;
    for (const { file, harm, difference } of judgements.values()) {
      if (difference !== undefined) differences.set(file, [difference]);
      if (harm === undefined) unknownCount += 1;
    }

    const fileOfPart = (part: Part): PartFile | undefined => {
      const path = this.#pathOf(part);
      const found = statOf(path);
      if (!found?.isFile()) return undefined;

      const line = this.#lineOf(path);
      if (!line) return { createdAt: found.mtimeMs / 1_000, harm: judgements.get(path)?.harm };

      const createdAt = Date.parse(line.createdAt) / 1_000;
      if (line.requestHash !== this.#hash) {
        differences.set(line.file, differencesOf(questionOf(line), this.#question));
        return { createdAt, harm: 'its file answers another request' };
      }
      return { createdAt, harm: harmOf({ path, found, line, part }) };
    };

    const now = Math.floor(this.#context.host.wallClock() / 1_000);
    const lookback = options.lookback ?? 0;
    const missing = stillToFetch(parts, { now, lookback, fileOf: fileOfPart });

    this.#sayFaults(unknownCount);
    if (differences.size > 0 && !options.refetch) throw this.#otherRequest(differences);
    return missing;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    startBooks(this.#folder, this.#booksName);
  }

  /** As `Bookkeeper`; without `--strict` books that cannot be written to are a warning. */
  record(part: Part, fetched: FetchedFile): Changes | undefined {
    const { file, sha256 } = fetched;
    // What goes to a stream is no file that could be found again.
    if (file === undefined || sha256 === undefined) return undefined;

    try {
      const line = this.#lineFor(part, { ...fetched, file, sha256 });
      appendToBooks(this.#folder, this.#booksName, line);
      return line.changed;
    } catch (error) {
      this.#cannotAppend(error);
      return undefined;
    }
  }

  /** What the files that have no line in the books tell of themselves, by their paths. */
  async #judgeFilesWithoutLine(parts: readonly Part[]): Promise<Map<string, FileJudgement>> {
    const format = chooseFormat(this.#context, this.#job.options);
    const expected = columnsOfJob(this.#job);
    const judgements = new Map<string, FileJudgement>();

    for (const part of parts) {
      const path = this.#pathOf(part);
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found?.isFile() || this.#lineOf(path)) continue;

      const file = this.#nameOf(path);
      const harm = this.#harmWithoutLine(found);
      if (found.size === 0) {
        judgements.set(path, { file, harm });
        continue;
      }

      const { columns } = await describeFile(path, format);
      const judgement = judgeColumns({ columns, expected, format });
      judgements.set(path, { file, ...judgement, harm: harm ?? judgement.harm });
    }
    return judgements;
  }

  #lineFor(part: Part, fetched: HashedFile): BookLine {
    const path = resolve(this.#context.host.cwd, fetched.file);
    const before = this.#lineOf(path);
    const isSameRequest = before?.requestHash === this.#hash;
    const { since, until } = describeWindow(part.window);

    return {
      file: this.#nameOf(path),
      window: { since, until, timezone: part.window.zone },
      overAt: new Date(part.overAt * 1_000).toISOString(),
      request: this.#question.request,
      requestHash: this.#hash,
      key: fetched.key,
      reportId: fetched.reportId,
      createdAt: new Date(fetched.createdMs).toISOString(),
      fetchedAt: new Date(this.#context.host.wallClock()).toISOString(),
      rows: fetched.rowCount,
      bytes: fetched.sizeBytes,
      sha256: fetched.sha256,
      totals: fetched.totals,
      changed: isSameRequest ? changesBetween(before.totals, fetched.totals) : undefined,
      warnings: fetched.warnings,
      format: this.#question.format,
      adreport: version,
    };
  }

  /**
   * Why a file without a line is fetched again. What is as young as the books was written by a run that kept them and that
   * was ended before it came to the line; older files are those of a time before the books.
   */
  #harmWithoutLine({ size, mtimeMs }: Stats): string | undefined {
    if (size === 0) return 'its file is empty';

    const { keptSinceMs = Number.POSITIVE_INFINITY } = this.#books ?? {};
    const isYounger = mtimeMs >= keptSinceMs - sideBySideMs;
    return isYounger ? 'its run was ended before its line was in the books' : undefined;
  }

  get #booksName(): string {
    return nameOfBooks(this.#job.options.shard);
  }

  #pathOf(part: Part): string {
    return resolve(this.#context.host.cwd, fileOf(this.#job, part) ?? '');
  }

  #nameOf(path: string): string {
    return relative(this.#folder, path).split(sep).join('/');
  }

  #lineOf(path: string): BookLine | undefined {
    this.#books ??= this.#readBooks();
    return this.#books.lines.get(this.#nameOf(path));
  }

  #readBooks(): Books {
    try {
      return readBooks(this.#folder);
    } catch (error) {
      const reason = codeOf(error) ?? String(error);
      throw new OutputError(
        `The books of ${printable(this.#folder)} could not be read (${reason}).`,
        {
          hint: 'Check the permissions of _adreport.ndjson there, or leave the books out with --no-books.',
          cause: error,
        },
      );
    }
  }

  #sayFaults(unknownCount: number): void {
    const { console } = this.#context;
    for (const fault of this.#books?.faults ?? []) console.warn(fault);
    if (unknownCount === 0) return;

    const files = formatPlural(unknownCount, 'file');
    console.note(
      `The books have no line for ${files}, which are judged by their time: adreport check ${printable(relative(this.#context.host.cwd, this.#folder) || '.')}`,
    );
  }

  #otherRequest(differences: ReadonlyMap<string, readonly string[]>): UsageError {
    const texts = new Set([...differences.values()].flat());
    const [firstFile = ''] = differences.keys();
    const count = differences.size;
    const which = count === 1 ? firstFile : `${count} files, the first is ${firstFile},`;
    const verb = count === 1 ? 'answers' : 'answer';
    return new UsageError(
      `${printable(which)} ${verb} another request than this one: ${printable([...texts].join('; '))}.`,
      {
        code: 'OTHER_REQUEST',
        hint: 'Write to another -o, or fetch those files again with --refetch.',
      },
    );
  }

  #cannotAppend(error: unknown): void {
    const reason = error instanceof OutputError ? error.message : (codeOf(error) ?? String(error));
    const name = join(this.#folder, this.#booksName);
    const message = `${printable(name)} could not be written to (${reason}): the file is whole, and the books do not tell of it.`;
    const hint = 'Check the permissions of the folder, or leave the books out with --no-books.';
    if (this.#job.options.strict) throw new OutputError(message, { hint });
    this.#context.console.warn(`${message} ${hint}`);
  }
}

/** What a file without a line in the books tells of itself. */
interface FileJudgement {
  /** The path of the file from the folder of the books, with slashes. */
  readonly file: string;
  /** Why it is to be fetched again, as a clause; absent where nothing speaks against it. */
  readonly harm?: string | undefined;
  /** What differs from the request that is made now; absent where nothing does. */
  readonly difference?: string;
}

/** The columns of a file, and those that the request leads to; each `undefined` where nobody tells them. */
interface ColumnPair {
  readonly columns: readonly string[] | undefined;
  readonly expected: readonly string[] | undefined;
  readonly format: FormatName;
}

/** What the columns of a file say against it. */
function judgeColumns({ columns, expected, format }: ColumnPair): Omit<FileJudgement, 'file'> {
  if (!columns) {
    // Every whole Parquet file tells its columns.
    return format === 'parquet' ? { harm: 'its file cannot be read' } : {};
  }
  if (!expected) return {};

  const names: string[] = [];
  for (const column of columns) {
    const name = metricOfField(column)?.name ?? column;
    // A service may send fields that no request asks for by name: they are kept, and tell nothing.
    if (expected.includes(name) || isOfVocabulary(name)) names.push(name);
  }
  const before = names.join(',');
  const after = expected.join(',');
  if (before === after) return {};
  return {
    harm: 'its file has other columns',
    difference: `columns: ${before || 'none'} → ${after}`,
  };
}

function isOfVocabulary(name: string): boolean {
  const isDerived = derivedMetrics.some(({ field }) => field === name);
  return isDerived || fieldTypeOf(name) !== undefined;
}

/** The columns of the files of a job, metrics by their own names; `undefined` where a file does not tell or need them. */
function columnsOfJob(job: Job): string[] | undefined {
  const { columns: selectedColumns, header } = job.options;
  if (selectedColumns === 'all' || header === false) return undefined;

  const fields = selectedColumns ?? fieldsOfJob(job);
  return [...new Set(fields.map((field) => metricOfField(field)?.name ?? field))];
}

function fieldsOfJob(job: Job): string[] {
  const fields: string[] = [];
  for (const { field, hidden } of factsOf(job).columns ?? []) {
    if (!hidden) fields.push(field);
  }
  return fields;
}

/** A file with its name and its hash. */
interface HashedFile extends FetchedFile {
  readonly file: string;
  readonly sha256: string;
}

/** Reports of one run are created side by side: the first line may be that of a report that was created so much later. */
const sideBySideMs = 60 * 60 * 1_000;

/** A file that has a line in the books, and the part that it should hold. */
interface BookedFile {
  readonly path: string;
  readonly found: Stats;
  readonly line: BookLine;
  readonly part: Part;
}

/** Why a file with a line in the books is no whole report of its part; `undefined` where it is as it was written. */
function harmOf({ path, found, line, part }: BookedFile): string | undefined {
  if (found.size === 0) return 'its file is empty';
  if (found.size !== line.bytes) return 'its file was cut or changed';

  const isOfWindow =
    Date.parse(line.window.since) / 1_000 === part.window.since &&
    Date.parse(line.window.until) / 1_000 === part.window.until;
  const isEarly = Date.parse(line.createdAt) / 1_000 < part.overAt;
  if (!isOfWindow && !isEarly) {
    return `its file holds ${line.window.since} … ${line.window.until}`;
  }

  // A file is as old as its report. Only one that is not has to be read: it was copied, or is not the one of its line.
  const isOfLine = Math.abs(found.mtimeMs - Date.parse(line.createdAt)) < 1;
  if (!isOfLine && hashOfFile(path) !== line.sha256) return 'its file is not the one of its line';
  return undefined;
}

/** What stands at a path; `undefined` where nothing does. Throws `OutputError` where the folder may not be entered. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new OutputError(`${printable(path)} could not be looked at (${codeOf(error)}).`, {
      hint: 'Check the permissions of its folder.',
      cause: error,
    });
  }
}

/** The SHA-256 of a file in hexadecimal digits; `undefined` where the file cannot be read. */
function hashOfFile(path: string): string | undefined {
  try {
    const descriptor = openSync(path, 'r');
    try {
      return hashOf(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function hashOf(descriptor: number): string {
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(256 * 1024);

  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    hash.update(piece.subarray(0, size));
  }
  return hash.digest('hex');
}

/** Where the books of a job are, and which question all of its files answer. */
interface ArchivePlace {
  /** The folder before the first placeholder of time in `-o`. */
  readonly folder: string;
  readonly question: Question;
}

/**
 * The job with what its files answer and the books that it keeps, and with `--missing` only the parts that still have to be fetched, each with the
 * reason.
 *
 * @throws UsageError where a file answers another request, unless `--refetch` fetches it again
 */
export async function chooseParts(context: Streams, planned: Job): Promise<Job> {
  const question = await questionOfJob(context, planned);
  const job = { ...planned, question };
  const archive = openArchive(context, job, question);
  const books = archive && { books: archive };
  if (!job.options.missing) return { ...job, ...books };

  const missing = archive ? await archive.partsToFetch(job.allParts) : partsByTime(context, job);
  // A merged output is one file: it is written anew if any part is not final.
  if (job.isMerged) return missing.length > 0 ? job : { ...job, parts: [] };

  const parts: Part[] = [];
  for (const { part, reason } of missing) {
    if (job.parts.includes(part)) parts.push({ ...part, reason });
  }
  return { ...job, ...books, parts };
}

/** The parts to fetch where there are no books: by the times of the files alone. */
function partsByTime({ host }: Streams, job: Job): PartToFetch[] {
  const fileOfPart = (part: Part): PartFile | undefined => {
    const path = resolve(host.cwd, fileOf(job, part) ?? '');
    const found = statOf(path);
    if (!found?.isFile()) return undefined;

    const harm = found.size === 0 ? 'its file is empty' : undefined;
    return { createdAt: found.mtimeMs / 1_000, harm };
  };
  const now = Math.floor(host.wallClock() / 1_000);
  return stillToFetch(job.allParts, {
    now,
    lookback: job.options.lookback ?? 0,
    fileOf: fileOfPart,
  });
}

/** The archive that a job adds to; `undefined` where its output has no time in its name, or `--no-books` leaves it out. */
function openArchive(context: Streams, job: Job, question: Question): Archive | undefined {
  const { options } = job;
  const { output = '-' } = options;
  if (!hasTimePlaceholder(output) || !options.books) return undefined;

  const beginning = output.slice(0, output.search(/\{(?:date|since|until)\}/));
  // A folder that is named for a report holds nothing else.
  if (dirname(`${beginning}x`).includes('{id}')) return undefined;
  const folder = dirname(`${expandName(beginning, { ...factsOf(job).names, id: 'id' })}x`);
  return new Archive(context, job, { folder: resolve(context.host.cwd, folder), question });
}

/** Everything of a job that decides what its files hold, but their time. */
async function questionOfJob(context: Streams, { account, options, plan }: Job): Promise<Question> {
  const settings = await account.settings();
  const { request, window } = plan;
  const names = {
    campaign: options.campaign,
    adUnit: options.adUnit,
    advertiser: options.advertiser,
  };
  const filters: Record<string, readonly string[]> = { ...request.filters };
  for (const [name, values] of Object.entries(names)) {
    if (values && values.length > 0) filters[name] = values;
  }

  return {
    request: {
      profile: plan.profile,
      metrics: plan.shownMetrics,
      breakdowns: request.breakdowns,
      filters,
      account: await account.name(),
      // Every run has a local server of its own, at another port.
      baseUrl: account.isLocal ? 'local' : (settings.baseUrl.value?.href ?? ''),
      windowClock: plan.windowClock,
    },
    format: formatOfJob(context, options),
    timezone: window.zone,
  };
}

/** The format and those of its settings that change what a file holds. */
function formatOfJob(context: Streams, options: Job['options']): BookedFormat {
  const name = chooseFormat(context, options);
  const { columns, normalize, compare } = options;
  const format: Record<string, unknown> = {};
  if (compare !== undefined) format.compare = compare;
  if (columns !== undefined) format.columns = columns;
  if (normalize) format.normalize = true;
  if (formats[name].usesCsvDialect) {
    const { delimiter, decimal, bom, escapeFormulas, header } = csvDialect(context, options);
    if (delimiter !== ',') format.delimiter = delimiter;
    if (decimal !== undefined) format.decimal = decimal;
    if (bom) format.bom = true;
    if (escapeFormulas) format.escapeFormulas = true;
    if (header === false) format.header = false;
  }
  return { name, ...format };
}
