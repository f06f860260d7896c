import * as z from 'zod';
import { encodings, windowClocks } from '../contract/messages.ts';
import { profiles } from '../contract/vocabulary.ts';
import { isZoneName, splitUnits } from '../query/calendar.ts';

// The schema of a spec on disk. Only commands that read one load this file.

/** Limits before any pattern sees a string: a stranger may have written it. */
const maxTextLength = 4_000;
const maxWindowLength = 100;
const maxRequestLength = 64 * 1024;

const text = z.string().max(maxTextLength);
const windowText = z.string().max(maxWindowLength);
const texts = z.array(text);
const value = z.union([text, z.number(), z.boolean(), texts]);

const request = z.strictObject({
  profile: z.enum(profiles),
  metrics: texts,
  breakdowns: texts,
  filters: z.record(text, texts).optional(),
  columns: z.union([texts, z.literal('all')]).optional(),
});

/** Members of a spec, for schemas with further members. */
export const specMembers = {
  request: request.refine((value) => JSON.stringify(value).length <= maxRequestLength),
  timezone: z.string().max(maxWindowLength, { abort: true }).refine(isZoneName),
  format: z.object({ name: text }).catchall(value),
  output: text.optional(),
  split: z.enum(splitUnits).optional(),
  period: windowText.optional(),
  since: windowText.optional(),
  until: windowText.optional(),
  missing: z.boolean().optional(),
  lookback: z.int().nonnegative().optional(),
  strict: z.boolean().optional(),
  encoding: z.enum(encodings).optional(),
  account: text.optional(),
  login: text.optional(),
  service: text.optional(),
  windowClock: z.enum(windowClocks).optional(),
};

/** Any other member, which is the value of a flag. */
export const specValue = value;
