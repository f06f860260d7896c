import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claims } from '../../src/doctor/claims.ts';
import { topics } from '../../src/help/index.ts';
import type { FaultObject } from '../../src/local-server.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

const line = 'doctor --service --yes --json';

interface ClaimResult {
  readonly id: string;
  readonly kind: string;
  readonly result: string;
  readonly detail: string | null;
}

const claimsIn = ({ stdout }: { readonly stdout: string }): readonly ClaimResult[] =>
  JSON.parse(stdout).claims;

/** The claims that do not hold: result and detail by id. */
function othersIn(result: { readonly stdout: string }): Record<string, string> {
  const others = claimsIn(result).filter(({ result: outcome }) => outcome !== 'holds');
  return Object.fromEntries(others.map((claim) => [claim.id, `${claim.result}: ${claim.detail}`]));
}

const signInOf = (account: string) => ({
  ADREPORT_EMAIL: `${account}@example.com`,
  ADREPORT_PASSWORD: 'demo',
});

const accounts = ['buyer', 'admin', 'dsp'] as const;

test.each(accounts)('%s: every claim holds, with at most ten reports', async (account) => {
  const { run, calls } = await serveForTest({}, account);

  const result = await run(line, { env: signInOf(account) });

  const lacking = account === 'dsp' ? ['campaigns', 'filters'] : [];
  expect(claimsIn(result)).toHaveLength(10);
  expect(Object.keys(othersIn(result))).toEqual(lacking);
  expect(result.exitCode).toBe(0);
  expect(calls('auth')).toBe(1);
  expect(calls('buyer')).toBeLessThanOrEqual(10);
  // Every report was listed beforehand.
  expect(result.stderr.match(/^ {2}- /gm)).toHaveLength(calls('buyer'));
});

const pairs = [
  { server: 'wall', setting: 'wall' },
  { server: 'wall', setting: 'instant' },
  { server: 'instant', setting: 'wall' },
] as const;

test.each(pairs)(
  'the service reads the clock “$server”, and the setting is “$setting”',
  async ({ server, setting }) => {
    const { run, cwd } = await serveForTest({ windowClock: server });
    writeFileSync(join(cwd, 'adreport.yaml'), `defaults: {window-clock: ${setting}}`);

    const result = await run(line);

    const advice = `adreport config set window-clock ${server}`;
    const differs = {
      'window-clock': expect.stringMatching(`^differs: .*${advice}`),
      days: 'not tried: the report has another period',
    };
    expect(othersIn(result)).toEqual(server === setting ? {} : differs);
    expect(result.exitCode).toBe(0);
  },
);

test('--local needs no account, asks nothing, and lists the claims', async () => {
  const { exitCode, stdout, stderr } = await runCli('doctor --service --local --profile dsp');

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^✓ {2}sums +returns daily rows that add up to the total$/m);
  expect(stdout).toMatch(/^- {2}filters +.*\n +→ not tried: DSP reports have no filters$/m);
  expect(stdout).toMatch(/\n10 claims: 8 hold, 0 differ, 2 not tried\.\n$/);
  expect(stderr).toMatch(
    /^About to request 4 small reports from the local server with the dsp profile:$/m,
  );
  expect(stderr).toMatch(/^ {2}- 2026-11-16 to 2026-11-18 by DAILY$/m);
});

test('without a terminal and without --yes: exit 2, and nothing is requested', async () => {
  const { run, calls } = await serveForTest();

  expectRefusal(await run('doctor --service'), 2, '--yes');
  expect(calls('buyer')).toBe(0);
});

type Row = Readonly<Record<string, unknown>>;

/** Changes the rows of reports by day. */
const days = (change: (row: Row) => Row): FaultObject => ({
  endpoint: 'download',
  change: ({ data, summary }) => {
    const isByDay = String(summary.breakdowns) === 'DAILY';
    return { data: isByDay ? data.map(change) : data, summary };
  },
});

const summary = (members: Row): FaultObject => ({
  endpoint: 'download',
  change: (document) => ({ data: document.data, summary: { ...document.summary, ...members } }),
});

const form = 'application/x-www-form-urlencoded';

interface OddService {
  readonly name: string;
  readonly fault: FaultObject;
  readonly account?: 'dsp';
  readonly id: string;
  readonly detail: RegExp;

