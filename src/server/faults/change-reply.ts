import { encodeRowsAsCsv } from '../delivery.ts';
import type { Reply } from '../reply.ts';
import type { DocumentChange } from './fault-kind.ts';
import { describeThrown, FaultMistake, toJson } from './fault-mistake.ts';

/**
 * Changes the JSON document of a response, in memory. CSV is written from the `data` of the changed
 * document. Throws `FaultMistake` if the change fails.
 */
export async function changeReply(reply: Reply, change: DocumentChange): Promise<Reply> {
  const { csv, body, ...rest } = reply;
  const document: unknown = JSON.parse(await readBody(csv?.json ?? body));

  try {
    const changed = await change(document);
    return { ...rest, body: csv ? encodeRowsAsCsv(rowsIn(changed), csv.fields) : toJson(changed) };
  } catch (error) {
    throw new FaultMistake(`change: ${describeThrown(error)}`);
  }
}

async function readBody(body: Reply['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString('utf8');

  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

/** Returns the `data` of a document. Throws if it is not a list of rows. */
function rowsIn(document: unknown): readonly object[] {
  const hasData = typeof document === 'object' && document !== null && 'data' in document;
  const rows: unknown = hasData ? document.data : undefined;
  const isRow = (row: unknown): row is object => typeof row === 'object' && row !== null;
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new Error('it returned no data to write the CSV from');
}
