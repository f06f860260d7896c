import { describe, expect, test } from 'vitest';
import { call, day, type ReportDocument, refusalIn, smallReport, startForFile } from './local.ts';

/** Metrics and array parameters in each of their shapes (`decisions.md` 2). */

const { server, create } = await startForFile();

/** The data that a body asks for, whatever the encoding. */
async function dataFor(sent: { json?: unknown; form?: string; body?: string }): Promise<ReportDocument> {
  const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.stringMatching(/^\{"data"/)]);
  return JSON.parse(answer.text) as ReportDocument;
}

/** The metric fields of a row, in order. */
function metricsOf({ data }: ReportDocument): string[] {
  return Object.keys(data[0] ?? {}).filter((name) => /displays|clicks|leads|requests|value|revenue/.test(name));
}

describe('metrics', () => {
  test.each([
    ['a comma list', { json: { ...day, output: 'direct', metrics: ' clicks, displays ,clicks,, leads' } }],
    ['a JSON array', { json: { ...day, output: 'direct', metrics: ['clicks', 'displays', 'clicks', 'leads'] } }],
    ['a JSON object', { json: { ...day, output: 'direct', metrics: { 9: 'leads', 0: 'clicks', 4: 'displays' } } }],
    ['a form', { form: 'since=1767222000&until=1767308399&output=direct&metrics=clicks%2Cdisplays%2Cleads' }],
    [
      'a form with more & than it needs',
      { form: '&since=1767222000&&until=1767308399&output=direct&metrics=clicks,displays,leads&' },
    ],
    [
      'indexed keys',
      {
        form: 'since=1767222000&until=1767308399&output=direct&metrics[9]=leads&metrics[2]=clicks&metrics[3]=displays',
      },
    ],
    [
      'repeated keys',
      { form: 'since=1767222000&until=1767308399&output=direct&metrics=clicks&metrics=displays&metrics=leads' },
    ],
  ])('as %s: blanks trimmed, repeats dropped, order kept', async (_name, sent) => {
    expect(metricsOf(await dataFor(sent))).toEqual(['clicks', 'displays', 'leads']);
  });

  test.each([{}, { metrics: '' }, { metrics: [] }, { metrics: ' , ' }])('%j is missing', async (given) => {
    const answer = await create({ ...day, ...given });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'MISSING_PARAMETER']);
    expect(refusalIn(answer).details?.[0]).toMatchObject({
      parameter: 'metrics',
      allowed: expect.arrayContaining(['eyesTrackings']),
    });
  });

  test.each([
    ['click', 'clicks'],
    ['Displays', 'displays'],
    ['revenuEuro', 'revenueEuro'],
    ['eyestracking', 'eyesTrackings'],
  ])('%s: did you mean %s?', async (wrong, meant) => {
    const answer = await create({ ...day, metrics: `requests,${wrong}` });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
    expect(refusalIn(answer).details?.[0]?.problem).toContain(`did you mean ${meant}?`);
  });
});

describe('array parameters', () => {
  const head = 'since=1767222000&until=1767308399&output=direct&metrics=displays';
  const json = { ...smallReport, output: 'direct' };

  test.each([
    ['a JSON array', { json: { ...json, breakdowns: ['OS', 'CAMPAIGN'] } }],
    ['a JSON object', { json: { ...json, breakdowns: { 10: 'CAMPAIGN', 7: 'OS' } } }],
    ['indexed keys in ascending order', { form: `${head}&breakdowns[10]=CAMPAIGN&breakdowns[7]=OS` }],
    ['percent-encoded brackets', { form: `${head}&breakdowns%5B1%5D=OS&breakdowns%5B2%5D=CAMPAIGN` }],
    ['empty brackets', { form: `${head}&breakdowns[]=OS&breakdowns[]=CAMPAIGN` }],
    ['an index beyond 32 bits', { form: `${head}&breakdowns[4294967295]=CAMPAIGN&breakdowns[3]=OS` }],
    ['a repeated index', { form: `${head}&breakdowns[0]=OS&breakdowns[0]=CAMPAIGN` }],
    ['names in any case', { json: { ...json, breakdowns: ['os', 'Campaign', 'OS'] } }],
  ])('as %s', async (_name, sent) => {
    expect((await dataFor(sent)).summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  });

  test.each([
    ['one scalar', { json: { ...json, breakdowns: ['OS'], osId: '2' } }],
    ['a number', { json: { ...json, breakdowns: ['OS'], osId: 2 } }],
    ['a list of numbers', { json: { ...json, breakdowns: ['OS'], osId: [2] } }],
    ['a form scalar', { form: `${head}&breakdowns=OS&osId=2` }],
    ['a repeated value', { form: `${head}&breakdowns[5]=OS&osId[0]=2&osId[1]=2` }],
  ])('as %s', async (_name, sent) => {
    expect((await dataFor(sent)).data.map(({ os }) => os)).toEqual(['Android']);
  });

  test('have at most 1,000 values, in either encoding', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
    const asForm = (count: number) => [head, ...ids(count).map((id) => `campaignId[]=${id}`)].join('&');
    expect((await create({ ...smallReport, campaignId: ids(1_000) })).status).toBe(200);
    await dataFor({ form: asForm(1_000) });
    const tooMany = [
      await create({ ...smallReport, campaignId: ids(1_001) }),
      await call(server, '/buyer-reporting', { as: 'buyer', form: asForm(1_001) }),
      await create({ ...smallReport, breakdowns: Array.from({ length: 1_001 }, () => 'OS') }),
      await create({ ...smallReport, metrics: 'displays,'.repeat(1_001) }),
    ];
    expect(tooMany.map(refusalIn)).toEqual(
      ['campaignId', 'campaignId', 'breakdowns', 'metrics'].map((parameter) =>
        expect.objectContaining({
          error_id: 'INVALID_PARAMETER',
          details: [{ parameter, problem: 'has more than 1000 values.', allowed: 'at most 1000 values' }],
        }),
      ),
    );
  });

  test.each([[[['OS']]], [{ a: 'OS' }], [[true]], [[null]], [[{}]], [{ '-1': 'OS' }], [{ '1.5': 'OS' }], [true]])(
    '%j is no list of names',
    async (breakdowns) => {
      const answer = await create({ ...smallReport, breakdowns });
      expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'INVALID_PARAMETER']);
      expect(refusalIn(answer).details?.[0]?.parameter).toBe('breakdowns');
    },
  );
});
