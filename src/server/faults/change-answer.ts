import { encodeRowsAsCsv } from '../delivery.ts';
import type { Answer } from '../http-answer.ts';
import type { DocumentChange } from './fault-kind.ts';
import { describeThrown, encodeTestValue, FaultMistake } from './fault-mistake.ts';

/** Documents are changed in memory. */
const maxLength = 16 * 1024 * 1024;

/**
 * Changes the JSON document of a response. CSV is written from the `data` of the changed document.
 * Throws `FaultMistake` if the document is too large or the change fails.
 */
export async function changeAnswer(answer: Answer, change: DocumentChange): Promise<Answer> {
  const { csv, body, ...rest } = answer;
  const document: unknown = JSON.parse(await textOf(csv?.json ?? body));

  const changed = await applyChange(document, change);
  const json = encodeTestValue(changed, 'the value that change returned');
  if (json.length > maxLength) throw new FaultMistake('change returned more than 16 MiB');
  if (!csv) return { ...rest, body: json };

  return { ...rest, body: encodeRowsAsCsv(rowsIn(changed), csv.fields) };
}

async function textOf(body: Answer['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString('utf8');

  let text = '';
  for await (const piece of body) {
    text += piece;
    if (text.length > maxLength) {
      throw new FaultMistake('the document is larger than 16 MiB, the limit for change');
    }
  }
  return text;
}

async function applyChange(document: unknown, change: DocumentChange): Promise<unknown> {
  try {
    return await change(document);
  } catch (error) {
    throw new FaultMistake(`change threw ${describeThrown(error)}`);
  }
}

/** Returns the `data` of a document. Throws `FaultMistake` if it is not a list of rows. */
function rowsIn(document: unknown): readonly object[] {
  const data = typeof document === 'object' && document !== null && 'data' in document;
  const rows: unknown = data ? document.data : undefined;
  const isRow = (row: unknown): row is object => typeof row === 'object' && row !== null;
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw new FaultMistake('change returned no data to write the CSV from');
}
