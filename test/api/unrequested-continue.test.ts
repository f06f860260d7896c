import { createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';

/** Unrequested interim answers (RFC 9110, 15.2), over raw sockets. */

/** A service that sends `interim` before each answer, and counts create calls. */
async function serveAfter(interim: string, send: (socket: Socket, text: string) => Promise<void>) {
  const bodies: Readonly<Record<string, string>> = {
    '/buyer-reporting': '{"report_id":"r1"}',
    '/status-reporting': '{"response":{"status":"ready"}}',
    '/download-reporting': '{"data":[{"displays":7}]}',
  };
  const paths: string[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let received = '';
    socket.on('data', (piece) => {
      received += piece;
      const path = /^POST (\S+) .*\r\n\r\n\{.*\}$/s.exec(received)?.[1];
      if (path === undefined) return;

      received = '';
      paths.push(path);
      const body = bodies[path] ?? '';
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
      void send(socket, `${interim}${head}\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const env = { ADREPORT_BASE_URL: `http://127.0.0.1:${port}`, ADREPORT_TOKEN: 'f'.repeat(40) };
  const creates = (): number => paths.filter((path) => path === '/buyer-reporting').length;
  return { env, creates };
}

const ways = {
  'in one piece': async (socket: Socket, text: string) => void socket.write(text),
  'byte by byte': async (socket: Socket, text: string) => {
    for (const character of text) {
      socket.write(character);
      await nextTurn();
    }
  },
};

describe.each(Object.entries(ways))('%s', (_name, send) => {
  test.each([
    { interim: 'HTTP/1.1 100 Continue\r\n\r\n' },
    { interim: 'HTTP/1.1 100\r\nx-served-by: cache\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n' },
    { interim: 'HTTP/1.1 102 Processing\r\n\r\n' },
    { interim: 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n' },
    { interim: 'HTTP/1.1 199 Odd\r\n\r\n' },
  ])('$interim does not end a create', async ({ interim }) => {
    const { env, creates } = await serveAfter(interim, send);

    const line = 'run --period 2026-11-09 --metrics displays --format ndjson -q';
    const result = await runCli(line, { env });

    expect(result).toMatchObject({ exitCode: 0, stdout: '{"displays":7}\n', stderr: '' });
    expect(creates()).toBe(1);
  });
});

test('the same bytes in a report are kept', async () => {
  const text = 'HTTP/1.1 100 Continue\\r\\n\\r\\n';
  const { env } = await serveAfter('', async (socket, answer) => {
    const body = `{"data":[{"campaignName":"${text}"}]}`;
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    const isReport = answer.includes('displays');
    socket.write(isReport ? `${head}\r\n\r\n` : answer);
    if (!isReport) return;
    await nextTurn();
    socket.write(body.slice(0, body.indexOf('HTTP')));
    await nextTurn();
    socket.write(body.slice(body.indexOf('HTTP')));
  });

  const line = 'run --period 2026-11-09 --by CAMPAIGN --metrics displays --format ndjson -q';
  expect((await runCli(line, { env })).stdout).toBe(`{"campaignName":"${text}"}\n`);
});
