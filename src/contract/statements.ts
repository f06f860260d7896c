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
    sentence: 'accepts the bare token in the Authorization header, without a scheme',
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
    sentence: 'refuses a token after the word Bearer with status 401',
    source: 'decisions.md 1',
    profiles: both,
  },
  {
    id: 'S05',
    kind: 'described',
    sentence: 'lists the campaigns as a JSON array, each with its ids, names and ad units',
    source: 'reporting-service.md, GET /campaigns',
    profiles: buyer,
  },
  {
    id: 'S06',
    kind: 'described',
    sentence: 'writes the start and end of a campaign as YYYY-MM-DD HH:MM:SS',
    source: 'reporting-service.md, Campaign record',
    profiles: buyer,
  },
  {
    id: 'S07',
    kind: 'described',
    sentence: 'creates a report from a JSON body and answers with its id',
    source: 'reporting-service.md, POST /buyer-reporting',
    profiles: both,
  },
  {
    id: 'S08',
    kind: 'described',
    sentence: 'accepts the same request as form fields, with non-contiguous indexes',
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
    sentence: 'reports the status progress until a report can be downloaded, then ready',
    source: 'reporting-service.md, States and transitions',
    profiles: both,
  },
  {
    id: 'S11',
    kind: 'described',
    sentence: 'sends a report as an object with the rows in data, and a summary',
    source: 'reporting-service.md, Report data',
    profiles: both,
  },
  {
    id: 'S12',
    kind: 'described',
    sentence: 'a filter by campaign leaves only its rows',
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
    sentence: 'makes the report in the requested time zone, and states it in the summary',
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
    sentence: 'has a field for each requested metric in the rows, and counts in whole numbers',
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
    sentence: 'sends days that add up to the total of the same window',
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
    sentence: 'sends one row per day for DAILY, dated YYYY-MM-DD and inside the window',
    source: 'decisions.md 4, Row fields',
    profiles: both,
  },
  {
    id: 'S22',
    kind: 'assumed',
    sentence: 'writes the hours for HOURLY as ISO 8601 with an offset',
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
    sentence: 'refuses an unknown parameter instead of ignoring it',
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
    sentence: 'sends CSV without an Accept header, and JSON with Accept: application/json',
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
    sentence: 'sends the same data when a report is downloaded again',
    source: 'decisions.md 4',
    profiles: both,
  },
  {
    id: 'S32',
    kind: 'assumed',
    sentence: 'refuses the download of a report that is not ready with status 409',
    source: 'decisions.md 4',
    profiles: both,
  },
  {
    id: 'S33',
    kind: 'assumed',
    sentence:
      'reads since and until according to window-clock (by default as instants), and includes both in the window',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S34',
    kind: 'described',
    sentence: 'has null in the fields of breakdowns that were not requested',
    source: 'reporting-service.md, Report data, buyer profile',
    profiles: buyer,
  },
  {
    id: 'S35',
    kind: 'assumed',
    sentence: 'answers the create call with the status record and the id in response.report_id',
    source: 'decisions.md 2',
    profiles: both,
  },
  {
    id: 'S36',
    kind: 'assumed',
    sentence: 'sends complete reports: no error, contradicting count or further page',
    source: 'decisions.md 4',
    profiles: both,
  },
] as const satisfies readonly Statement[];

/** The number of a statement. */
export type StatementId = (typeof statements)[number]['id'];
