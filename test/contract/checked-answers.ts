import type { Scene } from '../support/checked-report.ts';

/**
 * Pairs of answers for each line of the table in `cli.md`, “Never silently wrong”: one that is
 * proof, and the nearest correct one. The default request is DAILY, displays, 1 to 3 November 2026.
 */
export interface CheckedPair {
  readonly name: string;

  /** The request for both. */
  readonly request?: Omit<Scene, 'body'>;

  readonly proof: string | Scene;

  /** The warning's message. */
  readonly says: RegExp;

  readonly correct: string | Scene;
}

const days =
  '{"date":"2026-11-01","displays":1},{"date":"2026-11-02","displays":2},{"date":"2026-11-03","displays":3}';

const withSummary = (summary: string): string => `{"data":[${days}],"summary":{${summary}}}`;
const beside = (members: string): string => `{"data":[${days}],${members}}`;
const values = (...all: string[]): string => {
  const rows = all.map((value, at) => `{"date":"2026-11-0${at + 1}","displays":${value}}`);
  return `{"data":[${rows.join()}]}`;
};
const data = (...rows: string[]): string => `{"data":[${rows.join()}]}`;

const byCountry = { by: ['COUNTRY'] } as const;
const byCampaign = { by: ['CAMPAIGN'] } as const;
const hourly = { by: ['HOURLY'], period: '2026-11-01' } as const;
const dsp = { profile: 'dsp', zone: 'UTC' } as const;
const hour = (text: string, date = '2026-11-01'): string =>
  data(`{"date":"${date}","hour":"${text}","displays":1}`);
const campaign = (id: string, name: string, displays = 1): string =>
  `{"campaignId":${id},"campaignName":"${name}","displays":${displays}}`;
const country = (name: string, displays: number): string =>
  `{"country":${name},"displays":${displays}}`;

const windows: readonly CheckedPair[] = [
  {
    name: 'window: another start',
    proof: withSummary('"since":"2026-10-31T23:00:00+0100"'),
    says: /a different period than requested/,
    correct: withSummary('"since":"2026-10-31T23:00:00Z"'),
  },
  {
    name: 'window: an offset in PostgreSQL notation',
    proof: withSummary('"since":"2026-11-01 00:00:00+00"'),
    says: /a different period than requested/,
    correct: withSummary('"since":"2026-11-01 00:00:00+01"'),
  },
  {
    name: 'window: a time without an offset, more than a day away',
    proof: withSummary('"since":"2026-11-02T00:00:01"'),
    says: /a different period than requested/,
    correct: withSummary('"since":"2026-11-02T00:00:00"'),
  },
  {
    name: 'window: a day, more than a day away',
    proof: withSummary('"since":"2026-10-30","until":"2026-11-03"'),
    says: /a different period than requested/,
    correct: withSummary('"since":"2026-10-31","until":"2026-11-04"'),
  },
  {
    name: 'window: unix seconds',
    proof: withSummary('"since":1793487601'),
    says: /2026-11-01T00:00:01\+0100 to/,
    correct: withSummary('"since":1793487600'),
  },
  {
    name: 'window: unix seconds in a text',
    proof: withSummary('"until":"1793746801"'),
    says: /a different period than requested/,
    correct: withSummary('"until":"1793746800"'),
  },
  {
    name: 'window: a number that is not a current time',
    proof: withSummary('"since":100000000'),
    says: /a different period than requested/,
    correct: withSummary('"since":7'),
  },
  {
    name: 'window: unix seconds that echo the wall time sent',
    request: { windowClock: 'wall' },
    proof: withSummary('"since":1793491201'),
    says: /a different period than requested/,
    correct: withSummary('"since":1793491200,"until":1793750399'),
  },
  {
    name: 'window: unix seconds of wall time when instants were sent',
    proof: withSummary('"since":1793491200,"until":1793750399'),
    says: /reads timestamps as instants|reads timestamps as wall time/,
    correct: withSummary('"since":1793487600,"until":1793746799'),
  },
  {
    name: 'window: another end',
    proof: withSummary('"until":"2026-11-04T00:00:01+01:00"'),
    says: /a different period than requested/,
    correct: withSummary('"until":"2026-11-04T00:00:00+01:00"'),
  },
  {
    name: 'window: milliseconds',
    proof: withSummary('"until":"2026-11-03T23:59:58.999+0100"'),
    says: /a different period than requested/,
    correct: withSummary('"until":"2026-11-03T23:59:59.999+0100"'),
  },
  {
    name: 'window: now instead of a future end',
    request: { nowMs: Date.parse('2026-11-03T12:00:00Z') },
    proof: withSummary('"until":"2026-11-03T11:00:00Z"'),
    says: /a different period than requested/,
    correct: withSummary('"until":"2026-11-03T12:00:00Z"'),
  },
];

