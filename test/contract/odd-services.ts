import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { EndpointName } from '../../src/contract/messages.ts';
import type { FaultObject, FaultResponse } from '../../src/local-server.ts';
import type { ServerOptions } from '../../src/server/options.ts';
import { tokens } from '../server/local.ts';

/**
 * Services that answer otherwise than the specification says, each made of the local server by
 * faults, and what comes of each.
 *
 * Not here: `checks/responses.ts` has reports that are wrong; `commands/never-twice.test.ts` has
 * failures at every step; `commands/hard-service.test.ts` has the bytes that the
 * client sends.
 */
export interface OddService {
  readonly faults?: Faults;
  readonly server?: ServerOptions;

  /** Flags of `run` without which nothing would be seen. */
  readonly flags?: string;

  /** What the command exits with; 0 if absent. */
  readonly exit?: number;

  /** What else stderr holds. */
  readonly says?: RegExp;

  /**
   * How many calls there were of some endpoints; where the command fails, one of the endpoint that
   * has a fault, if nothing else is said.
   */
  readonly calls?: { readonly [Name in EndpointName]?: number };
}

/** A fixed token: the service takes it, wherever a sign-in answers with it. */
const token = tokens.buyer;

/** What a call is answered with, and what comes of it. */
interface OddAnswer extends Pick<OddService, 'exit' | 'says'> {
  readonly answer: FaultResponse;
}

/** A list of campaigns in another form. */
interface OddList {
  readonly list: unknown;
}

type Services = Readonly<Record<string, OddService>>;
type Fault = FaultObject<never>;
type Faults = readonly Fault[];
type Row = Readonly<Record<string, unknown>>;
type Change = (document: Row) => unknown;

/** A service for each of some values, by their names with a prefix. */
function each<Value>(
  prefix: string,
  values: Readonly<Record<string, Value>>,
  serviceOf: (value: Value) => OddService,
): Services {
  const entries = Object.entries(values);
  return Object.fromEntries(entries.map(([name, value]) => [prefix + name, serviceOf(value)]));
}

/** Answers of an endpoint, one after the other; the last of them again and again. */
function at(endpoint: EndpointName, ...answers: readonly FaultResponse[]): Fault[] {
  const last = answers.length - 1;
  return answers.map((answer, index) => ({ endpoint, answer, ...(index < last && { times: 1 }) }));
}

/** The answer of an endpoint to some calls. */
const where = (endpoint: EndpointName, when: Fault['when'], answer: FaultResponse): Fault[] => [
  { endpoint, when, answer },
];

/** Changes what an endpoint answers with. */
const changing = (endpoint: EndpointName, change: Change, more: Partial<Fault> = {}): Fault[] => [
  { endpoint, change, ...more },
];

const ofJson = (text: string, status = 200): FaultResponse =>
  typed('application/json', text, status);

function typed(type: string, body: string | Uint8Array, status = 200): FaultResponse {
  return { status, headers: { 'content-type': type }, body };
}

const html = typed('text/html', '<html><body>Please sign in</body></html>');
const empty = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: '',
});

/** A report of the usual command line, in CSV and in JSON. */
export const literalCsv = 'date,displays\r\n2026-11-19,7\r\n';
const literalReport = {
  data: [{ date: '2026-11-19', displays: 7 }],
  summary: {
    since: '2026-11-19T00:00:00+0100',
    until: '2026-11-19T23:59:59+0100',
    breakdowns: ['DAILY'],
    timezone: 'europe/paris',
  },
};
const literalJson = JSON.stringify(literalReport);
const literal: FaultResponse = { body: literalReport };

/** The rest of the way of a report whose id is not the service's. */
const literalEnd = [...at('status', { body: { status: 'ready' } }), ...at('download', literal)];

// The create call.

const idPlaces: Readonly<Record<string, (id: unknown) => unknown>> = {
  'response.id': (id) => ({ response: { id } }),
  report_id: (id) => ({ report_id: id }),
  reportId: (id) => ({ reportId: id }),
  'response.reportId': (id) => ({ response: { reportId: id } }),
  id: (id) => ({ id }),
  'data.report_id': (id) => ({ data: { report_id: id } }),
  'data.id': (id) => ({ data: { id } }),
  'response.report_id alone': (id) => ({ response: { report_id: id } }),
  'nothing else': (id) => id,
};

const createErrors: Readonly<Record<string, unknown>> = {
  'an error with 200': { response: { error_id: 'LIMIT', error: 'No such metric.' } },
  'an error beside an id': { report_id: 'r1', error: 'No such metric.' },
  'an error object': { error: { message: 'No such metric.' } },
};

