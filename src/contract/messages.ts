import type { BreakdownName, FilterName, MetricName } from './vocabulary.ts';

/** A call of the service, as both ends know it. */
interface Endpoint {
  readonly method: 'GET' | 'POST';

  /** Relative to the base URL. */
  readonly path: string;

  /** Whether it has a body, which is JSON or a form. */
  readonly takesBody: boolean;

  /**
   * How a message may quote an answer that is not as it should be: one that lists names is quoted
   * without them.
   */
  readonly quoted: 'as it is' | 'without names' | 'without tokens';
}

/** Each call of the service (service specification, Endpoints). */
export const endpoints = {
  auth: { method: 'POST', path: '/auth-reporting', takesBody: true, quoted: 'without tokens' },
  buyer: { method: 'POST', path: '/buyer-reporting', takesBody: true, quoted: 'as it is' },
  status: { method: 'POST', path: '/status-reporting', takesBody: true, quoted: 'as it is' },
  download: { method: 'POST', path: '/download-reporting', takesBody: true, quoted: 'as it is' },
  campaigns: { method: 'GET', path: '/campaigns', takesBody: false, quoted: 'without names' },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** The short names that faults and traces use for the calls. */
export type EndpointName = keyof typeof endpoints;

/** In the order of their use. */
export const endpointNames = Object.keys(endpoints) as readonly EndpointName[];

/** The calls that carry a token: all but sign-in. */
export type SignedEndpoint = Exclude<EndpointName, 'auth'>;

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

/**
 * How the service may read the ends of a window: as instants, or by the digits of the wall time
 * (`decisions.md` 2).
 */
export const windowClocks = ['instant', 'wall'] as const;
export type WindowClock = (typeof windowClocks)[number];

/**
 * The report states that the service names, and those that the local server can be told to end in.
 */
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

/** Words of state, without blanks and marks, that end a wait: the data can be had. */
const doneWords = ['done', 'complete', 'completed', 'success', 'finished', 'ok'];

/** Words of state, without blanks and marks, that end a wait: there will be no data. */
const failedWords = ['failed', 'failure', 'error', 'expired', 'cancelled', 'canceled'];

/**
 * What a word of state means, whatever its case, its blanks and its marks (`decisions.md` 3);
 * `undefined` for a word that is not known. There is no list of words for a report that is not
 * ready: any word but these may mean it.
 */
export function knownOutcomeOf(status: string): ReportOutcome | undefined {
  const words = status.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const word = words.join('');

  if (word === 'progress' || word === 'inprogress') return 'progress';
  if (failedWords.includes(word)) return 'failed';
  return doneWords.includes(word) || saysReady(words) ? 'ready' : undefined;
}

/**
 * Whether the first or the last of some words is `ready` or `available`, and no word before it
 * denies that.
 */
function saysReady(words: readonly string[]): boolean {
  const isReady = (word: string | undefined) => word === 'ready' || word === 'available';
  if (isReady(words[0])) return true;
  const isDenied = words.some((word) => ['not', 'no', 'un'].includes(word));
  return isReady(words.at(-1)) && !isDenied;
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

/**
 * One element of the answer of `GET /campaigns`; dates are Paris wall time, `YYYY-MM-DD HH:MM:SS`.
 */
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