  /** 9 for a documented claim. */
  readonly exitCode: 0 | 9;
}

const oddServices: readonly OddService[] = [
  {
    name: 'an unknown id is answered with 400',
    fault: { endpoint: 'status', kind: '400', when: ({ body }) => /^0+$/.test(String(body.id)) },
    id: 'unknown-id',
    detail: /400/,
    exitCode: 0,
  },
  {
    name: 'campaigns in an envelope',
    fault: { endpoint: 'campaigns', change: (campaigns) => ({ campaigns }) },
    id: 'campaigns',
    detail: /inside an object/,
    exitCode: 9,
  },
  {
    name: 'campaigns without ad units',
    fault: { endpoint: 'campaigns', answer: { body: '[{"campaignId":"1","campaignName":"x"}]' } },
    id: 'campaigns',
    detail: /a campaign has no adunits/,
    exitCode: 9,
  },
  {
    name: 'reports without a summary',
    fault: { endpoint: 'download', change: ({ data }) => ({ data }) },
    id: 'formats',
    detail: /no summary/,
    exitCode: 9,
  },
  {
    name: 'no forms',
    fault: {
      endpoint: 'buyer',
      kind: '415',
      when: ({ headers }) => headers['content-type'] === form,
    },
    id: 'encodings',
    detail: /a form body is refused: .*415/,
    exitCode: 9,
  },
  {
    name: 'forms only',
    fault: {
      endpoint: 'buyer',
      kind: '415',
      when: ({ headers }) => headers['content-type'] !== form,
    },
    id: 'encodings',
    detail: /415.*adreport config set encoding form/,
    exitCode: 9,
  },
  {
    name: 'dates in another form',
    fault: days((row) => ({ ...row, date: '17/11/2026' })),
    id: 'days',
    detail: /The date of 3 rows .* could not be read: "17\/11\/2026"/,
    exitCode: 9,
  },
  {
    name: 'a DSP’s zone that is ignored',
    fault: summary({ timezone: 'Europe/Paris' }),
    account: 'dsp',
    id: 'days',
    detail: /Europe\/Paris instead of Asia\/Tokyo/,
    exitCode: 9,
  },
  {
    name: 'days that do not add up',
    fault: days((row) => ({ ...row, displays: 5 })),
    id: 'sums',
    detail: /displays: 15 by day, \d+ in total/,
    exitCode: 9,
  },
  {
    name: 'a filter without effect',
    fault: {
      endpoint: 'download',
      change: ({ data, summary }) => ({
        data: data.map((row, index) => (row.date ? row : { ...row, campaignId: `${index}` })),
        summary,
      }),
    },
    id: 'filters',
    detail: /filtered by a campaign, the report has no rows/,
    exitCode: 9,
  },
];

describe('a service that differs', () => {
  test.each(oddServices)('$name', async ({ fault, account, id, detail, exitCode }) => {
    const { run, server } = await serveForTest({}, account);
    server.fault(fault);

    const result = await run(line);

    expect(othersIn(result)[id]).toMatch(new RegExp(`^differs: .*${detail.source}`));
    const differing = claimsIn(result).filter(({ result: outcome }) => outcome === 'differs');
    expect(differing.map((claim) => claim.id)).toEqual([id]);
    expect(result.exitCode).toBe(exitCode);
    expect(result.stdout + result.stderr).not.toMatch(/[0-9a-f]{40}/);
  });
});

test('if the service cannot be reached, the results so far are printed: exit 5', async () => {
  const { run } = await serveForTest({ faults: ['buyer:503'] });

  const result = await run(line);

  expect(result.exitCode).toBe(5);
  expect(claimsIn(result).find(({ id }) => id === 'campaigns')?.result).toBe('holds');
  expect(othersIn(result).sums).toMatch(/^not tried: .*503/);
});

test('the help topic lists the claims', () => {
  const rows = [
    ...(topics['real-service'] ?? '').matchAll(/^\| `([\w-]+)` \| (\w+) \| (.*) \|$/gm),
  ];

  expect(claims).toHaveLength(10);
  const table = claims.map(({ id, kind, sentence, dspSkipReason: dspLacks }) => {
    const note = dspLacks === undefined ? '' : ' (buyer)';
    return [id, kind, sentence + note];
  });
  expect(rows.map(([, ...cells]) => cells)).toEqual(table);
});
