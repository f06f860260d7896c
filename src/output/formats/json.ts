import type { ReportMember } from '../../rows/row-batch.ts';
import { RowObjects } from '../bytes/row-objects.ts';
import type { EncodeOptions, Encoder } from '../encoder.ts';

const beginning = Buffer.from('{"data":[');
const separator = Buffer.from(',\n');

/** The service's document: `data` with one row a line, then `summary`, then whatever else the document had. */
export function createEncoder(options: EncodeOptions): Encoder {
  const rows = new RowObjects(options, separator);
  let rowsBegun = false;
  return {
    encode(batch) {
      const before = rowsBegun ? separator : Buffer.concat([beginning, Buffer.from('\n')]);
      rowsBegun = true;
      return [before, rows.encode(batch)];
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
