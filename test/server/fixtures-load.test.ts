import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FixtureError, loadFixtures } from '../../src/server/fixtures/load.ts';
import { accountOf, reportJson, reportRows, seconds } from './reports.ts';

/** A small folder of data, right in every way. */
const files = {
  'accounts.json': `[
  { "name": "me", "email": "me@example.com", "password": "x", "profile": "buyer", "token": "t0ken", "advertiserIds": ["7"] },
  { "name": "all", "email": "all@example.com", "password": "x", "profile": "buyer", "admin": true, "token": "t1", "advertiserIds": [] }
]`,
  'campaigns.json': `[
  {
    "advertiserId": "7",
    "advertiserName": "Seven",
    "campaignId": "70",
    "campaignName": "Seventy",
    "campaignStartDate": "2026-01-01 00:00:00",
    "campaignEndDate": "2026-12-31 23:59:59",
    "adunits": [{ "adunitName": "first", "adunitId": "700" }, { "adunitName": "second", "adunitId": "701", "adUnitLimitType": "1", "adUnitLimitValue": "50" }]
  }
]`,
  'catalog.json': `{ "countryId": [{ "id": "3017382", "name": "France" }], "cityId": [{ "id": "2988507", "name": "Paris" }] }`,
  'facts.csv': `hour,adunitId,countryId,cityId,carrier,displays,revenueEuro
2026-11-01T10:00:00Z,700,3017382,2988507,SFR,100,1.5
2026-11-01T11:00:00+01:00,701,3017382,,"Free, ""Mobile""",20,0.05
1793527200,700,,,,3,
`,
};
type FileName = keyof typeof files | 'facts.ndjson';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adreport-fixtures-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const day = { since: seconds('2026-11-01T00:00:00Z'), until: seconds('2026-11-01T23:59:59Z') };

describe('own data', () => {
  test('are served as they stand in the files', async () => {
    const fixtures = await loadFixtures(folder);
    const request = {
      ...day,
      metrics: ['displays', 'revenueEuro'],
      breakdowns: ['HOURLY', 'ADUNIT', 'CITY', 'CARRIER'],
    };
    const rows = await reportRows(fixtures, accountOf(fixtures, 'me'), request);
    const shown = rows.map(
      ({ hour, adId, adName, adUnitLimitType, adUnitLimitValue, city, carrier, displays, revenueEuro }) => [
        [hour, adId, adName, adUnitLimitType, adUnitLimitValue],
        [city, carrier, displays, revenueEuro],
      ],
    );
    expect(shown).toEqual([
      [
        ['2026-11-01T11:00:00+0100', '700', 'first', '0', '0'],
        ['Paris', 'SFR', 100, 1.5],
      ],
      [
        ['2026-11-01T11:00:00+0100', '700', 'first', '0', '0'],
        [null, null, 3, 0],
      ],
      [
        ['2026-11-01T11:00:00+0100', '701', 'second', '1', '50'],
        [null, 'Free, "Mobile"', 20, 0.05],
      ],
    ]);
    expect(fixtures.campaignsOf(accountOf(fixtures, 'all'))).toEqual([
      {
        ...JSON.parse(files['campaigns.json'])[0],
        adunits: [
          { adunitName: 'first', adunitId: '700' },
          { adunitName: 'second', adunitId: '701' },
        ],
      },
    ]);
  });

  test('may have their facts as NDJSON, ids and amounts as strings or numbers', async () => {
    const before = await reportJson(await loadFixtures(folder), accountOf(await loadFixtures(folder), 'me'), {
      ...day,
      metrics: ['displays', 'revenueEuro'],
      breakdowns: ['ADUNIT', 'CITY', 'CARRIER'],
    });
    rmSync(join(folder, 'facts.csv'));
    await writeFile(
      join(folder, 'facts.ndjson'),
      `{"hour":"2026-11-01T10:00:00Z","adunitId":700,"countryId":"3017382","cityId":2988507,"carrier":"SFR","displays":100,"revenueEuro":1.5}

{"hour":"2026-11-01T11:00:00+0100","adunitId":"701","countryId":3017382,"carrier":"Free, \\"Mobile\\"","displays":"20","revenueEuro":"0.05"}
{"hour":1793527200,"adunitId":"700","displays":3,"carrier":null,"cityId":""}`,
    );
    const fixtures = await loadFixtures(folder);
    const request = { ...day, metrics: ['displays', 'revenueEuro'], breakdowns: ['ADUNIT', 'CITY', 'CARRIER'] };
    expect(await reportJson(fixtures, accountOf(fixtures, 'me'), request)).toBe(before);
  });

  test('may have no facts at all', async () => {
    await writeFile(join(folder, 'facts.csv'), 'adunitId,hour\n');
    const fixtures = await loadFixtures(folder);
    const request = { ...day, metrics: ['displays'], breakdowns: [] };
    expect(await reportRows(fixtures, accountOf(fixtures, 'me'), request)).toEqual([]);
  });

  test('may begin with a byte order mark, end their lines with CRLF, and have quoted line breaks', async () => {
    for (const [name, text] of Object.entries(files))
      await writeFile(join(folder, name), `\ufeff${text.replaceAll('\n', '\r\n')}`);
    const csv = '\ufeffhour,adunitId,carrier\r\n1793527200,700,"two\r\nlines"\r\n\r\n1793527200,700,"a,b"';
    await writeFile(join(folder, 'facts.csv'), csv);
    const fixtures = await loadFixtures(folder);
    const rows = await reportRows(fixtures, accountOf(fixtures, 'me'), {
      ...day,
      metrics: [],
      breakdowns: ['CARRIER'],
    });
    expect(rows.map(({ carrier }) => carrier)).toEqual(['a,b', 'two\r\nlines']);
  });
});

