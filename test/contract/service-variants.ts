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
  readonly answers: Readonly<Record<string, Answer | readonly Answer[]>>;
  readonly exitCode: number;
  /** What stderr holds. */
  readonly says?: RegExp;
  /** How often each path was asked, where that matters. */
  readonly calls?: Readonly<Record<string, number>>;
}

export const token = '0123456789abcdef0123456789abcdef01234567';
const rows = '[{"date":"2026-11-19","displays":7}]';
const summary =
  '{"since":"2026-11-19T00:00:00+0100","until":"2026-11-19T23:59:59+0100","breakdowns":["DAILY"],"timezone":"europe/paris"}';
const report = `{"data":${rows},"summary":${summary}}`;

/** The usual answers, which a variant replaces one by one. */
export const usual: Readonly<Record<string, Answer>> = {
  '/auth-reporting': `{"response":{"status":"OK","token":"${token}"}}`,
  '/buyer-reporting': '{"response":{"status":"progress","message":"progress","report_id":"r1"}}',
  '/status-reporting': '{"response":{"status":"ready","message":"ready","report_id":"r1"}}',
  '/download-reporting': report,
  '/campaigns': '[]',
};

/** What `run` must leave in its file where all is well. */
export const expectedFile = 'date,displays\r\n2026-11-19,7\r\n';

type Row = readonly [
  name: string,
  answer: Answer | readonly Answer[],
  exitCode: number,
  says?: RegExp | undefined,
  calls?: number,
];

function variantsOf(path: string, prefix: string, cases: readonly Row[]): Variant[] {
  return cases.map(([name, answer, exitCode, says, calls]) => ({
    name: `${prefix}: ${name}`,
    answers: { [path]: answer },
    exitCode,
    ...(says ? { says } : {}),
    ...(calls === undefined ? {} : { calls: { [path]: calls } }),
  }));
}

const answer = (status: number, body = ''): Answer => ({ status, body });
const later = (status: number, retryAfter: string): Answer => ({
  status,
  headers: { 'retry-after': retryAfter },
});
const redirect = (location: string): Answer => ({ status: 302, headers: { location } });
const typed = (type: string, body: string | Uint8Array): Answer => ({
  headers: { 'content-type': type },
  body,
});
const packed = (coding: string, body: Uint8Array): Answer => ({
  headers: { 'content-encoding': coding },
  body,
});
const withRow = (row: string) =>
  `{"data":[{"date":"2026-11-19","displays":7},${row}],"summary":${summary}}`;
const html = typed('text/html', '<html><body>Please sign in</body></html>');

