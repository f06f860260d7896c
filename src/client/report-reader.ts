import type { Client } from '../api/client.ts';
import { breakdownOfField, fieldOfColumn, metricOfField } from '../contract/columns.ts';
import type { AnyRow } from '../contract/row-types.ts';
import {
  AdreportError,
  type CheckMessage,
  ErrorInContext,
  isReportFailure,
  isTruncated,
  RefusedReportError,
  UsageError,
  warningsMessage,
} from '../errors.ts';
import { bodyOf } from '../query/body.ts';
import { columnsOfQuery } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import { type Row, type RowBatch, rowsOf } from '../rows/row-batch.ts';
import { type OpenReport, openReport, type Transfer } from './open.ts';
import type { FetchedReport, FetchOptions, ReportProgress } from './public-types.ts';
import type { ReadSettings } from './read-options.ts';
import { type RequestedReport, requestReport } from './send-request.ts';
import { type ReadyReport, waitUntilReady } from './wait.ts';

export interface ReaderSetup {
  readonly client: Client;
  readonly settings: ReadSettings;
  readonly options: FetchOptions;

  /** Absent if the request is not known. */
  readonly part?: Part | undefined;

  /** Set if the report was requested before. */
  readonly requested?: RequestedReport;
}

const defaultWaitTimeoutMs = 30 * 60_000;

/** A report as programs read it: rows as objects, or the document as it came. */
export class ReportReader implements FetchedReport<AnyRow> {
  readonly #setup: ReaderSetup;
  readonly #startedMs: number;

  /** Tries to download the report; refused calls and cut bodies both count. */
  readonly #tries = { tries: 0 };
  #report: RequestedReport | undefined;
  #endMs = 0;
  #open: OpenReport | undefined;
  #isRead = false;

  constructor(setup: ReaderSetup) {
    this.#setup = setup;
    this.#report = setup.requested;
    this.#startedMs = setup.client.host.stopwatch();
  }

  get id(): string | undefined {
    return this.#report?.id;
  }

  get warnings(): readonly CheckMessage[] {
    return this.#open?.result.warnings ?? [];
  }

  get notes(): readonly CheckMessage[] {
    return this.#open?.result.notes ?? [];
  }

  /** Requests the report, waits for it, and begins its download; once more if it fails. */
  async open(): Promise<void> {
    const { requested, settings } = this.#setup;
    let mayRequestAgain = !requested && settings.retries > 0;
    for (;;) {
      try {
        this.#open = await this.#begin();
        return;
      } catch (error) {
        if (!mayRequestAgain || !isReportFailure(error)) throw this.#named(error);
        mayRequestAgain = false;
        this.#report = undefined;
      }
    }
  }

  async #begin(): Promise<OpenReport> {
    const { client, part, options } = this.#setup;
    if (!this.#report) {
      if (!part) throw new TypeError('A report without an id has a request.');
      this.#progress('request', '');
      this.#report = await requestReport(client, bodyOf(part));
    }
    const { waitTimeoutMs = defaultWaitTimeoutMs } = options;
    this.#endMs = client.host.stopwatch() + waitTimeoutMs;

    const ready = await waitUntilReady(client, this.#report, {
      endMs: this.#endMs,
      onPoll: ({ status }) => this.#progress('wait', status),
    });
    return this.#download(ready);
  }

  #download(report: ReadyReport): Promise<OpenReport> {
    const { client, part } = this.#setup;
    this.#report = report;
    return openReport(client, report, {
      part,
      endMs: this.#endMs,
      tries: this.#tries,
      onTransfer: (transfer) => this.#progress('download', report.status, transfer),
    });
  }

  async *rows(): AsyncGenerator<AnyRow, void, undefined> {
    const begun = this.#beginReading();
    let hasBegun = false;
    for (let open = begun; ; ) {
      try {
        for await (const batch of open.batches()) {
          const toRow = this.#rowBuilder(batch);
          for (const row of rowsOf(batch)) {
            hasBegun = true;
            yield toRow(row);
          }
        }
        this.#expectNoWarnings();
        return;
      } catch (error) {
        if (hasBegun) throw this.#named(error);
        open = await this.#openAgain(error);
      }
    }
  }

  async bytes(): Promise<Uint8Array> {
    const begun = this.#beginReading();
    for (let open = begun; ; ) {
      const pieces: Buffer[] = [];
      try {
        for await (const _batch of open.batches(collect(open.bytes(), pieces)));
        this.#expectNoWarnings();
        return new Uint8Array(Buffer.concat(pieces));
      } catch (error) {
        open = await this.#openAgain(error);
      }
    }
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  #beginReading(): OpenReport {
    if (this.#isRead || !this.#open) {
      throw new UsageError('This report has been read; it can be read once.', {
        reportId: this.id,
        hint: 'Keep the rows, or begin again with client.openReport(id).',
      });
    }
    this.#isRead = true;
    return this.#open;
  }

  /** Begins the download again after a cut. Otherwise throws the error. */
  async #openAgain(error: unknown): Promise<OpenReport> {
    const report = this.#report;
    try {
      if (!isTruncated(error) || report?.id === undefined) throw error;
      await this.#setup.client.pauseAfterCut(error, this.#tries);
      this.#open = await this.#download({ message: '', ...report });
      return this.#open;
    } catch (final) {
      throw this.#named(final);
    }
  }

  #expectNoWarnings(): void {
    if (!this.#setup.options.strict || this.warnings.length === 0) return;
    const hint = 'Without strict it is a warning.';
    throw new RefusedReportError(warningsMessage(this.warnings), { hint });
  }

  #progress(step: ReportProgress['step'], status: string, transfer?: Transfer): void {
    const { client, options } = this.#setup;
    const elapsedMs = client.host.stopwatch() - this.#startedMs;
    const { bytes: receivedBytes = 0, rows = 0 } = transfer ?? {};
    options.onProgress?.({ step, status, elapsedMs, receivedBytes, rows });
  }

  /** Adds the report id to an error. */
  #named(error: unknown): unknown {
    const { id } = this;
    if (!(error instanceof AdreportError) || id === undefined || error.reportId === id) {
      return error;
    }
    return new ErrorInContext(error, { reportId: id });
  }

  /**
   * Returns a function that gives metrics the types of their profile, also if the service sent a
   * CSV, and leaves out breakdowns that were not requested.
   */
  #rowBuilder({ fields }: RowBatch): (row: Row) => AnyRow {
    const { part, settings } = this.#setup;
    const requested = part && columnsOfQuery(part.query);
    const own = new Set(requested?.map((column) => fieldOfColumn(column, fields)));
    const numbers = new Set<string>();
    const others = new Set<string>();
    for (const field of fields) {
      const metric = metricOfField(field);
      if (metric && (metric.type === 'integer' || settings.profile === 'buyer')) numbers.add(field);
      if (requested && breakdownOfField(field) && !own.has(field)) others.add(field);
    }

    return (row) => {
      const values: Record<string, unknown> = {};
      for (const [field, value] of Object.entries(row)) {
        const known = value === '' ? null : value;
        if (known === null && others.has(field)) continue;
        values[field] = numbers.has(field) ? numberIn(value) : known;
      }
      return values as AnyRow;
    };
  }
}

async function* collect(body: AsyncIterable<Buffer>, pieces: Buffer[]): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    pieces.push(piece);
    yield piece;
  }
}

/** Returns `null` for a value without a number. */
function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && /^\s*[-+]?\d/.test(value);
  const number = isNumber ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}
