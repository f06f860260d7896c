import type { EndpointName } from '../contract/endpoints.ts';

/** One call as the log keeps it: no whole token and no password, ever. */
export interface LoggedRequest {
  /** ISO 8601, by the server's clock. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: EndpointName | undefined;
  /** 0 where the connection was cut before an answer. */
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

/** The latest calls, and how many there were of each. */
export class RequestLog {
  #requests: LoggedRequest[] = [];
  readonly #counts = new Map<string, number>();

  add(request: LoggedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length >= 2 * requestsAtMost) this.#requests = this.#requests.slice(-requestsAtMost);
    const name = request.endpoint ?? 'other';
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  list(): LoggedRequest[] {
    return this.#requests.slice(-requestsAtMost);
  }

  counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  clear(): void {
    this.#requests = [];
    this.#counts.clear();
  }
}
