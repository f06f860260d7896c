import { brotliCompressSync, gzipSync } from 'node:zlib';

/** Literal answers of services that differ from the one that the specification shows, and what each must lead to. */

/** What a path answers: a body with status 200, or more than that. */
export type Answer =
  | string
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    };

export interface Variant {
  readonly name: string;

  /** By path; several are given one after the other, the last of them again and again. */
  readonly answers: Readonly<Record<string, readonly Answer[]>>;

  readonly exitCode: number;

  /** What stderr holds. */
  readonly says?: RegExp;

  /** How often each path was asked, where that matters. */
  readonly calls?: Readonly<Record<string, number>>;
}

/** A variant in which one path alone answers otherwise than usual. */
interface PathVariant {
  readonly name: string;

  /** What the path answers each time. */
  readonly answer?: Answer;

  /** In place of `answer`: one after the other, the last of them again and again. */
  readonly answers?: readonly Answer[];

  readonly exitCode: number;

  /** What stderr holds. */
  readonly says?: RegExp;

  /** How often the path was asked, where that matters. */
  readonly calls?: number;
}

export const token = '0123456789abcdef0123456789abcdef01234567';
const rows = '[{"date":"2026-11-19","displays":7}]';
const summary =
  '{"since":"2026-11-19T00:00:00+0100","until":"2026-11-19T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';
const report = `{"data":${rows},"summary":${summary}}`;

/** The usual answers, which a variant replaces one by one. */
export const usualAnswers: Readonly<Record<string, Answer>> = {
  '/auth-reporting': `{"response":{"status":"OK","token":"${token}"}}`,
  '/buyer-reporting': '{"response":{"status":"progress","message":"progress","report_id":"r1"}}',
  '/status-reporting': '{"response":{"status":"ready","message":"ready","report_id":"r1"}}',
  '/download-reporting': report,
  '/campaigns': '[]',
};

/** What `run` must leave in its file where all is well. */
export const expectedFile = 'date,displays\r\n2026-11-19,7\r\n';

/** The variants of one step of a run, whose path is given. */
function variantsOf(step: string, path: string, variants: readonly PathVariant[]): Variant[] {
  return variants.map((variant) => {
    const { name, answer = '', answers = [answer], exitCode, says, calls } = variant;

    return {
      name: `${step}: ${name}`,
      answers: { [path]: answers },
      exitCode,
      ...(says && { says }),
      ...(calls && { calls: { [path]: calls } }),
    };
  });
}

function withStatus(status: number, body = ''): Answer {
  return { status, body };
}

function answerLater(status: number, retryAfter: string): Answer {
  return { status, headers: { 'retry-after': retryAfter } };
}

function redirect(location: string): Answer {
  return { status: 302, headers: { location } };
}

function typed(contentType: string, body: string | Uint8Array): Answer {
  return { headers: { 'content-type': contentType }, body };
}

function packed(contentEncoding: string, body: Uint8Array): Answer {
  return { headers: { 'content-encoding': contentEncoding }, body };
}

const withRow = (row: string) =>
  `{"data":[{"date":"2026-11-19","displays":7},${row}],"summary":${summary}}`;
const html = typed('text/html', '<html><body>Please sign in</body></html>');

