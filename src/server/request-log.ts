import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRequest } from './local-server.ts';

const requestsAtMost = 1_000;

/** What the log keeps of a body. */
const bodyBytesAtMost = 2_000;

/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** A call as far as it is known: what is known only at its end is filled in then. */
export type LogEntry = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };

/** A call that has arrived. */
export interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly endpoint: LoggedRequest['endpoint'];
  readonly nowMs: number;
}

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  readonly #onEnd: (request: LoggedRequest) => void;
  #entries: LogEntry[] = [];
  #counts: Record<string, number> = {};

  /** @param onEnd is told of a call when it is over */
  constructor(onEnd: (request: LoggedRequest) => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** Takes up a call when it arrives, and completes its entry when it is over. */
  open({ incoming, outgoing, endpoint, nowMs }: Arrival): LogEntry {
    const { method = '', url = '', socket, headers } = incoming;
    const startedMs = performance.now();
    const bytesBefore = socket.bytesWritten;
    const entry: LogEntry = {
      time: new Date(nowMs).toISOString(),
      method,
      path: pathOf(url),
      endpoint,
      status: 0,
      elapsedMs: 0,
      sizeBytes: 0,
      account: undefined,
      token: endOfToken(headers.authorization),
      body: undefined,
      faults: [],
    };

    const end = (): void => {
      outgoing.off('finish', end).off('close', end);
      entry.status = outgoing.headersSent ? outgoing.statusCode : 0;
      entry.elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10;
      entry.sizeBytes = socket.bytesWritten - bytesBefore;
      this.#onEnd(entry);
    };
    // A call whose connection is cut ends without the first of these events.
    outgoing.on('finish', end).on('close', end);

    const name = endpoint ?? 'other';
    this.#entries.push(entry);
    if (this.#entries.length > requestsAtMost) this.#entries.shift();
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    return entry;
  }

  /** The latest thousand, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.map((entry) => ({ ...entry }));
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
    this.#entries = [];
    this.#counts = {};
  }
}

/** The beginning of a body, unless it holds credentials. */
export function bodyForLog(body: Buffer): string | undefined {
  const text = body.toString('utf8', 0, bodyBytesAtMost);
  return credentials.test(text) ? undefined : text;
}

/** A path without its query string, in which nobody asks the service for anything. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.slice(0, 200);
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
