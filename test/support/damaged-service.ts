import type { LocalServerOptions } from '../../src/server/start.ts';
import { serve } from './http-server.ts';
import type { CliOptions } from './run-cli.ts';
import { serveForTest } from './service.ts';

/** A call on its way to the local server. */
export interface PassingCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly accept: string | undefined;
  readonly contentType: string | undefined;

  /** The members of a JSON body; none of another body. */
  readonly body: Readonly<Record<string, unknown>>;

  /** The body as it is sent, where it is no JSON. */
  readonly text: string;

  /** Which call of this path and this report it is, from 1. */
  readonly nth: number;
}

/** An answer on its way back. */
export interface PassingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** Of a JSON body; `undefined` for another one. */
  readonly json: unknown;

  /** The body where it is no JSON, or is to be written otherwise. */
  readonly text: string | Uint8Array;
}

/** What a service does otherwise than the local server. */
export interface Damage {
  readonly name: string;

  /** The account of the local server that calls it; buyer where absent. */
  readonly account?: 'buyer' | 'dsp';
  readonly server?: LocalServerOptions;

  /** Changes a call before the local server has it, or answers it. */
  readonly call?: (call: PassingCall) => PassingCall | PassingAnswer;

  /** Changes an answer before the program has it. */
  readonly answer?: (answer: PassingAnswer, call: PassingCall) => PassingAnswer;
}

/** A body of JSON with a status. */
export function jsonAnswer(status: number, json: unknown): PassingAnswer {
  return { status, headers: {}, json, text: '' };
}

/** The local server, with a damage between it and the program. */
export async function serveDamaged({ account = 'buyer', server: options = {}, ...damage }: Damage) {
  const { server, run } = await serveForTest(options, account);
  const counts = new Map<string, number>();

  const front = await serve(async (received, response) => {
    const call = asCall(received);
    const key = `${call.path} ${call.body.id}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);

    const asked = damage.call?.({ ...call, nth }) ?? call;
    const honest = 'status' in asked ? asked : await forward(server.url, asked);
    const answer = damage.answer?.(honest, { ...call, nth }) ?? honest;

    const body = answer.json === undefined ? answer.text : JSON.stringify(answer.json);
    const type = answer.json === undefined ? 'text/plain' : 'application/json';
    response.writeHead(answer.status, { 'content-type': type, ...answer.headers }).end(body);
  });

  const env = {
    ADREPORT_BASE_URL: front.url.href,
    ADREPORT_EMAIL: `${account}@example.com`,
    ADREPORT_PASSWORD: 'demo',
  };
  return (line: string, more: CliOptions = {}) => {
    return run(line, { ...more, env: { ...env, ...more.env } });
  };
}

function asCall({
  method,
  path,
  headers,
  body,
}: Parameters<Parameters<typeof serve>[0]>[0]): Omit<PassingCall, 'nth'> & { readonly nth: 0 } {
  const isJson = headers['content-type'] === 'application/json';
  return {
    method,
    path,
    authorization: headers.authorization,
    accept: headers.accept,
    contentType: headers['content-type'],
    body: isJson ? JSON.parse(body) : {},
    text: isJson ? '' : body,
    nth: 0,
  };
}

async function forward(url: string, call: PassingCall): Promise<PassingAnswer> {
  const { method, path, authorization, accept, contentType, body, text } = call;
  const headers: Record<string, string> = { accept: accept ?? '' };
  if (authorization !== undefined) headers.authorization = authorization;
  if (contentType !== undefined) headers['content-type'] = contentType;

  const isJson = contentType === 'application/json';
  const sent = isJson ? JSON.stringify(body) : text;
  const response = await fetch(new URL(path, url), {
    method,
    headers,
    ...(method === 'POST' && { body: sent }),
  });
  const type = response.headers.get('content-type') ?? '';
  const date = response.headers.get('date');
  const received = await response.text();
  const json = type.startsWith('application/json') ? JSON.parse(received) : undefined;
  const passed = { 'content-type': type, ...(date !== null && { date }) };
  return { status: response.status, headers: passed, json, text: received };
}
