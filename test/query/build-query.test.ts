import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { listCountries } from '../../src/contract/countries.ts';
import {
  breakdowns,
  computedMetrics,
  filters as filterTable,
  metrics,
} from '../../src/contract/vocabulary.ts';
import { buildQuery } from '../../src/query/build-query.ts';
import type { QueryFlags } from '../../src/query/flags/run-flags.ts';
import type { Query } from '../../src/query/query.ts';
import { differences, toArguments, toSavedKeys } from '../../src/query/saved-keys.ts';
import { readSavedOptions } from '../../src/query/saved-report.ts';
import { readYamlFile } from '../../src/query/yaml-file.ts';
import { queryOf, queryOfLine, testNowMs } from '../support/query.ts';

const period = ['--period', '2026-11-01'];

test('by default: every metric of the profile in column order, one row, on stdout', () => {
  expect(queryOf(period)).toEqual({
    profile: 'buyer',
    metrics: metrics.map(({ name }) => name),
    hasNamedMetrics: false,
    breakdowns: [],
    filters: {},
    timezone: 'Europe/Paris',
    encoding: 'json',
    windowClock: 'instant',
    period: '2026-11-01',
    outputs: [{ path: '-', format: 'csv' }],
  });
  expect(Object.isFrozen(queryOf(period))).toBe(true);
  expect(queryOfLine('--period last-week --profile dsp').metrics).toEqual([
    'displays',
    'revenueEuro',
    'revenueDollar',
  ]);
});

test.each<[line: string, expected: Partial<Query>]>([
  [
    '--metrics REVENUE-EURO,clicks,,click --metrics ctr --by campaign,Daily,CAMPAIGN',
    { metrics: ['revenueEuro', 'clicks', 'ctr'], breakdowns: ['CAMPAIGN', 'DAILY'] },
  ],
  ['--by week', { breakdowns: ['WEEKLY'] }],
  [
    '--filter campaignid=12,13 --filter CAMPAIGNID=13,14 --country FR,Germany,fr',
    { filters: { campaignId: ['12', '13', '14'], countryId: ['3017382', '2921044'] } },
  ],
  ['--filter country=be,12', { filters: { countryId: ['2802361', '12'] } }],
  ['--filter carrier="A,B",C', { filters: { carrier: ['A,B', 'C'] } }],
  [
    '--campaign Summer* --campaign "A,B" --ad-unit Top',
    { filters: { campaign: ['Summer*', 'A,B'], adUnit: ['Top'] } },
  ],
  ['--profile dsp --timezone america/new_york', { timezone: 'America/New_York' }],
  ['-o a.html', { outputs: [{ path: 'a.html', format: 'html' }] }],
  ['-o a.CSV.gz', { outputs: [{ path: 'a.CSV.gz', format: 'csv' }] }],
  ['-o a --format parquet', { outputs: [{ path: 'a', format: 'parquet' }] }],
  [
    '-o a.html -o b.xlsx -o -',
    {
      outputs: [
        { path: 'a.html', format: 'html' },
        { path: 'b.xlsx', format: 'xlsx' },
        { path: '-', format: 'csv' },
      ],
    },
  ],
  ['--columns clicks,Date --by DAILY', { columns: ['clicks', 'date'] }],
])('%s', (line, expected) => {
  expect(queryOf([...period, ...line.split(' ')])).toMatchObject(expected);
});

test.each<[line: string, message: string, hint: string]>([
  ['--metrics clikcs', 'Unknown metric “clikcs”.', 'Did you mean clicks?'],
  ['--metrics constructor', 'Unknown metric “constructor”.', 'choose from requests, displays,'],
  ['--metrics conversions', '“conversions” can mean', 'Use one of these names.'],
  ['--metrics ,', 'Invalid --metrics “,”.', 'Pass at least one value'],
  ['--profile dsp --metrics ctr', 'Unknown metric “ctr”.', 'In dsp reports, choose from displays'],
  ['--by DAYLY', 'Unknown breakdown “DAYLY”.', 'Did you mean DAILY?'],
  ['--by hourly,OS,daily', 'HOURLY and DAILY cannot be combined.', 'Use at most one of'],
  ['--country Germny', 'Unknown country “Germny”.', 'Did you mean Germany?'],
  ['--profile dsp --country FR', 'DSP reports do not support filters.', 'Remove --country.'],
  ['--timezone UTC', '--timezone cannot be used with buyer reports', 'Remove --timezone.'],
  [
    '--profile dsp --timezone paris',
    'Unknown time zone “paris”.',
    'Use a name such as Europe/Paris',
  ],
  ['--filter campaingId=1', 'Unknown filter “campaingId”.', 'Did you mean campaignId?'],
  [
    '--filter campaignId',
    'Invalid --filter “campaignId”.',
    'Use NAME=VALUE, for example country=FR,Germany.',
  ],
  ['--filter carrier="A', 'Invalid --filter “carrier="A”.', 'A double quote is missing.'],
  ['--filter campaignId=Sale', 'The filter campaignId needs numeric IDs', 'use --campaign'],
  ['--columns clcks', 'Unknown column “clcks” in --columns.', 'Did you mean clicks?'],
  ['--columns xyz', 'Unknown column', 'leads, landings, revenueEuro, valueDollar and'],
  ['-o p.html,p.pdf', '-o p.html,p.pdf is a list of files.', 'Use one -o for each'],
  ['-o a.xls', 'Unknown file extension .xls', 'Did you mean xlsx?'],
  ['-o a.parquet.gz', 'Unknown file extension .gz', 'Choose from json'],
  ['-o a.csv -o b.csv --format csv', '--format cannot be used with several -o.', 'Remove'],
  ['--format xls', 'Unknown format “xls”.', 'Did you mean xlsx?'],
  ['--concurrency x', 'Invalid --concurrency “x”.', 'Use a whole number, 1 or more.'],
  ['--split day --split week', '--split takes one value, but got “day” and “week”.', 'Remove one'],
  ['--title T', '--title cannot be used with csv.', 'Write html'],
  ['--metrics ctr --format json', "json contains only the service's own data", 'Remove ctr'],
  ['--compare --format ndjson', '--compare cannot be used with ndjson', '-o report.html'],
  ['--by WEEKLY --split day', '--by WEEKLY requests one report per week', 'or use --by DAILY'],
  ['--split day', '--split day: the reports cannot be merged', 'Add DAILY or HOURLY to --by'],
  ['--split week --by MONTHLY', 'because MONTHLY rows span several weeks', 'Add DAILY'],
  ['--split day -o {date}.csv --compare', '--compare cannot be used with one file', 'view'],
  ['--split day -o {date}-{id}.csv', 'has {id}, but there is a report for each day', '{date}'],
  ['--split day -o {date}.csv -o {date}.html', 'A folder takes only one -o.', 'Remove the others'],
  ['--split day --by DAILY --lookback 2', '--lookback works only with a folder.', '{date}.csv'],
  ['-o {dat}.csv', 'Unknown placeholder {dat} in -o.', 'Did you mean {date}?'],
])('%s is refused', (line, message, hint) => {
  expect(() => queryOf([...period, ...line.split(' ')])).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    }),
  );
});

