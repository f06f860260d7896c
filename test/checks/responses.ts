/**
 * The table of `cli.md`, “Checks”, as responses: for each of its statements one that is wrong, and
 * the nearest one that is right. By default the request is displays by day in November 2025.
 */

export interface ReportRequest {
  readonly by?: readonly string[];
  readonly metrics?: readonly string[];
  readonly filters?: Readonly<Record<string, readonly string[]>>;

  /** A month, or a day. */
  readonly period?: string;
  readonly profile?: 'buyer' | 'dsp';
  readonly timezone?: string;
  readonly windowClock?: 'instant' | 'wall';
}

/** The body of a download, JSON or CSV; or with status 206. */
export type Body = string | { readonly status: number; readonly text: string };

export interface ResponsePair {
  readonly name: string;
  readonly request?: ReportRequest;

  readonly wrong: Body;

  /** The warning. */
  readonly says: RegExp;

  readonly right: Body;
}

export interface NotedResponse {
  readonly name: string;
  readonly request?: ReportRequest;
  readonly body: Body;

  /** The note. */
  readonly says: RegExp;

  /** A similar response without the note. */
  readonly without: Body;
}

/** A document with these rows. */
export const data = (...rows: readonly string[]): string => `{"data":[${rows.join()}]}`;

const days = [1, 2, 3].map((day) => `{"date":"2025-11-0${day}","displays":${day}}`).join();
const beside = (members: string): string => `{"data":[${days}],${members}}`;
const withSummary = (members: string): string => beside(`"summary":{${members}}`);

const values = (...all: readonly string[]): string =>
  data(...all.map((value, at) => `{"date":"2025-11-0${at + 1}","displays":${value}}`));

const hourly = { by: ['HOURLY'], period: '2025-11-01' };
const hour = (text: string, date = '2025-11-01'): string =>
  data(`{"date":"${date}","hour":"${text}","displays":1}`);

const dsp = { profile: 'dsp', timezone: 'UTC' } as const;
const byCampaign = { by: ['CAMPAIGN'] };
const campaign = (id: string, name: string, displays = 1): string =>
  `{"campaignId":${id},"campaignName":"${name}","displays":${displays}}`;
const byCountry = { by: ['COUNTRY'] };
const country = (name: string, displays = 1): string =>
  `{"country":${name},"displays":${displays}}`;

const otherPeriod = /The report covers a different period than requested/;

const windows: readonly ResponsePair[] = [
  {
    name: 'window: another start',
    wrong: withSummary('"since":"2025-11-01T00:00:01+0100"'),
    says: otherPeriod,
    right: withSummary('"since":"2025-10-31T23:00:00Z"'),
  },
  {
    name: 'window: another end',
    wrong: withSummary('"until":"2025-12-01T00:00:01+01:00"'),
    says: /to 2025-12-01T00:00:01\+0100 instead of 2025-11-01T00:00:00\+0100 to/,
    right: withSummary('"until":"2025-12-01T00:00:00+01:00"'),
  },
  {
    name: 'window: milliseconds',
    wrong: withSummary('"until":"2025-11-30T23:59:58.999+0100"'),
    says: otherPeriod,
    right: withSummary('"until":"2025-11-30T23:59:59.999+0100"'),
  },
  {
    name: 'window: a time without an offset, more than a day away',
    wrong: withSummary('"since":"2025-11-02T00:00:01"'),
    says: otherPeriod,
    right: withSummary('"since":"2025-11-02 00:00:00"'),
  },
  {
    name: 'window: a day, more than a day away',
    wrong: withSummary('"since":"2025-10-30"'),
    says: otherPeriod,
    right: withSummary('"since":"2025-10-31","until":"2025-12-01"'),
  },
  {
    name: 'window: shifted by the offset of the zone',
    wrong: withSummary('"since":"2025-10-31T23:00:00+0100","until":"2025-11-30T22:59:59+0100"'),
    says: /reads timestamps as wall time\. Run adreport config set window-clock wall/,
    right: withSummary('"since":"2025-11-01T00:00:00+0100","until":"2025-11-30T23:59:59+0100"'),
  },
  {
    name: 'window: shifted the other way',
    request: { windowClock: 'wall' },
    wrong: withSummary('"since":"2025-11-01T01:00:00+0100","until":"2025-12-01T00:59:59+0100"'),
    says: /reads timestamps as instants\./,
    right: withSummary('"since":"2025-11-01T00:00:00+0100","until":"2025-11-30T23:59:59+0100"'),
  },
];

