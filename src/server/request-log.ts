import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRequest } from './local-server.ts';

const requestsAtMost = 1_000;
/** What the log keeps of a body. */
const bytesAtMost = 2_000;
/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** A call as far as it is known. */
export type LogEntry = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };
export type RequestLog = ReturnType<typeof createRequestLog>;

/** The latest calls, from their arrival on, and how many there were of each; `onEnd` is told of a call when it is over. */
export function createRequestLog(onEnd: (request: LoggedRequest) => void = () => {}) {
  let entries: LogEntry[] = [];
  let counts: Record<string, number> = {};
  return {
    /** Takes up a call when it arrives; what is known only at its end is added then. */
    open(
      { method = '', url = '', socket, headers }: IncomingMessage,
      outgoing: ServerResponse,
      { nowMs, endpoint }: { readonly nowMs: number; readonly endpoint: LoggedRequest['endpoint'] },
    ): LogEntry {
      const startedMs = performance.now();
      const sentBefore = socket.bytesWritten;
      // Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret.
      const { authorization = '' } = headers;
      const token =
        authorization && `…${authorization.length < 20 ? '' : authorization.trimEnd().slice(-4)}`;
      const entry: LogEntry = {
        time: new Date(nowMs).toISOString(),
        method,
        path: (url.split('?', 1)[0] ?? '').slice(0, 200),
        endpoint,
        status: 0,
        elapsedMs: 0,
        sizeBytes: 0,
        account: undefined,
        token: token || undefined,
        body: undefined,
        faults: [],
      };
      const end = (): void => {
        outgoing.off('finish', end).off('close', end);
        entry.status = outgoing.headersSent ? outgoing.statusCode : 0;
        entry.elapsedMs = Math.round((performance.now() - startedMs) * 10) / 10;
        entry.sizeBytes = socket.bytesWritten - sentBefore;
        onEnd(entry);
      };
      // A call whose connection is cut ends without the first.
      outgoing.on('finish', end).on('close', end);
      entries = [...entries, entry].slice(-requestsAtMost);
      counts[endpoint ?? 'other'] = (counts[endpoint ?? 'other'] ?? 0) + 1;
      return entry;
    },
    /** The latest thousand, oldest first. */
    list: (): LoggedRequest[] => entries.map((entry) => ({ ...entry })),
    /** How many calls of each endpoint there were since the log was last cleared; `other` for those of none. */
    counts: (): Readonly<Record<string, number>> => counts,
    /** Forgets every call; one that is still under way is not taken up again. */
    reset(): void {
      entries = [];
      counts = {};
    },
  };
}

/** The beginning of a body, unless it holds credentials. */
export function bodyForLog(body: Buffer): string | undefined {
  const text = body.toString('utf8', 0, bytesAtMost);
  return credentials.test(text) ? undefined : text;
}