/** A file, what is changed in it, the text at whose beginning the mistake is, and what is said of it. */
type Mistake = readonly [file: FileName, from: string, to: string, at: string, reason: string];

const mistakes: readonly Mistake[] = [
  ['accounts.json', '"token": "t0ken",', '"tokn": "t0ken",', '"tokn"', 'unknown key "tokn"; did you mean "token"?'],
  ['accounts.json', '"token": "t1", ', '', '{ "name": "all"', 'the key "token" is missing'],
  ['accounts.json', '"buyer", "admin"', '"seller", "admin"', '"seller"', 'expected "buyer" or "dsp"'],
  ['accounts.json', '"admin": true', '"admin": 1', '1, ', 'expected true or false'],
  ['accounts.json', '"t1"', '"t0ken"', '"t0ken", "advertiserIds": []', '"t0ken" stands twice'],
  ['accounts.json', '"me@example.com"', '"me@"', '"me@"', 'expected an e-mail address'],
  ['accounts.json', '"all@', '"Me@', '"Me@example.com"', '"Me@example.com" stands twice'],
  ['accounts.json', '["7"]', '["8"]', '"8"', 'no campaign in campaigns.json is of the advertiser 8'],
  ['accounts.json', '[\n', '{"a":[\n', '', 'the file ends where "," or "}" should stand'],
  ['accounts.json', '["7"] },', '["7"] }', '{ "name": "all"', 'expected "," or "]", found "{"'],
  ['accounts.json', '"x", "profile"', '\'x\', "profile"', "'x'", 'expected a value, found "\'"'],
  ['accounts.json', '\n]', '', '', 'the file ends where "," or "]" should stand'],
  ['accounts.json', '"email": "me', '"name": "me', '"name": "me@', 'the key "name" stands twice'],
  [
    'accounts.json',
    '"me"',
    '"m\ne"',
    '"m\n',
    'a string that does not end, or has a line break or a wrong escape in it',
  ],
  ['accounts.json', '"password": "x"', '"password": null', 'null', 'expected a text that is not empty'],
  ['accounts.json', '\n]', '\n]~', '~', 'expected the end of the file, found "~"'],
  ['accounts.json', '"name": "me"', '"name" "me"', '"me", "em', 'expected ":", found "\\""'],
  ['accounts.json', '{ "name": "me"', '{ name: "me"', 'name: "me"', 'expected a string in double quotes, found "n"'],
  ['accounts.json', '["7"]', `${'['.repeat(63)}"7"${']'.repeat(63)}`, '"7"', 'nested more than 64 levels deep'],
  [
    'campaigns.json',
    '[\n',
    '[{"advertiserId":"7","advertiserName":"Other","campaignId":"69","campaignName":"x",' +
      '"campaignStartDate":"2026-01-01 00:00:00","campaignEndDate":"2026-01-01 00:00:00","adunits":[]},\n',
    '{\n    "adv',
    'the advertiser 7 has another name or billing entity in a campaign before',
  ],
  ['campaigns.json', '"70"', '70', '70,', 'expected an id, a string of 1 to 20 digits such as "501"'],
  ['campaigns.json', '2026-01-01', '2026-02-30', '"2026-02-30', 'there is no date and time 2026-02-30 00:00:00'],
  ['campaigns.json', '-01-01 0', '-01-01T0', '"2026-01', 'expected a date and time such as "2026-11-01 00:00:00"'],
  ['campaigns.json', '2026-12-31', '2025-12-31', '{\n    "adv', 'the campaign ends before it starts'],
  ['campaigns.json', '"701"', '"700"', '"700", ', '"700" stands twice'],
  ['campaigns.json', '"Seven"', '""', '""', 'expected a text that is not empty'],
  ['campaigns.json', '"adunits": [', '"adunits": [[], ', '[], ', 'expected an object'],
  ['catalog.json', 'cityId', 'cityID', '"cityID"', 'unknown key "cityID"; did you mean "cityId"?'],
  ['catalog.json', '"name": "Paris"', '"label": "Paris"', '"label"', 'unknown key "label"; known: id, name'],
  ['catalog.json', '[{ "id": "2', '{}, "regionId": [{ "id": "2', '{}', 'expected an array'],
  ['facts.csv', 'displays,', 'dispalys,', 'dispalys', 'unknown column "dispalys"; did you mean "displays"?'],
  ['facts.csv', 'displays,', 'carrier,', 'carrier,revenueEuro', 'the column "carrier" stands twice'],
  ['facts.csv', 'hour,', 'requests,', 'requests', 'the column "hour" is missing'],
  ['facts.csv', ',100,1.5', ',100', '2026-11-01T10', '6 fields where the header has 7'],
  ['facts.csv', '00Z,700', '00Z,799', '799', 'there is no ad unit 799 in campaigns.json'],
  ['facts.csv', '2988507', '2988508', '2988508', 'there is no "cityId" 2988508 in catalog.json'],
  ['facts.csv', 'SFR,100', 'SFR,-1', '-1,', 'expected a whole number, 0 or more, found "-1"'],
  ['facts.csv', '0.05', '0.055', '0.055', 'expected an amount such as 12.34, found "0.055"'],
  [
    'facts.csv',
    '1793527200',
    '1793527201',
    '1793527201',
    'expected the first second of a UTC hour, such as 2026-11-01T13:00:00Z or 1793538000',
  ],
  ['facts.csv', '"Free, ""Mobile""",20', '"Free\n",x', 'x,0.05', 'expected a whole number, 0 or more, found "x"'],
  ['facts.csv', '"Free,', 'Free",', '", ""Mobile', 'a quote in a field that does not begin with one'],
  ['facts.csv', 'Mobile"""', 'Mobile"" "x', 'x,20', 'text after the quote that ends a field'],
  ['facts.csv', 'Mobile"""', 'Mobile""', '"Free', 'a quoted field that does not end'],
];

