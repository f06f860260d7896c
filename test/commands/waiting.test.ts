import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { expectRefusal, runCli, temporaryFolder } from '../support/run-cli.ts';
import { serveForTest } from '../support/service.ts';

/** What `never-twice.test.ts` does not tell: the words, the list of requests, and the waits. */

const line = 'run --period 2026-10-25 --by DAILY,CAMPAIGN --metrics displays,clicks -o x.csv';

describe('an unfinished report', () => {
  test('is resumed and asked first, until it is ready', async () => {
    const { run, calls } = await serveForTest({ delayMs: 9_000 });

    const exits: number[] = [];
    while (exits.at(-1) !== 0 && exits.length < 9) {
      const { exitCode } = await run(`${line} --wait-timeout 2s`);
      exits.push(exitCode);
    }

    expect(exits.at(-1)).toBe(0);
    expect(exits.length).toBeLessThanOrEqual(6);
    expect(calls('buyer')).toBe(1);
  });

  /** A service whose first report stays in progress, and is unknown to other tokens. */
  async function serveUnfinished() {
    const state = { isReady: false, token: 'a'.repeat(40), knowsFirst: true };
    let created = 0;
    const service = await serve(({ path, headers, body }, response) => {
      if (headers.authorization !== state.token) {
        return json(response, { response: { error_id: 'EXPIRED_TOKEN', error: 'Old.' } }, 401);
      }
      if (path === '/buyer-reporting') {
        created += 1;
        return json(response, { id: `r${created}` });
      }
      if (body.includes('"r1"') && !state.knowsFirst) return json(response, {}, 404);
      if (path === '/download-reporting') return json(response, { data: [{ displays: created }] });
      json(response, { status: state.isReady ? 'ready' : 'progress' });
    });
    const cwd = temporaryFolder();
    const run = (token: string, env = {}) =>
      runCli('run --period 2026-11-09 --metrics displays -o x.csv --wait-timeout 2m', {
        cwd,
        env: { ...service.env, ADREPORT_TOKEN: token, ...env },
      });
    const download = (line: string, token: string) =>
      runCli(line, { cwd, env: { ...service.env, ADREPORT_TOKEN: token } });
    return { state, run, download, created: () => created };
  }
  const [tokenA, tokenB] = ['a'.repeat(40), 'b'.repeat(40)] as const;

  test.each([
    { knowsFirst: true, creates: 1 },
    { knowsFirst: false, creates: 2 },
  ])(
    'is resumed by its account with a new token, if the service knows it: $knowsFirst',
    async ({ knowsFirst, creates }) => {
      const { state, run, created } = await serveUnfinished();
      const name = { ADREPORT_ACCOUNT: 'acme' };
      expect(await run(tokenA, name)).toMatchObject({ exitCode: 7 });

      state.token = tokenB;
      const expired = await run(tokenA, name);
      expectRefusal(
        expired,
        3,
        'The token in ADREPORT_TOKEN has expired: Old. (401 EXPIRED_TOKEN)',
      );
      expect(expired.stderr).not.toMatch(/permission|accepts the token/);
      expect(expired.stderr).toContain('To resume: adreport run ');

      Object.assign(state, { isReady: true, knowsFirst });
      expect(await run(tokenB, name)).toMatchObject({ exitCode: 0 });
      expect(created()).toBe(creates);
    },
  );

  test('of a bare token is not resumed by another one, but the printed command downloads it', async () => {
    const { state, run, created, download } = await serveUnfinished();
    expect(await run(tokenA)).toMatchObject({ exitCode: 7 });
    Object.assign(state, { token: tokenB, isReady: true });

    const { stderr } = await run(tokenA);
    const [, command = ''] = /To resume: adreport (.*)/.exec(stderr) ?? [];
    expect(command).toBe('download --wait -o x.csv r1');
    expect(await download(command, tokenB)).toMatchObject({ exitCode: 0 });
    expect(created()).toBe(1);

    expect(await run(tokenB)).toMatchObject({ exitCode: 0 });
    expect(created()).toBe(2);
  });
});

