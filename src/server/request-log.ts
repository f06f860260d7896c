import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRequest } from './local-server.ts';
import { bodyForLog } from './request/hide-secrets.ts';
import { headersOf, pathOf } from './request/seen-request.ts';

const requestsAtMost = 1_000;
const bytesAtMost = 64 * 1024 * 1024;

/** What is kept of the body of one call. */
const bodyBytesAtMost = 1024 * 1024;

/** A call has about so many bytes beside its headers and its body. */
const usualBytes = 500;

/** A call as far as it is known: what is known only at its end is filled in then. */
export type LogEntry = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };

/** The entries of the calls that are logged. */
const entries = new WeakMap<IncomingMessage, LogEntry>();

/** The entry of a call; none of one that is not logged. */
export function logEntryOf(incoming: IncomingMessage): LogEntry | undefined {
  return entries.get(incoming);
}

/** A call that has arrived. */
interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly endpoint: LoggedRequest['endpoint'];
  readonly nowMs: number;
}

/** What came and is not HTTP, or not all of it. */
interface UnreadableArrival {
  /** What came last. */
  readonly bytes: Buffer;
  readonly nowMs: number;
  readonly status: number;
  readonly why: string;
}

/** A call with about how much memory it takes. */
interface KeptEntry {
  readonly entry: LogEntry;
  bytes: number;
}

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  readonly #onEnd: (request: LoggedRequest) => void;
  #kept: KeptEntry[] = [];
  #bytes = 0;
  #counts: Record<string, number> = {};

  /** @param onEnd is told of a call when it is over */
  constructor(onEnd: (request: LoggedRequest) => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** Takes up a call when it arrives, and completes its entry when it is over. */
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
      if (entry.status === 0) entry.why ??= 'The connection was cut before the answer.';
      entry.elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10;
      entry.sizeBytes = socket.bytesWritten - bytesBefore;
      this.#onEnd(entry);
    };
    // A call whose connection is cut ends without the first of these events.
    outgoing.on('finish', end).on('close', end);

    entries.set(incoming, entry);
    this.#add(entry);
  }

  /** Takes up what never became a call, and was refused. */
  addUnreadable({ bytes, nowMs, status, why }: UnreadableArrival): void {
    const [, method = '', url = ''] = /^([A-Z]{1,20}) (\S+)/.exec(bytes.toString('latin1')) ?? [];
    const entry = { ...emptyEntry(nowMs), method, path: pathOf(url), status, why };
    this.#add(entry);
    this.#onEnd(entry);
  }

  /** Keeps the body of a call, as far as there is room. */
  keepBody(entry: LogEntry, body: Buffer): void {
    if (body.length === 0) return;

    entry.body = bodyForLog(body.toString('utf8', 0, bodyBytesAtMost));
    const kept = this.#kept.findLast((one) => one.entry === entry);
    if (kept) {
      kept.bytes += entry.body.length;
      this.#bytes += entry.body.length;
    }
    this.#dropOldest();
  }

  /** The latest thousand, oldest first. */
  list(): LoggedRequest[] {
    return this.#kept.map(({ entry }) => ({ ...entry }));
  }

  /**
   * How many calls of each endpoint there were since the log was last cleared; `other` for those of
   * none.
   */
  counts(): Readonly<Record<string, number>> {
    return this.#counts;
  }

  /** Forgets every call; one that is still under way is not taken up again. */
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
    while (this.#kept.length > requestsAtMost || this.#bytes > bytesAtMost) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    }
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
    body: undefined,
    faults: [],
  };
}

/** The headers, with only the end of a token. */
function withoutToken(headers: Record<string, string>): Record<string, string> {
  const shown = { ...headers };
  for (const name of ['authorization', 'proxy-authorization']) {
    const end = endOfToken(headers[name]);
    if (end !== undefined) shown[name] = end;
  }
  return shown;
}

/**
 * Enough of a token to tell one from another, and nothing of one that is too short to keep a part
 * of it secret.
 */
function endOfToken(authorization: string | undefined): string | undefined {
  if (!authorization) return undefined;
  if (authorization.length < 20) return '…';
  return `…${authorization.trimEnd().slice(-4)}`;
}
