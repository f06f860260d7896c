import type { BreakdownName, FilterName, MetricName } from './vocabulary.ts';

/** Method and path of each call, relative to the base URL (service specification, Endpoints). */
export const endpoints = {
  auth: { method: 'POST', path: '/auth-reporting' },
  buyer: { method: 'POST', path: '/buyer-reporting' },
  status: { method: 'POST', path: '/status-reporting' },
  download: { method: 'POST', path: '/download-reporting' },
  campaigns: { method: 'GET', path: '/campaigns' },
} as const;

/** The short names that faults and traces use for the calls. */
export type EndpointName = keyof typeof endpoints;

/** A report request in the contract's own terms, before it is encoded as JSON or as a form. */
export interface ReportRequest {
  /** First and last second of the window, in unix seconds. */
  readonly since: number;
  readonly until: number;
  readonly metrics: readonly MetricName[];
  readonly breakdowns: readonly BreakdownName[];
  readonly filters: { readonly [Name in FilterName]?: readonly string[] };
  /** IANA zone name; DSP profile only. */
  readonly timezone?: string;
  readonly output?: 'direct';
}

/** How the body of a call can be written (specification, What the service does, 6). */
export const encodings = ['json', 'form'] as const;
export type Encoding = (typeof encodings)[number];

/** How the service may read the ends of a window: as instants, or by the digits of the wall time (`decisions.md` 2). */
export const windowClocks = ['instant', 'wall'] as const;
export type WindowClock = (typeof windowClocks)[number];

/** The report states that the service names, and those that the local server can be told to end in. */
export const reportStatuses = ['progress', 'ready', 'failed', 'expired'] as const;
export type ReportStatus = (typeof reportStatuses)[number];

/** The answer of the create and the status call, under `response`. */
export interface StatusRecord {
  readonly status: string;
  readonly message: string;
  readonly report_id: string;
}

/** What a status word means for one who waits. */
export type ReportOutcome = 'progress' | 'ready' | 'failed';

const progressWords =
  /^(progress|in[ _-]?progress|running|processing|pending|queued|waiting|scheduled|created|new|started)$/;
const readyWords =
  /^(ready|ready[ _-]?for[ _-]?download|available|done|completed?|success|succeeded|finished|ok)$/;
const failedWords = /^(failed|failure|error|expired|cancell?ed)$/;

/** What a status word means, in any case; `undefined` for a word that is not known. */
export function knownOutcomeOf(status: string): ReportOutcome | undefined {
  const word = status.trim().toLowerCase();
  if (progressWords.test(word)) return 'progress';
  if (readyWords.test(word)) return 'ready';
  return failedWords.test(word) ? 'failed' : undefined;
}

/** The same; a word that is not known counts as still in progress (`decisions.md` 3). */
export function outcomeOf(status: string): ReportOutcome {
  return knownOutcomeOf(status) ?? 'progress';
}

/** The `summary` member of a report document. */
export interface ReportSummary {
  /** Start of the window, `2014-12-01T00:00:00+0100`, in the report's zone. */
  readonly since: string;
  readonly until: string;
  /** In upper case, in the order of the request. */
  readonly breakdowns: readonly string[];
  /** A buyer's is always `europe/paris`, a DSP's the name as requested. */
  readonly timezone: string;
}

export interface AdUnit {
  readonly adunitName: string;
  readonly adunitId: string;
}

/** One element of the answer of `GET /campaigns`; dates are Paris wall time, `YYYY-MM-DD HH:MM:SS`. */
export interface CampaignRecord {
  readonly advertiserId: string;
  readonly advertiserName: string;
  readonly campaignId: string;
  readonly campaignName: string;
  readonly campaignStartDate: string;
  readonly campaignEndDate: string;
  readonly adunits: readonly AdUnit[];
}

/** The zone of every buyer report, and the default of a DSP's (`decisions.md` 2). */
export const defaultZone = 'Europe/Paris';

const cutForm =
  /\b(?:truncat\w*|partial(?:ly)?|incomplete|omitted|missing|skipped|dropped|only the first|was cut|were cut|limited|timed out|failed)\b/i;

/** Whether a sentence of the service says that something of a report is missing. */
export function saysCut(sentence: string): boolean {
  return cutForm.test(sentence);
}
