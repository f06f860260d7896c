import { defaultZone, reportStatuses } from '../../contract/messages.ts';
import { breakdowns, filters, metrics } from '../../contract/vocabulary.ts';
import { isObject, type JsonObject } from '../../text/json-object.ts';
import { formatPlural } from '../../text/quantity.ts';

/**
 * The shape of a body: keys, types, lengths, and known formats of times and numbers, but no values.
 * It contains only keys of the contract, because any other key may be a name or an id.
 */
export type Shape = string | readonly Shape[] | { readonly [key: string]: Shape };

/** Keys of requests and answers in the specification, in `decisions.md` or in the client. */
// biome-ignore format: a list of words reads as a paragraph
const contractKeys = [
  'auth', 'email', 'password', 'token', 'access_token',
  'since', 'until', 'metrics', 'breakdowns', 'timezone', 'output', 'id',
  'response', 'status', 'state', 'message', 'report_id', 'reportId', 'success',
  'data', 'summary', 'campaigns',
  'advertiserId', 'advertiserName', 'campaignId', 'campaignName', 'campaignStartDate', 'campaignEndDate',
  'adunits', 'adUnits', 'adunitId', 'adunitName', 'adUnitId', 'adUnitName', 'name',
  'error', 'errors', 'error_id', 'error_description', 'code', 'detail', 'details', 'parameter', 'value', 'problem', 'allowed',
  'next', 'links', 'paging', 'pagination',
];

const allowedKeys: ReadonlySet<string> = new Set([
  ...contractKeys,
  ...metrics.flatMap(({ name, rowField }) => [name, ...Object.values(rowField ?? {})]),
  ...breakdowns.flatMap(({ fields }) => fields.map(({ name }) => name)),
  ...filters.map(({ name }) => name),
]);

/** The name of a text format in shapes. */
interface TextFormat {
  readonly pattern: RegExp;
  readonly name: string;

  /** True if the shape includes the length of the text. */
  readonly hasLength?: true;
}

const textFormats: readonly TextFormat[] = [
  { pattern: /^$/, name: 'empty text' },
  { pattern: /^\d{4}-\d\d-\d\d$/, name: 'YYYY-MM-DD' },
  { pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, name: 'YYYY-MM-DD HH:MM:SS' },
  { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, name: 'YYYY-MM-DDTHH:MM:SS' },
  { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, name: 'YYYY-MM-DDTHH:MM:SSZ' },
  { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/, name: 'YYYY-MM-DDTHH:MM:SS+HHMM' },
  { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/, name: 'YYYY-MM-DDTHH:MM:SS+HH:MM' },
  { pattern: /^-?\d+,\d\d$/, name: 'text of a number with a comma and two decimals' },
  { pattern: /^-?\d+,\d+$/, name: 'text of a number with a comma' },
  { pattern: /^-?\d+\.\d+$/, name: 'text of a number with a point' },
  { pattern: /^\d+$/, name: 'digits', hasLength: true },
  { pattern: /^[\da-f]{16,}$/i, name: 'hexadecimal digits', hasLength: true },
  { pattern: /^[A-Z]+(?:_[A-Z]+)*$/, name: 'capitals', hasLength: true },
];

const anyText: TextFormat = { pattern: /^/, name: 'text', hasLength: true };

/** Values that the contract defines, by key. */
const contractWords: Readonly<Record<string, readonly string[]>> = {
  status: ['OK', 'KO', ...reportStatuses],
  message: reportStatuses,
  breakdowns: breakdowns.map(({ name }) => name),
  timezone: [defaultZone, defaultZone.toLowerCase()],
  output: ['direct'],
};

// Limits for the length of a shape: deeper values and further keys are left out.
const maxDepth = 8;
const maxKeys = 80;

/** Replaces each unknown key by a number of its own, unless `keepsKeys` is true. */
export class KeyNames {
  readonly #keepsKeys: boolean;
  readonly #word: string;
  readonly #allowed: ReadonlySet<string>;
  readonly #numbers = new Map<string, number>();

  constructor(keepsKeys: boolean, word = 'key', allowed: ReadonlySet<string> = allowedKeys) {
    this.#keepsKeys = keepsKeys;
    this.#word = word;
    this.#allowed = allowed;
  }

  isKnown(key: string): boolean {
    return this.#allowed.has(key);
  }

