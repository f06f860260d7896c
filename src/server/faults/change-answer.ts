import type { Answer } from '../answer.ts';
import { encodeRowsAsCsv } from '../delivery.ts';
import { ServiceError } from '../service/service-error.ts';
import type { DocumentChange } from './fault-kind.ts';

/** A document that is changed is held in memory. */
const lengthAtMost = 16 * 1024 * 1024;

/**
 * The answer with another document: CSV is written from its `data`. Throws `ServiceError` where the
 * document is too large, or the change fails.
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
      throw failedFault('the document has more than 16 MiB, which is all that a change may hold');
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
  if (length === undefined) throw failedFault('change returned nothing that JSON can hold');
  if (length > lengthAtMost) throw failedFault('change returned more than 16 MiB');
  return changed;
}

/** The rows of a document from which CSV is written. */
function rowsIn(document: unknown): readonly object[] {
  const data = typeof document === 'object' && document !== null && 'data' in document;
  const rows: unknown = data ? document.data : undefined;
  const isRow = (row: unknown): row is object => typeof row === 'object' && row !== null;
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  throw failedFault('change returned no data, from whose rows the CSV could be written');
}

/** The refusal of a call whose fault does not work. */
export function failedFault(reason: string): ServiceError {
  return new ServiceError('INTERNAL', `A fault of the local server does not work: ${reason}.`);
}
