import { columnsOf, type FieldType } from '../contract/columns.ts';
import {
  type Breakdown,
  breakdowns,
  type Filter,
  filters,
  type Metric,
  metrics,
  type Profile,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import type { AdminCall } from './control/admin-calls.ts';
import { kindLabels } from './faults/kinds.ts';
import document from './openapi.json' with { type: 'json' };
import { errorIds, errorStatuses } from './service/service-error.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The service as OpenAPI 3.1. What is fixed stands in `openapi.json`; here come what follows from the vocabulary, the ids
 * of the refusals, and the admin calls.
 */
export function openapiDocument(adminCalls: readonly AdminCall[]): object {
  const { ReportRequest: request, ...otherSchemas } = document.components.schemas;
  const schemas = {
    ...otherSchemas,
    ErrorId: errorIdSchema(),
    MetricName: nameSchema(metrics),
    BreakdownName: nameSchema(breakdowns),
    ReportRequest: { ...request, properties: { ...request.properties, ...filterSchemas() } },
    BuyerRow: rowSchema('buyer'),
    DspRow: rowSchema('dsp'),
  };

  return {
    ...document,
    paths: { ...document.paths, ...adminPaths(adminCalls) },
    components: { ...document.components, schemas },
  };
}

/** The admin calls by path, then by method. */
function adminPaths(adminCalls: readonly AdminCall[]): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};

  for (const call of adminCalls) {
    const path = call.path.replace(':id', '{id}');
    const operations = paths[path] ?? {};
    operations[call.method.toLowerCase()] = adminOperation(call);
    paths[path] = operations;
  }

  return paths;
}

function adminOperation({ method, path, meaning, example }: AdminCall): object {
  const name = path.replace(/^\/__admin\/|\/:id$/g, '');
  const reportId = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: 'The report ID.',
  };

  return {
    operationId: `admin_${method.toLowerCase()}_${name}`,
    tags: ['Local server'],
    summary: meaning,
    description: path.endsWith('/faults') ? `KIND is ${kindLabels.join(', ')}.` : undefined,
    security: [],
    parameters: path.endsWith(':id') ? [reportId] : undefined,
    requestBody: example && { required: true, ...jsonContent({ example }) },
    responses: {
      '200': { description: 'Done, with what there is to tell.', ...jsonContent({}) },
      '4XX': { description: 'What is wrong with the call.', ...jsonContent({}) },
    },
  };
}

function jsonContent(more: object): object {
  return { content: { 'application/json': { schema: { type: 'object' }, ...more } } };
}

function errorIdSchema(): Schema {
  const idsByStatus = new Map<number, string[]>();
  for (const id of errorIds) {
    const ids = idsByStatus.get(errorStatuses[id]) ?? [];
    idsByStatus.set(errorStatuses[id], [...ids, id]);
  }

  const lists = [...idsByStatus].map(([status, ids]) => `${status}: ${ids.join(', ')}`);
  return { enum: errorIds, description: `By HTTP status. ${lists.join('. ')}.` };
}

/** A name out of a list, with what each means and whose it is. */
function nameSchema(entries: readonly (Metric | Breakdown)[]): Schema {
  const constants = entries.map(({ name, meaning, profiles }) => ({
    const: name,
    description: `${meaning} (${profiles.join(', ')})`,
  }));
  return { type: 'string', oneOf: constants };
}

function filterSchemas(): Schema {
  const schemas = filters.map((filter) => [filter.name, filterSchema(filter)]);
  return Object.fromEntries(schemas);
}

function filterSchema({ meaning, compare, profiles }: Filter): Schema {
  // A number or its digits, told by `type` alone, so that no validator finds both to hold.
  const value =
    compare === 'text' ? { type: 'string' } : { type: ['integer', 'string'], pattern: '^\\d+$' };

  return {
    description: `Only these ${meaning} (${profiles.join(', ')} profile).`,
    oneOf: [{ type: 'array', items: value }, value],
  };
}

/** A row: the fields that are always there, null where their breakdown was not asked for, and those of a request. */
function rowSchema(profile: Profile): Schema {
  const vocabulary = vocabularyOf(profile);
  const properties: Record<string, Schema> = {};

  for (const { fields } of vocabulary.breakdowns) {
    for (const { name, type } of fields) properties[name] = fieldSchema(type, profile);
  }
  for (const { name, type, rowField } of vocabulary.metrics) {
    properties[rowField?.[profile] ?? name] = fieldSchema(type, profile);
  }

  const fieldsOfEveryRow = columnsOf(profile, { metrics: [], breakdowns: [] });
  return {
    type: 'object',
    properties,
    required: fieldsOfEveryRow.map(({ field }) => field),
    additionalProperties: false,
  };
}

function fieldSchema(type: FieldType, profile: Profile): Schema {
  switch (type) {
    case 'date':
      return { type: 'string', format: 'date' };
    case 'hour':
      return document.components.schemas.Summary.properties.since;
    case 'id':
      return { type: ['string', 'null'], pattern: '^\\d+$' };
    case 'integer':
      return { type: 'integer', minimum: 0 };
    case 'money':
      if (profile === 'buyer') return { type: 'number' };
      return { type: 'string', pattern: '^\\d+,\\d{2}$' };
    default:
      return { type: ['string', 'null'] };
  }
}