const zones: readonly CheckedPair[] = [
  {
    name: 'zone: the zone in a DSP summary',
    request: dsp,
    proof: withSummary('"timezone":"Africa/Lagos"'),
    says: /a different zone than requested: Africa\/Lagos instead of UTC/,
    correct: withSummary('"timezone":"Etc/UCT"'),
  },
  {
    name: 'zone: an alias',
    request: { profile: 'dsp', zone: 'Asia/Kolkata' },
    proof: withSummary('"timezone":"Asia/Kathmandu"'),
    says: /a different zone than requested/,
    correct: withSummary('"timezone":"Asia/Calcutta"'),
  },
  {
    name: 'zone: an unknown name',
    request: dsp,
    proof: withSummary('"timezone":"Europe/Paris"'),
    says: /a different zone than requested/,
    correct: withSummary('"timezone":"Paris time"'),
  },
  {
    name: 'zone: an offset is not a name, although Node accepts it',
    request: { profile: 'dsp', zone: 'Europe/Paris' },
    proof: withSummary('"timezone":"Africa/Lagos"'),
    says: /a different zone than requested/,
    correct: withSummary('"timezone":"+01:00"'),
  },
  {
    name: 'zone: the offset of an hour',
    request: hourly,
    proof: hour('2026-11-01T04:00:00-0500'),
    says: /hours are not in the zone/,
    correct: hour('2026-11-01T09:00:00Z'),
  },
];

const columns: readonly CheckedPair[] = [
  {
    name: 'columns: a metric in CSV',
    request: { metrics: ['displays', 'clicks'] },
    proof: 'date,displays\n2026-11-01,1\n',
    says: /missing the requested column clicks/,
    correct: ' date, Displays,CLICKS \n2026-11-01,1,2\n',
  },
  {
    name: 'columns: a metric in JSON',
    request: { metrics: ['displays', 'clicks'] },
    proof: data('{"date":"2026-11-01","displays":1}'),
    says: /missing the requested column clicks/,
    correct: data('{"date":"2026-11-01","displays":1}', '{"date":"2026-11-02","clicks":null}'),
  },
  {
    name: 'columns: a breakdown in JSON',
    request: { by: ['OS'] },
    proof: data('{"displays":1}'),
    says: /missing the requested column os/,
    correct: data('{"os":null,"displays":1}'),
  },
  {
    name: 'columns: a breakdown with one of its two fields',
    request: byCampaign,
    proof: data('{"displays":1}'),
    says: /missing the requested columns campaignId, campaignName/,
    correct: data('{"campaignId":"1","displays":1}'),
  },
  {
    name: 'columns: field names of our own choice',
    request: { by: ['PUBLISHERID', 'OS'] },
    proof: data('{"os":"iOS","site":null,"displays":1}'),
    says: /missing the requested column publisherId/,
    correct: data('{"os":"iOS","site":"Le Monde","displays":1}'),
  },
  {
    name: 'columns: days that came as one row',
    proof: data('{"os":null,"displays":1}'),
    says: /missing the requested column date/,
    correct: data('{"day":"2026-11-01","displays":1}'),
  },
  {
    name: 'columns: the date in a DSP report',
    request: dsp,
    proof: data('{"displays":1}'),
    says: /missing the requested column date/,
    correct: data('{"day":"2026-11-01","displays":1}'),
  },
  {
    name: 'columns: an empty report',
    request: { by: ['OS'] },
    proof: 'date,displays\n',
    says: /missing the requested column os/,
    correct: '{"data":[]}',
  },
];