const createUnreadable: Record<string, OddAnswer> = {
  'no id': {
    answer: { body: { response: { status: 'progress' } } },
    says: /The response to the report request has no ID: “\{"response":\{"s/,
  },
  nothing: { answer: empty(200), says: /The response to the report request is empty\./ },
  'a page': { answer: html, says: /The response to the report request is a web page: “<html>/ },
  words: { answer: typed('text/plain', 'Queue full'), says: /is not JSON: “Queue full”/ },
};

/** Changes the answer to a create call that is not the report itself. */
const created = (change: Change): Fault[] =>
  changing('buyer', (document) =>
    'response' in document ? change(document.response as Row) : document,
  );

const create: Services = {
  ...each('the id in ', idPlaces, (around) => ({
    faults: created((response) => around(response.report_id)),
  })),
  'a bare number': {
    faults: [...at('buyer', ofJson('17')), ...literalEnd],
  },
  'an id in text/html': {
    faults: [...at('buyer', typed('text/html', 'r1-77\n')), ...literalEnd],
  },
  'the data itself': { faults: at('buyer', literal) },
  'the data as CSV': { faults: at('buyer', typed('text/csv', literalCsv)) },
  ...each('create: ', createErrors, (body) => ({
    faults: at('buyer', { body }),
    exit: 4,
    says: /No such metric/,
  })),
  ...each('create: ', createUnreadable, ({ answer, says = /^/ }) => ({
    faults: at('buyer', answer),
    exit: 9,
    says,
  })),
  'a redirect elsewhere': {
    faults: at('buyer', empty(302, { location: 'https://example.com/' })),
    exit: 4,
    says: /redirects to/,
  },
  '415 to JSON': {
    faults: where('buyer', ({ headers }) => headers['content-type'] === 'application/json', {
      status: 415,
      body: { error: 'Forms only.' },
    }),
    exit: 4,
    says: /Forms only\. \(415\)/,
  },
  'a Retry-After of 400 digits': {
    faults: at('buyer', empty(429, { 'retry-after': '9'.repeat(400) })),
    exit: 5,
    says: /asks you to wait 8760 h/,
  },
  '403 ADMIN_ONLY renews nothing': {
    faults: [{ endpoint: 'buyer', kind: '403' }],
    exit: 4,
    says: /ADMIN_ONLY/,
  },
};

// The status call.

const statusRecords: Readonly<Record<string, (status: unknown) => unknown>> = {
  'response.status': (word) => ({ response: { status: word } }),
  status: (word) => ({ status: word }),
  'response.status before status': (word) => ({ status: 'OK', response: { status: word } }),
};

const noStatus: Readonly<Record<string, unknown>> = {
  'response.data.status': { response: { data: { status: 'ready' } } },
  state: { response: { state: 'ready' } },
};

const errorTexts: Readonly<Record<string, unknown>> = {
  'response.message': { response: { message: 'Out of ink' } },
  'error.message': { error: { message: 'Out of ink' } },
  'response.error': { response: { error: 'Out of ink' } },
  error: { error: 'Out of ink' },
  message: { message: 'Out of ink' },
  errors: { errors: ['Out of ink'] },
  'the body’s first line': 'Out of ink\nand paper',
};

/** Changes the record of the status call. */
const status = (change: Change): Fault[] =>
  changing('status', ({ response }) => ({ response: change(response as Row) }));

const without = (row: Row, name: string): Row => {
  const { [name]: _gone, ...rest } = row;
  return rest;
};
const renamed = (row: Row, from: string, to: string): Row => ({
  ...without(row, from),
  [to]: row[from],
});

const waiting: Services = {
  ...each('status: ', statusRecords, (around) => ({
    faults: changing('status', ({ response }) => around((response as Row).status)),
    server: { polls: 2 },
    calls: { status: 2 },
  })),
  // `state-words.test.ts` has every word.
  'status: Completed': {
    faults: status((record) => ({
      ...record,
      status: String(record.status).replace('ready', 'Completed'),
    })),
  },
  'an unknown word, then ready': {
    server: { polls: 3 },
    faults: status((record) => ({
      ...record,
      status: String(record.status).replace('progress', 'brewing'),
    })),
    says: /brewing.*adreport download/,
  },
  'status: EXPIRED': {
    faults: status((record) => ({ ...record, status: 'EXPIRED', message: 'out of memory' })),
    flags: '--retries 0',
    exit: 6,
    says: /out of memory/,
  },
  ...each('status: 400 and ', errorTexts, (body) => ({
    faults: at('status', { status: 400, body }),
    exit: 4,
    says: /Out of ink/,
  })),
  'status: an error with 200': {
    faults: at('status', { body: { response: { error: 'Unknown report.' } } }),
    exit: 4,
    says: /Unknown report/,
  },
  ...each('status: no status but in ', noStatus, (body) => ({
    faults: at('status', { body }),
    exit: 9,
    says: /The response to the status call has no status: “/,
  })),
  'status: a token in an unknown place': {
    faults: [...at('auth', { body: { token } }), ...at('status', { body: { session: token } })],
    calls: { auth: 1 },
    exit: 9,
    says: /\[hidden\]/,
  },
};

// The download: bodies that are refused, waited for, or read.

const notYet: Record<string, OddAnswer> = {
  '409 REPORT_NOT_READY': {
    answer: { status: 409, body: { response: { error_id: 'REPORT_NOT_READY' } } },
  },
  'the record of a report in progress': { answer: { body: { response: { status: 'progress' } } } },
  '409 in any words': { answer: { status: 409, body: 'Hold on.' } },
  'a status of an unknown word': { answer: { body: { status: 'brewing' } } },
};

const notAReport: Record<string, OddAnswer> = {
  'a sentence that it is not ready': {
    answer: typed('text/plain', 'Report not ready yet'),
    exit: 9,
    says: /Report not ready yet/,
  },
  'a message that it is not ready': {
    answer: { body: { message: 'Report is not ready' } },
    exit: 9,
    says: /The response to the download is not a report: .*Report is not ready/,
  },
  'a failed report': {
    answer: { body: { response: { status: 'failed', message: 'no ink' } } },
    exit: 6,
    says: /no ink/,
  },
  '409 REPORT_FAILED': {
    answer: { status: 409, body: { response: { error_id: 'REPORT_FAILED' } } },
    exit: 6,
  },
  '409 and a failed report': {
    answer: { status: 409, body: { response: { status: 'failed' } } },
    exit: 6,
  },
  'an error with 200': {
    answer: { body: { error_id: 'GONE', error: 'Deleted.' } },
    exit: 9,
    says: /Deleted/,
  },
  'a redirect to http': {
    answer: empty(302, { location: 'http://example.com/x' }),
    exit: 4,
    says: /not https/,
  },
  'a redirect within the service': {
    answer: empty(302, { location: '/x' }),
    exit: 4,
    says: /redirects to/,
  },
  'an error of 70 KB in the place of the rows': {
    answer: { body: { data: [{ error: `Out of ink. ${'x'.repeat(70_000)}` }] } },
    exit: 9,
    says: /This is not a report.*Out of ink/,
  },
  'an error of 70 KB as CSV': {
    answer: typed('text/csv', `Out of ink. ${'x'.repeat(70_000)}\r\n`),
    exit: 9,
    says: /its first line, “.*Out of ink.*”, has no known column/,
  },
  nothing: { answer: empty(200), exit: 9 },
};

/** The same report in other bodies. */
const sameReports: Record<string, OddAnswer> = {
  CSV: { answer: typed('text/csv; charset=utf-8; header=present', literalCsv) },
  'CSV labelled JSON': { answer: typed('application/json', literalCsv) },
  'CSV with a mark': {
    answer: typed('text/csv', `\ufeff${literalCsv.replaceAll('\r\n', '\n')}`),
  },
  'blanks and capitals in the header': {
    answer: typed('text/csv', ' DATE, DISPLAYS\n2026-11-19,7\n'),
  },
  'a byte order mark': { answer: ofJson(`\ufeff${literalJson}`) },
  gzip: { answer: packed('gzip', gzipSync(literalJson)) },
  'x-gzip': { answer: packed('x-gzip', gzipSync(literalJson)) },
  brotli: { answer: packed('BR', brotliCompressSync(literalJson)) },
};

function packed(coding: string, body: Uint8Array): FaultResponse {
  return { headers: { 'content-type': 'application/json', 'content-encoding': coding }, body };
}

const downloads: Services = {
  ...each('not yet: ', notYet, ({ answer }) => ({
    faults: [{ endpoint: 'download', answer, times: 1 }],
    calls: { download: 2 },
  })),
  ...each('no report: ', notAReport, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('download', answer),
    flags: '--retries 0',
    exit,
    says,
  })),
  ...each('the same report: ', sameReports, ({ answer }) => ({
    faults: at('download', answer),
  })),
};

