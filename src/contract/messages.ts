import type { BreakdownName, FilterName, MetricName } from './vocabulary.ts';

interface Endpoint {
  readonly method: 'GET' | 'POST';

  /** Path below the base URL. */
  readonly path: string;

  /** Bodies are JSON or forms. */
  readonly takesBody: boolean;
}

/** Calls of the service (service specification, Endpoints). */
export const endpoints = {
  auth: { method: 'POST', path: '/auth-reporting', takesBody: true },
  buyer: { method: 'POST', path: '/buyer-reporting', takesBody: true },
  status: { method: 'POST', path: '/status-reporting', takesBody: true },
  download: { method: 'POST', path: '/download-reporting', takesBody: true },
  campaigns: { method: 'GET', path: '/campaigns', takesBody: false },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** Short names of the calls. Faults and traces use them. */
export type EndpointName = keyof typeof endpoints;

/** Names of the calls, in the order that a client makes them. */
export const endpointNames = Object.keys(endpoints) as readonly EndpointName[];

/** Joins a base URL, with or without trailing slashes, and the path of a call. */
export function endpointUrl(baseUrl: string, name: EndpointName): string {
  return trimTrailingSlashes(baseUrl) + endpoints[name].path;
}

export function trimTrailingSlashes(url: string): string {
  let length = url.length;
  while (url[length - 1] === '/') length -= 1;
  return url.slice(0, length);
}

/** Matches a token that can be sent as a header (RFC 9110, 5.5). */
export const tokenPattern = /^[\x21-\x7e]{1,4096}$/;

/** Calls that need a token: all except the sign-in. */
export type SignedEndpoint = Exclude<EndpointName, 'auth'>;

/** A report request before it is encoded as JSON or as a form. */
export interface ReportRequest {
  /** First and last second of the window, in unix seconds. */
  readonly since: number;
  readonly until: number;
  readonly metrics: readonly MetricName[];
  readonly breakdowns: readonly BreakdownName[];
  readonly filters: { readonly [Name in FilterName]?: readonly string[] };

  /** IANA zone name, for DSPs only. */
  readonly timezone?: string;
  readonly output?: 'direct';
}

/** Encodings of a request body (specification, What the service does, 6). */
export const encodings = ['json', 'form'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * Clock of `since` and `until`: `instant` for real instants, `wall` for local time whose digits are
 * written as if they were UTC (`decisions.md` 2).
 */
export const windowClocks = ['instant', 'wall'] as const;
export type WindowClock = (typeof windowClocks)[number];

/** Documented report states. The local server can produce all of them. */
export const reportStatuses = ['progress', 'ready', 'failed', 'expired'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** Response to the create and status calls, under `response`. */
export interface StatusRecord {
  readonly status: string;
  readonly message: string;
  readonly report_id: string;
}

export type ReportOutcome = 'progress' | 'ready' | 'failed';

const statusWords: Readonly<Record<ReportOutcome, readonly string[]>> = {
  progress: ['progress', 'queued', 'pending', 'running', 'processing'],
  ready: ['ready', 'done', 'completed', 'complete', 'success', 'finished'],
  failed: [
    ...['failed', 'failure', 'error', 'expired', 'cancelled', 'canceled'],
    ...['fatal', 'aborted', 'rejected'],
  ],
};

const outcomes: readonly ReportOutcome[] = ['progress', 'ready', 'failed'];

/**
 * Looks up a status word, ignoring case (`decisions.md` 3). Returns `undefined` if it is unknown.
 */
export function knownOutcomeOf(status: string): ReportOutcome | undefined {
  const word = status.trim().toLowerCase();
  return outcomes.find((outcome) => statusWords[outcome].includes(word));
}

/** Looks up a status word. An unknown word means in progress (`decisions.md` 3). */
export function outcomeOf(status: string): ReportOutcome {
  return knownOutcomeOf(status) ?? 'progress';
}

/** `summary` member of a report document. */
export interface ReportSummary {
  /** Start of the window, `2014-12-01T00:00:00+0100`, in the report's zone. */
  readonly since: string;
  readonly until: string;

  /** Breakdowns in upper case, in the order of the request. */
  readonly breakdowns: readonly string[];

  /**
   * Zone of the report: always `europe/paris` for a buyer, the zone as requested for a DSP.
   */
  readonly timezone: string;
}

export interface AdUnit {
  readonly adunitName: string;
  readonly adunitId: string;
}

/** A campaign in the response to `GET /campaigns`. Dates are Paris time, `YYYY-MM-DD HH:MM:SS`. */
export interface CampaignRecord {
  readonly advertiserId: string;
  readonly advertiserName: string;
  readonly campaignId: string;
  readonly campaignName: string;
  readonly campaignStartDate: string;
  readonly campaignEndDate: string;
  readonly adunits: readonly AdUnit[];
}

/** Campaigns of an account, and the response they came from. */
export interface CampaignList {
  readonly campaigns: readonly CampaignRecord[];

  /** Response as received. */
  readonly document: unknown;

  /** Whether the response had status 206. */
  readonly isPartial: boolean;
}

/** Zone of all buyer reports, and the default for a DSP (`decisions.md` 2). */
export const defaultZone = 'Europe/Paris';
