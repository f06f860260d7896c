import type { ServerResponse } from 'node:http';
import type { EndpointName } from '../../contract/endpoints.ts';
import type { Strike } from '../faults/fault-kind.ts';
import type { Account } from '../fixtures/fixtures.ts';
import type { LoggedRequest } from '../local-server.ts';

/** What is noted of a call on its way through; it is put into words only when somebody looks. */
export interface CallNote {
  /** By the server's clock. */
  readonly arrivedMs: number;
  readonly method: string;
  readonly url: string;
  /** The whole header, of which nothing but the end is ever told. */
  readonly authorization: string | undefined;
  endpoint: EndpointName | undefined;
  account: Account | undefined;
  faults: readonly Strike[];
  body: string | undefined;
  /** Whether it counts: not any more once the log was cleared. */
  isLogged: boolean;
  /** Whether nothing of its answer can be sent yet: those to the calls before it on its connection come first. */
  isWaiting: boolean;
  /** The answer, until it is over. */
  response: ServerResponse | undefined;
  /** What the connection had sent when the turn of the call came, then what the call was sent. */
  sizeBytes: number;
  /** When the call came, by `performance.now()`, then how long it took. */
  elapsedMs: number;
  status: number;
}

const requestsAtMost = 1_000;

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  /** The latest, each in the place of the one that came a thousand calls before it. */
  #notes: CallNote[] = [];
  #opened = 0;
  /** Of those that are over, or forgotten. */
  readonly #counts = new Map<string, number>();

  /** Takes up a call when it arrives, so that a test which has its answer finds it here, however quick it looks. */
  open(note: CallNote): void {
    note.isLogged = true;
    const place = this.#opened % requestsAtMost;
    const forgotten = this.#notes[place];
    if (forgotten?.response) {
      // Still under way, it is out of reach when it ends, and when the log is cleared before that.
      forgotten.isLogged = false;
      count(this.#counts, forgotten);
    }
    this.#notes[place] = note;
    this.#opened += 1;
  }

  /** Settles what is known of a call that is over, and lets go of its connection. */
  end(note: CallNote): void {
    const { status, sizeBytes, elapsedMs } = measured(note);
    note.status = status;
    note.sizeBytes = sizeBytes;
    note.elapsedMs = elapsedMs;
    note.response = undefined;
    // Forgotten in the meantime, it is not counted again.
    if (note.isLogged) count(this.#counts, note);
  }

  /** The latest thousand, oldest first, in words. */
  list(): LoggedRequest[] {
    const oldest = this.#opened % requestsAtMost;
    return [...this.#notes.slice(oldest), ...this.#notes.slice(0, oldest)].map(toLogged);
  }

  /** How many calls of each endpoint there were since the log was last cleared; `other` for those of none. */
  counts(): Record<string, number> {
    const counts = new Map(this.#counts);
    for (const note of this.#notes) if (note.response) count(counts, note);
    return Object.fromEntries(counts);
  }

  /** Forgets every call; one that is still under way is not taken up again. */
  clear(): void {
    for (const note of this.#notes) note.isLogged = false;
    this.#notes = [];
    this.#opened = 0;
    this.#counts.clear();
  }
}

function count(counts: Map<string, number>, { endpoint }: CallNote): void {
  const name = endpoint ?? 'other';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** The figures of a call as they stand: of one that is over, for good. */
function measured(note: CallNote): Pick<CallNote, 'status' | 'sizeBytes' | 'elapsedMs'> {
  const { response, status, sizeBytes, elapsedMs } = note;
  if (!response) return { status, sizeBytes, elapsedMs };
  if (note.isWaiting) return { status: 0, sizeBytes: 0, elapsedMs: performance.now() - elapsedMs };
  return {
    status: response.headersSent ? response.statusCode : 0,
    sizeBytes: (response.req.socket?.bytesWritten ?? sizeBytes) - sizeBytes,
    elapsedMs: performance.now() - elapsedMs,
  };
}

/** A call in words. */
export function toLogged(note: CallNote): LoggedRequest {
  const { status, sizeBytes, elapsedMs } = measured(note);
  return {
    time: new Date(note.arrivedMs).toISOString(),
    method: note.method,
    path: (note.url.split('?', 1)[0] ?? '').slice(0, 200),
    endpoint: note.endpoint,
    status,
    elapsedMs: Math.round(elapsedMs * 10) / 10,
    sizeBytes,
    account: note.account?.name,
    token: maskToken(note.authorization),
    body: note.body === undefined || credentials.test(note.body) ? undefined : note.body,
    faults: note.faults.map(({ type }) => type),
  };
}

/** The names under which credentials go, wherever in a body they stand. */
const credentials = /auth|passw|token|secret/i;

/** Enough of a token to tell one from another; nothing of one that is too short to keep a part of it secret. */
function maskToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  return header.length < 20 ? '…' : `…${header.trimEnd().slice(-4)}`;
}