const zones: readonly ResponsePair[] = [
  {
    name: 'zone: a DSP’s, and another name of it',
    request: { ...dsp, timezone: 'Asia/Kolkata' },
    wrong: withSummary('"timezone":"Asia/Kathmandu"'),
    says: /a different zone than requested: Asia\/Kathmandu instead of Asia\/Kolkata/,
    right: withSummary('"timezone":"asia/calcutta"'),
  },
  {
    name: 'zone: the same in winter only',
    request: { ...dsp, timezone: 'Europe/Paris' },
    wrong: withSummary('"timezone":"Africa/Lagos"'),
    says: /a different zone/,
    right: withSummary('"timezone":"Europe/Berlin"'),
  },
  {
    name: 'zone: an hour of another zone, and one of UTC',
    request: hourly,
    wrong: hour('2025-11-01T04:00:00-0500'),
    says: /hours are not in the zone Europe\/Paris: row 1 has 2025-11-01T04:00:00-0500/,
    right: hour('2025-11-01T09:00:00Z'),
  },
];

const columns: readonly ResponsePair[] = [
  {
    name: 'columns: a metric in CSV',
    request: { metrics: ['displays', 'clicks'] },
    wrong: 'date,displays\n2025-11-01,1\n',
    says: /missing the requested column clicks\./,
    right: ' date, Displays,CLICKS \n2025-11-01,1,2\n',
  },
  {
    name: 'columns: a metric in JSON',
    request: { metrics: ['displays', 'clicks'] },
    wrong: data('{"date":"2025-11-01","displays":1}'),
    says: /missing the requested column clicks\./,
    right: data('{"date":"2025-11-01","displays":1}', '{"date":"2025-11-02","clicks":null}'),
  },
  {
    name: 'columns: dollars under either name',
    request: { metrics: ['displays', 'revenueDollar'] },
    wrong: data('{"date":"2025-11-01","displays":1,"revenueEuro":2}'),
    says: /missing the requested column valueDollar\./,
    right: data('{"date":"2025-11-01","displays":1,"revenueDollar":2}'),
  },
  {
    name: 'columns: a breakdown, and one of its fields',
    request: byCampaign,
    wrong: data('{"displays":1}'),
    says: /missing the requested columns campaignId, campaignName\./,
    right: data('{"campaignId":"1","displays":1}'),
  },
  {
    name: 'columns: a breakdown without rows',
    request: { by: ['OS'] },
    wrong: 'date,displays\n',
    says: /missing the requested column os\./,
    right: '{"data":[]}',
  },
  {
    name: 'columns: days that came as one row',
    wrong: data('{"os":null,"displays":1}'),
    says: /missing the requested column date\./,
    right: data('{"day":"2025-11-01","displays":1}'),
  },
];