const createVariants = variantsOf('create', '/buyer-reporting', [
  { name: 'response.id', answer: '{"response":{"id":"r1"}}', exitCode: 0 },
  { name: 'a number as id', answer: '{"response":{"report_id":1}}', exitCode: 0 },
  { name: 'report_id', answer: '{"report_id":"r1"}', exitCode: 0 },
  { name: 'reportId', answer: '{"reportId":"r1"}', exitCode: 0 },
  { name: 'response.reportId', answer: '{"response":{"reportId":"r1"}}', exitCode: 0 },
  { name: 'id', answer: '{"id":"r1"}', exitCode: 0 },
  { name: 'data.report_id', answer: '{"data":{"report_id":"r1"}}', exitCode: 0 },
  {
    name: 'response.data.report_id',
    answer: '{"response":{"data":{"report_id":"r1"}}}',
    exitCode: 0,
  },
  { name: 'a list of one record', answer: '[{"report_id":"r1"}]', exitCode: 0 },
  { name: 'data is a list of one record', answer: '{"data":[{"report_id":"r1"}]}', exitCode: 0 },
  { name: 'response is the id', answer: '{"response":"r1"}', exitCode: 0 },
  { name: 'the bare id', answer: '"r1"', exitCode: 0 },
  { name: 'a bare number', answer: '17', exitCode: 0 },
  { name: '201', answer: withStatus(201, '{"id":"r1"}'), exitCode: 0 },
  { name: 'the data itself', answer: report, exitCode: 0 },
  { name: 'the data as CSV', answer: typed('text/csv', expectedFile), exitCode: 0 },
  {
    name: 'an error with 200',
    answer: '{"response":{"error_id":"LIMIT","error":"Too many reports."}}',
    exitCode: 4,
    says: /Too many reports/,
    calls: 1,
  },
  {
    name: 'an error beside an id',
    answer: '{"report_id":"r1","error":"No such metric."}',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'a list of an error',
    answer: '[{"error":"No such metric."}]',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'data is a list of an error',
    answer: '{"data":[{"error":"No such metric."}]}',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'success is false',
    answer: '{"success":false,"message":"Locked."}',
    exitCode: 4,
    says: /Locked/,
    calls: 1,
  },
  {
    name: 'the status KO',
    answer: '{"response":{"status":"KO","message":"Locked."}}',
    exitCode: 4,
    says: /Locked/,
    calls: 1,
  },
  {
    name: 'no id',
    answer: '{"response":{"status":"progress"}}',
    exitCode: 9,
    says: /no report id.*“\{"response":\{"status":"progress"\}\}”/,
    calls: 1,
  },
  { name: 'nothing', answer: '', exitCode: 9, says: /an empty body instead of JSON/, calls: 1 },
  { name: 'null', answer: 'null', exitCode: 9, says: /no report id/, calls: 1 },
  { name: 'a page', answer: html, exitCode: 9, says: /a web page instead of JSON/, calls: 1 },
  {
    name: 'words',
    answer: typed('text/plain', 'Queue full'),
    exitCode: 9,
    says: /“Queue full” instead of JSON/,
    calls: 1,
  },
  {
    name: '429, then an id',
    answers: [answerLater(429, '1'), '{"id":"r1"}'],
    exitCode: 0,
    says: /Trying again/,
    calls: 2,
  },
  {
    name: '503 and Retry-After, then an id',
    answers: [answerLater(503, '1'), '{"id":"r1"}'],
    exitCode: 0,
    says: /Trying/,
    calls: 2,
  },
  { name: '503', answer: withStatus(503), exitCode: 5, says: /may have been created/, calls: 1 },
  { name: '500', answer: withStatus(500), exitCode: 5, says: /may have been created/, calls: 1 },
  {
    name: 'a redirect elsewhere',
    answer: redirect('https://example.com/'),
    exitCode: 4,
    says: /redirects to/,
    calls: 1,
  },
  { name: '415', answer: withStatus(415), exitCode: 4, says: /--encoding form/, calls: 1 },
  {
    name: 'a Retry-After of 400 digits',
    answer: answerLater(429, '9'.repeat(400)),
    exitCode: 5,
    says: /left alone for 8760 h/,
    calls: 1,
  },
]);

