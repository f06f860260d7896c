/// <reference lib="esnext.disposable" preserve="true" />
import type { EndpointName, ReportRequest, ReportStatus } from '../contract/messages.ts';
import type { Profile } from '../contract/vocabulary.ts';

/**
 * What test suites see of the local server: types alone, so that their declarations need no package
 * of ours.
 */

/** What the local server is to be like; everything has a default. */
export interface LocalServerOptions {
  /** Address to listen on. Default: 127.0.0.1, which this machine alone can reach. */
  readonly host?: string;

  /** Default: 0, any free port. */
  readonly port?: number;

  /** A folder of data to serve instead of the built-in. */
  readonly fixtures?: string;

  /**
   * Of the built-in data, and of the chance in faults: the same seed is the same run. Default: 1.
   */
  readonly seed?: number;

  /** How many times the facts of the built-in data, from 1. Default: 1. */
  readonly scale?: number;

  /** How long a report takes by the server's clock, in milliseconds; 0 for none. Default: 2000. */
  readonly delayMs?: number;

  /** Instead of `delayMs`: a report is ready at its n-th status call. */
  readonly polls?: number;

  /** Instead of both: a report is ready when `setReport` says so. */
  readonly manual?: boolean;

  /** Life of a token since it was last used, in milliseconds. Default: 2 hours. */
  readonly tokenTtlMs?: number;

  /** Life of a report since it was created, in milliseconds. Default: 24 hours. */
  readonly reportTtlMs?: number;

  /**
   * How many days after a day is over, in the report's zone, its conversions and revenue are
   * complete. Default: 0.
   */
  readonly restateDays?: number;

  /** More calls of an account in a second are answered with 429. Default: no limit. */
  readonly rateLimitPerSecond?: number;

  /** Pass over unknown parameters instead of refusing them. */
  readonly lenient?: boolean;

  /**
   * Reads `since` and `until` as instants, or as wall time whose digits are written as if they were
   * UTC. Default: `instant`.
   */
  readonly windowClock?: 'instant' | 'wall';

  /** Serves https. Certificate and key as PEM text. */
  readonly tls?: { readonly cert: string; readonly key: string };

  /** Faults in force from the start, each `ENDPOINT:KIND[:key=value…]`: `status:503:times=3`. */
  readonly faults?: readonly string[];

  /** Milliseconds since 1970: what the server's clock follows. Default: the machine's clock. */
  readonly clock?: () => number;

  /**
   * Where the server's clock starts: milliseconds since 1970, or `2026-11-01T09:00:00Z`. Default:
   * where `clock` is.
   */
  readonly now?: number | string;

  /** Told of every call when it is over. */
  readonly onRequest?: (request: LoggedRequest) => void;

  /** Told now and then how many facts of `fixtures` have been read. */
  readonly onFactsRead?: (count: number) => void;
}

/** A local server that listens. */
export interface LocalServer extends Control {
  /**
   * To be used as the base URL: `http://127.0.0.1:8787`. Of a server that listens everywhere, its
   * loopback address.
   */
  readonly url: string;
  readonly port: number;

  /** The accounts to sign in with; their tokens never expire. */
  readonly accounts: readonly LocalAccount[];

  /** Ends the server and every connection to it. */
  close(): Promise<void>;

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** An account of the local server. */
export interface LocalAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly profile: Profile;

  /** May filter by advertisers. */
  readonly admin: boolean;

  /** A token that never expires; 40 hexadecimal digits. */
  readonly token: string;
}

/** What a test does to a running server; the admin calls do the same over HTTP. */
export interface Control {
  /** The latest calls of the service, at most 1,000, oldest first. */
  requests(): LoggedRequest[];

  /**
   * Moves the server's clock on by milliseconds, or by a text such as `2h`. Throws `UsageError` for
   * what is no duration.
   */
  advance(duration: number | string): void;

  /** Sets the server's clock, or lets it stand still. Throws `UsageError` for what is no time. */
  setClock(setting: ClockSetting): void;

  /** Every report of every account that the server keeps, oldest first. */
  reports(): ListedReport[];

  /**
   * Puts a fault in force: a text as `--fault` takes it, `status:503:times=3`, or an object. Throws
   * `UsageError`.
   */
  fault<Document = AnswerDocument>(fault: string | FaultObject<Document>): void;

  /**
   * Ends every fault, the ones of the start included. Fixed tokens that a fault ended work again.
   */
  clearFaults(): void;

