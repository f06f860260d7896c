import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Books, nameInFolder, nameOfBook, newestOf, readBooks } from '../archive/book.ts';
import {
  contentsOfSeries,
  type DueFile,
  earlierUnits,
  type ForeignFile,
  foreignFiles,
  type PartToFetch,
  type RunInFolder,
  reasonToFetch,
  type SeriesContents,
} from '../archive/due.ts';
import type { OrderLine } from '../archive/forms.ts';
import { Bookkeeper } from '../archive/keeper.ts';
import { orderLine } from '../archive/line.ts';
import { lookAtAll } from '../archive/standing.ts';
import { type Context, version } from '../context.ts';
import { codeOf, OutputError, UsageError } from '../errors.ts';
import { expandName, hasTimePlaceholder, type NameValues } from '../output/file/file-name.ts';
import { type Job, outputOf } from '../plan/plan.ts';
import { type Part, partOfUnit, takeShard } from '../report/parts.ts';
import type { Question } from '../report/question.ts';
import type { ReportSpec } from '../report/spec.ts';
import { printable } from '../text/printable.ts';
import { formatCount, formatPlural } from '../text/quantity.ts';

type Streams = Pick<Context, 'console' | 'host' | 'flags'>;

/**
 * The jobs with the books that they keep, and with `--missing` only the parts that still have to be
 * fetched, each with the reason. A job whose files answer another request has a refusal.
 *
 * @throws OutputError where a folder of books cannot be listed
 */
export async function chooseParts(context: Streams, jobs: readonly Job[]): Promise<Job[]> {
  const shelf = new Shelf(context);
  const chosen: Job[] = [];
  for (const job of jobs) chosen.push(await choosePartsOfJob(context, job, shelf));
  return chosen;
}

async function choosePartsOfJob(context: Streams, planned: Job, shelf: Shelf): Promise<Job> {
  const job = planned;
  const question = questionOf(job.spec);
  const place = placeOfBooks(context, job);
  if (!place) return job.options.missing ? withAbsentParts(context, job) : job;

  const books = await shelf.open(place.folder);
  const { host } = context;
  const { shard, split = null } = job.options;
  const { period, since, until, lookback = 0 } = job.spec;
  const terms = { output: place.output, split, period, since, until, lookback };
  const order = orderLine(question, terms, { atMs: host.wallClock(), version });
  const { wallClock, signal } = host;
  const orderBook = nameOfBook(shard);
  const bookOf = () => orderBook;
  const keeper = new Bookkeeper({ books, order, bookOf, orderBook, wallClock, signal });
  return new DueParts(context, { ...job, keeper }, { books, order }).choose();
}

/** With `--missing`, where nobody keeps books, what is there is taken for whole. */
async function withAbsentParts({ console, host }: Streams, job: Job): Promise<Job> {
  console.note('Without books --missing knows only whether a file is there.');
  const parts: Part[] = [];
  for (const part of job.parts) {
    const path = resolve(host.cwd, outputOf(job, part).file ?? '');
    const stats = await fs.stat(path).catch(() => undefined);
    const isThere = stats?.isFile() && stats.size > 0;
    if (!isThere) parts.push({ ...part, reason: 'there is no file' });
  }
  return { ...job, parts };
}

/** Where the books of a job stand, and the names of its files from there. */
interface BooksPlace {
  readonly folder: string;

  /** With the placeholders of time left. */
  readonly output: string;
}

/**
 * The folder before the first placeholder of time in `-o`; nothing where the name tells no time,
 * where `--no-books` leaves the books out, and where the id of a report makes each name another
 * one.
 */
function placeOfBooks({ host }: Streams, job: Job): BooksPlace | undefined {
  const { output = '-', books } = job.options;
  if (!books || !hasTimePlaceholder(output) || output.includes('{id}')) return undefined;

  const values = outputOf(job).names;
  const beginning = output.slice(0, output.search(/\{(?:date|since|until)\}/));
  const folder = resolve(host.cwd, dirname(`${expandName(beginning, values)}x`));
  const whole = expandBesideTime(output, values);
  return { folder, output: nameInFolder(folder, resolve(host.cwd, whole)) };
}

