import type { EndpointName } from '../contract/endpoints.ts';

/** One call as the log keeps it: no whole token and no password, ever. */
export interface LoggedRequest {
  /** ISO 8601, by the server's clock. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: EndpointName | undefined;
  /** 0 before the answer has begun, and where the connection was cut before it did. */
  readonly status: number;
  readonly elapsedMs: number;
  /** What was sent, headers included. */
  readonly sizeBytes: number;
  readonly account: string | undefined;
  /** The end of the token, `…00b1`: enough to tell one from another. */
  readonly token: string | undefined;
  /** The body as it came, its first 2,000 bytes; never that of a sign-in. */
  readonly body: string | undefined;
  /** The faults that struck it. */
  readonly faults: readonly string[];
}

const requestsAtMost = 1_000;

interface Entry {
  describe: () => LoggedRequest;
}

/** The latest calls, from their arrival on, and how many there were of each. */
export class RequestLog {
  #entries: Entry[] = [];
  /** Those that are not over. */
  readonly #open = new Set<Entry>();
  readonly #counts = new Map<string, number>();

  /**
   * Takes up a call when it arrives, so that a test which has its answer finds it here, however quick it looks.
   * @param describe what is known of the call, as long as it is not over
   * @returns the function that is to be called when it is over; it returns what is known then
   */
  open(describe: () => LoggedRequest): () => LoggedRequest {
    const entry: Entry = { describe };
    this.#entries.push(entry);
    this.#open.add(entry);
    if (this.#entries.length >= 2 * requestsAtMost) this.#entries = this.#entries.slice(-requestsAtMost);
    return () => {
      const request = describe();
      entry.describe = () => request;
      // Forgotten in the meantime, it is not counted again.
      if (this.#open.delete(entry)) count(this.#counts, request);
      return request;
    };
  }

  list(): LoggedRequest[] {
    return this.#entries.slice(-requestsAtMost).map((entry) => entry.describe());
  }

  counts(): Record<string, number> {
    const counts = new Map(this.#counts);
    for (const entry of this.#open) count(counts, entry.describe());
    return Object.fromEntries(counts);
  }

  clear(): void {
    this.#entries = [];
    this.#open.clear();
    this.#counts.clear();
  }
}

function count(counts: Map<string, number>, { endpoint }: LoggedRequest): void {
  const name = endpoint ?? 'other';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
