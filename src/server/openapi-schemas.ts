import { columnsOf } from '../contract/columns.ts';
import { vocabularyOf } from '../contract/look-up.ts';
import { reportStatuses } from '../contract/messages.ts';
import {
  type Breakdown,
  breakdowns,
  type Filter,
  filters,
  type Metric,
  metrics,
  type Profile,
  profiles,
  type RowField,
} from '../contract/vocabulary.ts';
import { type ErrorId, errorStatuses } from './service/service-error.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 holds them. */
export type Schema = Readonly<Record<string, unknown>>;

/** Refers to a schema of `componentSchemas` by its name. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The named schemas of the service, generated from the vocabulary. */
export function componentSchemas(): Readonly<Record<string, Schema>> {
  return {
    MetricName: namesOf(metrics as readonly Metric[]),
    BreakdownName: namesOf(breakdowns as readonly Breakdown[]),
    ReportRequest: closed(requestProperties(), requestRequired),
    ReportRequestForm: { ...closed(plainProperties(), requestRequired), patternProperties: formPatterns() },
    SignInRequest: signInRequest,
    ReportReference: closed({ id: { type: 'string', minLength: 1, description: 'The report ID.' } }, ['id']),
    SignIn: inResponse({ status: { const: 'OK' }, token: { type: 'string', pattern: '^[0-9a-f]{40}$' } }),
    StatusRecord: inResponse({
      status: { enum: reportStatuses },
      message: { type: 'string', description: 'Equals the status while the report is in progress.' },
      report_id: { type: 'string' },
    }),
    BuyerReport: reportOf(reference('BuyerRow')),
    DspReport: reportOf(reference('DspRow')),
    BuyerRow: rowOf('buyer'),
    DspRow: rowOf('dsp'),
    Summary: summary,
    Campaign: campaign,
    ErrorDetail: errorDetail,
  };
}

/** The body of a refusal: the `error_id`s that go with an HTTP status. */
export function errorSchema(status: number): Schema {
  const ids = (Object.keys(errorStatuses) as ErrorId[]).filter((id) => errorStatuses[id] === status);
  const properties = {
    error_id: { enum: ids },
    error: { type: 'string', description: 'One sentence that says what to change.' },
    details: { type: 'array', items: reference('ErrorDetail'), description: 'Every parameter at fault.' },
  };
  return closed({ response: closed(properties, ['error_id', 'error']) }, ['response']);
}