describe('a request whose ID never came is in the list, with what happened', () => {
  test.each([
    { what: 'a timeout', status: 0, says: /no response in time/ },
    {
      what: '201 without a body',
      status: 201,
      says: /The response to the report request is empty/,
    },
    { what: 'a refusal', status: 422, says: /The service rejected the report request\. \(422\)/ },
  ])('$what', async ({ status, says }) => {
    const { env } = await serve((_request, response) => {
      if (status !== 0) response.writeHead(status).end();
    });
    const cwd = temporaryFolder();
    const run = (words: string) => runCli(words, { cwd, env });

    const failed = await run(`${line} --timeout ${status === 0 ? '500ms' : '30s'}`);
    const isUncertain = status !== 422;
    expect(failed.stderr.includes('First check adreport report list.')).toBe(isUncertain);

    const [listed] = JSON.parse((await run('report list --json')).stdout);
    expect(listed).toMatchObject({ id: null, message: expect.stringMatching(says) });
    expect((await run('report list')).stdout).toMatch(says);
  });
});

test('a report that the service does not know is waited for for a minute; then an error names it', async () => {
  let [asked, sleptMs] = [0, 0];
  const { env, received } = await serve(({ path }, response) => {
    if (path === '/buyer-reporting') return json(response, { id: 'r17' });
    asked += 1;
    json(response, {}, 404);
  });
  const onSleep = (durationMs: number): void => {
    sleptMs += durationMs;
  };

  const failed = await runCli(line, { env, onSleep });

  expectRefusal(failed, 4, 'The service does not know the report r17. (404)');
  expect(sleptMs).toBeGreaterThanOrEqual(60_000);
  expect(sleptMs).toBeLessThan(70_000);
  expect([received.length - asked, asked > 5]).toEqual([1, true]);
});

test.each([
  { exitCode: 6, path: '', status: 200 },
  { exitCode: 5, path: '/status-reporting', status: 503 },
])('exit $exitCode prints the whole command: $path $status', async (failure) => {
  const { env } = await serve(({ path }, response) => {
    const isCreate = path === '/buyer-reporting';
    const body = isCreate ? { id: 'r1' } : { status: 'failed' };
    json(response, body, path === failure.path ? failure.status : 200);
  });

  const failed = await runCli(`${line} --retries 0 --strict`, { env });

  expect(failed.exitCode).toBe(failure.exitCode);
  const flags = '--metrics displays,clicks --by DAILY,CAMPAIGN --period 2026-10-25';
  expect(failed.stderr).toContain(`adreport run ${flags} --strict -o x.csv\n`);
});

describe('durations are at most 24 h', () => {
  test.each(['--timeout 7d', '--wait-timeout 25h', '--poll-interval 2d'])('%s', async (flag) => {
    expectRefusal(await runCli(`${line} ${flag} --local`), 2, 'The maximum is 24h.');
  });
});

