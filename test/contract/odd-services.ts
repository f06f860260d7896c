import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { EndpointName } from '../../src/contract/messages.ts';
import type { FaultAnswer, FaultObject, FaultRequest } from '../../src/local-server.ts';
import type { LocalServer, LocalServerOptions } from '../../src/server/start.ts';
import { tokens } from '../server/local.ts';

/**
 * Services that answer otherwise than the specification says, each made of the local server by
 * faults, and what comes of each: what `run` reports, and what it exits with under
 * `--strict`.
 *
 * Not rows: `checked-answers.ts` and `checks/correct-worlds.ts` check values and need no
 * service; `support/fault-matrix.ts` is the table of `help faults`, by flags of the server;
 * `commands/never-silent.test.ts` has what takes several reports or a connection without an end,
 * and `commands/hard-service.test.ts` the bytes that the client sends; `long/never-silent.test.ts`
 * makes some of these changes to random requests.
 */
export interface OddService {
  readonly faults?: Faults | ((server: LocalServer) => Faults);
  readonly server?: LocalServerOptions;
  readonly account?: 'buyer' | 'dsp';

  /** Flags of `run` without which nothing would be seen. */
  readonly flags?: string;

  /** What the command exits with under `--strict`: 9 where there is a warning, else 0. */
  readonly exit?: number;

  /** What a warning says: an error with `--strict`, and a warning without. */
  readonly warning?: RegExp;

  /** What else stderr holds. */
  readonly says?: RegExp;

  /**
   * How many calls there were of some endpoints; where the command fails, one of the endpoint that
   * has a fault, if nothing else is said.
   */
  readonly calls?: { readonly [Name in EndpointName]?: number };

  /** The rows of the file are others than those of the service. */
  readonly hasOtherRows?: boolean;
}

/** A fixed token: the service takes it, wherever a sign-in answers with it. */
const token = tokens.buyer;

