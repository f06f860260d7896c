import type { ServerOptions } from '../../../src/server/options.ts';
import type { Sent } from '../../server/local.ts';

/** A raw request; `@id` in its path or body is the id of the last report that was created. */
export interface RawRequest
  extends Pick<Sent, 'as' | 'token' | 'json' | 'form' | 'body' | 'headers'> {
  /** Method and path: `POST /buyer-reporting`. */
  readonly send: string;
}

/** Requests to one server, in order. */
export interface RequestScene {
  readonly name: string;
  readonly server?: ServerOptions;
  readonly requests: readonly RawRequest[];
}

const asJson = { accept: 'application/json' };
const create = 'POST /buyer-reporting';
const status = 'POST /status-reporting';
const download = 'POST /download-reporting';
const signIn = 'POST /auth-reporting';

/** New Year's Day of 2026 in Paris. */
const day = { since: 1_767_222_000, until: 1_767_308_399 };
const week = { since: 1_762_124_400, until: 1_762_729_199 };
const metrics = 'displays,clicks,revenueEuro';

/** One report from the first call to the last. */
function life(request: object, as: 'buyer' | 'admin' | 'dsp' = 'buyer'): RawRequest[] {
  return [
    { send: create, as, json: request },
    { send: status, as, json: { id: '@id' } },
    { send: download, as, json: { id: '@id' }, headers: asJson },
    { send: download, as, form: 'id=@id' },
  ];
}

/** A report in one call. */
function direct(parameters: object, as: 'buyer' | 'admin' | 'dsp' = 'buyer'): RawRequest {
  return { send: create, as, json: { output: 'direct', ...parameters }, headers: asJson };
}

const buyerBreakdowns = [
  'ADNETWORK',
  'CAMPAIGN',
  'ADUNIT',
  'ADVERTISER',
  'CREATIVE',
  'PUBLISHERID',
  'SUBPUBLISHERID',
  'FORMAT',
  'OS',
  'PLATFORM',
  'COUNTRY',
  'REGION',
  'DEPARTMENT',
  'CITY',
  'POSTALCODE',
  'DEVICETYPE',
  'DEVICEBRAND',
  'DEVICEMODEL',
  'CARRIER',
  'BUNDLEID',
];

const lives: RequestScene = {
  name: 'reports',
  requests: [
    ...['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'].flatMap((time) =>
      life({ ...week, metrics, breakdowns: [time] }),
    ),
    ...life({ ...week, metrics }),
    ...life({ ...day, metrics: 'displays', breakdowns: ['DAILY', 'CAMPAIGN', 'COUNTRY'] }),
    ...life({ ...week, metrics: 'displays,revenueEuro', breakdowns: ['DAILY', 'FORMAT'] }, 'dsp'),
    ...life(
      {
        ...week,
        metrics: 'displays,revenueDollar',
        breakdowns: ['HOURLY'],
        timezone: 'Asia/Tokyo',
      },
      'dsp',
    ),
    ...life({ ...day, metrics, breakdowns: ['ADVERTISER'], advertiserId: ['501'] }, 'admin'),
    ...buyerBreakdowns.map((name) => direct({ ...day, metrics, breakdowns: [name] })),
    ...buyerBreakdowns.map((name) =>
      direct({ ...week, metrics: 'displays', breakdowns: ['DAILY', name] }),
    ),
    ...[
      'requests',
      'displays',
      'clicks',
      'downloads',
      'leads',
      'landings',
      'revenueEuro',
      'revenueDollar',
      'eyesTrackings',
    ].map((name) => direct({ ...week, metrics: name, breakdowns: ['DAILY'] })),
    ...[
      { campaignId: ['40001'] },
      { campaignId: '40001' },
      { campaignId: ['040001', 40005] },
      { osId: ['1'] },
      { formatId: ['2', '3'] },
      { countryId: ['3017382'] },
      { deviceTypeId: ['2'] },
      { carrier: ['Orange'] },
      { adNetworkId: '1' },
      { adNetworkId: ['1', '2'] },
      { deviceModel: ['iPad mini'] },
      { campaignId: ['99999'] },
      { osId: [] },
    ].map((filter) => direct({ ...week, metrics, breakdowns: ['CAMPAIGN'], ...filter })),
    direct({ ...week, metrics: 'displays', breakdowns: ['BUNDLEID'] }, 'dsp'),
    direct(
      { ...week, metrics: 'displays', timezone: 'America/New_York', breakdowns: ['DAILY'] },
      'dsp',
    ),
  ],
};

