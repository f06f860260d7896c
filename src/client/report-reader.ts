import type { Client } from '../api/client.ts';
import { metricOfField } from '../contract/columns.ts';
import type { AnyRow } from '../contract/row-types.ts';
import type { Profile } from '../contract/vocabulary.ts';
import {
  AdreportError,
  type CheckMessage,
  RefusedReportError,
  UsageError,
  warningsMessage,
} from '../errors.ts';
import { type Row, rowsOf } from '../rows/row-batch.ts';
import type { OpenReport } from './open.ts';
import type { FetchedReport } from './public-types.ts';

interface ReaderSetup {
  readonly client: Client;
  readonly profile: Profile;
  readonly isStrict: boolean;

  /** Report whose data is arriving. */
  readonly open: OpenReport;

  /** Opens the report again after an error. Throws the error if that would not help. */
  readonly reopen: (error: unknown) => Promise<OpenReport>;
}

/** A report as programs read it: rows as objects, or the document as it came. */
export class ReportReader implements FetchedReport<AnyRow> {
  readonly id: string | undefined;
  readonly #setup: ReaderSetup;
  #open: OpenReport;
  #isRead = false;

  constructor(setup: ReaderSetup) {
    this.#setup = setup;
    this.#open = setup.open;
    this.id = setup.open.id;
  }

  get warnings(): readonly CheckMessage[] {
    return this.#open.result.warnings;
  }

  get notes(): readonly CheckMessage[] {
    return this.#open.result.notes;
  }

  async *rows(): AsyncGenerator<AnyRow, void, undefined> {
    this.#begin();
    let hasBegun = false;
    for (;;) {
      try {
        for await (const batch of this.#open.batches()) {
          for (const row of rowsOf(batch)) {
            hasBegun = true;
            yield this.#typed(row);
          }
        }
        this.#expectNoWarnings();
        return;
      } catch (error) {
        if (hasBegun) throw this.#named(error);
        await this.#reopen(error);
      }
    }
  }

  async bytes(): Promise<Uint8Array> {
    this.#begin();
    for (;;) {
      const pieces: Buffer[] = [];
      try {
        for await (const _batch of this.#open.batches(collect(this.#open.bytes(), pieces)));
        this.#expectNoWarnings();
        return new Uint8Array(Buffer.concat(pieces));
      } catch (error) {
        await this.#reopen(error);
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

  async #reopen(error: unknown): Promise<void> {
    try {
      this.#open = await this.#setup.reopen(error);
    } catch (final) {
      throw this.#named(final);
    }
  }

  #expectNoWarnings(): void {
    if (!this.#setup.isStrict || this.warnings.length === 0) return;
    const hint = 'Without strict it is a warning.';
    throw this.#named(new RefusedReportError(warningsMessage(this.warnings), { hint }));
  }

  /** Adds the report id to an error. */
  #named(error: unknown): unknown {
    if (!(error instanceof AdreportError) || this.id === undefined) return error;
    return error.amend('', { reportId: this.id });
  }

  /** Gives metrics the types of their profile, also if the service sent a CSV. */
  #typed(row: Row): AnyRow {
    const values: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(row)) {
      const metric = metricOfField(field);
      const isNumber = metric?.type === 'integer' || (metric && this.#setup.profile === 'buyer');
      values[field] = isNumber ? numberIn(value) : value === '' ? null : value;
    }
    return values as AnyRow;
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
