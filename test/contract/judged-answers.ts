import type { Scene } from '../support/judged-report.ts';

/**
 * Each line of the table of `cli.md`, “Never silently wrong, and never crying wolf”, by what the
 * service answers: one answer that is proof, and the nearest one that is none. They were asked for
 * by DAILY, displays, 1 to 3 November 2026.
 */
export interface JudgedPair {
  readonly name: string;

  /** What both were asked with. */
  readonly asked?: Omit<Scene, 'body'>;

  readonly proof: string | Scene;

  /** What the finding says. */
  readonly says: RegExp;

  readonly none: string | Scene;
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

const windows: readonly JudgedPair[] = [
  {
    name: 'window: another start',
    proof: withSummary('"since":"2026-10-31T23:00:00+0100"'),
    says: /of another window/,
    none: withSummary('"since":"2026-10-31T23:00:00Z"'),
  },
  {
    name: 'window: an offset as PostgreSQL writes it',
    proof: withSummary('"since":"2026-11-01 00:00:00+00"'),
    says: /of another window/,
    none: withSummary('"since":"2026-11-01 00:00:00+01"'),
  },
  {
    name: 'window: a time without an offset, more than a day away',
    proof: withSummary('"since":"2026-11-02T00:00:01"'),
    says: /of another window/,
    none: withSummary('"since":"2026-11-02T00:00:00"'),
  },
  {
    name: 'window: a day, more than a day away',
    proof: withSummary('"since":"2026-10-30","until":"2026-11-03"'),
    says: /of another window/,
    none: withSummary('"since":"2026-10-31","until":"2026-11-04"'),
  },
  {
    name: 'window: unix seconds',
    proof: withSummary('"since":1793487601'),
    says: /2026-11-01T00:00:01\+0100 to/,
    none: withSummary('"since":1793487600'),
  },
  {
    name: 'window: unix seconds in a text',
    proof: withSummary('"until":"1793746801"'),
    says: /of another window/,
    none: withSummary('"until":"1793746800"'),
  },
  {
    name: 'window: a number that is no time of our days',
    proof: withSummary('"since":100000000'),
    says: /of another window/,
    none: withSummary('"since":7'),
  },
  {
    name: 'window: unix seconds that echo the wall time that was sent',
    asked: { windowClock: 'wall' },
    proof: withSummary('"since":1793491201'),
    says: /of another window/,
    none: withSummary('"since":1793491200,"until":1793750399'),
  },
  {
    name: 'window: unix seconds of wall time where instants were sent',
    proof: withSummary('"since":1793491200,"until":1793750399'),
    says: /reads timestamps as instants|reads timestamps as wall time/,
    none: withSummary('"since":1793487600,"until":1793746799'),
  },
  {
    name: 'window: another end',
    proof: withSummary('"until":"2026-11-04T00:00:01+01:00"'),
    says: /of another window/,
    none: withSummary('"until":"2026-11-04T00:00:00+01:00"'),
  },
  {
    name: 'window: milliseconds',
    proof: withSummary('"until":"2026-11-03T23:59:58.999+0100"'),
    says: /of another window/,
    none: withSummary('"until":"2026-11-03T23:59:59.999+0100"'),
  },
  {
    name: 'window: an end that is now instead of one to come',
    asked: { nowMs: Date.parse('2026-11-03T12:00:00Z') },
    proof: withSummary('"until":"2026-11-03T11:00:00Z"'),
    says: /of another window/,
    none: withSummary('"until":"2026-11-03T12:00:00Z"'),
  },
];

const zones: readonly JudgedPair[] = [
  {
    name: 'zone: of a DSP’s summary',
    asked: dsp,
    proof: withSummary('"timezone":"Africa/Lagos"'),
    says: /of another zone than asked for: Africa\/Lagos instead of UTC/,
    none: withSummary('"timezone":"Etc/UCT"'),
  },
  {
    name: 'zone: another name of it',
    asked: { profile: 'dsp', zone: 'Asia/Kolkata' },
    proof: withSummary('"timezone":"Asia/Kathmandu"'),
    says: /of another zone/,
    none: withSummary('"timezone":"Asia/Calcutta"'),
  },
  {
    name: 'zone: a name that nobody knows',
    asked: dsp,
    proof: withSummary('"timezone":"Europe/Paris"'),
    says: /of another zone/,
    none: withSummary('"timezone":"Paris time"'),
  },
  {
    name: 'zone: an offset is no name, whatever Node takes it for',
    asked: { profile: 'dsp', zone: 'Europe/Paris' },
    proof: withSummary('"timezone":"Africa/Lagos"'),
    says: /of another zone/,
    none: withSummary('"timezone":"+01:00"'),
  },
  {
    name: 'zone: the offset of an hour',
    asked: hourly,
    proof: hour('2026-11-01T04:00:00-0500'),
    says: /hours of the report are of another zone/,
    none: hour('2026-11-01T09:00:00Z'),
  },
];

const columns: readonly JudgedPair[] = [
  {
    name: 'columns: a metric in CSV',
    asked: { metrics: ['displays', 'clicks'] },
    proof: 'date,displays\n2026-11-01,1\n',
    says: /lacks the column clicks/,
    none: ' date, Displays,CLICKS \n2026-11-01,1,2\n',
  },
  {
    name: 'columns: a metric in JSON may be left out',
    asked: { metrics: ['displays', 'clicks'], by: ['DAILY', 'COUNTRY'] },
    proof: data('{"date":"2026-11-01","displays":1}'),
    says: /lacks the column country/,
    none: data('{"date":"2026-11-01","country":"France","displays":1}'),
  },
  {
    name: 'columns: a breakdown in JSON',
    asked: { by: ['OS'] },
    proof: data('{"displays":1}'),
    says: /lacks the column os/,
    none: data('{"os":null,"displays":1}'),
  },
  {
    name: 'columns: a breakdown that has another one',
    asked: byCampaign,
    proof: data('{"displays":1}'),
    says: /lacks the columns campaignId, campaignName/,
    none: data('{"campaignId":"1","displays":1}'),
  },
  {
    name: 'columns: what is ours',
    asked: { by: ['PUBLISHERID', 'OS'] },
    proof: data('{"publisherId":"1","displays":1}'),
    says: /lacks the column os/,
    none: data('{"os":"iOS","displays":1}'),
  },
  {
    name: 'columns: the date of a DSP',
    asked: dsp,
    proof: data('{"displays":1}'),
    says: /lacks the column date/,
    none: { ...{ profile: 'buyer', zone: 'Europe/Paris' }, body: data('{"displays":1}') },
  },
  {
    name: 'columns: no rows prove nothing',
    asked: { by: ['OS'] },
    proof: 'date,displays\n2026-11-01,1\n',
    says: /lacks the column os/,
    none: 'date,displays\n',
  },
];

const numbers: readonly JudgedPair[] = [
  {
    name: 'values: a text',
    proof: values('1', '"1 101"'),
    says: /displays is no whole number in row 2: it has "1 101"/,
    none: values('1', '" 1101 "'),
  },
  {
    name: 'values: a mark for thousands',
    proof: values('"1,101"'),
    says: /displays is no whole number in row 1: it has "1,101"/,
    none: values('"1101"'),
  },
  {
    name: 'values: a boolean',
    proof: values('true'),
    says: /no whole number in row 1: it has true/,
    none: values('1', 'null'),
  },
  {
    name: 'values: a list',
    proof: values('[7]'),
    says: /no whole number/,
    none: values('7', '""', '"-"'),
  },
  {
    name: 'values: an object',
    proof: values('{"value":7}'),
    says: /no whole number/,
    none: values('7', '"N/A"', '"NaN"'),
  },
  {
    name: 'values: a word for nothing',
    proof: values('1', '"unknown"'),
    says: /no whole number/,
    none: values('1', '"null"', '"\\\\N"'),
  },
  {
    name: 'values: a number in a text, oddly written',
    proof: values('"1 234"'),
    says: /no whole number/,
    none: values('"+7"', '" 007 "', '"5."'),
  },
  {
    name: 'values: a fraction of a whole metric',
    proof: values('7.5'),
    says: /no whole number in row 1: it has 7.5/,
    none: values('7.0'),
  },
  {
    name: 'values: money has fractions',
    asked: { metrics: ['displays', 'revenueEuro'] },
    proof: data('{"date":"2026-11-01","displays":0.004,"revenueEuro":0.004}'),
    says: /displays is no whole number/,
    none: data('{"date":"2026-11-01","displays":4,"revenueEuro":0.004}'),
  },
];

const rows: readonly JudgedPair[] = [
  {
    name: 'rows: a day outside the window',
    proof: data('{"date":"2026-11-04","displays":1}'),
    says: /rows of 1 day outside its window: 2026-11-04/,
    none: data('{"date":"2026-11-03","displays":1}'),
  },
  {
    name: 'rows: a RANGE is not judged',
    proof: data('{"date":"2026-10-31","displays":1}'),
    says: /outside its window/,
    none: { by: ['RANGE'], body: data('{"date":"2026-10-31","displays":1}') },
  },
  {
    name: 'rows: a month',
    asked: { by: ['MONTHLY'] },
    proof: data('{"date":"2026-10-01","displays":1}'),
    says: /rows of 1 month outside its window: 2026-10/,
    none: data('{"date":"2026-11-01","displays":1}'),
  },
  {
    name: 'rows: an hour outside the window',
    asked: hourly,
    proof: hour('2026-11-02T00:00:00+0100', '2026-11-02'),
    says: /rows of 1 hour outside its window/,
    none: hour('2026-11-01T22:00:00Z'),
  },
  {
    name: 'rows: an hour in UTC where the zone has half hours',
    asked: { profile: 'dsp', zone: 'Asia/Kathmandu', by: ['HOURLY'], period: '2026-11-01' },
    proof: hour('2026-10-31T17:00:00Z', '2026-10-31'),
    says: /outside its window/,
    none: hour('2026-10-31T18:00:00Z', '2026-10-31'),
  },
  {
    name: 'rows: a date that is not the day of its hour',
    asked: { ...hourly, period: '2026-11-01..2026-11-02' },
    proof: hour('2026-11-01T23:00:00Z', '2026-11-01'),
    says: /The date of row 1 is not the day of its hour/,
    none: hour('2026-11-01T23:00:00Z', '2026-11-02'),
  },
  {
    name: 'rows: the same key twice',
    asked: byCampaign,
    proof: data(campaign('"1"', 'A'), campaign('1', 'A', 2)),
    says: /repeats the breakdown values of an earlier one; the first is row 2/,
    none: data(campaign('"1"', 'A'), campaign('"1"', 'B')),
  },
  {
    name: 'rows: a key with a null in it',
    asked: byCampaign,
    proof: data(campaign('"1"', 'A'), campaign('"1"', 'A')),
    says: /repeats/,
    none: data(campaign('null', 'A'), campaign('null', 'A'), campaign('""', 'A')),
  },
  {
    name: 'rows: a column that was not asked for tells them apart',
    asked: byCampaign,
    proof: data(
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
    ),
    says: /repeats/,
    none: data(
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"Android","displays":1}',
    ),
  },
  {
    name: 'rows: a column that was not asked for lacks a value',
    asked: byCampaign,
    proof: data(
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
    ),
    says: /One row of the report repeats/,
    none: data(
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":null,"displays":1}',
      '{"campaignId":"1","campaignName":"A","os":"iOS","displays":1}',
    ),
  },
  {
    name: 'rows: hours without an offset, of which two have one name when clocks are set back',
    proof: {
      ...hourly,
      body: data(
        '{"date":"2026-11-01","hour":"02:00","displays":1}',
        '{"date":"2026-11-01","hour":"02:00","displays":2}',
      ),
    },
    says: /repeats/,
    none: {
      ...hourly,
      period: '2026-10-25',
      body: data(
        '{"date":"2026-10-25","hour":"02:00","displays":1}',
        '{"date":"2026-10-25","hour":"02:00","displays":2}',
      ),
    },
  },
  {
    name: 'rows: places by their names',
    asked: { by: ['COUNTRY'] },
    proof: data(country('"France"', 1), country('"France"', 1)),
    says: /repeats/,
    none: {
      by: ['CITY'],
      body: data('{"city":"Paris","displays":1}', '{"city":"Paris","displays":1}'),
    },
  },
  {
    name: 'rows: the header again',
    proof: 'date,displays\n2026-11-01,1\ndate,displays\n',
    says: /Row 2 of the report is its header again/,
    none: 'date,displays\n2026-11-01,1\ndate,\n',
  },
];

