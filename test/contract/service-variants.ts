import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { StatementId } from '../../src/contract/statements.ts';

/**
 * Literal answers of services that differ from the one that the specification shows, one a row, and
 * in three columns what each must lead to: what `run` says and exits with, which statement of
 * `doctor --service` it breaks, and whether it is a finding.
 */

// Why no statement of `doctor --service` names what is different.
const sameJson = 'it is the same JSON, written or labelled otherwise';
const isPacked = 'HTTP may pack a body';
const busy = 'a service that is busy cannot be examined: what was found is printed, with exit 5';
const otherHeaders = 'no statement is about headers that few services send';

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

  /** What `run --strict` exits with: 9 for a finding. */
  readonly exitCode: number;

  /** What stderr holds, beside the findings. */
  readonly says?: RegExp;

  /** What a finding says: an error with `--strict`, and a warning without. */
  readonly finding?: RegExp;

  /** How often each path was asked, where that matters. */
  readonly calls?: Readonly<Record<string, number>>;

  /**
   * The statement of `doctor --service` that names what is different; where none does, why.
   */
  readonly doctor: StatementId | { readonly unseen: string };
}

/** A variant in which one path alone answers otherwise than usual. */
interface PathVariant {
  readonly name: string;

  /** What the path answers each time. */
  readonly answer?: Answer;

  /** In place of `answer`: one after the other, the last of them again and again. */
  readonly answers?: readonly Answer[];

  /** What `run --strict` exits with: 9 for a finding. */
  readonly exitCode?: number;

  /** What stderr holds, beside the findings. */
  readonly says?: RegExp;

  /** What a finding says: an error with `--strict`, and a warning without. */
  readonly finding?: RegExp;

  /** How often the path was asked, where that matters. */
  readonly calls?: number;

  /**
   * The statement of `doctor --service` that names what is different; where none does, why.
   */
  readonly doctor: StatementId | { readonly unseen: string };
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
    const { name, doctor, answer = '', answers = [answer], finding, says, calls } = variant;
    const { exitCode = finding ? 9 : 0 } = variant;

