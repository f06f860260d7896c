import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../src/local-server.ts';

/**
 * What `decisions.md` says of the server beyond the specification, which `test/order.test.ts` goes
 * through. Paths, names, codes and texts are those of the document, not of the program.
 *
 * Not here: forms, refusals, formats and time, which `test/server` has with the same literals; and
 * what the document says of the client.
 */

const tokens = {
  buyer: '00000000000000000000000000000000000000b1',
  admin: '00000000000000000000000000000000000000ad',
  dsp: '00000000000000000000000000000000000000d5',
  awkward: '00000000000000000000000000000000000000a4',
};
type Account = keyof typeof tokens;

/** New Year's Day of 2026 in Paris. */
const day = { since: 1_767_222_000, until: 1_767_308_399 };

/** Its first hour. */
const hour = { since: day.since, until: day.since + 3_599 };

interface Sent {
  readonly as?: Account;
  readonly token?: string;
  readonly json?: unknown;
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
  const { as, json } = sent;
  const token = sent.token ?? (as && tokens[as]);

  const response = await fetch(server.url + path, {
    method: json === undefined ? 'GET' : 'POST',
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
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

describe('sign-in', () => {
  const email = 'buyer@example.com';
  const password = 'demo';

  const signIn = async (server: LocalServer): Promise<string> =>
    jsonOf(await call('/auth-reporting', { json: { email, password } }, server)).response.token;

  test('an option sets the life of tokens', async () => {
    const server = await startServer({ tokenTtl: '60s' });
    const token = await signIn(server);

    server.advance('61s');

    expect((await call('/campaigns', { token }, server)).status).toBe(401);
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
  test('output=direct answers with the report itself', async () => {
    const report = { ...hour, metrics: 'displays', breakdowns: ['OS'] };

    const direct = await create({ ...report, output: 'direct' });

    expect(jsonOf(direct)).toEqual(await reportOf(report));
  });
});

describe('status', () => {
  test.each([
    { end: 'failed', download: [409, 'REPORT_FAILED'] },
    { end: 'expired', download: [410, 'REPORT_EXPIRED'] },
  ])('the server ends a report as $end on request', async ({ end, download }) => {
    service.fault(`status:${end}`);
    const id = await idOf(create({ ...hour, metrics: 'displays' }));

    const record = jsonOf(await call('/status-reporting', { as: 'buyer', json: { id } })).response;
    expect(record).toEqual({ status: end, message: expect.any(String), report_id: id });
    const refused = await call('/download-reporting', { as: 'buyer', json: { id } });
    expect([refused.status, jsonOf(refused).response.error_id]).toEqual(download);
  });
});

test('a download is data, then summary; the same request gives the same bytes', async () => {
  const report = { ...hour, metrics: 'displays,revenueEuro', breakdowns: ['DAILY', 'CITY'] };
  const download = async () => {
    const json = { id: await idOf(create(report)) };
    return call('/download-reporting', { as: 'buyer', json });
  };

  const [first, second] = [await download(), await download()];

  expect(first.text).toMatch(/^\{"data":\[\{.*\}\],"summary":\{[^{}]*\}\}$/s);
  expect(second.text).toBe(first.text);
});

describe('campaigns', () => {
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
});

describe('the built-in data', () => {
  const metrics = 'displays,clicks,revenueEuro,revenueDollar';

  test('is the same on every server of a seed, and another for another seed', async () => {
    const json = { ...hour, metrics, breakdowns: ['CAMPAIGN', 'OS'] };
    const rows = await rowsOf(json);
    expect(await rowsOf(json, 'buyer', await startServer())).toEqual(rows);
    expect(await rowsOf(json, 'buyer', await startServer({ seed: 2 }))).not.toEqual(rows);
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