/** The name with all placeholders but those of time replaced. */
function expandBesideTime(template: string, values: NameValues): string {
  const pieces = template.split(/(\{(?:date|since|until)\})/);
  return pieces
    .map((piece, index) => (index % 2 === 1 ? piece : expandName(piece, values)))
    .join('');
}

/**
 * The books of the folders of a run: those of a folder are read once, and what is wrong with them
 * is said once.
 */
class Shelf {
  readonly #context: Streams;
  readonly #books = new Map<string, Books>();

  constructor(context: Streams) {
    this.#context = context;
  }

  /** The books of a folder. Throws `OutputError` where it cannot be listed. */
  async open(folder: string): Promise<Books> {
    const open = this.#books.get(folder);
    if (open) return open;

    const books = await this.#read(folder);
    this.#books.set(folder, books);
    for (const { name, unreadable } of books.facts) {
      if (unreadable === undefined) continue;
      this.#context.console.warn(`The book ${printable(name)} cannot be read: ${unreadable}.`);
    }
    return books;
  }

  async #read(folder: string): Promise<Books> {
    const { signal } = this.#context.host;
    try {
      return await readBooks(folder, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new OutputError(`${printable(folder)} cannot be listed (${codeOf(error)}).`, {
        hint: 'Check the permissions of the folder, or leave the books out with --no-books.',
        cause: error,
      });
    }
  }
}

/** Chooses the parts of a job that keeps books. */
class DueParts {
  readonly #context: Streams;
  readonly #job: Job;
  readonly #run: RunInFolder;

  constructor(
    context: Streams,
    job: Job,
    { books, order }: { readonly books: Books; readonly order: OrderLine },
  ) {
    const now = Math.floor(context.host.wallClock() / 1_000);
    this.#context = context;
    this.#job = job;
    this.#run = { books, order, now };
  }

