import { describe, expect, test } from 'vitest';
import { vocabularyOf } from '../../src/contract/vocabulary.ts';
import {
  call,
  day,
  expectRefusal,
  jsonOf,
  type ReportDocument,
  refusalIn,
  reportOf,
  smallReport,
  startForFile,
} from './local.ts';

/** Requests that `POST /buyer-reporting` accepts and refuses (`decisions.md` 2 and 6). */

const { server, create } = await startForFile();

test.each([
  { since: 1767222000, until: 1767308399 },
  { since: '1767222000', until: '1767308399' },
  { since: ' 1767222000 ', until: '1767308399' },
  { since: 1767222000, until: 1767222000 },
])('the window from $since to $until is accepted', async ({ since, until }) => {
  expect((await create({ metrics: 'displays', since, until })).status).toBe(200);
});

describe('is refused with one fault that names the parameter', () => {
  const problem = (text: string | RegExp) => ({ problem: expect.stringMatching(text) });

  test.each<[object, string, object?]>([
    ...[1767222000.5, 'yesterday', [1767222000], 253402300800].map((since): [object, string] => [
      { since },
      'INVALID_PARAMETER',
    ]),
    [{ until: 1767222000000 }, 'INVALID_PARAMETER', problem(/milliseconds.*1767222000\b/)],
    [{ since: day.until + 1 }, 'INVALID_PARAMETER', problem('after until')],
    ...['csv', ['direct']].map((output): [object, string, object] => [
      { output },
      'INVALID_PARAMETER',
      { allowed: ['direct'] },
    ]),
    [
      { breakdowns: 'DAILY,OS' },
      'INVALID_PARAMETER',
      problem('send each breakdown as a separate value'),
    ],
    [{ osId: [2 ** 53 + 2] }, 'INVALID_PARAMETER', problem('as a string')],
    // The closest name is suggested.
    [{ breakdowns: ['CAMPAING'] }, 'INVALID_PARAMETER', problem('did you mean CAMPAIGN\\?')],
    [{ metrics: 'Displays' }, 'INVALID_PARAMETER', problem('did you mean displays\\?')],
    [{ advertiserID: ['1'] }, 'UNKNOWN_PARAMETER', problem('did you mean advertiserId\\?')],
  ])('%j', async (wrong, errorId, detail = {}) => {
    const [parameter] = Object.keys(wrong);
    expectRefusal(await create({ ...smallReport, ...wrong }), 400, errorId, {
      parameter,
      ...detail,
    });
  });
});

test.each(['', null])('the output %j is the same as no output', async (output) => {
  expect(jsonOf(await create({ ...smallReport, output }))).toMatchObject({
    response: { status: 'progress' },
  });
});

describe('timezone', () => {
  test('a DSP can use any zone that the platform knows; the default is Europe/Paris', async () => {
    for (const timezone of [
      'Asia/Kolkata',
      'UTC',
      'Etc/GMT+5',
      'America/Argentina/Buenos_Aires',
      'europe/paris',
    ]) {
      const { summary } = await reportOf(server, 'dsp', { ...smallReport, timezone });
      expect(summary.timezone).toBe(timezone);
    }
    expect((await reportOf(server, 'dsp', smallReport)).summary.timezone).toBe('Europe/Paris');
  });

  test.each([
    { timezone: 'Europe/Pari', advice: 'did you mean Europe/Paris?' },
    { timezone: '+02:00', advice: '' },
  ])('$timezone is refused', async ({ timezone, advice }) => {
    const problem = expect.stringContaining(advice);

    const answer = await create({ ...smallReport, timezone }, 'dsp');

    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'timezone', problem });
  });
});

test.each(['__proto__', 'constructor'])('the parameter %s is refused as unknown', async (name) => {
  const body = `{"since":1767222000,"until":1767308399,"metrics":"displays","${name}":{"since":1}}`;
  const form = `since=1767222000&until=1767308399&metrics=displays&${name}[since]=1&${name}=2`;
  // qs drops keys that would change a prototype.
  for (const sent of name === '__proto__' ? [{ body }] : [{ body }, { form }]) {
    const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
    expectRefusal(answer, 400, 'UNKNOWN_PARAMETER', { parameter: name });
  }
});

test('all faults of a request are listed at once', async () => {
  const answer = await create({
    since: 1767222000000,
    metrics: ['clicks', 'click', 'wombats'],
    breakdowns: ['DAILY', 'HOURLY', 'DAYLY'],
    advertiserId: ['1'],
    campaignId: ['abc'],
    output: 'file',
    colour: 'red',
  });
  const parameters =
    'since until metrics metrics breakdowns breakdowns advertiserId campaignId output colour'.split(
      ' ',
    );

  expectRefusal(
    answer,
    400,
    'INVALID_PARAMETER',
    ...parameters.map((parameter) => ({ parameter })),
  );
  expect(refusalIn(answer).error).toMatch(
    /^since: looks like milliseconds.*\. See details for 9 more errors\.$/,
  );
});

