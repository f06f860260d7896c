import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/**
 * Every failure at every step of a run, and the same run again: a report is never requested twice
 * unless the first request certainly did nothing, and what is still alive is resumed.
 */

const secret = 'pass-phrase';

/** The file of a whole report. */
const wholeFile = 'displays\r\n7\r\n';

const paths = {
  'sign-in': '/auth-reporting',
  campaigns: '/campaigns',
  request: '/buyer-reporting',
  status: '/status-reporting',
  download: '/download-reporting',
} as const;
type Step = keyof typeof paths;
const steps = Object.keys(paths) as readonly Step[];

type Send = (response: ServerResponse) => void;

/** A failure, and how a run ends if it never does. */
interface Failure {
  readonly send: Send;

  /** At sign-in, campaigns, request, status and download. */
  readonly exits: string;
  readonly says: RegExp;
}

function refusal(status: number, exits: string, headers = {}): Failure {
  const send: Send = (response) =>
    json(response, { response: { error: 'Not now.' } }, status, headers);
  return { send, exits, says: new RegExp(`\\(${status}|in progress`) };
}

const later = { 'retry-after': '1' };

function unreadable(body: string, says: RegExp, status = 200): Failure {
  const send: Send = (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  return { send, exits: '99999', says };
}

const failures: Readonly<Record<string, Failure>> = {
  400: refusal(400, '34444'),
  401: refusal(401, '33333'),
  403: refusal(403, '33333'),
  '403, later': refusal(403, '55555', later),
  404: refusal(404, '34444'),
  408: refusal(408, '55555'),
  409: refusal(409, '34477'),
  410: refusal(410, '34466'),
  422: refusal(422, '34444'),
  425: refusal(425, '34477'),
  429: refusal(429, '55555'),
  500: refusal(500, '55555'),
  501: refusal(501, '55555'),
  505: refusal(505, '55555'),
  503: refusal(503, '55555'),
  520: refusal(520, '55555'),
  '503, later': refusal(503, '55555', later),
  'no content': unreadable('', /is empty/, 204),
  accepted: { ...unreadable('', /is empty|in progress|\(202\)/, 202), exits: '99977' },
  'an empty body': unreadable('', /is empty/),
  '{}': unreadable('{}', /has no|not a report|not a list/),
  'half a document': unreadable('{"response":{"sta', /./),
  'a page': unreadable('<!doctype html><p>Welcome to the hotel', /is a web page/),
  'a cut': {
    send: (response) => void response.destroy(),
    exits: '55555',
    says: /the connection was cut/,
  },
};

/** Failures of a call other than the request that are gone the next time. */
const passing = Object.keys(failures).filter(
  (name) => !['400', '401', '403', '404', '409', '410', '422', '425', '501', '505'].includes(name),
);

/** Statuses of a request that certainly made no report. */
const harmless = [400, 401, 403, 404, 409, 410, 422, 425, 429];

/** Refusals of a report that mean neither “wait” nor “sign in”. */
const final = [400, 404, 410, 422];

/** A service that fails at one step a few times. */
async function serveFailing(step: Step, name: string, times: number) {
  const { send } = failures[name] ?? refusal(500, '55555');
  let failuresLeft = times;

  /** Reports that the service made, whether or not it could tell their id. */
  const made: { isKnown: boolean; isAlive: boolean }[] = [];

  const { env } = await serve(({ path, body }, response) => {
    const isFailing = path === paths[step] && failuresLeft > 0;
    const report = made[Number(/"r(\d+)"/.exec(body)?.[1] ?? 0) - 1];
    if (path === paths.request) {
      const isHarmless = harmless.includes(Number.parseInt(name, 10)) || name === '503, later';
      if (!isFailing || !isHarmless) made.push({ isKnown: !isFailing, isAlive: true });
    }
    if (isFailing) {
      failuresLeft -= 1;
      if (report && final.includes(Number(name))) report.isAlive = false;
      return send(response);
    }

    if (path === paths['sign-in']) return json(response, { token: 'f'.repeat(40) });
    if (path === paths.campaigns) return json(response, [{ campaignId: '12', adunits: [] }]);
    if (path === paths.request) return json(response, { id: `r${made.length}` });
    if (path === paths.status) return json(response, { status: 'ready' });
    return json(response, { data: [{ displays: 7 }] });
  });

  const cwd = temporaryFolder();
  const signIn = { ADREPORT_TOKEN: '', ADREPORT_EMAIL: 'a@b.example', ADREPORT_PASSWORD: secret };
  const flags = '--campaign 12 --retries 2 --wait-timeout 90s -v';
  const run = async () => {
    writeFileSync(join(cwd, 'it.csv'), 'the old file');
    const { exitCode, stderr, files } = await runCli(
      `run --period 2026-11-09 --metrics displays -o it.csv ${flags}`,
      { cwd, env: { ...env, ...signIn } },
    );
    expect(stderr).not.toMatch(new RegExp(`${secret}|f{40}`));
    expect(files, stderr).toEqual({ 'it.csv': exitCode === 0 ? wholeFile : 'the old file' });
    return { exitCode, stderr };
  };
  return { run, made, recover: () => (failuresLeft = 0) };
}

describe.each(steps)('at the %s', (step) => {
  test.each(
    Object.keys(failures).flatMap((failure) => [
      { failure, times: 1 },
      { failure, times: 99 },
    ]),
  )('$failure, $times ×', async ({ failure, times }) => {
    const { run, made, recover } = await serveFailing(step, failure, times);
    const { exits, says } = failures[failure] ?? {};

    const first = await run();
    const madeFirst = made.map((report) => ({ ...report }));
    const mayBeReplaced = madeFirst.slice(0, -1).every(({ isAlive }) => !isAlive);
    expect(mayBeReplaced, first.stderr).toBe(true);
    if (times > 1) {
      expect(first.exitCode, first.stderr).toBe(Number(exits?.[steps.indexOf(step)]));
      expect(first.stderr).toMatch(says ?? '');
    }
    const isRenewed = ['401', '404'].includes(failure) && ['status', 'download'].includes(step);
    const isPassing = isRenewed || (step !== 'request' && passing.includes(failure));
    if (isPassing && times === 1) expect(first.exitCode, first.stderr).toBe(0);
    const hasUnknown = madeFirst.some(({ isKnown }) => !isKnown);
    expect(first.stderr.includes('A report may have been created anyway.')).toBe(hasUnknown);

    recover();
    const second = await run();
    expect(second.exitCode, second.stderr).toBe(0);
    const isResumable = first.exitCode !== 0 && madeFirst.some((one) => one.isKnown && one.isAlive);
    expect(made.length - madeFirst.length, first.stderr).toBe(isResumable ? 0 : 1);
  });
});
