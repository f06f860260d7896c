import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, onTestFinished } from 'vitest';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '../../src/server/start.ts';

/** The built-in accounts' fixed tokens, as their curl lines carry them. */
export const tokens = {
  buyer: '00000000000000000000000000000000000000b1',
  admin: '00000000000000000000000000000000000000ad',
  dsp: '00000000000000000000000000000000000000d5',
} as const;

export type AccountName = keyof typeof tokens;

/** The server of all tests of a file, whose reports are ready at once; closed when they are over. */
export async function startForFile(): Promise<LocalServer> {
  const server = await startLocalServer({ delayMs: 0 });
  afterAll(() => server.close());
  return server;
}

/** A server on a free port, whose reports are ready at once unless told otherwise; closed when the test is over. */
export async function startForTest(options: LocalServerOptions = {}): Promise<LocalServer> {
  const isPaced = options.polls !== undefined || options.manual;
  const server = await startLocalServer(isPaced ? options : { delayMs: 0, ...options });
  onTestFinished(() => server.close());
  return server;
}

export interface Sent {
  readonly method?: string;
  /** The account whose fixed token the call carries; none where absent. */
  readonly as?: AccountName;
  /** Sent as JSON with its Content-Type. */
  readonly json?: unknown;
  /** Sent as a form with its Content-Type. */
  readonly form?: string;
  /** Sent as it stands. */
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One call with exactly the headers that are given: no `Accept`, no `Accept-Encoding` and no `User-Agent` of its own. */
export async function call(url: string, path: string, sent: Sent = {}): Promise<Answered> {
  const body = sent.json === undefined ? (sent.form ?? sent.body) : JSON.stringify(sent.json);
  const type =
    sent.json === undefined
      ? sent.form === undefined
        ? undefined
        : 'application/x-www-form-urlencoded'
      : 'application/json';
  const headers = {
    ...(sent.as ? { authorization: tokens[sent.as] } : {}),
    ...(type ? { 'content-type': type } : {}),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...sent.headers,
  };
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const outgoing = request(url + path, { method, headers, agent: false }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answer }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A row as the test sees it: names and values, nothing known of either. */
export type Row = Readonly<Record<string, string | number | null>>;

export interface ReportDocument {
  readonly data: readonly Row[];
  readonly summary: {
    readonly since: string;
    readonly until: string;
    readonly breakdowns: readonly string[];
    readonly timezone: string;
  };
}

/** A report as JSON in one call; throws what the service said where that is no report. */
export async function reportOf(url: string, as: AccountName, parameters: object): Promise<ReportDocument> {
  const json = { output: 'direct', ...parameters };
  const answer = await call(url, '/buyer-reporting', { as, json, headers: { accept: 'application/json' } });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return JSON.parse(answer.text) as ReportDocument;
}

export interface Refusal {
  readonly error_id: string;
  readonly error: string;
  readonly details?: readonly {
    readonly parameter: string;
    readonly value?: unknown;
    readonly problem: string;
    readonly allowed?: readonly string[] | string;
  }[];
}

/** What a refusal says under `response`. */
export function refusalIn({ text: body }: Answered): Refusal {
  return (JSON.parse(body) as { response: Refusal }).response;
}

/** Unix seconds of an instant in ISO 8601. */
export function seconds(instant: string): number {
  return Date.parse(instant) / 1_000;
}
