import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError } from '../errors.ts';
import { describeWindow, type Window } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import {
  appendLine,
  type BookedFile,
  type Books,
  nameInFolder,
  newestOf,
  whyNotAppended,
} from './book.ts';
import type { FileLine, OrderLine } from './forms.ts';
import { type Changes, changesBetween, fallsIn, type Totals } from './line.ts';
import { createdAt, isAlike, unitOfLine } from './series.ts';
import { lookAt, type Standing } from './standing.ts';

/** A file whose bytes are whole, and not in their place yet. */
export interface WholeReport {
  /** Its path from the folder of the books, with slashes. */
  readonly name: string;
  readonly window: Window;
  readonly rowCount: number;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly totals: Totals;
  readonly reportId: string | null;

  /** When the report was created, in milliseconds since 1970. */
  readonly createdMs: number;
  readonly findings: readonly string[];
}

/** What the books say to a file that is whole. */
export interface Booking {
  /** The old file stays, because the report has no rows. */
  readonly kept?: FileLine | undefined;

  /** Whether the old file stays. */
  readonly isKept: boolean;

  /** The totals that are not what they were when the file was fetched before. */
  readonly changes?: Changes | undefined;
  readonly notes: readonly string[];
}

/** The books of a folder, and the order that files are fetched by. */
interface KeptFolder {
  readonly books: Books;
  readonly order: OrderLine;

  /** The name of the book that lines go to, by the name of their file. */
  readonly bookOf: (name: string) => string;

  /**
   * The book that the order goes to where it is new; absent where it is one of the books already.
   */
  readonly orderBook?: string;
  readonly wallClock: () => number;
  readonly signal: AbortSignal;
}

const findingsAtMost = 3;
const lettersAtMost = 2_000;

/**
 * Keeps the books of the files of one order: the order before the first file that may be written,
 * and each file once its bytes are whole and before they are in their place.
 */
export class Bookkeeper {
  readonly #folder: KeptFolder;
  #starting: Promise<void> | undefined;

  constructor(folder: KeptFolder) {
    this.#folder = folder;
  }

  /**
   * Writes the order where it is new; called before a report is asked for. Throws `OutputError`.
   */
  start(): Promise<void> {
    this.#starting ??= this.#writeOrder();
    return this.#starting;
  }

  async #writeOrder(): Promise<void> {
    const { books, order, orderBook } = this.#folder;
    if (orderBook === undefined) return;
    const last = books.lastOrders.get(orderBook)?.get(order.output);
    if (last?.order !== order.order) await this.#append(orderBook, order);
  }

  /** As `nameInFolder`. */
  nameOf(path: string): string {
    return nameInFolder(this.#folder.books.folder, path);
  }

  /**
   * Notes a file that is whole.
   *
   * @throws OutputError where the books cannot be written to: then the file does not go into its
   * place
   */
  async book(report: WholeReport): Promise<Booking> {
    const { books, signal } = this.#folder;
    const { name } = report;
    const before = newestOf(books, name);
    const standing = await lookAt(join(books.folder, name), { signal });
    if (this.#keepsOld(report, standing, before)) return this.#keep(report, standing);

    await this.#append(this.#folder.bookOf(name), this.#lineOf(report));
    const old = before && this.#comparable(before);
    if (!old) return { isKept: false, notes: [] };

    const falls = fallsIn(old.totals, report.totals);
    const day = describeWindow(report.window).since.slice(0, 10);
    const notes = falls.map((metric) => `${day}: ${metric} has fallen by half or more.`);
    return { isKept: false, changes: changesBetween(old.totals, report.totals), notes };
  }

  /**
   * A file with rows is never replaced by a report without rows, unless it answers another request.
   */
  #keepsOld(
    { rowCount, sha256 }: WholeReport,
    standing: Standing,
    before: BookedFile | undefined,
  ): boolean {
    if (rowCount > 0 || standing.kind !== 'file' || standing.bytes === 0) return false;
    if (standing.sha256 === sha256) return false;
    if (!before) return true;

    const own = this.#folder.books.orders.get(before.line.order);
    const isOfOther = own !== undefined && own.content !== this.#folder.order.content;
    return before.line.rows > 0 && !isOfOther;
  }

  async #keep(report: WholeReport, standing: Standing): Promise<Booking> {
    const { name } = report;
    const lines = this.#folder.books.files.get(name) ?? [];
    const sha256 = standing.kind === 'file' ? standing.sha256 : '';
    const ofBytes = lines.findLast(({ line }) => line.sha256 === sha256) ?? lines.at(-1);
    const note = `${printable(name)} stays as it is, because the report has no rows`;
    // Nobody knows what a file without a line holds.
    if (!ofBytes) return { isKept: true, notes: [`${note}.`] };

    const { rows, bytes, sha256: bookedHash, totals, warnings } = ofBytes.line;
    const kept: FileLine = {
      ...this.#lineOf(report),
      rows,
      bytes,
      sha256: bookedHash,
      totals,
      warnings,
      kept: true,
    };
    await this.#append(this.#folder.bookOf(name), kept);
    return { kept, isKept: true, notes: [`${note}: it has ${formatPlural(rows, 'row')}.`] };
  }

  /**
   * The line that a report is compared with: of the same request, and not of the beginning of its
   * unit.
   */
  #comparable({ line }: BookedFile): FileLine | undefined {
    const own = this.#folder.books.orders.get(line.order);
    if (!own || !isAlike(own, this.#folder.order)) return undefined;

    const unit = unitOfLine(line, own);
    const isEarly = unit !== undefined && createdAt(line) < unit.over;
    return isEarly ? undefined : line;
  }

  #lineOf(report: WholeReport): FileLine {
    const { name, window, rowCount, sizeBytes, sha256, totals, reportId, createdMs } = report;
    const { since, until } = describeWindow(window);
    const findings = report.findings.slice(0, findingsAtMost);
    return {
      order: this.#folder.order.order,
      file: name,
      since,
      until,
      created: new Date(createdMs).toISOString(),
      fetched: new Date(this.#folder.wallClock()).toISOString(),
      report: reportId === null ? null : reportId.slice(0, lettersAtMost),
      rows: rowCount,
      bytes: sizeBytes,
      sha256,
      totals,
      warnings: findings.map((finding) => finding.slice(0, lettersAtMost)),
    };
  }

  async #append(book: string, line: OrderLine | FileLine): Promise<void> {
    const { folder } = this.#folder.books;
    const path = join(folder, book);
    try {
      await fs.mkdir(folder, { recursive: true });
      await appendLine(path, line);
    } catch (error) {
      const why = whyNotAppended(error);
      const what =
        'file' in line ? `${line.file} does not go into its place` : 'nothing was fetched';
      throw new OutputError(
        `The book ${printable(path)} could not be written to (${why}): ${what}.`,
        {
          hint: 'Check the permissions of the folder and the space on its disk, or leave the books out with --no-books.',
          cause: error,
        },
      );
    }
  }
}
