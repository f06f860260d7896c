import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRequest } from './public-types.ts';
import { headersOf, normalizeLists, pathOf } from './request/fault-request.ts';
import { bodyForLog, isSecretHeader, signInForLog } from './request/hide-secrets.ts';
import { type Parameters, parseBody } from './request/parse-body.ts';

const maxRequests = 1_000;
const maxBytes = 64 * 1024 * 1024;

/** Longer bodies are cut. */
const maxBodyBytes = 1024 * 1024;

/** Approximate size of an entry without headers and body. */
const usualBytes = 500;

/** Completed while the call is handled. */
export type LogEntry = { -readonly [Member in keyof StoredRequest]: StoredRequest[Member] };

/** The body is parsed when the entry is read. */
type StoredRequest = Omit<LoggedRequest, 'body'>;

const entries = new WeakMap<IncomingMessage, LogEntry>();

/** Returns `undefined` for a call that is not logged. */
export function logEntryOf(incoming: IncomingMessage): LogEntry | undefined {
  return entries.get(incoming);
}

interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly endpoint: LoggedRequest['endpoint'];
  readonly nowMs: number;
}

/** Incomplete, or not HTTP. */
interface UnreadableArrival {
  /** Last bytes received. */
  readonly bytes: Buffer;
  readonly nowMs: number;
  readonly status: number;
  readonly why: string;
}

/** Latest calls, including those in progress. */
export class RequestLog {
  readonly #onEnd: ((request: LoggedRequest) => void) | undefined;
  #kept: {
    readonly entry: LogEntry;

    /** Approximate size in memory. */
    bytes: number;
  }[] = [];
  #bytes = 0;
  #counts: Record<string, number> = {};

  /** @param onEnd called at the end of each call */
  constructor(onEnd?: (request: LoggedRequest) => void) {
    this.#onEnd = onEnd;
  }

  /** Adds a call when it arrives, and completes its entry when it ends. */
  open({ incoming, outgoing, endpoint, nowMs }: Arrival): void {
    const { method = '', url = '', socket } = incoming;
    const headers = headersOf(incoming);
    const startedMs = performance.now();
    const bytesBefore = socket.bytesWritten;
    const entry: LogEntry = {
      ...emptyEntry(nowMs),
      method,
      path: pathOf(url),
      headers: withoutToken(headers),
      endpoint,
      token: endOfToken(headers.authorization),
    };

    const end = (): void => {
      outgoing.off('finish', end).off('close', end);
      entry.status = outgoing.headersSent ? outgoing.statusCode : 0;
      if (entry.status === 0) entry.why ??= 'The connection was cut before the response.';
      entry.elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10;
      entry.sizeBytes = socket.bytesWritten - bytesBefore;
      this.#onEnd?.(withBody(entry));
    };
    // A call whose connection is cut emits no `finish`.
    outgoing.on('finish', end).on('close', end);

    entries.set(incoming, entry);
    this.#add(entry);
  }

  /** Adds a refused request that is not HTTP. */
  addUnreadable({ bytes, nowMs, status, why }: UnreadableArrival): void {
    const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S+)/.exec(bytes.toString('latin1')) ?? [];
    const entry = { ...emptyEntry(nowMs), method, path: pathOf(url), status, why };
    this.#add(entry);
    this.#onEnd?.(withBody(entry));
  }

  keepBody(entry: LogEntry, body: Buffer): void {
    if (body.length === 0) return;

    const text = body.toString('utf8', 0, maxBodyBytes);
    entry.rawBody = entry.endpoint === 'auth' ? signInForLog(text) : bodyForLog(text);
    const kept = this.#kept.findLast((one) => one.entry === entry);
    if (kept) {
      kept.bytes += entry.rawBody.length;
      this.#bytes += entry.rawBody.length;
    }
    this.#dropOldest();
  }

  /** Oldest first. */
  list(): LoggedRequest[] {
    return this.#kept.map(({ entry }) => withBody(entry));
  }

  /** Counts calls by endpoint since the log was last cleared; `other` for unknown paths. */
  counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** Removes every entry, including those of calls in progress. */
  reset(): void {
    this.#kept = [];
    this.#bytes = 0;
    this.#counts = {};
  }

  #add(entry: LogEntry): void {
    const name = entry.endpoint ?? 'other';
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;

    const bytes = usualBytes + JSON.stringify(entry.headers).length;
    this.#kept.push({ entry, bytes });
    this.#bytes += bytes;
    this.#dropOldest();
  }

  #dropOldest(): void {
    while (this.#kept.length > maxRequests || this.#bytes > maxBytes) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
  }
}

function withBody(entry: LogEntry): LoggedRequest {
  const { rawBody, headers, faults } = entry;
  return { ...entry, faults: [...faults], body: normalizeLists(readParameters(rawBody, headers)) };
}

function readParameters(
  rawBody: string | undefined,
  { 'content-type': contentType, 'content-encoding': coding }: Readonly<Record<string, string>>,
): Parameters {
  if (rawBody === undefined) return {};
  try {
    return parseBody(Buffer.from(rawBody), contentType, coding);
  } catch {
    return {};
  }
}

function emptyEntry(nowMs: number): LogEntry {
  return {
    time: new Date(nowMs).toISOString(),
    method: '',
    path: '',
    headers: {},
    endpoint: undefined,
    status: 0,
    why: undefined,
    elapsedMs: 0,
    sizeBytes: 0,
    account: undefined,
    token: undefined,
    rawBody: undefined,
    faults: [],
  };
}

function withoutToken(headers: Record<string, string>): Record<string, string> {
  const shown = { ...headers };
  for (const [name, value] of Object.entries(headers)) {
    if (isSecretHeader(name)) shown[name] = endOfToken(value) ?? value;
  }
  return shown;
}

/** Returns the last 4 characters, to distinguish tokens; `…` for a short one. */
function endOfToken(authorization: string | undefined): string | undefined {
  if (!authorization) return undefined;
  if (authorization.length < 20) return '…';
  return `…${authorization.trimEnd().slice(-4)}`;
}
