import type { Client, RequestedReport } from '../api/client.ts';
import { breakdownOfField, fieldOfColumn, metricOfField } from '../contract/columns.ts';
import type { AnyRow } from '../contract/row-types.ts';
import {
  type CheckMessage,
  isReportFailure,
  joinWarnings,
  RefusedReportError,
  UsageError,
} from '../errors.ts';
import { buildBody, encodeBody } from '../query/body.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import { type Row, toRows, type Value } from '../rows/row-batch.ts';
import { parseNumber } from '../totals/numbers.ts';
import { OpenReport, type Transfer } from './open.ts';
import type { FetchedReport, FetchOptions, ReportProgress } from './public-types.ts';
import type { CheckedSettings } from './read-options.ts';
import { waitForDownload, waitUntilReady } from './wait.ts';

interface ReaderSetup {
  readonly client: Client;
  readonly settings: CheckedSettings;
  readonly options: FetchOptions;

  /** The requested part, if the request is known. */
  readonly part: Part | undefined;
}

const defaultWaitTimeoutMs = 30 * 60_000;

/** Reads a report as row objects, or as the document that was received. */
export class ReportReader implements FetchedReport<AnyRow> {
  readonly #setup: ReaderSetup;
  readonly #startedMs: number;
  #report: RequestedReport | undefined;
  #endMs = 0;
  #open: OpenReport | undefined;
  #isRead = false;

  constructor(setup: ReaderSetup) {
    this.#setup = setup;
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

  /** Requests and opens a report. A failed report is requested once more. */
  async request(part: Part): Promise<void> {
    const { client, settings } = this.#setup;
    const isFirst = this.#report === undefined;
    this.#progress('request', '');
    const report = await client.createReport(encodeBody(buildBody(part), client.encoding));
    try {
      await this.open(report);
    } catch (error) {
      if (!isFirst || settings.retries === 0 || !isReportFailure(error)) throw error;
      await this.request(part);
    }
  }

  /** Waits for a report, then starts the download. */
  async open(report: RequestedReport): Promise<void> {
    const { client, options } = this.#setup;
    const { waitTimeoutMs = defaultWaitTimeoutMs } = options;
    this.#report = report;
    this.#endMs = client.host.stopwatch() + waitTimeoutMs;
    const ready = await waitUntilReady(client, report, {
      endMs: this.#endMs,
      onPoll: ({ status }) => this.#progress('wait', status),
    });
    this.#report = ready;
    this.#open = await this.#download(ready);
  }

  async #download(report: RequestedReport, triesBefore?: number): Promise<OpenReport> {
    const { client, part } = this.#setup;
    const limits = { endMs: this.#endMs, triesBefore };
    return new OpenReport(client, {
      report,
      response: await waitForDownload(client, report, limits),
      part,
      onTransfer: (transfer) => this.#progress('download', report.status, transfer),
    });
  }

  rows(): AsyncGenerator<AnyRow, void, undefined> {
    return this.#read((open) => this.#convertRows(open));
  }

  async bytes(): Promise<Uint8Array> {
    let whole: Uint8Array = new Uint8Array();
    for await (const bytes of this.#read(readBytes)) whole = bytes;
    return whole;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /**
   * Yields what `read` yields. If the download is cut off before the first value, reading starts
   * over.
   */
  async *#read<Item>(
    read: (open: OpenReport) => AsyncIterable<Item>,
  ): AsyncGenerator<Item, void, undefined> {
    if (this.#isRead || !this.#open || !this.#report) {
      throw new UsageError('This report has been read already; it can be read only once.', {
        reportId: this.id,
        hint: 'Keep the rows, or begin again with client.openReport(id).',
      });
    }
    this.#isRead = true;

    let hasBegun = false;
    for (;;) {
      try {
        for await (const item of read(this.#open)) {
          hasBegun = true;
          yield item;
        }
        this.#requireNoWarnings();
        return;
      } catch (error) {
        if (hasBegun) throw error;
        await this.#open.pauseAfter(error);
        this.#open = await this.#download(this.#report, this.#open.tries);
      }
    }
  }

  #requireNoWarnings(): void {
    if (!this.#setup.options.strict || this.warnings.length === 0) return;
    const hint = 'Without strict it is a warning.';
    throw new RefusedReportError(joinWarnings(this.warnings), { reportId: this.id, hint });
  }

  #progress(step: ReportProgress['step'], status: string, transfer?: Transfer): void {
    const { client, options } = this.#setup;
    const elapsedMs = client.host.stopwatch() - this.#startedMs;
    const { bytes: receivedBytes = 0, rows = 0 } = transfer ?? {};
    options.onProgress?.({ step, status, elapsedMs, receivedBytes, rows });
  }

  async *#convertRows(open: OpenReport): AsyncGenerator<AnyRow> {
    const { part, settings } = this.#setup;
    for await (const batch of open.batches()) {
      const convert = createRowConverter(batch.fields, { part, settings });
      for (const row of toRows(batch)) yield convert(row);
    }
  }
}

/**
 * Creates a function that converts the metrics of a row to the profile's types, which CSV lacks,
 * and omits empty breakdowns that were not requested.
 */
function createRowConverter(
  fields: readonly string[],
  { part, settings }: Pick<ReaderSetup, 'part' | 'settings'>,
): (row: Row) => AnyRow {
  const requested =
    part && listQueryColumns(part.query).map((column) => fieldOfColumn(column, fields));
  const numbers = new Set<string>();
  const others = new Set<string>();
  for (const field of fields) {
    const metric = metricOfField(field);
    if (metric && (metric.type === 'integer' || settings.profile === 'buyer')) numbers.add(field);
    if (requested && breakdownOfField(field) && !requested.includes(field)) others.add(field);
  }

  return (row) => {
    const values: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(row)) {
      if (numbers.has(field)) values[field] = toNumber(value);
      else if (value !== '' && value !== null) values[field] = value;
      else if (!others.has(field)) values[field] = null;
    }
    return values as AnyRow;
  };
}

function toNumber(value: Value | undefined): number | null {
  const number = parseNumber(value) ?? null;
  return number === null ? null : Number(number);
}

/** Yields the whole document once, after it has been checked. */
async function* readBytes(open: OpenReport): AsyncGenerator<Uint8Array> {
  const pieces: Buffer[] = [];
  async function* collect(): AsyncGenerator<Buffer> {
    for await (const piece of open.bytes()) {
      pieces.push(piece);
      yield piece;
    }
  }
  for await (const _batch of open.batches(collect()));
  yield new Uint8Array(Buffer.concat(pieces));
}
