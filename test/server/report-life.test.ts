import { describe, expect, test } from 'vitest';
import type { LocalServer } from '../../src/server/start.ts';
import { type Answered, call, createReport, refusalIn, smallReport, startForTest, statusOf } from './local.ts';

function status(server: LocalServer, id: string): Promise<Answered> {
  return call(server, '/status-reporting', { as: 'buyer', json: { id } });
}

function download(server: LocalServer, id: string): Promise<Answered> {
  return call(server, '/download-reporting', { as: 'buyer', json: { id } });
}

function record({ text }: Answered): { status: string; message: string; report_id: string } {
  return (JSON.parse(text) as { response: { status: string; message: string; report_id: string } }).response;
}

test('the create call answers with the status record, in progress, even where the report takes no time', async () => {
  const server = await startForTest();
  const answer = await call(server, '/buyer-reporting', { as: 'buyer', json: smallReport });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(answer.text)).toEqual({
    response: { status: 'progress', message: 'progress', report_id: expect.stringMatching(/^\w+$/) },
  });
});

describe('status', () => {
  test('is progress until the report is ready, by the clock of the server', async () => {
    const server = await startForTest({ delayMs: 2_000 });
    const id = await createReport(server);
    expect(JSON.parse((await status(server, id)).text)).toEqual({
      response: { status: 'progress', message: 'progress', report_id: id },
    });
    server.advance(1_999);
    expect(await statusOf(server, id)).toBe('progress');
    server.advance(1);
    expect(JSON.parse((await status(server, id)).text)).toEqual({
      response: { status: 'ready', message: 'ready', report_id: id },
    });
  });

  test.each(['failed', 'expired', 'stuck'] as const)('%s is so for a download that comes first', async (end) => {
    const server = await startForTest({ faults: [`status:${end}:times=1`] });
    const [struck, other] = [await createReport(server), await createReport(server)];
    expect((await download(server, struck)).status).toBe(end === 'expired' ? 410 : 409);
    expect((await download(server, other)).status).toBe(200);
    expect(await statusOf(server, struck)).toBe(end === 'stuck' ? 'progress' : end);
  });

  test.each([
    ['a form', { form: 'id=ID' }],
    [
      'JSON labelled as a form',
      { body: '{"id":"ID"}', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    ['an id with blanks around it', { body: '{"id":" ID\\n"}' }],
  ])('takes the id from %s', async (_name, sent) => {
    const server = await startForTest();
    const id = await createReport(server);
    const filled = JSON.parse(JSON.stringify(sent).replace('ID', id)) as { form: string };
    expect(record(await call(server, '/status-reporting', { as: 'buyer', ...filled }))).toMatchObject({
      status: 'ready',
      report_id: id,
    });
  });
});

describe.each(['/status-reporting', '/download-reporting'])('%s', (path) => {
  test.each([
    ['no body', {}],
    ['an empty id', { id: '' }],
    ['an id of blanks', { id: '  ' }],
    ['null', { id: null }],
  ])('refuses %s', async (_name, json) => {
    const server = await startForTest();
    const answer = await call(server, path, { as: 'buyer', json });
    expect(answer.status).toBe(400);
    expect(refusalIn(answer).details).toEqual([expect.objectContaining({ parameter: 'id' })]);
  });

  test("an unknown id and another account's are refused alike", async () => {
    const server = await startForTest();
    const id = await createReport(server);
    const stranger = await call(server, path, { as: 'admin', json: { id } });
    const unknown = await call(server, path, { as: 'admin', json: { id: 'nothing' } });
    expect([stranger.status, refusalIn(stranger).error_id]).toEqual([404, 'UNKNOWN_REPORT']);
    expect(unknown.status).toBe(404);
    expect(unknown.text.replace('nothing', id)).toBe(stranger.text);
  });

  test('a report that is past its life is gone: 410', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    server.advance('24h');
    expect((await call(server, path, { as: 'buyer', json: { id } })).status).toBe(200);
    server.advance(1);
    const answer = await call(server, path, { as: 'buyer', json: { id } });
    expect([answer.status, refusalIn(answer).error_id]).toEqual([410, 'REPORT_EXPIRED']);
  });
});

describe('download', () => {
  test('before ready: 409 with Retry-After, the seconds that are left', async () => {
    const server = await startForTest({ delayMs: 4_500 });
    const id = await createReport(server);
    const early = await download(server, id);
    expect([early.status, refusalIn(early).error_id, early.headers['retry-after']]).toEqual([
      409,
      'REPORT_NOT_READY',
      '5',
    ]);
    server.advance(3_000);
    expect((await download(server, id)).headers['retry-after']).toBe('2');
    server.advance(1_500);
    expect((await download(server, id)).status).toBe(200);
  });
});
