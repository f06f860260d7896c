import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statements } from '../../src/contract/statements.ts';
import { topics } from '../../src/help/index.ts';
import campaigns from '../../src/server/world/campaigns.json' with { type: 'json' };
import {
  campaignVariants,
  runVariants,
  signInVariants,
  token,
  usualAnswers,
  type Variant,
} from '../contract/service-variants.ts';
import { tokens } from '../server/local.ts';
import { serve } from '../support/http-server.ts';
import { expectShapesOnly } from '../support/recording-property.ts';
import { expectRefusal, runCli } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** One statement, as `--json` tells what came of it. */
interface Result {
  readonly id: string;
  readonly kind: string;
  readonly sentence: string;
  readonly result: string;
  readonly said: string | null;
}

function resultsIn({ stdout }: { readonly stdout: string }): readonly Result[] {
  return JSON.parse(stdout).statements;
}

/** The statements that did not hold, by their numbers, with what was said of each. */
function othersIn(result: { readonly stdout: string }): Record<string, string> {
  const others: Record<string, string> = {};
  for (const { id, result: outcome, said } of resultsIn(result)) {
    if (outcome !== 'holds') others[id] = `${outcome}: ${said}`;
  }
  return others;
}

/** What a recording must not have of the built-in data. */
const namesOfCampaigns = campaigns.flatMap(({ campaignId, campaignName }) => [
  campaignId,
  campaignName,
]);

const accounts = ['buyer', 'dsp'] as const;
const line = 'doctor --service --yes --json';
const signInOf = (account: string) => ({
  ADREPORT_EMAIL: `${account}@example.com`,
  ADREPORT_PASSWORD: 'demo',
});

