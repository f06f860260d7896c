import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askedColumns } from '../../src/contract/columns.ts';
import { vocabularyOf } from '../../src/contract/look-up.ts';
import type { BreakdownName, Profile } from '../../src/contract/vocabulary.ts';
import { type LocalServer, startLocalServer } from '../../src/local-server.ts';
import { checkCompleteness } from '../../src/report/completeness.ts';
import { planReport, type ReportPlan } from '../../src/report/request/plan.ts';
import { readRows } from '../../src/rows/read-rows.ts';
import { encode } from '../output/encode.ts';
import { chunksOf } from '../rows/report-documents.ts';

/** A report that is what was asked for is never complained of; one that is damaged always is. */

let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer({ port: 0, delayMs: 0 });
});
afterAll(() => server.close());

type Document = { data: Record<string, unknown>[]; summary: { since: string; until: string } };

const times: readonly BreakdownName[] = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];

interface Request {
  readonly profile: Profile;
  readonly by: readonly BreakdownName[];
  readonly metrics: readonly string[];
  readonly period: string;
}

const requests: fc.Arbitrary<Request> = fc.constantFrom<Profile>('buyer', 'dsp').chain((profile) => {
  const names = vocabularyOf(profile).breakdowns.map(({ name }) => name);
  const others = names.filter((name) => !times.includes(name));
  return fc.record({
    profile: fc.constant(profile),
    by: fc
      .tuple(fc.option(fc.constantFrom(...times)), fc.subarray(others, { maxLength: 2 }))
      .map(([time, dimensions]) => [...dimensions, ...(time ? [time] : [])]),
    metrics: fc.shuffledSubarray(
      vocabularyOf(profile).metrics.map(({ name }) => name),
      { minLength: 1 },
    ),
    period: fc.constantFrom('2026-10-24..2026-10-26', '2026-03-28..2026-03-29', '2026-11-01', '2027-02-27..2027-03-01'),
  });
});

async function fetched({ profile, by, metrics, period }: Request): Promise<[ReportPlan, Document]> {
  const plan = planReport({ profile, by: by.join(), metrics: metrics.join(), period, nowMs: later, direct: true });
  const token = server.accounts.find((account) => account.profile === profile && !account.admin)?.token ?? '';
  const response = await fetch(`${server.url}/buyer-reporting`, {
    method: 'POST',
    headers: { authorization: token, accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ ...plan.request, metrics: plan.request.metrics.join(), filters: undefined }),
  });
  return [plan, (await response.json()) as Document];
}

const later = Date.UTC(2028, 0, 1);

/** What is said of a body; `exit 9` where it is refused. */
async function said(profile: Profile, plan: ReportPlan, body: string, contentType: string): Promise<string[]> {
  const columns = askedColumns(profile, plan.request);
  const { window, request } = plan;
  const check = checkCompleteness({ window, breakdowns: request.breakdowns, columns, nowMs: later });
  const batches = readRows(chunksOf(Buffer.from(body), 65_536), { contentType });
  try {
    for (;;) {
      const next = await batches.next();
      if (next.done) return check.problems(next.value);
      check.observe(next.value);
    }
  } catch (error) {
    return [`exit ${Object(error).exitCode}`];
  }
}

/** Each changes a document, or has nothing to change in it. */
const damages: Readonly<Record<string, (document: Document, plan: ReportPlan, pick: number) => Document | undefined>> =
  {
    'a dropped column': ({ data, summary }, plan, pick) => {
      const gone = fieldOf(plan, pick);
      return { data: data.map(({ [gone]: _, ...row }) => row), summary };
    },
    'a renamed column': ({ data, summary }, plan, pick) => {
      const field = fieldOf(plan, pick);
      return { data: data.map(({ [field]: value, ...row }) => ({ ...row, [`${field}X`]: value })), summary };
    },
    'a shifted window': ({ data, summary }, _plan, pick) => {
      const shifted = (text: string) =>
        `${new Date(Date.parse(text) + (pick + 1) * 3_600_000).toISOString().slice(0, 19)}+0000`;
      return { data, summary: { ...summary, since: shifted(summary.since), until: shifted(summary.until) } };
    },
    'a removed day': ({ data, summary }, { request }, pick) => {
      if (!['DAILY', 'HOURLY'].some((name) => request.breakdowns.includes(name as BreakdownName))) return undefined;
      const gone = data[pick % data.length]?.date;
      return { data: data.filter(({ date }) => date !== gone), summary };
    },
    'a doubled row': ({ data, summary }, { request }, pick) => {
      if (request.breakdowns.some((name) => ['REGION', 'DEPARTMENT', 'CITY', 'POSTALCODE'].includes(name)))
        return undefined;
      const at = pick % data.length;
      return { data: [...data.slice(0, at), ...data.slice(at, at + 1), ...data.slice(at)], summary };
    },
    'an added total': ({ data, summary }, { request }) => {
      if (request.breakdowns.length === 0 || data.length < 2) return undefined;
      const total: Record<string, unknown> = {};
      for (const [field, value] of data.flatMap((row) => Object.entries(row))) {
        total[field] = typeof value === 'number' ? Number(total[field] ?? 0) + value : (total[field] ?? null);
      }
      const isMoney = Object.values(data[0] ?? {}).some((value) => /^-?\d+,\d\d$/.test(String(value)));
      return isMoney && !request.breakdowns.some((name) => times.includes(name))
        ? undefined
        : { data: [...data, total], summary };
    },
  };

function fieldOf({ request }: ReportPlan, pick: number): string {
  const profile = request.timezone === undefined ? 'buyer' : 'dsp';
  const columns = askedColumns(profile, request);
  return columns[pick % columns.length]?.field ?? '';
}

test('nothing is said of a report that is what was asked for, and something of each damage', async () => {
  await fc.assert(
    fc.asyncProperty(requests, fc.nat(20), async (request, pick) => {
      const [plan, document] = await fetched(request);
      const asCsv = async (each: Document) => (await encode(JSON.stringify(each), 'csv', { select: 'all' })).text;
      expect(await said(request.profile, plan, JSON.stringify(document), 'application/json')).toEqual([]);
      expect(await said(request.profile, plan, await asCsv(document), 'text/csv')).toEqual([]);
      if (document.data.length === 0) return;
      for (const [name, damage] of Object.entries(damages)) {
        const damaged = damage(document, plan, pick);
        if (!damaged) continue;
        const found = await said(request.profile, plan, JSON.stringify(damaged), 'application/json');
        expect(found, name).not.toEqual([]);
        // A CSV body does not tell its window.
        if (name === 'a shifted window') continue;
        expect(await said(request.profile, plan, await asCsv(damaged), 'text/csv'), `${name}, CSV`).not.toEqual([]);
      }
      const [, ...headless] = (await asCsv(document)).split('\r\n');
      expect(await said(request.profile, plan, headless.join('\r\n'), 'text/csv')).toEqual(['exit 9']);
    }),
    { numRuns: 60 },
  );
});