const numbers: readonly ResponsePair[] = [
  {
    name: 'values: a text',
    wrong: values('1', '"1 101"', '"unknown"'),
    says: /displays is not a whole number in 2 rows \(first: row 2\): "1 101"/,
    right: values('1', '" 1101 "', '"+7"'),
  },
  {
    name: 'values: a thousands separator',
    wrong: values('"1,101"'),
    says: /displays is not a whole number in row 1: "1,101"/,
    right: values('"1101"', '"007"', '"5."'),
  },
  {
    name: 'values: a boolean',
    wrong: values('true'),
    says: /not a whole number in row 1: true/,
    right: values('1', 'null'),
  },
  {
    name: 'values: an object',
    wrong: values('{"value":7}'),
    says: /not a whole number/,
    right: values('7', '"N/A"', '"NaN"'),
  },
  {
    name: 'values: a fraction in an integer metric',
    request: { metrics: ['displays', 'revenueEuro'] },
    wrong: data('{"date":"2025-11-01","displays":7.5,"revenueEuro":0.004}'),
    says: /displays is not a whole number in row 1: 7\.5/,
    right: data('{"date":"2025-11-01","displays":7.0,"revenueEuro":0.004}'),
  },
  {
    name: 'values: one line for a column',
    wrong: values('7.5', '"many"', 'true'),
    says: /displays is not a whole number in 3 rows \(first: row 1\): 7\.5/,
    right: values('7', '""', 'null'),
  },
];

const rows: readonly ResponsePair[] = [
  {
    name: 'rows: a day outside the window',
    wrong: data('{"date":"2025-12-01","displays":1}'),
    says: /rows for 1 day outside its period: 2025-12-01\./,
    right: data('{"date":"2025-11-30","displays":1}'),
  },
  {
    name: 'rows: a month outside the window',
    request: { by: ['MONTHLY'] },
    wrong: data('{"date":"2025-10-01","displays":1}'),
    says: /rows for 1 month outside its period: 2025-10\./,
    right: data('{"date":"2025-11-01","displays":1}'),
  },
  {
    name: 'rows: an hour outside the window',
    request: hourly,
    wrong: hour('2025-11-02T00:00:00+0100', '2025-11-02'),
    says: /rows for 1 hour outside its period/,
    right: hour('2025-11-01T22:00:00Z'),
  },
  ...['9', 'null'].map((unreadable) => ({
    name: `rows: a date outside the window, with the hour ${unreadable}`,
    request: hourly,
    wrong: data(`{"date":"2025-10-01","hour":${unreadable},"displays":1}`),
    says: /rows for 1 day outside its period: 2025-10-01\./,
    right: data(`{"date":"2025-11-01","hour":${unreadable},"displays":1}`),
  })),
  {
    name: 'rows: a date that is not the day of its hour',
    request: hourly,
    wrong: hour('2025-11-01T22:00:00Z', '2025-11-02'),
    says: /The date and hour in row 1 do not match: date 2025-11-02/,
    right: hour('2025-10-31T23:00:00Z', '2025-11-01'),
  },
  {
    name: 'rows: an hour of UTC in two days of a zone with half hours',
    request: { ...dsp, timezone: 'Asia/Kathmandu', ...hourly },
    wrong: hour('2025-11-01T17:00:00Z', '2025-10-30'),
    says: /do not match|outside its period/,
    right: hour('2025-10-31T18:00:00Z', '2025-11-01'),
  },
  {
    name: 'rows: the same key twice',
    request: byCampaign,
    wrong: data(campaign('"1"', 'A'), campaign('"2"', 'A'), campaign('1', 'A', 2)),
    says: /Row 3 repeats the breakdown values of an earlier row/,
    right: data(campaign('"1"', 'A'), campaign('"1"', 'B')),
  },
  {
    name: 'rows: a key without a value is none',
    request: byCampaign,
    wrong: data(campaign('"1"', 'A'), campaign('"1"', 'A'), campaign('"1"', 'A')),
    says: /2 rows repeat/,
    right: data(campaign('null', 'A'), campaign('null', 'A'), campaign('""', 'A')),
  },
  {
    name: 'rows: told apart by a column that was not requested',
    request: byCampaign,
    wrong: data(
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
    ),
    says: /repeats/,
    right: data(
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"Android","displays":1}',
    ),
  },
  {
    name: 'rows: hours in any offset',
    request: hourly,
    wrong: data(
      '{"date":"2025-11-01","hour":"2025-11-01T02:00:00+0100","displays":1}',
      '{"date":"2025-11-01","hour":"2025-11-01T01:00:00Z","displays":1}',
    ),
    says: /Row 2 repeats/,
    right: data(
      '{"date":"2025-11-01","hour":"2025-11-01T02:00:00+0100","displays":1}',
      '{"date":"2025-11-01","hour":"2025-11-01T02:00:00Z","displays":1}',
    ),
  },
  {
    name: 'rows: hours that cannot be read, on a day of 24 hours',
    request: hourly,
    wrong: data(
      '{"date":"2025-11-01","hour":"02:00","displays":1}',
      '{"date":"2025-11-01","hour":"02:00","displays":2}',
    ),
    says: /repeats/,
    right: data(
      '{"date":"2025-11-01","hour":"02:00","displays":1}',
      '{"date":"2025-11-01","hour":"03:00","displays":2}',
    ),
  },
  {
    name: 'rows: countries are told apart by name, cities are not',
    request: { by: ['COUNTRY', 'PLATFORM'] },
    wrong: data(
      '{"country":"France","platform":"web","displays":1}',
      '{"country":"France","platform":"web","displays":1}',
    ),
    says: /repeats/,
    right: data(
      '{"country":"France","platform":"web","displays":1}',
      '{"country":"Italy","platform":"web","displays":1}',
    ),
  },
  {
    name: 'rows: a header that is repeated',
    wrong: 'date,displays\n2025-11-01,1\ndate,displays\n',
    says: /Row 2 repeats the header/,
    right: 'date,displays\n2025-11-01,1\n2025-11-02,\n',
  },
];

