import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../contract/messages.ts';
import type { ServerClock } from './clock.ts';
import type { LoggedRequest } from './public-types.ts';
import { parsePath, type ServerCall } from './request/call.ts';
import type { Parameters } from './request/parse-body.ts';

const maxRequests = 1_000;

/** Maximum length of a logged body. With this limit, the log takes at most 64 MiB. */
const maxBodyLength = 65_536;

const hidden = '…';

/** Matches names of members and fields that are secret. */
const secretName = /pass|pwd|secret|token/i;

/** Matches headers in which clients send a secret. */
const secretHeader = /auth|cookie|key|pass|secret|token/i;

/** An entry that is completed while the call is handled. */
export type LogEntry = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };

/** Log of the latest calls, including unknown paths and calls in progress. */
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
    const { method = '', url = '', headers } = incoming;
    const entry = this.#add({
      method,
      path: parsePath(url),
      headers: hideTokens(headers as Record<string, string>),
      endpoint,
    });

    // This event comes after the response, or when the connection is cut.
    outgoing.once('close', () => {
      entry.status = outgoing.headersSent ? outgoing.statusCode : 0;
      if (entry.status === 0) entry.why ??= 'The connection was cut before the response.';
      this.#onEnd?.(entry);
    });
    return entry;
  }

  /** Adds a rejected request that is not HTTP, given the last bytes received. */
  addUnreadable(bytes: Buffer, status: number, why: string): void {
    const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S+)/.exec(bytes.toString('latin1')) ?? [];
    const entry = this.#add({ method, path: parsePath(url), status, why });
    this.#onEnd?.(entry);
  }

  /** Lists the entries, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.map((entry) => ({ ...entry }));
  }

  /** Removes every entry, including those of calls in progress. */
  reset(): void {
    this.#entries = [];
  }

  #add(fields: Partial<LogEntry>): LogEntry {
    const entry = {
      time: new Date(this.#clock.now()).toISOString(),
      method: '',
      path: '',
      headers: {},
      endpoint: undefined,
      status: 0,
      why: undefined,
      body: {},
      rawBody: undefined,
      ...fields,
    };
    this.#entries.push(entry);
    if (this.#entries.length > maxRequests) this.#entries.shift();
    return entry;
  }
}

/** Adds the body of a call to its entry, without secrets. */
export function logBody(entry: LogEntry, { bytes, request }: ServerCall): void {
  if (bytes.length === 0) return;

  const text = bytes.toString('utf8', 0, maxBodyLength);
  // Other text, such as XML, would be read as a form, and its secrets as names of fields.
  const isJsonOrForm = /^\s*\{|^[^\s<]*$/.test(text);
  const isReadable = isJsonOrForm || !secretName.test(text);
  entry.body = isReadable && bytes.length <= maxBodyLength ? hideSecrets(request.body) : {};
  entry.rawBody = mayHaveSecrets(text, entry.body) ? hidden : text;
}

/** Replaces secrets with `…`. Returns `{}` if the body is nested too deeply for JSON. */
function hideSecrets(parameters: Parameters): Parameters {
  const hide = (name: string, value: unknown) => (secretName.test(name) ? hidden : value);
  try {
    return JSON.parse(JSON.stringify(parameters, hide));
  } catch {
    return {};
  }
}

/** Checks the decoded names too, because escapes can hide the name of a secret. */
function mayHaveSecrets(text: string, body: Parameters): boolean {
  const decoded = JSON.stringify(body);
  const isUnclear = /\\u|%/.test(text) && decoded === '{}';
  return isUnclear || secretName.test(text) || secretName.test(decoded);
}

function hideTokens(headers: Readonly<Record<string, string>>): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    masked[name] = secretHeader.test(name) ? shortenToken(value) : value;
  }
  return masked;
}

/** Shortens a token to its last 4 characters. A short token becomes `…`. */
function shortenToken(token: string): string {
  return token.length < 20 ? hidden : `${hidden}${token.trimEnd().slice(-4)}`;
}
