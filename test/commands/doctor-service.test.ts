import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../src/contract/messages.ts';
import { statements } from '../../src/contract/statements.ts';
import { topics } from '../../src/help/index.ts';
import campaigns from '../../src/server/world/campaigns.json' with { type: 'json' };
import { oddServices } from '../contract/odd-services.ts';
import { tokens } from '../server/local.ts';
import {
  differencesOf,
  examinationLine as line,
  othersIn,
  resultsIn,
} from '../support/examination.ts';
import { serve } from '../support/http-server.ts';
import { serveOdd } from '../support/odd-service.ts';
import { expectShapesOnly } from '../support/recording-property.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** Built-in names and ids that must not appear in a recording. */
const namesOfCampaigns = campaigns.flatMap(({ campaignId, campaignName }) => [
  campaignId,
  campaignName,
]);

type Row = Readonly<Record<string, unknown>>;

/** A service that changes the answers of one endpoint. */
const oddService = (endpoint: EndpointName, change: (document: unknown) => unknown) => ({
  faults: [{ endpoint, change }],
});

const accounts = ['buyer', 'dsp'] as const;
const signInOf = (account: string) => ({
  ADREPORT_EMAIL: `${account}@example.com`,
  ADREPORT_PASSWORD: 'demo',
});

describe('against the local server', () => {
  test.each(accounts)('%s: every statement holds, with at most ten reports', async (account) => {
    const { run, calls } = await serveForTest({}, account);

    const result = await run(line, { env: signInOf(account) });

    expect(othersIn(result)).toEqual({});
    expect(result.exitCode).toBe(0);
    expect(calls('buyer')).toBeLessThanOrEqual(10);
    const ofProfile = statements.filter(({ profiles }) =>
      profiles.some((name) => name === account),
    );
    expect(resultsIn(result).map(({ id }) => id)).toEqual(ofProfile.map(({ id }) => id));
  });

  const clocks = ['instant', 'wall'] as const;
  const pairs = clocks.flatMap((server) => clocks.map((setting) => ({ server, setting })));
  const cases = accounts.flatMap((account) => pairs.map((pair) => ({ account, ...pair })));

  test.each(cases)(
    '$account: the service reads the clock “$server”, the setting is “$setting”',
    async ({ account, server, setting }) => {
      const { run, cwd } = await serveForTest({ windowClock: server }, account);
      writeFileSync(join(cwd, 'adreport.yaml'), `defaults: {windowClock: ${setting}}`);

      const result = await run(line, { env: signInOf(account) });

      const times = server === 'wall' ? 'wall times' : 'instants';
      const advice = `it reads since and until as ${times}: adreport config set window-clock ${server}`;
      const isSet = server === setting;
      expect(othersIn(result)).toEqual(isSet ? {} : { S33: `differs: ${advice}` });
      expect(result.exitCode).toBe(0);
    },
  );

  test.each(accounts)('--local as %s needs no account and asks nothing', async (account) => {
    const { exitCode, stdout, stderr } = await runCli(
      `doctor --service --local --profile ${account}`,
    );

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^✓ {2}S19 {3}sends days that add up to the total of the same window$/m);
    expect(stdout).toMatch(/\n\d+ statements: \d+ hold, 0 differ, 0 not tried\.\n$/);
    const [firstLine, secondLine] = stderr.split('\n');
    expect(firstLine).toMatch(/^This orders \d+ small reports from the local server, with the /);
    expect(secondLine).toMatch(/^ {2}- 2026-11-16 to 2026-11-18 by DAILY$/);
  });

  test('an administrator with a token: statements that are not tried have a reason', async () => {
    const { run } = await serveForTest({ lenient: true }, 'admin');

    const result = await run(line);

    expect(othersIn(result)).toEqual({
      S01: expect.stringMatching(/^not tried: .*ADREPORT_PASSWORD/),
      S26: expect.stringMatching(/^differs: 200/),
      S29: expect.stringMatching(/^not tried: .*administrator/),
    });
    expect(result.exitCode).toBe(0);
  });
});