/** Run with a token: create, status, download. */
export const runVariants: readonly Variant[] = [
  ...variantsOf('/buyer-reporting', 'create', [
    ['response.id', '{"response":{"id":"r1"}}', 0],
    ['a number as id', '{"response":{"report_id":1}}', 0],
    ['report_id', '{"report_id":"r1"}', 0],
    ['reportId', '{"reportId":"r1"}', 0],
    ['response.reportId', '{"response":{"reportId":"r1"}}', 0],
    ['id', '{"id":"r1"}', 0],
    ['data.report_id', '{"data":{"report_id":"r1"}}', 0],
    ['response.data.report_id', '{"response":{"data":{"report_id":"r1"}}}', 0],
    ['a list of one record', '[{"report_id":"r1"}]', 0],
    ['data is a list of one record', '{"data":[{"report_id":"r1"}]}', 0],
    ['response is the id', '{"response":"r1"}', 0],
    ['the bare id', '"r1"', 0],
    ['a bare number', '17', 0],
    ['201', answer(201, '{"id":"r1"}'), 0],
    ['the data itself', report, 0],
    ['the data as CSV', typed('text/csv', expectedFile), 0],
    [
      'an error with 200',
      '{"response":{"error_id":"LIMIT","error":"Too many reports."}}',
      4,
      /Too many reports/,
      1,
    ],
    [
      'an error beside an id',
      '{"report_id":"r1","error":"No such metric."}',
      4,
      /No such metric/,
      1,
    ],
    ['a list of an error', '[{"error":"No such metric."}]', 4, /No such metric/, 1],
    [
      'data is a list of an error',
      '{"data":[{"error":"No such metric."}]}',
      4,
      /No such metric/,
      1,
    ],
    ['success is false', '{"success":false,"message":"Locked."}', 4, /Locked/, 1],
    ['the status KO', '{"response":{"status":"KO","message":"Locked."}}', 4, /Locked/, 1],
    [
      'no id',
      '{"response":{"status":"progress"}}',
      9,
      /no report id.*“\{"response":\{"status":"progress"\}\}”/,
      1,
    ],
    ['nothing', '', 9, /an empty body instead of JSON/, 1],
    ['null', 'null', 9, /no report id/, 1],
    ['a page', html, 9, /a web page instead of JSON/, 1],
    ['words', typed('text/plain', 'Queue full'), 9, /“Queue full” instead of JSON/, 1],
    ['429, then an id', [later(429, '1'), '{"id":"r1"}'], 0, /Trying again/, 2],
    ['503 and Retry-After, then an id', [later(503, '1'), '{"id":"r1"}'], 0, /Trying/, 2],
    ['503', answer(503), 5, /may have been created/, 1],
    ['500', answer(500), 5, /may have been created/, 1],
    ['a redirect elsewhere', redirect('https://example.com/'), 4, /redirects to/, 1],
    ['415', answer(415), 4, /--encoding form/, 1],
    ['a Retry-After of 400 digits', later(429, '9'.repeat(400)), 5, /left alone for 8760 h/, 1],
  ]),
  ...variantsOf('/status-reporting', 'status', [
    ['response.data.status', '{"response":{"data":{"status":"ready"}}}', 0],
    ['an envelope of its own', '{"status":"ok","data":{"status":"READY"}}', 0],
    ['status', '{"status":"ready"}', 0],
    ['a bare record in a list', '[{"status":"ready"}]', 0],
    ['response is the word', '{"response":"ready"}', 0],
    ['done', '{"status":"done"}', 0],
    ['completed', '{"status":"Completed"}', 0],
    ['finished', '{"status":"finished"}', 0],
    ['success', '{"response":{"status":"success"}}', 0],
    ['queued, then ready', ['{"status":"queued"}', '{"status":"ready"}'], 0, undefined, 2],
    [
      'an unknown word, twice, then ready',
      ['{"status":"brewing"}', '{"status":"brewing"}', '{"status":"ready"}'],
      0,
      /brewing.*adreport download/,
    ],
    ['500, then ready', [answer(500), '{"status":"ready"}'], 0, /Trying again/, 2],
    ['failed', '{"response":{"status":"failed","message":"out of memory"}}', 6, /out of memory/, 1],
    ['error', '{"response":{"status":"error"}}', 6, /error/, 1],
    ['cancelled', '{"status":"cancelled"}', 6, /cancelled/, 1],
    ['canceled', '{"status":"canceled"}', 6, /canceled/, 1],
    ['failure', '{"status":"failure"}', 6, /failure/, 1],
    ['expired', '{"status":"expired"}', 6, /expired/, 1],
    [
      '400 and response.message',
      answer(400, '{"response":{"message":"Out of ink"}}'),
      4,
      /Out of ink/,
      1,
    ],
    [
      '400 and error.message',
      answer(400, '{"error":{"message":"Out of ink"}}'),
      4,
      /Out of ink/,
      1,
    ],
    [
      '400 and error_description',
      answer(400, '{"error":"x","error_description":"Out of ink"}'),
      4,
      /Out of ink/,
      1,
    ],
    ['400 and message', answer(400, '{"message":"Out of ink"}'), 4, /Out of ink/, 1],
    ['400 and detail', answer(400, '{"detail":"Out of ink"}'), 4, /Out of ink/, 1],
    ['400 and errors', answer(400, '{"errors":["Out of ink"]}'), 4, /Out of ink/, 1],
    ['400 and the body’s first line', answer(400, 'Out of ink\nand paper'), 4, /Out of ink/, 1],
    ['410', answer(410), 6, /gone/, 1],
    ['404', answer(404, '{"detail":"Who?"}'), 4, /Who\?/, 1],
    ['an error with 200', '{"response":{"error":"Unknown report."}}', 4, /Unknown report/, 1],
    [
      '400 to JSON',
      answer(400, '{"message":"id is missing"}'),
      4,
      /id is missing.*\n.*--encoding form/,
      1,
    ],
    ['no status', '{"response":{}}', 9, /without a status.*“\{"response":\{\}\}”/, 1],
    ['a page', html, 9, /a web page/, 1],
    ['a token in an unknown place', `{"sessionToken":"${token}"}`, 9, /\[hidden\]/, 1],
  ]),
  ...variantsOf('/download-reporting', 'download', [
    ['CSV', typed('text/csv; charset=utf-8; header=present', expectedFile), 0],
    ['CSV under the name of plain text', typed('text/plain', expectedFile), 0],
    [
      'CSV with a byte order mark and line feeds',
      typed('text/csv', `\ufeff${expectedFile.replaceAll('\r\n', '\n')}`),
      0,
    ],
    ['summary before data', `{"summary":${summary},"data":${rows}}`, 0],
    ['pretty-printed', JSON.stringify(JSON.parse(report), null, '\t'), 0],
    ['a byte order mark', `\ufeff${report}`, 0],
    [
      'members that hold data',
      `{"meta":{"data":[{"x":1}]},"data":${rows},"summary":${summary},"page":null}`,
      0,
    ],
    ['in response', `{"response":${report}}`, 0],
    ['rows alone', rows, 0],
    ['JSON as text/html', typed('text/html', report), 0],
    ['gzip', packed('gzip', gzipSync(report)), 0],
    ['brotli', packed('BR', brotliCompressSync(report)), 0],
    ['gzip in gzip', packed('gzip, gzip', gzipSync(gzipSync(report))), 0],
    [
      'the record of a failed report',
      '{"response":{"status":"failed","message":"no memory"}}',
      6,
      /no memory/,
      1,
    ],
    [
      '409 REPORT_FAILED',
      answer(409, '{"response":{"error_id":"REPORT_FAILED","error":"no memory"}}'),
      6,
      /no memory/,
      1,
    ],
    [
      '409 and the record of a failed report',
      answer(409, '{"response":{"status":"failed"}}'),
      6,
      undefined,
      1,
    ],
    [
      '409 REPORT_NOT_READY',
      answer(409, '{"response":{"error_id":"REPORT_NOT_READY","error":"wait"}}'),
      7,
      /wait/,
      1,
    ],
    [
      'the record of a report in progress',
      '{"response":{"status":"progress","message":"progress"}}',
      7,
      /not ready/,
      1,
    ],
    ['202', answer(202, '{}'), 7, /not ready/, 1],
    ['425', answer(425), 7, /not ready/, 1],
    ['an error with 200', '{"error_id":"GONE","error":"Deleted."}', 4, /Deleted/, 1],
    ['a redirect to plain http', redirect('http://example.com/x'), 4, /not https/, 1],
    ['a redirect within the service', redirect('/x'), 4, /redirects to/, 1],
    ['a page', html, 9, /web page/],
    [
      'another window',
      `{"data":${rows},"summary":${summary.replace('11-19T00', '11-18T00')}}`,
      9,
      /window/,
    ],
    [
      'without what was asked for',
      '{"data":[{"date":"2026-11-19","clicks":7}],"summary":{}}',
      9,
      /displays/,
    ],
    ['a row of another day', withRow('{"date":"2026-11-12","displays":7}'), 9],
    ['a row twice', withRow('{"date":"2026-11-19","displays":7}'), 9],
    ['a total beside the rows', withRow('{"date":null,"displays":7}'), 9],
    ['no rows', `{"data":[],"summary":${summary}}`, 9],
    ['CSV without a header', typed('text/csv', '2026-11-19,7\r\n'), 9],
    ['an error text as CSV', typed('text/csv', 'report expired\r\n'), 9],
    ['nothing', '', 9],
    ['an unknown charset', typed('application/json; charset=x-own', report), 9, /x-own/, 1],
    ['UTF-16', typed('application/json; charset=utf-16le', Buffer.from(report, 'utf16le')), 0],
  ]),
];

