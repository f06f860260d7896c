import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../contract/messages.ts';
import type { ServerClock } from './clock.ts';
import type { LoggedRequest } from './public-types.ts';
import { joinHeaders, normalizeLists, readPath } from './request/fault-request.ts';
import { hideSecrets, isSecretHeader } from './request/hide-secrets.ts';
import { type Parameters, parseBody } from './request/parse-body.ts';

const maxRequests = 1_000;

/** Longer bodies are cut, so that the log has 64 MiB at most. */
const maxBodyLength = 65_536;

/** Deeper values are cut: JSON can be nested more deeply than it can be written again. */
const maxLevels = 20;
const cut = '…';

/**
 * An entry, which is completed while the call is handled. The body is parsed when the entry is
 * read.
 */
export type LogEntry = {
  -readonly [Member in Exclude<keyof LoggedRequest, 'body'>]: LoggedRequest[Member];
};

/** Latest service calls and unknown paths, including those in progress. */
export class RequestLog {
  readonly #clock: ServerClock;
  readonly #onEnd: ((request: LoggedRequest) => void) | undefined;
  #entries: LogEntry[] = [];

  /** @param onEnd called at the end of each call */
  constructor(clock: ServerClock, onEnd?: (request: LoggedRequest) => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** Adds a call when it arrives, and completes its entry when it ends. */
  open(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    endpoint: EndpointName | undefined,
  ): LogEntry {
    const { method = '', url = '' } = incoming;
    const entry = this.#add({
      method,
      path: readPath(url),
      headers: withoutTokens(joinHeaders(incoming)),
      endpoint,
    });

    // This event comes after the response, or when the connection is cut.
    outgoing.once('close', () => {
      entry.status = outgoing.headersSent ? outgoing.statusCode : 0;
      if (entry.status === 0) entry.why ??= 'The connection was cut before the response.';
      this.#onEnd?.(withBody(entry));
    });
    return entry;
  }

  /** Adds a refused request that is not HTTP, from the last bytes received. */
  addUnreadable(bytes: Buffer, status: number, why: string): void {
    const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S+)/.exec(bytes.toString('latin1')) ?? [];
    const entry = this.#add({ method, path: readPath(url), status, why });
    this.#onEnd?.(withBody(entry));
  }

  keepBody(entry: LogEntry, body: Buffer): void {
    if (body.length === 0) return;
    const text = body.toString('utf8', 0, maxBodyLength);
    entry.rawBody = hideSecrets(text);
  }

  /** Lists the entries, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.map(withBody);
  }

  /** Removes every entry, including those of calls in progress. */
  reset(): void {
    this.#entries = [];
  }

  #add(known: Partial<LogEntry>): LogEntry {
    const entry = {
      time: new Date(this.#clock.now()).toISOString(),
      method: '',
      path: '',
      headers: {},
      endpoint: undefined,
      status: 0,
      why: undefined,
      rawBody: undefined,
      ...known,
    };
    this.#entries.push(entry);
    if (this.#entries.length > maxRequests) this.#entries.shift();
    return entry;
  }
}

function withBody(entry: LogEntry): LoggedRequest {
  return { ...entry, body: readParameters(entry) };
}

function readParameters({ rawBody, headers }: LogEntry): Parameters {
  if (rawBody === undefined || rawBody === cut) return {};
  try {
    const { 'content-type': contentType, 'content-encoding': coding } = headers;
    const parameters = parseBody(Buffer.from(rawBody), contentType, coding);
    return cutBelow(normalizeLists(parameters), maxLevels) as Parameters;
  } catch {
    return {};
  }
}

function cutBelow(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return cut;
  if (Array.isArray(value)) return value.map((item) => cutBelow(item, levels - 1));

  const members = Object.entries(value).map(([name, member]) => [
    name,
    cutBelow(member, levels - 1),
  ]);
  return Object.fromEntries(members);
}

function withoutTokens(headers: Record<string, string>): Record<string, string> {
  const shown = { ...headers };
  for (const [name, value] of Object.entries(headers)) {
    if (isSecretHeader(name)) shown[name] = tokenEnd(value);
  }
  return shown;
}

/** Shortens a token to its last 4 characters, to distinguish tokens; to `…` if it is short. */
function tokenEnd(token: string): string {
  return token.length < 20 ? cut : `${cut}${token.trimEnd().slice(-4)}`;
}
