import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { afterAll, expect, onTestFinished } from 'vitest';
import { endpoints } from '../../src/contract/messages.ts';
import {
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../src/server/start.ts';
import type { Row } from './reference-report.ts';

/** The built-in accounts' fixed tokens, as their curl lines carry them. */
export const tokens = {
  buyer: '00000000000000000000000000000000000000b1',
  admin: '00000000000000000000000000000000000000ad',
  dsp: '00000000000000000000000000000000000000d5',
  awkward: '00000000000000000000000000000000000000a4',
} as const;

export type AccountName = keyof typeof tokens;

/** The calls that take a body. */
export const posts = Object.values(endpoints)
  .filter(({ takesBody }) => takesBody)
  .map(({ path }) => path);

/**
 * Where the clock of every server of the tests stands until it is advanced: 2026-11-20T12:00:00Z.
 */
const startMs = Date.UTC(2026, 10, 20, 12);

/**
 * A server on a free port, whose reports are ready at once unless told otherwise; closed when the
 * test is over.
 */
export async function startForTest(options: LocalServerOptions = {}): Promise<LocalServer> {
  const isPaced = options.polls !== undefined || options.manual;
  const server = await startLocalServer({
    clock: () => startMs,
    ...(isPaced ? {} : { delayMs: 0 }),
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

/**
 * The server of all tests of a file, whose reports are ready at once; closed when they are over.
 */
export async function startForFile() {
  const server = await startLocalServer({ clock: () => startMs, delayMs: 0 });
  afterAll(() => server.close());

  /** Asks it for a report, with a body that may be wrong. */
  const create = (json: object, as: AccountName = 'buyer'): Promise<Answered> =>
    call(server, '/buyer-reporting', { as, json });
  return { server, create };
}

export interface Sent {
  readonly method?: string;

  /** The account whose fixed token the call carries; none where absent. */
  readonly as?: AccountName;

  /** Another token. */
  readonly token?: string;

  /** Sent as JSON with its Content-Type. */
  readonly json?: unknown;

  /** Sent as a form with its Content-Type. */
  readonly form?: string;

  /** Sent as it stands. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;

  /** Ends the call once so many bytes of the body have come. */
  readonly leaveAfterBytes?: number;
}

export type Answered = Awaited<ReturnType<typeof call>>;

/**
 * One call on a connection of its own, with exactly the headers that are given: no `Accept`, no
 * `Accept-Encoding` and no `User-Agent` of its own. Resolves however it ends: the status is 0 where
 * the connection ended before an answer, and `isWhole` tells whether the answer came to its proper
 * end.
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
  const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url + path, {
    method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
    agent: false,
    rejectUnauthorized: false,
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

/** The headers that name the type of a body; none where it is not named. */
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

/** A report request that every account may make. */
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

/** A report as JSON in one call; throws what the service said where that is no report. */
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

/** What a refusal says under `response`. */
export function refusalIn(answer: Answered) {
  type Refusal = {
    readonly error_id: string;
    readonly error: string;
    readonly details?: readonly object[];
  };
  return (jsonOf(answer) as { response: Refusal }).response;
}

/**
 * Holds an answer to a refusal: its status, its code, and where parameters are at fault, members of
 * each of its details.
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