/** The line and column at which a text that occurs once begins; those of the end for the empty text. */
function placeIn(text: string, at: string): { line: number; column: number } {
  const offset = at === '' ? text.length : text.indexOf(at);
  if (at !== '') expect(text.split(at)).toHaveLength(2);
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

test('two places of one name are two, in the order of their ids', async () => {
  const twins = '{ "cityId": [{ "id": "100", "name": "Vienne" }, { "id": "20", "name": "Vienne" }] }';
  await writeFile(join(folder, 'catalog.json'), twins);
  const lines = ['100,5', '20,1', '100,5'].map((line) => `1793527200,700,${line}`);
  await writeFile(join(folder, 'facts.csv'), ['hour,adunitId,cityId,displays', ...lines].join('\n'));
  const fixtures = await loadFixtures(folder);
  const request = { ...day, metrics: ['displays'], breakdowns: ['CITY'] };
  const shown = async (filters: Record<string, string[]>) =>
    (await reportRows(fixtures, accountOf(fixtures, 'me'), { ...request, filters })).map((row) => [
      row.city,
      row.displays,
    ]);
  expect(await shown({})).toEqual([
    ['Vienne', 1],
    ['Vienne', 10],
  ]);
  expect(await shown({ cityId: ['100'] })).toEqual([['Vienne', 10]]);
});

describe('a mistake is told with file, line, column and reason', () => {
  test.each(mistakes)('%s: %j becomes %j', async (file, from, to, at, reason) => {
    const right = await readFile(join(folder, file), 'utf8');
    expect(right).toContain(from);
    const wrong = right.replace(from, to);
    await writeFile(join(folder, file), wrong);
    await expectMistake(file, placeIn(wrong, at), reason);
  });

  test.each([
    ['{"hour":1793527200,"adunitId":"700"', '', 'the file ends where "," or "}" should stand'],
    ['{"hour":1793527200,"adunitId":"700","clics":1}', '"clics"', 'unknown key "clics"; did you mean "clicks"?'],
    ['{"hour":1793527200,"adunitId":["700"]}', '["700"', 'expected a string, a number or null'],
    ['{"hour":1793527200,"clicks":1}', '{', 'the ad unit is missing'],
    [
      '{"hour":1793527200,"adunitId":"700","revenueEuro":1e30}',
      '1e30',
      'expected an amount such as 12.34, found "1e+30"',
    ],
    ['{"hour":1793527200,"adunitId":"700","creativeId":"x"}', '"x"', 'expected an id, 1 to 20 digits'],
    ['[1]', '[', 'expected an object'],
  ])('facts.ndjson: %s', async (text, at, reason) => {
    rmSync(join(folder, 'facts.csv'));
    await writeFile(join(folder, 'facts.ndjson'), `{"hour":1793527200,"adunitId":"701"}\n\n${text}`);
    await expectMistake('facts.ndjson', { line: 3, column: placeIn(text, at).column }, reason);
  });

  test('bytes that are no UTF-8', async () => {
    const accounts = join(folder, 'accounts.json');
    const right = await readFile(accounts);
    await writeFile(accounts, Buffer.from([...right, 0xff]));
    await expectMistake('accounts.json', undefined, 'the file is not UTF-8 text');
    await writeFile(accounts, right);
    await writeFile(
      join(folder, 'facts.csv'),
      Buffer.from([...Buffer.from('hour,adunitId,carrier\n1793527200,700,'), 0xff]),
    );
    await expectMistake('facts.csv', { line: 1, column: 1 }, 'the text from here on is not UTF-8');
  });

  test('facts without so much as a header', async () => {
    for (const text of ['', '\n\n']) {
      await writeFile(join(folder, 'facts.csv'), text);
      await expectMistake('facts.csv', { line: 1, column: 1 }, 'the header row is missing');
    }
  });

  test('a file that is missing, or one too many', async () => {
    await writeFile(join(folder, 'facts.ndjson'), '');
    await expectMistake('facts.ndjson', undefined, 'there is a facts.csv too; keep one of them');
    rmSync(join(folder, 'facts.ndjson'));
    rmSync(join(folder, 'facts.csv'));
    await expectMistake('facts.csv', undefined, 'there is no such file');
    rmSync(join(folder, 'catalog.json'));
    await expectMistake('catalog.json', undefined, 'there is no such file');
    rmSync(join(folder, 'accounts.json'));
    mkdirSync(join(folder, 'accounts.json'));
    await expectMistake('accounts.json', undefined, 'the file cannot be read (EISDIR)');
    rmSync(folder, { recursive: true });
    await expectMistake('campaigns.json', undefined, 'there is no such file');
    await expect(loadFixtures(folder)).rejects.toMatchObject({
      hint: expect.stringContaining('local-server export DIR'),
    });
  });

  async function expectMistake(file: FileName, place: { line: number; column: number } | undefined, reason: string) {
    const error: unknown = await loadFixtures(folder).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(FixtureError);
    const path = join(folder, file);
    expect(error).toMatchObject({
      message: `${path}${place ? `:${place.line}:${place.column}` : ''}: ${reason}${/[.?]$/.test(reason) ? '' : '.'}`,
      exitCode: 2,
      file: path,
      line: place?.line,
      column: place?.column,
      reason,
    });
  }
});
