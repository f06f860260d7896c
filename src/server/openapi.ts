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
import type { AdminBodyName } from './control/admin-bodies.ts';
import type { AdminCall } from './control/admin-calls.ts';
import { kindLabels } from './faults/kinds.ts';
import document from './openapi.json' with { type: 'json' };
import { errorIds, errorStatuses } from './service/service-error.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The schema that the body of an admin call is checked by. */
type SchemaOfBody = (name: AdminBodyName) => object;

/**
 * The service as OpenAPI 3.1. What is fixed stands in `openapi.json`; here come what follows from
 * the vocabulary, the ids of the refusals, and the admin calls.
 */
export function openapiDocument(adminCalls: readonly AdminCall[], schemaOf: SchemaOfBody): object {
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
    paths: { ...document.paths, ...adminPaths(adminCalls, schemaOf) },
    components: { ...document.components, schemas },
  };
}

/** The admin calls by path, then by method. */
function adminPaths(
  adminCalls: readonly AdminCall[],
  schemaOf: SchemaOfBody,
): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};

  for (const call of adminCalls) {
    const path = call.path.replace(':id', '{id}');
    const operations = paths[path] ?? {};
    operations[call.method.toLowerCase()] = adminOperation(call, schemaOf);
    paths[path] = operations;
  }

  return paths;
}

function adminOperation(
  { method, path, meaning, body }: AdminCall,
  schemaOf: SchemaOfBody,
): object {
  const name = path.replace('/__admin/', '').replace('faults/:id', 'fault').replace('/:id', '');
  const idParameter = {
    name: 'id',
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: path.includes('/reports/') ? 'The report ID.' : 'The id of the fault.',
  };

  return {
    operationId: `admin_${method.toLowerCase()}_${name}`,
    tags: ['Local server'],
    summary: meaning,
    description:
      path.endsWith('/faults') && body
        ? `KIND is ${kindLabels.join(', ')}.`
        : `The real service has no such call: ${meaning}.`,
    security: [],
    parameters: path.endsWith(':id') ? [idParameter] : undefined,
    requestBody: body && {
      required: true,
      content: { 'application/json': { schema: schemaOf(body.name), example: body.example } },
    },
    responses: {
      '200': { description: 'Done, with what there is to tell.', ...anyObject },
      '4XX': { description: 'What is wrong with the call.', ...anyObject },
    },
  };
}

/** An answer about which nothing more is said. */
const anyObject = { content: { 'application/json': { schema: { type: 'object' } } } };

/** The code of a refusal, by its HTTP status. */
function errorIdSchema(): Schema {
  const idsByStatus = new Map<number, string[]>();
  for (const id of errorIds) {
    const ids = idsByStatus.get(errorStatuses[id]) ?? [];
    idsByStatus.set(errorStatuses[id], [...ids, id]);
  }

  const ofStatuses = [...idsByStatus].map(([status, ids]) => namesSchema(ids, `With ${status}.`));
  return { description: 'By HTTP status.', anyOf: ofStatuses };
}

/** A name out of a list, with what each means and whose it is. */
function nameSchema(entries: readonly (Metric | Breakdown)[]): Schema {
  const names = entries.map(({ name, meaning, profiles }) =>
    namesSchema([name], `${meaning} (${profiles.join(', ')})`),
  );
  return { anyOf: names };
}

/**
 * Some names, as a part of `anyOf`: of that, generators of clients make a union of texts. Of a
 * schema of its own they make a TypeScript `enum`, to which no text can be assigned.
 */
function namesSchema(names: readonly string[], description: string): Schema {
  return { type: 'string', enum: names, description };
}

const metricName: Schema = { $ref: '#/components/schemas/MetricName' };
const breakdownName: Schema = { $ref: '#/components/schemas/BreakdownName' };

const metricsMeaning = 'Metric names, with commas between them.';
const breakdownsMeaning =
  'Dimensions to break down by; at most one of DAILY, HOURLY, MONTHLY and RANGE.';

/** The parameters of a report as JSON. */
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

/** The parameters of a report as a form, in which a list is its values, one after the other. */
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

/** What a list holds. */
interface ListOptions {
  readonly description: string;
  readonly item: Schema;

  /** What stands for the whole list; one item where absent. */
  readonly single?: Schema;
}

/**
 * A list in any of its shapes (`decisions.md` 2). They differ in their types, so that no validator
 * finds two to hold.
 */
function listSchema({ description, item, single = item }: ListOptions): Schema {
  const byIndex = {
    type: 'object',
    propertyNames: { pattern: '^\\d+$' },
    additionalProperties: item,
    description: 'The keys are indexes, which only order.',
  };
  return { description, oneOf: [{ type: 'array', items: item }, byIndex, single] };
}

function filterMeaning({ meaning, profiles }: Filter): string {
  return `Only these ${meaning} (${profiles.join(', ')} profile).`;
}

function filterValueSchema({ compare }: Filter): Schema {
  if (compare === 'text') return { type: 'string' };
  // A number or its digits, told by `type` alone, so that no validator finds both to hold.
  return { type: ['integer', 'string'], pattern: '^\\d+$' };
}

/**
 * A row: the fields that are always there, null where their breakdown was not asked for, and those
 * of a request.
 */
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