describe('not available to a DSP', () => {
  const dsp = vocabularyOf('dsp');
  const namesOf = (entries: readonly { readonly name: string }[]) =>
    entries.map(({ name }) => name);

  test.each([
    { parameter: 'metrics', value: 'clicks', allowed: namesOf(dsp.metrics) },
    { parameter: 'breakdowns', value: 'CAMPAIGN', allowed: namesOf(dsp.breakdowns) },
    {
      parameter: 'countryId',
      value: '1',
      allowed: ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'],
    },
  ])('$parameter', async ({ parameter, value, allowed }) => {
    const answer = await create({ ...smallReport, [parameter]: [value] }, 'dsp');

    expectRefusal(answer, 400, 'PROFILE_MISMATCH', { parameter, allowed });
  });
});

/** The report for a body in any encoding. */
async function dataFor(sent: { json?: unknown; form?: string }): Promise<ReportDocument> {
  const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([
    200,
    expect.stringMatching(/^\{"data"/),
  ]);
  return JSON.parse(answer.text) as ReportDocument;
}

describe('metrics', () => {
  const json = (metrics: unknown) => ({ json: { ...day, output: 'direct', metrics } });
  const form = (metrics: string) => ({
    form: `since=1767222000&until=1767308399&output=direct&${metrics}`,
  });

  test.each([
    { name: 'a comma list', sent: json(' clicks, displays ,clicks,, leads') },
    { name: 'a JSON array', sent: json(['clicks', 'displays', 'clicks', 'leads']) },
    { name: 'a form with extra &', sent: form('&&metrics=clicks,displays,leads&') },
    { name: 'repeated keys', sent: form('metrics=clicks&metrics=displays&metrics=leads') },
  ])('as $name: trimmed, without repeats, in order', async ({ sent }) => {
    const { data } = await dataFor(sent);
    const names = Object.keys(data[0] ?? {}).filter((name) =>
      /displays|clicks|leads|requests|value|rev/.test(name),
    );

    expect(names).toEqual(['clicks', 'displays', 'leads']);
  });

  test.each([{}, { metrics: [] }, { metrics: ' , ' }])('%j is missing', async (given) => {
    const allowed = expect.arrayContaining(['eyesTrackings']);
    expectRefusal(await create({ ...day, ...given }), 400, 'MISSING_PARAMETER', {
      parameter: 'metrics',
      allowed,
    });
  });
});

describe('array parameters', () => {
  const json = (more: object) => ({ json: { ...smallReport, output: 'direct', ...more } });
  const head = 'since=1767222000&until=1767308399&output=direct&metrics=displays';
  const form = (more: string) => ({ form: `${head}&${more}` });

  test.each([
    { name: 'a JSON array', sent: json({ breakdowns: ['OS', 'CAMPAIGN'] }) },
    { name: 'a JSON object', sent: json({ breakdowns: { 10: 'CAMPAIGN', 7: 'OS' } }) },
    {
      name: 'empty brackets of JSON',
      sent: json({ breakdowns: undefined, 'breakdowns[]': ['OS', 'CAMPAIGN'] }),
    },
    { name: 'names in any case', sent: json({ breakdowns: ['os', 'Campaign', 'OS'] }) },
  ])('as $name', async ({ sent }) => {
    expect((await dataFor(sent)).summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  });

  test.each([
    { name: 'one scalar', sent: json({ breakdowns: ['OS'], osId: '2' }) },
    { name: 'a repeated value', sent: form('breakdowns[5]=OS&osId[0]=2&osId[1]=2') },
  ])('as $name', async ({ sent }) => {
    expect((await dataFor(sent)).data.map(({ os }) => os)).toEqual(['Android']);
  });

  test('have at most 1,000 values, in either encoding', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
    const asForm = (count: number) =>
      form(
        ids(count)
          .map((id) => `campaignId[]=${id}`)
          .join('&'),
      );

    expect((await create({ ...smallReport, campaignId: ids(1_000) })).status).toBe(200);

    await dataFor(asForm(1_000));
    const tooMany = {
      campaignId: await create({ ...smallReport, campaignId: ids(1_001) }),
      breakdowns: await create({
        ...smallReport,
        breakdowns: Array.from({ length: 1_001 }, () => 'OS'),
      }),
      metrics: await create({ ...smallReport, metrics: 'displays,'.repeat(1_001) }),
    };
    const problem = 'has more than 1000 values.';

    for (const [parameter, answer] of Object.entries(tooMany)) {
      expectRefusal(answer, 400, 'INVALID_PARAMETER', {
        parameter,
        problem,
        allowed: 'at most 1000 values',
      });
    }

    const asked = await call(server, '/buyer-reporting', { as: 'buyer', ...asForm(1_001) });

    expectRefusal(asked, 400, 'INVALID_PARAMETER', { parameter: 'campaignId', problem });
  });

  test.each([{ breakdowns: [['OS']] }, { breakdowns: [null] }, { breakdowns: { '-1': 'OS' } }])(
    '$breakdowns is not a list of names',
    async ({ breakdowns }) => {
      const answer = await create({ ...smallReport, breakdowns });
      expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'breakdowns' });
    },
  );
});