  async choose(): Promise<Job> {
    const { missing, refetch, shard } = this.#job.options;
    const files = await this.#lookAtFiles();
    const foreign = foreignFiles(this.#run, files);
    this.#noteRenamed(files);
    if (!missing) return this.#withoutForeign(this.#job.parts, refetch ? [] : foreign);

    const due: PartToFetch[] = [];
    for (const file of files) {
      const isForeign = foreign.some(({ part }) => part === file.part);
      const reason = isForeign
        ? 'its file answers another request'
        : reasonToFetch(this.#run, file);
      if (reason !== undefined) due.push({ part: file.part, reason });
    }
    const ownParts = new Set(this.#job.parts);
    const parts: Part[] = [];
    for (const { part, reason } of due) {
      if (ownParts.has(part)) parts.push({ ...part, reason });
    }
    const earlier = this.#earlierParts();
    const ownEarlier = shard === undefined ? earlier : takeShard(earlier, shard);
    const toFetch = [...ownEarlier, ...parts];
    const job = await this.#withoutForeign(toFetch, refetch ? [] : foreign);
    const isRefused = job.refusal !== undefined && job.parts.length === 0;
    if (!isRefused) this.#sayHowMany(files.length, due.length, job.parts.length);
    return job;
  }

  /** What stands at the places of the parts that have begun. */
  async #lookAtFiles(): Promise<DueFile[]> {
    const { host } = this.#context;
    const { signal } = host;
    const { folder } = this.#run.books;
    const parts = new Map<string, Part>();
    for (const part of this.#job.allParts) {
      if (part.window.since > this.#run.now) continue;
      parts.set(resolve(host.cwd, outputOf(this.#job, part).file ?? ''), part);
    }

    const standings = await lookAtAll([...parts.keys()], { signal });
    const files: DueFile[] = [];
    for (const [path, part] of parts) {
      const name = nameInFolder(folder, path);
      files.push({ name, part, standing: standings.get(path) ?? { kind: 'nothing' } });
    }
    return files;
  }

  /** The parts before the window whose files are not final. */
  #earlierParts(): Part[] {
    const { plan, options, allParts } = this.#job;
    const begin = allParts[0]?.window.since ?? plan.window.since;
    const parts: Part[] = [];
    for (const { unit, reason } of earlierUnits(this.#run, begin)) {
      const time = { since: unit.start, until: unit.over - 1, now: this.#run.now };
      const part = partOfUnit(plan, options.split, time);
      if (part) parts.push({ ...part, reason });
    }
    return parts;
  }

  /** Says once that files were fetched by an account of another name, or from another service. */
  #noteRenamed(files: readonly DueFile[]): void {
    const { books, order } = this.#run;
    const counts = new Map<string, number>();
    const count = (text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1);

    for (const { name } of files) {
      const line = newestOf(books, name)?.line;
      const own = line && books.orders.get(line.order);
      if (!own) continue;
      if (own.account !== order.account) count(`with the account ${own.account ?? 'of a token'}`);
      if (own.service !== order.service) count(`from the service ${own.service}`);
    }
    for (const [text, fileCount] of counts) {
      const verb = fileCount === 1 ? 'was' : 'were';
      const sentence = `${formatPlural(fileCount, 'file')} ${verb} fetched ${text}.`;
      this.#context.console.note(printable(sentence));
    }
  }

  #sayHowMany(all: number, due: number, toFetch: number): void {
    if (due === 0) return;
    const unit = this.#job.options.split ?? 'file';
    const there = `${formatCount(all - due)} of ${formatPlural(all, unit)}`;
    const verb = all === 1 ? 'is' : 'are';
    this.#context.console.note(`${there} ${verb} there; fetching ${formatCount(toFetch)}.`);
  }

  /**
   * The job with its parts but those whose files answer another request, for which it has a
   * refusal. Where most files do, it has no parts at all: then it is rather this request that is
   * wrong.
   */
  async #withoutForeign(parts: readonly Part[], foreign: readonly ForeignFile[]): Promise<Job> {
    const job = { ...this.#job, parts };
    if (foreign.length === 0) return job;

    const { signal } = this.#context.host;
    const contents = await contentsOfSeries(this.#run, { signal });
    const refusal = this.#refusalOf(foreign, contents);
    if (contents.own <= contents.other) return { ...job, parts: [], refusal };

    const foreignStarts = new Set(foreign.map(({ part }) => part.window.since));
    const others = parts.filter(({ window }) => !foreignStarts.has(window.since));
    return { ...job, parts: others, refusal };
  }

  #refusalOf(foreign: readonly ForeignFile[], { other }: SeriesContents): UsageError {
    const [first] = foreign;
    const differences = new Set(foreign.flatMap((file) => file.differences));
    const which =
      foreign.length === 1
        ? `${first?.name} answers`
        : `${foreign.length} files, the first is ${first?.name}, answer`;
    const outside = other - foreign.length;
    const more =
      outside > 0
        ? ` ${formatPlural(outside, 'file')} of it, outside the window or of other names, would stay.`
        : '';

    return new UsageError(
      `${printable(which)} another request than this one: ${printable([...differences].join('; '))}.`,
      {
        code: 'OTHER_REQUEST',
        hint: `Write to another -o, or fetch those files again with --refetch.${more}`,
      },
    );
  }
}

/** A spec in the form that the books keep it in. */
function questionOf({ request, format, timezone, ...spec }: ReportSpec): Question {
  const { filters = {}, columns = null, ...others } = request;
  return {
    request: { ...others, filters, columns },
    format,
    timezone,
    account: spec.account ?? null,
    service: spec.service ?? '',
    windowClock: spec.windowClock ?? 'instant',
  };
}
