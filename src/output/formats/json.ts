import { numberTextOf } from '../../contract/values.ts';
import { RowCopier } from '../../rows/copy-rows.ts';
import { compactJson, type RowBatch } from '../../rows/row-batch.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

/** The service's document: `data` with one row a line, then `summary`, then whatever else the document had. */
export function createJsonEncoder(options: EncodeOptions): Encoder {
  const separator = Buffer.from(',\n');
  const encodeRows = jsonRows(options, separator);
  let isBegun = false;
  return {
    encode(batch) {
      const before = isBegun ? separator : Buffer.from('{"data":[\n');
      isBegun = true;
      return [before, encodeRows(batch)];
    },
    end(tail) {
      const ordered = [...tail.members].sort(
        (a, b) => Number(b.name === 'summary') - Number(a.name === 'summary'),
      );
      return [
        Buffer.from(isBegun ? '\n]' : '{"data":[]'),
        ...ordered.flatMap(({ name, json }) => [Buffer.from(`,${JSON.stringify(name)}:`), json]),
        Buffer.from('}\n'),
      ];
    },
  };
}

/** One row object a line, and nothing else: the summary has no place here. */
export function createNdjsonEncoder(options: EncodeOptions): Encoder {
  const lineEnd = Buffer.from('\n');
  const encodeRows = jsonRows(options, lineEnd);
  return { encode: (batch) => [encodeRows(batch), lineEnd], end: () => [] };
}

/** Writes the rows of a batch as JSON objects: copied as they came, unless columns are chosen or numbers normalised. */
function jsonRows(options: EncodeOptions, between: Buffer): (batch: RowBatch) => Uint8Array {
  const { selectedColumns, normalize = false } = options;
  const copier = new RowCopier();
  const isChosen = selectedColumns !== undefined && selectedColumns !== 'all';
  if (!isChosen && !normalize) return (batch) => copier.toJson(batch, between);
  const newPlan = () =>
    new ColumnPlan(isChosen ? options : { ...options, columns: [], selectedColumns: 'all' });
  let plan = newPlan();
  let known: readonly string[] = [];
  return (batch) => {
    // Without a choice every field has its column, those that appear late included.
    if (!isChosen && batch.fields !== known) plan = newPlan();
    known = batch.fields;
    plan.follow(batch);
    const columns = plan.columns.map(({ name, numeric }, i) => {
      return {
        key: `${JSON.stringify(name)}:`,
        isNumber: normalize && numeric,
        index: plan.indexes[i] as number,
      };
    });
    const rows = Array.from({ length: batch.rowCount }, (_, row) => {
      const members = columns.flatMap(({ key, isNumber, index }) => {
        const at = row * batch.fields.length + index;
        const start = index < 0 ? -1 : (batch.valueStarts[at] as number);
        return start < 0
          ? []
          : key + jsonText(batch.bytes.toString('utf8', start, batch.valueEnds[at]), isNumber);
      });
      return `{${members.join(',')}}`;
    });
    return Buffer.from(rows.join(between.toString()));
  };
}

function jsonText(json: string, isNumber: boolean): string {
  if (!isNumber || !json.startsWith('"')) return compactJson(json);
  return numberTextOf(JSON.parse(json)) ?? json;
}