const filters: readonly ResponsePair[] = [
  {
    name: 'filters: an ID with any number of digits',
    request: { ...byCampaign, filters: { campaignId: ['12345678901234567'] } },
    wrong: data(campaign('12345678901234568', 'A')),
    says: /filter campaignId should have excluded: campaignId 12345678901234568 \(first: row 1\)/,
    right: data(campaign('12345678901234567', 'A')),
  },
  {
    name: 'filters: an ID with leading zeros',
    request: { by: ['ADUNIT'], filters: { adunitId: ['0070'] } },
    wrong: data('{"adId":"7","adName":"A","displays":1}'),
    says: /filter adunitId/,
    right: data('{"adId":"70","adName":"A","displays":1}'),
  },
  {
    name: 'filters: a carrier in any case',
    request: { by: ['CARRIER'], filters: { carrier: ['Orange'] } },
    wrong: data('{"carrier":"Orange F","displays":1}', '{"carrier":"SFR","displays":1}'),
    says: /filter carrier .* carrier Orange F and 1 more \(first: row 1\)/,
    right: data('{"carrier":"ORANGE","displays":1}'),
  },
  {
    name: 'filters: a country by its name',
    request: { ...byCountry, filters: { countryId: ['2921044'] } },
    wrong: data(country('"Austria"')),
    says: /filter countryId .* country Austria/,
    right: data(country('"germany"')),
  },
  {
    name: 'filters: no value in a requested column',
    request: { by: ['DEVICEMODEL'], filters: { deviceModel: ['Pixel'] } },
    wrong: data('{"deviceModel":null,"displays":1}'),
    says: /row 1 has no deviceModel/,
    right: data('{"deviceModel":"pixel","displays":1}'),
  },
  {
    name: 'filters: a column that was not requested',
    request: { by: ['OS'], filters: { campaignId: ['1'] } },
    wrong: data('{"os":"iOS","campaignId":"2","displays":1}'),
    says: /filter campaignId/,
    right: data('{"os":"iOS","campaignId":null,"displays":1}'),
  },
  {
    name: 'filters: others cannot be compared',
    request: { by: ['OS', 'COUNTRY'], filters: { osId: ['1'], countryId: ['3017382'] } },
    wrong: data('{"os":"iOS","country":"Italy","displays":1}'),
    says: /filter countryId/,
    right: data('{"os":"Android","country":"France","displays":1}'),
  },
];

