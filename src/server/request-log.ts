import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EndpointName } from '../contract/messages.ts';
import type { Account } from './fixtures/fixtures.ts';
import type { LoggedRequest } from './local-server.ts';

const requestsAtMost = 1_000;
/** What the log keeps of a body. */
export const loggedBytesAtMost = 2_000;
/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** A call as far as it has come. */
export interface LogEntry {
  account?: Account | undefined;
  faults: readonly { readonly type: string }[];
  /** The beginning of the body, once it could be read. */
  body?: string;
  /** What is known of it now. */
  tell(): LoggedRequest;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * The latest calls, from their arrival on, and how many there were of each.
 *
 * @param onEnd told of every call when it is over
 */
export function createRequestLog(onEnd: (request: LoggedRequest) => void = () => {}) {
  let entries: LogEntry[] = [];
  let counts: Record<string, number> = {};
  return {
    /** Takes up a call when it arrives, so that a test which has its answer finds it here, however quick it looks. */
    open(
      incoming: IncomingMessage,
      outgoing: ServerResponse,
      { arrivedMs, endpoint }: { readonly arrivedMs: number; readonly endpoint: EndpointName | undefined },
    ): LogEntry {
      const startedMs = performance.now();
      const { method = '', url = '', socket, headers } = incoming;
      const sentBefore = socket.bytesWritten;
      const entry: LogEntry = {
        faults: [],
        tell: () => ({
          time: new Date(arrivedMs).toISOString(),
          method,
          path: (url.split('?', 1)[0] ?? '').slice(0, 200),
          endpoint,
          status: outgoing.headersSent ? outgoing.statusCode : 0,
          elapsedMs: Math.round((performance.now() - startedMs) * 10) / 10,
          sizeBytes: socket.bytesWritten - sentBefore,
          account: entry.account?.name,
          token: maskToken(headers.authorization),
          body: credentials.test(entry.body ?? '') ? undefined : entry.body,
          faults: entry.faults.map(({ type }) => type),
        }),
      };
      // Every call ends with this, those whose connection is cut included.
      outgoing.on('close', () => {
        const told = entry.tell();
        entry.tell = () => told;
        onEnd(told);
      });
      entries = [...entries, entry].slice(-requestsAtMost);
      counts[endpoint ?? 'other'] = (counts[endpoint ?? 'other'] ?? 0) + 1;
      return entry;
    },

    /** The latest thousand, oldest first. */
    list: (): LoggedRequest[] => entries.map((entry) => entry.tell()),

    /** How many calls of each endpoint there were since the log was last cleared; `other` for those of none. */
    counts: (): Readonly<Record<string, number>> => counts,

    /** Forgets every call; one that is still under way is not taken up again. */
    reset(): void {
      entries = [];
      counts = {};
    },
  };
}

/** Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret. */
function maskToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header.length < 20 ? '…' : `…${header.trimEnd().slice(-4)}`;
}
