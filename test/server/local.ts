import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, expect, onTestFinished } from 'vitest';
import { endpoints } from '../../src/contract/messages.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import type { LoggedRequest } from '../../src/server/public-types.ts';
import { type LocalServer, startServer } from '../../src/server/start.ts';
import type { Row } from './reference-report.ts';

/** The fixed tokens of the built-in accounts. */
export const tokens = {
  buyer: '00000000000000000000000000000000000000b1',
  admin: '00000000000000000000000000000000000000ad',
  dsp: '00000000000000000000000000000000000000d5',
  awkward: '00000000000000000000000000000000000000a4',
} as const;

export type AccountName = keyof typeof tokens;

/** The calls with a body. */
export const posts = Object.values(endpoints)
  .filter(({ takesBody }) => takesBody)
  .map(({ path }) => path);

/**
 * The time of every test server until it is advanced: 2026-11-20T12:00:00Z.
 */
const startMs = Date.UTC(2026, 10, 20, 12);

/**
 * A server on a free port, which is closed after the test. By default, reports are ready at once.
 */
export async function startForTest(options: ServerOptions = {}): Promise<LocalServer> {
  const isPaced = options.polls !== undefined || options.manual;
  const server = await startServer({
    clock: () => startMs,
    ...(isPaced ? {} : { delayMs: 0 }),
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

/**
 * A server for all tests of a file, which is closed after them. Reports are ready at once.
 */
export async function startForFile() {
  const server = await startServer({ clock: () => startMs, delayMs: 0 });
  afterAll(() => server.close());

  /** Calls it to create a report, with a body that may be invalid. */
  const create = (json: object, as: AccountName = 'buyer'): Promise<Answered> =>
    call(server, '/buyer-reporting', { as, json });
  return { server, create };
}

export interface Sent {
  readonly method?: string;

  /** The account whose fixed token is sent. Default: no token. */
  readonly as?: AccountName;

  /** Another token. */
  readonly token?: string;

  /** Sent as JSON with its Content-Type. */
  readonly json?: unknown;

  /** Sent as a form with its Content-Type. */
  readonly form?: string;

  /** Sent unchanged. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;

  /** Disconnects after this many bytes of the body. */
  readonly leaveAfterBytes?: number;
}

export type Answered = Awaited<ReturnType<typeof call>>;

/**
 * Makes a call on a new connection, with exactly the given headers: no default `Accept`,
 * `Accept-Encoding` or `User-Agent`. Never rejects: the status is 0 if the connection ended before
 * an answer, and `isWhole` is true if the answer is complete.
 */
export async function call({ url }: { readonly url: string }, path: string, sent: Sent = {}) {
  const {
    as,
    token = as && tokens[as],
    json,
    form,
    leaveAfterBytes = Number.POSITIVE_INFINITY,
  } = sent;
  const body = json === undefined ? (form ?? sent.body) : JSON.stringify(json);
  const type =
    json === undefined
      ? form !== undefined && 'application/x-www-form-urlencoded'
      : 'application/json';
  const request = httpRequest(url + path, {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    agent: false,
    headers: {
      ...(token !== undefined && { authorization: token }),
      ...(type && { 'content-type': type }),
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      ...sent.headers,
    },
  });
  request.end(body);
  let received = Buffer.alloc(0);
  let response: IncomingMessage | undefined;
  let errorCode: string | undefined;
  try {
    [response] = (await once(request, 'response')) as [IncomingMessage];
    for await (const piece of response) {
      received = Buffer.concat([received, piece]);
      if (received.length >= leaveAfterBytes) break;
    }
  } catch (error) {
    errorCode = (error as NodeJS.ErrnoException).code;
  }
  const { statusCode: status = 0, headers = {}, complete: isWhole = false } = response ?? {};
  return { status, headers, body: received, text: received.toString(), isWhole, errorCode };
}

/** A Content-Type header; no header for `undefined`. */
export function labelled(contentType?: string): Record<string, string> {
  return contentType === undefined ? {} : { 'content-type': contentType };
}

/** The body of an answer as JSON. */
export function jsonOf({ text }: Answered): unknown {
  return JSON.parse(text);
}

/** Signs in to one of the built-in accounts and returns the token. */
export async function signIn(server: LocalServer, email = 'buyer@example.com'): Promise<string> {
  const answer = jsonOf(
    await call(server, '/auth-reporting', { json: { email, password: 'demo' } }),
  );
  return (answer as { response: { token: string } }).response.token;
}

/** New Year's Day of 2026 in Paris. */
export const day = { since: 1_767_222_000, until: 1_767_308_399 };

/** A report request that is valid for every account. */
export const smallReport = { ...day, metrics: 'displays', breakdowns: ['DAILY'] };

/** Creates a report and returns its ID. */
export async function createReport(
  server: LocalServer,
  as: AccountName = 'buyer',
  json: object = smallReport,
) {
  const created = jsonOf(await call(server, '/buyer-reporting', { as, json }));
  return (created as { response: { report_id: string } }).response.report_id;
}

/** The answer to a download of a report. */
export function downloadOf(
  server: LocalServer,
  id: string,
  as: AccountName = 'buyer',
): Promise<Answered> {
  return call(server, '/download-reporting', { as, json: { id } });
}

/** An admin call, without a token. */
export async function admin(server: LocalServer, path: string, sent: Sent = {}) {
  const answer = await call(server, `/__admin${path}`, sent);
  return { status: answer.status, json: jsonOf(answer) };
}

/** Removes every fault, initial ones too. */
export async function clearFaults(server: LocalServer): Promise<void> {
  await admin(server, '/faults', { method: 'DELETE' });
}

/** Sets the status of a report for good. */
export async function setStatus(server: LocalServer, id: string, status: string): Promise<void> {
  await admin(server, `/reports/${id}`, { json: { status } });
}

/** The built-in account with whose fixed token a logged call was made. */
export function callerOf({ headers }: LoggedRequest): AccountName | undefined {
  const names = Object.keys(tokens) as AccountName[];
  return names.find((name) => headers.authorization === `…${tokens[name].slice(-4)}`);
}

export function portOf({ url }: LocalServer): number {
  return Number(new URL(url).port);
}

/** The status word of a report. */
export async function statusOf(
  server: LocalServer,
  id: string,
  as: AccountName = 'buyer',
): Promise<string> {
  const answer = jsonOf(await call(server, '/status-reporting', { as, json: { id } }));
  return (answer as { response: { status: string } }).response.status;
}

export interface ReportDocument {
  readonly data: readonly Row[];
  readonly summary: Readonly<Record<'since' | 'until' | 'timezone', string>> & {
    readonly breakdowns: readonly string[];
  };
}

/** A report as JSON in one call. Throws if it is refused. */
export async function reportOf(
  server: LocalServer,
  as: AccountName,
  parameters: object,
): Promise<ReportDocument> {
  const json = { output: 'direct', ...parameters };
  const answer = await call(server, '/buyer-reporting', {
    as,
    json,
    headers: { accept: 'application/json' },
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return jsonOf(answer) as ReportDocument;
}

/** The `response` member of a refusal. */
export function refusalIn(answer: Answered) {
  type Refusal = {
    readonly error_id: string;
    readonly error: string;
    readonly details?: readonly object[];
  };
  return (jsonOf(answer) as { response: Refusal }).response;
}

/**
 * Expects a refusal with this status and error id, and optionally with these members in its
 * details.
 */
export function expectRefusal(
  answer: Answered,
  status: number,
  errorId: string,
  ...details: object[]
): void {
  expect([answer.status, refusalIn(answer).error_id]).toEqual([status, errorId]);
  if (details.length > 0)
    expect(refusalIn(answer).details).toEqual(details.map((one) => expect.objectContaining(one)));
}