const start = `since=${day.since}&until=${day.until}&metrics=displays`;
const forms: RequestScene = {
  name: 'forms and encodings',
  requests: [
    ...[
      `${start}&breakdowns[0]=DAILY`,
      `${start}&breakdowns[7]=DAILY&breakdowns[10]=CAMPAIGN`,
      `${start}&breakdowns[]=DAILY`,
      `${start}&breakdowns=DAILY`,
      `${start}&breakdowns%5B0%5D=DAILY`,
      `${start}&breakdowns[x]=DAILY`,
      `${start}&breakdowns[0]=DAILY&breakdowns[0]=CAMPAIGN`,
      `${start}&metrics=clicks`,
      `${start}&campaignId[3]=40001&campaignId[1]=40005`,
      `${start}&carrier[0]=Bouygues+Telecom`,
      `${start}&`,
      '',
      'since',
      '%',
      `${start}&__proto__[x]=1`,
    ].map((form) => ({ send: create, as: 'buyer' as const, form: `${form}&output=direct` })),
    ...[
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16',
      'multipart/form-data',
    ].map((type) => ({
      send: create,
      as: 'buyer' as const,
      body: JSON.stringify({ ...day, metrics: 'displays', output: 'direct' }),
      headers: { 'content-type': type },
    })),
    ...[
      '*/*',
      'text/csv',
      'application/json',
      'text/html',
      'application/json;q=0',
      'text/*',
      'nonsense',
      'text/csv, application/json;q=0.5',
    ].flatMap((accept) =>
      (['buyer', 'dsp'] as const).map((as) => ({
        send: create,
        as,
        json: { ...week, metrics: 'displays', breakdowns: ['DAILY'], output: 'direct' },
        headers: { accept },
      })),
    ),
  ],
};

const refusals: RequestScene = {
  name: 'refusals',
  requests: [
    ...[
      {},
      { since: 1 },
      { ...day },
      { ...day, metrics: '' },
      { ...day, metrics: 'displayz' },
      { ...day, metrics: 'displays,displays' },
      { ...day, metrics: ['displays'] },
      { ...day, metrics: 5 },
      { ...day, metrics: null },
      { since: day.until, until: day.since, metrics },
      { since: '2026-01-01', until: day.until, metrics },
      { since: 1.5, until: day.until, metrics },
      { since: -1, until: day.until, metrics },
      { since: String(day.since), until: String(day.until), metrics: 'displays' },
      { since: day.since * 1_000, until: day.until * 1_000, metrics },
      { since: 1_900_000_000, until: 1_900_086_399, metrics },
      { since: 0, until: 1, metrics: 'displays' },
      { ...day, metrics, breakdowns: ['DAILY', 'HOURLY'] },
      { ...day, metrics, breakdowns: ['daily'] },
      { ...day, metrics, breakdowns: ['NOSUCH'] },
      { ...day, metrics, breakdowns: 'DAILY' },
      { ...day, metrics, breakdowns: {} },
      { ...day, metrics, breakdowns: [['DAILY']] },
      { ...day, metrics, breakdowns: ['CAMPAIGN', 'CAMPAIGN'] },
      { ...day, metrics, timezone: 'Europe/Paris' },
      { ...day, metrics, output: 'nosuch' },
      { ...day, metrics, nosuch: 1 },
      { ...day, metrics, advertiserId: ['501'] },
      { ...day, metrics, osId: ['x'] },
      { ...day, metrics, osId: [{}] },
      { ...day, metrics, campaign: ['x'] },
      [],
      'text',
      7,
    ].map((json) => ({ send: create, as: 'buyer' as const, json })),
    ...[
      { ...day, metrics: 'clicks' },
      { ...day, metrics: 'displays', breakdowns: ['CAMPAIGN'] },
      { ...day, metrics: 'displays', timezone: 'Mars/Phobos' },
      { ...day, metrics: 'displays', timezone: 'europe/paris' },
      { ...day, metrics: 'displays', timezone: '+01:00' },
      { ...day, metrics: 'displays', osId: ['1'] },
    ].map((json) => ({ send: create, as: 'dsp' as const, json })),
    { send: create, json: { ...day, metrics } },
    { send: create, token: 'nosuch', json: { ...day, metrics } },
    { send: create, token: '', json: { ...day, metrics } },
    {
      send: create,
      token: 'Bearer 00000000000000000000000000000000000000b1',
      json: { ...day, metrics },
    },
    ...[
      '{bad',
      '',
      '{}',
      '[]',
      'null',
      '{"since":1,"since":2}',
      '\u0000',
      '{"__proto__":{}}',
    ].flatMap((body) =>
      [create, status, download, signIn].map((send) => ({
        send,
        as: 'buyer' as const,
        body,
        headers: { 'content-type': 'application/json' },
      })),
    ),
    ...[
      {},
      { id: '' },
      { id: 'x' },
      { id: 5 },
      { id: ['a', 'b'] },
      { id: '0'.repeat(32) },
      { id: '0'.repeat(5_000) },
      { report_id: 'x' },
    ].flatMap((json) => [status, download].map((send) => ({ send, as: 'buyer' as const, json }))),
    ...[
      { email: 'buyer@example.com', password: 'demo' },
      { email: 'BUYER@example.com', password: 'demo' },
      { email: 'buyer@example.com', password: 'wrong' },
      { email: 'buyer@example.com' },
      { password: 'demo' },
      { email: 5, password: 'demo' },
      { email: 'nobody@example.com', password: 'demo' },
    ].map((json) => ({ send: signIn, json })),
    { send: signIn, form: 'email=buyer%40example.com&password=demo' },
    { send: signIn, form: 'email=dsp%40example.com&password=demo' },
    { send: signIn, form: 'username=a' },
  ],
};

