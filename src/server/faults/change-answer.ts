import { encodeRowsAsCsv } from '../delivery.ts';
import type { Answer } from '../http-answer.ts';
import { ServiceError } from '../service/service-error.ts';
import type { DocumentChange } from './fault-kind.ts';

/** Documents are changed in memory. */
const lengthAtMost = 16 * 1024 * 1024;

/**
 * Changes the JSON document of an answer. CSV is written from the `data` of the changed document.
 * Throws `ServiceError` if the document is too large or the change fails.
 */
export async function changeAnswer(answer: Answer, change: DocumentChange): Promise<Answer> {
  const { csv, body, ...rest } = answer;
  const document: unknown = JSON.parse(await textOf(csv?.json ?? body));

  const changed = await applyChange(document, change);
  if (!csv) return { ...rest, body: JSON.stringify(changed) };

  return { ...rest, body: encodeRowsAsCsv(rowsIn(changed), csv.fields) };
}

async function textOf(body: Answer['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString('utf8');

  let text = '';
  for await (const piece of body) {
    text += piece;
    if (text.length > lengthAtMost) {
      throw failedFault('the document is larger than 16 MiB, the limit for change');
    }
  }
  return text;
}

async function applyChange(document: unknown, change: DocumentChange): Promise<unknown> {
  let changed: unknown;
  try {
    changed = await change(document);
  } catch (error) {
    throw failedFault(`change threw: ${error}`);
  }

  const length = JSON.stringify(changed)?.length;
  if (length === undefined) throw failedFault('change returned a value that is not JSON');
  if (length > lengthAtMost) throw failedFault('change returned more than 16 MiB');
  return changed;
}

/** The `data` of a document. Throws `ServiceError` if it is not a list of rows. */
function rowsIn(document: unknown): readonly object[] {
  const data = typeof document === 'object' && document !== null && 'data' in document;
  const rows: unknown = data ? document.data : undefined;
  const isRow = (row: unknown): row is object => typeof row === 'object' && row !== null;
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw failedFault('change returned no data, which the CSV is written from');
}

/** The answer to a call whose fault failed. */
export function failedFault(reason: string): ServiceError {
  return new ServiceError('INTERNAL', `A fault of the local server failed: ${reason}.`);
}