    return {
      name: `${step}: ${name}`,
      doctor,
      answers: { [path]: answers },
      exitCode,
      ...(says && { says }),
      ...(finding && { finding }),
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
  { name: 'response.id', doctor: 'S35', answer: '{"response":{"id":"r1"}}' },
  { name: 'a number as id', doctor: 'S35', answer: '{"response":{"report_id":1}}' },
  { name: 'report_id', doctor: 'S35', answer: '{"report_id":"r1"}' },
  { name: 'reportId', doctor: 'S35', answer: '{"reportId":"r1"}' },
  { name: 'response.reportId', doctor: 'S35', answer: '{"response":{"reportId":"r1"}}' },
  { name: 'id', doctor: 'S35', answer: '{"id":"r1"}' },
  { name: 'data.report_id', doctor: 'S35', answer: '{"data":{"report_id":"r1"}}' },
  {
    name: 'response.data.report_id',
    doctor: 'S35',
    answer: '{"response":{"data":{"report_id":"r1"}}}',
  },
  { name: 'a list of one record', doctor: 'S35', answer: '[{"report_id":"r1"}]' },
  { name: 'data is a list of one record', doctor: 'S35', answer: '{"data":[{"report_id":"r1"}]}' },
  { name: 'response is the id', doctor: 'S35', answer: '{"response":"r1"}' },
  { name: 'the bare id', doctor: 'S35', answer: '"r1"' },
  { name: 'a bare number', doctor: 'S35', answer: '17' },
  { name: '201', doctor: 'S35', answer: withStatus(201, '{"id":"r1"}') },
  { name: 'the data itself', doctor: 'S07', answer: report },
  { name: 'the data as CSV', doctor: 'S07', answer: typed('text/csv', expectedFile) },
  {
    name: 'an error with 200',
    doctor: 'S07',
    answer: '{"response":{"error_id":"LIMIT","error":"Too many reports."}}',
    exitCode: 4,
    says: /Too many reports/,
    calls: 1,
  },
  {
    name: 'an error beside an id',
    doctor: 'S07',
    answer: '{"report_id":"r1","error":"No such metric."}',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'a list of an error',
    doctor: 'S07',
    answer: '[{"error":"No such metric."}]',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'data is a list of an error',
    doctor: 'S07',
    answer: '{"data":[{"error":"No such metric."}]}',
    exitCode: 4,
    says: /No such metric/,
    calls: 1,
  },
  {
    name: 'success is false',
    doctor: 'S07',
    answer: '{"success":false,"message":"Locked."}',
    exitCode: 4,
    says: /Locked/,
    calls: 1,
  },
  {
    name: 'the status KO',
    doctor: 'S07',
    answer: '{"response":{"status":"KO","message":"Locked."}}',
    exitCode: 4,
    says: /Locked/,
    calls: 1,
  },
  {
    name: 'no id',
    doctor: 'S07',
    answer: '{"response":{"status":"progress"}}',
    exitCode: 9,
    says: /no report id.*“\{"response":\{"status":"progress"\}\}”/,
    calls: 1,
  },
  {
    name: 'nothing',
    doctor: 'S07',
    answer: '',
    exitCode: 9,
    says: /an empty body instead of JSON/,
    calls: 1,
  },
  { name: 'null', doctor: 'S07', answer: 'null', exitCode: 9, says: /no report id/, calls: 1 },
  {
    name: 'a page',
    doctor: 'S07',
    answer: html,
    exitCode: 9,
    says: /a web page instead of JSON/,
    calls: 1,
  },
  {
    name: 'words',
    doctor: 'S07',
    answer: typed('text/plain', 'Queue full'),
    exitCode: 9,
    says: /“Queue full” instead of JSON/,
    calls: 1,
  },
  {
    name: '429, then an id',
    doctor: 'S35',
    answers: [answerLater(429, '1'), '{"id":"r1"}'],
    says: /Trying again/,
    calls: 2,
  },
  {
    name: '503 and Retry-After, then an id',
    doctor: 'S35',
    answers: [answerLater(503, '1'), '{"id":"r1"}'],
    says: /Trying/,
    calls: 2,
  },
  {
    name: '503',
    doctor: { unseen: busy },
    answer: withStatus(503),
    exitCode: 5,
    says: /may have been created/,
    calls: 1,
  },
  {
    name: '500',
    doctor: { unseen: busy },
    answer: withStatus(500),
    exitCode: 5,
    says: /may have been created/,
    calls: 1,
  },
  {
    name: 'a redirect elsewhere',
    doctor: 'S07',
    answer: redirect('https://example.com/'),
    exitCode: 4,
    says: /redirects to/,
    calls: 1,
  },
  {
    name: '415',
    doctor: 'S07',
    answer: withStatus(415),
    exitCode: 4,
    says: /--encoding form/,
    calls: 1,
  },
  {
    name: 'a Retry-After of 400 digits',
    doctor: { unseen: busy },
    answer: answerLater(429, '9'.repeat(400)),
    exitCode: 5,
    says: /left alone for 8760 h/,
    calls: 1,
  },
]);

