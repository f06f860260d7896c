import * as z from 'zod';
import { maxNumberLength } from '../text/decimal.ts';

// Validates history files, which are untrusted data. Loaded only by commands that use a history.

const count = z.int().nonnegative();
const time = z.iso.datetime({ offset: true });
const decimal = z
  .string()
  .max(maxNumberLength, { abort: true })
  .regex(/^-?\d+(\.\d+)?$/);

export const fileLineSchema = z.strictObject({
  id: z.string(),
  file: z.string(),
  since: time,
  until: time,
  created: time,
  report: z.string().nullable(),
  rows: count,
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  totals: z.record(z.string(), decimal),
  warnings: z.array(z.string()),
});

/** A download: one line of the history (`cli.md`, Folders). */
export type FileLine = Readonly<z.infer<typeof fileLineSchema>>;

/** Exact sums in decimal notation, by metric. */
export type Totals = FileLine['totals'];