const numbers: readonly CheckedPair[] = [
  {
    name: 'values: a text',
    proof: values('1', '"1 101"'),
    says: /displays is not a whole number in row 2: "1 101"/,
    correct: values('1', '" 1101 "'),
  },
  {
    name: 'values: a thousands separator',
    proof: values('"1,101"'),
    says: /displays is not a whole number in row 1: "1,101"/,
    correct: values('"1101"'),
  },
  {
    name: 'values: a boolean',
    proof: values('true'),
    says: /not a whole number in row 1: true/,
    correct: values('1', 'null'),
  },
  {
    name: 'values: a list',
    proof: values('[7]'),
    says: /not a whole number/,
    correct: values('7', '""', '"-"'),
  },
  {
    name: 'values: an object',
    proof: values('{"value":7}'),
    says: /not a whole number/,
    correct: values('7', '"N/A"', '"NaN"'),
  },
  {
    name: 'values: a word for no value',
    proof: values('1', '"unknown"'),
    says: /not a whole number/,
    correct: values('1', '"null"', '"\\\\N"'),
  },
  {
    name: 'values: a number in a text, oddly written',
    proof: values('"1 234"'),
    says: /not a whole number/,
    correct: values('"+7"', '" 007 "', '"5."'),
  },
  {
    name: 'values: a fraction in an integer metric',
    proof: values('7.5'),
    says: /not a whole number in row 1: 7.5/,
    correct: values('7.0'),
  },
  {
    name: 'values: money has fractions',
    request: { metrics: ['displays', 'revenueEuro'] },
    proof: data('{"date":"2026-11-01","displays":0.004,"revenueEuro":0.004}'),
    says: /displays is not a whole number/,
    correct: data('{"date":"2026-11-01","displays":4,"revenueEuro":0.004}'),
  },
];

const rows: readonly CheckedPair[] = [
  {
    name: 'rows: a day outside the window',
    proof: data('{"date":"2026-11-04","displays":1}'),
    says: /rows for 1 day outside its period: 2026-11-04/,
    correct: data('{"date":"2026-11-03","displays":1}'),
  },
  {
    name: 'rows: a RANGE is not checked',
    proof: data('{"date":"2026-10-31","displays":1}'),
    says: /outside its period/,
    correct: { by: ['RANGE'], body: data('{"date":"2026-10-31","displays":1}') },
  },
  {
    name: 'rows: a month',
    request: { by: ['MONTHLY'] },
    proof: data('{"date":"2026-10-01","displays":1}'),
    says: /rows for 1 month outside its period: 2026-10/,
    correct: data('{"date":"2026-11-01","displays":1}'),
  },
  {
    name: 'rows: an hour outside the window',
    request: hourly,
    proof: hour('2026-11-02T00:00:00+0100', '2026-11-02'),
    says: /rows for 1 hour outside its period/,
    correct: hour('2026-11-01T22:00:00Z'),
  },
  ...['"2026-11-01 00:00"', '9', 'null'].map((unreadable) => ({
    name: `rows: a date outside the window, with the hour ${unreadable}`,
    request: hourly,
    proof: data(
      `{"date":"2026-11-01","hour":${unreadable},"displays":1}`,
      `{"date":"2026-10-01","hour":${unreadable},"displays":2}`,
    ),
    says: /rows for 1 day outside its period: 2026-10-01/,
    correct: data(`{"date":"2026-11-01","hour":${unreadable},"displays":1}`),
  })),
  {
    name: 'rows: an hour outside the window, without a date',
    request: hourly,
    proof: data('{"date":null,"hour":"2026-10-01T00:00:00+0200","displays":1}'),
    says: /rows for 1 hour outside its period/,
    correct: data('{"date":null,"hour":"2026-11-01T00:00:00+0100","displays":1}'),
  },
  {
    name: 'rows: days, with a column for hours that is empty',
    proof: data('{"date":"2026-11-04","hour":null,"displays":1}'),
    says: /rows for 1 day outside its period: 2026-11-04/,
    correct: data('{"date":"2026-11-03","hour":null,"displays":1}'),
  },
  {
    name: 'rows: an hour in UTC in a zone with a half-hour offset',
    request: { profile: 'dsp', zone: 'Asia/Kathmandu', by: ['HOURLY'], period: '2026-11-01' },
    proof: hour('2026-10-31T17:00:00Z', '2026-10-31'),
    says: /outside its period/,
    correct: hour('2026-10-31T18:00:00Z', '2026-10-31'),
  },
  {
    name: 'rows: a date that is not the day of its hour',
    request: { ...hourly, period: '2026-11-01..2026-11-02' },
    proof: hour('2026-11-01T23:00:00Z', '2026-11-01'),
    says: /The date and hour in row 1 do not match/,
    correct: hour('2026-11-01T23:00:00Z', '2026-11-02'),
  },
  {
    name: 'rows: the same key twice',
    request: byCampaign,
    proof: data(campaign('"1"', 'A'), campaign('1', 'A', 2)),
    says: /Row 2 repeats the breakdown values of an earlier row/,
    correct: data(campaign('"1"', 'A'), campaign('"1"', 'B')),
  },
  {
    name: 'rows: a key that contains a null',
    request: byCampaign,
    proof: data(campaign('"1"', 'A'), campaign('"1"', 'A')),
    says: /repeats/,
    correct: data(campaign('null', 'A'), campaign('null', 'A'), campaign('""', 'A')),
  },
  {
    name: 'rows: distinct by a column that was not requested',
    request: byCampaign,
    proof: data(
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
    ),
    says: /repeats/,
    correct: data(
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"Android","displays":1}',
    ),
  },
  {
    name: 'rows: a column that was not requested is null',
    request: byCampaign,
    proof: data(
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
    ),
    says: /Row 2 repeats/,
    correct: data(
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
    ),
  },
  {
    name: 'rows: hours without an offset, two of which have the same name when clocks are set back',
    proof: {
      ...hourly,
      body: data(
        '{"date":"2026-11-01","hour":"02:00","displays":1}',
        '{"date":"2026-11-01","hour":"02:00","displays":2}',
      ),
    },
    says: /repeats/,
    correct: {
      ...hourly,
      period: '2026-10-25',
      body: data(
        '{"date":"2026-10-25","hour":"02:00","displays":1}',
        '{"date":"2026-10-25","hour":"02:00","displays":2}',
      ),
    },
  },
  {
    name: 'rows: places identified by name',
    request: { by: ['COUNTRY'] },
    proof: data(country('"France"', 1), country('"France"', 1)),
    says: /repeats/,
    correct: {
      by: ['CITY'],
      body: data('{"city":"Paris","displays":1}', '{"city":"Paris","displays":1}'),
    },
  },
  {
    name: 'rows: a repeated header',
    proof: 'date,displays\n2026-11-01,1\ndate,displays\n',
    says: /Row 2 repeats the header/,
    correct: 'date,displays\n2026-11-01,1\ndate,\n',
  },
];

