import { type FieldType, listColumns } from '../contract/columns.ts';
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
import document from './openapi.json' with { type: 'json' };
import { errorIds, errorStatuses } from './service/service-error.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Builds the OpenAPI 3.1 description of the service. It consists of `openapi.json` and the parts
 * that depend on the vocabulary and the error IDs.
 */
export function buildOpenapiDocument(): object {
  const schemas = {
    ...document.components.schemas,
    ErrorId: { anyOf: errorIds.map((id) => enumSchema([id], `Status ${errorStatuses[id]}.`)) },
    MetricName: vocabularySchema(metrics),
    BreakdownName: vocabularySchema(breakdowns),
    ReportRequest: requestSchema(),
    ReportForm: formSchema(),
    BuyerRow: rowSchema('buyer'),
    DspRow: rowSchema('dsp'),
  };

  return { ...document, components: { ...document.components, schemas } };
}

/** Builds a schema of names, each described by its meaning and profiles. */
function vocabularySchema(entries: readonly (Metric | Breakdown)[]): Schema {
  const names = entries.map(({ name, meaning, profiles }) =>
    enumSchema([name], `${meaning} (${profiles.join(', ')})`),
  );
  return { anyOf: names };
}

/**
 * Builds a schema for use in `anyOf`, which client generators turn into a union of strings. A named
 * schema would become a TypeScript `enum`, to which no string can be assigned.
 */
function enumSchema(names: readonly string[], description: string): Schema {
  return { type: 'string', enum: names, description };
}

const metricName: Schema = { $ref: '#/components/schemas/MetricName' };
const breakdownName: Schema = { $ref: '#/components/schemas/BreakdownName' };

const commaList: Schema = {
  type: 'string',
  minLength: 1,
  description: 'Metric names, separated by commas.',
};

const { ReportRequest: reportRequest, ReportForm: reportForm } = document.components.schemas;

/** Describes the parameters of a report as JSON. */
function requestSchema(): Schema {
  const metrics = { description: 'Metrics to return.', ...listSchema(metricName, commaList) };
  return { ...reportRequest, properties: reportProperties(metrics, (item) => listSchema(item)) };
}

/** Describes the parameters of a report as a form, in which a list is a repeated field. */
function formSchema(): Schema {
  const list = (items: Schema): Schema => ({ type: 'array', items });
  return { ...reportForm, properties: reportProperties(commaList, list) };
}

function reportProperties(metrics: Schema, toList: (item: Schema) => Schema): Schema {
  const description =
    'Dimensions to break down by; at most one of DAILY, HOURLY, MONTHLY and RANGE.';
  const properties: Record<string, Schema> = {
    ...reportRequest.properties,
    metrics,
    breakdowns: { description, ...toList(breakdownName) },
  };
  for (const filter of filters) {
    const list = toList(filterValueSchema(filter));
    properties[filter.name] = { description: describeFilter(filter), ...list };
  }
  return properties;
}

/**
 * Accepts a list in any of its shapes (`decisions.md` 2). The shapes have different types, so that
 * a value matches exactly one of them, as `oneOf` requires.
 *
 * @param single shape of a list that is a single value
 */
function listSchema(item: Schema, single: Schema = item): Schema {
  const byIndex = {
    type: 'object',
    propertyNames: { pattern: '^\\d+$' },
    additionalProperties: item,
    description: 'The keys are indexes, which only give the order.',
  };
  return { oneOf: [{ type: 'array', items: item }, byIndex, single] };
}

function describeFilter({ meaning, profiles }: Filter): string {
  return `Only these ${meaning} (${profiles.join(', ')} profile).`;
}

function filterValueSchema({ compare }: Filter): Schema {
  if (compare === 'text') return { type: 'string' };
  // A single schema with two types, because two schemas in `oneOf` could both match.
  return { type: ['integer', 'string'], pattern: '^\\d+$' };
}

/** Requires the fields of every row, which are null without their breakdown. */
function rowSchema(profile: Profile): Schema {
  const vocabulary = vocabularyOf(profile);
  const properties: Record<string, Schema> = {};

  for (const { fields } of vocabulary.breakdowns) {
    for (const { name, type } of fields) properties[name] = fieldSchema(type, profile);
  }
  for (const { name, type, rowField } of vocabulary.metrics) {
    properties[rowField?.[profile] ?? name] = fieldSchema(type, profile);
  }

  const fieldsOfEveryRow = listColumns(profile, { metrics: [], breakdowns: [] });
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
