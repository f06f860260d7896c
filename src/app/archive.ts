import { type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Context, version } from '../context.ts';
import { codeOf, OutputError, UsageError } from '../errors.ts';
import { expandName, hasTimePlaceholder } from '../output/file/file-name.ts';
import type { FormatName } from '../output/formats/index.ts';
import { type BookLine, type Changes, changesBetween, questionOf } from '../report/book-line.ts';
import {
  type Bookkeeper,
  describeFault,
  type FetchedFile,
  FolderBooks,
  nameOfBooks,
} from '../report/books.ts';
import { type Part, type PartFile, type PartToFetch, stillToFetch } from '../report/parts.ts';
import { differencesOf, hashOfQuestion, type Question } from '../report/question.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import { chooseFormat } from './deliver.ts';
import { describeFile } from './folder-files.ts';
import { fileOf, type Job, nameValuesOf } from './plan.ts';
import { questionOfReport } from './report-question.ts';
import { columnsOfJob, harmOf, judgeColumns } from './standing-file.ts';

type Streams = Pick<Context, 'console' | 'host' | 'flags'>;

/**
 * The jobs with what their files answer and the books that they keep, and with `--missing` only the parts that still have
 * to be fetched, each with the reason.
 *
 * @throws UsageError where a file answers another request, unless `--refetch` fetches it again
 */
export function chooseParts(context: Streams, jobs: readonly Job[]): Promise<Job[]> {
  const shelf = new Shelf(context);
  return Promise.all(jobs.map((job) => choosePartsOfJob(context, job, shelf)));
}

async function choosePartsOfJob(context: Streams, planned: Job, shelf: Shelf): Promise<Job> {
  const question = await questionOfReport(context, planned);
  const job = { ...planned, question };
  const archive = openArchive(context, job, { question, shelf });
  const books = archive && { books: archive };
  if (!job.options.missing) return { ...job, ...books };

  const missing = archive ? await archive.partsToFetch(job.allParts) : partsByTime(context, job);
  // A merged output is one file: it is written anew if any part is not final.
  if (job.isMerged) return missing.length > 0 ? job : { ...job, parts: [] };

  const ownParts = new Set(job.parts);
  const parts: Part[] = [];
  for (const { part, reason } of missing) {
    if (ownParts.has(part)) parts.push({ ...part, reason });
  }
  return { ...job, ...books, parts };
}

/** The parts to fetch where there are no books: by the times of the files alone. */
function partsByTime({ host }: Streams, job: Job): PartToFetch[] {
  const fileOfPart = (part: Part): PartFile | undefined => {
    const path = resolve(host.cwd, fileOf(job, part) ?? '');
    const stats = statOf(path);
    if (!stats?.isFile()) return undefined;

    const harm = stats.size === 0 ? 'its file is empty' : undefined;
    return { createdAt: stats.mtimeMs / 1_000, harm };
  };
  const now = Math.floor(host.wallClock() / 1_000);
  return stillToFetch(job.allParts, {
    now,
    lookback: job.options.lookback ?? 0,
    fileOf: fileOfPart,
  });
}

/** What the files of a job answer, and where its books are found. */
interface ArchiveSource {
  readonly question: Question;
  readonly shelf: Shelf;
}

/** The archive that a job adds to; `undefined` where its output has no time in its name, or `--no-books` leaves it out. */
function openArchive(context: Streams, job: Job, source: ArchiveSource): Archive | undefined {
  const { options } = job;
  const { output = '-' } = options;
  if (!hasTimePlaceholder(output) || !options.books) return undefined;

  const beginning = output.slice(0, output.search(/\{(?:date|since|until)\}/));
  // A folder that is named for a report holds nothing else.
  if (dirname(`${beginning}x`).includes('{id}')) return undefined;
  const folder = dirname(`${expandName(beginning, { ...nameValuesOf(job), id: 'id' })}x`);
  return new Archive(context, job, { ...source, folder: resolve(context.host.cwd, folder) });
}

/** The books of the folders of a run: those of a folder are read once, and what is wrong with them is said once. */
class Shelf {
  readonly #context: Streams;
  readonly #books = new Map<string, FolderBooks>();