const figures = (key: string, displays: number, clicks: number): string =>
  `{${key},"displays":${displays},"clicks":${clicks}}`;
const twoMetrics = { metrics: ['displays', 'clicks'] } as const;
const countries = [
  figures('"country":"France"', 5000, 2000),
  figures('"country":"Italy"', 4000, 1000),
];
const campaigns = [
  figures('"campaignId":"1","campaignName":"a"', 5000, 2000),
  figures('"campaignId":"2","campaignName":"b"', 4000, 1000),
];

const totals: readonly CheckedPair[] = [
  ...['null', '""', '"-"'].map((empty) => ({
    name: `a total: a row with the country ${empty}`,
    request: { ...byCountry, ...twoMetrics },
    proof: data(...countries, figures(`"country":${empty}`, 9000, 3000)),
    says: /^Row 3 is a total: it has no country, and its metrics are the sums of all other rows/,
    correct: data(...countries, figures(`"country":${empty}`, 9000, 3001)),
  })),
  ...['null', '0', '"-1"', '"--"'].map((empty) => ({
    name: `a total: a row with the campaign ID ${empty}, whatever its name is`,
    request: { ...byCampaign, ...twoMetrics },
    proof: data(
      figures(`"campaignId":${empty},"campaignName":"Total: Account"`, 9000, 3000),
      ...campaigns,
    ),
    says: /^Row 1 is a total: it has no campaign, and/,
    correct: data(figures(`"campaignId":"3","campaignName":${empty}`, 9000, 3000), ...campaigns),
  })),
  {
    name: 'a total: no word is looked for',
    request: { ...byCountry, ...twoMetrics },
    proof: data(...countries, figures('"country":null', 9000, 3000)),
    says: /has no country/,
    correct: data(...countries, figures('"country":"Total"', 9000, 3000)),
  },
  {
    name: 'a total: two sums above 1,000',
    request: { ...byCountry, ...twoMetrics },
    proof: data(
      ...[figures('"country":"France"', 5000, 1000), figures('"country":"Italy"', 4000, 1)],
      figures('"country":null', 9000, 1001),
    ),
    says: /has no country/,
    correct: data(
      ...[figures('"country":"France"', 5000, 999), figures('"country":"Italy"', 4000, 1)],
      figures('"country":null', 9000, 1000),
    ),
  },
  {
    name: 'a total: of at least two others',
    request: { ...byCountry, ...twoMetrics },
    proof: data(
      ...[figures('"country":"France"', 2000, 2000), figures('"country":"Italy"', 0, 0)],
      figures('"country":null', 2000, 2000),
    ),
    says: /has no country/,
    correct: data(figures('"country":"France"', 2000, 2000), figures('"country":null', 2000, 2000)),
  },
  {
    name: 'a total: empty in every breakdown but time',
    request: { by: ['DAILY', 'COUNTRY', 'OS'], ...twoMetrics },
    proof: data(
      figures('"date":"2026-11-01","country":"France","os":"iOS"', 5000, 2000),
      figures('"date":"2026-11-02","country":"France","os":null', 4000, 2000),
      figures('"date":"2026-11-03","country":null,"os":null', 9000, 4000),
    ),
    says: /^Row 3 is a total: it has no mobile OS or country, and/,
    correct: data(
      figures('"date":"2026-11-01","country":"France","os":"iOS"', 5000, 2000),
      figures('"date":"2026-11-02","country":null,"os":null', 4000, 2000),
      figures('"date":"2026-11-03","country":"France","os":null', 9000, 4000),
    ),
  },
  {
    name: 'a total: a row without a date, in a report by time only',
    request: twoMetrics,
    proof: data(
      figures('"date":"2026-11-01"', 5000, 2000),
      figures('"date":"2026-11-02"', 4000, 1000),
      figures('"date":null', 9000, 3000),
    ),
    says: /^Row 3 is a total: it has no day, and/,
    correct: data(
      figures('"date":"2026-11-01"', 5000, 2000),
      figures('"date":"2026-11-02"', 4000, 1000),
      figures('"date":"2026-11-03"', 9000, 3000),
    ),
  },
  {
    name: 'a total: money within half a cent',
    request: { ...byCountry, metrics: ['displays', 'revenueEuro'] },
    proof: data(
      '{"country":"France","displays":2000,"revenueEuro":1000.001}',
      '{"country":"Italy","displays":1000,"revenueEuro":0.002}',
      '{"country":null,"displays":3000,"revenueEuro":1000.008}',
    ),
    says: /has no country/,
    correct: data(
      '{"country":"France","displays":2000,"revenueEuro":1000.001}',
      '{"country":"Italy","displays":1000,"revenueEuro":0.002}',
      '{"country":null,"displays":3000,"revenueEuro":1000.009}',
    ),
  },
];

