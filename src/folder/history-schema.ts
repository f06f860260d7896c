import * as z from 'zod';
import { maxNumberLength } from '../text/decimal.ts';

// A history is untrusted data. This file is loaded only by commands that read or write a history.

/** Longer strings from the service are cut. */
export const maxLineText = 2_000;

/** Further warnings of a report are omitted. */
export const maxWarnings = 3;

/**
 * Limits the length of strings before any pattern is applied, because a stranger may have written
 * them.
 */
const text = z.string().max(maxLineText);
const count = z.int().nonnegative();
const time = z
  .string()
  .max(40, { abort: true })
  .regex(/(Z|[+-]\d\d:\d\d)$/)
  .refine((value) => !Number.isNaN(Date.parse(value)));
const decimal = z
  .string()
  .max(maxNumberLength, { abort: true })
  .regex(/^-?\d+(\.\d+)?$/);

export const fileLineSchema = z.strictObject({
  id: text,
  file: text,
  since: time,
  until: time,
  created: time,
  report: text.nullable(),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  totals: z.record(text, decimal),
  warnings: z.array(text).max(maxWarnings),
});

/** A download, as one line of the history (cli.md, Folders). */
export type FileLine = Readonly<z.infer<typeof fileLineSchema>>;

/** Exact sums in decimal notation, by metric. */
export type Totals = FileLine['totals'];