  constructor(context: Streams) {
    this.#context = context;
  }

  /** The books of a folder. Throws `OutputError` where they are there and cannot be read. */
  open(folder: string): FolderBooks {
    const open = this.#books.get(folder);
    if (open) return open;

    const books = new FolderBooks(folder);
    this.#read(books, folder);
    this.#books.set(folder, books);
    return books;
  }

  #read(books: FolderBooks, folder: string): void {
    const { console, host } = this.#context;
    try {
      books.read();
    } catch (error) {
      const reason = codeOf(error) ?? String(error);
      throw new OutputError(`The books of ${printable(folder)} could not be read (${reason}).`, {
        hint: 'Check the permissions of _adreport.ndjson there, or leave the books out with --no-books.',
        cause: error,
      });
    }

    for (const fault of books.faults) {
      const book = join(relative(host.cwd, folder), fault.book);
      console.warn(printable(describeFault({ ...fault, book })));
    }
  }
}

/** Where a job adds files, and what they answer. */
interface ArchivePlace extends ArchiveSource {
  /** The folder before the first placeholder of time in `-o`. */
  readonly folder: string;
}

/** A file of a part that stands in the folder. */
interface StandingFile {
  readonly path: string;
  /** The path from the folder of the books, with slashes. */
  readonly name: string;
  readonly stats: Stats;
}

/** What is known of a file of a part before it is fetched. */
interface FileJudgement extends PartFile {
  /** The path from the folder of the books, with slashes. */
  readonly name: string;
  readonly isInBooks: boolean;
  /** What differs from the request that is made now. */
  readonly differences: readonly string[];
}

/** A file with its name and its hash. */
interface HashedFile extends FetchedFile {
  readonly file: string;
  readonly sha256: string;
}

/** Reports of one run are created side by side: the first line may be that of a report that was created so much later. */
const sideBySideMs = 60 * 60 * 1_000;

/**
 * The folder that a job adds files to, and what its books say: which request each file answers, when its report was
 * created, and what it adds up to (`cli.md`, A folder of reports keeps its own books).
 */
class Archive implements Bookkeeper {
  readonly #context: Streams;
  readonly #job: Job;
  readonly #shelf: Shelf;
  readonly #folder: string;
  readonly #question: Question;
  readonly #hash: string;
  readonly #format: FormatName;
  /** The columns of its files, where the request tells them. */
  readonly #columns: readonly string[] | undefined;
  #isStarted = false;

  constructor(context: Streams, job: Job, { folder, question, shelf }: ArchivePlace) {
    this.#context = context;
    this.#job = job;
    this.#shelf = shelf;
    this.#folder = folder;
    this.#question = question;
    this.#hash = hashOfQuestion(question);
    this.#format = chooseFormat(context, job.options);
    this.#columns = columnsOfJob(job);
  }

