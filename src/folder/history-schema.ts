import * as z from 'zod';
import { splitUnits } from '../query/calendar.ts';
import { specMembers, specValue } from './spec-schema.ts';

// The two kinds of history line (cli.md, Folders). A history is untrusted data: every member is
// checked, and names cannot leave the folder. Only commands that read a history load this file.

/** Accepts a relative path with slashes that cannot leave its folder. */
function staysInside(path: string): boolean {
  if (/[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Applies to a member before any pattern sees it. */
const maxTextLength = 4_000;

const text = z.string().max(maxTextLength);
const hash = z.string().regex(/^[0-9a-f]{32}$/);
const count = z.int().nonnegative();
const path = z.string().max(maxTextLength, { abort: true }).refine(staysInside);
const time = z
  .string()
  .max(40, { abort: true })
  .regex(/(Z|[+-]\d\d:?\d\d)$/)
  .refine((value) => !Number.isNaN(Date.parse(value)));
const decimal = z
  .string()
  .max(400, { abort: true })
  .regex(/^-?\d+(\.\d+)?$/);

const specLineSchema = z
  .object({
    ...specMembers,
    history: z.literal(1),
    spec: hash,
    content: hash,
    output: path.regex(/\{(date|since|until)\}/),
    split: z.enum(splitUnits),
    at: time,
    adreport: text,
  })
  .catchall(specValue);

const fileLineSchema = z.strictObject({
  spec: hash,
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

  /** `false` for rows that have no number other than 0. */
  figures: z.literal(false).optional(),

  /** Columns that were not requested, and that the specification does not have. */
  added: z.array(text).optional(),
  warnings: z.array(text),
  kept: z.literal(true).optional(),
});

type Frozen<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
  : Value;

/** Download into a file; with `kept`, the old one, because the new report had no numbers. */
export type FileLine = Frozen<z.infer<typeof fileLineSchema>>;

/** Known by the member `history`, which only spec lines have. */
export type HistoryLine =
  | { readonly kind: 'spec'; readonly line: Frozen<z.infer<typeof specLineSchema>> }
  | { readonly kind: 'file'; readonly line: FileLine };

/** Parses a line; `undefined` for one that is incomplete, invalid or from another version. */
export function parseLine(text: string): HistoryLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }

  const isSpec = typeof value === 'object' && value !== null && 'history' in value;
  if (isSpec) {
    const { data } = specLineSchema.safeParse(value);
    return data && { kind: 'spec', line: data };
  }
  const { data } = fileLineSchema.safeParse(value);
  return data && { kind: 'file', line: data };
}