const counts = (key: string, displays: number, clicks: number): string =>
  `{${key},"displays":${displays},"clicks":${clicks}}`;
const twoMetrics = { metrics: ['displays', 'clicks'] };
const twoCountries = [
  counts('"country":"France"', 5000, 2000),
  counts('"country":"Italy"', 4000, 1000),
];
const twoCampaigns = [
  counts('"campaignId":"1","campaignName":"a"', 5000, 2000),
  counts('"campaignId":"2","campaignName":"b"', 4000, 1000),
];

const totals: readonly ResponsePair[] = [
  ...['null', '"-"'].map((empty) => ({
    name: `a total: the country ${empty}`,
    request: { ...byCountry, ...twoMetrics },
    wrong: data(...twoCountries, counts(`"country":${empty}`, 9000, 3000)),
    says: /^Row 3 is a total: it has no country, and its metrics are the sums of all other rows/,
    right: data(...twoCountries, counts(`"country":${empty}`, 9000, 3001)),
  })),
  {
    name: 'a total: the campaign ID decides, whatever the name is',
    request: { ...byCampaign, ...twoMetrics },
    wrong: data(
      counts('"campaignId":null,"campaignName":"Total: Account"', 9000, 3000),
      ...twoCampaigns,
    ),
    says: /^Row 1 is a total: it has no campaign, and/,
    right: data(counts('"campaignId":"3","campaignName":null', 9000, 3000), ...twoCampaigns),
  },
  {
    name: 'a total: no word is looked for',
    request: { ...byCountry, ...twoMetrics },
    wrong: data(...twoCountries, counts('"country":null', 9000, 3000)),
    says: /has no country/,
    right: data(...twoCountries, counts('"country":"Total"', 9000, 3000)),
  },
  {
    name: 'a total: two sums above 1,000',
    request: { ...byCountry, ...twoMetrics },
    wrong: data(
      counts('"country":"France"', 5000, 1000),
      counts('"country":"Italy"', 4000, 1),
      counts('"country":null', 9000, 1001),
    ),
    says: /has no country/,
    right: data(
      counts('"country":"France"', 5000, 999),
      counts('"country":"Italy"', 4000, 1),
      counts('"country":null', 9000, 1000),
    ),
  },
  {
    name: 'a total: of at least two others',
    request: { ...byCountry, ...twoMetrics },
    wrong: data(
      counts('"country":"France"', 2000, 2000),
      counts('"country":"Italy"', 0, 0),
      counts('"country":null', 2000, 2000),
    ),
    says: /has no country/,
    right: data(counts('"country":"France"', 2000, 2000), counts('"country":null', 2000, 2000)),
  },
  {
    name: 'a total: without a value in every breakdown but time',
    request: { by: ['DAILY', 'COUNTRY', 'OS'], ...twoMetrics },
    wrong: data(
      counts('"date":"2025-11-01","country":"France","os":"iOS"', 5000, 2000),
      counts('"date":"2025-11-02","country":"France","os":null', 4000, 2000),
      counts('"date":"2025-11-03","country":null,"os":null', 9000, 4000),
    ),
    says: /^Row 3 is a total: it has no mobile OS or country, and/,
    right: data(
      counts('"date":"2025-11-01","country":"France","os":"iOS"', 5000, 2000),
      counts('"date":"2025-11-02","country":null,"os":null', 4000, 2000),
      counts('"date":"2025-11-03","country":"France","os":null', 9000, 4000),
    ),
  },
  {
    name: 'a total: by time alone, a row without a day',
    request: twoMetrics,
    wrong: data(
      counts('"date":"2025-11-01"', 5000, 2000),
      counts('"date":"2025-11-02"', 4000, 1000),
      counts('"date":null', 9000, 3000),
    ),
    says: /^Row 3 is a total: it has no day, and/,
    right: data(
      counts('"date":"2025-11-01"', 5000, 2000),
      counts('"date":"2025-11-02"', 4000, 1000),
      counts('"date":"2025-11-03"', 9000, 3000),
    ),
  },
  {
    name: 'a total: money within half a cent',
    request: { ...byCountry, metrics: ['displays', 'revenueEuro'] },
    wrong: data(
      '{"country":"France","displays":2000,"revenueEuro":1000.001}',
      '{"country":"Italy","displays":1000,"revenueEuro":0.002}',
      '{"country":null,"displays":3000,"revenueEuro":1000.008}',
    ),
    says: /has no country/,
    right: data(
      '{"country":"France","displays":2000,"revenueEuro":1000.001}',
      '{"country":"Italy","displays":1000,"revenueEuro":0.002}',
      '{"country":null,"displays":3000,"revenueEuro":1000.009}',
    ),
  },
];