const statusVariants = variantsOf('status', '/status-reporting', [
  {
    name: 'response.data.status',
    answer: '{"response":{"data":{"status":"ready"}}}',
    exitCode: 0,
  },
  {
    name: 'an envelope of its own',
    answer: '{"status":"ok","data":{"status":"READY"}}',
    exitCode: 0,
  },
  { name: 'status', answer: '{"status":"ready"}', exitCode: 0 },
  { name: 'a bare record in a list', answer: '[{"status":"ready"}]', exitCode: 0 },
  { name: 'response is the word', answer: '{"response":"ready"}', exitCode: 0 },
  { name: 'done', answer: '{"status":"done"}', exitCode: 0 },
  { name: 'completed', answer: '{"status":"Completed"}', exitCode: 0 },
  { name: 'finished', answer: '{"status":"finished"}', exitCode: 0 },
  { name: 'success', answer: '{"response":{"status":"success"}}', exitCode: 0 },
  {
    name: 'queued, then ready',
    answers: ['{"status":"queued"}', '{"status":"ready"}'],
    exitCode: 0,
    calls: 2,
  },
  {
    name: 'an unknown word, twice, then ready',
    answers: ['{"status":"brewing"}', '{"status":"brewing"}', '{"status":"ready"}'],
    exitCode: 0,
    says: /brewing.*adreport download/,
  },
  {
    name: '500, then ready',
    answers: [withStatus(500), '{"status":"ready"}'],
    exitCode: 0,
    says: /Trying again/,
    calls: 2,
  },
  {
    name: 'failed',
    answer: '{"response":{"status":"failed","message":"out of memory"}}',
    exitCode: 6,
    says: /out of memory/,
    calls: 1,
  },
  {
    name: 'error',
    answer: '{"response":{"status":"error"}}',
    exitCode: 6,
    says: /error/,
    calls: 1,
  },
  {
    name: 'cancelled',
    answer: '{"status":"cancelled"}',
    exitCode: 6,
    says: /cancelled/,
    calls: 1,
  },
  { name: 'canceled', answer: '{"status":"canceled"}', exitCode: 6, says: /canceled/, calls: 1 },
  { name: 'failure', answer: '{"status":"failure"}', exitCode: 6, says: /failure/, calls: 1 },
  { name: 'expired', answer: '{"status":"expired"}', exitCode: 6, says: /expired/, calls: 1 },
  {
    name: '400 and response.message',
    answer: withStatus(400, '{"response":{"message":"Out of ink"}}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and error.message',
    answer: withStatus(400, '{"error":{"message":"Out of ink"}}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and error_description',
    answer: withStatus(400, '{"error":"x","error_description":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and message',
    answer: withStatus(400, '{"message":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and detail',
    answer: withStatus(400, '{"detail":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and errors',
    answer: withStatus(400, '{"errors":["Out of ink"]}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and the body’s first line',
    answer: withStatus(400, 'Out of ink\nand paper'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  { name: '410', answer: withStatus(410), exitCode: 6, says: /gone/, calls: 1 },
  {
    name: '404',
    answer: withStatus(404, '{"detail":"Who?"}'),
    exitCode: 4,
    says: /Who\?/,
    calls: 1,
  },
  {
    name: 'an error with 200',
    answer: '{"response":{"error":"Unknown report."}}',
    exitCode: 4,
    says: /Unknown report/,
    calls: 1,
  },
  {
    name: '400 to JSON',
    answer: withStatus(400, '{"message":"id is missing"}'),
    exitCode: 4,
    says: /id is missing.*\n.*--encoding form/,
    calls: 1,
  },
  {
    name: 'no status',
    answer: '{"response":{}}',
    exitCode: 9,
    says: /without a status.*“\{"response":\{\}\}”/,
    calls: 1,
  },
  { name: 'a page', answer: html, exitCode: 9, says: /a web page/, calls: 1 },
  {
    name: 'a token in an unknown place',
    answer: `{"sessionToken":"${token}"}`,
    exitCode: 9,
    says: /\[hidden\]/,
    calls: 1,
  },
]);

/** A report with something beside its rows, which the check of `--strict` does not let pass. */
function beside(members: string): Answer {
  return `{"data":${rows},"summary":${summary},${members}}`;
}

/** A report with another summary. */
function summed(other: string): Answer {
  return `{"data":${rows},"summary":${other}}`;
}

/** A report whose headers say that something is wrong. */
function headed(name: string, value: string, says: RegExp): PathVariant {
  return { name, answer: { headers: { [name]: value }, body: report }, exitCode: 9, says };
}

/** Reports that are not what was asked for, or say so of themselves: `--strict` refuses each. */
const doubtfulVariants = variantsOf('doubtful', '/download-reporting', [
  { name: 'error', answer: beside('"error":"timeout"'), exitCode: 9, says: /timeout/, calls: 1 },
  {
    name: 'errors',
    answer: beside('"errors":[{"message":"shard 3"}]'),
    exitCode: 9,
    says: /shard 3/,
  },
  { name: 'partial', answer: beside('"partial":true'), exitCode: 9, says: /not whole/ },
  { name: 'truncated', answer: beside('"meta":{"truncated":1}'), exitCode: 9, says: /not whole/ },
  { name: 'next', answer: beside('"next":"/page/2"'), exitCode: 9, says: /goes on elsewhere/ },
  { name: 'hasMore', answer: beside('"paging":{"has_more":true}'), exitCode: 9, says: /goes on/ },
  { name: 'a status', answer: beside('"status":"partial"'), exitCode: 9, says: /not ready/ },
  {
    name: 'another report',
    answer: beside('"report_id":"r2"'),
    exitCode: 9,
    says: /another report/,
  },
  { name: 'a count', answer: beside('"count":2'), exitCode: 9, says: /another number of rows/ },
  {
    name: 'a total',
    answer: beside('"totals":{"displays":8}'),
    exitCode: 9,
    says: /8 instead of 7/,
  },
  { name: 'a warning', answer: beside('"warnings":["late data"]'), exitCode: 9, says: /late data/ },
  ...[
    ['"meta":{"rows_omitted":12}', /not whole/],
    ['"limitReached":true', /not whole/],
    ['"sampled":true', /not whole/],
    ['"timed_out":true', /not whole/],
    ['"finished":false', /not whole/],
    ['"limit":1', /as many rows as its limit/],
    ['"cursor":"abc"', /goes on elsewhere/],
    ['"paging":{"page":1,"totalPages":3}', /goes on elsewhere/],
    ['"errorCount":2', /names an error/],
    ['"failedShards":2', /names an error/],
    ['"code":500', /names an error/],
    ['"notice":"shard 3 timed out"', /brings a warning/],
    ['"message":"Only the first 1,000 rows are here"', /brings a warning/],
    ['"meta":{"totals":{"displays":8}}', /8 instead of 7/],
  ].map(([members, says]) => ({
    name: String(members),
    answer: beside(String(members)),
    exitCode: 9,
    says: says as RegExp,
  })),
  headed('x-total-count', '9', /another number of rows than came: 9 instead of 1/),
  headed('content-range', 'rows 0-0/9', /another number of rows than came: 9 instead of 1/),
  headed('warning', '199 - "stale data"', /brought a warning: warning: 199/),
  headed('x-report-truncated', 'true', /brought a warning: x-report-truncated/),
  {
    name: 'other breakdowns',
    answer: summed(summary.replace('"DAILY"', '"OS"')),
    exitCode: 9,
    says: /broken down by OS, and not by DAILY/,
  },
  { name: '206', answer: { status: 206, body: report }, exitCode: 9, says: /206/ },
  {
    name: 'Link',
    answer: { headers: { link: '</page/2>; rel="next"' }, body: report },
    exitCode: 9,
    says: /rel=next/,
  },
  {
    name: 'a clock that is a day behind',
    answer: { headers: { date: 'Thu, 19 Nov 2026 12:00:00 GMT' }, body: report },
    exitCode: 9,
    says: /clock is 24 h ahead/,
  },
  ...['null', '""', '"-"', '"N/A"', '"NaN"', 'true', '[7]', '"7 101"', '"7,101"', '7.5'].map(
    (value) => ({
      name: `displays is ${value}`,
      answer: `{"data":[{"date":"2026-11-19","displays":${value}}],"summary":${summary}}`,
      exitCode: 9,
      says: /displays is no whole number in row 1/,
    }),
  ),
  ...['1.000', '"1.000"', '"12,000"'].map((value) => ({
    name: `displays is ${value}, with a mark for thousands`,
    answer: `{"data":[{"date":"2026-11-19","displays":${value}}],"summary":${summary}}`,
    exitCode: 9,
    says: /displays is no whole number in row 1/,
  })),
  {
    name: 'a mark for thousands in CSV',
    answer: typed('text/csv', 'date,displays\n2026-11-19,1.000\n'),
    exitCode: 9,
    says: /displays is no whole number in row 1: it has 1\.000/,
  },
  {
    name: 'a second header in CSV',
    answer: typed('text/csv', 'date,displays\n2026-11-19,7\ndate,displays\n'),
    exitCode: 9,
    says: /Row 2 of the report is its header again/,
  },
  {
    name: 'units in CSV',
    answer: typed('text/csv', 'date,displays\nday,count\n2026-11-19,7\n'),
    exitCode: 9,
    says: /displays is no whole number in row 1/,
  },
  ...['Total:', 'Totals (2)', 'Gesamt', 'Totaux', 'All', '—'].map((word) => ({
    name: `a row of ${word}`,
    answer: typed('text/csv; charset=utf-8', `date,displays\n2026-11-19,7\n${word},7\n`),
    exitCode: 9,
    says: /looks like a total/,
  })),
]);

/** What services write otherwise and mean alike. */
const alikeVariants = variantsOf('alike', '/download-reporting', [
  { name: 'no summary', answer: `{"data":${rows}}`, exitCode: 0 },
  { name: 'an empty summary', answer: summed('{}'), exitCode: 0 },
  { name: 'no timezone', answer: summed(summary.replace(/,"timezone".*"/, '')), exitCode: 0 },
  {
    name: 'breakdowns as an object',
    answer: summed(summary.replace('["DAILY"]', '{"0":"DAILY"}')),
    exitCode: 0,
  },
  {
    name: 'an end that is excluded',
    answer: summed(summary.replace('2026-11-19T23:59:59', '2026-11-20T00:00:00')),
    exitCode: 0,
  },
  { name: 'milliseconds', answer: summed(summary.replace('59+', '59.999+')), exitCode: 0 },
  { name: 'microseconds', answer: summed(summary.replace('59+', '59.999999+')), exitCode: 0 },
  { name: 'a blank for T', answer: summed(summary.replaceAll('T0', ' 0')), exitCode: 0 },
  {
    name: 'nothing wrong beside the rows',
    answer: beside(
      '"error":null,"errors":[],"next":"","status":"OK","count":1,"report_id":"r1","code":200,"message":"Report ready","limit":100,"pages":1,"sampled":false,"failed":0,"final":true',
    ),
    exitCode: 0,
  },
  {
    name: 'header cells with blanks',
    answer: typed('text/csv', ' date, displays\n2026-11-19,7\n'),
    exitCode: 0,
  },
  {
    name: 'header cells in capitals',
    answer: typed('text/csv', 'DATE,DISPLAYS\n2026-11-19,7\n'),
    exitCode: 0,
  },
  {
    name: 'keys in capitals',
    answer: `{"data":[{"DATE":"2026-11-19","Displays":7}],"summary":${summary}}`,
    exitCode: 0,
  },
  {
    name: 'keys with blanks',
    answer: `{"data":[{" date":"2026-11-19","displays ":7}],"summary":${summary}}`,
    exitCode: 0,
  },
  { name: 'sep=;', answer: typed('text/csv', 'sep=;\ndate;displays\n2026-11-19;7\n'), exitCode: 0 },
  { name: 'CSV labelled JSON', answer: typed('application/json', expectedFile), exitCode: 0 },
  {
    name: 'UTF-16 by its mark alone',
    answer: typed('text/csv', Buffer.from(`\ufeff${expectedFile}`, 'utf16le')),
    exitCode: 0,
  },
]);

/** Words and places of other services that mean the same. */
const stepVariants = [
  ...variantsOf('status', '/status-reporting', [
    { name: 'READY_FOR_DOWNLOAD', answer: '{"status":"READY_FOR_DOWNLOAD"}', exitCode: 0 },
    { name: 'available', answer: '{"status":"available"}', exitCode: 0 },
    {
      name: 'an envelope that is OK',
      answers: [
        '{"status":"OK","report_status":"progress"}',
        '{"status":"OK","report_status":"ready"}',
      ],
      exitCode: 0,
      calls: 2,
    },
    {
      name: 'a warning',
      answer: '{"status":"ready","warnings":["2 shards late"]}',
      exitCode: 9,
      says: /2 shards late/,
    },
    {
      name: 'a message that something is missing',
      answer: '{"status":"done","message":"truncated to 1,000 rows"}',
      exitCode: 9,
      says: /truncated to 1,000 rows/,
    },
    {
      name: 'a part',
      answer: '{"response":{"status":"ready","partial":true}}',
      exitCode: 9,
      says: /partial: true/,
    },
    {
      name: 'another report',
      answer: '{"response":{"status":"ready","report_id":"r9"}}',
      exitCode: 9,
      says: /status of another report: r9/,
    },
  ]),
  ...variantsOf('create', '/buyer-reporting', [
    { name: 'an id in text/html', answer: typed('text/html', 'r1-77\n'), exitCode: 0 },
    {
      name: 'a warning',
      answer: '{"report_id":"r1","warning":"window was cut"}',
      exitCode: 9,
      says: /window was cut/,
    },
    {
      name: '400 that misses a parameter',
      answer: withStatus(400, '{"error":"since is missing"}'),
      exitCode: 4,
      says: /--encoding form/,
    },
  ]),
];

const downloadVariants = variantsOf('download', '/download-reporting', [
  {
    name: 'CSV',
    answer: typed('text/csv; charset=utf-8; header=present', expectedFile),
    exitCode: 0,
  },
  {
    name: 'CSV under the name of plain text',
    answer: typed('text/plain', expectedFile),
    exitCode: 0,
  },
  {
    name: 'CSV with a byte order mark and line feeds',
    answer: typed('text/csv', `\ufeff${expectedFile.replaceAll('\r\n', '\n')}`),
    exitCode: 0,
  },
  { name: 'summary before data', answer: `{"summary":${summary},"data":${rows}}`, exitCode: 0 },
  { name: 'pretty-printed', answer: JSON.stringify(JSON.parse(report), null, '\t'), exitCode: 0 },
  { name: 'a byte order mark', answer: `\ufeff${report}`, exitCode: 0 },
  {
    name: 'members that hold data',
    answer: `{"meta":{"data":[{"x":1}]},"data":${rows},"summary":${summary},"page":null}`,
    exitCode: 0,
  },
  { name: 'in response', answer: `{"response":${report}}`, exitCode: 0 },
  { name: 'rows alone', answer: rows, exitCode: 0 },
  { name: 'JSON as text/html', answer: typed('text/html', report), exitCode: 0 },
  { name: 'gzip', answer: packed('gzip', gzipSync(report)), exitCode: 0 },
  { name: 'brotli', answer: packed('BR', brotliCompressSync(report)), exitCode: 0 },
  { name: 'gzip in gzip', answer: packed('gzip, gzip', gzipSync(gzipSync(report))), exitCode: 0 },
  {
    name: 'the record of a failed report',
    answer: '{"response":{"status":"failed","message":"no memory"}}',
    exitCode: 6,
    says: /no memory/,
    calls: 1,
  },
  {
    name: '409 REPORT_FAILED',
    answer: withStatus(409, '{"response":{"error_id":"REPORT_FAILED","error":"no memory"}}'),
    exitCode: 6,
    says: /no memory/,
    calls: 1,
  },
  {
    name: '409 and the record of a failed report',
    answer: withStatus(409, '{"response":{"status":"failed"}}'),
    exitCode: 6,
    calls: 1,
  },
  {
    name: '409 REPORT_NOT_READY',
    answers: [
      withStatus(409, '{"response":{"error_id":"REPORT_NOT_READY","error":"wait"}}'),
      report,
    ],
    exitCode: 0,
    says: /is ready, and its download says that it is not/,
    calls: 2,
  },
  {
    name: 'the record of a report in progress',
    answers: ['{"response":{"status":"progress","message":"progress"}}', report],
    exitCode: 0,
    calls: 2,
  },
  { name: '202, then the report', answers: [withStatus(202, '{}'), report], exitCode: 0, calls: 2 },
  { name: '425, then the report', answers: [withStatus(425), report], exitCode: 0, calls: 2 },
  {
    name: '409 in any words',
    answers: [withStatus(409, 'Hold on.'), report],
    exitCode: 0,
    calls: 2,
  },
  {
    name: '400 that says that it is not ready',
    answers: [withStatus(400, '{"message":"Report is not ready yet"}'), report],
    exitCode: 0,
    calls: 2,
  },
  { name: '404 directly after ready', answers: [withStatus(404), report], exitCode: 0, calls: 2 },
  {
    name: 'a status of an unknown word',
    answers: ['{"status":"brewing"}', report],
    exitCode: 0,
    calls: 2,
  },
  { name: '202 for ever', answer: withStatus(202), exitCode: 7, says: /not ready/ },
  {
    name: 'a body that is no report is not asked for again',
    answer: '{"data":[{"date":}]}',
    exitCode: 9,
    calls: 1,
  },
  {
    name: 'an error with 200',
    answer: '{"error_id":"GONE","error":"Deleted."}',
    exitCode: 4,
    says: /Deleted/,
    calls: 1,
  },
  {
    name: 'a redirect to plain http',
    answer: redirect('http://example.com/x'),
    exitCode: 4,
    says: /not https/,
    calls: 1,
  },
  {
    name: 'a redirect within the service',
    answer: redirect('/x'),
    exitCode: 4,
    says: /redirects to/,
    calls: 1,
  },
  {
    name: 'an error of 70 KB in the place of the rows',
    answer: `{"data":[{"error":"Out of ink. ${'x'.repeat(70_000)}"}]}`,
    exitCode: 9,
    says: /none of the columns.*Out of ink/,
    calls: 1,
  },
  {
    name: 'an error of 70 KB as CSV',
    answer: typed('text/csv', `Out of ink. ${'x'.repeat(70_000)}\r\n`),
    exitCode: 9,
    says: /names no field of a report.*Out of ink/,
    calls: 1,
  },
  { name: 'a page', answer: html, exitCode: 9, says: /web page/ },
  {
    name: 'another window',
    answer: `{"data":${rows},"summary":${summary.replace('11-19T00', '11-18T00')}}`,
    exitCode: 9,
    says: /window/,
  },
  {
    name: 'without what was asked for',
    answer: '{"data":[{"date":"2026-11-19","clicks":7}],"summary":{}}',
    exitCode: 9,
    says: /displays/,
  },
  {
    name: 'a row of another day',
    answer: withRow('{"date":"2026-11-12","displays":7}'),
    exitCode: 9,
  },
  { name: 'a row twice', answer: withRow('{"date":"2026-11-19","displays":7}'), exitCode: 9 },
  { name: 'a total beside the rows', answer: withRow('{"date":null,"displays":7}'), exitCode: 9 },
  { name: 'no rows', answer: `{"data":[],"summary":${summary}}`, exitCode: 9 },
  { name: 'CSV without a header', answer: typed('text/csv', '2026-11-19,7\r\n'), exitCode: 9 },
  { name: 'an error text as CSV', answer: typed('text/csv', 'report expired\r\n'), exitCode: 9 },
  { name: 'nothing', answer: '', exitCode: 9 },
  {
    name: 'an unknown charset',
    answer: typed('application/json; charset=x-own', report),
    exitCode: 9,
    says: /x-own/,
    calls: 1,
  },
  {
    name: 'UTF-16',
    answer: typed('application/json; charset=utf-16le', Buffer.from(report, 'utf16le')),
    exitCode: 0,
  },
]);

/** Run with a token. */
export const runVariants: readonly Variant[] = [
  ...createVariants,
  ...statusVariants,
  ...downloadVariants,
  ...doubtfulVariants,
  ...alikeVariants,
  ...stepVariants,
];

const authVariants = variantsOf('sign-in', '/auth-reporting', [
  { name: 'token', answer: `{"token":"${token}"}`, exitCode: 0 },
  { name: 'access_token', answer: `{"access_token":"${token}","token_type":"x"}`, exitCode: 0 },
  { name: 'data.token', answer: `{"data":{"token":"${token}"}}`, exitCode: 0 },
  {
    name: 'response.access_token',
    answer: `{"response":{"access_token":"${token}"}}`,
    exitCode: 0,
  },
  { name: 'the bare token as JSON', answer: `"${token}"`, exitCode: 0 },
  { name: 'the bare token', answer: typed('text/plain', `${token}\n`), exitCode: 0 },
  {
    name: 'status KO',
    answer: '{"response":{"status":"KO","message":"Wrong password"}}',
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: 'status error',
    answer: '{"status":"error","error":"Wrong password"}',
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: 'another status',
    answer: '{"response":{"status":"locked"}}',
    exitCode: 3,
    says: /locked/,
    calls: 1,
  },
  {
    name: '401',
    answer: withStatus(401, '{"errors":["Wrong password"]}'),
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: '400 to JSON',
    answer: withStatus(400, '{"response":{"error":"Username or password not set in request"}}'),
    exitCode: 3,
    says: /--encoding form/,
    calls: 1,
  },
  { name: '415', answer: withStatus(415), exitCode: 3, says: /--encoding form/, calls: 1 },
  {
    name: '429, then a token',
    answers: [withStatus(429), `{"token":"${token}"}`],
    exitCode: 0,
    says: /Trying again/,
    calls: 2,
  },
  {
    name: '500, then a token',
    answers: [withStatus(500), `{"token":"${token}"}`],
    exitCode: 0,
    says: /Trying again/,
    calls: 2,
  },
  {
    name: 'a token in an unknown place',
    answer: `{"result":{"accessKey":"${token}"}}`,
    exitCode: 9,
    says: /without a token.*\[hidden\]/,
    calls: 1,
  },
  {
    name: 'a token in an error',
    answer: withStatus(403, `{"message":"Session ${token} is locked"}`),
    exitCode: 3,
    says: /Session \[hidden\] is locked/,
    calls: 1,
  },
  { name: 'no token', answer: '{"response":{}}', exitCode: 9, says: /without a token/, calls: 1 },
  {
    name: 'a token with a line break',
    answer: '{"token":"abc\\r\\nX-Other: 1"}',
    exitCode: 9,
    says: /no header can hold/,
    calls: 1,
  },
  {
    name: 'a token of 5,000 characters',
    answer: `{"token":"${'x'.repeat(5_000)}"}`,
    exitCode: 9,
    says: /no header can hold/,
    calls: 1,
  },
  { name: 'a page', answer: html, exitCode: 9, says: /a web page/, calls: 1 },
  {
    name: 'words',
    answer: typed('text/plain', `your key is ${token}`),
    exitCode: 9,
    says: /“your key is \[hidden\]” instead/,
    calls: 1,
  },
]);

/** Run with e-mail and password. */
export const signInVariants: readonly Variant[] = [
  ...authVariants,
  {
    name: 'a token that is refused with 403 is renewed once',
    answers: { '/buyer-reporting': [withStatus(403), '{"id":"r1"}'] },
    exitCode: 0,
    calls: { '/auth-reporting': 2, '/buyer-reporting': 2 },
  },
  {
    name: '403 ADMIN_ONLY renews nothing',
    answers: {
      '/buyer-reporting': [
        withStatus(403, '{"response":{"error_id":"ADMIN_ONLY","error":"Admins only."}}'),
      ],
    },
    exitCode: 4,
    says: /Admins only/,
    calls: { '/auth-reporting': 1 },
  },
];

/** The members of a campaign but its id, as they stand in a body. */
const members =
  '"campaignName":"A","advertiserId":"5","adunits":[{"adunitId":"3","adunitName":"u"}]';
const campaign = `{"campaignId":"12",${members}}`;

/** `campaigns --ad-units`: each line is expected as `12,A,3,u`. */
export const campaignVariants: readonly Variant[] = variantsOf('campaigns', '/campaigns', [
  { name: 'a list', answer: `[${campaign}]`, exitCode: 0 },
  {
    name: 'campaigns',
    answer: `{"campaigns":[{"campaignId":12,${members}}]}`,
    exitCode: 0,
  },
  { name: 'data', answer: `{"data":[${campaign}]}`, exitCode: 0 },
  {
    name: 'response',
    answer: `{"response":[${campaign}]}`,
    exitCode: 0,
  },
  { name: 'keyed by id', answer: `{"12":{${members}}}`, exitCode: 0 },
  {
    name: 'keyed by id in an envelope',
    answer: `{"data":{"12":{${members}}}}`,
    exitCode: 0,
  },
  {
    name: 'ad units keyed by id',
    answer: `[${campaign.replace('[{"adunitId":"3","adunitName":"u"}]', '{"3":{"adunitName":"u"}}')}]`,
    exitCode: 0,
  },
  {
    name: 'adUnits',
    answer: `[${campaign.replace('adunits', 'adUnits')}]`,
    exitCode: 0,
  },
  {
    name: 'a further page in the body',
    answer: `{"data":[${campaign}],"next":"/campaigns?page=2"}`,
    exitCode: 0,
    says: /further page/,
  },
  {
    name: 'a further page in Link',
    answer: {
      headers: { link: '</campaigns?page=2>; rel="next"' },
      body: `[${campaign}]`,
    },
    exitCode: 0,
    says: /further page/,
  },
  {
    name: 'Latin-1, declared',
    answer: typed(
      'application/json; charset=iso-8859-1',
      Buffer.from(`[{"campaignId":"12",${members},"advertiserName":"Café"}]`, 'latin1'),
    ),
    exitCode: 0,
  },
  {
    name: 'Latin-1, undeclared',
    answer: { body: Buffer.from(`[{"campaignId":"12","campaignName":"Café"}]`, 'latin1') },
    exitCode: 9,
    says: /no text in utf-8/,
    calls: 1,
  },
  {
    name: 'an error with 200',
    answer: '{"error":"Not for you."}',
    exitCode: 4,
    says: /Not for you/,
    calls: 1,
  },
  {
    name: 'another list',
    answer: '[{"displays":1}]',
    exitCode: 9,
    says: /no list of campaigns.*“\[\{"displays":1\}\]”/,
    calls: 1,
  },
  {
    name: 'brackets that are only opened',
    answer: '['.repeat(15_000_000),
    exitCode: 9,
    says: /“\[{150}…” instead of JSON/,
    calls: 1,
  },
  {
    name: 'brackets without end',
    answer: '['.repeat(17_000_000),
    exitCode: 9,
    says: /longer than 16 MB/,
    calls: 1,
  },
]);