test('without a terminal and without --yes: exit 2, and nothing is ordered', async () => {
  const { run, calls } = await serveForTest();

  const result = await run('doctor --service');

  expectRefusal(result, 2, '--yes');
  expect(calls('buyer')).toBe(0);
});

describe('a service that differs', () => {
  test('every statement differs for some odd service', () => {
    // A test below covers S02.
    const ids = new Set<unknown>(['S02']);
    for (const { doctor } of Object.values(oddServices)) for (const id of doctor) ids.add(id);

    expect(statements.map(({ id }) => id).filter((id) => !ids.has(id))).toEqual([]);
  });

  // long/service-examination.test.ts has all of them.
  const others = Object.entries(oddServices).filter(([, { isLiteral }]) => !isLiteral);
  const samples = others.filter((_entry, index) => index % 25 === 0);

  test.each(samples)('%s', async (_name, service) => {
    const { ids, exitCode, isDescribed } = await differencesOf(service);

    const wanted = typeof service.doctor === 'string' ? [] : [...service.doctor].sort();
    expect(ids).toEqual(wanted);
    expect(exitCode).toBe(isDescribed ? 9 : 0);
  });

  test('prints the received values and the statements that explain a difference', async () => {
    const { run } = await serveOdd(
      oddService('download', (document) => {
        const { data, summary } = document as { data: Row[]; summary: Row };
        const breakdowns = String(summary.breakdowns).toLowerCase().split(',');
        const dates = { date: '22/11/2026', displays: 5, clicks: 1.5 };
        const rows = data.map((row) => (breakdowns[0] === 'daily' ? { ...row, ...dates } : row));
        return { data: rows, summary: { ...summary, breakdowns, timezone: 'Europe/Berlin' } };
      }),
    );

    const others = othersIn(await run(line));

    expect(others).toMatchObject({
      S14: 'differs: timezone in the summary is "Europe/Berlin"',
      S16: 'differs: breakdowns in the summary are ["daily"]',
      S08: 'differs: a breakdown of the form is missing in the summary (follows from S16)',
      S17: 'differs: in a row clicks is 1.5',
      S21: 'differs: the date of a row is "22/11/2026"',
    });
    expect(others.S19).toMatch(
      /^differs: displays: 15 by day, \d+ in total; clicks: 4\.5 by day, .*\(follows from S21, S17\)$/,
    );
  });

  test('results are printed up to the call that cannot reach the service: exit 5', async () => {
    const { run } = await serveOdd({ faults: [{ endpoint: 'buyer', kind: '503' }] });

    const result = await run(line);

    expect(result.exitCode).toBe(5);
    expect(resultsIn(result).find(({ id }) => id === 'S05')?.result).toBe('holds');
    expect(othersIn(result).S07).toBe(
      'not tried: The service answered /buyer-reporting with status 503.',
    );
  });
});

test('a service that accepts forms only: suggests the setting and goes on with forms', async () => {
  const { run } = await serveOdd({
    faults: [
      {
        endpoint: '*',
        kind: '415',
        when: ({ headers }) => headers['content-type'] === 'application/json',
      },
    ],
  });

  const result = await run(line);

  expect(othersIn(result).S07).toMatch(/adreport config set encoding form$/);
  expect(resultsIn(result).find(({ id }) => id === 'S11')?.result).toBe('holds');
  expect(result.exitCode).toBe(9);
});

test('a token that the service refuses with and without Bearer: exit 3', async () => {
  const { env } = await serve((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  });

  expectRefusal(await runCli('doctor --service --yes', { env }), 3, 'adreport login');
});

test('a service that accepts the token only after the word Bearer', async () => {
  const { env } = await serve(({ headers }, response) => {
    const isTaken = headers.authorization?.startsWith('Bearer ');
    response.writeHead(isTaken ? 200 : 401, { 'content-type': 'application/json' }).end('[]');
  });

  const result = await runCli(line, { env });

  expect(othersIn(result).S02).toMatch(/^differs: .*Bearer/);
  expect(result.exitCode).toBe(9);
});

