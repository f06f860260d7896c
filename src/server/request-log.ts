import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../contract/messages.ts';
import type { NamedEffect } from './faults/fault-kind.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { LoggedRequest } from './local-server.ts';

const requestsAtMost = 1_000;
/** What the log keeps of a body. */
export const loggedBytesAtMost = 2_000;

/** A call as far as it has come. */
export interface LogEntry {
  account?: Account | undefined;
  faults: readonly NamedEffect[];
  /** The beginning of the body, once it could be read. */
  body?: string;
  /** What is known of it now. */
  tell(): LoggedRequest;
}

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  #entries: LogEntry[] = [];
  #counts: Record<string, number> = {};

  /**
   * Takes up a call when it arrives, so that a test which has its answer finds it here, however quick it looks.
   *
   * @param onEnd told of the call when it is over
   */
  open(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    call: { readonly arrivedMs: number; readonly endpoint: EndpointName | undefined },
    onEnd: ((request: LoggedRequest) => void) | undefined,
  ): LogEntry {
    const startedMs = performance.now();
    const sentBefore = incoming.socket.bytesWritten;
    const entry: LogEntry = {
      faults: [],
      tell: () => ({
        time: new Date(call.arrivedMs).toISOString(),
        method: incoming.method ?? '',
        path: (incoming.url?.split('?', 1)[0] ?? '').slice(0, 200),
        endpoint: call.endpoint,
        status: outgoing.headersSent ? outgoing.statusCode : 0,
        elapsedMs: Math.round((performance.now() - startedMs) * 10) / 10,
        sizeBytes: incoming.socket.bytesWritten - sentBefore,
        account: entry.account?.name,
        token: maskToken(incoming.headers.authorization),
        body: credentials.test(entry.body ?? '') ? undefined : entry.body,
        faults: entry.faults.map(({ type }) => type),
      }),
    };
    // Every call ends with this, those whose connection is cut included.
    outgoing.on('close', () => {
      const told = entry.tell();
      entry.tell = () => told;
      onEnd?.(told);
    });
    this.#entries.push(entry);
    if (this.#entries.length > requestsAtMost) this.#entries.shift();
    const counted = call.endpoint ?? 'other';
    this.#counts[counted] = (this.#counts[counted] ?? 0) + 1;
    return entry;
  }

  /** The latest thousand, oldest first. */
  list(): LoggedRequest[] {
    return this.#entries.map((entry) => entry.tell());
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

/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret. */
function maskToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header.length < 20 ? '…' : `…${header.trimEnd().slice(-4)}`;
}
