import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What the topic `real-service` asks for in a bug report: it holds no secret and no client's name. */

const run = 'run --period 2026-11-09 --by ADVERTISER,CAMPAIGN,ADUNIT -o x.csv -vv';

/** A service with its secrets and the names of its campaigns, ad units and advertisers, as a report file has them. */
async function serviceWithNames() {
  const service = await serveForTest({ clock: Date.now }, 'admin');
  const { token = '', email = '', password = '' } = service.server.accounts.find(({ name }) => name === 'admin') ?? {};
  const { stdout } = await service.run('campaigns --ad-units --format json');
  const campaigns: { campaignName: string; advertiserName: string; adunits?: { adunitName: string }[] }[] =
    JSON.parse(stdout);
  const names = campaigns.flatMap(({ campaignName, advertiserName, adunits = [] }) => [
    ...[campaignName, advertiserName],
    ...adunits.map(({ adunitName }) => adunitName),
  ]);
  expect(new Set(names).size).toBeGreaterThan(20);
  const options = { env: { ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password }, now: Date.now() };
  return { ...service, options, names, secrets: [token, email, password] };
}

function expectNone({ stdout, stderr }: CliResult, texts: readonly string[]): void {
  const printed = stdout + stderr;
  expect(texts.filter((text) => printed.includes(text))).toEqual([]);
}

test('a trace of run shows the calls and the ids, and neither names nor secrets', async () => {
  const { run: runSignedIn, options, names, secrets } = await serviceWithNames();
  const [campaign = '', advertiser = ''] = names;
  const flags = ['--campaign', campaign, '--advertiser', `${advertiser.slice(0, 4)}*`];
  const result = await runSignedIn([...run.split(' '), ...flags], options);
  expect(result.exitCode).toBe(0);
  expect(result.files['x.csv']).toContain(advertiser);
  expect(result.stderr).toMatch(/GET http.*\/campaigns → 200/);
  expect(result.stderr).toMatch(/--campaign \[hidden\]: \[hidden\] \(\d+\)\./);
  expectNone(result, [...names, ...secrets]);
});

test('a trace offers no names for one that is misspelt', async () => {
  const { run: runSignedIn, options, names, secrets } = await serviceWithNames();
  const misspelt = `${names[0]?.slice(0, -1)}`;
  const result = await runSignedIn([...run.split(' '), '--campaign', misspelt], options);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toContain('Did you mean "[hidden]"');
  expectNone(result, [...names, ...secrets, misspelt]);
});

test('a trace holds no secret after a sign-in that is refused', async () => {
  const { run: runSignedIn, server, options, secrets } = await serviceWithNames();
  server.fault('buyer:unauthorized');
  server.fault('auth:401');
  const result = await runSignedIn(run, options);
  expect(result.exitCode).toBe(3);
  expect(result.stderr).toContain('/auth-reporting → 401');
  expectNone(result, secrets);
});

test('doctor --json holds neither names nor secrets', async () => {
  const { run: runSignedIn, options, names, secrets } = await serviceWithNames();
  const result = await runSignedIn('doctor --json', options);
  expect(result.exitCode).toBe(0);
  expect(result.stdout).toContain('works: ');
  expectNone(result, [...names, ...secrets]);
});

test('doctor --json shows the shape of a list of campaigns that it cannot read, without what it holds', async () => {
  const { env } = await serve(({ headers }, response) => {
    json(response, { answer: { list: [{ label: 'Acme "summer"', number: 12 }] } }, headers.authorization ? 200 : 401);
  });
  const result = await runCli('doctor --json', { env, now: Date.now() });
  expect(result.exitCode).toBe(9);
  const messages = JSON.parse(result.stdout).map(({ message }: { readonly message: string }) => message);
  expect(messages).toContainEqual(expect.stringContaining('{"answer":{"list":[{"label":"…","number":12}]}}'));
  expectNone(result, ['Acme', 'summer', env.ADREPORT_TOKEN]);
});