const perDay = (...countries: readonly (readonly [string | null, number])[]): string[] =>
  ['2026-11-01', '2026-11-02'].flatMap((date) =>
    countries.map(([name, displays]) => JSON.stringify({ date, country: name, displays })),
  );

const totals: readonly JudgedPair[] = [
  {
    name: 'a total: by a word, one sum above 1,000',
    asked: byCountry,
    proof: data(country('"France"', 700), country('"Italy"', 301), country('"Total"', 1001)),
    says: /Row 3 is a total of the others/,
    none: data(country('"France"', 700), country('"Italy"', 300), country('"Total"', 1000)),
  },
  {
    name: 'a total: exactly',
    asked: byCountry,
    proof: data(country('"Insgesamt"', 9001), country('"France"', 9000), country('"Italy"', 1)),
    says: /Row 1 is a total/,
    none: data(country('"Insgesamt"', 9002), country('"France"', 9000), country('"Italy"', 1)),
  },
  {
    name: 'a total: without a word two sums above 1,000',
    asked: { ...byCountry, metrics: ['displays', 'clicks'] },
    proof: data(
      '{"country":"France","displays":5000,"clicks":2000}',
      '{"country":"Italy","displays":4000,"clicks":1000}',
      '{"country":null,"displays":9000,"clicks":3000}',
    ),
    says: /Row 3 is a total/,
    none: data(
      '{"country":"France","displays":5000,"clicks":500}',
      '{"country":"Italy","displays":4000,"clicks":500}',
      '{"country":null,"displays":9000,"clicks":1000}',
    ),
  },
  {
    name: 'a total: beside two others at least',
    asked: byCountry,
    proof: data(country('"France"', 2000), country('"Italy"', 0), country('"All"', 2000)),
    says: /Row 3 is a total/,
    none: data(country('"France"', 2000), country('"All"', 2000)),
  },
  {
    name: 'a total: in every breakdown',
    asked: { by: ['COUNTRY', 'OS'] },
    proof: data(
      '{"country":"France","os":"iOS","displays":2000}',
      '{"country":"France","os":"Android","displays":1000}',
      '{"country":"Somme","os":null,"displays":3000}',
    ),
    says: /Row 3 is a total/,
    none: data(
      '{"country":"France","os":"iOS","displays":2000}',
      '{"country":"France","os":"Android","displays":1000}',
      '{"country":"France","os":null,"displays":3000}',
    ),
  },
  {
    name: 'a total: a word that begins a text, whatever stands beside it',
    asked: byCampaign,
    proof: data(
      campaign('"1"', 'a', 100_000),
      campaign('"2"', 'b', 200_000),
      campaign('null', 'Total: Account', 300_000),
    ),
    says: /Row 3 is a total/,
    none: data(
      campaign('"1"', 'a', 100_000),
      campaign('"2"', 'b', 200_000),
      campaign('"3"', 'Totalenergies', 300_000),
    ),
  },
  {
    name: 'a total: in capitals, beside an id of 0',
    asked: byCampaign,
    proof: data(
      campaign('0', '« TOTAL » (3)', 9_000),
      campaign('1', 'a', 4_000),
      campaign('2', 'b', 5_000),
    ),
    says: /Row 1 is a total/,
    none: data(
      campaign('0', 'TOTAL (3)', 9_001),
      campaign('1', 'a', 4_000),
      campaign('2', 'b', 5_000),
    ),
  },
  {
    name: 'a total: a word that ends a text, among rows that have the word too',
    asked: byCampaign,
    proof: data(
      campaign('1', 'Total Energies', 4_000),
      campaign('2', 'Total Energies 2', 500),
      campaign('-1', 'Campaigns \\u0074otal', 4_500),
    ),
    says: /Row 3 is a total/,
    none: data(
      campaign('1', 'Total Energies', 4_000),
      campaign('2', 'Total Energies 2', 500),
      campaign('-1', 'Total', 4_000),
    ),
  },
  {
    name: 'a total: several words, in CSV',
    asked: { ...byCampaign, metrics: ['displays', 'clicks'] },
    proof:
      'campaignId,campaignName,displays,clicks\n1,a,100000,1000\n2,b,200000,2000\n3,c,50000,500\n,Overall total - 3 campaigns,350000,3500\n',
    says: /Row 4 is a total/,
    none: 'campaignId,campaignName,displays,clicks\n1,a,100000,1000\n2,b,200000,2000\n3,c,50000,500\n,Overall - 3 campaigns,350000,3501\n',
  },
  {
    name: 'a total: values that say that there is none',
    asked: { ...byCampaign, metrics: ['displays', 'clicks'] },
    proof:
      'campaignId,campaignName,displays,clicks\n1,a,100000,1000\n2,b,200000,2000\n0,(not set),300000,3000\n',
    says: /Row 3 is a total/,
    none: 'campaignId,campaignName,displays,clicks\n1,a,100000,1000\n2,b,200000,2000\n0,(none),300000,3000\n',
  },
  {
    name: 'a total: of each day, among rows of the word',
    asked: { by: ['DAILY', 'CAMPAIGN'] },
    proof: data(
      ...['2026-11-01', '2026-11-02'].flatMap((date) => [
        `{"date":"${date}","campaignId":"1","campaignName":"Total Energies","displays":2000}`,
        `{"date":"${date}","campaignId":"2","campaignName":"b","displays":3000}`,
        `{"date":"${date}","campaignId":"--","campaignName":"Total","displays":5000}`,
      ]),
    ),
    says: /a total among the rows of each of its times; the first is row 3/,
    none: data(
      ...['2026-11-01', '2026-11-02'].flatMap((date) => [
        `{"date":"${date}","campaignId":"1","campaignName":"Total Energies","displays":2000}`,
        `{"date":"${date}","campaignId":"2","campaignName":"Sum","displays":3000}`,
      ]),
    ),
  },
  {
    name: 'a total: one for each day',
    asked: { by: ['DAILY', 'COUNTRY'] },
    proof: data(...perDay(['France', 2000], ['Italy', 3000], ['Totale', 5000])),
    says: /a total among the rows of each of its times; the first is row 3/,
    none: data(...perDay(['France', 2000], ['Italy', 3000], ['Totale', 5001])),
  },
  {
    name: 'a total: of days',
    proof: data(
      '{"date":"2026-11-01","displays":2000}',
      '{"date":"2026-11-02","displays":3000}',
      '{"date":"Total","displays":5000}',
    ),
    says: /Row 3 is a total/,
    none: data(
      '{"date":"2026-11-01","displays":2000}',
      '{"date":"2026-11-02","displays":3000}',
      '{"date":"2026-11-03","displays":5000}',
    ),
  },
  {
    name: 'a total: money is added up exactly',
    asked: { ...byCountry, metrics: ['revenueEuro'] },
    proof: data(
      '{"country":"France","revenueEuro":1000.001}',
      '{"country":"Italy","revenueEuro":0.002}',
      '{"country":"Total","revenueEuro":1000.003}',
    ),
    says: /Row 3 is a total/,
    none: data(
      '{"country":"France","revenueEuro":1000.001}',
      '{"country":"Italy","revenueEuro":0.002}',
      '{"country":"Total","revenueEuro":1000.004}',
    ),
  },
];

