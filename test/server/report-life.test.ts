import { describe, expect, test } from 'vitest';
import {
  call,
  createReport,
  downloadOf,
  expectRefusal,
  jsonOf,
  refusalIn,
  startForTest,
  statusOf,
} from './local.ts';

describe('status', () => {
  test('is progress until the report is ready, by the server’s clock', async () => {
    const server = await startForTest({ delayMs: 2_000 });
    const id = await createReport(server);

    const status = async () =>
      jsonOf(await call(server, '/status-reporting', { as: 'buyer', json: { id } }));

    expect(await status()).toEqual({
      response: { status: 'progress', message: 'progress', report_id: id },
    });

    server.advance(1_999);

    expect(await statusOf(server, id)).toBe('progress');

    server.advance(1);

    expect(await status()).toEqual({
      response: { status: 'ready', message: 'ready', report_id: id },
    });
  });

  test('accepts the id in a form, in JSON labelled as a form, and with blanks around it', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const sent of [
      { form: `id=${id}` },
      { json: { id }, headers },
      { body: `{"id":" ${id}\\n"}` },
    ]) {
      const answer = await call(server, '/status-reporting', { as: 'buyer', ...sent });
      expect(jsonOf(answer)).toMatchObject({ response: { status: 'ready', report_id: id } });
    }
  });
});

describe.each(['/status-reporting', '/download-reporting'])('%s', (path) => {
  test('refuses a missing id, and a number too large to be exact', async () => {
    const server = await startForTest();
    for (const json of [{}, { id: '' }, { id: '  ' }, { id: null }]) {
      const answer = await call(server, path, { as: 'buyer', json });
      expect(answer.status).toBe(400);
      expect(refusalIn(answer).details).toMatchObject([{ parameter: 'id' }]);
    }
    const problem = expect.stringContaining('as a string');

    const answer = await call(server, path, { as: 'buyer', json: { id: 2 ** 53 } });

    expectRefusal(answer, 400, 'INVALID_PARAMETER', { parameter: 'id', problem });
  });

  test("refuses an unknown id and another account's report in the same way", async () => {
    const server = await startForTest();
    const id = await createReport(server);
    const stranger = await call(server, path, { as: 'admin', json: { id } });

    const unknown = await call(server, path, { as: 'admin', json: { id: 'nothing' } });

    expectRefusal(stranger, 404, 'UNKNOWN_REPORT');
    expectRefusal(unknown, 404, 'UNKNOWN_REPORT');
    expect(unknown.text.replace('nothing', id)).toBe(stranger.text);
  });

  test('an expired report is 410', async () => {
    const server = await startForTest();
    const id = await createReport(server);
    server.advance('24h');

    expect((await call(server, path, { as: 'buyer', json: { id } })).status).toBe(200);

    server.advance(1);

    expectRefusal(await call(server, path, { as: 'buyer', json: { id } }), 410, 'REPORT_EXPIRED');
  });
});

test('a download before the report is ready: 409 with the remaining seconds in Retry-After', async () => {
  const server = await startForTest({ delayMs: 4_500 });
  const id = await createReport(server);

  const early = await downloadOf(server, id);

  expectRefusal(early, 409, 'REPORT_NOT_READY');
  expect(early.headers['retry-after']).toBe('5');

  server.advance(3_000);

  expect((await downloadOf(server, id)).headers['retry-after']).toBe('2');

  server.advance(1_500);

  expect((await downloadOf(server, id)).status).toBe(200);
});
