import { describe, expect, test } from 'vitest';
import { call, day, expectRefusal, type ReportDocument, smallReport, startForFile } from './local.ts';

/** Metrics and array parameters in each of their shapes (`decisions.md` 2). */

const { server, create } = await startForFile();

/** The data that a body asks for, whatever the encoding. */
async function dataFor(sent: { json?: unknown; form?: string }): Promise<ReportDocument> {
  const answer = await call(server, '/buyer-reporting', { as: 'buyer', ...sent });
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.stringMatching(/^\{"data"/)]);
  return JSON.parse(answer.text) as ReportDocument;
}

describe('metrics', () => {
  const json = (metrics: unknown) => ({ json: { ...day, output: 'direct', metrics } });
  const form = (metrics: string) => ({ form: `since=1767222000&until=1767308399&output=direct&${metrics}` });

  test.each([
    ['a comma list', json(' clicks, displays ,clicks,, leads')],
    ['a JSON array', json(['clicks', 'displays', 'clicks', 'leads'])],
    ['a JSON object', json({ 9: 'leads', 0: 'clicks', 4: 'displays' })],
    ['a form', form('metrics=clicks%2Cdisplays%2Cleads')],
    ['a form with more & than it needs', form('&&metrics=clicks,displays,leads&')],
    ['indexed keys', form('metrics[9]=leads&metrics[2]=clicks&metrics[3]=displays')],
    ['repeated keys', form('metrics=clicks&metrics=displays&metrics=leads')],
  ])('as %s: blanks trimmed, repeats dropped, order kept', async (_name, sent) => {
    const { data } = await dataFor(sent);
    const names = Object.keys(data[0] ?? {}).filter((name) => /displays|clicks|leads|requests|value|rev/.test(name));
    expect(names).toEqual(['clicks', 'displays', 'leads']);
  });

  test.each([{}, { metrics: '' }, { metrics: [] }, { metrics: ' , ' }])('%j is missing', async (given) => {
    const allowed = expect.arrayContaining(['eyesTrackings']);
    expectRefusal(await create({ ...day, ...given }), 400, 'MISSING_PARAMETER', { parameter: 'metrics', allowed });
  });
});

describe('array parameters', () => {
  const json = (more: object) => ({ json: { ...smallReport, output: 'direct', ...more } });
  const head = 'since=1767222000&until=1767308399&output=direct&metrics=displays';
  const form = (more: string) => ({ form: `${head}&${more}` });

  test.each([
    ['a JSON array', json({ breakdowns: ['OS', 'CAMPAIGN'] })],
    ['a JSON object', json({ breakdowns: { 10: 'CAMPAIGN', 7: 'OS' } })],
    ['indexed keys in ascending order', form('breakdowns[10]=CAMPAIGN&breakdowns[7]=OS')],
    ['percent-encoded brackets', form('breakdowns%5B1%5D=OS&breakdowns%5B2%5D=CAMPAIGN')],
    ['empty brackets', form('breakdowns[]=OS&breakdowns[]=CAMPAIGN')],
    ['an index beyond 32 bits', form('breakdowns[4294967295]=CAMPAIGN&breakdowns[3]=OS')],
    ['a repeated index', form('breakdowns[0]=OS&breakdowns[0]=CAMPAIGN')],
    ['names in any case', json({ breakdowns: ['os', 'Campaign', 'OS'] })],
  ])('as %s', async (_name, sent) => {
    expect((await dataFor(sent)).summary.breakdowns).toEqual(['OS', 'CAMPAIGN']);
  });

  test.each([
    ['one scalar', json({ breakdowns: ['OS'], osId: '2' })],
    ['a number', json({ breakdowns: ['OS'], osId: 2 })],
    ['a list of numbers', json({ breakdowns: ['OS'], osId: [2] })],
    ['a form scalar', form('breakdowns=OS&osId=2')],
    ['a repeated value', form('breakdowns[5]=OS&osId[0]=2&osId[1]=2')],
  ])('as %s', async (_name, sent) => {
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
      breakdowns: await create({ ...smallReport, breakdowns: Array.from({ length: 1_001 }, () => 'OS') }),
      metrics: await create({ ...smallReport, metrics: 'displays,'.repeat(1_001) }),
    };
    const problem = 'has more than 1000 values.';
    for (const [parameter, answer] of Object.entries(tooMany)) {
      expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter, problem, allowed: 'at most 1000 values' });
    }
    const asked = await call(server, '/buyer-reporting', { as: 'buyer', ...asForm(1_001) });
    expectRefusal(asked, 400, 'INVALID_PARAMETER', { parameter: 'campaignId', problem });
  });

  test.each([[[['OS']]], [{ a: 'OS' }], [[true]], [[null]], [[{}]], [{ '-1': 'OS' }], [{ '1.5': 'OS' }], [true]])(
    '%j is no list of names',
    async (breakdowns) => {
      const answer = await create({ ...smallReport, breakdowns });
      expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'breakdowns' });
    },
  );
});