describe('many reports', () => {
  test.each(['x.csv', '{date}.csv'])(
    'after three equal refusals, no more are requested, and nothing is to be resumed: %s',
    async (file) => {
      const { env, received } = await serve((_request, response) =>
        json(response, { response: { error: 'Too many rows: ask for fewer days.' } }, 400),
      );
      const days = 'run --period 2026-08-01..2026-09-29 --by DAILY,CITY --split day';

      const failed = await runCli(`${days} -o ${file}`, { env });

      expectRefusal(failed, 4, /ask for fewer days\. \(400\)/);
      expect(failed.stderr.match(/Too many rows/g)).toHaveLength(1);
      expect(failed.stderr).not.toContain('To resume');
      expect(received.length).toBeLessThanOrEqual(6);
    },
  );

  test('one command resumes the reports of one file', async () => {
    const { env } = await serve((_request, response) =>
      json(response, { id: 'r1', status: 'progress' }),
    );
    const days = 'run --period 2026-11-01..2026-11-03 --by DAILY --split day -o x.csv';

    const failed = await runCli(`${days} --wait-timeout 1s`, { env });

    expect(failed.exitCode).toBe(7);
    expect(failed.stderr.match(/adreport (run|download) .*/g)).toEqual([
      'adreport run --by DAILY --period 2026-11-01..2026-11-03 -o x.csv --split day',
    ]);
  });

  test('refusals go on if anything was accepted', async () => {
    const { run, server, calls } = await serveForTest({ delayMs: 0 });
    const cutoff = Date.UTC(2026, 9, 2) / 1_000;
    server.fault({
      endpoint: 'buyer',
      kind: '400',
      when: ({ body }) => Number(body.since) > cutoff,
    });
    const days = 'run --period 2026-10-01..2026-10-08 --by DAILY --split day -o {date}.csv';

    expectRefusal(await run(`${days} --concurrency 1`), 4, '6 reports (2026-10-03');
    expect(calls('buyer')).toBe(8);
  });

  /** Prepares two reports at a time, each in 70 s of the program's clock. */
  async function serveTwoAtATime() {
    let nowMs = 0;
    const readyMs: number[] = [];
    const { env } = await serve(({ path, body }, response) => {
      if (path === '/buyer-reporting') {
        const before = readyMs.at(-2) ?? 0;
        readyMs.push(Math.max(nowMs, before) + 70_000);
        return json(response, { id: String(readyMs.length) });
      }
      const id = Number(/"id":"(\d+)"/.exec(body)?.[1]);
      const isReady = nowMs >= (readyMs[id - 1] ?? Number.POSITIVE_INFINITY);
      if (path === '/status-reporting') {
        return json(response, { status: isReady ? 'ready' : 'progress' });
      }
      json(response, { data: [{ date: `2026-11-0${id}`, displays: id }] });
    });
    const cwd = temporaryFolder();
    const days = 'run --period 2026-11-01..2026-11-04 --by DAILY --metrics displays --split day';
    const run = (flags: string) => {
      const startMs = nowMs;
      let sleptMs = 0;
      const onSleep = (durationMs: number): void => {
        sleptMs += durationMs;
        nowMs = Math.max(nowMs, startMs + sleptMs);
      };
      const now = Date.UTC(2026, 10, 20, 12) + startMs;
      return runCli(`${days} -o {date}.csv --wait-timeout 100s ${flags}`, {
        cwd,
        env,
        onSleep,
        now,
      });
    };
    return { run, created: () => readyMs.length };
  }

  test('exit 7, and the next run goes on', async () => {
    const { run, created } = await serveTwoAtATime();

    const failed = await run('--concurrency 4');
    expect(failed.exitCode).toBe(7);

    expect(await run('--concurrency 4')).toMatchObject({ exitCode: 0 });
    expect(created()).toBe(4);
  });
});

describe('what the service says to a 403 is shown once, without advice to sign in', () => {
  test.each(['campaigns', line, 'whoami', 'doctor', 'login --token-stdin'])('%s', async (words) => {
    const { env } = await serve((_request, response) =>
      json(response, { response: { error: 'Account suspended.' } }, 403),
    );

    const base = `--base-url ${env.ADREPORT_BASE_URL}`;
    const command = words.startsWith('login') ? `${words} ${base}` : words;
    const { stdout, stderr } = await runCli(command, { env, stdin: env.ADREPORT_TOKEN });

    const shown = stdout + stderr;
    expect(shown.match(/Account suspended\./g), shown).toHaveLength(1);
    expect(shown).not.toMatch(/sign-in works|works[:,]|sign in again/i);
  });
});

test.each([
  { words: 'login --token-stdin', exitCode: 0 },
  // The base URL may be wrong.
  { words: 'whoami', exitCode: 4 },
  { words: 'doctor', exitCode: 4 },
])(
  '$words: an account without a list of campaigns is exit $exitCode',
  async ({ words, exitCode }) => {
    const { env } = await serve((request, response) => {
      const status = request.headers.authorization === undefined ? 401 : 404;
      json(response, { error: 'No campaigns here.' }, status);
    });
    const command = `${words} --base-url ${env.ADREPORT_BASE_URL}`;

    const result = await runCli(command, { env, stdin: env.ADREPORT_TOKEN });

    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stdout + result.stderr).toContain('No campaigns here.');
  },
);
