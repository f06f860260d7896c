import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/**
 * Every failure at every step of a run, and the same run again: a report is never requested twice
 * unless the first request certainly did nothing, and what is still alive is resumed.
 */

const paths = {
  'sign-in': '/auth-reporting',
  request: '/buyer-reporting',
  status: '/status-reporting',
  download: '/download-reporting',
} as const;
type Step = keyof typeof paths;
const steps = Object.keys(paths) as readonly Step[];

type Failure = (response: ServerResponse) => void;

const refusal =
  (status: number, headers = {}): Failure =>
  (response) =>
    json(response, { response: { error: 'Not now.' } }, status, headers);

const text =
  (body: string): Failure =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(body);

const failures: Readonly<Record<string, Failure>> = {
  400: refusal(400),
  401: refusal(401),
  403: refusal(403),
  '403, later': refusal(403, { 'retry-after': '1' }),
  404: refusal(404),
  408: refusal(408),
  409: refusal(409),
  410: refusal(410),
  422: refusal(422),
  425: refusal(425),
  429: refusal(429),
  500: refusal(500),
  501: refusal(501),
  503: refusal(503),
  '503, later': refusal(503, { 'retry-after': '1' }),
  'no content': (response) => void response.writeHead(204).end(),
  accepted: (response) => void response.writeHead(202).end(),
  'an empty body': text(''),
  '{}': text('{}'),
  'half a document': text('{"response":{"sta'),
  'a page': text('<!doctype html><p>Welcome to the hotel'),
  'a cut': (response) => void response.destroy(),
  'a timeout': () => {},
};

/** Failures of a call other than the request that are gone the next time. */
const passing = Object.keys(failures).filter(
  (name) => !['400', '401', '403', '404', '409', '410', '422', '425', '501'].includes(name),
);

/** Statuses of a request that certainly made no report. */
const harmless = [400, 401, 403, 404, 409, 410, 422, 425, 429];

/** Refusals of a report that mean neither “wait” nor “sign in”. */
const final = [400, 404, 410, 422];

/** A service that fails at one step a few times. */
async function serveFailing(step: Step, name: string, times: number) {
  const fail = failures[name] ?? refusal(500);
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
      return fail(response);
    }

    if (path === paths['sign-in']) return json(response, { token: 'f'.repeat(40) });
    if (path === paths.request) return json(response, { id: `r${made.length}` });
    if (path === paths.status) return json(response, { status: 'ready' });
    return json(response, { data: [{ displays: 7 }] });
  });

  const cwd = temporaryFolder();
  const signIn = { ADREPORT_TOKEN: '', ADREPORT_EMAIL: 'a@b.example', ADREPORT_PASSWORD: 'secret' };
  // A busy machine reaches no timeout that is not meant.
  const timeout = name === 'a timeout' ? '300ms' : '30s';
  const flags = `--retries 2 --timeout ${timeout} --wait-timeout 90s`;
  const run = () =>
    runCli(`run --period 2026-11-09 --metrics displays -o it.csv ${flags}`, {
      cwd,
      env: { ...env, ...signIn },
    });
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

    const first = await run();
    const madeFirst = made.map((report) => ({ ...report }));
    const mayBeReplaced = madeFirst.slice(0, -1).every(({ isAlive }) => !isAlive);
    expect(mayBeReplaced, first.stderr).toBe(true);
    expect(first.exitCode === 0).toBe('it.csv' in first.files);
    const isRepeated = times === 1 && step !== 'request' && passing.includes(failure);
    if (isRepeated) expect(first, first.stderr).toMatchObject({ exitCode: 0 });
    const hasUnknown = madeFirst.some(({ isKnown }) => !isKnown);
    if (hasUnknown) expect(first.stderr).toContain('A report may have been created anyway.');

    recover();
    const second = await run();
    expect(second, second.stderr).toMatchObject({ exitCode: 0 });
    const isResumable = first.exitCode !== 0 && madeFirst.some((one) => one.isKnown && one.isAlive);
    expect(made.length - madeFirst.length, first.stderr).toBe(isResumable ? 0 : 1);
  });
});
