import { numberTextOf } from '../../contract/values.ts';
import { RowCopier } from '../../rows/copy-rows.ts';
import type { ReportMember, RowBatch } from '../../rows/row-batch.ts';
import { compactJson } from '../../rows/row-batch.ts';
import { ColumnPlan } from '../columns.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

const beginning = Buffer.from('{"data":[');
const separator = Buffer.from(',\n');

/** The service's document: `data` with one row a line, then `summary`, then whatever else the document had. */
export function createEncoder(options: EncodeOptions): Encoder {
  const encodeRows = jsonRows(options, separator);
  let rowsBegun = false;
  return {
    encode(batch) {
      const before = rowsBegun ? separator : Buffer.concat([beginning, Buffer.from('\n')]);
      rowsBegun = true;
      return [before, encodeRows(batch)];
    },
    end(tail) {
      const ordered = [...tail.members].sort((a, b) => Number(b.name === 'summary') - Number(a.name === 'summary'));
      return [
        rowsBegun ? Buffer.from('\n]') : Buffer.concat([beginning, Buffer.from(']')]),
        ...ordered.flatMap(memberText),
        Buffer.from('}\n'),
      ];
    },
  };
}

function memberText({ name, json }: ReportMember): Buffer[] {
  return [Buffer.from(`,${JSON.stringify(name)}:`), json];
}

/**
 * Writes the rows of a batch as JSON objects, one a line: copied as they came, unless columns are chosen or numbers
 * normalised. Throws `UsageError` where a selected column does not exist.
 */
export function jsonRows(options: EncodeOptions, between: Buffer): (batch: RowBatch) => Uint8Array {
  const { select, normalize = false } = options;
  const copier = new RowCopier();
  const isChosen = select !== undefined && select !== 'all';
  if (!isChosen && !normalize) return (batch) => copier.toJson(batch, between);
  // Without a choice every field has its column, those that appear late included.
  let plan = new ColumnPlan({ ...options, select: isChosen ? select : 'all' });
  let known: readonly string[] = [];
  return (batch) => {
    if (!isChosen && batch.fields !== known) plan = new ColumnPlan({ ...options, columns: [], select: 'all' });
    known = batch.fields;
    plan.follow(batch);
    const columns = plan.columns.map(({ name, numeric }, i) => {
      return { key: `${JSON.stringify(name)}:`, isNumber: normalize && numeric, index: plan.indexes[i] as number };
    });
    const rows = Array.from({ length: batch.rowCount }, (_, row) => {
      const members = columns.flatMap(({ key, isNumber, index }) => {
        const at = row * batch.fields.length + index;
        const start = index < 0 ? -1 : (batch.valueStarts[at] as number);
        return start < 0 ? [] : [key + jsonText(batch.bytes.toString('utf8', start, batch.valueEnds[at]), isNumber)];
      });
      return `{${members.join(',')}}`;
    });
    return Buffer.from(rows.join(between.toString()));
  };
}

/** A value on one line; where a number is wanted, and a string holds one, that number. */
function jsonText(json: string, isNumber: boolean): string {
  if (!isNumber || !json.startsWith('"')) return compactJson(json);
  return numberTextOf(JSON.parse(json)) ?? json;
}
