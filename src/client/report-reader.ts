import type { Client } from '../api/client.ts';
import { breakdownOfField, fieldOfColumn, metricOfField } from '../contract/columns.ts';
import type { AnyRow } from '../contract/row-types.ts';
import { type CheckMessage, RefusedReportError, UsageError, warningsMessage } from '../errors.ts';
import { bodyOf } from '../query/body.ts';
import { columnsOfQuery } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import { type Row, rowsOf } from '../rows/row-batch.ts';
import type { OpenReport, Transfer } from './open.ts';
import type { FetchedReport, FetchOptions, ReportProgress } from './public-types.ts';
import type { ReadSettings } from './read-options.ts';
import { ReportAttempts, type ReportSteps, withReportId } from './report-attempts.ts';
import { type RequestedReport, requestReport } from './send-request.ts';

export interface ReaderSetup {
  readonly client: Client;
  readonly settings: ReadSettings;
  readonly options: FetchOptions;

  /** Absent if the request is not known. */
  readonly part: Part | undefined;

  /** Absent to request the report. */
  readonly named?: RequestedReport;
}

const defaultWaitTimeoutMs = 30 * 60_000;

/** A report for programs: rows as objects, or the document as received. */
export class ReportReader implements FetchedReport<AnyRow> {
  readonly #setup: ReaderSetup;
  readonly #attempts: ReportAttempts;
  #isRead = false;

  constructor(setup: ReaderSetup) {
    const { client, settings, options, part, named } = setup;
    this.#setup = setup;
    this.#attempts = new ReportAttempts({
      client: async () => client,
      signal: client.host.signal,
      part,
      named,
      waitTimeoutMs: options.waitTimeoutMs ?? defaultWaitTimeoutMs,
      retries: settings.retries,
      steps: stepsWithProgress(client, options),
    });
  }

  get id(): string | undefined {
    return this.#attempts.id;
  }

  get warnings(): readonly CheckMessage[] {
    return this.#attempts.open?.result.warnings ?? [];
  }

  get notes(): readonly CheckMessage[] {
    return this.#attempts.open?.result.notes ?? [];
  }

  /** Requests the report if it is not named, waits for it, and begins to download it. */
  async open(): Promise<void> {
    await this.#attempts.read(async () => {});
  }

  /** After a cut the download is repeated, unless a row was yielded. */
  async *rows(): AsyncGenerator<AnyRow, void, undefined> {
    this.#expectUnread();
    const { rows, first } = await this.#attempts.read(async (open) => {
      const arriving = this.#convertRows(open);
      return { rows: arriving, first: await arriving.next() };
    });
    try {
      for (let next = first; !next.done; next = await rows.next()) yield next.value;
    } catch (error) {
      throw withReportId(error, this.id, this.#setup.client.host.signal);
    } finally {
      await rows.return(undefined);
    }
    this.#expectNoWarnings();
  }

  async bytes(): Promise<Uint8Array> {
    this.#expectUnread();
    const whole = await this.#attempts.read(readBytes);
    this.#expectNoWarnings();
    return whole;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  #expectUnread(): void {
    if (this.#isRead) {
      throw new UsageError('This report has been read already; it can be read only once.', {
        reportId: this.id,
        hint: 'Keep the rows, or begin again with client.openReport(id).',
      });
    }
    this.#isRead = true;
  }

  #expectNoWarnings(): void {
    if (!this.#setup.options.strict || this.warnings.length === 0) return;
    const hint = 'Without strict it is a warning.';
    throw new RefusedReportError(warningsMessage(this.warnings), { hint, reportId: this.id });
  }

  async *#convertRows(open: OpenReport): AsyncGenerator<AnyRow> {
    const { part, settings } = this.#setup;
    for await (const batch of open.batches()) {
      const convert = rowConverter(batch.fields, { part, settings });
      for (const row of rowsOf(batch)) yield convert(row);
    }
  }
}

/** The steps of a report, which tell `onProgress`. */
function stepsWithProgress(client: Client, { onProgress }: FetchOptions): ReportSteps {
  const { stopwatch } = client.host;
  const startedMs = stopwatch();
  const show = (step: ReportProgress['step'], status: string, transfer?: Transfer): void => {
    const { bytes: receivedBytes = 0, rows = 0 } = transfer ?? {};
    onProgress?.({ step, status, elapsedMs: stopwatch() - startedMs, receivedBytes, rows });
  };
  let lastStatus = 'ready';
  return {
    request(part) {
      show('request', '');
      return requestReport(client, bodyOf(part));
    },
    async wait(begin) {
      const ready = await begin(({ status }) => show('wait', status));
      lastStatus = ready.status;
      return ready;
    },
    onTransfer: (transfer) => show('download', lastStatus, transfer),
  };
}

/**
 * Returns a function that gives metrics the types of their profile, also if the service sent a CSV,
 * and leaves out empty breakdowns that were not requested.
 */
function rowConverter(
  fields: readonly string[],
  { part, settings }: Pick<ReaderSetup, 'part' | 'settings'>,
): (row: Row) => AnyRow {
  const requested =
    part && columnsOfQuery(part.query).map((column) => fieldOfColumn(column, fields));
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
      const known = value === '' ? null : value;
      if (known === null && others.has(field)) continue;
      values[field] = numbers.has(field) ? numberIn(value) : known;
    }
    return values as AnyRow;
  };
}

/** Returns `null` for a value without a number. */
function numberIn(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && /^\s*[-+]?\d/.test(value);
  const number = isNumber ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** Reads the whole document, which is checked on the way. */
async function readBytes(open: OpenReport): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  async function* collect(): AsyncGenerator<Buffer> {
    for await (const piece of open.bytes()) {
      pieces.push(piece);
      yield piece;
    }
  }
  for await (const _batch of open.batches(collect()));
  return new Uint8Array(Buffer.concat(pieces));
}