/** Run with e-mail and password. */
export const signInVariants: readonly Variant[] = [
  ...variantsOf('/auth-reporting', 'sign-in', [
    ['token', `{"token":"${token}"}`, 0],
    ['access_token', `{"access_token":"${token}","token_type":"x"}`, 0],
    ['data.token', `{"data":{"token":"${token}"}}`, 0],
    ['response.access_token', `{"response":{"access_token":"${token}"}}`, 0],
    ['the bare token as JSON', `"${token}"`, 0],
    ['the bare token', typed('text/plain', `${token}\n`), 0],
    [
      'status KO',
      '{"response":{"status":"KO","message":"Wrong password"}}',
      3,
      /Wrong password/,
      1,
    ],
    ['status error', '{"status":"error","error":"Wrong password"}', 3, /Wrong password/, 1],
    ['another status', '{"response":{"status":"locked"}}', 3, /locked/, 1],
    ['401', answer(401, '{"errors":["Wrong password"]}'), 3, /Wrong password/, 1],
    [
      '400 to JSON',
      answer(400, '{"response":{"error":"Username or password not set in request"}}'),
      3,
      /--encoding form/,
      1,
    ],
    ['415', answer(415), 3, /--encoding form/, 1],
    ['429, then a token', [answer(429), `{"token":"${token}"}`], 0, /Trying again/, 2],
    ['500, then a token', [answer(500), `{"token":"${token}"}`], 0, /Trying again/, 2],
    [
      'a token in an unknown place',
      `{"result":{"accessKey":"${token}"}}`,
      9,
      /without a token.*\[hidden\]/,
      1,
    ],
    [
      'a token in an error',
      answer(403, `{"message":"Session ${token} is locked"}`),
      3,
      /Session \[hidden\] is locked/,
      1,
    ],
    ['no token', '{"response":{}}', 9, /without a token/, 1],
    ['a token with a line break', '{"token":"abc\\r\\nX-Other: 1"}', 9, /no header can hold/, 1],
    ['a token of 5,000 characters', `{"token":"${'x'.repeat(5_000)}"}`, 9, /no header can hold/, 1],
    ['a page', html, 9, /a web page/, 1],
    [
      'words',
      typed('text/plain', `your key is ${token}`),
      9,
      /“your key is \[hidden\]” instead/,
      1,
    ],
  ]),
  {
    name: 'a token that is refused with 403 is renewed once',
    answers: { '/buyer-reporting': [answer(403), '{"id":"r1"}'] },
    exitCode: 0,
    calls: { '/auth-reporting': 2, '/buyer-reporting': 2 },
  },
  {
    name: '403 ADMIN_ONLY renews nothing',
    answers: {
      '/buyer-reporting': answer(
        403,
        '{"response":{"error_id":"ADMIN_ONLY","error":"Admins only."}}',
      ),
    },
    exitCode: 4,
    says: /Admins only/,
    calls: { '/auth-reporting': 1 },
  },
];