  /**
   * Sets the status of any account's report, for good. Throws `UsageError` for an unknown report.
   */
  setReport(id: string, change: ReportChange): void;

  /**
   * Back to how the server started: no reports, tokens or calls, the faults and the clock of the
   * start. Calls that are still being answered are ended.
   */
  reset(): void;
}

/** A fault as a test in the server's own process gives it, with `kind`, `answer` or `change`. */
export interface FaultObject<Document = AnswerDocument> {
  /** The call that it strikes; `*` for every one. */
  readonly endpoint: EndpointName | '*';

  /** As in a text, with its keys: `503`, `429:retry-after=2`, `truncate:bytes=1000`, `failed`. */
  readonly kind?: string;

  /** How many calls it strikes, or reports. Default: all. */
  readonly times?: number;

  /** How many calls pass before it strikes. Default: 0. */
  readonly after?: number;

  /** The probability with which it strikes a call. Default: 1. */
  readonly p?: number;

  /** The name or the e-mail address of the account that it strikes. Default: every account. */
  readonly for?: string;

  /** Selects the calls that it can strike. */
  when?(request: FaultRequest): unknown;

  /**
   * Takes the JSON document that the service would send, of at most 16 MiB, and returns the one
   * that is sent instead, or a promise of it. CSV is written from its `data`. Refusals are sent as
   * they are.
   */
  change?(document: Document): unknown;

  /** Is sent instead of the service's answer, once the service has done its work. */
  readonly answer?: FaultAnswer;
}

/** A call as a fault sees it. */
export interface FaultRequest {
  readonly method: string;

  /** Without the query string. */
  readonly path: string;

  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;

  /** The parameters of its body, JSON or form, with lists as arrays; none if it cannot be read. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** An answer that is sent instead of the service's. */
export interface FaultAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;

  /**
   * A text or bytes, sent as they are, or any value that JSON can hold; `{id}` in it becomes the id
   * of the report that the call is about.
   */
  readonly body: unknown;
}

/** A document that the service answers with: which of the members it has depends on the call. */
export interface AnswerDocument {
  /** Of a sign-in, a create and a status call. */
  readonly response: Readonly<Record<string, unknown>>;

  /** Of a report. */
  readonly data: readonly Readonly<Record<string, string | number | null>>[];
  readonly summary: Readonly<Record<string, unknown>>;
}

/** A report that the server keeps. */
export interface ListedReport {
  readonly status: string;
  readonly message: string;
  readonly report_id: string;

  /** The name of its account. */
  readonly account: string;

  /** ISO 8601, by the server's clock. */
  readonly created: string;
  readonly request: ReportRequest;
}

/** How the server's clock stands from now on. */
export interface ClockSetting {
  /**
   * Milliseconds since 1970, or ISO 8601 with an offset: `2026-11-01T09:00:00Z`. Default: as it
   * stands.
   */
  readonly now?: number | string;

  /** It stands still there, until it is set or advanced. Default: it goes on. */
  readonly frozen?: boolean;
}

/** What a report is from now on. */
export interface ReportChange {
  readonly status: ReportStatus;

  /** What the status call says of it; the usual text of the status where absent. */
  readonly message?: string;
}

/** One call as the log keeps it: without tokens, passwords and query strings. */
export interface LoggedRequest {
  /** ISO 8601, by the server's clock. */
  readonly time: string;

  /** Empty where what came is not HTTP. */
  readonly method: string;

  /** Without the query string. */
  readonly path: string;

  /** By their names in lower case; of `authorization` only the end, as in `token`. */
  readonly headers: Readonly<Record<string, string>>;

  /** The call of the service that it is; `undefined` for a path or a method of none. */
  readonly endpoint: EndpointName | undefined;

  /** 0 until the answer has ended, and where the connection was cut before it began. */
  readonly status: number;

  /** Why it was refused: the code and the sentence of the answer. */
  readonly why: string | undefined;

  /** 0 until the answer has ended. */
  readonly elapsedMs: number;

  /** What was sent, headers included; 0 until then. */
  readonly sizeBytes: number;

  /** The name of the account whose token, or at sign-in whose e-mail, it carried. */
  readonly account: string | undefined;

  /** The end of the token, `…00b1`: enough to tell one from another. */
  readonly token: string | undefined;

  /** The first 1 MiB of the body, with `…` in place of passwords; `undefined` if it had none. */
  readonly body: string | undefined;

  /** The fault that struck it, if any, by its kind: `delay`, and `status` for an HTTP status. */
  readonly faults: readonly string[];
}
