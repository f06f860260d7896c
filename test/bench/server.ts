import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { startLocalServer } from '../../src/server/start.ts';
import { freePort } from '../support/free-port.ts';
import { median } from './figures/median.ts';

/**
 * What a small POST costs: the local server's create and status calls, against a bare `node:http` server that reads and
 * parses the same JSON and answers with as long a body, and against a Fastify that does only that. Neither checks a token,
 * keeps a report or logs a call. Measured as the server's processor time a request, which a busy machine disturbs less than
 * requests a second. With PRISM, the path of the `dist/index.js` of @stoplight/prism-cli, its mock is measured too.
 *
 * Each is a process of its own and is measured in turns, so that a slow minute of the machine hurts all alike.
 */

const connections = 32;
const requestsARound = 10_000;
const rounds = 9;

interface Subject {
  readonly name: string;
  readonly url: string;
  readonly path: string;
  body: string;
  /** Done before each measurement. */
  prepare?(): Promise<void>;
  /** The server's processor time so far, in microseconds. */
  cpuUs(): Promise<number>;
  stop(): void;
}

const answer = { response: { status: 'ready', message: 'ready', report_id: '0123456789abcdef0123456789abcdef' } };
const token = '00000000000000000000000000000000000000b1';
const creation =
  '{"since":1767222000,"until":1767308399,"metrics":"displays,clicks","breakdowns":["DAILY","CAMPAIGN"]}';

function listening(port: number): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  });
  process.send?.(port);
}

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
  server.listen(0, '127.0.0.1', () => listening((server.address() as AddressInfo).port));
}

async function serveFastify(): Promise<void> {
  const app = Fastify();
  app.post('/*', (_request, reply) => reply.send(answer));
  await app.listen({ host: '127.0.0.1', port: 0 });
  listening((app.server.address() as AddressInfo).port);
}

async function serveOurs(): Promise<void> {
  const { port } = await startLocalServer({ delayMs: 0 });
  listening(port);
}

function nextMessage(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once('message', (message) => resolve(Number(message))));
}

function askCpuUs(child: ChildProcess): Promise<number> {
  const reply = nextMessage(child);
  child.send('cpu');
  return reply;
}

/** Starts this file again as one of the servers. */
async function startChild(role: string): Promise<Pick<Subject, 'url' | 'cpuUs' | 'stop'>> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', role], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${await nextMessage(child)}`;
  return { url, cpuUs: () => askCpuUs(child), stop: () => child.kill() };
}

async function startPrism(program: string): Promise<Pick<Subject, 'url' | 'cpuUs' | 'stop'>> {
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
  const port = await freePort();
  const flags = ['mock', '-p', String(port), join(folder, 'openapi.json')];
  // It tells its processor time as the others do, by a line that is loaded before it.
  const telling = 'process.on("message",()=>{const{user,system}=process.cpuUsage();process.send(user+system)})';
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${telling}`, program, ...flags], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || attempt === 199) throw new Error('prism does not start.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = (): void => {
    child.kill();
    rmSync(folder, { recursive: true });
  };
  return { url, cpuUs: () => askCpuUs(child), stop };
}

function requestText({ path, body }: Subject): string {
  const headers = `host: localhost\r\nauthorization: ${token}\r\ncontent-type: application/json\r\n`;
  return `POST ${path} HTTP/1.1\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Where the status stands in the line that begins an answer. */
const statusAt = 'HTTP/1.1 '.length;

/** Sends a request on a connection so many times, each when the answer to the last has come. */
function repeat(subject: Subject, count: number): Promise<void> {
  const sent = Buffer.from(requestText(subject));
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(subject.url).port), '127.0.0.1');
    let left = count;
    socket.setNoDelay().once('connect', () => socket.write(sent));
    socket.on('error', reject);
    socket.on('data', (piece) => {
      if (piece[statusAt] !== 0x32) reject(new Error(piece.toString()));
      // Every answer here is small enough to come in one piece, and ends with the record and its envelope.
      if (piece[piece.length - 1] !== 0x7d) return;
      left -= 1;
      if (left > 0) socket.write(sent);
      else socket.end(() => resolve());
    });
  });
}