const filters: readonly CheckedPair[] = [
  {
    name: 'filters: an id, compared by digits',
    request: { ...byCampaign, filters: { campaignId: ['12345678901234567'] } },
    proof: data(campaign('12345678901234568', 'A')),
    says: /filter campaignId should have excluded: campaignId 12345678901234568 \(first: row 1\)/,
    correct: data(campaign('12345678901234567', 'A')),
  },
  {
    name: 'filters: without leading zeros',
    request: { by: ['ADUNIT'], filters: { adunitId: ['0070'] } },
    proof: data('{"adId":"7","adName":"A","displays":1}'),
    says: /filter adunitId/,
    correct: data('{"adId":"70","adName":"A","displays":1}'),
  },
  {
    name: 'filters: names in any case',
    request: { by: ['CARRIER'], filters: { carrier: ['Orange'] } },
    proof: data('{"carrier":"Orange F","displays":1}'),
    says: /filter carrier .* carrier Orange F/,
    correct: data('{"carrier":"ORANGE","displays":1}'),
  },
  {
    name: 'filters: countries by name',
    request: { ...byCountry, filters: { countryId: ['2921044'] } },
    proof: data(country('"Austria"', 1)),
    says: /filter countryId .* country Austria/,
    correct: data(country('"germany"', 1)),
  },
  {
    name: 'filters: an unknown name',
    request: { ...byCountry, filters: { countryId: ['3017382'] } },
    proof: data(country('"Spain"', 1)),
    says: /filter countryId/,
    correct: data(country('"France (mainland)"', 1)),
  },
  {
    name: 'filters: no value in a requested column',
    request: { by: ['DEVICEMODEL'], filters: { deviceModel: ['Pixel'] } },
    proof: data('{"deviceModel":null,"displays":1}'),
    says: /row 1 has no deviceModel/,
    correct: { by: ['OS'], body: data('{"os":"iOS","deviceModel":null,"displays":1}') },
  },
  {
    name: 'filters: a column that was not requested',
    request: { by: ['OS'], filters: { campaignId: ['1'] } },
    proof: data('{"os":"iOS","campaignId":"2","displays":1}'),
    says: /filter campaignId/,
    correct: data('{"os":"iOS","campaignId":"1","displays":1}'),
  },
  {
    name: 'filters: other filters are not checked',
    request: { by: ['OS', 'COUNTRY'], filters: { osId: ['1'], countryId: ['3017382'] } },
    proof: data('{"os":"iOS","country":"Italy","displays":1}'),
    says: /filter countryId/,
    correct: data(
      '{"os":"iOS","country":"France","displays":1}',
      '{"os":"Android","country":"France","displays":1}',
    ),
  },
];

