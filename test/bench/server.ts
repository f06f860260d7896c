import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalServer } from '../../src/server/start.ts';

/**
 * How many small POSTs a second: the local server's status call, a bare `node:http` server that parses the same JSON and
 * answers with the same bytes, and the mock of @stoplight/prism-cli for an OpenAPI file of that call. Run it with:
 * npx esbuild test/bench/server.ts --bundle --platform=node --format=esm \
 *   "--banner:js=import{createRequire as _cr}from'node:module';const require=_cr(import.meta.url);" --outfile=dist/bench-server.mjs
 * PRISM=/somewhere/node_modules/@stoplight/prism-cli/dist/index.js node dist/bench-server.mjs
 *
 * Each is a process of its own and is measured in turns, so that a slow minute of the machine hurts all alike.
 */

const connections = 32;
const roundMs = 2_000;
const rounds = 5;

interface Subject {
  readonly name: string;
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  stop(): void;
}

const answer = { response: { status: 'ready', message: 'ready', report_id: '0123456789abcdef01234567' } };
const token = '00000000000000000000000000000000000000b1';

function serveBare(): void {
  const server = createServer((incoming, outgoing) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      JSON.parse(Buffer.concat(pieces).toString('utf8'));
      const text = JSON.stringify(answer);
      outgoing
        .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length })
        .end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

async function serveOurs(): Promise<void> {
  const { port } = await startLocalServer({ delayMs: 0 });
  process.send?.({ port });
}

/** Starts this file again as one of the servers. */
async function startChild(role: string): Promise<{ url: string; stop: () => void }> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', role], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const { port } = await new Promise<{ port: number }>((resolve) => child.once('message', resolve as () => void));
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

async function startPrism(program: string): Promise<{ url: string; stop: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'adreport-bench-'));
  const schema = { type: 'object', example: answer };
  const content = { 'application/json': { schema } };
  const id = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
  const post = {
    requestBody: { required: true, content: { 'application/json': { schema: id } } },
    responses: { '200': { description: 'The status', content } },
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'bench', version: '1' },
    paths: { '/status-reporting': { post } },
  };
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const port = 20_000 + (process.pid % 20_000);
  const flags = ['mock', '-p', String(port), join(folder, 'openapi.json')];
  const child = spawn(process.execPath, [program, ...flags], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = (): void => {
    child.kill();
    rmSync(folder, { recursive: true });
  };
  return { url, stop };
}

/** Sends a request on a connection again and again, each when the answer to the last has come, until the time is over. */
function repeat({ url, body, headers }: Subject, isOver: () => boolean): Promise<number> {
  const head = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const sent = Buffer.from(`POST /status-reporting HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let done = 0;
    socket.setNoDelay().once('connect', () => socket.write(sent));
    socket.on('error', reject);
    socket.on('data', (piece) => {
      // Every answer here is small enough to come in one piece, and ends with the record and its envelope.
      if (piece[piece.length - 1] !== 0x7d) return;
      done += 1;
      if (!isOver()) socket.write(sent);
      else socket.end(() => resolve(done));
    });
  });
}

/** Requests a second, sent over so many connections at once. */
async function measure(subject: Subject): Promise<number> {
  const startedMs = performance.now();
  const isOver = (): boolean => performance.now() >= startedMs + roundMs;
  const counts = await Promise.all(Array.from({ length: connections }, () => repeat(subject, isOver)));
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / (performance.now() - startedMs);
}

async function subjects(): Promise<Subject[]> {
  const headersFor = (body: string) => ({
    authorization: token,
    'content-type': 'application/json',
    'content-length': String(body.length),
  });
  const ours = await startChild('ours');
  const window = '{"since":1767222000,"until":1767308399,"metrics":"displays"}';
  const creating = { method: 'POST', body: window, headers: { authorization: token } };
  const created = (await (await fetch(`${ours.url}/buyer-reporting`, creating)).json()) as typeof answer;
  const body = JSON.stringify({ id: created.response.report_id });
  const headers = headersFor(body);
  const list: Subject[] = [
    { name: 'bare node:http', ...(await startChild('bare')), body, headers },
    { name: 'adreport local-server', ...ours, body, headers },
  ];
  const prism = process.env.PRISM ?? '';
  if (existsSync(prism)) list.push({ name: '@stoplight/prism-cli mock', ...(await startPrism(prism)), body, headers });
  else console.log('No @stoplight/prism-cli: install it somewhere, and give the path of its dist/index.js as PRISM.');
  return list;
}

async function compare(): Promise<void> {
  const list = await subjects();
  const best = new Map<Subject, number>();
  for (const subject of list) {
    const { body, headers } = subject;
    const first = await fetch(`${subject.url}/status-reporting`, { method: 'POST', body, headers });
    console.log(`${subject.name}: ${first.status} ${await first.text()}`);
    await measure(subject);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of list) best.set(subject, Math.max(best.get(subject) ?? 0, await measure(subject)));
  }
  const [bare, ours, prism] = list.map((subject) => best.get(subject) ?? Number.NaN);
  for (const [subject, perSecond] of best) console.log(`${subject.name.padEnd(28)} ${Math.round(perSecond)} POSTs/s`);
  console.log(`ours / bare  ${((ours ?? 0) / (bare ?? 0)).toFixed(2)} (goal: at least 0.75)`);
  if (prism !== undefined) console.log(`ours / prism ${((ours ?? 0) / prism).toFixed(1)} (goal: at least 12)`);
  for (const { stop } of list) stop();
}

const roles: Readonly<Record<string, () => unknown>> = { bare: serveBare, ours: serveOurs };
await (roles[process.argv[2] ?? ''] ?? compare)();
