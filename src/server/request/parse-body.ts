import { isUtf8 } from 'node:buffer';
import qs from 'qs';
import { ServiceError } from '../service/service-error.ts';

/** The parameters of a body by name, as JSON or a form gives them. */
export type Parameters = Readonly<Record<string, unknown>>;

export const bodyBytesAtMost = 1024 * 1024;
/** More than there are parameters; each one that is not known costs a sentence of the answer. */
const namesAtMost = 1_000;
/** Enough for every filter with the most values it may have. */
const fieldsAtMost = 20_000;
const formType = 'application/x-www-form-urlencoded';

/**
 * Reads a body. One that begins with `{` is JSON whatever its Content-Type says, because `curl -d @file` labels JSON as
 * a form (`decisions.md` 1). Throws `ServiceError` 400, 413 or 415.
 */
export function parseBody(body: Buffer, contentType = '', coding = 'identity'): Parameters {
  if (body.length > bodyBytesAtMost) {
    throw new ServiceError('BODY_TOO_LARGE', `A body has at most ${bodyBytesAtMost} bytes.`);
  }
  if (coding.toLowerCase() !== 'identity') {
    const error = `A body with Content-Encoding: ${coding.slice(0, 80)} is not accepted: send it as it is.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', error);
  }
  if (!isUtf8(body)) throw new ServiceError('INVALID_BODY', 'The body is not UTF-8.');
  // A byte order mark is a blank to JavaScript, and an error to its JSON.
  const text = body.toString('utf8').trim();
  const isJson = text.startsWith('{');
  if (!isJson) assertForm(text, contentType.split(';')[0]?.trim().toLowerCase() ?? '');
  // Bracketed keys become objects, never arrays, so that a huge index allocates nothing.
  const bounds = { parameterLimit: fieldsAtMost, arrayLimit: 0, depth: 1, plainObjects: true };
  const decoder = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
  let parameters: Parameters;
  try {
    parameters = isJson ? JSON.parse(text) : qs.parse(text, { ...bounds, decoder });
  } catch (error) {
    const reason = (error as Error).message.slice(0, 200);
    throw new ServiceError(
      'INVALID_BODY',
      `The body is neither valid JSON nor a valid form: ${reason}.`,
    );
  }
  if (Object.keys(parameters).length <= namesAtMost) return parameters;
  throw new ServiceError('INVALID_BODY', `The body has more than ${namesAtMost} parameters.`);
}

/** Refuses a body that is neither called a form nor left unnamed, and one with too many fields. */
function assertForm(text: string, type: string): void {
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (!isJson && !['', formType, 'text/plain'].includes(type)) {
    throw new ServiceError(
      'UNSUPPORTED_MEDIA_TYPE',
      `A body is JSON or ${formType}, not “${type.slice(0, 80)}”.`,
    );
  }
  if (isJson && text !== '') {
    throw new ServiceError(
      'INVALID_BODY',
      'The JSON body must be an object: its first character must be “{”.',
    );
  }
  if (text.split('&', fieldsAtMost + 1).length > fieldsAtMost) {
    throw new ServiceError('INVALID_BODY', `The body has more than ${fieldsAtMost} fields.`);
  }
}

/**
 * The values of an array parameter in ascending index order, from any of its shapes: a JSON array, an object with integer
 * keys (JSON, or `name[7]=`), `name[]=`, a repeated `name=`, or one scalar (`decisions.md` 2). `undefined` where the shape
 * is none of these.
 */
export function readArray(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const isMembers = typeof value === 'object' && !Array.isArray(value);
  const keys = isMembers ? Object.keys(value).toSorted((a, b) => Number(a) - Number(b)) : [];
  if (!keys.every((key) => /^\d{1,15}$/.test(key))) return undefined;
  // A form that repeats `name[0]=` has an object there.
  const members = keys.flatMap((key): unknown[] => [readArray((value as Parameters)[key])].flat());
  const texts = (isMembers ? members : [value].flat()).map(readScalar);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

/**
 * A string, or a number as text; `undefined` for anything else, and for a whole number so large that JSON cannot tell it
 * from its neighbours.
 */
export function readScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? String(value)
    : undefined;
}
