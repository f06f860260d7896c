import { describe, expect, test } from 'vitest';
import { serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What the topic `real-service` asks for in a bug report: it holds no secret and no client's name. */

const run = ['run', '--period', '2026-11-09', '--by', 'ADVERTISER,CAMPAIGN,ADUNIT', '-o', 'x.csv', '-vv'];

/** A service with its secrets and the names of its campaigns, ad units and advertisers, as a report file has them. */
async function serviceWithNames() {
  const service = await serveForTest({ clock: Date.now }, 'admin');
  const { token = '', email = '', password = '' } = service.server.accounts.find(({ name }) => name === 'admin') ?? {};
  const { stdout } = await service.run(['campaigns', '--ad-units', '--format', 'json']);
  const campaigns: { campaignName: string; advertiserName: string; adunits?: { adunitName: string }[] }[] =
    JSON.parse(stdout);
  const names = campaigns.flatMap(({ campaignName, advertiserName, adunits = [] }) => [
    ...[campaignName, advertiserName],
    ...adunits.map(({ adunitName }) => adunitName),
  ]);
  expect(new Set(names).size).toBeGreaterThan(20);
  const env = { ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password };
  return { ...service, env, names, secrets: [token, email, password] };
}

function expectNone({ stdout, stderr }: CliResult, texts: readonly string[]): void {
  const printed = stdout + stderr;
  expect(texts.filter((text) => printed.includes(text))).toEqual([]);
}

describe('a trace of run', () => {
  test('shows the calls and the ids, and neither names nor secrets', async () => {
    const { run: runSignedIn, env, names, secrets } = await serviceWithNames();
    const [campaign = '', advertiser = ''] = names;
    const flags = ['--campaign', campaign, '--advertiser', `${advertiser.slice(0, 4)}*`];
    const result = await runSignedIn([...run, ...flags], { env, now: Date.now() });
    expect(result.exitCode).toBe(0);
    expect(result.files['x.csv']).toContain(advertiser);
    expect(result.stderr).toMatch(/GET http.*\/campaigns → 200/);
    expect(result.stderr).toMatch(/--campaign \[hidden\]: \[hidden\] \(\d+\)\./);
    expectNone(result, [...names, ...secrets]);
  });

  test('offers no names for one that is misspelt', async () => {
    const { run: runSignedIn, env, names, secrets } = await serviceWithNames();
    const misspelt = `${names[0]?.slice(0, -1)}`;
    const result = await runSignedIn([...run, '--campaign', misspelt], { env, now: Date.now() });
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain('Did you mean "[hidden]"');
    expectNone(result, [...names, ...secrets, misspelt]);
  });

  test('holds no secret after a sign-in that is refused', async () => {
    const { run: runSignedIn, server, env, secrets } = await serviceWithNames();
    server.fault('buyer:unauthorized');
    server.fault('auth:401');
    const result = await runSignedIn(run, { env, now: Date.now() });
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain('/auth-reporting → 401');
    expectNone(result, secrets);
  });
});

describe('doctor --json', () => {
  test('holds neither names nor secrets', async () => {
    const { run: runSignedIn, env, names, secrets } = await serviceWithNames();
    const result = await runSignedIn(['doctor', '--json'], { env, now: Date.now() });
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toContain('works: ');
    expectNone(result, [...names, ...secrets]);
  });

  test('shows the shape of a list of campaigns that it cannot read, without what it holds', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(request.headers.authorization ? 200 : 401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ answer: { list: [{ label: 'Acme "summer"', number: 12 }] } }));
    });
    const env = { ADREPORT_BASE_URL: url.href, ADREPORT_TOKEN: 'f'.repeat(40) };
    const result = await runCli(['doctor', '--json'], { env, now: Date.now() });
    expect(result.exitCode).toBe(9);
    expect(JSON.parse(result.stdout).map(({ message }: { readonly message: string }) => message)).toContainEqual(
      expect.stringContaining('{"answer":{"list":[{"label":"…","number":12}]}}'),
    );
    expectNone(result, ['Acme', 'summer', env.ADREPORT_TOKEN]);
  });
});
