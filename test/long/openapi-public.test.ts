import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import { freePort } from '../support/free-port.ts';

/**
 * The description judged by others: @redocly/cli lints it, and @stoplight/prism-cli stands between the calls made from it
 * and the server, and tells what differs from it. Both have too many dependencies for this project: ADREPORT_TOOLS names a
 * folder in whose `node_modules` they are.
 */

const tools = process.env.ADREPORT_TOOLS ?? '';
const redocly = join(tools, 'node_modules/@redocly/cli/bin/cli.js');
const prism = join(tools, 'node_modules/@stoplight/prism-cli/dist/index.js');
const isHere = tools !== '' && existsSync(redocly) && existsSync(prism);
if (!isHere) console.log('Skipped: ADREPORT_TOOLS names no folder with @redocly/cli and @stoplight/prism-cli.');

interface Media {
  readonly example?: object;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly oneOf?: readonly { readonly const: string; readonly description: string }[] }>
    >;
  };
}

describe.skipIf(!isHere)('the description', () => {
  let server: LocalServer;
  let file: string;
  let document: Document;

  beforeAll(async () => {
    server = await startLocalServer({ delayMs: 0 });
    const text = await (await fetch(`${server.url}/openapi.json`)).text();
    document = JSON.parse(text) as Document;
    file = join(mkdtempSync(join(tmpdir(), 'adreport-test-')), 'openapi.json');
    writeFileSync(file, text);
  });
  afterAll(async () => {
    rmSync(dirname(file), { recursive: true });
    await server.close();
  });

  test('passes the recommended rules of a public linter', async () => {
    const flags = ['lint', '--extends=recommended', '--format=json', file];
    const { stdout } = await promisify(execFile)(process.execPath, [redocly, ...flags], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    }).catch((error: { stdout: string }) => error);
    const { totals, problems } = JSON.parse(stdout) as { totals: { errors: number; warnings: number }; problems: [] };
    expect([totals, problems]).toEqual([expect.objectContaining({ errors: 0, warnings: 0 }), []]);
  });

  describe('a proxy that compares', () => {
    let proxy: ChildProcess;
    let url: string;

    beforeAll(async () => {
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      const flags = ['proxy', '--host', '127.0.0.1', '--port', String(port), file, server.url];
      proxy = spawn(process.execPath, [prism, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const line of createInterface({ input: proxy.stdout ?? process.stdin })) {
        if (line.includes('Prism is listening')) break;
      }
      proxy.stdout?.resume();
    }, 60_000);
    afterAll(async () => {
      const ended = once(proxy, 'exit');
      proxy.kill();
      await ended;
    });

    /** A call through the proxy, with what it found to differ from the description. */
    async function send(path: string, body: object | string | undefined, headers: Record<string, string>) {
      const isForm = typeof body === 'string';
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const response = await fetch(url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': type }), ...headers },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, violations: response.headers.get('sl-violations'), text };
    }

    test('tells of a call that differs', async () => {
      const headers = { authorization: server.accounts[0]?.token ?? '' };
      const { status, violations } = await send('/buyer-reporting', { since: 'yesterday' }, headers);
      expect(status).toBe(400);
      expect(violations).toContain('since');
    });

    test.each(['buyer', 'admin', 'dsp'])('finds no violation in the calls made from it (%s)', async (name) => {
      const { token = '', profile = 'buyer' } = server.accounts.find((account) => account.name === name) ?? {};
      const headers = { authorization: token };
      for (const [path, body] of callsFrom(document, profile)) {
        const answer = await send(path, body, headers);
        expect([path, body, answer]).toEqual([path, body, { ...answer, status: 200, violations: null }]);
      }
      const created = await send('/buyer-reporting', exampleOf(document, '/buyer-reporting'), headers);
      const { report_id: id } = (JSON.parse(created.text) as { response: { report_id: string } }).response;
      for (const path of ['/status-reporting', '/download-reporting']) {
        expect(await send(path, { id }, headers)).toMatchObject({ status: 200, violations: null });
        expect(await send(path, { id: 'none' }, headers)).toMatchObject({ status: 404, violations: null });
        expect(await send(path, { id }, { authorization: 'none' })).toMatchObject({ status: 401, violations: null });
      }
      const csv = await send('/download-reporting', { id }, { ...headers, accept: 'text/csv' });
      expect(csv).toMatchObject({ status: 200, violations: null });
    });
  });
});

function exampleOf({ paths }: Document, path: string, type = 'application/json'): object {
  return paths[path]?.post?.requestBody?.content[type]?.example ?? {};
}

/** The examples of the description, and a call for each metric and each breakdown that it gives a profile. */
function* callsFrom(document: Document, profile: string): Generator<[string, object | string | undefined]> {
  yield ['/campaigns', undefined];
  for (const path of ['/auth-reporting', '/buyer-reporting']) {
    yield [path, exampleOf(document, path)];
    const form = exampleOf(document, path, 'application/x-www-form-urlencoded') as Record<string, string>;
    yield [path, new URLSearchParams(form).toString()];
  }
  const namesOf = (schema: string): string[] =>
    (document.components.schemas[schema]?.oneOf ?? [])
      .filter(
        ({ description }) => !/\((?:buyer|dsp) only\)/.test(description) || description.includes(`(${profile} only)`),
      )
      .map((entry) => entry.const);
  const request = { ...exampleOf(document, '/buyer-reporting'), output: 'direct' };
  const day = { ...request, since: 1_780_272_000, until: 1_780_358_399 };
  for (const metric of namesOf('MetricName')) yield ['/buyer-reporting', { ...day, metrics: metric, breakdowns: [] }];
  for (const breakdown of namesOf('BreakdownName')) yield ['/buyer-reporting', { ...day, breakdowns: [breakdown] }];
}