// The document of a report.

/** Changes every report. */
const report = (change: Change): Fault[] => changing('download', change);

/** Changes the rows of every report. */
const rows = (change: (rows: readonly Row[]) => unknown): Fault[] =>
  report((document) => ({ ...document, data: change(document.data as readonly Row[]) }));

/** Changes each row of every report. */
const eachRow = (change: (row: Row) => unknown): Fault[] => rows((all) => all.map(change));

const documents: Services = {
  'a report inside response': {
    faults: report((document) => ({ response: document })),
    exit: 9,
    says: /The response to the download is not a report: “\{"response":\{"data"/,
  },
  'rows alone': {
    faults: report(({ data }) => data),
    exit: 9,
    says: /The response to the download is not a report: “\[\{/,
  },
  'keys in capitals': {
    faults: eachRow((row) => renamed(renamed(row, 'date', 'DATE'), 'displays', 'Displays')),
  },
  'no summary': {
    faults: report(({ data }) => ({ data })),
  },
};

/** `run`, as one of the built-in accounts. */
export const runServices: Services = {
  ...create,
  ...waiting,
  ...downloads,
  ...documents,
};

// Signing in.

const tokenPlaces: Readonly<Record<string, FaultResponse>> = {
  token: { body: { token } },
  access_token: { body: { access_token: token, token_type: 'x' } },
  'data.token': { body: { data: { token } } },
  'response.access_token': { body: { response: { access_token: token } } },
  'the bare token as JSON': ofJson(`"${token}"`),
  'the bare token': typed('text/plain', `${token}\n`),
};

const refusedSignIns: Record<string, OddAnswer> = {
  KO: {
    answer: { body: { response: { status: 'KO', message: 'Wrong password' } } },
    exit: 3,
    says: /Wrong password/,
  },
  error: {
    answer: { body: { status: 'error', error: 'Wrong password' } },
    exit: 3,
    says: /Wrong password/,
  },
  'another status': {
    answer: { body: { response: { status: 'locked' } } },
    exit: 3,
    says: /locked/,
  },
  '401': {
    answer: { status: 401, body: { errors: ['Wrong password'] } },
    exit: 3,
    says: /Wrong password/,
  },
  '400': {
    answer: {
      status: 400,
      body: { response: { error: 'Username or password not set in request' } },
    },
    exit: 3,
    says: /Username or password not set in request\. \(400\)/,
  },
  'an unknown place': {
    answer: { body: { result: { accessKey: token } } },
    exit: 9,
    says: /The response to the sign-in has no token.*\[hidden\]/,
  },
  'a token in an error': {
    answer: { status: 403, body: { message: `Session ${token} is locked` } },
    exit: 3,
    says: /Session \[hidden\] is locked/,
  },
  'a line break': {
    answer: { body: { token: 'abc\r\nX-Other: 1' } },
    exit: 9,
    says: /does not fit in a header/,
  },
  '5,000 characters': {
    answer: { body: { token: token.repeat(125) } },
    exit: 9,
    says: /does not fit in a header/,
  },
  'a page': { answer: html, exit: 9, says: /a web page/ },
  words: {
    answer: typed('text/plain', `your key is ${token}`),
    exit: 9,
    says: /The response to the sign-in is not JSON: “your key is \[hidden\]”/,
  },
};

export const signInServices: Services = {
  ...each('sign-in: ', tokenPlaces, (answer) => ({ faults: at('auth', answer) })),
  ...each('sign-in: ', refusedSignIns, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('auth', answer),
    exit,
    says,
  })),
};

// The list of campaigns, which is expected as `12,A,3,u`.

const members = {
  campaignName: 'A',
  advertiserId: '5',
  advertiserName: 'B',
  campaignStartDate: '2026-01-01 00:00:00',
  campaignEndDate: '2026-12-31 23:59:59',
  adunits: [{ adunitId: '3', adunitName: 'u' }],
};
const campaign = { campaignId: '12', ...members };
const { adunits } = members;

const campaignLists: Record<string, OddList> = {
  'a list': { list: [campaign] },
  campaigns: { list: { campaigns: [{ ...campaign, campaignId: 12 }] } },
  data: { list: { data: [campaign] } },
  'response.campaigns': { list: { response: { campaigns: [campaign] } } },
  'data.data': { list: { data: { data: [campaign] } } },
  'ids of ad units are numbers': {
    list: [{ ...campaign, adunits: [{ ...adunits[0], adunitId: 3 }] }],
  },
  'an end that is null': { list: [{ ...campaign, campaignEndDate: null }] },
};

const badLists: Record<string, OddAnswer> = {
  'Latin-1, undeclared': {
    answer: { body: Buffer.from('[{"campaignId":"12","campaignName":"Café"}]', 'latin1') },
    exit: 9,
    says: /The response to the list of campaigns is not valid UTF-8 text/,
  },
  'an error with 200': {
    answer: { body: { error: 'Not for you.' } },
    exit: 4,
    says: /Not for you/,
  },
  'another list': {
    answer: { body: [{ displays: 1 }] },
    exit: 9,
    says: /not a list of campaigns.*“\[\{"displays":1\}\]”/,
  },
};

export const campaignServices: Services = {
  ...each('campaigns: ', campaignLists, ({ list }) => ({
    faults: changing('campaigns', () => list),
  })),
  'campaigns: a further page in the body': {
    faults: at('campaigns', { body: { data: [campaign], next: '/campaigns?page=2' } }),
    says: /The campaign list is incomplete: the response/,
  },
  ...each('campaigns: ', badLists, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('campaigns', answer),
    exit,
    says,
  })),
};
