import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import { metrics } from '../contract/vocabulary.ts';
import type { AdminCall } from './control/admin.ts';
import { faultKinds, labelOf } from './faults/kinds/index.ts';
import { componentSchemas, errorSchema, reference, type Schema } from './openapi-schemas.ts';

/** What an operation adds to the endpoint's method and path. */
interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: object;
  readonly ok: object;
  /** The HTTP statuses with which it can refuse. */
  readonly refusals: readonly number[];
}

const refusalMeanings: Readonly<Record<number, string>> = {
  400: 'The request is wrong: the body or its parameters.',
  401: 'The token, or the credentials, were refused.',
  403: 'Only admin accounts may ask for this.',
  404: 'There is no such report, or it is another account’s.',
  406: 'The Accept header allows neither JSON nor CSV.',
  409: 'The report is not ready: ask for its status, and come back.',
  410: 'The report has expired: create it anew.',
  413: 'The body is larger than 1 MiB.',
  415: 'The body is neither JSON nor a form.',
  429: 'Too many calls: come back later.',
};

/** Statuses whose answer may say when to come back. */
const withRetryAfter = [409, 429];

const bodyRefusals = [400, 413, 415, 429];

/** The service as OpenAPI 3.1: endpoints, parameters and rows are those of the contract; then the admin calls. */
export function openapiDocument(adminCalls: readonly AdminCall[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, { method, path }] of Object.entries(endpoints)) {
    paths[path] = { [method.toLowerCase()]: describe(name as EndpointName, operations[name as EndpointName]) };
  }
  for (const call of adminCalls) {
    const path = call.path.replace(':id', '{id}');
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: describeAdmin(call) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Reporting service',
      version: '1.0.0',
      summary: 'Advertising reports for buyers and DSPs',
      description:
        'Reports are made in three steps: create one, ask for its status until it is `ready`, download it. ' +
        'An account’s profile, `buyer` or `dsp`, decides which metrics, breakdowns and filters it may use.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this server' }],
    security: [{ token: [] }],
    tags: [
      { name: 'Access', description: 'Tokens' },
      { name: 'Reports', description: 'Create, ask, download' },
      { name: 'Campaigns', description: 'What reports are about' },
      {
        name: 'Local server',
        description: `Steers this local server, without a token; the real service has none of it. A fault is ENDPOINT:KIND[:key=value…], and KIND one of ${Object.entries(faultKinds).map(labelOf).join(', ')}.`,
      },
    ],
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The token of POST /auth-reporting, alone: no scheme word in front of it.',
        },
      },
      headers: { RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } } },
      schemas: componentSchemas(),
      responses: Object.fromEntries(
        Object.keys(refusalMeanings).map((status) => [`E${status}`, refusal(Number(status))]),
      ),
    },
  };
}

const tagOf: Readonly<Record<EndpointName, string>> = {
  auth: 'Access',
  buyer: 'Reports',
  status: 'Reports',
  download: 'Reports',
  campaigns: 'Campaigns',
};

function describe(name: EndpointName, { ok, refusals, ...operation }: Operation): object {
  const responses = { '200': ok, ...Object.fromEntries(refusals.map((status) => [status, refusalReference(status)])) };
  return {
    operationId: name,
    tags: [tagOf[name]],
    ...operation,
    ...(name === 'auth' ? { security: [] } : {}),
    responses,
  };
}

function describeAdmin({ method, path, meaning, example }: AdminCall): object {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'The report ID.' };
  return {
    operationId: `admin_${method.toLowerCase()}_${path.replace(/^\/__admin\/|\/:id$/g, '')}`,
    tags: ['Local server'],
    summary: meaning,
    security: [],
    ...(path.endsWith(':id') ? { parameters: [id] } : {}),
    ...(example ? { requestBody: { required: true, ...inJson({ type: 'object' }, example) } } : {}),
    responses: {
      '200': { description: 'Done, with what there is to tell.', ...inJson({ type: 'object' }) },
      '4XX': { description: 'What is wrong with the call.', ...inJson({ type: 'object' }) },
    },
  };
}

function refusalReference(status: number): object {
  return { $ref: `#/components/responses/E${status}` };
}

function refusal(status: number): object {
  const headers = withRetryAfter.includes(status)
    ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } }
    : {};
  return { description: refusalMeanings[status], ...headers, ...inJson(errorSchema(status)) };
}

function inJson(schema: Schema, example?: unknown): { content: Record<string, object> } {
  return { content: { 'application/json': example === undefined ? { schema } : { schema, example } } };
}

/** A body that is taken as JSON and as a form. */
function body(json: Schema, example: object, form: Schema = json, formExample: object = example): object {
  const content = {
    ...inJson(json, example).content,
    'application/x-www-form-urlencoded': { schema: form, example: formExample },
  };
  return { required: true, content };
}

const report = { anyOf: [reference('BuyerReport'), reference('DspReport')] };
const csv = {
  schema: { type: 'string', description: 'RFC 4180, with a header row of the field names.' },
};
const exampleWindow = { since: 1_417_392_000, until: 1_420_070_399 };
const exampleMetrics = metrics
  .filter(({ profiles }) => profiles.length > 1)
  .map(({ name }) => name)
  .join(',');
const idBody = body(reference('ReportReference'), { id: '5f0c9a4e1b7d43c28a6e0f12b3d4c5e6' });

const operations: Readonly<Record<EndpointName, Operation>> = {
  auth: {
    summary: 'Obtain a token',
    description: 'The token lives for two hours since it was last used.',
    requestBody: body(
      reference('SignInRequest'),
      { auth: { email: 'buyer@example.com', password: 'demo' } },
      { type: 'object' },
      { email: 'buyer@example.com', password: 'demo' },
    ),
    ok: { description: 'The token.', ...inJson(reference('SignIn')) },
    refusals: [...bodyRefusals, 401],
  },
  buyer: {
    summary: 'Create a report',
    description: 'Answers with the ID of the report, or with `output=direct` with the report itself.',
    requestBody: body(
      reference('ReportRequest'),
      { ...exampleWindow, metrics: exampleMetrics, breakdowns: ['DAILY', 'FORMAT'] },
      reference('ReportRequestForm'),
      { ...exampleWindow, metrics: exampleMetrics, 'breakdowns[0]': 'DAILY', 'breakdowns[7]': 'FORMAT' },
    ),
    ok: {
      description: 'The report is in progress; or, with `output=direct`, the report.',
      content: { ...inJson({ anyOf: [reference('StatusRecord'), ...report.anyOf] }).content, 'text/csv': csv },
    },
    refusals: [...bodyRefusals, 401, 403, 406],
  },
  status: {
    summary: 'Ask how a report stands',
    description: 'Repeat it until the status is `ready`.',
    requestBody: idBody,
    ok: { description: 'How the report stands.', ...inJson(reference('StatusRecord')) },
    refusals: [...bodyRefusals, 401, 404, 410],
  },
  download: {
    summary: 'Download a report',
    description:
      'Only once the status is `ready`. A buyer gets JSON unless Accept prefers text/csv; ' +
      'a DSP gets CSV unless Accept names application/json.',
    requestBody: idBody,
    ok: { description: 'The report.', content: { ...inJson(report).content, 'text/csv': csv } },
    refusals: [...bodyRefusals, 401, 404, 406, 409, 410],
  },
  campaigns: {
    summary: 'List campaigns and their ad units',
    description: 'Every campaign of the account’s advertisers; every one there is for an admin.',
    ok: { description: 'The campaigns.', ...inJson({ type: 'array', items: reference('Campaign') }) },
    refusals: [401, 429],
  },
};
