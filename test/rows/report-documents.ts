import fc from 'fast-check';

/** A JSON value as a string, so that digits and escapes are kept. */
type JsonText = string;

/** A report document in parts, which can be written in any layout. */
export interface DocumentParts {
  /** Rows as lists of keys and values. A key may repeat. */
  readonly rows: readonly (readonly (readonly [key: JsonText, value: JsonText])[])[];
  readonly members: readonly (readonly [name: string, value: JsonText])[];
  readonly envelope: 'document' | 'data last' | 'array';

  /** White space between tokens, in turn. */
  readonly blanks: readonly string[];
  readonly byteOrderMark: boolean;
}

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '12345678901234567890',
    '0.10',
    '1e5',
    '-0',
    '1E+2',
    '-12.500',
    '0.000000000000000000001',
    '9e-7',
  ),
);

const unicodeEscapes = ['\\u00e9', '\\ud83d\\ude00', '\\ud83d', '\\ude00\\ud83d'];
const plainEscapes = ['\\/', '\\"', '\\\\', '\\n', '\\t', '\\r\\n', '\\b\\f'];
const syntax = ['}],', '],\\"summary\\":{}}', ',', ';', 'null'];
const otherTexts = ['=1+1', '日本', '🦊', ' ', '1234,50'];

const stringPiece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom(...unicodeEscapes, ...plainEscapes),
  fc.constantFrom(...syntax, ...otherTexts),
  fc.constantFrom('\\u0000', '\\u001b[31m'),
);

export const stringText = fc
  .array(stringPiece, { maxLength: 3 })
  .map((pieces) => `"${pieces.join('')}"`);

const { value: valueText } = fc.letrec<{ value: JsonText; scalar: JsonText; nested: JsonText }>(
  (tie) => ({
    value: fc.oneof(
      { weight: 9, arbitrary: tie('scalar') },
      { weight: 1, arbitrary: tie('nested') },
    ),
    scalar: fc.oneof(stringText, numberText, fc.constantFrom('null', 'true', 'false')),
    nested: fc.oneof(
      { maxDepth: 3 },
      fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(' , ')}]`),
      fc.array(fc.tuple(stringText, tie('value')), { maxLength: 3 }).map(objectText),
    ),
  }),
);

function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, value]) => `${key}: ${value}`).join(',\n')}}`;
}

const keyText = fc.oneof(
  fc.constantFrom(
    '"date"',
    '"campaignName"',
    '"displays"',
    '"revenueEuro"',
    '"valueDollar"',
    '"city"',
    '"a"',
    '""',
  ),
  fc.constantFrom(
    '"\\u0061"',
    '"__proto__"',
    '"constructor"',
    '"clé"',
    '"a,b"',
    '"say \\"hi\\""',
    '"data"',
  ),
);

const row = fc.array(fc.tuple(keyText, valueText), { maxLength: 7 });

/** Rows that mostly have the same keys, like those of a service. */
const rows = fc.uniqueArray(keyText, { maxLength: 7 }).chain((keys) => {
  const usual = fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), valueText)));
  return fc.array(fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: row }), {
    maxLength: 12,
  });
});

const summary =
  '{"since":"2026-11-01T00:00:00+0100","until":"2026-11-30T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';
const member = fc.oneof(
  fc.constant(['summary', summary] as const),
  fc.tuple(fc.constantFrom('extra', 'meta', 'summary'), valueText),
  fc.constant(['meta', '{"data":[{"date":"not this"}]}'] as const),
);

const blank = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' ', '\n  ', '\r\n', '\t') },
);

export const documentParts: fc.Arbitrary<DocumentParts> = fc.record({
  rows,
  members: fc.uniqueArray(member, { maxLength: 3, selector: ([name]) => name }),
  envelope: fc.constantFrom('document', 'data last', 'array'),
  blanks: fc.oneof(fc.constant(['']), fc.array(blank, { minLength: 1, maxLength: 7 })),
  byteOrderMark: fc.boolean(),
});

/** The document's text. */
export function textOf(parts: DocumentParts): string {
  let turn = 0;
  const join = (tokens: readonly string[]): string =>
    tokens.map((token) => token + (parts.blanks[turn++ % parts.blanks.length] ?? '')).join('');
  const list = (items: readonly string[], open: string, close: string): string =>
    join([open, ...items.flatMap((item, i) => (i === 0 ? [item] : [',', item])), close]);
  const rows = parts.rows.map((row) => {
    const members = row.map(([key, value]) => join([key, ':', value]));
    return list(members, '{', '}');
  });
  const array = list(rows, '[', ']');
  const members = parts.members.map(([name, value]) => join([JSON.stringify(name), ':', value]));
  const data = join(['"data"', ':', array]);
  const ordered = parts.envelope === 'data last' ? [...members, data] : [data, ...members];
  const mark = parts.byteOrderMark ? '\ufeff' : '';
  if (parts.envelope === 'array') return mark + array;
  return mark + list(ordered, '{', '}');
}

/** Bytes cut into chunks of one size. */
export async function* chunksOf(bytes: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes);
}

/** The content of a document according to JSON.parse. */
export function referenceOf(bytes: Uint8Array): {
  readonly rows: readonly object[];
  readonly members: Readonly<Record<string, unknown>>;
} {
  const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (Array.isArray(value)) return { rows: value, members: {} };
  const { data, ...members } = value;
  return { rows: data, members };
}
