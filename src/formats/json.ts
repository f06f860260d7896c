import { numberTextOf } from '../contract/values.ts';
import { ColumnPlan } from '../output/columns.ts';
import type { EncodeOptions, Encoder } from '../output/encoder.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import { type ReportTail, type RowBatch, textsOf } from '../rows/row-batch.ts';

/**
 * The service's document: `data` with one row a line, then `summary`, then whatever else the
 * document had.
 */
export function createJsonEncoder(options: EncodeOptions): Encoder {
  const separator = Buffer.from(',\n');
  const rows = rowWriterFor(options, separator);
  let isBegun = false;

  return {
    encode(batch) {
      const before = isBegun ? separator : Buffer.from('{"data":[\n');
      isBegun = true;
      return [before, rows.write(batch)];
    },

    end(tail) {
      const dataEnd = Buffer.from(isBegun ? '\n]' : '{"data":[]');
      return [dataEnd, ...membersOf(tail), Buffer.from('}\n')];
    },
  };
}

/** One row object a line, and nothing else: the summary has no place here. */
export function createNdjsonEncoder(options: EncodeOptions): Encoder {
  const lineEnd = Buffer.from('\n');
  const rows = rowWriterFor(options, lineEnd);
  return {
    encode: (batch) => [rows.write(batch), lineEnd],
    end: () => [],
  };
}

/** The members of the document beside `data`, the summary before the others. */
function membersOf({ members }: ReportTail): Uint8Array[] {
  const summary = members.filter(({ name }) => name === 'summary');
  const others = members.filter(({ name }) => name !== 'summary');
  const pieces: Uint8Array[] = [];
  for (const { name, json } of [...summary, ...others]) {
    pieces.push(Buffer.from(`,${JSON.stringify(name)}:`), json);
  }
  return pieces;
}

/** Writes the rows of a batch as JSON objects with the separator between them. */
interface RowWriter {
  write(batch: RowBatch): Uint8Array;
}

/** Rows are copied as they came, unless columns are chosen or numbers normalised. */
function rowWriterFor(options: EncodeOptions, separator: Buffer): RowWriter {
  const { selectedColumns, normalize = false } = options;
  const hasChoice = selectedColumns !== undefined && selectedColumns !== 'all';
  if (hasChoice || normalize) return new PlannedRowWriter(options, hasChoice, separator);

  const copier = new RowCopier();
  return { write: (batch) => copier.copyToJson(batch, separator) };
}

/** Writes rows with the columns that the user named, or without a choice with every field. */
class PlannedRowWriter implements RowWriter {
  readonly #options: EncodeOptions;
  readonly #hasChoice: boolean;
  readonly #separator: string;
  #plan: ColumnPlan;
  #fields: readonly string[] = [];

  constructor(options: EncodeOptions, hasChoice: boolean, separator: Buffer) {
    this.#options = hasChoice ? options : { ...options, columns: [], selectedColumns: 'all' };
    this.#hasChoice = hasChoice;
    this.#separator = separator.toString();
    this.#plan = new ColumnPlan(this.#options);
  }

  write(batch: RowBatch): Uint8Array {
    const isWider = batch.fields !== this.#fields;
    this.#fields = batch.fields;
    // Without a choice every field has its column, those that appear late included.
    if (isWider && !this.#hasChoice) this.#plan = new ColumnPlan(this.#options);
    this.#plan.follow(batch);

    const members = this.#membersOf(batch);
    const rows = members.map((texts) => `{${texts.join(',')}}`);
    return Buffer.from(rows.join(this.#separator));
  }

  /** The members of each row as JSON, without those that the row has not. */
  #membersOf(batch: RowBatch): string[][] {
    const { normalize = false } = this.#options;
    const members = Array.from({ length: batch.rowCount }, (): string[] => []);
    for (const { field, name, numeric, figure } of this.#plan.columns) {
      if (figure?.derived) continue;
      const key = `${JSON.stringify(name)}:`;
      for (const [row, json] of textsOf(batch, field).entries()) {
        if (json === undefined) continue;
        members[row]?.push(key + (normalize && numeric ? numberJson(json) : json));
      }
    }
    return members;
  }
}

/** The JSON of a metric as a number, where it is a text that means one. */
function numberJson(json: string): string {
  if (!json.startsWith('"')) return json;
  return numberTextOf(JSON.parse(json)) ?? json;
}
