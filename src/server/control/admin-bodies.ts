import * as z from 'zod';
import { reportStatuses } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { maxMessageLength } from '../options.ts';
import type { Parameters } from '../request/parse-body.ts';
import { strictObject } from '../strict-object.ts';

/** Bodies of admin calls, as checked and as described in `/openapi.json`. */

/**
 * JSON Schema cannot express the `refine` conditions, so `meta` repeats them as far as possible.
 */
const clock = strictObject({
  advance: z.string().optional().describe('Time to advance by: 500ms, 30s, 5m, 2h or 1d.'),
  now: z.string().optional().meta({ format: 'date-time', description: 'Time to set.' }),
  frozen: z.boolean().optional().describe('Freezes the clock.'),
})
  .refine(
    ({ advance, now, frozen }) =>
      (advance === undefined) !== (now === undefined && frozen === undefined),
    'use either advance, or now and frozen',
  )
  .meta({ minProperties: 1, dependentSchemas: { advance: { maxProperties: 1 } } });

const fault = strictObject({
  fault: z.string().optional().describe('ENDPOINT:KIND[:key=value…]'),
  faults: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Several faults. If one is invalid, none is added.'),
  status: z.int().min(200).max(599).optional().describe('Only for ENDPOINT:answer. Default: 200.'),
  headers: z.record(z.string(), z.string()).optional().describe('Only for ENDPOINT:answer.'),
  body: z
    .unknown()
    .optional()
    .describe('Only for ENDPOINT:answer: a string or any JSON. {id} becomes the report ID.'),
})
  .refine(
    (body) => (body.fault === undefined) !== (body.faults === undefined),
    'use either fault or faults',
  )
  .refine(
    ({ faults, status, headers, body }) =>
      faults === undefined || [status, headers, body].every((member) => member === undefined),
    'status, headers and body work with fault, not with faults',
  )
  .meta({ minProperties: 1, dependentSchemas: { faults: { maxProperties: 1 } } });

const report = strictObject({
  status: z.enum(reportStatuses).describe('The new status.'),
  message: z.string().max(maxMessageLength).optional().describe('The message of the status call.'),
});

const schemas = { clock, fault, report };

export type AdminBodyName = keyof typeof schemas;

const advice: Readonly<Record<AdminBodyName, { readonly hint: string; readonly code?: string }>> = {
  clock: {
    hint: 'Send {"advance":"2h"} or {"now":"2026-11-01T09:00:00Z"}. Add "frozen":true to freeze the clock.',
  },
  fault: {
    hint: 'Send {"fault":"status:503:times=3"}, {"faults":["status:503","campaigns:429"]}, or {"fault":"status:answer","status":200,"headers":{},"body":"…"}.',
    code: 'BAD_FAULT',
  },
  report: { hint: `Send {"status":"…"} with one of ${reportStatuses.join(', ')}.` },
};

/** Throws `UsageError`. */
export function readAdminBody<Name extends AdminBodyName>(
  name: Name,
  parameters: Parameters,
): z.output<(typeof schemas)[Name]>;
export function readAdminBody(name: AdminBodyName, parameters: Parameters): unknown {
  const { success, data, error } = schemas[name].safeParse(parameters);
  if (success) return data;

  // An unknown member is more helpful than the missing one that it was meant to be.
  const { issues } = error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const place = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  const reason = `${place}${issue?.message ?? 'unknown reason'}`.slice(0, 300);
  const end = /[.?]$/.test(reason) ? '' : '.';
  throw new UsageError(`Invalid body: ${reason}${end}`, advice[name]);
}

export function adminBodySchema(name: AdminBodyName): object {
  const { $schema: _, ...schema } = z.toJSONSchema(schemas[name], { io: 'input' });
  return schema;
}