test('an empty -o is refused', () => {
  expect(() => queryOf([...period, '-o', ''])).toThrow('-o needs the name of a file.');
});

/** Any options of a query that are valid together. */
const anyOptions: fc.Arbitrary<QueryFlags> = fc
  .record({
    metrics: fc.option(
      fc.uniqueArray(fc.constantFrom(...[...metrics, ...computedMetrics].map(({ name }) => name)), {
        minLength: 1,
        maxLength: 4,
      }),
      { nil: undefined },
    ),
    by: fc.uniqueArray(
      fc.constantFrom(...breakdowns.flatMap(({ name, time }) => (time ? [] : [name]))),
      { maxLength: 3 },
    ),
    filter: fc.array(
      fc.record({
        name: fc.constantFrom(...filterTable.map(({ name }) => name)),
        values: fc.uniqueArray(fc.nat(99_999).map(String), { minLength: 1, maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
    country: fc.option(
      fc.uniqueArray(fc.constantFrom(...listCountries().map(({ code }) => code)), { minLength: 1 }),
      { nil: undefined },
    ),
    campaign: fc.option(
      fc.uniqueArray(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name.trim() === name),
        { minLength: 1, maxLength: 3 },
      ),
      { nil: undefined },
    ),
    compare: fc.constantFrom(undefined, 'previous', 'last-year'),
    strict: fc.constantFrom(undefined, true),
    direct: fc.constantFrom(undefined, true),
    title: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    output: fc.constantFrom(['report.html'], ['a.xlsx', 'b.html'], ['{since} {account}.html']),
    window: fc.constantFrom<Pick<QueryFlags, 'period' | 'since' | 'until'>>(
      { period: 'last-week' },
      { period: '2026-Q3' },
      { since: '2026-11-01' },
      { since: '-7d', until: 'yesterday' },
    ),
  })
  .map(({ window, ...options }): QueryFlags => ({ ...options, ...window }));

const facts = { profile: 'buyer', stdoutFormat: 'csv', nowMs: testNowMs } as const;

test('the command line of a query asks for the same query', () => {
  fc.assert(
    fc.property(anyOptions, (options) => {
      const query = buildQuery(options, facts);
      expect(queryOf(toArguments(query))).toEqual(query);
    }),
    { numRuns: 100 },
  );
});

const folder = mkdtempSync(join(tmpdir(), 'adreport-query-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the keys of a query, written as YAML and read again, are the same query', async () => {
  await fc.assert(
    fc.asyncProperty(anyOptions, async (options) => {
      const query = buildQuery({ ...options, metrics: options.metrics ?? ['clicks'] }, facts);
      const path = join(folder, 'saved.yaml');
      writeFileSync(path, stringify(toSavedKeys(query)));

      const section = (await readYamlFile(path, 'saved.yaml')).section();
      const { values } = readSavedOptions([section], { displayPath: 'adreport.yaml' });
      expect(buildQuery(values, facts)).toEqual(query);
    }),
    { numRuns: 60 },
  );
});

test('differences are named, and there are none if and only if the content is the same', () => {
  const before = queryOfLine('--period last-week --country FR --by OS --metrics clicks');
  const after = queryOfLine('--period 2026 --country DE --by OS,COUNTRY --metrics clicks --excel');
  expect(differences(before, after)).toEqual([
    'by: OS → OS,COUNTRY',
    'country: FR → DE',
    'excel: none → true',
  ]);
  fc.assert(
    fc.property(anyOptions, (options) => {
      const query = buildQuery(options, facts);
      expect(differences(query, { ...query, title: 'other', strict: true })).toEqual([]);
      const other = { ...query, excel: query.excel ? undefined : (true as const) };
      expect(differences(query, other)).toHaveLength(1);
    }),
    { numRuns: 60 },
  );
});

test('every country is found by its code, ID and English name', () => {
  for (const { code, id, name } of listCountries()) {
    const { filters } = buildQuery({ country: [code, id, name], period: 'today' }, facts);
    expect(filters).toEqual({ countryId: [id] });
  }
});