const others: RequestScene = {
  name: 'campaigns, paths and methods',
  requests: [
    ...(['buyer', 'admin', 'dsp', 'awkward'] as const).map((as) => ({
      send: 'GET /campaigns',
      as,
    })),
    { send: 'GET /campaigns' },
    { send: 'GET /campaigns?x=1', as: 'buyer' },
    { send: 'HEAD /campaigns', as: 'buyer' },
    { send: 'POST /campaigns', as: 'buyer', json: {} },
    { send: 'GET /campaigns/', as: 'buyer' },
    ...['/buyer-reporting', '/status-reporting', '/download-reporting', '/auth-reporting'].flatMap(
      (path) =>
        ['GET', 'PUT', 'DELETE', 'OPTIONS'].map((method) => ({
          send: `${method} ${path}`,
          as: 'buyer' as const,
        })),
    ),
    { send: 'GET /nosuch' },
    { send: 'POST /nosuch', json: {} },
    { send: 'GET /' },
    { send: 'GET //' },
    { send: 'GET /%' },
    { send: 'GET /__admin/nosuch' },
    { send: `GET /buyer-reporting?since=1`, as: 'buyer' },
    { send: `POST /status-reporting?id=x`, as: 'buyer', json: {} },
  ],
};

const admin: RequestScene = {
  name: 'control, clock and faults',
  server: { delayMs: 5_000 },
  requests: [
    { send: 'GET /__admin/health' },
    { send: create, as: 'buyer', json: { ...day, metrics: 'displays', breakdowns: ['DAILY'] } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: download, as: 'buyer', json: { id: '@id' } },
    { send: status, as: 'dsp', json: { id: '@id' } },
    { send: 'POST /__admin/clock', json: { advance: '6s' } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: download, as: 'buyer', json: { id: '@id' }, headers: asJson },
    { send: download, as: 'admin', json: { id: '@id' }, headers: asJson },
    { send: 'POST /__admin/reports/@id', json: { status: 'failed' } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: download, as: 'buyer', json: { id: '@id' } },
    { send: 'POST /__admin/reports/@id', json: { status: 'ready' } },
    { send: download, as: 'buyer', json: { id: '@id' } },
    { send: 'POST /__admin/reports/@id', json: { status: 'nosuch' } },
    { send: 'POST /__admin/reports/nosuch', json: { status: 'ready' } },
    { send: 'POST /__admin/clock', json: { advance: 'soon' } },
    { send: 'POST /__admin/clock', json: { now: '2026-11-22T00:00:00Z', frozen: true } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: 'GET /__admin/faults' },
    ...[
      'status:503',
      'status:429:retry-after=2',
      'status:failed:times=1',
      'status:stuck',
      'status:garbage',
      'status:html',
      'download:not-downloadable',
      'nosuch:503',
      'status:nosuch',
      'auth:failed',
      'status:503:nosuch=1',
      'status:200',
    ].flatMap((fault) => [
      { send: 'POST /__admin/faults', json: { fault } },
      { send: create, as: 'buyer' as const, json: { ...day, metrics: 'displays' } },
      { send: status, as: 'buyer' as const, json: { id: '@id' } },
      { send: 'DELETE /__admin/faults' },
    ]),
    {
      send: 'POST /__admin/faults',
      json: {
        endpoint: 'status',
        answer: { status: 202, headers: { 'x-test': 'a' }, body: { a: 1 } },
      },
    },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: 'POST /__admin/faults', json: {} },
    { send: 'POST /__admin/faults', form: 'fault=status:503' },
    { send: 'POST /__admin/reset', json: {} },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: 'GET /__admin/requests' },
    { send: 'DELETE /__admin/requests' },
  ],
};

const rates: RequestScene = {
  name: 'a server with a rate limit',
  server: { rateLimit: 3, polls: 2 },
  requests: [
    { send: create, as: 'buyer', json: { ...day, metrics: 'displays' } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: status, as: 'buyer', json: { id: '@id' } },
    { send: status, as: 'dsp', json: { id: '@id' } },
    { send: 'POST /__admin/clock', json: { advance: '2s' } },
    { send: download, as: 'buyer', json: { id: '@id' }, headers: asJson },
  ],
};

export const requestScenes: readonly RequestScene[] = [
  lives,
  forms,
  refusals,
  others,
  admin,
  rates,
];
