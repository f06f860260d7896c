import * as z from 'zod';
import { reportStatuses } from '../../contract/messages.ts';
import { UsageError } from '../../errors.ts';
import { messageLengthAtMost } from '../options.ts';
import type { Parameters } from '../request/parse-body.ts';
import { strictObject } from '../strict-object.ts';

/** What the admin calls that take a body accept, and `/openapi.json` describes. */

/** A JSON schema has no word for a condition of ours, so that each is written in its words too. */
const clock = strictObject({
  advance: z.string().optional().describe('How far: 500ms, 30s, 5m, 2h or 1d.'),
  now: z.string().optional().meta({ format: 'date-time', description: 'Where it is set to.' }),
  frozen: z.boolean().optional().describe('Whether it stands still there.'),
})
  .refine(
    ({ advance, now, frozen }) =>
      (advance === undefined) !== (now === undefined && frozen === undefined),
    'the clock is either advanced, or set and frozen',
  )
  .meta({ minProperties: 1, dependentSchemas: { advance: { maxProperties: 1 } } });

const fault = strictObject({
  fault: z.string().optional().describe('ENDPOINT:KIND[:key=value…]'),
  faults: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Several faults: all of them, or none where one is wrong.'),
  status: z.int().min(200).max(599).optional().describe('Of ENDPOINT:answer. Default: 200.'),
  headers: z.record(z.string(), z.string()).optional().describe('Of ENDPOINT:answer.'),
  body: z
    .unknown()
    .optional()
    .describe('Of ENDPOINT:answer: a text, or any JSON; {id} in it becomes the report ID.'),
})
  .refine(
    (body) => (body.fault === undefined) !== (body.faults === undefined),
    'it has either fault or faults',
  )
  .refine(
    ({ faults, status, headers, body }) =>
      faults === undefined || [status, headers, body].every((member) => member === undefined),
    'status, headers and body go with fault, and not with faults',
  )
  .meta({ minProperties: 1, dependentSchemas: { faults: { maxProperties: 1 } } });

const report = strictObject({
  status: z.enum(reportStatuses).describe('The status from now on.'),
  message: z
    .string()
    .max(messageLengthAtMost)
    .optional()
    .describe('What the status call says of it.'),
});

const schemas = { clock, fault, report };

/** A body by its name. */
export type AdminBodyName = keyof typeof schemas;

/** How each body is written right, and the code of the error for one that is wrong. */
const advice: Readonly<Record<AdminBodyName, { readonly hint: string; readonly code?: string }>> = {
  clock: {
    hint: 'Send {"advance":"2h"}, or {"now":"2026-11-01T09:00:00Z"}, the latter with "frozen":true to stop the clock there.',
  },
  fault: {
    hint: 'Send {"fault":"status:503:times=3"}, {"faults":["status:503","campaigns:429"]}, or {"fault":"status:answer","status":200,"headers":{},"body":"…"}.',
    code: 'BAD_FAULT',
  },
  report: { hint: `Send {"status":"…"} with one of ${reportStatuses.join(', ')}.` },
};

/** Reads the body of an admin call. Throws `UsageError` for what is not as its schema says. */
export function readAdminBody<Name extends AdminBodyName>(
  name: Name,
  parameters: Parameters,
): z.output<(typeof schemas)[Name]>;
export function readAdminBody(name: AdminBodyName, parameters: Parameters): unknown {
  const { success, data, error } = schemas[name].safeParse(parameters);
  if (success) return data;

  // A misspelt member says more than that the right one is missing.
  const { issues } = error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const place = issue && issue.path.length > 0 ? `${issue.path.join('.')}: ` : '';
  const reason = `${place}${issue?.message ?? 'it is something else'}`.slice(0, 300);
  const end = /[.?]$/.test(reason) ? '' : '.';
  throw new UsageError(`The body is wrong: ${reason}${end}`, advice[name]);
}

/** The JSON schema of a body. */
export function adminBodySchema(name: AdminBodyName): object {
  const { $schema: _, ...schema } = z.toJSONSchema(schemas[name], { io: 'input' });
  return schema;
}
