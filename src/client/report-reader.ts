import type { Client } from '../api/client.ts';
import { metricOfField } from '../contract/columns.ts';
import type { AnyRow } from '../contract/row-types.ts';
import {
  AdreportError,
  type CheckMessage,
  RefusedReportError,
  UsageError,
  warningsMessage,
} from '../errors.ts';
import { expectationOf } from '../query/expectation.ts';
import type { ReportPlan } from '../query/request.ts';
import { type Row, rowsOf } from '../rows/row-batch.ts';
import type { OpenReport, Transfer } from './open.ts';
import type { FetchedReport, FetchOptions, ReportProgress } from './public-types.ts';
import type { ReadSettings } from './read-options.ts';
import { ReportSteps } from './report-steps.ts';
import { type RequestedReport, requestReport } from './request.ts';

export interface ReaderSetup {
  readonly client: Client;
  readonly settings: ReadSettings;
  readonly options: FetchOptions;

  /** Absent if the request is not known. */
  readonly plan?: ReportPlan | undefined;

  /** Set if the report was requested before. */
  readonly requested?: RequestedReport;
}

const defaultWaitTimeoutMs = 30 * 60_000;

/** A report as programs read it: rows as objects, or the document as it came. */
export class ReportReader implements FetchedReport<AnyRow> {
  readonly #setup: ReaderSetup;
  readonly #steps: ReportSteps;
  readonly #startedMs: number;
  #open: OpenReport | undefined;
  #isRead = false;

  constructor(setup: ReaderSetup) {
    const { client, options, plan, requested, settings } = setup;
    const { waitTimeoutMs = defaultWaitTimeoutMs } = options;
    const { retries } = settings;
    const expectation = plan && expectationOf(plan);
    this.#setup = setup;
    this.#startedMs = client.host.stopwatch();
    this.#steps = new ReportSteps(client, { requested, expectation, waitTimeoutMs, retries });
  }

  get id(): string | undefined {
    return this.#steps.requested?.id;
  }

  get warnings(): readonly CheckMessage[] {
    return this.#open?.result.warnings ?? [];
  }

  get notes(): readonly CheckMessage[] {
    return this.#open?.result.notes ?? [];
  }

  /** Requests the report, waits for it, and begins its download; each again if that helps. */
  async open(): Promise<OpenReport> {
    for (;;) {
      try {
        const requested = await this.#request();
        const ready = await this.#steps.wait(requested, ({ seen }) =>
          this.#report('wait', { status: seen.status }),
        );
        this.#open = await this.#steps.open(ready, (data) => this.#report('download', data));
        return this.#open;
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  async *rows(): AsyncGenerator<AnyRow, void, undefined> {
    this.#begin();
    let hasBegun = false;
    for (;;) {
      try {
        const open = this.#open ?? (await this.open());
        for await (const batch of open.batches()) {
          for (const row of rowsOf(batch)) {
            hasBegun = true;
            yield this.#typed(row);
          }
        }
        this.#expectNoWarnings();
        return;
      } catch (error) {
        if (hasBegun) throw named(error, this.id);
        await this.#recover(error);
      }
    }
  }

  async bytes(): Promise<Uint8Array> {
    this.#begin();
    for (;;) {
      const pieces: Buffer[] = [];
      try {
        const open = this.#open ?? (await this.open());
        for await (const _batch of open.batches(collect(open.bytes(), pieces)));
        this.#expectNoWarnings();
        return new Uint8Array(Buffer.concat(pieces));
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  #begin(): void {
    if (this.#isRead) {
      throw new UsageError('This report has been read; it can be read once.', {
        ...(this.id !== undefined && { reportId: this.id }),
        hint: 'Keep the rows, or begin again with client.openReport(id).',
      });
    }
    this.#isRead = true;
  }

  async #request(): Promise<RequestedReport> {
    if (this.#steps.requested) return this.#steps.requested;

    const { client, plan } = this.#setup;
    if (!plan) throw new TypeError('A report without an id has a request.');
    this.#report('request');
    return this.#steps.continueWith(await requestReport(client, plan.request));
  }

  /** Returns once the steps may be taken again after an error. Otherwise throws the error. */
  async #recover(error: unknown): Promise<void> {
    const { id } = this;
    try {
      await this.#steps.recover(error);
      this.#open = undefined;
    } catch (final) {
      throw named(final, id);
    }
  }

  #expectNoWarnings(): void {
    if (!this.#setup.options.strict || this.warnings.length === 0) return;
    const hint = 'Without strict it is a warning.';
    throw new RefusedReportError(warningsMessage(this.warnings), { hint });
  }

  #report(
    step: ReportProgress['step'],
    { status, bytes = 0, rows = 0 }: Partial<Transfer> & { readonly status?: string } = {},
  ): void {
    const { client, options } = this.#setup;
    const { ready, requested } = this.#steps;
    const elapsedMs = client.host.stopwatch() - this.#startedMs;
    const last = status ?? ready?.status ?? requested?.status ?? '';
    options.onProgress?.({ step, status: last, elapsedMs, receivedBytes: bytes, rows });
  }

  /** Gives metrics the types of their profile, also if the service sent a CSV. */
  #typed(row: Row): AnyRow {
    const values: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(row)) {
      const metric = metricOfField(field);
      const isNumber =
        metric?.type === 'integer' || (metric && this.#setup.settings.profile === 'buyer');
      values[field] = isNumber ? numberIn(value) : value === '' ? null : value;
    }
    return values as AnyRow;
  }
}

/** Adds the report id to an error. */
function named(error: unknown, reportId: string | undefined): unknown {
  if (!(error instanceof AdreportError) || reportId === undefined) return error;
  return error.amend('', { reportId });
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