const filters: readonly JudgedPair[] = [
  {
    name: 'filters: an id, by its digits',
    asked: { ...byCampaign, filters: { campaignId: ['12345678901234567'] } },
    proof: data(campaign('12345678901234568', 'A')),
    says: /filter campaignId should have left out: campaignId 12345678901234568; the first is row 1/,
    none: data(campaign('12345678901234567', 'A')),
  },
  {
    name: 'filters: without leading zeros',
    asked: { by: ['ADUNIT'], filters: { adunitId: ['0070'] } },
    proof: data('{"adId":"7","adName":"A","displays":1}'),
    says: /filter adunitId/,
    none: data('{"adId":"70","adName":"A","displays":1}'),
  },
  {
    name: 'filters: names without case',
    asked: { by: ['CARRIER'], filters: { carrier: ['Orange'] } },
    proof: data('{"carrier":"Orange F","displays":1}'),
    says: /filter carrier .* carrier Orange F/,
    none: data('{"carrier":"ORANGE","displays":1}'),
  },
  {
    name: 'filters: countries by their names',
    asked: { ...byCountry, filters: { countryId: ['2921044'] } },
    proof: data(country('"Autriche"', 1)),
    says: /filter countryId .* country Autriche/,
    none: data(country('"Allemagne"', 1)),
  },
  {
    name: 'filters: a name that is nobody’s',
    asked: { ...byCountry, filters: { countryId: ['3017382'] } },
    proof: data(country('"Spain"', 1)),
    says: /filter countryId/,
    none: data(country('"France (mainland)"', 1)),
  },
  {
    name: 'filters: no value where it was asked for',
    asked: { by: ['DEVICEMODEL'], filters: { deviceModel: ['Pixel'] } },
    proof: data('{"deviceModel":null,"displays":1}'),
    says: /row 1 has no deviceModel/,
    none: { by: ['OS'], body: data('{"os":"iOS","deviceModel":null,"displays":1}') },
  },
  {
    name: 'filters: a column that came unasked',
    asked: { by: ['OS'], filters: { campaignId: ['1'] } },
    proof: data('{"os":"iOS","campaignId":"2","displays":1}'),
    says: /filter campaignId/,
    none: data('{"os":"iOS","campaignId":"1","displays":1}'),
  },
  {
    name: 'filters: nothing else is judged',
    asked: { by: ['OS', 'COUNTRY'], filters: { osId: ['1'], countryId: ['3017382'] } },
    proof: data('{"os":"iOS","country":"Italy","displays":1}'),
    says: /filter countryId/,
    none: data(
      '{"os":"iOS","country":"France","displays":1}',
      '{"os":"Android","country":"France","displays":1}',
    ),
  },
];