const statusVariants = variantsOf('status', '/status-reporting', [
  {
    name: 'response.data.status',
    doctor: 'S09',
    answer: '{"response":{"data":{"status":"ready"}}}',
  },
  {
    name: 'an envelope of its own',
    doctor: 'S09',
    answer: '{"status":"ok","data":{"status":"READY"}}',
  },
  { name: 'status', doctor: 'S09', answer: '{"status":"ready"}' },
  { name: 'a bare record in a list', doctor: 'S09', answer: '[{"status":"ready"}]' },
  { name: 'response is the word', doctor: 'S09', answer: '{"response":"ready"}' },
  { name: 'done', doctor: 'S10', answer: '{"status":"done"}' },
  { name: 'completed', doctor: 'S10', answer: '{"status":"Completed"}' },
  { name: 'finished', doctor: 'S10', answer: '{"status":"finished"}' },
  { name: 'success', doctor: 'S10', answer: '{"response":{"status":"success"}}' },
  {
    name: 'queued, then ready',
    doctor: 'S09',
    answers: ['{"status":"queued"}', '{"status":"ready"}'],
    calls: 2,
  },
  {
    name: 'an unknown word, twice, then ready',
    doctor: 'S10',
    answers: ['{"status":"brewing"}', '{"status":"brewing"}', '{"status":"ready"}'],
    says: /brewing.*adreport download/,
  },
  {
    name: '500, then ready',
    doctor: 'S09',
    answers: [withStatus(500), '{"status":"ready"}'],
    says: /Trying again/,
    calls: 2,
  },
  {
    name: 'failed',
    doctor: 'S10',
    answer: '{"response":{"status":"failed","message":"out of memory"}}',
    exitCode: 6,
    says: /out of memory/,
    calls: 1,
  },
  {
    name: 'error',
    doctor: 'S10',
    answer: '{"response":{"status":"error"}}',
    exitCode: 6,
    says: /error/,
    calls: 1,
  },
  {
    name: 'cancelled',
    doctor: 'S10',
    answer: '{"status":"cancelled"}',
    exitCode: 6,
    says: /cancelled/,
    calls: 1,
  },
  {
    name: 'canceled',
    doctor: 'S10',
    answer: '{"status":"canceled"}',
    exitCode: 6,
    says: /canceled/,
    calls: 1,
  },
  {
    name: 'failure',
    doctor: 'S10',
    answer: '{"status":"failure"}',
    exitCode: 6,
    says: /failure/,
    calls: 1,
  },
  {
    name: 'expired',
    doctor: 'S10',
    answer: '{"status":"expired"}',
    exitCode: 6,
    says: /expired/,
    calls: 1,
  },
  {
    name: '400 and response.message',
    doctor: 'S09',
    answer: withStatus(400, '{"response":{"message":"Out of ink"}}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and error.message',
    doctor: 'S09',
    answer: withStatus(400, '{"error":{"message":"Out of ink"}}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and error_description',
    doctor: 'S09',
    answer: withStatus(400, '{"error":"x","error_description":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and message',
    doctor: 'S09',
    answer: withStatus(400, '{"message":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and detail',
    doctor: 'S09',
    answer: withStatus(400, '{"detail":"Out of ink"}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and errors',
    doctor: 'S09',
    answer: withStatus(400, '{"errors":["Out of ink"]}'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  {
    name: '400 and the body’s first line',
    doctor: 'S09',
    answer: withStatus(400, 'Out of ink\nand paper'),
    exitCode: 4,
    says: /Out of ink/,
    calls: 1,
  },
  { name: '410', doctor: 'S09', answer: withStatus(410), exitCode: 6, says: /gone/, calls: 1 },
  {
    name: '404',
    doctor: 'S09',
    answer: withStatus(404, '{"detail":"Who?"}'),
    exitCode: 4,
    says: /Who\?/,
    calls: 1,
  },
  {
    name: 'an error with 200',
    doctor: 'S09',
    answer: '{"response":{"error":"Unknown report."}}',
    exitCode: 4,
    says: /Unknown report/,
    calls: 1,
  },
  {
    name: '400 to JSON',
    doctor: 'S09',
    answer: withStatus(400, '{"message":"id is missing"}'),
    exitCode: 4,
    says: /rejected the status call\. id is missing/,
    calls: 1,
  },
  {
    name: 'no status',
    doctor: 'S09',
    answer: '{"response":{}}',
    exitCode: 9,
    says: /without a status.*“\{"response":\{\}\}”/,
    calls: 1,
  },
  { name: 'a page', doctor: 'S09', answer: html, exitCode: 9, says: /a web page/, calls: 1 },
  {
    name: 'a token in an unknown place',
    doctor: 'S09',
    answer: `{"sessionToken":"${token}"}`,
    exitCode: 9,
    says: /\[hidden\]/,
    calls: 1,
  },
]);

/** A report with something beside its rows, which the check of `--strict` does not let pass. */
function beside(members: string): string {
  return `{"data":${rows},"summary":${summary},${members}}`;
}

/** A report with another summary. */
function summed(other: string): Answer {
  return `{"data":${rows},"summary":${other}}`;
}

/** Reports that are not what was asked for, or say so of themselves: `--strict` refuses each. */
const doubtfulVariants = variantsOf('doubtful', '/download-reporting', [
  {
    name: 'error',
    doctor: 'S36',
    answer: beside('"error":"timeout"'),
    finding: /timeout/,
    calls: 1,
  },
  {
    name: 'hasMore',
    doctor: 'S36',
    answer: beside('"paging":{"has_more":true}'),
    finding: /not whole/,
  },
  {
    name: 'a total',
    doctor: 'S36',
    answer: beside('"totals":{"displays":8}'),
    finding: /8 instead of 7/,
  },
  { name: '206', doctor: 'S36', answer: { status: 206, body: report }, finding: /206/ },
  {
    name: 'Link',
    doctor: 'S36',
    answer: { headers: { link: '</page/2>; rel="next"' }, body: report },
    finding: /rel=next/,
  },
  {
    name: 'Link with several words',
    doctor: 'S36',
    answer: { headers: { link: '</page/2>; rel="last next"' }, body: report },
    finding: /rel=next/,
  },
  {
    name: 'displays is [7]',
    doctor: 'S17',
    answer: `{"data":[{"date":"2026-11-19","displays":[7]}],"summary":${summary}}`,
    finding: /displays is no whole number in row 1/,
  },
  {
    name: 'a second header in CSV',
    doctor: 'S11',
    answer: typed('text/csv', 'date,displays\n2026-11-19,7\ndate,displays\n'),
    finding: /Row 2 of the report is its header again/,
  },
  {
    name: 'units in CSV',
    doctor: 'S11',
    answer: typed('text/csv', 'date,displays\nday,count\n2026-11-19,7\n'),
    finding: /displays is no whole number in row 1/,
  },
]);
/** What may be right, and is noted: `--strict` lets each pass. */
const notedVariants = variantsOf('noted', '/download-reporting', [
  {
    name: 'what nobody knows',
    doctor: 'S36',
    answer: beside('"sampled":true,"numFound":900,"meta":{"notice":"late data"}'),
    says: /Note: .*also says: sampled: true, numFound: 900, meta.notice: "late data"/,
  },
  {
    name: 'headers',
    doctor: { unseen: otherHeaders },
    answer: { headers: { 'x-total-count': '9', warning: '199 - "stale data"' }, body: report },
  },
  {
    name: 'a clock that is a day behind',
    doctor: { unseen: 'the clocks are compared by doctor without --service, and by run' },
    answer: { headers: { date: 'Thu, 19 Nov 2026 12:00:00 GMT' }, body: report },
    says: /Note: .*clock is 1 day ahead/,
  },
  {
    name: 'other breakdowns',
    doctor: 'S16',
    answer: summed(summary.replace('"DAILY"', '"OS"')),
  },
]);

/** What services write otherwise and mean alike. */
const alikeVariants = variantsOf('alike', '/download-reporting', [
  { name: 'no summary', doctor: 'S11', answer: `{"data":${rows}}` },
  { name: 'an empty summary', doctor: 'S16', answer: summed('{}') },
  { name: 'no timezone', doctor: 'S14', answer: summed(summary.replace(/,"timezone".*"/, '')) },
  {
    name: 'breakdowns as an object',
    doctor: 'S16',
    answer: summed(summary.replace('["DAILY"]', '{"0":"DAILY"}')),
  },
  {
    name: 'an end that is excluded',
    doctor: 'S33',
    answer: summed(summary.replace('2026-11-19T23:59:59', '2026-11-20T00:00:00')),
  },
  { name: 'milliseconds', doctor: 'S13', answer: summed(summary.replace('59+', '59.999+')) },
  { name: 'microseconds', doctor: 'S13', answer: summed(summary.replace('59+', '59.999999+')) },
  { name: 'a blank for T', doctor: 'S13', answer: summed(summary.replaceAll('T0', ' 0')) },
  {
    name: 'nothing wrong beside the rows',
    doctor: 'S36',
    answer: {
      headers: { link: '</older>; rel="next-archive", </me>; rel=self' },
      body: beside(
        '"error":{"code":0,"message":"Success."},"errors":[],"next":"","status":"OK","count":1,"report_id":"r1","code":200,"message":"Report ready","limit":100,"pages":1,"sampled":false,"failed":0,"final":true',
      ),
    },
  },
  {
    name: 'header cells with blanks',
    doctor: 'S11',
    answer: typed('text/csv', ' date, displays\n2026-11-19,7\n'),
  },
  {
    name: 'header cells in capitals',
    doctor: 'S11',
    answer: typed('text/csv', 'DATE,DISPLAYS\n2026-11-19,7\n'),
  },
  {
    name: 'keys in capitals',
    doctor: 'S17',
    answer: `{"data":[{"DATE":"2026-11-19","Displays":7}],"summary":${summary}}`,
  },
  {
    name: 'keys with blanks',
    doctor: 'S17',
    answer: `{"data":[{" date":"2026-11-19","displays ":7}],"summary":${summary}}`,
  },
  {
    name: 'sep=;',
    doctor: 'S11',
    answer: typed('text/csv', 'sep=;\ndate;displays\n2026-11-19;7\n'),
  },
  { name: 'CSV labelled JSON', doctor: 'S11', answer: typed('application/json', expectedFile) },
  {
    name: 'UTF-16 by its mark alone',
    doctor: 'S11',
    answer: typed('text/csv', Buffer.from(`\ufeff${expectedFile}`, 'utf16le')),
  },
]);

/** Words and places of other services that mean the same. */
const stepVariants = [
  ...variantsOf('status', '/status-reporting', [
    { name: 'READY_FOR_DOWNLOAD', doctor: 'S10', answer: '{"status":"READY_FOR_DOWNLOAD"}' },
    { name: 'available', doctor: 'S10', answer: '{"status":"available"}' },
    {
      name: 'an envelope that is OK',
      doctor: 'S09',
      answers: [
        '{"status":"OK","report_status":"progress"}',
        '{"status":"OK","report_status":"ready"}',
      ],
      calls: 2,
    },
    {
      name: 'a warning',
      doctor: 'S09',
      answer: '{"status":"ready","warnings":["2 shards late"],"partial":true}',
      says: /Note: .*also says: warnings: \["2 shards late"\], partial: true/,
    },
  ]),
  ...variantsOf('create', '/buyer-reporting', [
    { name: 'an id in text/html', doctor: 'S07', answer: typed('text/html', 'r1-77\n') },
    {
      name: 'a warning',
      doctor: 'S35',
      answer: '{"report_id":"r1","warning":"window was cut"}',
      says: /Note: .*window was cut/,
    },
    {
      name: '400 that misses a parameter',
      doctor: 'S07',
      answer: withStatus(400, '{"error":"since is missing"}'),
      exitCode: 4,
      says: /--encoding form/,
    },
  ]),
];

const downloadVariants = variantsOf('download', '/download-reporting', [
  {
    name: 'CSV',
    doctor: 'S11',
    answer: typed('text/csv; charset=utf-8; header=present', expectedFile),
  },
  {
    name: 'CSV under the name of plain text',
    doctor: 'S11',
    answer: typed('text/plain', expectedFile),
  },
  {
    name: 'CSV with a byte order mark and line feeds',
    doctor: 'S11',
    answer: typed('text/csv', `\ufeff${expectedFile.replaceAll('\r\n', '\n')}`),
  },
  {
    name: 'summary before data',
    doctor: { unseen: sameJson },
    answer: `{"summary":${summary},"data":${rows}}`,
  },
  {
    name: 'pretty-printed',
    doctor: { unseen: sameJson },
    answer: JSON.stringify(JSON.parse(report), null, '\t'),
  },
  { name: 'a byte order mark', doctor: { unseen: sameJson }, answer: `\ufeff${report}` },
  {
    name: 'members that hold data',
    doctor: 'S36',
    answer: `{"meta":{"data":[{"x":1}]},"data":${rows},"summary":${summary},"page":null}`,
  },
  { name: 'in response', doctor: 'S11', answer: `{"response":${report}}` },
  { name: 'rows alone', doctor: 'S11', answer: rows },
  { name: 'JSON as text/html', doctor: { unseen: sameJson }, answer: typed('text/html', report) },
  { name: 'gzip', doctor: { unseen: isPacked }, answer: packed('gzip', gzipSync(report)) },
  {
    name: 'brotli',
    doctor: { unseen: isPacked },
    answer: packed('BR', brotliCompressSync(report)),
  },
  {
    name: 'gzip in gzip',
    doctor: { unseen: isPacked },
    answer: packed('gzip, gzip', gzipSync(gzipSync(report))),
  },
  {
    name: 'the record of a failed report',
    doctor: 'S11',
    answer: '{"response":{"status":"failed","message":"no memory"}}',
    exitCode: 6,
    says: /no memory/,
    calls: 1,
  },
  {
    name: '409 REPORT_FAILED',
    doctor: 'S11',
    answer: withStatus(409, '{"response":{"error_id":"REPORT_FAILED","error":"no memory"}}'),
    exitCode: 6,
    says: /no memory/,
    calls: 1,
  },
  {
    name: '409 and the record of a failed report',
    doctor: 'S11',
    answer: withStatus(409, '{"response":{"status":"failed"}}'),
    exitCode: 6,
    calls: 1,
  },
  {
    name: '409 REPORT_NOT_READY',
    doctor: 'S10',
    answers: [
      withStatus(409, '{"response":{"error_id":"REPORT_NOT_READY","error":"wait"}}'),
      report,
    ],
    says: /is ready, and its download says that it is not/,
    calls: 2,
  },
  {
    name: 'the record of a report in progress',
    doctor: 'S10',
    answers: ['{"response":{"status":"progress","message":"progress"}}', report],
    calls: 2,
  },
  {
    name: '202, then the report',
    doctor: 'S10',
    answers: [withStatus(202, '{}'), report],
    calls: 2,
  },
  { name: '425, then the report', doctor: 'S10', answers: [withStatus(425), report], calls: 2 },
  {
    name: '409 in any words',
    doctor: 'S10',
    answers: [withStatus(409, 'Hold on.'), report],
    calls: 2,
  },
  {
    name: '400 that says that it is not ready',
    doctor: 'S10',
    answers: [withStatus(400, '{"message":"Report is not ready yet"}'), report],
    calls: 2,
  },
  {
    name: '200 with a sentence in place of the report',
    doctor: 'S11',
    answers: [typed('text/plain', 'Report not ready yet'), report],
    calls: 2,
  },
  {
    name: '200 with “not ready” as text/plain',
    doctor: 'S11',
    answers: [typed('text/plain', 'not ready'), report],
    calls: 2,
  },
  {
    name: '200 with “Not yet.” as text/plain',
    doctor: 'S11',
    answers: [typed('text/plain', 'Not yet.'), report],
    calls: 2,
  },
  {
    name: '200 with “Report not yet available” as text/html',
    doctor: 'S11',
    answers: [typed('text/html', 'Report not yet available'), report],
    calls: 2,
  },
  {
    name: '200 with “not ready” as text/csv',
    doctor: 'S11',
    answers: [typed('text/csv', 'not ready'), report],
    calls: 2,
  },
  {
    name: '200 with “not ready” as application/json',
    doctor: 'S10',
    answers: [typed('application/json', '"not ready"'), report],
    calls: 2,
  },
  {
    name: '200 with a message in place of the report',
    doctor: 'S10',
    answers: ['{"message":"Report is not ready"}', report],
    calls: 2,
  },
  { name: '404 directly after ready', doctor: 'S10', answers: [withStatus(404), report], calls: 2 },
  {
    name: 'a status of an unknown word',
    doctor: 'S11',
    answers: ['{"status":"brewing"}', report],
    calls: 2,
  },
  { name: '202 for ever', doctor: 'S11', answer: withStatus(202), exitCode: 7, says: /not ready/ },
  {
    name: 'a body that is no report is not asked for again',
    doctor: 'S11',
    answer: '{"data":[{"date":}]}',
    exitCode: 9,
    calls: 1,
  },
  {
    name: 'an error with 200',
    doctor: 'S11',
    answer: '{"error_id":"GONE","error":"Deleted."}',
    exitCode: 4,
    says: /Deleted/,
    calls: 1,
  },
  {
    name: 'a redirect to plain http',
    doctor: 'S11',
    answer: redirect('http://example.com/x'),
    exitCode: 4,
    says: /not https/,
    calls: 1,
  },
  {
    name: 'a redirect within the service',
    doctor: 'S11',
    answer: redirect('/x'),
    exitCode: 4,
    says: /redirects to/,
    calls: 1,
  },
  {
    name: 'an error of 70 KB in the place of the rows',
    doctor: 'S11',
    answer: `{"data":[{"error":"Out of ink. ${'x'.repeat(70_000)}"}]}`,
    exitCode: 9,
    says: /This is no report.*Out of ink/,
    calls: 1,
  },
  {
    name: 'an error of 70 KB as CSV',
    doctor: 'S11',
    answer: typed('text/csv', `Out of ink. ${'x'.repeat(70_000)}\r\n`),
    exitCode: 9,
    says: /names no field of a report.*Out of ink/,
    calls: 1,
  },
  { name: 'a page', doctor: 'S11', answer: html, exitCode: 9, says: /web page/ },
  {
    name: 'another window',
    doctor: 'S33',
    answer: `{"data":${rows},"summary":${summary.replace('11-19T00', '11-18T00')}}`,
    finding: /window/,
  },
  {
    name: 'without what was asked for',
    doctor: 'S16',
    answer: '[{"campaignId":"12","campaignName":"A","adunits":[]}]',
    exitCode: 9,
    says: /This is no report/,
    calls: 1,
  },
  {
    name: 'a row of another day',
    doctor: 'S21',
    answer: withRow('{"date":"2026-11-12","displays":7}'),
    finding: /outside its window: 2026-11-12/,
  },
  {
    name: 'a row twice',
    doctor: 'S21',
    answer: withRow('{"date":"2026-11-19","displays":7}'),
    finding: /repeats the breakdown values/,
  },
  {
    name: 'CSV without a header',
    doctor: 'S11',
    answer: typed('text/csv', '2026-11-19,7\r\n'),
    exitCode: 9,
  },
  {
    name: 'an error text as CSV',
    doctor: 'S11',
    answer: typed('text/csv', 'report expired\r\n'),
    exitCode: 9,
  },
  { name: 'nothing', doctor: 'S11', answer: '', exitCode: 9 },
  {
    name: 'an unknown charset',
    doctor: 'S11',
    answer: typed('application/json; charset=x-own', report),
    exitCode: 9,
    says: /x-own/,
    calls: 1,
  },
  {
    name: 'UTF-16',
    doctor: { unseen: sameJson },
    answer: typed('application/json; charset=utf-16le', Buffer.from(report, 'utf16le')),
  },
]);

/** Run with a token. */
export const runVariants: readonly Variant[] = [
  ...createVariants,
  ...statusVariants,
  ...downloadVariants,
  ...doubtfulVariants,
  ...notedVariants,
  ...alikeVariants,
  ...stepVariants,
];

const authVariants = variantsOf('sign-in', '/auth-reporting', [
  { name: 'token', doctor: 'S01', answer: `{"token":"${token}"}` },
  { name: 'access_token', doctor: 'S01', answer: `{"access_token":"${token}","token_type":"x"}` },
  { name: 'data.token', doctor: 'S01', answer: `{"data":{"token":"${token}"}}` },
  {
    name: 'response.access_token',
    doctor: 'S01',
    answer: `{"response":{"access_token":"${token}"}}`,
  },
  { name: 'the bare token as JSON', doctor: 'S01', answer: `"${token}"` },
  { name: 'the bare token', doctor: 'S01', answer: typed('text/plain', `${token}\n`) },
  {
    name: 'status KO',
    doctor: 'S01',
    answer: '{"response":{"status":"KO","message":"Wrong password"}}',
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: 'status error',
    doctor: 'S01',
    answer: '{"status":"error","error":"Wrong password"}',
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: 'another status',
    doctor: 'S01',
    answer: '{"response":{"status":"locked"}}',
    exitCode: 3,
    says: /locked/,
    calls: 1,
  },
  {
    name: '401',
    doctor: 'S01',
    answer: withStatus(401, '{"errors":["Wrong password"]}'),
    exitCode: 3,
    says: /Wrong password/,
    calls: 1,
  },
  {
    name: '400 to JSON',
    doctor: 'S01',
    answer: withStatus(400, '{"response":{"error":"Username or password not set in request"}}'),
    exitCode: 3,
    says: /--encoding form/,
    calls: 1,
  },
  {
    name: '415',
    doctor: 'S01',
    answer: withStatus(415),
    exitCode: 3,
    says: /--encoding form/,
    calls: 1,
  },
  {
    name: '429, then a token',
    doctor: 'S01',
    answers: [withStatus(429), `{"token":"${token}"}`],
    says: /Trying again/,
    calls: 2,
  },
  {
    name: '500, then a token',
    doctor: 'S01',
    answers: [withStatus(500), `{"token":"${token}"}`],
    says: /Trying again/,
    calls: 2,
  },
  {
    name: 'a token in an unknown place',
    doctor: 'S01',
    answer: `{"result":{"accessKey":"${token}"}}`,
    exitCode: 9,
    says: /without a token.*\[hidden\]/,
    calls: 1,
  },
  {
    name: 'a token in an error',
    doctor: 'S01',
    answer: withStatus(403, `{"message":"Session ${token} is locked"}`),
    exitCode: 3,
    says: /Session \[hidden\] is locked/,
    calls: 1,
  },
  {
    name: 'no token',
    doctor: 'S01',
    answer: '{"response":{}}',
    exitCode: 9,
    says: /without a token/,
    calls: 1,
  },
  {
    name: 'a token with a line break',
    doctor: 'S01',
    answer: '{"token":"abc\\r\\nX-Other: 1"}',
    exitCode: 9,
    says: /no header can hold/,
    calls: 1,
  },
  {
    name: 'a token of 5,000 characters',
    doctor: 'S01',
    answer: `{"token":"${'x'.repeat(5_000)}"}`,
    exitCode: 9,
    says: /no header can hold/,
    calls: 1,
  },
  { name: 'a page', doctor: 'S01', answer: html, exitCode: 9, says: /a web page/, calls: 1 },
  {
    name: 'words',
    doctor: 'S01',
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
    doctor: 'S07',
    answers: { '/buyer-reporting': [withStatus(403), '{"id":"r1"}'] },
    exitCode: 0,
    calls: { '/auth-reporting': 2, '/buyer-reporting': 2 },
  },
  {
    name: '403 ADMIN_ONLY renews nothing',
    doctor: 'S07',
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
  { name: 'a list', doctor: 'S05', answer: `[${campaign}]` },
  {
    name: 'campaigns',
    doctor: 'S05',
    answer: `{"campaigns":[{"campaignId":12,${members}}]}`,
  },
  { name: 'data', doctor: 'S05', answer: `{"data":[${campaign}]}` },
  {
    name: 'response',
    doctor: 'S05',
    answer: `{"response":[${campaign}]}`,
  },
  { name: 'keyed by id', doctor: 'S05', answer: `{"12":{${members}}}` },
  {
    name: 'keyed by id in an envelope',
    doctor: 'S05',
    answer: `{"data":{"12":{${members}}}}`,
  },
  {
    name: 'ad units keyed by id',
    doctor: 'S05',
    answer: `[${campaign.replace('[{"adunitId":"3","adunitName":"u"}]', '{"3":{"adunitName":"u"}}')}]`,
  },
  {
    name: 'adUnits',
    doctor: 'S05',
    answer: `[${campaign.replace('adunits', 'adUnits')}]`,
  },
  {
    name: 'a further page in the body',
    doctor: 'S05',
    answer: `{"data":[${campaign}],"next":"/campaigns?page=2"}`,
    says: /The list of campaigns goes on elsewhere/,
  },
  {
    name: 'a further page in Link',
    doctor: 'S05',
    answer: {
      headers: { link: '</campaigns?page=2>; rel="next"' },
      body: `[${campaign}]`,
    },
    says: /The list of campaigns goes on elsewhere/,
  },
  {
    name: 'Latin-1, declared',
    doctor: 'S06',
    answer: typed(
      'application/json; charset=iso-8859-1',
      Buffer.from(`[{"campaignId":"12",${members},"advertiserName":"Café"}]`, 'latin1'),
    ),
  },
  {
    name: 'Latin-1, undeclared',
    doctor: 'S05',
    answer: { body: Buffer.from(`[{"campaignId":"12","campaignName":"Café"}]`, 'latin1') },
    exitCode: 9,
    says: /no text in utf-8/,
    calls: 1,
  },
  {
    name: 'an error with 200',
    doctor: 'S05',
    answer: '{"error":"Not for you."}',
    exitCode: 4,
    says: /Not for you/,
    calls: 1,
  },
  {
    name: 'another list',
    doctor: 'S05',
    answer: '[{"displays":1}]',
    exitCode: 9,
    says: /no list of campaigns.*“\[\{"displays":1\}\]”/,
    calls: 1,
  },
  {
    name: 'brackets that are only opened',
    doctor: 'S05',
    answer: '['.repeat(15_000_000),
    exitCode: 9,
    says: /“\[{150}…” instead of JSON/,
    calls: 1,
  },
  {
    name: 'brackets without end',
    doctor: 'S05',
    answer: '['.repeat(17_000_000),
    exitCode: 9,
    says: /longer than 16 MB/,
    calls: 1,
  },
]);