describe('against the local server', () => {
  test.each(accounts)('%s: everything holds, with ten reports at most', async (account) => {
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

  test.each(accounts)('%s: wall times are one assumption that differs', async (account) => {
    const { run } = await serveForTest({ windowClock: 'wall' }, account);

    const result = await run(line, { env: signInOf(account) });

    const advice = 'it reads wall times: adreport config set window-clock wall';
    expect(othersIn(result)).toEqual({ S33: `differs: ${advice}` });
    expect(result.exitCode).toBe(0);
  });

  test.each(accounts)('--local as %s needs no account, and asks nothing', async (account) => {
    const { exitCode, stdout, stderr } = await runCli(
      `doctor --service --local --profile ${account}`,
    );

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^✓ {2}S19 {3}gives days that add up to the whole of the same window$/m);
    expect(stdout).toMatch(/\n\d+ statements: \d+ hold, 0 differ, 0 not tried\.\n$/);
    expect(stderr).toMatch(/^This orders \d+ small reports from the service:\n {2}- 2026-11-16 to/);
  });

  test('an administrator, who signs in with a token: what is not tried has its reason', async () => {
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

/** A service that gives literal answers, the same for all reports. */
async function serveVariant({ answers }: Pick<Variant, 'answers'>) {
  const counts = new Map<string, number>();

  return serve(({ path }, response) => {
    const ofPath = answers[path] ?? [usualAnswers[path] ?? { status: 404 }];
    const count = counts.get(path) ?? 0;
    counts.set(path, count + 1);

    const answer = ofPath[count] ?? ofPath.at(-1) ?? '';
    const whole = typeof answer === 'string' ? { body: answer } : answer;
    const { status = 200, headers = {}, body = '' } = whole;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
}

/** What comes of a service with some literal answers. */
async function examine(variant: Pick<Variant, 'answers'>, flags = '') {
  const { env } = await serveVariant(variant);
  const signIn = { ADREPORT_EMAIL: 'me@example.com', ADREPORT_PASSWORD: 'correct horse' };
  return runCli(`${line} ${flags}`, { env: { ...env, ...signIn } });
}

/** The variants that differ from the description in a way that is seen from outside, and the statement that says so. */
const differences = [
  ['create: response.id', 'S35'],
  ['create: the bare id', 'S35'],
  ['create: the data itself', 'S07'],
  ['create: an error with 200', 'S07'],
  ['create: no id', 'S07'],
  ['create: a page', 'S07'],
  ['create: 415', 'S07'],
  ['status: status', 'S09'],
  ['status: done', 'S10'],
  ['status: response is the word', 'S09'],
  ['status: failed', 'S10'],
  ['status: queued, then ready', 'S09'],
  ['status: a page', 'S09'],
  ['download: CSV', 'S11'],
  ['download: rows alone', 'S11'],
  ['download: in response', 'S11'],
  ['download: a total beside the rows', 'S21'],
  ['download: a page', 'S11'],
  ['sign-in: token', 'S01'],
  ['sign-in: the bare token', 'S01'],
  ['sign-in: no token', 'S01'],
  ['campaigns: campaigns', 'S05'],
  ['campaigns: keyed by id', 'S05'],
  ['campaigns: adUnits', 'S05'],
  ['campaigns: another list', 'S05'],
] as const;

const allVariants = [...runVariants, ...signInVariants, ...campaignVariants];

test.each(differences)('%s: %s differs, and no token is told', async (name, id) => {
  const variant = allVariants.find((each) => each.name === name);

  const result = await examine(variant ?? { answers: {} });

  const { kind, result: outcome, said } = resultsIn(result).find((each) => each.id === id) ?? {};
  expect({ name: variant?.name, outcome }).toEqual({ name, outcome: 'differs' });
  expect(said).toMatch(/\w/);
  expect(result.stdout + result.stderr).not.toContain(token);
  if (kind === 'described') expect(result.exitCode).toBe(9);
});

test('no variant is named for what the usual literal answers differ in, too', async () => {
  const usual = othersIn(await examine({ answers: {} }));

  expect(differences.filter(([, id]) => usual[id]?.startsWith('differs'))).toEqual([]);
});

/** What a service between the program and the local server writes otherwise, and the one statement that says so. */
const rewrites: readonly (readonly [id: string, pattern: RegExp, replacement: string])[] = [
  ['S06', /("campaign\w+Date":"[-\d]{10}) [:\d]{8}/g, '$1'],
  ['S13', /("(?:since|until)":"[^"+]*)\+0100/g, '$1'],
  ['S14', /europe\/paris/g, 'Europe/Paris'],
  ['S16', /"breakdowns":\["DAILY"\]/g, '"breakdowns":[]'],
  ['S17', /"clicks":(\d+)/g, '"clicks":"$1"'],
  ['S18', /"valueDollar"/g, '"revenueDollar"'],
  ['S19', /"displays":(\d+)(?=.*"breakdowns":\["DAILY"\])/, '"displays":1$1'],
  ['S22', /("hour":"[^"+]*)\+0100/g, '$1'],
  ['S34', /"os":null/g, '"os":"iOS"'],
];

test.each(rewrites)(
  '%s alone differs where one thing is written otherwise',
  async (id, pattern, replacement) => {
    const { server, run } = await serveForTest();
    const front = await serve(async ({ method, path, headers, body }, response) => {
      const { authorization = '', accept = '', 'content-type': type = '' } = headers;
      const hasBody = method === 'POST';
      const answer = await fetch(new URL(path, server.url), {
        method,
        headers: { ...(authorization && { authorization }), accept, 'content-type': type },
        ...(hasBody && { body }),
      });
      const text = await answer.text();
      const contentType = answer.headers.get('content-type') ?? '';
      response.writeHead(answer.status, { 'content-type': contentType });
      response.end(text.replace(pattern, replacement));
    });
    const env = { ...signInOf('buyer'), ADREPORT_BASE_URL: front.url.href };

    const result = await run(line, { env });

    const differing = resultsIn(result).filter((each) => each.result === 'differs');
    expect(differing.map((each) => each.id)).toEqual([id]);
    const isDescribed = differing[0]?.kind === 'described';
    expect(result.exitCode).toBe(isDescribed ? 9 : 0);
  },
);

test('a service that takes forms only: the setting is named, and the rest is tried with forms', async () => {
  const { url, env } = await serve(({ path, method, headers }, response) => {
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
    const isRefused = method === 'POST' && !isForm;
    const answer = usualAnswers[path];
    const body = typeof answer === 'string' && !isRefused ? answer : '{}';
    response.writeHead(isRefused ? 415 : 200, { 'content-type': 'application/json' }).end(body);
  });

  const result = await runCli(line, { env });

  expect(url.hostname).toBe('127.0.0.1');
  expect(othersIn(result).S07).toMatch(/adreport config set encoding form$/);
  expect(resultsIn(result).find(({ id }) => id === 'S11')?.result).toBe('holds');
  expect(result.exitCode).toBe(9);
});

test('a token that is refused in every form: exit 3', async () => {
  const { env } = await serve((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
  });

  expectRefusal(await runCli('doctor --service --yes', { env }), 3, 'adreport login');
});

test('a service that takes the token behind a scheme only', async () => {
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
    '%s: shapes of every exchange, and nothing of the account',
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
    },
  );

  test('keys that the contract does not know have numbers, unless they are to be kept', async () => {
    const answers = { '/campaigns': ['[{"campaignId":"12","ourClient":"A"}]'] };

    const numbered = await examine({ answers }, '--record x.json');
    const kept = await examine({ answers }, '--record x.json --keep-keys');

    expect(numbered.files['x.json']).toContain('"key1": "capitals, 1 long"');
    expect(numbered.files['x.json']).not.toContain('ourClient');
    expect(kept.files['x.json']).toContain('"ourClient": "capitals, 1 long"');
  });

  test('of a service that cannot be examined to the end', async () => {
    const { env } = await serve((_request, response) => {
      response.writeHead(401, { 'x-tenant-acme': '1' }).end('Who is Jane?');
    });

    const { exitCode, files } = await runCli(`${line} --record x.json`, { env });

    expect(exitCode).toBe(3);
    expect(JSON.parse(files['x.json'] ?? '').exchanges[0]).toMatchObject({ status: 401 });
    expect(files['x.json']).not.toMatch(/acme|Jane/);
  });

  test('without --service: exit 2; where it cannot be written: exit 8, before anything is ordered', async () => {
    const { run, calls } = await serveForTest();

    expectRefusal(await run('doctor --record x.json'), 2, '--service');
    expectRefusal(await run(`${line} --record /dev/null/x.json`), 8, 'x.json');
    expect(calls('buyer')).toBe(0);
  });

  test('200 recordings of random exchanges hold nothing that was planted', () => {
    expectShapesOnly(200);
  });
});

test('the topic and the README say what the table says', () => {
  const topic = topics['real-service'] ?? '';
  const rows = [...topic.matchAll(/^\| (S\d\d) \| (\w+) \| (.*) \|$/gm)];
  const table = statements.map(({ id, kind, sentence, profiles }) => {
    const [profile, other] = profiles;
    return [id, kind, other === undefined ? `${sentence} (${profile})` : sentence];
  });
  expect(rows.map(([, id, kind, sentence]) => [id, kind, sentence])).toEqual(table);

  const described = statements.filter(({ kind }) => kind === 'described').length;
  const assumed = statements.length - described;
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');
  expect(readme).toContain(`in ${statements.length} statements: ${described} that the service's`);
  expect(readme).toContain(`documentation describes, and ${assumed} that it leaves open.`);
  expect(topic).toContain(
    `${statements.length} statements, of which ${described} are described and ${assumed} are assumed.`,
  );
});