const outsideRows: readonly CheckedPair[] = [
  {
    name: 'outside: an error',
    proof: beside('"error":"shard 3 is late"'),
    says: /came with an error \(error: "shard 3 is late"\)/,
    correct: beside('"error":"OK"'),
  },
  {
    name: 'outside: nested errors',
    proof: beside('"errors":[{"code":0,"message":"timeout"}]'),
    says: /came with an error/,
    correct: beside('"errors":[{"code":0,"message":"no error"}]'),
  },
  {
    name: 'outside: next',
    proof: beside('"paging":{"next":"/page/2"}'),
    says: /is incomplete: the response has paging.next/,
    correct: beside('"paging":{"next":null,"page":1},"rowCount":20,"totals":{"displays":7}'),
  },
  {
    name: 'outside: has_more',
    proof: beside('"has_more":true'),
    says: /is incomplete: the response has has_more: true/,
    correct: beside('"has_more":false,"cursor":"abc"'),
  },
  {
    name: 'outside: partial',
    proof: beside('"partial":true'),
    says: /is incomplete: the response has/,
    correct: beside('"partial":false,"message":"Only the first rows are partial"'),
  },
  {
    name: 'outside: truncated',
    proof: beside('"meta":{"truncated":true}'),
    says: /is incomplete: the response has meta.truncated: true/,
    correct: beside('"meta":{"truncated":false,"rows_omitted":12,"sampled":true}'),
  },
  {
    name: 'outside: a status',
    proof: beside('"status":"progress"'),
    says: /is not ready: the response has status: "progress"/,
    correct: beside('"status":"brewed"'),
  },
  {
    name: 'outside: 206',
    proof: { isPart: true, body: beside('"x":1') },
    says: /206/,
    correct: { isPart: false, body: beside('"code":206') },
  },
  {
    name: 'outside: Link',
    proof: { hasNextLink: true, body: beside('"x":1') },
    says: /Link header has rel=next/,
    correct: { hasNextLink: false, body: beside('"links":{"self":"/page/1"}') },
  },
  {
    name: 'outside: the id of another report',
    request: { belongsToOtherRequest: (id) => id === 'r2' },
    proof: beside('"report_id":"r2"'),
    says: /report of a different request: report_id: "r2"/,
    correct: beside('"report_id":"r3"'),
  },
];

export const checkedPairs: readonly CheckedPair[] = [
  ...windows,
  ...zones,
  ...columns,
  ...numbers,
  ...rows,
  ...totals,
  ...filters,
  ...outsideRows,
];

/** Answers that are refused because they are not reports. */
export const refusedAnswers: Readonly<Record<string, Scene>> = {
  'CSV without a requested metric': { body: 'date,clicks\n2026-11-01,1\n' },
  'CSV of an error': { body: 'status,displays\nerror,\n' },
  'a list of campaigns': {
    body: '[{"campaignId":"1","campaignName":"A","adunits":[{"adunitId":"2","adunitName":"B"}]}]',
  },
  'rows of something else': { by: [], body: '{"data":[{"text":"out of ink"}]}' },
};

/** Answers that are reports, although they have no figures. */
export const poorAnswers: Readonly<Record<string, Scene>> = {
  'no rows': { body: '{"data":[]}' },
  'only a header': { body: 'date,displays\n' },
  'no number, but the breakdown': { body: '{"data":[{"date":"2026-11-01","displays":null}]}' },
  'a total that is null': { by: [], body: '{"data":[{"displays":null}]}' },
};
