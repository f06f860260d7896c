import { closeBrace, comma, dot, openBrace, openBracket } from '../../rows/ascii.ts';
import type { RowBatch } from '../../rows/row-batch.ts';
import { ColumnPlan, type PlannedColumn } from '../columns.ts';
import type { EncodeOptions } from '../encoder.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { compact, writeNumber } from './json-bytes.ts';

/**
 * The rows of batches as JSON objects, one a line: copied where they can be, written anew where they are chosen,
 * changed or spread over several lines.
 */
export class RowObjects {
  readonly #plan: ColumnPlan | undefined;
  readonly #normalize: boolean;
  readonly #separator: Buffer;
  readonly #out = new ByteBuffer();
  #keys: readonly Buffer[] = [];

  /** @param separator what stands between two rows: `,\n` or `\n` */
  constructor(options: EncodeOptions, separator: Buffer) {
    this.#normalize = options.normalize ?? false;
    this.#plan = options.select || this.#normalize ? new ColumnPlan(options) : undefined;
    this.#separator = separator;
  }

  /**
   * The rows of a batch with the separator between them; good until the next call.
   * @throws UsageError where a selected column does not exist
   */
  encode(batch: RowBatch): Uint8Array {
    if (this.#plan) return this.#write(batch, this.#plan);
    if (!batch.singleLine) return this.#write(batch, undefined);
    return this.#copyAtOnce(batch) ?? this.#copy(batch);
  }

  /** All rows in one go, where there is as much room between them as the separator takes. */
  #copyAtOnce(batch: RowBatch): Uint8Array | undefined {
    const { bytes, rowCount, rowStarts, rowEnds } = batch;
    const separator = this.#separator;
    const start = rowStarts[0] as number;
    for (let row = 1; row < rowCount; row++) {
      if ((rowStarts[row] as number) - (rowEnds[row - 1] as number) !== separator.length) return undefined;
    }
    const length = (rowEnds[rowCount - 1] as number) - start;
    const out = this.#out.reserve(length);
    bytes.copy(out, 0, start, start + length);
    for (let row = 1; row < rowCount; row++) copy(out, (rowEnds[row - 1] as number) - start, separator);
    return out.subarray(0, length);
  }

  #copy(batch: RowBatch): Uint8Array {
    const { bytes, rowCount, rowStarts, rowEnds } = batch;
    const out = this.#out.reserve((rowEnds[rowCount - 1] as number) - (rowStarts[0] as number) + rowCount);
    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      if (row > 0) at = copy(out, at, this.#separator);
      at += bytes.copy(out, at, rowStarts[row], rowEnds[row]);
    }
    return out.subarray(0, at);
  }

  #write(batch: RowBatch, plan: ColumnPlan | undefined): Uint8Array {
    const { rowCount, rowStarts, rowEnds } = batch;
    plan?.follow(batch);
    if (plan && plan.columns.length !== this.#keys.length) {
      this.#keys = plan.columns.map((column) => Buffer.from(`${JSON.stringify(column.name)}:`));
    }
    const keyBytes = this.#keys.reduce((sum, key) => sum + key.length + 1, 4);
    const sourceBytes = (rowEnds[rowCount - 1] as number) - (rowStarts[0] as number);
    const out = this.#out.reserve(sourceBytes + rowCount * keyBytes);
    let at = 0;
    for (let row = 0; row < rowCount; row++) {
      if (row > 0) at = copy(out, at, this.#separator);
      at = plan
        ? this.#writeRow(out, at, batch, row, plan)
        : compact(out, at, batch.bytes, rowStarts[row] as number, rowEnds[row] as number);
    }
    return out.subarray(0, at);
  }

  #writeRow(out: Buffer, start: number, batch: RowBatch, row: number, plan: ColumnPlan): number {
    let at = start;
    out[at++] = openBrace;
    const base = row * batch.fields.length;
    for (const [column, planned] of plan.columns.entries()) {
      const index = plan.indexes[column] as number;
      const valueStart = index < 0 ? -1 : (batch.valueStarts[base + index] as number);
      if (valueStart < 0) continue;
      if (at > start + 1) out[at++] = comma;
      at = copy(out, at, this.#keys[column] as Buffer);
      at = this.#writeValue(out, at, batch, valueStart, batch.valueEnds[base + index] as number, planned);
    }
    out[at++] = closeBrace;
    return at;
  }

  #writeValue(out: Buffer, at: number, batch: RowBatch, start: number, end: number, column: PlannedColumn): number {
    const { bytes } = batch;
    if (this.#normalize && column.numeric) {
      const numberEnd = writeNumber(out, at, bytes, start, end, dot);
      if (numberEnd >= 0) return numberEnd;
    }
    const first = bytes[start];
    if (!batch.singleLine && (first === openBrace || first === openBracket)) return compact(out, at, bytes, start, end);
    return at + bytes.copy(out, at, start, end);
  }
}

function copy(out: Buffer, at: number, piece: Buffer): number {
  for (let i = 0; i < piece.length; i++) out[at + i] = piece[i] as number;
  return at + piece.length;
}
