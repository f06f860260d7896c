import type { Profile } from './vocabulary.ts';

/** Described in the service's specification, or assumed in our decisions on open questions. */
export type StatementKind = 'described' | 'assumed';

/** A claim about the service that adreport relies on; `adreport doctor --service` checks it. */
export interface Statement {
  /** A stable number, `S12`. */
  readonly id: string;
  readonly kind: StatementKind;

  /** What the service does: a sentence without subject and full stop. */
  readonly sentence: string;

  /** A heading of `reporting-service.md`, or a section of `decisions.md`. */
  readonly source: string;

  /** The profiles it applies to. */
  readonly profiles: readonly Profile[];
}

const buyer: readonly Profile[] = ['buyer'];
const dsp: readonly Profile[] = ['dsp'];
const both: readonly Profile[] = ['buyer', 'dsp'];

/** All claims about the real service, in the order in which they are checked. */
export const statements = [
  {
    id: 'S01',
    kind: 'assumed',
    sentence:
      'signs in with JSON, an e-mail address and a password, and answers with response.token',
    source: 'decisions.md 1',
    profiles: both,
  },
  {
    id: 'S02',
    kind: 'described',
    sentence: 'takes the token alone in the Authorization header, with no scheme word before it',
    source: 'reporting-service.md, Authentication',
    profiles: both,
  },
  {
    id: 'S03',
    kind: 'assumed',
    sentence: 'refuses a call without a token with status 401',
    source: 'decisions.md 6',
    profiles: both,
  },
  {
    id: 'S04',
    kind: 'assumed',
    sentence: 'refuses a token behind the word Bearer with status 401',
    source: 'decisions.md 1',
    profiles: both,
  },
  {
    id: 'S05',
    kind: 'described',
    sentence: 'lists the campaigns as a JSON array, each with its ids, its names and its ad units',
    source: 'reporting-service.md, GET /campaigns',
    profiles: buyer,
  },
  {
    id: 'S06',
    kind: 'described',
    sentence: 'writes the start and the end of a campaign as YYYY-MM-DD HH:MM:SS',
    source: 'reporting-service.md, Campaign record',
    profiles: buyer,
  },
  {
    id: 'S07',
    kind: 'described',
    sentence: 'creates a report from a JSON body, and answers with its id',
    source: 'reporting-service.md, POST /buyer-reporting',
    profiles: both,
  },
  {
    id: 'S08',
    kind: 'described',
    sentence: 'takes the same request as form fields, with indexes that are not contiguous',
    source: 'reporting-service.md, What the service does, 6; Breakdowns, rule 3',
    profiles: both,
  },
  {
    id: 'S09',
    kind: 'described',
    sentence: 'answers the status call with status, message and report_id under response',
    source: 'reporting-service.md, Report status record',
    profiles: both,
  },
  {
    id: 'S10',
    kind: 'described',
    sentence: 'says progress until a report can be downloaded, and then ready',
    source: 'reporting-service.md, States and transitions',
    profiles: both,
  },
  {
    id: 'S11',
    kind: 'described',
    sentence: 'gives a report as an object with the rows in data, and a summary',
    source: 'reporting-service.md, Report data',
    profiles: both,
  },
  {
    id: 'S12',
    kind: 'described',
    sentence: 'leaves only the rows of a campaign where a filter names it',
    source: 'reporting-service.md, Buyer-profile filters',
    profiles: buyer,
  },
  {
    id: 'S13',
    kind: 'described',
    sentence: 'states the window of the request in the summary, as ISO 8601 with an offset',
    source: 'reporting-service.md, Summary object',
    profiles: both,
  },
  {
    id: 'S14',
    kind: 'described',
    sentence: 'states the time zone europe/paris in the summary of every report',
    source: 'reporting-service.md, Report request parameters',
    profiles: buyer,
  },
  {
    id: 'S15',
    kind: 'described',
    sentence: 'makes the report in the time zone that was asked for, and states it in the summary',
    source: 'reporting-service.md, Report request parameters',
    profiles: dsp,
  },
  {
    id: 'S16',
    kind: 'described',
    sentence: 'repeats the breakdowns of the request in the summary',
    source: 'reporting-service.md, Summary object',
    profiles: both,
  },
  {
    id: 'S17',
    kind: 'described',
    sentence:
      'gives each requested metric a field of its own in the rows, and counts in whole numbers',
    source: 'reporting-service.md, Report data',
    profiles: both,
  },
  {
    id: 'S18',
    kind: 'described',
    sentence: 'calls the revenue in dollars valueDollar in the rows',
    source: 'reporting-service.md, Report data, buyer profile',
    profiles: buyer,
  },
  {
    id: 'S19',
    kind: 'described',
    sentence: 'gives days that add up to the whole of the same window',
    source: 'reporting-service.md, Report data',
    profiles: both,
  },
  {
    id: 'S20',
    kind: 'described',
    sentence: 'writes the revenue as text with a decimal comma and two decimals',
    source: 'reporting-service.md, Report data, DSP profile',
    profiles: dsp,
  },
  {
    id: 'S21',
    kind: 'assumed',
    sentence: 'gives a report by DAILY one row a day, dated YYYY-MM-DD and inside the window',
    source: 'decisions.md 4, Row fields',
    profiles: both,
  },
  {
    id: 'S22',
    kind: 'assumed',
    sentence: 'gives the hours of a report by HOURLY as ISO 8601 with an offset',
    source: 'decisions.md 4, Row fields',
    profiles: both,
  },
  {
    id: 'S23',
    kind: 'assumed',
    sentence: 'refuses an unknown report id with status 404',
    source: 'decisions.md 3',
    profiles: both,
  },
  {
    id: 'S24',
    kind: 'described',
    sentence: 'refuses two time breakdowns in one request',
    source: 'reporting-service.md, Breakdowns, rule 1',
    profiles: both,
  },
  {
    id: 'S25',
    kind: 'described',
    sentence: 'answers a request that fails with a 4xx status',
    source: 'reporting-service.md, Errors',
    profiles: both,
  },
  {
    id: 'S26',
    kind: 'assumed',
    sentence: 'refuses a parameter that it does not know, instead of passing over it',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S27',
    kind: 'assumed',
    sentence: 'refuses a window that ends before it begins',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S28',
    kind: 'described',
    sentence: 'gives CSV without the Accept header, and JSON with Accept: application/json',
    source: 'reporting-service.md, POST /buyer-reporting',
    profiles: dsp,
  },
  {
    id: 'S29',
    kind: 'described',
    sentence: 'lets only administrators filter by advertiserId',
    source: 'reporting-service.md, Authentication, 3',
    profiles: buyer,
  },
  {
    id: 'S30',
    kind: 'assumed',
    sentence: 'answers a request with output=direct with the data itself',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S31',
    kind: 'assumed',
    sentence: 'gives the same data when a report is downloaded again',
    source: 'decisions.md 4',
    profiles: both,
  },
  {
    id: 'S32',
    kind: 'assumed',
    sentence: 'refuses to give a report before it is ready, with status 409',
    source: 'decisions.md 4',
    profiles: both,
  },
  {
    id: 'S33',
    kind: 'assumed',
    sentence:
      'reads since and until by the clock of the setting window-clock, as instants if it is not set, and both as part of the window',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S34',
    kind: 'described',
    sentence: 'leaves the fields of dimensions that were not asked for null in the rows',
    source: 'reporting-service.md, Report data, buyer profile',
    profiles: buyer,
  },
  {
    id: 'S35',
    kind: 'assumed',
    sentence: 'answers the create call with the status record, and the id in response.report_id',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S36',
    kind: 'assumed',
    sentence: 'gives a report whole: no error, count or further page stands beside its rows',
    source: 'decisions.md 4',
    profiles: both,
  },
] as const satisfies readonly Statement[];

/** The number of a statement. */
export type StatementId = (typeof statements)[number]['id'];
