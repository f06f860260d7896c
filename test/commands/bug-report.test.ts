import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/**
 * The parts of a bug report, as in the topic `real-service`: they contain no secrets and no names
 * of clients.
 */

function expectNone({ stdout, stderr }: CliResult, texts: readonly string[]): void {
  expect(texts.filter((text) => `${stdout}${stderr}`.includes(text))).toEqual([]);
}

const traced = /GET .*\/campaigns → 200[\s\S]*--campaign “\[hidden\]” selects \[hidden\] \(\d+\)\./;

const report = 'run --period 2026-11-09 --by ADVERTISER,CAMPAIGN,ADUNIT -o x.csv -vv';

/**
 * Command lines with the placeholders CAMPAIGN, ADVERTISER and MISSPELT for names of the service.
 */
const traces: readonly {
  readonly what: string;
  readonly line: string;
  readonly faults: readonly string[];
  readonly exitCode: number;
  readonly says: RegExp;
}[] = [
  {
    what: 'a trace shows the calls and the ids',
    line: `${report} --campaign "CAMPAIGN" --advertiser "ADVERTISER*"`,
    faults: [],
    exitCode: 0,
    says: traced,
  },
  {
    what: 'a trace offers no names for one that is misspelt',
    line: `${report} --campaign "MISSPELT"`,
    faults: [],
    exitCode: 2,
    says: /Did you mean “\[hidden\]”/,
  },
  {
    what: 'a trace of a sign-in that is refused',
    line: report,
    faults: ['buyer:unauthorized', 'auth:401'],
    exitCode: 3,
    says: /\/auth-reporting → 401/,
  },
  {
    what: 'doctor --json',
    line: 'doctor --json',
    faults: [],
    exitCode: 0,
    says: /works: /,
  },
];

test.each(traces)('$what: neither names nor secrets', async (trace) => {
  const { run, server } = await serveForTest({ clock: Date.now }, 'admin');
  const account = server.accounts.find(({ name }) => name === 'admin');
  const { token = '', email = '', password = '' } = account ?? {};

  const list = await run('campaigns --ad-units --format json');
  const names: string[] = [];
  for (const adUnit of JSON.parse(list.stdout)) {
    names.push(adUnit.campaignName, adUnit.advertiserName, adUnit.adunitName);
  }
  const [campaign = '', advertiser = ''] = names;
  const misspelt = campaign.slice(0, -1);
  expect(new Set(names).size).toBeGreaterThan(20);

  for (const fault of trace.faults) server.fault(fault);
  const line = trace.line
    .replace('"CAMPAIGN"', `"${campaign}"`)
    .replace('"ADVERTISER*"', `"${advertiser.slice(0, 4)}*"`)
    .replace('"MISSPELT"', `"${misspelt}"`);
  const env = { ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password };

  const result = await run(line, { env, now: Date.now() });

  expect(result.exitCode).toBe(trace.exitCode);
  expect(result.stdout + result.stderr).toMatch(trace.says);
  if (line.includes('--advertiser')) expect(result.files['x.csv']).toContain(advertiser);
  expectNone(result, [...names, misspelt, token, email, password]);
});

test('doctor --json shows the shape of an unreadable list of campaigns, without its values', async () => {
  const unreadable = { answer: { list: [{ label: 'Acme "summer"', number: 12 }] } };
  const { env } = await serve(({ headers }, response) => {
    json(response, unreadable, headers.authorization ? 200 : 401);
  });

  const result = await runCli('doctor --json', { env, now: Date.now() });

  expect(result.exitCode).toBe(9);

  const shape = '{"answer":{"list":[{"label":"…","number":12}]}}';
  const finding = expect.objectContaining({ message: expect.stringContaining(shape) });
  expect(JSON.parse(result.stdout)).toContainEqual(finding);
  expectNone(result, ['Acme', 'summer', env.ADREPORT_TOKEN]);
});
