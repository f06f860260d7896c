import type { EndpointName, ReportRequest } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';

/** Public types of the local server. They import no package, so test suites need none. */

/**
 * Options named like the flags of `adreport local-server`. A duration is a number with a
 * unit, such as `2s`.
 */
export interface LocalServerOptions {
  /** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string;

  /** Port to listen on. Default: 0, which means any free port. */
  readonly port?: number;

  /** Folder of fixture data to serve instead of the built-in data. */
  readonly fixtures?: string;

  /** Seed of the built-in data. The same seed gives the same run. Default: 1. */
  readonly seed?: number;

  /** Multiplies the facts of the built-in data. At least 1. Default: 1. */
  readonly scale?: number;

  /** Time until a report is ready, by the server's clock. Default: 2 seconds. */
  readonly delay?: string;

  /** `delay` in milliseconds. */
  readonly delayMs?: number;

  /** Number of status calls until a report is ready, instead of `delay`. */
  readonly polls?: number;

  /** Whether reports become ready only through an admin call, instead of `delay` and `polls`. */
  readonly manual?: boolean;

  /** Time until an unused token expires. Default: 2 hours. */
  readonly tokenTtl?: string;

  /** Time until a report expires. Default: 24 hours. */
  readonly reportTtl?: string;

  /**
   * Number of days after the end of a day, in the report's zone, until its conversions and revenue
   * are complete. Default: 0.
   */
  readonly restate?: number;

  /** Calls per second and account. More calls are refused with 429. Default: no limit. */
  readonly rateLimit?: number;

  /**
   * Meaning of `since` and `until`: `instant`, or `wall` for wall time whose digits are written as
   * if they were UTC. Default: `instant`.
   */
  readonly windowClock?: 'instant' | 'wall';

  /** Faults to start with, each `ENDPOINT:KIND[:key=value…]`: `status:503:times=3`. */
  readonly faults?: readonly string[];

  /**
   * Start of the server's clock: milliseconds since 1970, or `2026-11-01T09:00:00Z`. Default: the
   * time of this machine.
   */
  readonly now?: number | string;
}

export interface LocalServer extends Control {
  /** Base URL: `http://127.0.0.1:8787`. Loopback if the server listens on all addresses. */
  readonly url: string;

  /** Accounts to sign in with. */
  readonly accounts: readonly LocalAccount[];

  /**
   * Stops the server and closes every connection. Rejects if a fault of the test failed: a `when`
   * or `change` threw, or a document is not JSON.
   */
  close(): Promise<void>;
}

export interface LocalAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly profile: Profile;

  /** Whether the account may filter by advertiser. */
  readonly admin: boolean;

  /** Token of 40 hexadecimal digits that never expires. */
  readonly token: string;
}

/** Controls a running server. The admin calls do the same over HTTP. */
export interface Control {
  /** Returns the last 1,000 service calls, oldest first. */
  requests(): LoggedRequest[];

  /**
   * Advances the server's clock by milliseconds, or by a string such as `2h`. Throws `UsageError`.
   */
  advance(duration: number | string): void;

  /** Lists the reports of every account, oldest first. */
  reports(): ListedReport[];

  /**
   * Adds a fault. It is an object, or a string in the form of `--fault`: `status:503:times=3`.
   * Throws `UsageError`.
   */
  fault<Document = ServiceDocument>(fault: string | FaultObject<Document>): void;

  /** Restores the initial state: no reports, tokens or calls, and the initial faults and clock. */
  reset(): void;
}

/** A fault with exactly one of `kind`, `answer` and `change`. */
export interface FaultObject<Document = ServiceDocument> {
  /** Endpoint that fails, or `*` for every endpoint. */
  readonly endpoint: EndpointName | '*';

  /** A kind with its keys: `503`, `429:retry-after=2`, `truncate:bytes=1000`, `failed`. */
  readonly kind?: string;

  /** Number of calls or reports that the fault affects. Default: all. */
  readonly times?: number;

  /** Number of calls to let through first. Default: 0. */
  readonly after?: number;

  /** Limits the fault to the calls for which it returns a truthy value. */
  when?(request: FaultRequest): unknown;

  /**
   * Receives the service's JSON document and returns, or resolves to, the document to send instead.
   * CSV is written from the `data` of that document. Errors are sent unchanged.
   */
  change?(document: Document): unknown;

  /** Response to send instead of the service's. */
  readonly answer?: FaultResponse;
}

/** A request as `when` receives it. */
export interface FaultRequest {
  readonly method: string;

  /** Path without the query string. */
  readonly path: string;

  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;

  /** Parameters of a JSON or form body, with lists as arrays. Empty if unreadable. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A response to send instead of the service's. */
export interface FaultResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;

  /** A string or bytes, sent unchanged, or any JSON value. Default: empty. */
  readonly body?: unknown;
}

/** JSON document of the service. Its members depend on the call. */
export interface ServiceDocument {
  /** Content of the responses to sign-in, create and status calls. */
  readonly response: Readonly<Record<string, unknown>>;

  /** Rows of a report. */
  readonly data: readonly Readonly<Record<string, string | number | null>>[];
  readonly summary: Readonly<Record<string, unknown>>;
}

export interface ListedReport {
  readonly status: string;
  readonly message: string;
  readonly report_id: string;

  /** Account name. */
  readonly account: string;

  /** Time in ISO 8601, by the server's clock. */
  readonly created: string;
  readonly request: ReportRequest;
}

/** A logged call, without token, password and query string. */
export interface LoggedRequest {
  /** Time in ISO 8601, by the server's clock. */
  readonly time: string;

  /** Method, or an empty string if the request was not HTTP. */
  readonly method: string;

  /** Path without the query string. */
  readonly path: string;

  /** Headers by lower-case name. Only the end of a token is shown: `…00b1`. */
  readonly headers: Readonly<Record<string, string>>;

  /** Name of the call, or `undefined` if the service has no such path or method. */
  readonly endpoint: EndpointName | undefined;

  /** HTTP status, or 0 if the response has not ended or the connection was cut. */
  readonly status: number;

  /** Code and message, if the call was refused. */
  readonly why: string | undefined;

  /**
   * Parameters of a JSON or form body, with lists as arrays and `…` for passwords. Empty if there
   * is no body, or it is unreadable or larger than 64 KiB.
   */
  readonly body: Readonly<Record<string, unknown>>;

  /**
   * First 64 KiB of the body, or `undefined` without a body. This is `…` if the body has or may
   * have a password.
   */
  readonly rawBody: string | undefined;
}