  /**
   * The parts that `--missing` still has to fetch.
   *
   * @throws UsageError where a file answers another request, unless `--refetch` fetches it again
   */
  async partsToFetch(parts: readonly Part[]): Promise<PartToFetch[]> {
    const judgements = new Map<Part, FileJudgement>();
    for (const part of parts) {
      const judgement = await this.#judgeFileOf(part);
      if (judgement) judgements.set(part, judgement);
    }

    const { lookback = 0, refetch } = this.#job.options;
    const now = Math.floor(this.#context.host.wallClock() / 1_000);
    const fileOfPart = (part: Part) => judgements.get(part);
    const missing = stillToFetch(parts, { now, lookback, fileOf: fileOfPart });

    const files = [...judgements.values()];
    this.#sayUnknown(files.filter(({ isInBooks, harm }) => !isInBooks && harm === undefined));
    const others = files.filter(({ differences }) => differences.length > 0);
    if (others.length > 0 && !refetch) throw this.#otherRequest(others);
    return missing;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    try {
      this.#shelf.open(this.#folder).start(this.#booksName);
    } catch {
      // `record` meets the same error, when there is something to record.
    }
  }

  /** As `Bookkeeper`; without `--strict` books that cannot be written to are a warning. */
  record(part: Part, fetched: FetchedFile): Changes | undefined {
    const { file, sha256 } = fetched;
    // What goes to a stream is no file that could be found again.
    if (file === undefined || sha256 === undefined) return undefined;

    try {
      const books = this.#shelf.open(this.#folder);
      // Another run may have fetched the same file meanwhile: a change is told once.
      books.readOn(this.#booksName);
      const line = this.#lineFor(part, { ...fetched, file, sha256 });
      books.append(this.#booksName, line);
      return line.changed;
    } catch (error) {
      this.#cannotAppend(error);
      return undefined;
    }
  }

  /** What is known of the file of a part; `undefined` where there is none. */
  async #judgeFileOf(part: Part): Promise<FileJudgement | undefined> {
    const { host } = this.#context;
    const path = resolve(host.cwd, fileOf(this.#job, part) ?? '');
    const stats = statOf(path);
    if (!stats?.isFile()) return undefined;

    const file = { path, name: this.#nameOf(path), stats };
    const line = this.#shelf.open(this.#folder).lines.get(file.name);
    return line ? this.#judgeByLine(part, file, line) : this.#judgeByItself(file);
  }

  #judgeByLine(part: Part, { path, name, stats }: StandingFile, line: BookLine): FileJudgement {
    const createdAt = Date.parse(line.createdAt) / 1_000;
    const common = { name, isInBooks: true, createdAt };

    if (line.requestHash !== this.#hash) {
      const differences = differencesOf(questionOf(line), this.#question);
      if (differences.length === 0) differences.push('its request is shortened in the books');
      return { ...common, harm: 'its file answers another request', differences };
    }
    return { ...common, harm: harmOf({ path, stats, line, part }), differences: [] };
  }

  /** What a file without a line tells of itself: its time, and its columns. */
  async #judgeByItself({ path, name, stats }: StandingFile): Promise<FileJudgement> {
    const createdAt = stats.mtimeMs / 1_000;
    const common = { name, isInBooks: false, createdAt };
    const harm = this.#harmWithoutLine(stats);
    if (stats.size === 0) return { ...common, harm, differences: [] };

    const { columns } = await describeFile(path, this.#format);
    const judgement = judgeColumns({ columns, expected: this.#columns, format: this.#format });
    const differences = judgement.difference === undefined ? [] : [judgement.difference];
    return { ...common, harm: harm ?? judgement.harm, differences };
  }

  /**
   * Why a file without a line is fetched again. What is as young as the books was written by a run that kept them and that
   * was ended before it came to the line; older files are those of a time before the books.
   */
  #harmWithoutLine({ size, mtimeMs }: Stats): string | undefined {
    if (size === 0) return 'its file is empty';

    const { keptSinceMs } = this.#shelf.open(this.#folder);
    const isYounger = mtimeMs >= keptSinceMs - sideBySideMs;
    return isYounger ? 'its run was ended before its line was in the books' : undefined;
  }

  #lineFor(part: Part, fetched: HashedFile): BookLine {
    const file = this.#nameOf(resolve(this.#context.host.cwd, fetched.file));
    const before = this.#shelf.open(this.#folder).lines.get(file);
    const isSameRequest = before?.requestHash === this.#hash;
    const { since, until } = describeWindow(part.window);

    return {
      file,
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

  get #booksName(): string {
    return nameOfBooks(this.#job.options.shard);
  }

  #nameOf(path: string): string {
    return relative(this.#folder, path).split(sep).join('/');
  }

  #sayUnknown(unknown: readonly FileJudgement[]): void {
    if (unknown.length === 0) return;

    const { console, host } = this.#context;
    const files = formatPlural(unknown.length, 'file');
    const folder = printable(relative(host.cwd, this.#folder) || '.');
    console.note(
      `The books have no line for ${files}, which are judged by their time: adreport check ${folder}`,
    );
  }

  #otherRequest(files: readonly FileJudgement[]): UsageError {
    const texts = new Set(files.flatMap(({ differences }) => differences));
    const firstName = files[0]?.name ?? '';
    const which =
      files.length === 1 ? firstName : `${files.length} files, the first is ${firstName},`;
    const verb = files.length === 1 ? 'answers' : 'answer';

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