const manyDays = Array.from({ length: 3 }, (_, at) => {
  return `{"date":"2026-11-0${at + 1}","displays":10000000,"revenueEuro":0.333}`;
}).join();
const manyWith = (members: string): string => `{"data":[${manyDays}],${members}}`;
const money = { metrics: ['displays', 'revenueEuro'] } as const;

const besideRows: readonly JudgedPair[] = [
  {
    name: 'beside: an error',
    proof: beside('"error":"shard 3 is late"'),
    says: /comes with an error beside its rows: error: "shard 3 is late"/,
    none: beside('"error":"OK"'),
  },
  {
    name: 'beside: errors, by their leaves',
    proof: beside('"errors":[{"code":0,"message":"timeout"}]'),
    says: /comes with an error/,
    none: beside('"errors":[{"code":0,"message":"no error"}]'),
  },
  {
    name: 'beside: next',
    proof: beside('"paging":{"next":"/page/2"}'),
    says: /goes on elsewhere, it says: paging.next/,
    none: beside('"paging":{"next":null,"page":1}'),
  },
  {
    name: 'beside: has_more',
    proof: beside('"has_more":true'),
    says: /not whole: has_more: true/,
    none: beside('"has_more":false,"cursor":"abc"'),
  },
  {
    name: 'beside: partial',
    proof: beside('"partial":true'),
    says: /not whole/,
    none: beside('"partial":false,"message":"Only the first rows are partial"'),
  },
  {
    name: 'beside: truncated',
    proof: beside('"meta":{"truncated":true}'),
    says: /not whole: meta.truncated: true/,
    none: beside('"meta":{"truncated":false,"rows_omitted":12,"sampled":true}'),
  },
  {
    name: 'beside: a status',
    proof: beside('"status":"progress"'),
    says: /not ready: status: "progress"/,
    none: beside('"status":"brewed"'),
  },
  {
    name: 'beside: rowCount',
    proof: beside('"meta":{"ROW_COUNT":4}'),
    says: /another number of rows than the 3 that came: meta.ROW_COUNT: 4/,
    none: beside('"meta":{"ROW_COUNT":3},"count":4,"total":4,"rows":4,"limit":3'),
  },
  {
    name: 'beside: number_of_rows in a text',
    proof: beside('"number_of_rows":"0"'),
    says: /another number of rows/,
    none: beside('"number_of_rows":"3"'),
  },
  {
    name: 'beside: totals of whole numbers exactly',
    proof: manyWith('"totals":{"displays":30000010}'),
    says: /another total than its rows have: totals.displays 30000010 instead of 30000000/,
    none: manyWith('"totals":{"displays":30000000}'),
  },
  {
    name: 'beside: totals of money by half a cent a row and half a cent',
    asked: money,
    proof: manyWith('"totals":{"revenueEuro":1.020}'),
    says: /totals.revenueEuro 1.02 instead of 0.999/,
    none: manyWith('"totals":{"revenueEuro":1.019}'),
  },
  {
    name: 'beside: totals of what was not asked for',
    proof: beside('"meta":{"totals":{"displays":7}}'),
    says: /7 instead of 6/,
    none: beside('"totals":{"clicks":7},"downloads":3'),
  },
  {
    name: 'beside: 206',
    proof: { isPart: true, body: beside('"x":1') },
    says: /206/,
    none: { isPart: false, body: beside('"code":206') },
  },
  {
    name: 'beside: Link',
    proof: { hasNextLink: true, body: beside('"x":1') },
    says: /Link: rel=next/,
    none: { hasNextLink: false, body: beside('"links":{"self":"/page/1"}') },
  },
  {
    name: 'beside: the id of another report',
    asked: { isOfOtherRequest: (id) => id === 'r2' },
    proof: beside('"report_id":"r2"'),
    says: /report of another request: report_id: "r2"/,
    none: beside('"report_id":"r3"'),
  },
];

