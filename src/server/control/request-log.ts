import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../../contract/messages.ts';
import type { NamedEffect } from '../faults/fault-kind.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { LoggedRequest } from '../local-server.ts';

const requestsAtMost = 1_000;
/** What the log keeps of a body. */
export const loggedBytesAtMost = 2_000;

/** A call on its way; what the log tells of it is put into words only when somebody looks. */
export interface LogEntry {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** By the server's clock, and by `performance.now()`. */
  readonly arrivedMs: number;
  readonly startedMs: number;
  /** What the connection had sent before. */
  readonly sentBefore: number;
  readonly endpoint: EndpointName | undefined;
  account: Account | undefined;
  faults: readonly NamedEffect[];
  /** Its beginning, once it could be read. */
  body: string | undefined;
  /** Set when it is over. */
  told: LoggedRequest | undefined;
}

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  #entries: LogEntry[] = [];
  #counts: Record<string, number> = {};

  /** Takes up a call when it arrives, so that a test which has its answer finds it here, however quick it looks. */
  open(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    { arrivedMs, endpoint }: Pick<LogEntry, 'arrivedMs' | 'endpoint'>,
  ): LogEntry {
    const entry: LogEntry = {
      ...{ incoming, outgoing, endpoint, arrivedMs },
      ...{ startedMs: performance.now(), sentBefore: incoming.socket.bytesWritten },
      ...{ account: undefined, faults: [], body: undefined, told: undefined },
    };
    this.#entries.push(entry);
    if (this.#entries.length > requestsAtMost) this.#entries.shift();
    this.#counts[endpoint ?? 'other'] = (this.#counts[endpoint ?? 'other'] ?? 0) + 1;
    return entry;
  }

  /** Settles what is known of a call that is over. */
  close(entry: LogEntry): LoggedRequest {
    entry.told = tell(entry);
    return entry.told;
  }

  /** The latest thousand, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.map((entry) => entry.told ?? tell(entry));
  }

  /** How many calls of each endpoint there were since the log was last cleared; `other` for those of none. */
  counts(): Record<string, number> {
    return { ...this.#counts };
  }

  /** Forgets every call; one that is still under way is not taken up again. */
  clear(): void {
    this.#entries = [];
    this.#counts = {};
  }
}

function tell({ incoming, outgoing, ...entry }: LogEntry): LoggedRequest {
  return {
    time: new Date(entry.arrivedMs).toISOString(),
    method: incoming.method ?? '',
    path: (incoming.url?.split('?', 1)[0] ?? '').slice(0, 200),
    endpoint: entry.endpoint,
    status: outgoing.headersSent ? outgoing.statusCode : 0,
    elapsedMs: Math.round((performance.now() - entry.startedMs) * 10) / 10,
    sizeBytes: incoming.socket.bytesWritten - entry.sentBefore,
    account: entry.account?.name,
    token: maskToken(incoming.headers.authorization),
    body: credentials.test(entry.body ?? '') ? undefined : entry.body,
    faults: entry.faults.map(({ type }) => type),
  };
}

/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret. */
function maskToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header.length < 20 ? '…' : `…${header.trimEnd().slice(-4)}`;
}
