import { toDecimalString } from '../contract/values.ts';
import type { EncodeOptions, Encoder } from '../output/encoder.ts';
import { ColumnPlan } from '../query/column-plan.ts';
import { RowCopier } from '../rows/copy-rows.ts';
import { type ReportTail, type RowBatch, readJsonValues } from '../rows/row-batch.ts';

/**
 * Writes the service's document. Each row in `data` has its own line. `summary` and the other
 * members follow.
 */
export function createJsonEncoder(options: EncodeOptions): Encoder {
  const separator = Buffer.from(',\n');
  const rows = createRowWriter(options, separator);
  let hasStarted = false;

  return {
    encode(batch) {
      const before = hasStarted ? separator : Buffer.from('{"data":[\n');
      hasStarted = true;
      return [before, rows.write(batch)];
    },

    end(tail) {
      const dataEnd = Buffer.from(hasStarted ? '\n]' : '{"data":[]');
      return [dataEnd, ...listMembers(tail), Buffer.from('}\n')];
    },
  };
}

/** Writes one JSON object per line for each row, without the summary. */
export function createNdjsonEncoder(options: EncodeOptions): Encoder {
  const lineEnd = Buffer.from('\n');
  const rows = createRowWriter(options, lineEnd);
  return {
    encode: (batch) => [rows.write(batch), lineEnd],
    end: () => [],
  };
}

/** Lists the members after `data`. The summary comes first. */
function listMembers({ members }: ReportTail): Uint8Array[] {
  const summary = members.filter(({ name }) => name === 'summary');
  const others = members.filter(({ name }) => name !== 'summary');
  const pieces: Uint8Array[] = [];
  for (const { name, json } of [...summary, ...others]) {
    pieces.push(Buffer.from(`,${JSON.stringify(name)}:`), json);
  }
  return pieces;
}

/** Writes the rows of a batch as JSON objects with a separator between them. */
interface RowWriter {
  write(batch: RowBatch): Uint8Array;
}

/** Copies rows as received, unless columns are selected or numbers are normalized. */
function createRowWriter(options: EncodeOptions, separator: Buffer): RowWriter {
  const { selectedColumns, normalize = false } = options;
  const hasSelection = selectedColumns !== undefined && selectedColumns !== 'all';
  if (hasSelection || normalize) return new PlannedRowWriter(options, hasSelection, separator);

  const copier = new RowCopier();
  return { write: (batch) => copier.copyToJson(batch, separator) };
}

/** Formats rows with the columns that the user selected, or with every field. */
class PlannedRowWriter implements RowWriter {
  readonly #options: EncodeOptions;
  readonly #hasSelection: boolean;
  readonly #separator: string;
  #plan: ColumnPlan;
  #fields: readonly string[] = [];

  constructor(options: EncodeOptions, hasSelection: boolean, separator: Buffer) {
    this.#options = hasSelection ? options : { ...options, columns: [], selectedColumns: 'all' };
    this.#hasSelection = hasSelection;
    this.#separator = separator.toString();
    this.#plan = new ColumnPlan(this.#options);
  }

  write(batch: RowBatch): Uint8Array {
    const hasNewFields = batch.fields !== this.#fields;
    this.#fields = batch.fields;
    // Without a selection, every field gets a column, even if it appears late.
    if (hasNewFields && !this.#hasSelection) this.#plan = new ColumnPlan(this.#options);
    this.#plan.addBatch(batch);

    const rows = this.#listRowMembers(batch).map((members) => `{${members.join(',')}}`);
    return Buffer.from(rows.join(this.#separator));
  }

  /** Lists the members of each row as JSON. A row may lack some fields. */
  #listRowMembers(batch: RowBatch): string[][] {
    const { normalize = false } = this.#options;
    const members = Array.from({ length: batch.rowCount }, (): string[] => []);
    for (const { field, name, numeric, metric } of this.#plan.columns) {
      if (metric?.computed) continue;
      const key = `${JSON.stringify(name)}:`;
      for (const [row, json] of readJsonValues(batch, field).entries()) {
        if (json === undefined) continue;
        members[row]?.push(key + (normalize && numeric ? toNumberJson(json) : json));
      }
    }
    return members;
  }
}

/** Converts a numeric string to a number. Returns any other JSON unchanged. */
function toNumberJson(json: string): string {
  if (!json.startsWith('"')) return json;
  return toDecimalString(JSON.parse(json)) ?? json;
}
