import { isUtf8 } from 'node:buffer';
import { ServiceError } from '../service/service-error.ts';
import { brokenJsonAt, brokenUtf8At } from './broken-text.ts';

/**
 * The parameters of a body by name. An array parameter is a JSON array or object, or, from a form, the map of its
 * bracketed keys to their values, in which `name[]=` and a repeated `name=` have the empty key.
 */
export interface Parameters {
  readonly size: number;
  get(name: string): unknown;
  keys(): Iterable<string>;
}

/** The members of a JSON object, which has what it inherits of no concern; a copy of them would cost more than reading. */
class JsonMembers implements Parameters {
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #names: readonly string[];

  constructor(object: object) {
    this.#object = object as Readonly<Record<string, unknown>>;
    this.#names = Object.keys(object);
  }

  get size(): number {
    return this.#names.length;
  }

  get(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }

  keys(): Iterable<string> {
    return this.#names;
  }
}

/** More than there are parameters; each one that is not known costs a sentence of the answer. */
const namesAtMost = 1_000;
/** Enough for every filter at its most values. */
const fieldsAtMost = 20_000;
const formType = 'application/x-www-form-urlencoded';
const acceptedTypes = new Set(['', 'application/json', formType, 'text/plain']);

/**
 * Reads a body: one that begins with `{` is JSON whatever its Content-Type says, because `curl -d @file` labels JSON as
 * a form (`decisions.md` 1). Throws `ServiceError` 400 or 415.
 */
export function parseBody(text: string, contentType: string | undefined): Parameters {
  const start = text.startsWith('{') ? text : text.trimStart();
  const parameters = start.startsWith('{') ? parseJsonObject(text, start) : parseOther(start, contentType);
  if (parameters.size > namesAtMost) {
    throw new ServiceError('INVALID_BODY', `The body has more than ${namesAtMost} parameters.`);
  }
  return parameters;
}

/** The text of a body. Throws `ServiceError` 400 where it is not UTF-8. */
export function decodeBody(body: Buffer): string {
  const text = body.toString('utf8');
  // What cannot be decoded becomes this character, which a body may hold by right as well.
  if (!text.includes('\ufffd') || isUtf8(body)) return text;
  const at = brokenUtf8At(body);
  throw new ServiceError(
    'INVALID_BODY',
    `The body is not UTF-8: its byte ${at + 1} (${hex(body[at])}) cannot stand there.`,
  );
}

function hex(byte = 0): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

/** @param json the text without the blanks before it: a byte order mark is one to JavaScript, and an error to its JSON */
function parseJsonObject(text: string, json: string): Parameters {
  try {
    return new JsonMembers(JSON.parse(json) as object);
  } catch {
    throw new ServiceError('INVALID_BODY', describeBroken(text, text.length - json.length + brokenJsonAt(json)));
  }
}

function describeBroken(text: string, at: number): string {
  const [character] = text.slice(at, at + 2);
  if (character === undefined) return `The body ends after ${text.length} characters, and its JSON is not complete.`;
  const before = text.slice(0, at).split('\n');
  const place = `character ${at + 1} (line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`;
  return `The body is not valid JSON: its ${place}, ${JSON.stringify(character)}, cannot stand there.`;
}

function parseOther(text: string, contentType: string | undefined): Parameters {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isJson = type === 'application/json' || type.endsWith('+json');
  if (!isJson && !acceptedTypes.has(type)) {
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', `A body is JSON or ${formType}, not “${type.slice(0, 80)}”.`);
  }
  if (text === '') return new Map();
  if (!isJson) return parseForm(text.trimEnd());
  throw new ServiceError('INVALID_BODY', 'The JSON body must be an object: its first character must be “{”.');
}

function parseForm(text: string): Parameters {
  const parameters = new Map<string, unknown>();
  const fields = text.split('&', fieldsAtMost + 1);
  if (fields.length > fieldsAtMost) {
    throw new ServiceError('INVALID_BODY', `The body has more than ${fieldsAtMost} fields.`);
  }
  for (const field of fields) {
    if (field === '') continue;
    const equals = field.indexOf('=');
    const key = decodeFormText(equals < 0 ? field : field.slice(0, equals));
    addField(parameters, key, equals < 0 ? '' : decodeFormText(field.slice(equals + 1)));
  }
  return parameters;
}

function decodeFormText(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ServiceError(
      'INVALID_BODY',
      `The form has a percent-encoding that is not UTF-8: “${text.slice(0, 80)}”.`,
    );
  }
}

/** Adds a field of a form; its key is `name`, `name[]` or `name[key]`. */
function addField(parameters: Map<string, unknown>, key: string, value: string): void {
  const [, name = key, inner] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(key) ?? [];
  const known = parameters.get(name);
  if (known === undefined && inner === undefined) {
    parameters.set(name, value);
    return;
  }
  const keyed: Map<string, unknown> = known instanceof Map ? known : new Map(known === undefined ? [] : [['', known]]);
  const before = keyed.get(inner ?? '');
  if (Array.isArray(before)) before.push(value);
  else keyed.set(inner ?? '', before === undefined ? value : [before, value]);
  parameters.set(name, keyed);
}

/** The members of a JSON object, or of a form's bracketed keys; `undefined` for anything else. */
export function readMembers(value: unknown): Parameters | undefined {
  if (value instanceof Map) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new JsonMembers(value);
}

/**
 * The values of an array parameter in ascending index order, from any of its shapes: a JSON array, an object with integer
 * keys (JSON, or `name[7]=`), `name[]=`, or one scalar (`decisions.md` 2). Those without an index come last. An index
 * allocates nothing. `undefined` where the shape is none of these.
 */
export function readArray(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return readScalars(value);
  const members = readMembers(value);
  if (!members) return readScalars([value]);
  const keys = [...members.keys()];
  if (!keys.every((key) => /^\d{0,15}$/.test(key))) return undefined;
  const index = (key: string): number => (key === '' ? Number.MAX_SAFE_INTEGER : Number(key));
  return readScalars(keys.sort((a, b) => index(a) - index(b)).flatMap((key) => members.get(key)));
}

function readScalars(values: readonly unknown[]): readonly string[] | undefined {
  if (values.every((value) => typeof value === 'string')) return values;
  const texts: string[] = [];
  for (const value of values) {
    const text = readScalar(value);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts;
}

/**
 * A string, or a number as text; `undefined` for anything else, and for a whole number so large that JSON cannot tell it
 * from its neighbours.
 */
export function readScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined;
}

/** Whether a value, or one in it, is a number that JSON cannot tell from its neighbours: an ID that should be a string. */
export function isInexact(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some((item) => typeof item === 'number' && isInexact(item));
  }
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}
