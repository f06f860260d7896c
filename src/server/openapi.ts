import { columnsOf } from '../contract/columns.ts';
import { endpoints } from '../contract/messages.ts';
import {
  type Breakdown,
  breakdowns,
  type Filter,
  filters,
  type Metric,
  metrics,
  type Profile,
  profiles,
  vocabularyOf,
} from '../contract/vocabulary.ts';
import type { AdminCall } from './admin.ts';
import { faultKinds, kindLabel } from './faults/kinds/index.ts';
import document from './openapi.json' with { type: 'json' };
import { errorIds } from './service/service-error.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 holds them. */
type Schema = Readonly<Record<string, unknown>>;

/**
 * The service as OpenAPI 3.1. What is fixed stands in `openapi.json`; here come what follows from the vocabulary, the
 * refusals, and the admin calls.
 */
export function openapiDocument(adminCalls: readonly AdminCall[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { method, path } of Object.values(endpoints)) {
    const [operation] = Object.values(document.paths[path]);
    const responses = { ...operation?.responses, '4XX': reference('responses', 'Refusal') };
    paths[path] = { [method.toLowerCase()]: { ...operation, responses } };
  }
  for (const call of adminCalls) {
    const path = call.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: adminOperation(call) };
  }
  const schemas = { ...document.components.schemas, ...vocabularySchemas() };
  return { ...document, paths, components: { ...document.components, schemas, responses: { Refusal: refusal() } } };
}

/** What every call may be refused with: the `error_id`s of each HTTP status. */
function refusal(): object {
  const error_id = { enum: Object.values(errorIds).flat() };
  const error = { type: 'string', description: 'One sentence that says what to change.' };
  const items = reference('schemas', 'ErrorDetail');
  const details = { type: 'array', items, description: 'Every parameter at fault.' };
  const envelope = closed({ response: closed({ error_id, error, details }, ['error_id', 'error']) }, ['response']);
  const statuses = Object.entries(errorIds).map(([status, ids]) => `${status}: ${ids.join(', ')}`);
  return {
    description: `The request is refused. ${statuses.join('. ')}.`,
    headers: { 'Retry-After': reference('headers', 'RetryAfter') },
    ...inJson(envelope),
  };
}

function adminOperation({ method, path, meaning, example }: AdminCall): object {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The report ID.' };
  const kinds = path.endsWith('/faults')
    ? { description: `KIND is ${Object.entries(faultKinds).map(kindLabel)}.` }
    : {};
  return {
    operationId: `admin_${method.toLowerCase()}_${path.replace(/^\/__admin\/|\/:id$/g, '')}`,
    tags: ['Local server'],
    summary: meaning,
    ...kinds,
    security: [],
    ...(path.endsWith(':id') ? { parameters: [id] } : {}),
    ...(example ? { requestBody: { required: true, ...inJson({ type: 'object' }, example) } } : {}),
    responses: {
      '200': { description: 'Done, with what there is to tell.', ...inJson({ type: 'object' }) },
      '4XX': { description: 'What is wrong with the call.', ...inJson({ type: 'object' }) },
    },
  };
}

function reference(kind: 'schemas' | 'responses' | 'headers', name: string): Schema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** An object with these members and no others. */
function closed(properties: Schema, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function inJson(schema: Schema, example?: object): object {
  return { content: { 'application/json': example ? { schema, example } : { schema } } };
}

const text = { type: 'string' };
/** A number or its digits: a form knows only text. Told by `type` alone, so that no validator finds both to hold. */
const wholeNumber = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d+$' };

/** The schemas that follow from the vocabulary. */
function vocabularySchemas(): Readonly<Record<string, Schema>> {
  const metric = metrics.map(({ name }) => name).join('|');
  const metricList = { type: 'string', pattern: `^\\s*(${metric})\\s*(,\\s*(${metric})\\s*)*$` };
  const plain = {
    since: { ...wholeNumber, description: 'First second of the window, in unix seconds.' },
    until: { ...wholeNumber, description: 'Last second of the window (inclusive), in unix seconds.' },
    metrics: {
      description: 'Comma-separated metric names; a list is accepted too.',
      oneOf: [metricList, { type: 'array', items: reference('schemas', 'MetricName'), minItems: 1 }],
    },
    timezone: { ...text, description: 'IANA name of the report’s zone. DSP only; a buyer’s is Europe/Paris.' },
    output: { const: 'direct', description: 'Answers with the report itself instead of its ID.' },
  };
  const required = ['since', 'until', 'metrics'];
  const breakdown = reference('schemas', 'BreakdownName');
  const description = 'Dimensions to break down by; at most one of DAILY, HOURLY, MONTHLY and RANGE.';
  const lists: Record<string, Schema> = { breakdowns: { type: 'array', items: breakdown, description } };
  // `breakdowns[0]`, `countryId[7]`, `countryId[]` or `countryId`: an index only orders.
  const formKey = (name: string): string => `^${name}(\\[\\d*\\])?$`;
  const formLists: Record<string, Schema> = { [formKey('breakdowns')]: breakdown };
  for (const { name, meaning, compare, profiles: owners } of filters as readonly Filter[]) {
    const value = compare === 'text' ? text : wholeNumber;
    formLists[formKey(name)] = value;
    lists[name] = {
      description: `Only these ${meaning} (${owners.join(', ')} profile).`,
      oneOf: [{ type: 'array', items: value }, value],
    };
  }
  return {
    MetricName: namesOf(metrics as readonly Metric[]),
    BreakdownName: namesOf(breakdowns as readonly Breakdown[]),
    ReportRequest: closed({ ...plain, ...lists }, required),
    ReportRequestForm: { ...closed(plain, required), patternProperties: formLists },
    BuyerRow: rowOf('buyer'),
    DspRow: rowOf('dsp'),
  };
}

/** A name out of a list, with what each means and whose it is. */
function namesOf(entries: readonly (Metric | Breakdown)[]): Schema {
  const oneOf = entries.map(({ name, meaning, profiles: owners }) => {
    const description = owners.length < profiles.length ? `${meaning} (${owners.join(', ')} only)` : meaning;
    return { const: name, description };
  });
  return { type: 'string', oneOf };
}

/** A row: the fields that are always there, null where their breakdown was not asked for, and those of a request. */
function rowOf(profile: Profile): Schema {
  const vocabulary = vocabularyOf(profile);
  const always = columnsOf(profile, { metrics: [], breakdowns: [] }).map(({ field }) => field);
  const types: Readonly<Record<string, Schema>> = {
    date: { type: 'string', format: 'date' },
    hour: document.components.schemas.Summary.properties.since,
    id: { type: ['string', 'null'], pattern: '^\\d+$' },
    text: { type: ['string', 'null'] },
    integer: { type: 'integer', minimum: 0 },
    money: profile === 'buyer' ? { type: 'number' } : { type: 'string', pattern: '^\\d+,\\d{2}$' },
  };
  const fields = vocabulary.breakdowns.flatMap((breakdown) =>
    breakdown.fields.map(({ name, type }) => [name, types[type]]),
  );
  const values = vocabulary.metrics.map(({ name, type, rowField, meaning }) => [
    rowField?.[profile] ?? name,
    { ...types[type], description: meaning },
  ]);
  return closed(Object.fromEntries([...fields, ...values]), always);
}