export const judgedPairs: readonly JudgedPair[] = [
  ...windows,
  ...zones,
  ...columns,
  ...numbers,
  ...rows,
  ...totals,
  ...filters,
  ...besideRows,
];

/** Answers that are no report: they are refused. */
export const refusedAnswers: Readonly<Record<string, Scene>> = {
  'CSV without any asked metric': { body: 'date,clicks\n2026-11-01,1\n' },
  'CSV of an error': { body: 'status,displays\nerror,\n' },
  'a list of campaigns': {
    body: '[{"campaignId":"1","campaignName":"A","adunits":[{"adunitId":"2","adunitName":"B"}]}]',
  },
  'a list of campaigns, by campaign': {
    ...byCampaign,
    body: '[{"campaignId":"1","campaignName":"A","adunits":[{"adunitId":"2","adunitName":"B"}]}]',
  },
  'rows of something else': { by: [], body: '{"data":[{"text":"out of ink"}]}' },
};

/** Answers that are reports, although nothing can be counted in them. */
export const poorAnswers: Readonly<Record<string, Scene>> = {
  'no rows': { body: '{"data":[]}' },
  'a header alone': { body: 'date,displays\n' },
  'no number, and the breakdown': { body: '{"data":[{"date":"2026-11-01","displays":null}]}' },
  'a number, and no breakdown': { body: '{"data":[{"displays":7}]}' },
  'one null of a total': { by: [], body: '{"data":[{"displays":null}]}' },
};
