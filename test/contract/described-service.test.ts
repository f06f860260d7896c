import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../src/local-server.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/**
 * The client of a stranger who has nothing but `reporting-service.md` and `decisions.md`: what they
 * say that a client can see, against the server alone. Paths, names, codes and texts are those of
 * the two documents, not of the program.
 *
 * Not here: 408, which takes the minutes of a client that sends nothing; the oldest of more than
 * 10,000 reports; and what the documents say of the client.
 */

const tokens = {
  buyer: '00000000000000000000000000000000000000b1',
  admin: '00000000000000000000000000000000000000ad',
  dsp: '00000000000000000000000000000000000000d5',
  awkward: '00000000000000000000000000000000000000a4',
};
type Account = keyof typeof tokens;

/** The vendor's example: December 2014 in UTC. */
const december = { since: 1_417_392_000, until: 1_420_070_399 };

/** New Year's Day of 2026 in Paris. */
const day = { since: 1_767_222_000, until: 1_767_308_399 };

/** Its first hour. */
const hour = { since: day.since, until: day.since + 3_599 };

interface Sent {
  readonly as?: Account;
  readonly token?: string;
  readonly json?: unknown;
  readonly form?: string;
  readonly body?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const now = '2026-11-20T12:00:00Z';

/** The server of every test that needs no other; its reports are ready at once. */
let service: LocalServer;
beforeAll(async () => {
  service = await startLocalServer({ now, delayMs: 0 });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

/** Another server, which is closed after the test. */
async function startServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  const pace = options.polls === undefined ? { delayMs: 0 } : {};
  const server = await startLocalServer({ now, ...pace, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function call(path: string, sent: Sent = {}, server = service): Promise<Answered> {
  const { as, json, form } = sent;
  const token = sent.token ?? (as && tokens[as]);
  const body = sent.body ?? form ?? (json === undefined ? undefined : JSON.stringify(json));
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const isTyped = json !== undefined || form !== undefined;

  const response = await fetch(server.url + path, {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(isTyped && { 'content-type': type }),
      ...sent.headers,
    },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const jsonOf = ({ text }: Answered) => JSON.parse(text);

const create = (json: object, as: Account = 'buyer', server = service): Promise<Answered> =>
  call('/buyer-reporting', { as, json }, server);

async function idOf(created: Promise<Answered>): Promise<string> {
  return jsonOf(await created).response.report_id;
}

/** The rows and the summary of a report, in three steps. */
async function reportOf(json: object, as: Account = 'buyer', server = service) {
  const id = await idOf(create(json, as, server));
  const status = await call('/status-reporting', { as, json: { id } }, server);
  expect(jsonOf(status).response.status).toBe('ready');

  const headers = { accept: 'application/json' };
  return jsonOf(await call('/download-reporting', { as, json: { id }, headers }, server));
}

async function rowsOf(json: object, as: Account = 'buyer', server = service) {
  const { data } = await reportOf(json, as, server);
  return data as Readonly<Record<string, string | number | null>>[];
}

/** The breakdowns of a report, as its summary repeats them. */
async function breakdownsOf(json: object): Promise<readonly string[]> {
  return (await reportOf({ ...day, metrics: 'displays', ...json })).summary.breakdowns;
}

/** A refusal in the envelope of section 6: its status, code and sentence. */
async function refusalOf(answer: Answered | Promise<Answered>) {
  const { status, text } = await answer;
  const { error_id, error, details } = JSON.parse(text).response;
  expect(typeof error).toBe('string');
  expect(text).not.toMatch(/ {4}at |node:/);
  return { status, error_id, error, details };
}

const refuses = (status: number, error_id: string) => expect.objectContaining({ status, error_id });

describe('sign-in', () => {
  const email = 'buyer@example.com';
  const password = 'demo';
  const nested = JSON.stringify({ auth: { email, password } });
  const asForm = { 'content-type': 'application/x-www-form-urlencoded' };

  test.each<{ way: string; sent: Sent }>([
    { way: 'JSON', sent: { json: { auth: { email, password } } } },
    { way: 'flat JSON', sent: { json: { email, password } } },
    {
      way: 'a form with auth[email]',
      sent: { form: 'auth[email]=buyer%40example.com&auth[password]=demo' },
    },
    { way: 'a flat form', sent: { form: 'email=buyer%40example.com&password=demo' } },
    { way: 'JSON that is labelled as a form', sent: { body: nested, headers: asForm } },
    { way: 'JSON after a blank line', sent: { body: `\n ${nested}`, headers: asForm } },
    {
      way: 'JSON as plain text',
      sent: { body: nested, headers: { 'content-type': 'text/plain' } },
    },
  ])('by $way gives a token of 40 hexadecimal digits, which works', async ({ sent }) => {
    const answer = await call('/auth-reporting', sent);

    expect(answer.status).toBe(200);
    const { response } = jsonOf(answer);
    expect(response).toEqual({ status: 'OK', token: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect((await call('/campaigns', { token: response.token })).status).toBe(200);
  });

  test('JSON without any Content-Type', async () => {
    const { statusCode } = await request(`${service.url}/auth-reporting`, {
      method: 'POST',
      body: Buffer.from(nested),
    });
    expect(statusCode).toBe(200);
  });

  test.each([{ auth: { email } }, { password }, {}])('without a field (%j): 400', async (json) => {
    const answer = await call('/auth-reporting', { json });

    expect([answer.status, answer.text]).toEqual([
      400,
      '{"response":{"error_id":"SYSTEM","error":"Username or password not set in request"}}',
    ]);
  });

  test('wrong credentials: the same 401 for an unknown e-mail and a wrong password', async () => {
    const wrong = await call('/auth-reporting', { json: { email, password: 'no' } });
    const unknown = await call('/auth-reporting', { json: { email: 'x@y.z', password } });

    expect(await refusalOf(wrong)).toEqual(refuses(401, 'INVALID_CREDENTIALS'));
    expect(unknown.text).toBe(wrong.text);
  });

  const signIn = async (server: LocalServer): Promise<string> =>
    jsonOf(await call('/auth-reporting', { json: { email, password } }, server)).response.token;

  test('a token lives for two hours after its last call', async () => {
    const token = await signIn(service);

    for (const _ of [1, 2]) {
      service.advance('119m');
      expect((await call('/campaigns', { token })).status).toBe(200);
    }
    service.advance('121m');
    expect(await refusalOf(call('/campaigns', { token }))).toEqual(refuses(401, 'EXPIRED_TOKEN'));
  });

  test('an option sets the life of tokens', async () => {
    const server = await startServer({ tokenTtlMs: 60_000 });
    const token = await signIn(server);

    server.advance('61s');

    expect((await call('/campaigns', { token }, server)).status).toBe(401);
  });

  test.each([
    { path: '/buyer-reporting', json: { ...day, metrics: 'displays' } },
    { path: '/status-reporting', json: { id: 'x' } },
    { path: '/download-reporting', json: { id: 'x' } },
    { path: '/campaigns', json: undefined },
  ])('$path needs a token, without a scheme word', async ({ path, json }) => {
    expect(await refusalOf(call(path, { json }))).toEqual(refuses(401, 'MISSING_TOKEN'));
    const invalid = call(path, { json, token: 'f'.repeat(40) });
    expect(await refusalOf(invalid)).toEqual(refuses(401, 'INVALID_TOKEN'));

    const bearer = await refusalOf(call(path, { json, token: `Bearer ${tokens.buyer}` }));
    expect(bearer.status).toBe(401);
    expect(bearer.error).toMatch(/token .*without/);
  });

  test.each([
    { account: 'buyer@example.com', profile: 'buyer', admin: false, token: tokens.buyer },
    { account: 'admin@example.com', profile: 'buyer', admin: true, token: tokens.admin },
    { account: 'dsp@example.com', profile: 'dsp', admin: false, token: tokens.dsp },
    { account: 'awkward@example.com', profile: 'buyer', admin: false, token: tokens.awkward },
  ])('$account has the password demo and a fixed token that never expires', async (row) => {
    const { account, profile, admin, token } = row;
    expect(service.accounts).toContainEqual(
      expect.objectContaining({ email: account, password, profile, admin, token }),
    );
    const json = { email: account, password };
    expect((await call('/auth-reporting', { json })).status).toBe(200);

    service.advance('1000h');
    expect((await call('/campaigns', { token })).status).toBe(200);
  });
});

describe('creating a report', () => {
  test('answers with the status record itself', async () => {
    const answer = await create({ ...hour, metrics: 'displays' });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.text).toMatch(
      /^\{"response":\{"status":"progress","message":"progress","report_id":"\w+"\}\}$/,
    );
  });

  test('form fields as in the examples, with indexes that need not be contiguous', async () => {
    const form =
      'since=1417392000&until=1420070399&metrics=displays,clicks,revenueEuro' +
      '&breakdowns[10]=OS&breakdowns[7]=CAMPAIGN&countryId[3]=3017382';
    const id = await idOf(call('/buyer-reporting', { as: 'buyer', form }));

    const answer = await call('/download-reporting', { as: 'buyer', form: `id=${id}` });

    const { data, summary } = jsonOf(answer);
    expect(summary.breakdowns).toEqual(['CAMPAIGN', 'OS']);
    const inJson = { ...december, metrics: 'displays,clicks,revenueEuro' };
    const filters = { breakdowns: ['CAMPAIGN', 'OS'], countryId: ['3017382'] };
    expect(data).toEqual(await rowsOf({ ...inJson, ...filters }));
  });

  test.each([
    { form: 'an array', parameters: { breakdowns: ['OS', 'CITY'] } },
    { form: 'an object with integer keys', parameters: { breakdowns: { 7: 'CITY', 2: 'OS' } } },
    { form: 'indexed keys', parameters: { 'breakdowns[7]': 'CITY', 'breakdowns[2]': 'OS' } },
    {
      form: 'a huge index',
      parameters: { 'breakdowns[999999999999]': 'CITY', 'breakdowns[0]': 'OS' },
    },
    { form: 'names in any case', parameters: { breakdowns: ['os', 'City'] } },
    { form: 'repeats', parameters: { breakdowns: ['OS', 'CITY', 'os'] } },
  ])('an array parameter as $form', async ({ parameters }) => {
    expect(await breakdownsOf(parameters)).toEqual(['OS', 'CITY']);
  });

  test('an array parameter as name[], and as one scalar', async () => {
    expect(await breakdownsOf({ 'breakdowns[]': 'OS' })).toEqual(['OS']);
    expect(await breakdownsOf({ breakdowns: 'OS' })).toEqual(['OS']);
    const form = `since=${day.since}&until=${day.until}&metrics=displays`;
    const lists = '&breakdowns[]=OS&breakdowns[]=CITY&osId=1';
    const as = 'buyer';
    const id = await idOf(call('/buyer-reporting', { as, form: form + lists }));
    const { summary } = jsonOf(await call('/download-reporting', { as, json: { id } }));
    expect(summary.breakdowns).toEqual(['OS', 'CITY']);
  });

  test.each([
    { metrics: ' clicks , displays,clicks' },
    { metrics: ['clicks', 'displays'] },
    { 'metrics[4]': 'displays', 'metrics[1]': 'clicks' },
  ])('metrics: order is kept, blanks are trimmed, repeats dropped: %j', async (metrics) => {
    const [row = {}] = await rowsOf({ ...hour, ...metrics });
    const names = Object.keys(row).filter((name) => ['displays', 'clicks'].includes(name));
    expect(names).toEqual(['clicks', 'displays']);
  });

  test('since and until: whole seconds as numbers or digits, both ends included', async () => {
    const metrics = 'displays';
    const breakdowns = ['HOURLY'];
    const hours = async (since: unknown, until: unknown) =>
      (await rowsOf({ since, until, metrics, breakdowns })).map(({ hour }) => hour);

    const { since, until } = day;
    const all = await hours(`${since}`, `${until}`);
    expect(all).toEqual(await hours(since, until));
    expect(all).toHaveLength(24);
    expect(all[0]).toBe('2026-01-01T00:00:00+0100');
    // The figures of an hour belong to its first second.
    expect(await hours(since, since)).toHaveLength(1);
    expect(await hours(since + 1, until + 1)).toHaveLength(24);
    expect(await hours(since + 1, until)).toHaveLength(23);
  });

  test('the window of the vendor is December in UTC, which begins an hour later in Paris', async () => {
    const { summary } = await reportOf({ ...december, metrics: 'displays' });

    expect(summary).toEqual({
      since: '2014-12-01T01:00:00+0100',
      until: '2015-01-01T00:59:59+0100',
      breakdowns: [],
      timezone: 'europe/paris',
    });
  });

  test('with --window-clock wall the digits are read as the wall time of Paris', async () => {
    const server = await startServer({ windowClock: 'wall' });

    const { summary } = await reportOf({ ...december, metrics: 'displays' }, 'buyer', server);

    expect(summary).toMatchObject({
      since: '2014-12-01T00:00:00+0100',
      until: '2014-12-31T23:59:59+0100',
    });
  });

  test('output=direct answers with the report itself', async () => {
    const report = { ...hour, metrics: 'displays', breakdowns: ['OS'] };

    const direct = await create({ ...report, output: 'direct' });

    expect(jsonOf(direct)).toEqual(await reportOf(report));
  });

  test('a timezone of a buyer has no effect', async () => {
    const { summary } = await reportOf({ ...hour, metrics: 'displays', timezone: 'Asia/Tokyo' });
    expect(summary.timezone).toBe('europe/paris');
  });

  const refused = {
    'no since': { json: { until: hour.until, metrics: 'displays' }, code: 'MISSING_PARAMETER' },
    'no until': { json: { since: day.since, metrics: 'displays' }, code: 'MISSING_PARAMETER' },
    'no metrics': { json: day, code: 'MISSING_PARAMETER' },
    'empty metrics': { json: { ...hour, metrics: ' , ' }, code: 'MISSING_PARAMETER' },
    'since after until': {
      json: { since: day.until, until: day.since, metrics: 'displays' },
      code: 'INVALID_PARAMETER',
    },
    milliseconds: {
      json: { ...hour, until: day.until * 1_000, metrics: 'displays' },
      code: 'INVALID_PARAMETER',
      says: /milliseconds/,
    },
    'a fraction': {
      json: { ...hour, since: 1.5, metrics: 'displays' },
      code: 'INVALID_PARAMETER',
    },
    'an unknown metric': { json: { ...hour, metrics: 'displais' }, code: 'INVALID_PARAMETER' },
    'an unknown breakdown': {
      json: { ...hour, metrics: 'displays', breakdowns: ['DALY'] },
      code: 'INVALID_PARAMETER',
      says: /DAILY/,
    },
    'two time breakdowns': {
      json: { ...hour, metrics: 'displays', breakdowns: ['DAILY', 'HOURLY'] },
      code: 'CONFLICTING_BREAKDOWNS',
    },
    'another output': {
      json: { ...hour, metrics: 'displays', output: 'file' },
      code: 'INVALID_PARAMETER',
    },
    'a misspelt filter': {
      json: { ...hour, metrics: 'displays', advertiserID: ['5'] },
      code: 'UNKNOWN_PARAMETER',
      says: /did you mean advertiserId\?/,
    },
    'an id that is not a number': {
      json: { ...hour, metrics: 'displays', campaignId: ['Summer'] },
      code: 'INVALID_PARAMETER',
    },
    '1,001 values': {
      json: { ...hour, metrics: 'displays', cityId: Array.from({ length: 1_001 }, (_, id) => id) },
      code: 'INVALID_PARAMETER',
    },
  };
  test.each(Object.entries(refused))('400: %s', async (_name, { json, code, ...row }) => {
    const refusal = await refusalOf(create(json));

    expect(refusal).toEqual(refuses(400, code));
    if ('says' in row) expect(refusal.error).toMatch(row.says);
    expect(refusal.details).toEqual([
      expect.objectContaining({ parameter: expect.any(String), problem: expect.any(String) }),
    ]);
  });

  test('all the faults of a request are named at once', async () => {
    const { details } = await refusalOf(create({ since: 'x', metrics: 'cliks', foo: 1 }));

    const parameters = details.map(({ parameter }: { parameter: string }) => parameter);
    expect(parameters.sort()).toEqual(['foo', 'metrics', 'since', 'until']);
  });

  test('1,000 values are accepted', async () => {
    const cityId = Array.from({ length: 1_000 }, (_, id) => id);
    expect((await create({ ...hour, metrics: 'displays', cityId })).status).toBe(200);
  });

  test('a lenient server ignores unknown parameters', async () => {
    const server = await startServer({ lenient: true });
    const answer = await create({ ...hour, metrics: 'displays', foo: 1 }, 'buyer', server);
    expect(answer.status).toBe(200);
    expect((await call('/campaigns?x=1', { as: 'buyer' }, server)).status).toBe(200);
  });
});

const buyerMetrics =
  'requests,displays,clicks,downloads,leads,landings,revenueEuro,revenueDollar,eyesTrackings';

describe('the vocabulary of the profiles', () => {
  test('a buyer has every metric of the list', async () => {
    const [row = {}] = await rowsOf({ ...hour, metrics: buyerMetrics });

    for (const name of buyerMetrics.split(',')) {
      expect(row, name).toHaveProperty(name === 'revenueDollar' ? 'valueDollar' : name);
    }
    expect(row).not.toHaveProperty('revenueDollar');
  });

  const fieldsByBreakdown = {
    DAILY: ['date'],
    HOURLY: ['date', 'hour'],
    MONTHLY: ['date'],
    RANGE: ['date'],
    ADNETWORK: ['Adnetwork'],
    CAMPAIGN: ['campaignId', 'campaignName'],
    ADUNIT: ['adId', 'adName', 'adUnitLimitType', 'adUnitLimitValue'],
    ADVERTISER: ['advertiser', 'billingEntity'],
    CREATIVE: ['creativeId'],
    PUBLISHERID: ['publisherId'],
    SUBPUBLISHERID: ['subpublisherId'],
    FORMAT: ['format'],
    OS: ['os'],
    PLATFORM: ['platform'],
    COUNTRY: ['country'],
    REGION: ['adminLevel1'],
    DEPARTMENT: ['adminLevel2'],
    CITY: ['city'],
    POSTALCODE: ['postalcode'],
    DEVICETYPE: ['deviceType'],
    DEVICEBRAND: ['deviceBrand'],
    DEVICEMODEL: ['deviceModel'],
    CARRIER: ['carrier'],
    BUNDLEID: ['bundleId'],
  };
  const buyerOnlyWhenAskedFor = ['date', 'hour', 'publisherId', 'format'];

  test.each(Object.entries(fieldsByBreakdown))(
    'a buyer by %s has %j; the fields of other breakdowns are null',
    async (name, fields) => {
      const rows = await rowsOf({ ...hour, metrics: 'displays', breakdowns: [name] });

      expect(rows.length).toBeGreaterThan(0);
      const every = Object.values(fieldsByBreakdown).flat();
      const expected = every.filter(
        (field) => fields.includes(field) || !buyerOnlyWhenAskedFor.includes(field),
      );
      for (const row of rows) {
        expect(Object.keys(row).sort()).toEqual([...new Set(expected), 'displays'].sort());
        for (const field of every) {
          if (!fields.includes(field)) expect(row[field] ?? null, field).toBeNull();
        }
      }
      const distinct = new Set(rows.map((row) => JSON.stringify(fields.map((f) => row[f]))));
      expect(distinct.size).toBe(rows.length);
    },
  );

  test('the types of a buyer’s row', async () => {
    const breakdowns = Object.keys(fieldsByBreakdown).filter((name) => !/LY$|RANGE/.test(name));
    const window = { since: day.since, until: day.since };
    const rows = await rowsOf({ ...window, metrics: buyerMetrics, breakdowns });
    const typesOf = (field: string) => new Set(rows.map((row) => kindOf(row[field])));

    for (const field of 'displays clicks downloads leads landings eyesTrackings'.split(' ')) {
      expect([...typesOf(field)], field).toEqual(['integer']);
    }
    for (const row of rows) {
      expect([typeof row.revenueEuro, typeof row.valueDollar]).toEqual(['number', 'number']);
    }
    const digits = 'creativeId adUnitLimitValue campaignId adId'.split(' ');
    for (const field of digits) expect([...typesOf(field)], field).toEqual(['digits']);
    expect(typesOf('adUnitLimitType')).not.toContain('null');
    const texts =
      'carrier billingEntity platform advertiser adName bundleId campaignName Adnetwork';
    for (const row of rows) {
      for (const field of texts.split(' ')) expect(typeof row[field], field).toBe('string');
      expect(['phone', 'tablet', null]).toContain(row.deviceType);
    }
    const orNull =
      'country city postalcode subpublisherId os adminLevel1 adminLevel2 deviceBrand deviceModel';
    for (const field of orNull.split(' ')) {
      for (const kind of typesOf(field)) expect(['text', 'digits', 'null'], field).toContain(kind);
    }
  });

  test('a DSP has displays and revenue, as text with a comma; only what was asked for', async () => {
    const metrics = 'displays,revenueEuro,revenueDollar';
    const rows = await rowsOf({ ...day, metrics, breakdowns: ['DAILY'] }, 'dsp');

    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['date', 'displays', 'revenueEuro', 'revenueDollar']);
      expect(row).toEqual({
        date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        displays: expect.any(Number),
        revenueEuro: expect.stringMatching(/^\d+,\d\d$/),
        revenueDollar: expect.stringMatching(/^\d+,\d\d$/),
      });
    }
    const [row = {}] = await rowsOf({ ...hour, metrics: 'displays' }, 'dsp');
    expect(Object.keys(row)).toEqual(['displays']);
  });

  test.each(['DAILY', 'HOURLY', 'MONTHLY', 'RANGE', 'BUNDLEID', 'FORMAT'])(
    'a DSP may use %s',
    async (name) => {
      const json = { ...hour, metrics: 'displays', breakdowns: [name] };
      expect((await rowsOf(json, 'dsp')).length).toBeGreaterThan(0);
    },
  );

  test.each([
    { parameter: 'metrics', json: { metrics: 'clicks' }, allowed: 'displays' },
    {
      parameter: 'breakdowns',
      json: { metrics: 'displays', breakdowns: ['CAMPAIGN'] },
      allowed: 'BUNDLEID',
    },
    {
      parameter: 'countryId',
      json: { metrics: 'displays', countryId: ['3017382'] },
      allowed: 'timezone',
    },
  ])('PROFILE_MISMATCH: a DSP’s $parameter, with what is allowed', async (row) => {
    const { details, ...refusal } = await refusalOf(create({ ...hour, ...row.json }, 'dsp'));

    expect(refusal).toEqual(refuses(400, 'PROFILE_MISMATCH'));
    expect(details).toEqual([expect.objectContaining({ parameter: row.parameter })]);
    expect(details[0].allowed).toContain(row.allowed);
  });

  test.each([
    { timezone: undefined, since: '2014-12-01T01:00:00+0100', name: 'Europe/Paris' },
    { timezone: 'UTC', since: '2014-12-01T00:00:00+0000', name: 'UTC' },
    { timezone: 'Asia/Kathmandu', since: '2014-12-01T05:45:00+0545', name: 'Asia/Kathmandu' },
  ])('the time zone of a DSP: $timezone', async ({ timezone, since, name }) => {
    const { summary } = await reportOf({ ...december, metrics: 'displays', timezone }, 'dsp');
    expect(summary).toMatchObject({ since, timezone: name });
  });

  test('an unknown time zone: 400', async () => {
    const json = { ...hour, metrics: 'displays', timezone: 'Europe/Pari' };
    expect(await refusalOf(create(json, 'dsp'))).toEqual(refuses(400, 'INVALID_PARAMETER'));
  });
});

/** The kind of a value in a row. */
function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return /^\d+$/.test(value) ? 'digits' : 'text';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

describe('filters', () => {
  const metrics = 'displays';

  test('every name of the list is accepted, as an array or a scalar', async () => {
    const names =
      'adunitId campaignId osId formatId countryId regionId departmentId cityId postalcode ' +
      'adNetworkId carrier deviceTypeId deviceBrandId deviceModel';
    for (const name of names.split(' ')) {
      for (const value of ['1', ['1', '2']]) {
        expect((await create({ ...hour, metrics, [name]: value })).status, name).toBe(200);
      }
    }
  });

  test('leave only their rows; values of one are or-ed, different names and-ed', async () => {
    const breakdowns = ['CAMPAIGN', 'COUNTRY'];
    const all = await rowsOf({ ...hour, metrics, breakdowns });
    const campaigns = [...new Set(all.map(({ campaignId }) => campaignId))];
    const [one, two] = campaigns;

    const both = await rowsOf({ ...hour, metrics, breakdowns, campaignId: [one, two] });
    const isOfBoth = ({ campaignId }: { campaignId?: unknown }) =>
      campaignId === one || campaignId === two;
    expect(both).toEqual(all.filter(isOfBoth));
    expect(both.length).toBeGreaterThan(0);

    const json = { ...hour, metrics, breakdowns, campaignId: [one, two], countryId: ['3017382'] };
    const inFrance = await rowsOf(json);
    expect(inFrance).toEqual(both.filter(({ country }) => country === 'France'));
  });

  test.each(['carrier', 'deviceModel'])('%s compares by exact name', async (field) => {
    const breakdowns = [field === 'carrier' ? 'CARRIER' : 'DEVICEMODEL'];
    const all = await rowsOf({ ...hour, metrics, breakdowns });
    const name = String(all.find((row) => row[field] !== null)?.[field]);

    const filtered = await rowsOf({ ...hour, metrics, breakdowns, [field]: name });
    expect(filtered.map((row) => row[field])).toEqual([name]);
    expect(await rowsOf({ ...hour, metrics, breakdowns, [field]: name.slice(1) })).toEqual([]);
  });

  test('an id that does not exist selects nothing without an error', async () => {
    expect(await rowsOf({ ...hour, metrics, breakdowns: ['OS'], campaignId: ['999'] })).toEqual([]);
  });

  test('advertiserId is for admins only', async () => {
    const json = { ...hour, metrics, advertiserId: ['1'] };
    expect(await refusalOf(create(json))).toEqual(refuses(403, 'ADMIN_ONLY'));
    expect((await create(json, 'admin')).status).toBe(200);
  });
});

describe('status', () => {
  test('progress until the report is finished, then ready; always the record', async () => {
    const server = await startServer({ polls: 2 });
    const id = await idOf(create({ ...hour, metrics: 'displays' }, 'buyer', server));
    const status = () => call('/status-reporting', { as: 'buyer', json: { id } }, server);

    expect((await status()).text).toBe(
      `{"response":{"status":"progress","message":"progress","report_id":"${id}"}}`,
    );
    expect(jsonOf(await status()).response).toMatchObject({ status: 'ready', report_id: id });
  });

  test('by form, and by time', async () => {
    const server = await startServer({ delayMs: 60_000 });
    const id = await idOf(create({ ...hour, metrics: 'displays' }, 'buyer', server));
    const status = async () =>
      jsonOf(await call('/status-reporting', { as: 'buyer', form: `id=${id}` }, server)).response
        .status;

    expect(await status()).toBe('progress');
    server.advance('1m');
    expect(await status()).toBe('ready');
  });

  test.each([
    { end: 'failed', download: refuses(409, 'REPORT_FAILED') },
    { end: 'expired', download: refuses(410, 'REPORT_EXPIRED') },
  ])('the server ends a report as $end on request', async ({ end, download }) => {
    service.fault(`status:${end}`);
    const id = await idOf(create({ ...hour, metrics: 'displays' }));

    const record = jsonOf(await call('/status-reporting', { as: 'buyer', json: { id } })).response;
    expect(record).toEqual({ status: end, message: expect.any(String), report_id: id });
    const refused = call('/download-reporting', { as: 'buyer', json: { id } });
    expect(await refusalOf(refused)).toEqual(download);
  });

  test.each(['/status-reporting', '/download-reporting'])(
    '%s: 404 for an unknown id and for another account’s, alike; 400 without one',
    async (path) => {
      const id = await idOf(create({ ...hour, metrics: 'displays' }));

      const foreign = await refusalOf(call(path, { as: 'admin', json: { id } }));
      const unknown = await refusalOf(call(path, { as: 'admin', json: { id: 'nothing' } }));
      expect(foreign).toEqual(refuses(404, 'UNKNOWN_REPORT'));
      expect(unknown.error.replace('nothing', id)).toBe(foreign.error);
      const nothing = call(path, { as: 'buyer', json: {} });
      expect(await refusalOf(nothing)).toEqual(refuses(400, 'MISSING_PARAMETER'));
    },
  );

  test('a report expires after 24 hours, or after the time of the option', async () => {
    const hourly = await startServer({ reportTtlMs: 3_600_000 });

    for (const { server, hours } of [
      { server: service, hours: 24 },
      { server: hourly, hours: 1 },
    ]) {
      const id = await idOf(create({ ...hour, metrics: 'displays' }, 'buyer', server));
      const download = () => call('/download-reporting', { as: 'buyer', json: { id } }, server);
      server.advance(`${hours * 60 - 1}m`);
      expect([(await download()).status, (await download()).status]).toEqual([200, 200]);

      server.advance('2m');
      const status = call('/status-reporting', { as: 'buyer', json: { id } }, server);
      expect(await refusalOf(status)).toEqual(refuses(410, 'REPORT_EXPIRED'));
      expect(await refusalOf(download())).toEqual(refuses(410, 'REPORT_EXPIRED'));
    }
  });
});

describe('download', () => {
  const report = { ...hour, metrics: 'displays,revenueEuro', breakdowns: ['DAILY', 'CITY'] };
  const download = async (as: Account, headers: Readonly<Record<string, string>>) => {
    const json = as === 'dsp' ? { ...hour, metrics: 'displays', breakdowns: ['DAILY'] } : report;
    const id = await idOf(create(json, as));
    return call('/download-reporting', { as, json: { id }, headers });
  };

  test('before ready: 409 with Retry-After', async () => {
    const server = await startServer({ delayMs: 60_000 });
    const id = await idOf(create(report, 'buyer', server));

    const early = await call('/download-reporting', { as: 'buyer', json: { id } }, server);

    expect(await refusalOf(early)).toEqual(refuses(409, 'REPORT_NOT_READY'));
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each<{ as: Account; accept: string; type: string }>([
    { as: 'dsp', accept: 'application/json', type: 'application/json' },
    { as: 'dsp', accept: 'application/*', type: 'application/json' },
    { as: 'dsp', accept: 'text/csv', type: 'text/csv' },
    { as: 'dsp', accept: '*/*', type: 'text/csv' },
    { as: 'buyer', accept: 'application/json', type: 'application/json' },
    { as: 'buyer', accept: '*/*', type: 'application/json' },
    { as: 'buyer', accept: 'text/csv', type: 'text/csv' },
    { as: 'buyer', accept: 'text/csv;q=0.5, application/json', type: 'application/json' },
    { as: 'buyer', accept: 'application/json;q=0.5, text/csv', type: 'text/csv' },
  ])('$as, Accept: $accept: $type', async ({ as, accept, type }) => {
    const { headers } = await download(as, { accept });
    expect(headers.get('content-type')).toMatch(new RegExp(`^${type}`));
  });

  test.each<{ as: Account; type: string }>([
    { as: 'dsp', type: 'text/csv; charset=utf-8; header=present' },
    { as: 'buyer', type: 'application/json; charset=utf-8' },
  ])('$as without an Accept header: $type', async ({ as, type }) => {
    const id = await idOf(create({ ...hour, metrics: 'displays' }, as));
    const { headers, body } = await request(`${service.url}/download-reporting`, {
      method: 'POST',
      headers: { authorization: tokens[as], 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    });
    await body.dump();
    expect(headers['content-type']).toBe(type);
  });

  test.each<Account>(['buyer', 'dsp'])('%s: an Accept that allows neither is 406', async (as) => {
    const refused = await refusalOf(download(as, { accept: 'text/html' }));
    expect(refused).toEqual(refuses(406, 'NOT_ACCEPTABLE'));
  });

  test('CSV: header, CRLF, null as an empty field, quotes, the values of the JSON', async () => {
    const json = { ...hour, metrics: 'displays,revenueEuro', breakdowns: ['CAMPAIGN', 'CITY'] };
    const id = await idOf(create(json, 'awkward'));
    const get = (accept: string) =>
      call('/download-reporting', { as: 'awkward', json: { id }, headers: { accept } });
    const csv = await get('text/csv');
    const { data } = jsonOf(await get('application/json'));

    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(csv.headers.get('content-disposition')).toMatch(/filename=/);
    expect(csv.text.startsWith('\ufeff')).toBe(false);
    const field = (value: unknown) => {
      const text = value === null ? '' : String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = data.map((row: object) => Object.values(row).map(field).join());
    expect(csv.text).toBe([Object.keys(data[0]).join(), ...lines, ''].join('\r\n'));
  });

  test('an empty report still has its header row', async () => {
    const json = { ...hour, metrics: 'displays', breakdowns: ['OS'], campaignId: ['999'] };
    const id = await idOf(create(json));
    const headers = { accept: 'text/csv' };
    const { text } = await call('/download-reporting', { as: 'buyer', json: { id }, headers });
    expect(text).toMatch(/^[\w,]+\r\n$/);
    expect(text.trim().split(',')).toContain('os');
  });

  test('JSON: data, then summary; the same request gives the same bytes', async () => {
    const [first, second] = [await download('buyer', {}), await download('buyer', {})];

    expect(first.text).toMatch(/^\{"data":\[\{.*\}\],"summary":\{[^{}]*\}\}$/s);
    expect(second.text).toBe(first.text);
  });

  test.each(['gzip', 'deflate', 'br'])('compressed as %s', async (coding) => {
    const plain = await download('buyer', { 'accept-encoding': 'identity' });
    const packed = await download('buyer', { 'accept-encoding': coding });

    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.headers.get('content-encoding')).toBe(coding);
    expect(packed.text).toBe(plain.text);
  });

  test('rows are ordered by time', async () => {
    const days = { since: day.since, until: day.since + 3 * 86_400 - 1 };
    const rows = await rowsOf({ ...days, metrics: 'displays', breakdowns: ['DAILY', 'OS'] });
    const dates = rows.map(({ date }) => String(date));
    expect(dates).toEqual(dates.toSorted());
    expect(new Set(dates).size).toBe(3);
  });

  test('the first day of a month, and of the window', async () => {
    const dates = async (name: string) => {
      const rows = await rowsOf({ ...december, metrics: 'displays', breakdowns: [name] });
      return rows.map(({ date }) => date);
    };
    expect(await dates('MONTHLY')).toEqual(['2014-12-01', '2015-01-01']);
    expect(await dates('RANGE')).toEqual(['2014-12-01']);
  });

  test('the doubled hour of a clock change stays two rows', async () => {
    const window = { since: 1_792_879_200, until: 1_792_969_199 };
    const rows = await rowsOf({ ...window, metrics: 'displays', breakdowns: ['HOURLY'] });
    const hours = rows.map(({ hour }) => hour);

    expect(hours).toHaveLength(25);
    expect(hours).toContain('2026-10-25T02:00:00+0200');
    expect(hours).toContain('2026-10-25T02:00:00+0100');
  });
});

describe('campaigns', () => {
  test('an array of every campaign, each with its ad units', async () => {
    const answer = await call('/campaigns', { as: 'buyer' });

    const campaigns = jsonOf(answer);
    expect(campaigns.length).toBeGreaterThan(0);
    for (const campaign of campaigns) {
      expect(campaign).toEqual({
        advertiserId: expect.stringMatching(/^\d+$/),
        advertiserName: expect.any(String),
        campaignId: expect.stringMatching(/^\d+$/),
        campaignName: expect.any(String),
        campaignStartDate: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        campaignEndDate: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        adunits: expect.any(Array),
      });
      for (const adunit of campaign.adunits) {
        expect(adunit).toEqual({
          adunitName: expect.any(String),
          adunitId: expect.stringMatching(/^\d+$/),
        });
      }
    }
  });

  test('an admin sees those of all advertisers but the awkward account’s', async () => {
    const idsOf = async (as: Account): Promise<string[]> => {
      const campaigns = jsonOf(await call('/campaigns', { as }));
      return campaigns.map(({ campaignId }: { campaignId: string }) => campaignId);
    };
    const ofAdmin = await idsOf('admin');
    const ofBuyer = await idsOf('buyer');

    expect(ofAdmin).toEqual(expect.arrayContaining([...ofBuyer, ...(await idsOf('dsp'))]));
    expect(ofAdmin.length).toBeGreaterThan(ofBuyer.length);
    for (const id of await idsOf('awkward')) expect(ofAdmin).not.toContain(id);
  });

  test('takes no parameters', async () => {
    const refused = await refusalOf(call('/campaigns?page=1', { as: 'buyer' }));
    expect(refused).toEqual(refuses(400, 'UNKNOWN_PARAMETER'));
  });
});

describe('errors', () => {
  const json = { 'content-type': 'application/json' };
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  const cases: Readonly<Record<string, { path: string; sent: Sent; refusal: unknown }>> = {
    'a body that is not JSON': {
      path: '/buyer-reporting',
      sent: { as: 'buyer', body: '{"since":', headers: json },
      refusal: refuses(400, 'INVALID_BODY'),
    },
    'an unknown path': { path: '/reports', sent: {}, refusal: refuses(404, 'NOT_FOUND') },
    'another method': {
      path: '/buyer-reporting',
      sent: { as: 'buyer' },
      refusal: refuses(405, 'METHOD_NOT_ALLOWED'),
    },
    'a body of more than 1 MiB': {
      path: '/status-reporting',
      sent: { as: 'buyer', json: { id: 'x'.repeat(1_048_577) } },
      refusal: refuses(413, 'BODY_TOO_LARGE'),
    },
    'another encoding': {
      path: '/buyer-reporting',
      sent: { as: 'buyer', body: '--x--', headers: multipart },
      refusal: refuses(415, 'UNSUPPORTED_MEDIA_TYPE'),
    },
    'a page of another origin that controls the server': {
      path: '/__admin/reset',
      sent: { json: {}, headers: { origin: 'https://evil.example' } },
      refusal: refuses(403, 'FOREIGN_ORIGIN'),
    },
  };

  test.each(Object.entries(cases))('%s', async (_name, { path, sent, refusal }) => {
    const answer = await call(path, sent);
    expect(await refusalOf(answer)).toEqual(refusal);
    if (answer.status === 405) expect(answer.headers.get('allow')).toContain('POST');
  });

  test('a foreign Host', async () => {
    const { statusCode, body } = await request(`${service.url}/campaigns`, {
      headers: { host: 'evil.example', authorization: tokens.buyer },
    });
    expect(statusCode).toBe(403);
    expect(await body.json()).toMatchObject({ response: { error_id: 'FOREIGN_HOST' } });
  });

  test('headers that are too large: 431', async () => {
    const { statusCode, body } = await request(`${service.url}/campaigns`, {
      headers: { authorization: tokens.buyer, 'x-large': 'x'.repeat(40_000) },
    });
    await body.dump();
    expect(statusCode).toBe(431);
  });

  test('more calls than the limit: 429 with Retry-After', async () => {
    const server = await startServer({ rateLimitPerSecond: 1 });
    server.setClock({ frozen: true });
    await call('/campaigns', { as: 'buyer' }, server);

    const refused = await call('/campaigns', { as: 'buyer' }, server);

    expect(await refusalOf(refused)).toEqual(refuses(429, 'RATE_LIMITED'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test.each([
    { fault: 'buyer:413', refusal: refuses(413, 'REPORT_TOO_LARGE') },
    { fault: 'buyer:500', refusal: refuses(500, 'INTERNAL') },
  ])('by a fault: $fault', async ({ fault, refusal }) => {
    service.fault(fault);
    expect(await refusalOf(create({ ...hour, metrics: 'displays' }))).toEqual(refusal);
  });
});

describe('the built-in data', () => {
  const metrics = 'displays,clicks,revenueEuro,revenueDollar';

  /** The totals of rows, money in cents. */
  const sumOf = (rows: readonly Readonly<Record<string, string | number | null>>[]) => {
    const sums = { displays: 0, clicks: 0, revenueEuro: 0, valueDollar: 0 };
    for (const row of rows) {
      sums.displays += Number(row.displays);
      sums.clicks += Number(row.clicks);
      sums.revenueEuro += Math.round(Number(row.revenueEuro) * 100);
      sums.valueDollar += Math.round(Number(row.valueDollar) * 100);
    }
    return sums;
  };

  test('every breakdown and every split of the window adds up exactly', async () => {
    const days = { since: day.since, until: day.since + 3 * 86_400 - 1 };
    const total = sumOf(await rowsOf({ ...days, metrics }));
    const noon = day.since + 86_400 + 43_200;

    for (const name of ['DAILY', 'HOURLY', 'CAMPAIGN', 'CITY', 'OS', 'COUNTRY']) {
      expect(sumOf(await rowsOf({ ...days, metrics, breakdowns: [name] })), name).toEqual(total);
    }
    const halves = [
      ...(await rowsOf({ ...days, until: noon - 1, metrics })),
      ...(await rowsOf({ ...days, since: noon, metrics })),
    ];
    expect(sumOf(halves)).toEqual(total);
  });

  test('is the same on every server of a seed, and another for another seed', async () => {
    const json = { ...hour, metrics, breakdowns: ['CAMPAIGN', 'OS'] };
    const rows = await rowsOf(json);
    expect(await rowsOf(json, 'buyer', await startServer())).toEqual(rows);
    expect(await rowsOf(json, 'buyer', await startServer({ seed: 2 }))).not.toEqual(rows);
  });

  test.each(['1990-05-05', '2049-12-31'])('there are rows for any window: %s', async (date) => {
    const since = Date.parse(date) / 1_000;
    expect(await rowsOf({ since, until: since + 3_599, metrics })).toHaveLength(1);
  });

  test('report ids and tokens follow from seed, clock and count', async () => {
    const idsOf = async (server: LocalServer) => {
      const auth = { json: { email: 'buyer@example.com', password: 'demo' } };
      const signedIn = jsonOf(await call('/auth-reporting', auth, server));
      const json = { ...hour, metrics: 'displays' };
      return [
        signedIn.response.token,
        await idOf(create(json, 'buyer', server)),
        await idOf(create(json, 'buyer', server)),
      ];
    };

    const ids = await idsOf(service);
    expect(new Set(ids).size).toBe(3);
    expect(await idsOf(await startServer())).toEqual(ids);
    expect(await idsOf(await startServer({ seed: 2 }))).not.toEqual(ids);
  });
});

describe('own data', () => {
  const account = { name: 'me', email: 'me@example.com', password: 'x', profile: 'buyer' };
  const campaign = {
    advertiserId: '7',
    advertiserName: 'Seven',
    campaignId: '70',
    campaignName: 'Seventy',
    campaignStartDate: '2026-01-01 00:00:00',
    campaignEndDate: '2026-12-31 23:59:59',
    adunits: [{ adunitName: 'first', adunitId: '700' }],
  };

  function folderOf(facts: readonly string[], campaigns: readonly object[] = [campaign]): string {
    const folder = temporaryFolder();
    const accounts = [{ ...account, token: 't0ken', advertiserIds: ['7'] }];
    writeFileSync(join(folder, 'accounts.json'), JSON.stringify(accounts));
    writeFileSync(join(folder, 'campaigns.json'), JSON.stringify(campaigns));
    writeFileSync(join(folder, 'catalog.json'), '{}');
    writeFileSync(join(folder, 'facts.csv'), `${facts.join('\n')}\n`);
    return folder;
  }

  test('is served; a value that is missing is unknown, or 0; amounts may be negative', async () => {
    const facts = ['hour,adunitId,displays,revenueEuro', '2026-01-01T10:00:00Z,700,5,-1.25'];
    const server = await startServer({ fixtures: folderOf(facts) });
    const breakdowns = ['CAMPAIGN', 'CARRIER', 'SUBPUBLISHERID', 'CREATIVE'];
    const json = { ...day, metrics: 'displays,revenueEuro', breakdowns, output: 'direct' };

    const answer = await call('/buyer-reporting', { token: 't0ken', json }, server);

    expect(jsonOf(answer).data).toEqual([
      expect.objectContaining({
        campaignId: '70',
        campaignName: 'Seventy',
        carrier: 'unknown',
        creativeId: '0',
        displays: 5,
        revenueEuro: -1.25,
      }),
    ]);
  });

  test('mistakes are refused at the start, all at once, each with file, line and reason', async () => {
    const facts = ['hour,adunitId,displays', 'noon,700,5', '2026-01-01T10:00:00Z,799,x'];
    const campaigns = [{ ...campaign, campaignId: 'seventy' }];

    const started = startLocalServer({ fixtures: folderOf(facts, campaigns) });

    const message = await started.then(
      () => '',
      (error: Error) => error.message,
    );
    expect(message).toMatch(/campaigns\.json:1\b.*campaignId/);
    expect(message).toMatch(/facts\.csv:2\b.*noon/);
    expect(message).toMatch(/facts\.csv:3\b.*x/);
  });
});
