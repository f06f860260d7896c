import type { Client, ReportResponse } from '../api/client.ts';
import { type TryCount, withUnknownOutcome } from '../api/exchange.ts';
import { ReportCheck } from '../checks/report-check.ts';
import { AdreportError, type CheckResult } from '../errors.ts';
import type { Expectation } from '../query/expectation.ts';
import { readRows } from '../rows/read-rows.ts';
import { type ReportTail, type Row, type RowBatches, rowsOf } from '../rows/row-batch.ts';
import type { ReadyReport } from './wait.ts';

/** Data received so far. */
export interface Transfer {
  readonly bytes: number;
  readonly rows: number;

  /** Length of the whole report; `undefined` if it is not known. */
  readonly sizeBytes: number | undefined;

  /** True once the reading has ended. */
  readonly isOver: boolean;
}

interface OpenOptions {
  /** `undefined` if the request is not known. */
  readonly expectation: Expectation | undefined;

  /** Tries to download the report so far. */
  readonly tries?: TryCount | undefined;

  /** Ends the transfer. */
  readonly signal?: AbortSignal | undefined;

  /** Called as data arrives. */
  readonly onTransfer?: ((transfer: Transfer) => void) | undefined;
}

/**
 * Begins the download of a report. Throws `StillInProgressError` if it cannot be downloaded yet,
 * and as the client's `download`.
 */
export async function openReport(
  client: Client,
  ready: ReadyReport,
  options: OpenOptions,
): Promise<OpenReport> {
  const answer = ready.answer ?? (await client.download(ready.id ?? '', options.tries));
  return new OpenReport(client, { ready, answer, ...options });
}

export interface ReadReport {
  readonly rows: readonly Row[];
  readonly tail: ReportTail;
}

interface OpenSetup extends OpenOptions {
  readonly ready: ReadyReport;
  readonly answer: ReportResponse;
}

const noMessages: CheckResult = { warnings: [], notes: [] };

/** A report whose data is arriving. It can be read once: as rows, or as bytes. */
export class OpenReport {
  /** Absent if the service answered with the data itself. */
  readonly id: string | undefined;

  /** Milliseconds since 1970. */
  readonly createdMs: number;
  readonly contentType: string | undefined;
  readonly #setup: OpenSetup;
  readonly #check: ReportCheck;
  #result = noMessages;
  #bytes = 0;
  #rows = 0;

  constructor({ host }: Pick<Client, 'host'>, setup: OpenSetup) {
    const { ready, answer, expectation } = setup;
    this.id = ready.id;
    this.createdMs = ready.createdMs;
    this.contentType = answer.contentType;
    this.#setup = setup;
    const nowMs = host.wallClock();
    this.#check = new ReportCheck({ expectation, answer, origin: ready, nowMs });
  }

  /** Warnings and notes; complete once all rows were read. */
  get result(): CheckResult {
    return this.#result;
  }

  /** Yields the document as it comes. */
  async *bytes(): AsyncGenerator<Buffer> {
    for await (const piece of this.#setup.answer.body) {
      this.#setup.signal?.throwIfAborted();
      this.#bytes += piece.length;
      this.#reportTransfer();
      yield piece;
    }
  }

  /**
   * Yields the rows, checked against the request as they are read. A batch is valid until the next
   * one. Throws `IncompleteDataError` for data that is cut or not a report.
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
      this.#result = this.#check.close(next.value);
      return next.value;
    } catch (error) {
      throw this.#readingError(error);
    } finally {
      this.#reportTransfer(true);
      await batches.return?.();
    }
  }

  /** Reads all rows as objects, and what follows them. Meant for small reports. */
  async readAll(): Promise<ReadReport> {
    const rows: Row[] = [];
    const batches = this.batches();
    let next = await batches.next();
    for (; !next.done; next = await batches.next()) rows.push(...rowsOf(next.value));
    return { rows, tail: next.value };
  }

  /** Ends the transfer. Only needed if nothing was read. */
  close(): void {
    this.#setup.answer.close();
  }

  #reportTransfer(isOver = false): void {
    const { answer, onTransfer } = this.#setup;
    const { sizeBytes } = answer;
    onTransfer?.({ bytes: this.#bytes, rows: this.#rows, sizeBytes, isOver });
  }

  #readingError(error: unknown): unknown {
    if (!(error instanceof AdreportError)) return error;
    // A create call that answered with data may have made a report too.
    if (this.#setup.ready.answer) return error.concernsReport ? withUnknownOutcome(error) : error;

    // The body arrived complete, so the service would send the same again.
    if (error.code === 'MALFORMED') return error.amend('', { retryable: false });
    return error.retryable ? error.amend('', { isCut: true }) : error;
  }
}