describe('--record', () => {
  test.each(accounts)(
    '%s: has the shapes of all exchanges and nothing that identifies the account',
    async (account) => {
      const { run, server } = await serveForTest({}, account);

      const result = await run(`${line} --record shapes.json`, { env: signInOf(account) });

      const text = result.files['shapes.json'] ?? '';
      const recording = JSON.parse(text);
      expect(recording).toMatchObject({
        profile: account,
        encoding: 'json',
        isLocal: false,
        leftOut: 0,
      });
      expect(Object.keys(recording.statements)).toEqual(resultsIn(result).map(({ id }) => id));
      expect(result.stderr).toContain('shapes.json.\n');
      expect(result.stderr).toContain('Read it before you send it');

      const calls = server.requests().map(({ path, status }) => `POST ${path} ${status}`);
      const recorded: readonly {
        readonly call: string;
        readonly status: number;
        readonly times: number;
      }[] = recording.exchanges;
      const times = recorded.reduce((sum, exchange) => sum + exchange.times, 0);
      expect(times).toBe(calls.length);
      expect(recorded.map(({ call, status }) => `${call} ${status}`)).toEqual(
        expect.arrayContaining(['POST /auth-reporting 200', 'POST /download-reporting 409']),
      );

      const addresses = ['127.0.0.1', 'example.com', tokens[account], 'demo'];
      const secrets = [...addresses, ...namesOfCampaigns];
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
      expect(Buffer.byteLength(text)).toBeLessThan(200_000);
      expect(text).toContain('"password": "text"');
      expect(text.split('\n').every((each) => each.length <= 160)).toBe(true);
    },
  );

  test('unknown keys are replaced by numbers', async () => {
    const { run } = await serveOdd(
      oddService('campaigns', () => [{ campaignId: '12', ourClient: 'A' }]),
    );

    const numbered = await run(`${line} --record x.json`);

    expect(numbered.files['x.json']).toContain('"key1": "capitals, 1 long"');
    expect(numbered.files['x.json']).not.toContain('ourClient');
  });

  test('is written even if the examination ends with an error', async () => {
    const { env } = await serve((_request, response) => {
      response.writeHead(401, { 'x-tenant-acme': '1' }).end('Who is Jane?');
    });

    const { exitCode, files } = await runCli(`${line} --record x.json`, { env });

    expect(exitCode).toBe(3);
    expect(JSON.parse(files['x.json'] ?? '').exchanges[0]).toMatchObject({ status: 401 });
    expect(files['x.json']).not.toMatch(/acme|Jane/);
  });

  test('without --service: exit 2; to a file that cannot be written: exit 8 before any order', async () => {
    const { run, calls } = await serveForTest();

    expectRefusal(await run('doctor --record x.json'), 2, '--service');
    expectRefusal(await run(`${line} --record .`), 8, 'it is a folder');
    expect(calls('buyer')).toBe(0);
  });

  test('200 recordings of random exchanges contain no planted value', () => {
    expectShapesOnly(200);
  });
});

test('the help topic lists the statements of the table', () => {
  const topic = topics['real-service'] ?? '';
  const rows = [...topic.matchAll(/^\| (S\d\d) \| (\w+) \| (.*) \|$/gm)];
  const table = statements.map(({ id, kind, sentence, profiles }) => {
    const [profile, other] = profiles;
    return [id, kind, other === undefined ? `${sentence} (${profile})` : sentence];
  });
  expect(rows.map(([, id, kind, sentence]) => [id, kind, sentence])).toEqual(table);

  const described = statements.filter(({ kind }) => kind === 'described').length;
  const assumed = statements.length - described;
  expect(topic).toContain(
    `${statements.length} statements, of which ${described} are described and ${assumed} are assumed.`,
  );
});