  nameOf(key: string): string {
    if (this.#keepsKeys || this.isKnown(key)) return key;

    // Forms have `breakdowns[7]` for lists and `auth[email]` for objects.
    const [, list = '', member = ''] = /^(\w+)\[(\w*)\]$/.exec(key) ?? [];
    const isMember = /^\d{0,3}$/.test(member) || this.#allowed.has(member);
    if (this.#allowed.has(list) && isMember) return key;

    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return `${this.#word}${number}`;
  }
}

/** The shape of a JSON value. The items of a list share one shape that covers them all. */
export function shapeOf(value: unknown, names: KeyNames): Shape {
  return new Shaper(names).shapeOfAll([value], { key: '', depth: 0 });
}

/** The position of a value: its key and depth. */
interface Place {
  readonly key: string;
  readonly depth: number;
}

/** The shortest and longest value of one format. */
interface Lengths {
  shortest: number;
  longest: number;
}

class Shaper {
  readonly #names: KeyNames;

  constructor(names: KeyNames) {
    this.#names = names;
  }

  /** One shape for several values in the same place. */
  shapeOfAll(values: readonly unknown[], place: Place): Shape {
    if (place.depth > maxDepth) return '…';

    const lists = values.filter((value) => Array.isArray(value));
    const objects = values.filter(isObject);
    const scalars = values.filter((value) => !Array.isArray(value) && !isObject(value));

    const shapes: Shape[] = [];
    if (scalars.length > 0) shapes.push(shapeOfScalars(scalars, place.key));
    if (objects.length > 0) shapes.push(this.#shapeOfObjects(objects, place));
    if (lists.length > 0) shapes.push(this.#shapeOfLists(lists, place));

    const [first = 'nothing', ...others] = shapes;
    return others.length === 0 ? first : { 'one of': shapes };
  }

  #shapeOfLists(lists: readonly (readonly unknown[])[], { key, depth }: Place): Shape {
    const lengths = lengthsOf(lists.map(({ length }) => length));
    const items = lists.flat();
    const size = `list of ${rangeText(lengths)}`;
    return items.length === 0 ? size : [size, this.shapeOfAll(items, { key, depth: depth + 1 })];
  }

  #shapeOfObjects(objects: readonly JsonObject[], { depth }: Place): Shape {
    const valuesByKey = new Map<string, unknown[]>();
    for (const object of objects) {
      for (const [key, value] of Object.entries(object)) {
        const values = valuesByKey.get(key) ?? [];
        values.push(value);
        valuesByKey.set(key, values);
      }
    }

    const allKeys = [...valuesByKey.keys()];
    const isKeyedById = allKeys.length > 0 && allKeys.every((key) => /^\d+$/.test(key));
    if (isKeyedById) {
      const items = [...valuesByKey.values()].flat();
      const count = formatPlural(allKeys.length, 'key');
      return { [`${count} of digits`]: this.shapeOfAll(items, { key: '', depth: depth + 1 }) };
    }

    const shape = new Map<string, Shape>();
    for (const [key, values] of valuesByKey) {
      if (shape.size === maxKeys) {
        shape.set('…', `${valuesByKey.size - maxKeys} more keys`);
        break;
      }
      const isSometimesAbsent = values.length < objects.length;
      const name = this.#names.nameOf(key) + (isSometimesAbsent ? '?' : '');
      shape.set(name, this.shapeOfAll(values, { key, depth: depth + 1 }));
    }
    // Not by assignment, because a key may be `__proto__`.
    return Object.fromEntries(shape);
  }
}

function shapeOfScalars(scalars: readonly unknown[], key: string): string {
  const lengthsByFormat = new Map<string, number[]>();
  for (const scalar of scalars) {
    const { name, length } = formatOf(scalar, key);
    const lengths = lengthsByFormat.get(name) ?? [];
    lengths.push(length);
    lengthsByFormat.set(name, lengths);
  }

  const words: string[] = [];
  for (const [name, lengths] of lengthsByFormat) {
    const range = rangeText(lengthsOf(lengths));
    words.push(range === '0' ? name : `${name}, ${range} long`);
  }
  return words.sort().join(' | ');
}

/** The name of a scalar's format, and its length or 0 if the shape does not include it. */
interface ScalarFormat {
  readonly name: string;
  readonly length: number;
}

function formatOf(scalar: unknown, key: string): ScalarFormat {
  if (typeof scalar === 'number') {
    const digits = String(Math.abs(scalar)).length;
    return Number.isInteger(scalar)
      ? { name: 'integer', length: digits }
      : { name: 'number with decimals', length: digits };
  }
  if (typeof scalar !== 'string') return { name: String(scalar), length: 0 };

  // The length of a password would help to guess it.
  if (key === 'password') return { name: 'text', length: 0 };

  const list = key.replace(/\[\d*\]$/, '');
  const words = Object.hasOwn(contractWords, list) ? contractWords[list] : undefined;
  if (words?.includes(scalar)) return { name: `“${scalar}”`, length: 0 };

  const { name, hasLength } = textFormats.find(({ pattern }) => pattern.test(scalar)) ?? anyText;
  return { name, length: hasLength ? scalar.length : 0 };
}

function lengthsOf(all: readonly number[]): Lengths {
  const lengths = { shortest: Number.POSITIVE_INFINITY, longest: 0 };
  for (const length of all) {
    lengths.shortest = Math.min(lengths.shortest, length);
    lengths.longest = Math.max(lengths.longest, length);
  }
  return lengths;
}

function rangeText({ shortest, longest }: Lengths): string {
  return shortest === longest ? String(longest) : `${shortest} to ${longest}`;
}
