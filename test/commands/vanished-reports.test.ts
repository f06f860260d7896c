import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type Handler, json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

// A report that a run left unfinished never blocks its request.

const line = 'run --period 2026-11-09 --metrics displays -o it.csv';

type Step = 'status' | 'download';
type Answer = (response: ServerResponse) => void;

/** Leaves the first report in progress, and later answers one of its steps in another way. */
async function serveUnfinished(step: Step) {
  let created = 0;
  let answer: Answer | undefined;
  const handler: Handler = ({ path, body }, response) => {
    if (path === '/buyer-reporting') {
      created += 1;
      return json(response, { id: `r${created}` });
    }
    const isFirst = body.includes('"r1"');
    if (isFirst && answer && path === `/${step}-reporting`) return answer(response);
    if (path === '/download-reporting') return json(response, { data: [{ displays: created }] });
    return json(response, { status: isFirst && !answer ? 'progress' : 'ready' });
  };
  const { env } = await serve(handler);

  const cwd = temporaryFolder();
  const run = (flags = '') => runCli(`${line} ${flags}`, { cwd, env });
  const unfinished = await run('--wait-timeout 1s');
  expect(unfinished).toMatchObject({ exitCode: 7 });

  return {
    run,
    created: () => created,
    answerWith: (next: Answer | undefined) => {
      answer = next;
    },
  };
}

const refusal =
  (status: number, body: unknown = { error: 'not found' }, headers = {}): Answer =>
  (response) =>
    json(response, body, status, headers);

const text =
  (body: string, contentType = 'application/json'): Answer =>
  (response) =>
    void response.writeHead(200, { 'content-type': contentType }).end(body);

const steps: readonly Step[] = ['status', 'download'];

const inEachStep = <Row extends object>(rows: readonly Row[]) =>
  rows.flatMap((row) => steps.map((step) => ({ step, ...row })));

describe('a report that is picked up is requested again at once', () => {
  test.each(
    inEachStep([
      ...[400, 402, 403, 404, 406, 410, 422, 500].map((status) => ({
        name: String(status),
        answer: refusal(status),
      })),
      { name: 'null', answer: text('null') },
      { name: 'an error with 200', answer: refusal(200) },
      { name: 'a web page', answer: text('<!doctype html><p>Hello', 'text/html') },
      { name: 'half a document', answer: text('{"data":[{"displays":1}') },
    ]),
  )('after $name to the $step', async ({ step, answer }) => {
    const { run, created, answerWith } = await serveUnfinished(step);
    answerWith(answer);

    const result = await run('--retries 1');

    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
    expect(result.files['it.csv']).toBe('displays\r\n2\r\n');
    expect(result.stderr).toMatch(/requesting a new/i);
    expect(created()).toBe(2);
  });
});

describe('a report is kept, and a later run picks it up', () => {
  test.each(
    inEachStep([
      ...[401, 408, 429, 502, 503, 504].map((status) => ({
        name: String(status),
        answer: refusal(status),
      })),
      { name: 'a cut', answer: (response: ServerResponse) => void response.destroy() },
    ]),
  )('after $name to the $step', async ({ step, answer }) => {
    const { run, created, answerWith } = await serveUnfinished(step);
    answerWith(answer);

    const failed = await run('--retries 1');

    expect(failed.exitCode).toBeGreaterThan(0);
    expect(failed.stderr).toContain('The report r1 is still available.');

    answerWith(step === 'status' ? text('{"status":"ready"}') : text('{"data":[{"displays":1}]}'));

    expect(await run()).toMatchObject({ exitCode: 0 });
    expect(created()).toBe(1);
  });
});

test('exit 6 prints the whole command', async () => {
  const { env } = await serve(({ path }, response) =>
    json(response, path === '/buyer-reporting' ? { id: 'r1' } : { status: 'failed' }),
  );
  const cwd = temporaryFolder();

  const failed = await runCli(`${line} --strict`, { cwd, env });

  expect(failed.exitCode).toBe(6);
  expect(failed.stderr).toContain(
    'adreport run --metrics displays --period 2026-11-09 --strict -o it.csv\n',
  );
});

test.each([
  { what: 'order', path: '/buyer-reporting' },
  { what: 'status call', path: '/status-reporting' },
])('exit 5 of the $what prints the whole command', async ({ path }) => {
  const { env } = await serve((request, response) =>
    json(response, { id: 'r1' }, request.path === path ? 503 : 200),
  );

  const failed = await runCli(`${line} --retries 0 --strict`, { env });

  expect(failed.exitCode).toBe(5);
  expect(failed.stderr).toContain(
    'adreport run --metrics displays --period 2026-11-09 --strict -o it.csv\n',
  );
});
