import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { campaignsOf } from '../../src/server/fixtures/fixtures.ts';
import { loadFixtures } from '../../src/server/fixtures/load.ts';
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
    const hour = '2026-11-01T11:00:00+0100';
    const first = { hour, adId: '700', adName: 'first', adUnitLimitType: '0', adUnitLimitValue: '0' };
    const second = { hour, adId: '701', adName: 'second', adUnitLimitType: '1', adUnitLimitValue: '50' };
    expect(rows).toMatchObject([
      { ...first, city: 'Paris', carrier: 'SFR', displays: 100, revenueEuro: 1.5 },
      { ...first, city: null, carrier: null, displays: 3, revenueEuro: 0 },
      { ...second, city: null, carrier: 'Free, "Mobile"', displays: 20, revenueEuro: 0.05 },
    ]);
    const units = [
      { adunitName: 'first', adunitId: '700' },
      { adunitName: 'second', adunitId: '701' },
    ];
    const [campaign] = JSON.parse(files['campaigns.json']);
    expect(campaignsOf(fixtures, accountOf(fixtures, 'all'))).toEqual([{ ...campaign, adunits: units }]);
  });

  test('may have their facts as NDJSON, ids and amounts as strings or numbers', async () => {
    const request = { ...day, metrics: ['displays', 'revenueEuro'], breakdowns: ['ADUNIT', 'CITY', 'CARRIER'] };
    const report = async () => {
      const fixtures = await loadFixtures(folder);
      return reportJson(fixtures, accountOf(fixtures, 'me'), request);
    };
    const before = await report();
    rmSync(join(folder, 'facts.csv'));
    await writeFile(
      join(folder, 'facts.ndjson'),
      `{"hour":"2026-11-01T10:00:00Z","adunitId":700,"countryId":"3017382","cityId":2988507,"carrier":"SFR","displays":100,"revenueEuro":1.5}

{"hour":"2026-11-01T11:00:00+0100","adunitId":"701","countryId":3017382,"carrier":"Free, \\"Mobile\\"","displays":"20","revenueEuro":"0.05"}
{"hour":1793527200,"adunitId":"700","displays":3,"carrier":null,"cityId":""}`,
    );
    expect(await report()).toBe(before);
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

/** A file, what is changed in it, the line on which the mistake then is, and what is said of it. */
type Mistake = readonly [file: FileName, from: string, to: string, line: number, reason: string];

const mistakes: readonly Mistake[] = [
  ['accounts.json', '"token": "t0ken",', '"tokn": "t0ken",', 2, 'Unrecognized key: "tokn"'],
  ['accounts.json', '"token": "t1", ', '', 3, 'token: Invalid input: expected string, received undefined'],
  [
    'accounts.json',
    '"buyer", "admin"',
    '"seller", "admin"',
    3,
    'profile: Invalid option: expected one of "buyer"|"dsp"',
  ],
  ['accounts.json', '"admin": true', '"admin": 1', 3, 'admin: Invalid input: expected boolean, received number'],
  ['accounts.json', '"me@example.com"', '"me@"', 2, 'email: expected an e-mail address'],
  ['accounts.json', '["7"]', '["8"]', 2, 'advertiserIds: no campaign is of this advertiser'],
  ['accounts.json', '\n]', '\n]~', 4, 'this is not JSON: '],
  ['campaigns.json', '"70"', '70', 5, 'campaignId: Invalid input: expected string, received number'],
  ['campaigns.json', '2026-01-01', '2026-02-30', 7, 'campaignStartDate: expected a date and time such as'],
  ['campaigns.json', '"701"', '"700"', 9, 'adunits.adunitId: this stands twice'],
  ['campaigns.json', '"Seven"', '""', 4, 'advertiserName: Too small: expected string to have >=1 characters'],
  ['campaigns.json', '"adunits": [', '"adunits": [[], ', 9, 'adunits: Invalid input: expected object, received array'],
  ['catalog.json', 'cityId', 'cityID', 1, 'Unrecognized key: "cityID"'],
  ['catalog.json', '"name": "Paris"', '"label": "Paris"', 1, 'cityId: Unrecognized key: "label"'],
  ['facts.csv', 'displays,', 'dispalys,', 1, '"dispalys" is unknown, or stands twice; known: hour, '],
  ['facts.csv', 'hour,', 'requests,', 2, 'hour: expected the first second of a UTC hour'],
  ['facts.csv', ',100,1.5', ',100', 2, 'Invalid Record Length: '],
  ['facts.csv', '00Z,700', '00Z,799', 2, 'adunitId: expected an ad unit of campaigns.json, found "799"'],
  ['facts.csv', '2988507', '2988508', 2, 'cityId: expected an id of catalog.json, found "2988508"'],
  ['facts.csv', 'SFR,100', 'SFR,-1', 2, 'displays: expected a whole number, 0 or more, found "-1"'],
  ['facts.csv', '0.05', '0.055', 3, 'revenueEuro: expected an amount such as 12.34, found "0.055"'],
  ['facts.csv', '1793527200', '1793527201', 4, 'hour: expected the first second of a UTC hour, such as 2026-11-01T13'],
  ['facts.csv', 'Mobile"""', 'Mobile""', 4, 'Quote Not Closed: '],
];

describe('a mistake is told with file, line and reason', () => {
  test.each(mistakes)('%s: %j becomes %j', async (file, from, to, line, reason) => {
    const right = await readFile(join(folder, file), 'utf8');
    expect(right).toContain(from);
    await writeFile(join(folder, file), right.replace(from, to));
    await expectMistake(file, line, reason);
  });

  test.each([
    ['{"hour":1793527200,"adunitId":"700"', 'this is not JSON: '],
    ['{"hour":1793527200,"adunitId":"700","clics":1}', '"clics" is unknown, or stands twice'],
    ['{"hour":1793527200,"adunitId":["700"]}', 'expected an object of strings, numbers and nulls'],
    ['{"hour":1793527200,"clicks":1}', 'adunitId: expected an ad unit of campaigns.json, found ""'],
    ['{"hour":1793527200,"adunitId":"700","revenueEuro":1e30}', 'revenueEuro: expected an amount such as 12.34'],
    ['{"hour":1793527200,"adunitId":"700","creativeId":"x"}', 'creativeId: expected an id of digits'],
    ['[1]', 'expected an object of strings'],
  ])('facts.ndjson: %s', async (text, reason) => {
    rmSync(join(folder, 'facts.csv'));
    await writeFile(join(folder, 'facts.ndjson'), `{"hour":1793527200,"adunitId":"701"}\n\n${text}`);
    await expectMistake('facts.ndjson', 3, reason);
  });

  test('bytes that are no UTF-8', async () => {
    const accounts = join(folder, 'accounts.json');
    const right = await readFile(accounts);
    await writeFile(accounts, Buffer.from([...right, 0xff]));
    await expectMistake('accounts.json', 1, 'the text from here on is not UTF-8');
    await writeFile(accounts, right);
    const facts = Buffer.from([...Buffer.from('hour,adunitId,carrier\n1793527200,700,'), 0xff]);
    await writeFile(join(folder, 'facts.csv'), facts);
    await expectMistake('facts.csv', 1, 'the text from here on is not UTF-8');
  });

  test('a file that is missing, or one too many', async () => {
    await writeFile(join(folder, 'facts.ndjson'), '');
    await expectMistake('facts.ndjson', undefined, 'there is a facts.csv too; keep one of them');
    rmSync(join(folder, 'facts.ndjson'));
    rmSync(join(folder, 'facts.csv'));
    await expectMistake('facts.csv', undefined, 'there is no such file');
    rmSync(join(folder, 'accounts.json'));
    mkdirSync(join(folder, 'accounts.json'));
    await expectMistake('accounts.json', undefined, 'this is not a regular file');
    rmSync(folder, { recursive: true });
    await expectMistake('campaigns.json', undefined, 'there is no such file');
    await expect(loadFixtures(folder)).rejects.toMatchObject({
      hint: expect.stringContaining('local-server export DIR'),
    });
  });

  test.runIf(process.platform !== 'win32')('a FIFO, which would never end', async () => {
    for (const file of ['catalog.json', 'facts.csv'] as const) {
      const right = await readFile(join(folder, file));
      rmSync(join(folder, file));
      execFileSync('mkfifo', [join(folder, file)]);
      await expectMistake(file, undefined, 'this is not a regular file');
      rmSync(join(folder, file));
      await writeFile(join(folder, file), right);
    }
  });

  test('what is longer than anybody writes', async () => {
    const long = 'x'.repeat(20_000_000);
    await writeFile(join(folder, 'facts.csv'), `hour,adunitId,carrier\n1793527200,700,"${long}"\n`);
    await expectMistake('facts.csv', 2, 'Max Record Size: ');
    rmSync(join(folder, 'facts.csv'));
    await writeFile(join(folder, 'facts.ndjson'), `{"hour":1793527200,"adunitId":"700","carrier":"${long}"}`);
    await expectMistake('facts.ndjson', 1, 'Max Record Size: ');
    await writeFile(join(folder, 'catalog.json'), JSON.stringify({ countryId: [{ id: '1', name: long }] }));
    await expectMistake('catalog.json', undefined, 'the file has more than 16 MB');
  });

  async function expectMistake(file: FileName, line: number | undefined, reason: string) {
    const error: unknown = await loadFixtures(folder).catch((caught: unknown) => caught);
    const place = `${join(folder, file)}${line === undefined ? '' : `:${line}`}`;
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining(`${place}: ${reason}`) });
  }
});