interface Cost {
  readonly cpuUs: number;
  readonly perSecond: number;
}

/** Has a status call ask for a new report: the server forgets old ones, and a refusal costs something else. */
async function askForNewReport(this: Subject): Promise<void> {
  const creating = { method: 'POST', body: creation, headers: { authorization: token } };
  const created = (await (await fetch(`${this.url}/buyer-reporting`, creating)).json()) as typeof answer;
  this.body = JSON.stringify({ id: created.response.report_id });
}

/** What a request costs, over so many connections at once. */
async function measure(subject: Subject, requests: number): Promise<Cost> {
  await subject.prepare?.();
  const before = await subject.cpuUs();
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: connections }, () => repeat(subject, Math.round(requests / connections))));
  const elapsedMs = performance.now() - startedMs;
  return { cpuUs: ((await subject.cpuUs()) - before) / requests, perSecond: (requests * 1_000) / elapsedMs };
}

async function subjects(): Promise<Subject[]> {
  const ours = await startChild('ours');
  const asking = { path: '/status-reporting', body: JSON.stringify({ id: answer.response.report_id }) };
  const bare = await startChild('bare');
  const fastify = await startChild('fastify');
  const making = { path: '/buyer-reporting', body: creation };
  const list: Subject[] = [
    { name: 'node:http, status', ...bare, ...asking },
    { name: 'Fastify, status', ...fastify, ...asking },
    { name: 'adreport, status', ...ours, ...asking, prepare: askForNewReport },
    { name: 'node:http, create', ...bare, ...making },
    { name: 'Fastify, create', ...fastify, ...making },
    { name: 'adreport, create', ...ours, ...making },
  ];
  const prism = process.env.PRISM ?? '';
  if (existsSync(prism)) list.push({ name: 'prism mock, status', ...(await startPrism(prism)), ...asking });
  else console.log('No @stoplight/prism-cli: install it somewhere, and give the path of its dist/index.js as PRISM.');
  return list;
}

async function compare(): Promise<void> {
  const list = await subjects();
  const costs = new Map<Subject, Cost[]>(list.map((subject) => [subject, []]));
  const isSlow = (subject: Subject): boolean => subject.name.startsWith('prism');
  for (const subject of list) await measure(subject, isSlow(subject) ? 500 : requestsARound);
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of list) {
      costs.get(subject)?.push(await measure(subject, isSlow(subject) ? 1_000 : requestsARound));
    }
  }
  const cpuOf = (subject: Subject | undefined): number[] =>
    (subject && costs.get(subject)?.map(({ cpuUs }) => cpuUs)) ?? [];
  const perSecondOf = (subject: Subject): number =>
    median((costs.get(subject) ?? []).map(({ perSecond }) => perSecond));
  for (const [index, subject] of list.entries()) {
    const bare = cpuOf(list[index - (index % 3)]);
    const own = cpuOf(subject);
    const ratio = median(own.map((cpuUs, round) => (bare[round] ?? Number.NaN) / cpuUs));
    const share = isSlow(subject) ? '' : ratio.toFixed(2);
    const figures = [`${median(own).toFixed(1)} µs`, `${Math.round(perSecondOf(subject))}/s`, share];
    console.log(subject.name.padEnd(20), ...figures.map((figure) => figure.padStart(10)));
  }
  console.log('The last column: how much of the speed of node:http, by processor time (goal: at least 0.75).');
  const [, , ours, , , , prism] = list;
  if (ours && prism) {
    const byTime = median(cpuOf(prism)) / median(cpuOf(ours));
    const byCount = perSecondOf(ours) / perSecondOf(prism);
    const figures = `${byTime.toFixed(1)} by processor time, ${byCount.toFixed(1)} by requests a second`;
    console.log(`adreport / prism: ${figures} (goal: at least 12)`);
  }
  for (const { stop } of list) stop();
}

const roles: Readonly<Record<string, () => unknown>> = { bare: serveBare, fastify: serveFastify, ours: serveOurs };
await (roles[process.argv[2] ?? ''] ?? compare)();
