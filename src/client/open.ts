import type { Client, RequestedReport } from '../api/client.ts';
import type { ReportResponse } from '../api/read-responses.ts';
import { ReportCheck } from '../checks/report-check.ts';
import {
  AdreportError,
  type CheckMessage,
  type CheckResult,
  ErrorInContext,
  isInterruption,
  isTruncated,
  UncertainCreateError,
} from '../errors.ts';
import type { Part } from '../query/query.ts';
import { readRows } from '../rows/read-rows.ts';
import {
  emptyTail,
  type ReportTail,
  type Row,
  type RowBatches,
  toRows,
} from '../rows/row-batch.ts';

/** Progress of a download. */
export interface Transfer {
  readonly bytes: number;
  readonly rows: number;

  /** Length of the whole report, or `undefined` if unknown. */
  readonly sizeBytes: number | undefined;

  /** Whether the download has ended. */
  readonly isOver: boolean;
}

export interface ReportInMemory {
  readonly rows: readonly Row[];
  readonly tail: ReportTail;
}

interface OpenSetup {
  readonly report: RequestedReport;
  readonly response: ReportResponse;

  /** The requested part, if the request is known. */
  readonly part: Part | undefined;

  /** Aborts the download. */
  readonly signal?: AbortSignal | undefined;

  /** Called as data arrives. */
  readonly onTransfer?: ((transfer: Transfer) => void) | undefined;
}

const noMessages: CheckResult = { warnings: [], notes: [] };

/** A report that is being downloaded. It can be read once, either as rows or as bytes. */
export class OpenReport {
  /** Not set if the service sent the data in response to the create call. */
  readonly id: string | undefined;

  /** Request time by the service's clock, in milliseconds since 1970. */
  readonly createdMs: number;
  readonly contentType: string | undefined;

  /** Number of attempts to download the report, including this one. */
  readonly tries: number;

  /** Members after the last row. Complete once all rows have been read. */
  tail: ReportTail = emptyTail;
  readonly #client: Client;
  readonly #setup: OpenSetup;
  readonly #check: ReportCheck;
  #result = noMessages;
  #bytes = 0;
  #rows = 0;

  constructor(client: Client, setup: OpenSetup) {
    const { report, response, part } = setup;
    this.id = report.id;
    this.createdMs = report.createdMs;
    this.contentType = response.contentType;
    this.tries = response.tries;
    this.#client = client;
    this.#setup = setup;
    const nowMs = client.host.wallClock();
    this.#check = new ReportCheck({ part, isPartial: response.isPart, nowMs });
  }

  /** Warnings and notes; complete once all rows have been read. */
  get result(): CheckResult {
    return this.#result;
  }

  /** Yields the document as it arrives. */
  async *bytes(): AsyncGenerator<Buffer> {
    for await (const piece of this.#setup.response.body) {
      this.#setup.signal?.throwIfAborted();
      this.#bytes += piece.length;
      this.#reportTransfer();
      yield piece;
    }
  }

  /**
   * Yields the rows and checks them against the request as they are read. A batch is valid only
   * until the next batch. Throws `IncompleteDataError` if the data is not a report, or if it is
   * truncated (then `retryable` is set).
   */
  async *batches(bytes: AsyncIterable<Buffer> = this.bytes()): RowBatches {
    const batches = readRows(bytes, { contentType: this.contentType });
    try {
      let next = await batches.next();
      for (; !next.done; next = await batches.next()) {
        this.#check.observe(next.value);
        this.#rows = next.value.firstRow + next.value.rowCount;
        yield next.value;
      }
      this.tail = next.value;
      const { warnings, notes } = this.#check.close(this.tail);
      this.#result = { warnings: warnings.map(this.#redacted), notes: notes.map(this.#redacted) };
      return this.tail;
    } catch (error) {
      throw this.#complete(error);
    } finally {
      this.#reportTransfer(true);
      await batches.return?.();
    }
  }

  /** Reads all rows of a small report as objects. */
  async readAll(): Promise<ReportInMemory> {
    const rows: Row[] = [];
    const batches = this.batches();
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) rows.push(...toRows(next.value));
    return { rows, tail: next.value };
  }

  /**
   * Ends the transfer after an error. If the download was cut off, waits before the next attempt.
   * Throws the error if no attempts are left.
   */
  async pauseAfter(error: unknown): Promise<void> {
    const { response, signal } = this.#setup;
    response.close();
    const mayContinue = this.id !== undefined && !signal?.aborted;
    if (!isTruncated(error) || !mayContinue) throw error;
    await this.#client.pause(error, this.tries);
  }

  /** Adds the report ID to an error, or a hint that a report may exist if there is no ID. */
  #complete(error: unknown): unknown {
    if (!(error instanceof AdreportError) || isInterruption(error)) return error;
    // The create call returned the data itself. The service may also have stored a report.
    if (this.id === undefined) {
      return new UncertainCreateError(error, 'Requesting it again creates a second report.');
    }
    return new ErrorInContext(error, { reportId: this.id });
  }

  readonly #redacted = (found: CheckMessage): CheckMessage => {
    const { redact } = this.#client;
    const { message, forReaders } = found;
    return {
      ...found,
      message: redact(message),
      ...(forReaders && { forReaders: redact(forReaders) }),
    };
  };

  #reportTransfer(isOver = false): void {
    const { response, onTransfer } = this.#setup;
    const { sizeBytes } = response;
    onTransfer?.({ bytes: this.#bytes, rows: this.#rows, sizeBytes, isOver });
  }
}
