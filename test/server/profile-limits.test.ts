import { expect, test } from 'vitest';
import { breakdowns, filters, metrics } from '../../src/contract/vocabulary.ts';
import { day, refusalIn, smallReport, startForFile } from './local.ts';

/** What a DSP may not ask for (service specification, POST /buyer-reporting; `decisions.md` 2). */

const { create } = await startForFile();

const allowed = {
  metrics: ['displays', 'revenueEuro', 'revenueDollar'],
  breakdowns: ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE', 'FORMAT', 'BUNDLEID'],
  others: ['since', 'until', 'metrics', 'breakdowns', 'timezone', 'output'],
};
const refused = [
  ...metrics.map(({ name }) => ['metrics', name, { ...day, metrics: name }, allowed.metrics] as const),
  ...breakdowns.map(
    ({ name }) => ['breakdowns', name, { ...smallReport, breakdowns: [name] }, allowed.breakdowns] as const,
  ),
].filter(([, name, , own]) => !own.includes(name));

test('the lists are those of the specification', () => expect(refused).toHaveLength(6 + 18));

test.each(refused)('%s: a DSP has no %s', async (parameter, value, request, own) => {
  const answer = await create(request, 'dsp');
  expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'PROFILE_MISMATCH']);
  expect(refusalIn(answer).details).toEqual([{ parameter, value, problem: expect.any(String), allowed: own }]);
});

test.each(filters.map(({ name }) => name))('a DSP has no filter %s', async (parameter) => {
  const answer = await create({ ...smallReport, [parameter]: ['1'] }, 'dsp');
  expect([answer.status, refusalIn(answer).error_id]).toEqual([400, 'PROFILE_MISMATCH']);
  expect(refusalIn(answer).details).toEqual([{ parameter, problem: expect.any(String), allowed: allowed.others }]);
});
