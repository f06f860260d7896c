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
 * Builds the OpenAPI 3.1 description of the service: `openapi.json`, plus everything that depends
 * on the vocabulary, the error ids and the admin calls.
 */
export function openapiDocument(adminCalls: readonly AdminCall[]): object {
  const schemas = {
    ...document.components.schemas,
    ErrorId: errorIdSchema(),
    MetricName: nameSchema(metrics),
    BreakdownName: nameSchema(breakdowns),
    ReportRequest: requestSchema(),
    ReportForm: formSchema(),
    BuyerRow: rowSchema('buyer'),
    DspRow: rowSchema('dsp'),
  };

  return {
    ...document,
    paths: { ...document.paths, ...adminPaths(adminCalls) },
    components: { ...document.components, schemas },
  };
}

/** Groups the admin calls by path, then by method. */
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

function adminOperation({ method, path, meaning, body }: AdminCall): object {
  const name = path.replace('/__admin/', '').replace('/:id', '');
  const idParameter = {
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
    description:
      path.endsWith('/faults') && body
        ? `KIND is ${kindLabels.join(', ')}.`
        : 'Only on the local server; the real service does not have this call.',
    security: [],
    parameters: path.endsWith(':id') ? [idParameter] : undefined,
    requestBody: body && {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${body.schema}` },
          example: body.example,
        },
      },
    },
    responses: {
      '200': { description: 'Done.', ...anyObject },
      '4XX': { description: 'The call is invalid.', ...anyObject },
    },
  };
}

const anyObject = { content: { 'application/json': { schema: { type: 'object' } } } };

/** Groups the error ids by HTTP status. */
function errorIdSchema(): Schema {
  const idsByStatus = new Map<number, string[]>();
  for (const id of errorIds) {
    const ids = idsByStatus.get(errorStatuses[id]) ?? [];
    idsByStatus.set(errorStatuses[id], [...ids, id]);
  }

  const ofStatuses = [...idsByStatus].map(([status, ids]) => namesSchema(ids, `Status ${status}.`));
  return { description: 'By HTTP status.', anyOf: ofStatuses };
}

/** Describes each name with its meaning and its profiles. */
function nameSchema(entries: readonly (Metric | Breakdown)[]): Schema {
  const names = entries.map(({ name, meaning, profiles }) =>
    namesSchema([name], `${meaning} (${profiles.join(', ')})`),
  );
  return { anyOf: names };
}

/**
 * For use in `anyOf`, from which client generators make a union of strings. From a named schema
 * they would make a TypeScript `enum`, to which no string can be assigned.
 */
function namesSchema(names: readonly string[], description: string): Schema {
  return { type: 'string', enum: names, description };
}

const metricName: Schema = { $ref: '#/components/schemas/MetricName' };
const breakdownName: Schema = { $ref: '#/components/schemas/BreakdownName' };

const metricsMeaning = 'Metric names, separated by commas.';
const breakdownsMeaning =
  'Dimensions to break down by; at most one of DAILY, HOURLY, MONTHLY and RANGE.';

/** Parameters of a report as JSON. */
function requestSchema(): Schema {
  const request = document.components.schemas.ReportRequest;
  const commaList = { type: 'string', minLength: 1, description: metricsMeaning };
  const properties: Record<string, Schema> = {
    ...request.properties,
    metrics: listSchema({ description: 'Metrics to return.', item: metricName, single: commaList }),
    breakdowns: listSchema({ description: breakdownsMeaning, item: breakdownName }),
  };
  for (const filter of filters) {
    const item = filterValueSchema(filter);
    properties[filter.name] = listSchema({ description: filterMeaning(filter), item });
  }

  return { ...request, properties };
}

/** Parameters of a report as a form, in which a list is a repeated field. */
function formSchema(): Schema {
  const { ReportRequest: request, ReportForm: form } = document.components.schemas;
  const properties: Record<string, Schema> = {
    ...request.properties,
    metrics: { type: 'string', minLength: 1, description: metricsMeaning },
    breakdowns: { type: 'array', items: breakdownName, description: breakdownsMeaning },
  };
  for (const filter of filters) {
    const items = filterValueSchema(filter);
    properties[filter.name] = { type: 'array', items, description: filterMeaning(filter) };
  }

  return { ...form, properties };
}

interface ListOptions {
  readonly description: string;
  readonly item: Schema;

  /** Shape of a list that is a single value. Default: one item. */
  readonly single?: Schema;
}

/**
 * Accepts a list in any of its shapes (`decisions.md` 2). The shapes have different types, so that
 * a value matches exactly one of them, as `oneOf` requires.
 */
function listSchema({ description, item, single = item }: ListOptions): Schema {
  const byIndex = {
    type: 'object',
    propertyNames: { pattern: '^\\d+$' },
    additionalProperties: item,
    description: 'The keys are indexes, which only give the order.',
  };
  return { description, oneOf: [{ type: 'array', items: item }, byIndex, single] };
}

function filterMeaning({ meaning, profiles }: Filter): string {
  return `Only these ${meaning} (${profiles.join(', ')} profile).`;
}

function filterValueSchema({ compare }: Filter): Schema {
  if (compare === 'text') return { type: 'string' };
  // One schema with two types: two schemas in oneOf could both match.
  return { type: ['integer', 'string'], pattern: '^\\d+$' };
}

/** The fields in every row are required; they are null without their breakdown. */
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
      return { type: 'string', pattern: '^-?\\d+,\\d{2}$' };
    default:
      return { type: ['string', 'null'] };
  }
}