function closed(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function inResponse(properties: Readonly<Record<string, Schema>>): Schema {
  return closed({ response: closed(properties, Object.keys(properties)) }, ['response']);
}

/** A name out of a list, with what each means and whose it is. */
function namesOf(entries: readonly (Metric | Breakdown)[]): Schema {
  return {
    type: 'string',
    oneOf: entries.map(({ name, meaning, profiles: owners }) => ({
      const: name,
      description: owners.length < profiles.length ? `${meaning} (${owners.join(', ')} only)` : meaning,
    })),
  };
}

const requestRequired = ['since', 'until', 'metrics'];

/** A number or its digits: a form knows only text. Told by `type` alone, so that no validator finds both to hold. */
const wholeNumber = { type: ['integer', 'string'], minimum: 0, pattern: '^\\d+$' };

function plainProperties(): Readonly<Record<string, Schema>> {
  const metric = metrics.map(({ name }) => name).join('|');
  return {
    since: { ...wholeNumber, description: 'First second of the window, in unix seconds.' },
    until: { ...wholeNumber, description: 'Last second of the window (inclusive), in unix seconds.' },
    metrics: {
      description: 'Comma-separated metric names; a list is accepted too.',
      oneOf: [
        { type: 'string', pattern: `^\\s*(${metric})\\s*(,\\s*(${metric})\\s*)*$` },
        { type: 'array', items: reference('MetricName'), minItems: 1 },
      ],
    },
    timezone: {
      type: 'string',
      description: 'IANA name of the report’s time zone. DSP only; a buyer’s is Europe/Paris.',
    },
    output: { const: 'direct', description: 'Answers with the report itself instead of its ID.' },
  };
}

function requestProperties(): Readonly<Record<string, Schema>> {
  const filterProperties = (filters as readonly Filter[]).map((filter): [string, Schema] => {
    const value = filterValue(filter);
    return [filter.name, { description: describeFilter(filter), oneOf: [{ type: 'array', items: value }, value] }];
  });
  return {
    ...plainProperties(),
    breakdowns: {
      type: 'array',
      items: reference('BreakdownName'),
      description: 'Dimensions to break down by; at most one of DAILY, HOURLY, MONTHLY and RANGE.',
    },
    ...Object.fromEntries(filterProperties),
  };
}

/** `breakdowns[0]`, `countryId[7]`, `countryId[]` or `countryId`: an index only orders. */
function formPatterns(): Readonly<Record<string, Schema>> {
  const key = (name: string): string => `^${name}(\\[\\d*\\])?$`;
  return {
    [key('breakdowns')]: reference('BreakdownName'),
    ...Object.fromEntries((filters as readonly Filter[]).map((filter) => [key(filter.name), filterValue(filter)])),
  };
}

function filterValue({ compare }: Filter): Schema {
  return compare === 'text' ? { type: 'string' } : wholeNumber;
}

function describeFilter({ meaning, profiles: owners }: Filter): string {
  return `Only these ${meaning} (${owners.join(', ')} profile).`;
}

const credentials = closed({ email: { type: 'string' }, password: { type: 'string', format: 'password' } }, [
  'email',
  'password',
]);

const signInRequest: Schema = { anyOf: [closed({ auth: credentials }, ['auth']), credentials] };

function reportOf(row: Schema): Schema {
  return closed({ data: { type: 'array', items: row }, summary: reference('Summary') }, ['data', 'summary']);
}

/** A row: the fields that are always there, null where their breakdown was not asked for, and those of a request. */
function rowOf(profile: Profile): Schema {
  const vocabulary = vocabularyOf(profile);
  const always = columnsOf(profile, { metrics: [], breakdowns: [] }).map(({ field }) => field);
  const dimensions = vocabulary.breakdowns.flatMap(({ fields }) => fields).map((field) => [field.name, fieldOf(field)]);
  const values = vocabulary.metrics.map(({ name, type, rowField, meaning }) => [
    rowField?.[profile] ?? name,
    { ...(type === 'integer' ? { type: 'integer', minimum: 0 } : moneyOf[profile]), description: meaning },
  ]);
  return closed(Object.fromEntries([...dimensions, ...values]), always);
}

const moneyOf: Readonly<Record<Profile, Schema>> = {
  buyer: { type: 'number' },
  dsp: { type: 'string', pattern: '^\\d+,\\d{2}$', examples: ['1234,50'] },
};

const hourPattern = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}[+-]\\d{4}$';

function fieldOf({ type }: RowField): Schema {
  if (type === 'date') return { type: 'string', format: 'date' };
  if (type === 'hour') return { type: 'string', pattern: hourPattern, examples: ['2026-10-25T02:00:00+0200'] };
  if (type === 'id') return { type: ['string', 'null'], pattern: '^\\d+$' };
  return { type: ['string', 'null'] };
}

const summary = closed(
  {
    since: { type: 'string', pattern: hourPattern, description: 'Start of the window, in the report’s time zone.' },
    until: { type: 'string', pattern: hourPattern, description: 'End of the window.' },
    breakdowns: { type: 'array', items: reference('BreakdownName') },
    timezone: { type: 'string' },
  },
  ['since', 'until', 'breakdowns', 'timezone'],
);

const digits = { type: 'string', pattern: '^\\d+$' };
const wallTime = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$', description: 'Paris time.' };

const campaign = closed(
  {
    advertiserId: digits,
    advertiserName: { type: 'string' },
    campaignId: digits,
    campaignName: { type: 'string' },
    campaignStartDate: wallTime,
    campaignEndDate: wallTime,
    adunits: {
      type: 'array',
      items: closed({ adunitName: { type: 'string' }, adunitId: digits }, ['adunitName', 'adunitId']),
    },
  },
  ['advertiserId', 'advertiserName', 'campaignId', 'campaignName', 'campaignStartDate', 'campaignEndDate', 'adunits'],
);

const errorDetail = closed(
  {
    parameter: { type: 'string' },
    value: { description: 'What was sent, shortened.' },
    problem: { type: 'string' },
    allowed: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  ['parameter', 'problem'],
);
