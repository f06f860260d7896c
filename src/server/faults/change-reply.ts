import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { encodeRowsAsCsv } from '../encode-report.ts';
import type { ReportRow } from '../engine.ts';
import type { Reply } from '../reply.ts';
import type { FaultEffect } from './fault-kind.ts';
import { describeThrown, InvalidFaultError } from './invalid-fault-error.ts';

/**
 * Changes the JSON document of a response in memory. CSV is written from the `data` of the changed
 * document. Throws `InvalidFaultError` if the change fails.
 */
export async function changeReply(
  { csv, body, ...rest }: Reply,
  change: NonNullable<FaultEffect['change']>,
): Promise<Reply> {
  const json = await text(Readable.from(csv?.json ?? body));

  try {
    const changed: unknown = await change(JSON.parse(json));
    return { ...rest, body: csv ? encodeDataAsCsv(changed, csv.fields) : encodeDocument(changed) };
  } catch (error) {
    throw new InvalidFaultError(`change: ${describeThrown(error)}`);
  }
}

function encodeDataAsCsv(document: unknown, fields: readonly string[]): string {
  const { data } = document as { readonly data: readonly ReportRow[] };
  return encodeRowsAsCsv(data, fields);
}

function encodeDocument(document: unknown): string {
  const json: string | undefined = JSON.stringify(document);
  if (json === undefined) throw new TypeError(`${typeof document} is not JSON`);
  return json;
}
