import { expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What the topic `real-service` asks for in a bug report: it holds no secret and no client's name. */

function expectNone({ stdout, stderr }: CliResult, texts: readonly string[]): void {
  expect(texts.filter((text) => `${stdout}${stderr}`.includes(text))).toEqual([]);
}

const traced = /GET .*\/campaigns → 200[\s\S]*--campaign \[hidden\]: \[hidden\] \(\d+\)\./;
test.each([
  [
    'a trace shows the calls and the ids',
    '--campaign CAMPAIGN --advertiser ADVERTISER',
    [],
    0,
    traced,
  ],
  [
    'a trace offers no names for one that is misspelt',
    '--campaign MISSPELT',
    [],
    2,
    /Did you mean "\[hidden\]"/,
  ],
  [
    'a trace of a sign-in that is refused',
    '',
    ['buyer:unauthorized', 'auth:401'],
    3,
    /\/auth-reporting → 401/,
  ],
  ['doctor --json', 'doctor --json', [], 0, /works: /],
] as const)('%s (%s): neither names nor secrets', async (_what, flags, faults, exitCode, says) => {
  const { run, server } = await serveForTest({ clock: Date.now }, 'admin');
  const {
    token = '',
    email = '',
    password = '',
  } = server.accounts.find(({ name }) => name === 'admin') ?? {};
  const records: {
    campaignName: string;
    advertiserName: string;
    adunits?: { adunitName: string }[];
  }[] = JSON.parse((await run('campaigns --ad-units --format json')).stdout);
  const names = records.flatMap(({ campaignName, advertiserName, adunits = [] }) => {
    return [campaignName, advertiserName, ...adunits.map(({ adunitName }) => adunitName)];
  });
  expect(new Set(names).size).toBeGreaterThan(20);
  const [campaign = '', advertiser = ''] = names;
  const words = {
    CAMPAIGN: campaign,
    ADVERTISER: `${advertiser.slice(0, 4)}*`,
    MISSPELT: campaign.slice(0, -1),
  };
  const given = flags.split(' ').map((word) => words[word as keyof typeof words] ?? word);
  const job = 'run --period 2026-11-09 --by ADVERTISER,CAMPAIGN,ADUNIT -o x.csv -vv'.split(' ');

  for (const fault of faults) server.fault(fault);
  const env = { ADREPORT_EMAIL: email, ADREPORT_PASSWORD: password };
  const result = await run(given[0] === 'doctor' ? given : [...job, ...given].filter(Boolean), {
    env,
    now: Date.now(),
  });
  expect(result.exitCode).toBe(exitCode);
  expect(result.stdout + result.stderr).toMatch(says);
  if (flags.includes('ADVERTISER')) expect(result.files['x.csv']).toContain(advertiser);
  expectNone(result, [...names, words.MISSPELT, token, email, password]);
});

test('doctor --json shows the shape of a list of campaigns that it cannot read, without what it holds', async () => {
  const { env } = await serve(({ headers }, response) => {
    json(
      response,
      { answer: { list: [{ label: 'Acme "summer"', number: 12 }] } },
      headers.authorization ? 200 : 401,
    );
  });
  const result = await runCli('doctor --json', { env, now: Date.now() });
  expect(result.exitCode).toBe(9);
  const messages = JSON.parse(result.stdout).map(
    ({ message }: { readonly message: string }) => message,
  );
  expect(messages).toContainEqual(
    expect.stringContaining('{"answer":{"list":[{"label":"…","number":12}]}}'),
  );
  expectNone(result, ['Acme', 'summer', env.ADREPORT_TOKEN]);
});