const campaign = '"campaignName":"A","advertiserId":"5","adunits":';
const unit = '{"adunitId":"3","adunitName":"u"}';

/** `campaigns --ad-units`: each line is expected as `12,A,3,u`. */
export const campaignVariants: readonly Variant[] = variantsOf('/campaigns', 'campaigns', [
  ['a list', `[{"campaignId":"12",${campaign}[${unit}]}]`, 0],
  ['campaigns', `{"campaigns":[{"campaignId":12,${campaign}[${unit}]}]}`, 0],
  ['data', `{"data":[{"campaignId":"12",${campaign}[${unit}]}]}`, 0],
  ['response', `{"response":[{"campaignId":"12",${campaign}[${unit}]}]}`, 0],
  ['keyed by id', `{"12":{${campaign}[${unit}]}}`, 0],
  ['keyed by id in an envelope', `{"data":{"12":{${campaign}[${unit}]}}}`, 0],
  ['ad units keyed by id', `[{"campaignId":"12",${campaign}{"3":{"adunitName":"u"}}}]`, 0],
  ['adUnits', `[{"campaignId":"12",${campaign.replace('adunits', 'adUnits')}[${unit}]}]`, 0],
  [
    'a further page in the body',
    `{"data":[{"campaignId":"12",${campaign}[${unit}]}],"next":"/campaigns?page=2"}`,
    0,
    /further page/,
  ],
  [
    'a further page in Link',
    {
      headers: { link: '</campaigns?page=2>; rel="next"' },
      body: `[{"campaignId":"12",${campaign}[${unit}]}]`,
    },
    0,
    /further page/,
  ],
  [
    'Latin-1, declared',
    typed(
      'application/json; charset=iso-8859-1',
      Buffer.from(`[{"campaignId":"12",${campaign}[${unit}],"advertiserName":"Café"}]`, 'latin1'),
    ),
    0,
  ],
  [
    'Latin-1, undeclared',
    { body: Buffer.from(`[{"campaignId":"12","campaignName":"Café"}]`, 'latin1') },
    9,
    /no text in utf-8/,
    1,
  ],
  ['an error with 200', '{"error":"Not for you."}', 4, /Not for you/, 1],
  ['another list', '[{"displays":1}]', 9, /no list of campaigns.*“\[\{"displays":1\}\]”/, 1],
  ['brackets that are only opened', '['.repeat(15_000_000), 9, /“\[{150}…” instead of JSON/, 1],
  ['brackets without end', '['.repeat(17_000_000), 9, /longer than 16 MB/, 1],
]);
