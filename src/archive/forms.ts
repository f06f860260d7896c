import * as z from 'zod';
import { windowClocks } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { isZoneName, splitUnits } from '../report/window.ts';

// The two kinds of line that the books of a folder have (`cli.md`, A folder of reports keeps its
// own books). Books are data from anywhere, so every member of a line has its type, and no name
// leads out of the folder.

/** Whether a path with slashes stays inside the folder that it is reckoned from. */
function staysInside(path: string): boolean {
  if (/[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

const text = z.string().max(20_000);
const texts = z.array(text);
const hash = z.string().regex(/^[0-9a-f]{32}$/);
const count = z.int().nonnegative();
const path = text.refine(staysInside);
const time = z
  .string()
  .max(40)
  .refine((each) => !Number.isNaN(Date.parse(each)));
const decimal = z
  .string()
  .max(400)
  .regex(/^-?\d+(\.\d+)?$/);
const setting = z.union([text, z.number(), z.boolean(), texts]);

const orderForm = z.strictObject({
  books: z.literal(1),
  order: hash,
  content: hash,
  request: z.strictObject({
    profile: z.enum(profiles),
    metrics: texts,
    breakdowns: texts,
    filters: z.record(text, texts),
    columns: z.union([texts, z.literal('all'), z.null()]),
  }),
  timezone: text.refine(isZoneName),
  format: z.record(text, setting).and(z.object({ name: text })),
  output: path,
  split: z.enum(splitUnits).nullable(),
  period: text.optional(),
  since: text.optional(),
  until: text.optional(),
  lookback: count,
  account: text.nullable(),
  service: text,
  windowClock: z.enum(windowClocks),
  at: time,
  adreport: text,
});

const fileForm = z.strictObject({
  order: hash,
  file: path,
  since: time,
  until: time,
  created: time,
  fetched: time,
  report: text.nullable(),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  totals: z.record(text, decimal),
  warnings: texts,
  kept: z.literal(true).optional(),
});

/** A value whose lists and objects nobody changes. */
type Frozen<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : Value;

/**
 * What files are fetched by: everything that decides their content, their names and when they are
 * final.
 */
export type OrderLine = Frozen<z.infer<typeof orderForm>>;

/**
 * What was fetched into one file, or with `kept` what stands there because the report had no rows.
 */
export type FileLine = Frozen<z.infer<typeof fileForm>>;

/** A line of the books that was read. */
export type BookLine =
  | { readonly kind: 'order'; readonly order: OrderLine }
  | { readonly kind: 'file'; readonly file: FileLine };

/** Reads a line; `undefined` for a torn one, and for anything else that is no line of this form. */
export function parseLine(line: string): BookLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }

  const isOrder = typeof value === 'object' && value !== null && 'books' in value;
  if (isOrder) {
    const { data } = orderForm.safeParse(value);
    return data && { kind: 'order', order: data };
  }
  const { data } = fileForm.safeParse(value);
  return data && { kind: 'file', file: data };
}