/** What a call is answered with, and what comes of it. */
interface OddAnswer extends Pick<OddService, 'exit' | 'says'> {
  readonly answer: FaultAnswer;
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

/** Values that are names themselves. */
function named<Value>(values: readonly Value[]): Readonly<Record<string, Value>> {
  const nameOf = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.fromEntries(values.map((value) => [nameOf(value), value]));
}

/** Answers of an endpoint, one after the other; the last of them again and again. */
function at(endpoint: EndpointName, ...answers: readonly FaultAnswer[]): Fault[] {
  const last = answers.length - 1;
  return answers.map((answer, index) => ({ endpoint, answer, ...(index < last && { times: 1 }) }));
}

/** The answer of an endpoint to some calls. */
const where = (endpoint: EndpointName, when: Fault['when'], answer: FaultAnswer): Fault[] => [
  { endpoint, when, answer },
];

/** Changes what an endpoint answers with. */
const changing = (endpoint: EndpointName, change: Change, more: Partial<Fault> = {}): Fault[] => [
  { endpoint, change, ...more },
];

const ofJson = (text: string, status = 200): FaultAnswer => typed('application/json', text, status);

function typed(type: string, body: string | Uint8Array, status = 200): FaultAnswer {
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
const literal: FaultAnswer = { body: literalReport };
const csv = (text: string) => at('download', typed('text/csv', text));

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
  'an error beside an id': { report_id: '{id}', error: 'No such metric.' },
  'an error object': { error: { message: 'No such metric.' } },
  'a list of errors': { errors: [{ message: 'No such metric.' }] },
};

const createUnreadable: Record<string, OddAnswer> = {
  'no id': {
    answer: { body: { response: { status: 'progress' } } },
    says: /no report id.*“\{"response":\{"s/,
  },
  'an id elsewhere': {
    answer: { body: { response: { data: { report_id: 'r1' } } } },
    says: /no report id.*“\{"response":\{"data":\{"report_id":"r1"\}\}\}”/,
  },
  'a list of one record': {
    answer: { body: [{ report_id: 'r1' }] },
    says: /no report id.*“\[\{"report_id":"r1"\}\]”/,
  },
  'rows with an error': {
    answer: { body: { data: [{ error: 'No such metric.' }] } },
    says: /no report id.*No such metric/,
  },
  nothing: { answer: empty(200), says: /an empty body instead of JSON/ },
  null: { answer: ofJson('null'), says: /no report id/ },
  'a page': { answer: html, says: /a web page instead of JSON/ },
  words: { answer: typed('text/plain', 'Queue full'), says: /“Queue full” instead of JSON/ },
};

/** Changes the answer to a create call that is not the report itself. */
const created = (change: Change): Fault[] =>
  changing('buyer', (document) =>
    'response' in document ? change(document.response as Row) : document,
  );

const accepted = { response: { status: 'progress', message: 'progress', report_id: '{id}' } };

/** Requests that the service refuses. */
export const isRefused = ({ body }: FaultRequest): boolean => {
  const { since, until, breakdowns, advertiserId, campaingId } = body;
  const times = [breakdowns].flat().filter((name) => name === 'DAILY' || name === 'MONTHLY');
  const isOdd = advertiserId !== undefined || campaingId !== undefined;
  return isOdd || times.length > 1 || Number(since) > Number(until);
};

const create: Services = {
  ...each('the id in ', idPlaces, (around) => ({
    faults: created((response) => around(response.report_id)),
  })),
  'a bare number': {
    faults: [...at('buyer', ofJson('17')), ...literalEnd],
  },
  'a number as id': {
    faults: [...at('buyer', { body: { response: { report_id: 1 } } }), ...literalEnd],
  },
  'an id in text/html': {
    faults: [...at('buyer', typed('text/html', 'r1-77\n')), ...literalEnd],
  },
  '201': {
    faults: at('buyer', { status: 201, body: accepted }),
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
  '429, then an id': {
    faults: [{ endpoint: 'buyer', kind: '429:retry-after=1', times: 1 }],
    says: /Retrying/,
    calls: { buyer: 2 },
  },
  '503 and Retry-After, then an id': {
    faults: [{ endpoint: 'buyer', kind: '503:retry-after=1', times: 1 }],
    says: /Retrying/,
    calls: { buyer: 2 },
  },
  ...each('create: ', named(['503', '500']), (kind) => ({
    faults: [{ endpoint: 'buyer', kind }],
    exit: 5,
    says: /may have been created/,
  })),
  'a redirect elsewhere': {
    faults: at('buyer', empty(302, { location: 'https://example.com/' })),
    exit: 4,
    says: /redirects to/,
  },
  '415 to JSON': {
    faults: where('buyer', ({ headers }) => headers['content-type'] === 'application/json', {
      status: 415,
      body: { error: 'no JSON' },
    }),
    exit: 4,
    says: /--encoding form/,
  },
  '415 to forms': {
    faults: where('buyer', ({ headers }) => headers['content-type'] !== 'application/json', {
      status: 415,
      body: { error: 'no forms' },
    }),
  },
  '400 that misses a parameter': {
    faults: at('buyer', { status: 400, body: { error: 'since is missing' } }),
    exit: 4,
    says: /--encoding form/,
  },
  'every create call is refused': {
    faults: at('buyer', { status: 403, body: { error: 'no reports' } }),
    exit: 3,
    calls: { buyer: 2 },
    says: /no reports/,
  },
  'a Retry-After of 400 digits': {
    faults: at('buyer', empty(429, { 'retry-after': '9'.repeat(400) })),
    exit: 5,
    says: /asks for a pause of 8760 h/,
  },
  'a warning beside the id': {
    faults: created((response) => ({ response, warning: 'window was cut' })),
    says: /Note: .*window was cut/,
  },
  'a token that is refused with 403 is renewed once': {
    faults: [{ endpoint: 'buyer', answer: empty(403), times: 1 }],
    calls: { auth: 2, buyer: 2 },
  },
  '403 ADMIN_ONLY renews nothing': {
    faults: [{ endpoint: 'buyer', kind: '403' }],
    exit: 4,
    says: /ADMIN_ONLY/,
  },
  'a form has only the first of its breakdowns': {
    faults: changing('download', (document) => {
      const { breakdowns, ...summary } = document.summary as Row;
      const first = (breakdowns as readonly string[]).filter((name) => name !== 'FORMAT');
      return { ...document, summary: { ...summary, breakdowns: first } };
    }),
  },
  'of two time breakdowns the second is passed over': {
    faults: where('buyer', ({ body }) => String(body.breakdowns) === 'DAILY,MONTHLY', {
      body: accepted,
    }),
  },
  'refused requests are answered with 200 and an error': {
    faults: where('buyer', isRefused, { body: { response: { error: 'Wrong.' } } }),
  },
  'refused requests are answered with 500': {
    faults: [{ endpoint: 'buyer', when: isRefused, kind: '500' }],
  },
  'unknown parameters are passed over': { server: { lenient: true } },
  'a window that ends before it begins is accepted': {
    faults: where('buyer', ({ body }) => Number(body.since) > Number(body.until), {
      body: accepted,
    }),
  },
  'a filter by advertiser is passed over': {
    faults: where('buyer', ({ body }) => body.advertiserId !== undefined, { body: accepted }),
  },
  'output=direct is passed over': {
    faults: where('buyer', ({ body }) => body.output === 'direct', { body: accepted }),
  },
  'output=direct is answered with CSV': {
    faults: where('buyer', ({ body }) => body.output === 'direct', typed('text/csv', 'date\r\n')),
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
  'data.status': { data: { status: 'ready' } },
  state: { response: { state: 'ready' } },
  'a bare record in a list': [{ status: 'ready' }],
  response: { response: 'ready' },
  'a number': { status: 200 },
};

/** Samples: `state-words.test.ts` has every word. */
const readyWords = ['Completed', 'READY'];
const failures = ['Cancelled', 'EXPIRED'];

const errorTexts: Readonly<Record<string, unknown>> = {
  'response.message': { response: { message: 'Out of ink' } },
  'error.message': { error: { message: 'Out of ink' } },
  'response.error': { response: { error: 'Out of ink' } },
  error: { error: 'Out of ink' },
  message: { message: 'Out of ink' },
  errors: { errors: ['Out of ink'] },
  'the body’s first line': 'Out of ink\nand paper',
};

/** Whether the report that a call asks for is still in progress. */
export const isEarly =
  (server: LocalServer) =>
  ({ body }: FaultRequest): boolean =>
    server.reports().some(({ report_id: id, status }) => id === body.id && status === 'progress');

/** Whether a call asks for a report that is not there. */
export const isUnknown =
  (server: LocalServer) =>
  ({ body }: FaultRequest): boolean =>
    !server.reports().some(({ report_id: id }) => id === body.id);

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
  ...each('status: ', named(readyWords), (word) => ({
    faults: status((record) => ({
      ...record,
      status: String(record.status).replace('ready', word),
    })),
  })),
  'an unknown word, then ready': {
    server: { polls: 3 },
    faults: status((record) => ({
      ...record,
      status: String(record.status).replace('progress', 'brewing'),
    })),
    says: /brewing.*adreport download/,
  },
  'a report in progress is called pending': {
    server: { polls: 2 },
    faults: status((record) => ({
      ...record,
      status: String(record.status).replace('progress', 'pending'),
    })),
  },
  'the status has no message': {
    faults: status((record) => without(record, 'message')),
  },
  'the status calls the id id': {
    faults: status((record) => renamed(record, 'report_id', 'id')),
  },
  'warnings in the status': {
    faults: status((record) => ({ ...record, warnings: ['2 shards late'], partial: true })),
    says: /Note: .*also contains warnings: \["2 shards late"\], partial: true/,
  },
  'the status call is answered with 503 now and then': {
    faults: [{ endpoint: 'status', kind: '503', p: 0.5 }],
  },
  'status: 500, then ready': {
    faults: [{ endpoint: 'status', kind: '500', times: 1 }],
    says: /Retrying/,
    calls: { status: 2 },
  },
  ...each('status: ', named(failures), (word) => ({
    faults: status((record) => ({ ...record, status: word, message: 'out of memory' })),
    flags: '--retries 0',
    exit: 6,
    says: /out of memory/,
  })),
  ...each('status: 400 and ', errorTexts, (body) => ({
    faults: at('status', { status: 400, body }),
    exit: 4,
    says: /Out of ink/,
  })),
  'status: 410': {
    faults: at('status', empty(410)),
    flags: '--retries 0',
    exit: 6,
    says: /no longer exists/,
  },
  'status: 404': {
    faults: at('status', { status: 404, body: { error: 'Who?' } }),
    exit: 4,
    says: /Who\?/,
  },
  'status: an error with 200': {
    faults: at('status', { body: { response: { error: 'Unknown report.' } } }),
    exit: 4,
    says: /Unknown report/,
  },
  'status: 400 that misses the id': {
    faults: at('status', { status: 400, body: { message: 'id is missing' } }),
    exit: 4,
    says: /id is missing/,
  },
  ...each('status: no status but in ', noStatus, (body) => ({
    faults: at('status', { body }),
    exit: 9,
    says: /The response to the status call has no status\. The response is: “/,
  })),
  'status: no status': {
    faults: at('status', { body: { response: {} } }),
    exit: 9,
    says: /The response to the status call has no status.*“\{"response":\{\}\}”/,
  },
  'status: a page': {
    faults: at('status', html),
    exit: 9,
    says: /a web page/,
  },
  'status: a token in an unknown place': {
    faults: [...at('auth', { body: { token } }), ...at('status', { body: { session: token } })],
    exit: 9,
    says: /\[hidden\]/,
  },
  'reports are ready at once': {
    server: { delayMs: 0 },
  },
  'an unknown report is refused with 400': {
    faults: (server) => where('status', isUnknown(server), empty(400)),
  },
  'an unknown report has failed, with 200': {
    faults: (server) =>
      where('status', isUnknown(server), { body: { response: { status: 'failed' } } }),
  },
  'a download before its time is refused with 400': {
    faults: (server) => where('download', isEarly(server), empty(400)),
  },
  'a download before its time is empty': {
    faults: (server) => where('download', isEarly(server), { body: { data: [], summary: {} } }),
  },
};

// The download: bodies that are refused, waited for, or read.

const notYet: Record<string, OddAnswer> = {
  '409 REPORT_NOT_READY': {
    answer: { status: 409, body: { response: { error_id: 'REPORT_NOT_READY' } } },
  },
  'the record of a report in progress': { answer: { body: { response: { status: 'progress' } } } },
  '202': { answer: { status: 202, body: {} } },
  '425': { answer: empty(425) },
  '409 in any words': { answer: { status: 409, body: 'Hold on.' } },
  'a status of an unknown word': { answer: { body: { status: 'brewing' } } },
  '404 directly after ready': { answer: empty(404) },
};

const notAReport: Record<string, OddAnswer> = {
  'a sentence that it is not ready': {
    answer: typed('text/plain', 'Report not ready yet'),
    exit: 9,
    says: /Report not ready yet/,
  },
  'a message that it is not ready': {
    answer: { body: { message: 'Report is not ready' } },
    exit: 4,
    says: /Report is not ready/,
  },
  'a refusal that says it is not ready': {
    answer: { status: 400, body: { message: 'Report is not ready yet' } },
    exit: 4,
    says: /Report is not ready yet/,
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
  'JSON that is wrong': { answer: ofJson('{"data":[{"date":}]}'), exit: 9 },
  'an error with 200': {
    answer: { body: { error_id: 'GONE', error: 'Deleted.' } },
    exit: 4,
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
    says: /its first line has no known column.*Out of ink/,
  },
  'without what was asked for': {
    answer: { body: [{ campaignId: '12', adunits: [] }] },
    exit: 9,
    says: /This is not a report/,
  },
  'CSV without a header': { answer: typed('text/csv', '2026-11-19,7\r\n'), exit: 9 },
  'an error text as CSV': { answer: typed('text/csv', 'report expired\r\n'), exit: 9 },
  nothing: { answer: empty(200), exit: 9 },
  'an unknown charset': {
    answer: typed('application/json; charset=x-own', literalJson),
    exit: 9,
    says: /x-own/,
  },
};

/** The same report in other bodies. */
const sameReports: Record<string, OddAnswer> = {
  CSV: { answer: typed('text/csv; charset=utf-8; header=present', literalCsv) },
  'CSV as plain text': { answer: typed('text/plain', literalCsv) },
  'CSV labelled JSON': { answer: typed('application/json', literalCsv) },
  'CSV with a mark': {
    answer: typed('text/csv', `\ufeff${literalCsv.replaceAll('\r\n', '\n')}`),
  },
  'CSV in UTF-16': {
    answer: typed('text/csv', Buffer.from(`\ufeff${literalCsv}`, 'utf16le')),
  },
  'CSV with sep=;': {
    answer: typed('text/csv', 'sep=;\ndate;displays\n2026-11-19;7\n'),
  },
  'blanks in the header': {
    answer: typed('text/csv', ' date, displays\n2026-11-19,7\n'),
  },
  'a header in capitals': {
    answer: typed('text/csv', 'DATE,DISPLAYS\n2026-11-19,7\n'),
  },
  'JSON as text/html': { answer: typed('text/html', literalJson) },
  'pretty-printed': { answer: ofJson(JSON.stringify(literalReport, null, '\t')) },
  'a byte order mark': { answer: ofJson(`\ufeff${literalJson}`) },
  'UTF-16': {
    answer: typed('application/json; charset=utf-16le', Buffer.from(literalJson, 'utf16le')),
  },
  gzip: { answer: packed('gzip', gzipSync(literalJson)) },
  brotli: { answer: packed('BR', brotliCompressSync(literalJson)) },
  'gzip in gzip': {
    answer: packed('gzip, gzip', gzipSync(gzipSync(literalJson))),
  },
};

function packed(coding: string, body: Uint8Array): FaultAnswer {
  return { headers: { 'content-type': 'application/json', 'content-encoding': coding }, body };
}

const downloads: Services = {
  ...each('not yet: ', notYet, ({ answer }) => ({
    faults: [{ endpoint: 'download', answer, times: 1 }],
    calls: { download: 2 },
  })),
  '202 for ever': {
    faults: at('download', empty(202)),
    exit: 7,
    calls: {},
    says: /not ready/,
  },
  ...each('no report: ', notAReport, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('download', answer),
    flags: '--retries 0',
    exit,
    says,
  })),
  'no report: a page': {
    faults: at('download', html),
    exit: 9,
    calls: { download: 6 },
    says: /web page/,
  },
  ...each('the same report: ', sameReports, ({ answer }) => ({
    faults: at('download', answer),
  })),
};

// The document of a report.

/** Changes every report. */
const report = (change: Change): Fault[] => changing('download', change);

/** Changes the summary of every report. */
const summary = (change: Change): Fault[] =>
  report((document) => ({ ...document, summary: change(document.summary as Row) }));

/** Changes the rows of the reports that are broken down so; of all where nothing is named. */
function rows(change: (rows: readonly Row[]) => unknown, breakdown?: string): Fault[] {
  return report((document) => {
    const { breakdowns } = document.summary as { readonly breakdowns: readonly string[] };
    const isChanged = breakdown === undefined || breakdowns.includes(breakdown);
    return isChanged ? { ...document, data: change(document.data as readonly Row[]) } : document;
  });
}

/** Changes each row of the reports that are broken down so. */
const eachRow = (change: (row: Row) => unknown, breakdown?: string): Fault[] =>
  rows((all) => all.map(change), breakdown);

/** Puts members outside the rows. */
const beside = (members: Row): Fault[] => report((document) => ({ ...document, ...members }));

/** Sends a report with another status, or further headers. */
const answered = (answer: Omit<FaultAnswer, 'body'>): Fault[] =>
  at('download', { ...answer, body: literalReport });

const documents: Services = {
  'a report inside response': {
    faults: report((document) => ({ response: document })),
    exit: 9,
    says: /is not a report: it has no “data” array/,
  },
  'rows alone': { faults: report(({ data }) => data) },
  'the rows are called rows': {
    faults: report((document) => renamed(document, 'data', 'rows')),
    exit: 9,
    says: /./,
  },
  'summary before data': {
    faults: report(({ data, summary: all }) => ({ summary: all, data })),
  },
  'members that hold data': {
    faults: report((document) => ({ meta: { data: [{ x: 1 }] }, ...document, page: null })),
  },
  'keys in capitals': {
    faults: eachRow((row) => renamed(renamed(row, 'date', 'DATE'), 'displays', 'Displays')),
  },
  'keys with blanks': {
    faults: eachRow((row) => renamed(renamed(row, 'date', ' date'), 'displays', 'displays ')),
  },
  'a second download has the rows in another order': {
    faults: [
      {
        endpoint: 'download',
        after: 2,
        change: ({ data, ...rest }: Row) => ({ ...rest, data: (data as unknown[]).toReversed() }),
      },
    ],
  },
  'an error': { faults: beside({ error: 'timeout' }), warning: /timeout/ },
  hasMore: {
    faults: beside({ paging: { has_more: true } }),
    warning: /is incomplete: the response has/,
  },
  truncated: {
    faults: beside({ truncated: true }),
    warning: /is incomplete: the response has/,
  },
  partial: { faults: beside({ meta: { partial: 'yes' } }) },
  'a next page': {
    faults: beside({ next: '/download-reporting?page=2' }),
    warning: /is incomplete: the response/,
  },
  'a status in progress': {
    faults: beside({ status: 'progress' }),
    warning: /progress/,
  },
  'counts and totals that differ': {
    faults: beside({ rowCount: 20, page: 1, totals: { displays: 8 } }),
  },
  '206': { faults: answered({ status: 206 }), warning: /206/ },
  ...each('Link: ', named(['next', 'last next']), (relation) => ({
    faults: answered({ headers: { link: `</page/2>; rel="${relation}"` } }),
    warning: /rel=next/,
  })),
  'one id for every order': {
    faults: [{ endpoint: 'buyer', answer: { body: { id: 'r1' } } }, ...literalEnd],
    flags: '--period 2026-11-18..2026-11-19 --split day --concurrency 1',
    warning: /with the ID of a different request's report: r1/,
    hasOtherRows: true,
  },
  'what nobody knows': {
    faults: beside({ sampled: true, numFound: 900, meta: { notice: 'late data' } }),
    says: /Note: .*also contains sampled: true, numFound: 900, meta.notice: "late data"/,
  },
  headers: {
    faults: answered({ headers: { 'x-total-count': '9', warning: '199 - "stale data"' } }),
  },
  'a clock that is a day behind': {
    faults: answered({ headers: { date: 'Thu, 19 Nov 2026 12:00:00 GMT' } }),
    says: /Warning: .*clock is 1 day ahead of the service's: the period is 2026-11-19, and by the service's clock it would be 2026-11-18\./,
  },
  'nothing wrong outside the rows': {
    faults: beside({
      ...{ error: { code: 0, message: 'Success.' }, errors: [], next: '', status: 'OK', count: 1 },
      ...{ code: 200, message: 'Report ready', limit: 100, pages: 1, sampled: false, failed: 0 },
    }),
  },
  'Link to other things': {
    faults: answered({ headers: { link: '</older>; rel="next-archive", </me>; rel=self' } }),
  },
  'no summary': {
    faults: report(({ data }) => ({ data })),
  },
  'an empty summary': { faults: summary(() => ({})) },
};

const toUtc = (time: unknown): string =>
  `${new Date(String(time).replace(/00$/, ':00')).toISOString().slice(0, 19)}Z`;
const toSeconds = (time: unknown): number => Date.parse(toUtc(time)) / 1_000;
const withTimes = (change: (time: unknown) => unknown): Fault[] =>
  summary((all) => ({ ...all, since: change(all.since), until: change(all.until) }));

const windows: Services = {
  'another window': {
    faults: summary((all) => ({ ...all, since: String(all.since).replace(/-\d\dT/, '-01T') })),
    warning: /a different period than requested/,
  },
  'another window as unix seconds': {
    faults: withTimes((time) => toSeconds(time) - 3_600),
    warning: /a different period than requested/,
  },
  'another window without an offset': {
    faults: withTimes((time) => String(time).slice(0, 19).replace('2026', '2025')),
    warning: /a different period than requested/,
  },
  'unix seconds': { faults: withTimes(toSeconds) },
  'times in UTC': { faults: withTimes(toUtc) },
  'times without an offset': {
    faults: withTimes((time) => String(time).slice(0, 19)),
  },
  'offsets with a colon': {
    faults: withTimes((time) => String(time).replace(/00$/, ':00')),
  },
  milliseconds: {
    faults: withTimes((time) => String(time).replace('+', '.999+')),
  },
  microseconds: {
    faults: withTimes((time) => String(time).replace('+', '.999999+')),
  },
  'a blank for T': { faults: withTimes((time) => String(time).replace('T', ' ')) },
  'an end that is excluded': {
    faults: summary((all) => ({ ...all, until: '2026-11-20T00:00:00+0100' })),
  },
  'the window is read as wall time': {
    server: { windowClock: 'wall' },
    warning: /reads timestamps as wall time/,
  },
  'the summary has no window': {
    faults: summary(({ breakdowns, timezone }) => ({ breakdowns, timezone })),
  },
  'no timezone': { faults: summary((all) => without(all, 'timezone')) },
  'the zone is written Europe/Paris': {
    faults: summary((all) => ({ ...all, timezone: 'Europe/Paris' })),
  },
  'other breakdowns': {
    faults: summary((all) => ({ ...all, breakdowns: ['OS'] })),
  },
  'breakdowns as an object': {
    faults: summary((all) => ({ ...all, breakdowns: { ...(all.breakdowns as string[]) } })),
  },
  'breakdowns in small letters': {
    faults: summary((all) => ({
      ...all,
      breakdowns: (all.breakdowns as string[]).map((name) => name.toLowerCase()),
    })),
  },
  'breakdowns as one text': {
    faults: summary((all) => ({ ...all, breakdowns: (all.breakdowns as string[]).join() })),
  },
};

const days: Services = {
  'a date is written 16/11/2026': {
    faults: eachRow((row) => ({
      ...row,
      date: String(row.date).split('-').toReversed().join('/'),
    })),
    hasOtherRows: true,
  },
  'a date has a time': {
    faults: eachRow((row) => ({ ...row, date: `${row.date}T00:00:00` })),
    hasOtherRows: true,
  },
  'a day is missing': {
    faults: rows((all) => all.slice(1), 'DAILY'),
    hasOtherRows: true,
  },
  'a day comes twice': {
    faults: rows((all) => [...all, all[0]], 'DAILY'),
    warning: /repeats the breakdown values/,
  },
  'a day before the window': {
    faults: rows((all) => [{ ...all[0], date: '2026-11-12' }, ...all], 'DAILY'),
    warning: /outside its period: 2026-11-12/,
  },
  'a total below the days': {
    faults: rows((all) => [...all, { ...all[0], date: null }], 'DAILY'),
    hasOtherRows: true,
  },
  'the whole is less than its days': {
    faults: report((document) => {
      const { breakdowns } = document.summary as { readonly breakdowns: readonly string[] };
      const all = document.data as readonly Row[];
      const isWhole = breakdowns.length === 0;
      return isWhole
        ? { ...document, data: all.map((row) => ({ ...row, displays: 1 })) }
        : document;
    }),
  },
  'an hour has no offset': {
    faults: eachRow((row) => ({ ...row, hour: String(row.hour).slice(0, 19) }), 'HOURLY'),
  },
  'an hour of another zone': {
    faults: eachRow((row) => ({ ...row, hour: String(row.hour).replace('+01', '-05') }), 'HOURLY'),
    flags: '--by HOURLY --columns all',
    warning: /hours are not in the zone/,
  },
  'a date is not the day of its hour': {
    faults: eachRow((row) => ({ ...row, date: '2026-09-09' }), 'HOURLY'),
    flags: '--by HOURLY --columns all',
    warning: /2026-09-09/,
  },
  'an hour is a number': {
    faults: eachRow((row) => ({ ...row, hour: 7 }), 'HOURLY'),
  },
  'an hour is missing': {
    faults: rows((all) => all.slice(1), 'HOURLY'),
  },
  'a second header in CSV': {
    faults: csv('date,displays\n2026-11-19,7\ndate,displays\n'),
    warning: /Row 2 repeats the header/,
  },
  'units in CSV': {
    faults: csv('date,displays\nday,count\n2026-11-19,7\n'),
    warning: /displays is not a whole number in row 1/,
  },
  'a metric that CSV does not name': {
    faults: csv('date,displays,click\n2026-11-19,7,1\n'),
    flags: '--metrics displays,clicks --columns all',
    warning: /missing the requested column clicks/,
  },
};

/** Values in place of a count that are not numbers. */
const oddCounts: readonly unknown[] = ['1 101', '1\u00a0101', "1'101", '1,101', 'many', [7], true];

/** What comes in the place of a count, and is no value. */
const noCounts: readonly unknown[] = [null, '', '-', 'N/A', 'NaN'];

/** A row with the sums of others, and a name. */
function totalOf(all: readonly Row[], names: Row): Row {
  const sum = (field: string) => all.reduce((before, row) => before + Number(row[field]), 0);
  return { ...all[0], ...names, displays: sum('displays'), clicks: sum('clicks') };
}

const byCampaign = '--by CAMPAIGN --metrics displays,clicks --columns all';

const fields: Services = {
  ...each('displays is ', named(oddCounts), (value) => ({
    faults: eachRow((row) => ({ ...row, displays: value })),
    warning: /displays is not a whole number in row 1/,
  })),
  ...each('displays is ', named(noCounts), (value) => ({
    faults: eachRow((row) => ({ ...row, displays: value })),
    says: /Note: /,
    hasOtherRows: true,
  })),
  'displays is 1.5': {
    faults: eachRow((row) => ({ ...row, displays: 1.5 })),
    warning: /displays is not a whole number in row 1/,
  },
  'a count is a text': {
    faults: eachRow((row) => ({ ...row, displays: String(row.displays) })),
  },
  'a count has decimals by day': {
    faults: eachRow((row) => ({ ...row, clicks: 0.5 + Number(row.clicks) }), 'DAILY'),
  },
  'a count is absent': { faults: eachRow((row) => without(row, 'clicks')) },
  'a breakdown has no column': {
    faults: eachRow((row) => without(row, 'os'), 'OS'),
    flags: '--by OS --columns all',
    warning: /missing the requested column os/,
  },
  'the revenue in dollars is called revenueDollar': {
    faults: eachRow((row) => renamed(row, 'valueDollar', 'revenueDollar')),
  },
  'fields that were not asked for are absent': {
    faults: eachRow((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    ),
  },
  'fields that were not asked for are empty texts': {
    faults: eachRow((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? ''])),
    ),
  },
  'a row has a field more': {
    faults: eachRow((row) => ({ ...row, viewability: 0.7 })),
  },
  'clicks and displays have changed places': {
    faults: eachRow((row) => ({ ...row, clicks: row.displays, displays: row.clicks })),
    hasOtherRows: true,
  },
  'every revenue is in cents': {
    faults: eachRow((row) => ({ ...row, revenueEuro: Number(row.revenueEuro) * 100 })),
  },
  ...each('a total among the rows: ', named(['Total: Account', 'anything']), (campaignName) => ({
    faults: rows((all) => [...all, totalOf(all, { campaignId: '0', campaignName })], 'CAMPAIGN'),
    flags: byCampaign,
    warning: /has no campaign, and its metrics are the sums of all other rows/,
  })),
  'a campaign comes twice': {
    faults: rows((all) => [...all, all[0]], 'CAMPAIGN'),
    flags: byCampaign,
    warning: /repeats the breakdown values/,
  },
};

/** Changes the rows of the reports that a filter leaves, by the request that the server keeps. */
function filtered(name: string, change: (rows: readonly Row[]) => unknown) {
  return (server: LocalServer): Faults => [
    {
      endpoint: 'download',
      when: ({ body }) =>
        server
          .reports()
          .some(({ report_id: id, request }) => id === body.id && name in request.filters),
      change: ({ data, ...rest }: Row) => ({ ...rest, data: change(data as readonly Row[]) }),
    },
  ];
}

const other = { campaignId: '99999999', campaignName: 'Other' };

const filters: Services = {
  'a filter by campaign is passed over': {
    faults: filtered('campaignId', (all) => [...all, { ...all[0], ...other }]),
    flags: '--by CAMPAIGN --filter campaignId=40001 --columns all',
    warning: /99999999/,
  },
  'a filter by campaign leaves nothing': {
    faults: filtered('campaignId', () => []),
  },
  'a filter by campaign changes the figures': {
    faults: filtered('campaignId', (all) => all.map((row) => ({ ...row, displays: 1 }))),
  },
  'no campaign has rows': {
    faults: rows(() => [], 'CAMPAIGN'),
  },
  'a filter by country is passed over': {
    faults: filtered('countryId', (all) => [...all, { ...all[0], country: 'Germany' }]),
    flags: '--by COUNTRY --country FR --columns all',
    warning: /Germany/,
  },
  'a filter by country leaves a row without a country': {
    faults: filtered('countryId', (all) => all.map((row) => ({ ...row, country: null }))),
    flags: '--by COUNTRY --country FR --columns all',
    warning: /country/,
  },
};

const dspDamages: Services = {
  'the revenue has a decimal point': {
    faults: eachRow((row) => ({ ...row, revenueEuro: String(row.revenueEuro).replace(',', '.') })),
  },
  'the revenue is a number': {
    faults: eachRow((row) => ({
      ...row,
      revenueEuro: Number(String(row.revenueEuro).replace(',', '.')),
    })),
  },
  'the revenue in dollars is called valueDollar': {
    faults: eachRow((row) => renamed(row, 'revenueDollar', 'valueDollar')),
  },
  'there is JSON without the Accept header, too': {
    faults: where('download', ({ headers }) => !headers.accept?.includes('json'), literal),
  },
  'the zone is passed over': {
    faults: summary((all) => ({
      ...all,
      timezone: 'Europe/Paris',
      since: String(all.since).replace('+0900', '+0100'),
    })),
    flags: '--timezone Asia/Tokyo',
    warning: /a different zone than requested: Europe\/Paris instead of Asia\/Tokyo/,
  },
  'the zone is stated, and the window is one of Paris': {
    faults: withTimes((time) => String(time).replace('+0900', '+0100')),
  },
};

const dsp = each('DSP: ', dspDamages, (service) => ({ ...service, account: 'dsp' }));

/** `run`, as one of the built-in accounts. */
export const runServices: Services = {
  ...create,
  ...waiting,
  ...downloads,
  ...documents,
  ...windows,
  ...days,
  ...fields,
  ...filters,
  ...dsp,
};

// Signing in.

const tokenPlaces: Readonly<Record<string, FaultAnswer>> = {
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
  '400 to JSON': {
    answer: {
      status: 400,
      body: { response: { error: 'Username or password not set in request' } },
    },
    exit: 3,
    says: /--encoding form/,
  },
  '415': { answer: empty(415), exit: 3, says: /--encoding form/ },
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
  'no token': {
    answer: { body: { response: {} } },
    exit: 9,
    says: /The response to the sign-in has no token/,
  },
  'a line break': {
    answer: { body: { token: 'abc\r\nX-Other: 1' } },
    exit: 9,
    says: /does not fit in a header/,
  },
  '5,000 characters': {
    answer: { body: { token: 'x'.repeat(5_000) } },
    exit: 9,
    says: /does not fit in a header/,
  },
  'a page': { answer: html, exit: 9, says: /a web page/ },
  words: {
    answer: typed('text/plain', `your key is ${token}`),
    exit: 9,
    says: /“your key is \[hidden\]” instead/,
  },
};

const withoutToken = ({ headers }: FaultRequest): boolean => headers.authorization === undefined;

export const signInServices: Services = {
  ...each('sign-in: ', tokenPlaces, (answer) => ({ faults: at('auth', answer) })),
  ...each('sign-in: ', refusedSignIns, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('auth', answer),
    exit,
    says,
  })),
  ...each('sign-in: first ', named(['429', '500']), (kind) => ({
    faults: [{ endpoint: 'auth', kind, times: 1 }],
    says: /Retrying/,
    calls: { auth: 2 },
  })),
  'a call without a token is answered': {
    faults: where('campaigns', withoutToken, { body: [] }),
  },
  'a call without a token is refused with 403': {
    faults: where('campaigns', withoutToken, empty(403)),
  },
  'a call without a token is refused with 200 and an error': {
    faults: where('campaigns', withoutToken, { body: { error: 'no' } }),
  },
  'a scheme word before the token is passed over': {
    faults: where('campaigns', ({ headers }) => headers.authorization?.startsWith('Bearer '), {
      body: [],
    }),
  },
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
  'a start with a T': {
    list: [{ ...campaign, campaignStartDate: '2026-01-01T00:00:00' }],
  },
  'an end without a time': {
    list: [{ ...campaign, campaignEndDate: '2026-01-01' }],
  },
  'an end that is null': { list: [{ ...campaign, campaignEndDate: null }] },
  'a member more': { list: [{ ...campaign, budget: 1 }] },
};

