import type { IncomingMessage } from 'node:http';
import type { FaultRequest } from '../public-types.ts';
import { indexesIn, type Parameters } from './parse-body.ts';

/** Describes a request as the function `when` of a fault, and the request log, receive it. */
export function toFaultRequest(incoming: IncomingMessage, parameters: Parameters): FaultRequest {
  const { method = '', url = '' } = incoming;
  return {
    method,
    path: readPath(url),
    headers: joinHeaders(incoming),
    body: normalizeLists(parameters),
  };
}

/** Converts lists in any of their shapes to arrays. */
export function normalizeLists(parameters: Parameters): Parameters {
  const entries = Object.entries(parameters).map(([name, value]) => [name, toList(value)]);
  return Object.fromEntries(entries);
}

/** Converts an object with indexes, as in a form, to an array. */
function toList(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;

  const indexes = indexesIn(value);
  return indexes ? indexes.map((index) => (value as Parameters)[index]) : value;
}

/** Returns the headers by lower-case name. The values of a repeated header are joined by commas. */
export function joinHeaders({ headersDistinct }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    headers[name] = values.join(', ');
  }
  return headers;
}

/** Returns the first 200 characters of a path, without the query string. */
export function readPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, 200);
}
