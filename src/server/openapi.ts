import { columnsOf } from '../contract/columns.ts';
import {
  type Breakdown,
  breakdowns,
  filters,
  type Metric,
  metrics,
  type Profile,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import type { AdminCall } from './admin.ts';
import { kindLabels } from './faults/kinds.ts';
import document from './openapi.json' with { type: 'json' };
import { errorIds } from './service/service-error.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The service as OpenAPI 3.1. What is fixed stands in `openapi.json`; here come what follows from the vocabulary, the ids
 * of the refusals, and the admin calls.
 */
export function openapiDocument(adminCalls: readonly AdminCall[]): object {
  const paths: Record<string, Record<string, object>> = { ...document.paths };
  for (const call of adminCalls) {
    const path = call.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: adminOperation(call) };
  }
  const { ReportRequest: request, ...others } = document.components.schemas;
  const statuses = Object.entries(errorIds).map(([status, ids]) => `${status}: ${ids.join(', ')}`);
  const schemas = {
    ...others,
    ErrorId: {
      enum: Object.values(errorIds).flat(),
      description: `By HTTP status. ${statuses.join('. ')}.`,
    },
    MetricName: namesOf(metrics),
    BreakdownName: namesOf(breakdowns),
    ReportRequest: { ...request, properties: { ...request.properties, ...filterSchemas() } },
    BuyerRow: rowOf('buyer'),
    DspRow: rowOf('dsp'),
  };
  return { ...document, paths, components: { ...document.components, schemas } };
}

function adminOperation({ method, path, meaning, example }: AdminCall): object {
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'The report ID.',
  };
  const json = (more: object) => ({
    content: { 'application/json': { schema: { type: 'object' }, ...more } },
  });
  return {
    operationId: `admin_${method.toLowerCase()}_${path.replace(/^\/__admin\/|\/:id$/g, '')}`,
    tags: ['Local server'],
    summary: meaning,
    description: path.endsWith('/faults') ? `KIND is ${kindLabels.join(', ')}.` : undefined,
    security: [],
    parameters: path.endsWith(':id') ? [id] : undefined,
    requestBody: example && { required: true, ...json({ example }) },
    responses: {
      '200': { description: 'Done, with what there is to tell.', ...json({}) },
      '4XX': { description: 'What is wrong with the call.', ...json({}) },
    },
  };
}

/** A name out of a list, with what each means and whose it is. */
function namesOf(entries: readonly (Metric | Breakdown)[]): Schema {
  const described = (entry: Metric | Breakdown) =>
    `${entry.meaning} (${entry.profiles.join(', ')})`;
  return {
    type: 'string',
    oneOf: entries.map((entry) => ({ const: entry.name, description: described(entry) })),
  };
}

function filterSchemas(): Schema {
  const schemas = filters.map(({ name, meaning, compare, profiles }) => {
    // A number or its digits, told by `type` alone, so that no validator finds both to hold.
    const value =
      compare === 'text' ? { type: 'string' } : { type: ['integer', 'string'], pattern: '^\\d+$' };
    const description = `Only these ${meaning} (${profiles.join(', ')} profile).`;
    return [name, { description, oneOf: [{ type: 'array', items: value }, value] }];
  });
  return Object.fromEntries(schemas);
}

/** A row: the fields that are always there, null where their breakdown was not asked for, and those of a request. */
function rowOf(profile: Profile): Schema {
  const types: Readonly<Record<string, Schema>> = {
    date: { type: 'string', format: 'date' },
    hour: document.components.schemas.Summary.properties.since,
    id: { type: ['string', 'null'], pattern: '^\\d+$' },
    text: { type: ['string', 'null'] },
    integer: { type: 'integer', minimum: 0 },
    money: profile === 'buyer' ? { type: 'number' } : { type: 'string', pattern: '^\\d+,\\d{2}$' },
  };
  const vocabulary = vocabularyOf(profile);
  const fields = [
    ...vocabulary.breakdowns.flatMap((breakdown) => breakdown.fields),
    ...vocabulary.metrics.map(({ name, type, rowField }) => ({
      name: rowField?.[profile] ?? name,
      type,
    })),
  ];
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, type }) => [name, types[type]])),
    required: columnsOf(profile, { metrics: [], breakdowns: [] }).map(({ field }) => field),
    additionalProperties: false,
  };
}