const badLists: Record<string, OddAnswer> = {
  'Latin-1, undeclared': {
    answer: { body: Buffer.from('[{"campaignId":"12","campaignName":"Café"}]', 'latin1') },
    exit: 9,
    says: /not valid utf-8 text/,
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
  'keyed by id': {
    answer: { body: { 12: members } },
    exit: 9,
    says: /not a list of campaigns.*“\{"12":/,
  },
  '15 MB of brackets': {
    answer: ofJson('['.repeat(15_000_000)),
    exit: 9,
    says: /“\[{150}…” instead of JSON/,
  },
  '17 MB of brackets': {
    answer: ofJson('['.repeat(17_000_000)),
    exit: 9,
    says: /longer than 16 MB/,
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
  'campaigns: a further page in Link': {
    faults: at('campaigns', {
      headers: { link: '</campaigns?page=2>; rel="next"' },
      body: [campaign],
    }),
    says: /The campaign list is incomplete: the response/,
  },
  'campaigns: Latin-1, declared': {
    faults: at(
      'campaigns',
      typed(
        'application/json; charset=iso-8859-1',
        Buffer.from(JSON.stringify([{ ...campaign, advertiserName: 'Café' }]), 'latin1'),
      ),
    ),
  },
  ...each('campaigns: ', badLists, ({ answer, exit = 0, says = /^/ }) => ({
    faults: at('campaigns', answer),
    exit,
    says,
  })),
};
