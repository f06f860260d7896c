import { isUtf8 } from 'node:buffer';
import qs from 'qs';
import { ServiceError } from '../service/service-error.ts';

/** Parameters of a JSON or form body, by name. */
export type Parameters = Readonly<Record<string, unknown>>;

export const maxBodyBytes = 1024 * 1024;

/**
 * Maximum number of parameters. Real requests have fewer, and each unknown name lengthens the
 * response.
 */
const maxNames = 1_000;

/**
 * Maximum number of form fields. Others are dropped. Such a request is rejected anyway, because a
 * list has at most 1,000 values.
 */
const maxFields = 20_000;

const formType = 'application/x-www-form-urlencoded';

/**
 * Parses a body. A body that starts with `{` is JSON whatever its Content-Type, because `curl -d
 * @file` labels JSON as a form (`decisions.md` 1). Throws `ServiceError` 400, 413 or 415.
 */
export function parseBody(body: Buffer, contentType = '', coding = 'identity'): Parameters {
  const text = decodeBody(body, coding);
  const isJson = text.startsWith('{');
  if (!isJson) requireForm(text, contentType);

  const parameters = isJson ? parseJson(text) : parseFields(text);
  if (Object.keys(parameters).length > maxNames) {
    throw new ServiceError('INVALID_BODY', `The body has more than ${maxNames} parameters.`);
  }
  return parameters;
}

function decodeBody(body: Buffer, coding: string): string {
  if (body.length > maxBodyBytes) {
    throw new ServiceError('BODY_TOO_LARGE', `The body has more than ${maxBodyBytes} bytes.`);
  }
  if (coding.toLowerCase() !== 'identity') {
    const message = `Content-Encoding ${coding.slice(0, 80)} is not supported: send the body uncompressed.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  if (!isUtf8(body)) throw new ServiceError('INVALID_BODY', 'The body is not UTF-8.');

  // trim also removes a byte order mark, which JSON.parse would reject.
  return body.toString('utf8').trim();
}

/** Rejects a body that is not labeled as a form. */
function requireForm(text: string, contentType: string): void {
  const [label = ''] = contentType.split(';');
  const type = label.trim().toLowerCase();
  const isJsonType = type === 'application/json' || type.endsWith('+json');
  const isFormType = type === '' || type === formType || type === 'text/plain';

  if (!isJsonType && !isFormType) {
    const message = `The body must be JSON or ${formType}, not “${type.slice(0, 80)}”.`;
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
  }
  if (isJsonType && text !== '') {
    const message = 'The JSON body must be an object: its first character must be “{”.';
    throw new ServiceError('INVALID_BODY', message);
  }
}

function parseJson(text: string): Parameters {
  let parameters: Record<string, string>;
  try {
    parameters = JSON.parse(text);
  } catch {
    throw new ServiceError('INVALID_BODY', 'The body starts with “{” but is not valid JSON.');
  }

  const hasBrackets = Object.keys(parameters).some((key) => key.includes('['));
  return hasBrackets ? parseFields(parameters) : parameters;
}

/**
 * Parses a form, or the keys of JSON: `{"breakdowns[7]":"DAILY"}` becomes
 * `{"breakdowns":{"7":"DAILY"}}` (`decisions.md` 2).
 */
function parseFields(form: string | Record<string, string>): Parameters {
  try {
    return qs.parse(form, {
      parameterLimit: maxFields,
      // Keys in brackets become objects, never arrays, so that a huge index allocates nothing.
      arrayLimit: 0,
      depth: 1,
      plainObjects: true,
      decoder: (part) => decodeURIComponent(part.replaceAll('+', ' ')),
    });
  } catch {
    throw new ServiceError('INVALID_BODY', 'The body is a form with invalid percent-encoding.');
  }
}

/**
 * Returns the values of an array parameter in any of its shapes, or `undefined` if it is not a list
 * of strings or numbers.
 */
export function parseArray(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];

  const elements = toList(value)?.map(parseScalar);
  return elements?.every((element) => element !== undefined) ? elements : undefined;
}

/** A parameter without a value counts as missing. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Converts lists, in any of their shapes, to arrays. */
export function normalizeLists(parameters: Parameters): Parameters {
  const entries = Object.entries(parameters).map(([name, value]) => {
    const isObject = typeof value === 'object' && value !== null;
    return [name, (isObject && toList(value)) || value];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the elements of an array parameter (`decisions.md` 2). It may be a JSON array, an object
 * with indexes (JSON, or `name[7]=`), `name[]=`, a repeated `name=`, or a single value. Elements
 * with indexes are in ascending order. Returns `undefined` for an object with other keys.
 */
function toList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [value];

  const members = new Map(Object.entries(value));
  const keys = [...members.keys()];
  if (!keys.every((key) => /^\d{1,15}$/.test(key))) return undefined;
  return keys.sort((a, b) => Number(a) - Number(b)).map((key) => members.get(key));
}

/**
 * Returns a string or a number as a string, or `undefined` for anything else, including unsafe
 * integers.
 */
export function parseScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  return String(value);
}