const outsideRows: readonly ResponsePair[] = [
  {
    name: 'outside the rows: an error',
    wrong: beside('"error":"shard 3 is late"'),
    says: /came with an error \(error: "shard 3 is late"\)/,
    right: beside('"error":"OK"'),
  },
  {
    name: 'outside the rows: errors',
    wrong: beside('"meta":{"errors":[{"code":0,"message":"timeout"}]}'),
    says: /came with an error \(meta\.errors/,
    right: beside('"meta":{"errors":[{"code":0,"message":"no error"}]}'),
  },
  {
    name: 'outside the rows: next',
    wrong: beside('"a":{"b":{"c":{"paging":{"next":"/page/2"}}}}'),
    says: /is incomplete: the response has a\.b\.c\.paging\.next: "\/page\/2"/,
    right: beside('"paging":{"next":null,"page":1},"next":"monday","totals":{"displays":7}'),
  },
  {
    name: 'outside the rows: a link in an object',
    wrong: beside('"_links":{"next":{"href":"https://example.com/2"}}'),
    says: /is incomplete: the response has _links\.next/,
    right: beside('"_links":{"self":{"href":"https://example.com/1"}}'),
  },
  {
    name: 'outside the rows: hasMore',
    wrong: beside('"has_more":true'),
    says: /is incomplete: the response has has_more: true/,
    right: beside('"hasMore":false,"rowCount":20'),
  },
  {
    name: 'outside the rows: partial',
    wrong: beside('"partial":"true"'),
    says: /is incomplete: the response has partial/,
    right: beside('"partial":false,"message":"Only the first rows are partial"'),
  },
  {
    name: 'outside the rows: a status in progress',
    wrong: beside('"response":{"status":"Running"}'),
    says: /is not ready: the response has response\.status: "Running"/,
    right: beside('"campaign":{"status":"running"},"status":"brewed"'),
  },
  {
    name: 'outside the rows: a status that failed',
    wrong: beside('"status":"failed"'),
    says: /is not ready: the response has status: "failed"/,
    right: beside('"status":"done"'),
  },
  {
    name: 'outside the rows: 206',
    wrong: { status: 206, text: data(days) },
    says: /is incomplete: the service responded with status 206/,
    right: beside('"code":206'),
  },
];

export const responsePairs: readonly ResponsePair[] = [
  ...windows,
  ...zones,
  ...columns,
  ...numbers,
  ...rows,
  ...filters,
  ...totals,
  ...outsideRows,
];

const thirtyDays = Array.from({ length: 30 }, (_, index) => {
  const day = String(index + 1).padStart(2, '0');
  return `{"date":"2025-11-${day}","displays":1}`;
});

export const notedResponses: readonly NotedResponse[] = [
  {
    name: 'days without rows',
    body: data(...thirtyDays.slice(0, -1)),
    says: /no rows for 1 of the 30 days: 2025-11-30\./,
    without: data(...thirtyDays),
  },
  {
    name: 'hours without rows',
    request: hourly,
    body: hour('2025-11-01T02:00:00+0100'),
    says: /no rows for 23 of the 24 hours: 2025-11-01T00:00:00\+0100, .* and 18 more\./,
    without: data(),
  },
  {
    name: 'no rows',
    body: data(),
    says: /^The report has no rows\.$/,
    without: data(...thirtyDays),
  },
  {
    name: 'a metric without a number',
    request: { metrics: ['displays', 'clicks'] },
    body: data('{"date":"2025-11-01","displays":1,"clicks":null}'),
    says: /^The metric clicks has no number in any row\.$/,
    without: data('{"date":"2025-11-01","displays":1,"clicks":0}'),
  },
  {
    name: 'a time that cannot be read',
    body: data('{"date":"1 November","displays":1}'),
    says: /^The date of row 1 could not be read: "1 November"\.$/,
    without: data('{"date":"2025-11-01","displays":1}'),
  },
  {
    name: 'a window that cannot be read',
    body: withSummary('"since":1761951600'),
    says: /^The report's period could not be read: since is 1761951600\.$/,
    without: withSummary('"since":null'),
  },
  {
    name: 'a zone that cannot be read',
    request: dsp,
    body: withSummary('"timezone":"+01:00"'),
    says: /^The report's zone could not be read: \+01:00\.$/,
    without: withSummary('"timezone":"UTC"'),
  },
  {
    name: 'unknown members',
    body: beside('"rowCount":20,"page":1,"summary":{"currency":"EUR"},"message":"ok"'),
    says: /^The response also contains rowCount, page, currency\.$/,
    without: beside('"report_id":"r1","error":null,"hasMore":false,"status":"ready"'),
  },
];

const html = '<html><body>Please sign in</body></html>';

/** A response alone. */
export interface LoneResponse {
  readonly name: string;
  readonly request?: ReportRequest;
  readonly body: Body;
}

/** What is no report. */
export const refusedResponses: readonly LoneResponse[] = [
  { name: 'a page', body: html },
  { name: 'nothing', body: '' },
  { name: 'JSON that is cut', body: `{"data":[${days}` },
  { name: 'CSV that is cut in a quote', body: 'date,displays\n2025-11-01,"1' },
  { name: 'CSV without a requested metric', body: 'date,clicks\n2025-11-01,1\n' },
  { name: 'a message as CSV', body: 'status,displays\nerror,\n' },
  { name: 'a message in a row', body: data('{"text":"out of ink"}') },
  { name: 'a message for a total', request: { by: [] }, body: data('{"text":"out of ink"}') },
  { name: 'rows of campaigns', body: data('{"campaignId":"1","adunits":[]}') },
];

/** Reports without a warning that have no similar one with a warning. */
export const acceptedResponses: readonly LoneResponse[] = [
  { name: 'a header alone', body: 'date,displays\n' },
  { name: 'a row without a number', body: 'date,displays\nNo data,\n' },
  { name: 'a row of nulls', body: data('{"date":null,"displays":null}') },
  {
    name: 'two cities of one name',
    request: { by: ['CITY'] },
    body: data('{"city":"Paris","displays":1}', '{"city":"Paris","displays":1}'),
  },
  {
    name: 'the same hour twice, without offsets, when clocks are set back',
    request: { by: ['HOURLY'], period: '2025-10-26' },
    body: data(
      '{"date":"2025-10-26","hour":"02:00","displays":1}',
      '{"date":"2025-10-26","hour":"02:00","displays":2}',
    ),
  },
  {
    name: 'any country, if the ID of the filter is unknown',
    request: { ...byCountry, filters: { countryId: ['999999999'] } },
    body: data(country('"Spain"')),
  },
  {
    name: 'a campaign ID that is no number',
    request: { ...byCampaign, filters: { campaignId: ['1'] } },
    body: data(campaign('"x-7"', 'A')),
  },
];
