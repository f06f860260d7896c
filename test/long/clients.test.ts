import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import { freePort, pathWithAdreport } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/**
 * The description judged by others: a linter, a proxy that compares calls with it, a client that a public generator makes
 * of it; and the example for Python. ADREPORT_TOOLS names a folder in whose `node_modules` the tools are (`.ci/run`).
 */

const run = promisify(execFile);
const node = process.execPath;
const toolOf = (path: string): string => join(process.env.ADREPORT_TOOLS ?? '', 'node_modules', path);
const redocly = toolOf('@redocly/cli/bin/cli.js');
const prism = toolOf('@stoplight/prism-cli/dist/index.js');
const generator = toolOf('openapi-typescript-codegen/bin/index.js');
for (const tool of [redocly, prism, generator]) if (!existsSync(tool)) console.log(`Skipped: there is no ${tool}`);

const day = { since: 1_780_272_000, until: 1_780_358_399 };
let server: LocalServer;
let file: string;

beforeEach(async () => {
  server = await startLocalServer({ delayMs: 0 });
  onTestFinished(() => server.close());
  file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, await (await fetch(`${server.url}/openapi.json`)).text());
});

test.skipIf(!existsSync(redocly))('the recommended rules of a public linter find nothing', async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const flags = ['lint', '--extends=recommended', '--format=json', file];
  const { stdout } = await run(node, [redocly, ...flags], { env }).catch((error: { stdout: string }) => error);
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

describe.skipIf(!existsSync(prism))('a proxy that compares', () => {
  async function startProxy(): Promise<string> {
    const port = await freePort();
    const flags = ['proxy', '--host', '127.0.0.1', '--port', String(port), file, server.url];
    const proxy: ChildProcess = spawn(node, [prism, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(async () => {
      const ended = once(proxy, 'exit');
      proxy.kill();
      await ended;
    });
    for await (const line of createInterface({ input: proxy.stdout ?? process.stdin })) {
      if (line.includes('Prism is listening')) break;
    }
    proxy.stdout?.resume();
    return `http://127.0.0.1:${port}`;
  }

  test.each(['buyer', 'admin', 'dsp'])(
    'finds no violation in the calls of %s, and the one in a wrong call',
    async (name) => {
      const url = await startProxy();
      const { token = '', profile } = server.accounts.find((account) => account.name === name) ?? {};
      const send = async (path: string, body?: object, headers = {}) => {
        const json = 'application/json';
        const all = { accept: json, authorization: token, 'content-type': json, ...headers };
        const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
        const response = await fetch(url + path, { ...init, headers: all });
        const text = await response.text();
        return { status: response.status, violations: response.headers.get('sl-violations'), text };
      };
      const names = profile === 'dsp' ? ['displays', 'revenueEuro'] : ['displays', 'clicks', 'leads', 'revenueDollar'];
      const breakdowns = profile === 'dsp' ? 'FORMAT BUNDLEID' : 'CAMPAIGN ADUNIT COUNTRY CITY CARRIER';
      for (const breakdown of `DAILY HOURLY MONTHLY RANGE ${breakdowns}`.split(' ')) {
        const body = { ...day, metrics: names.join(','), breakdowns: [breakdown], output: 'direct' };
        expect(await send('/buyer-reporting', body)).toMatchObject({ status: 200, violations: null });
      }
      expect(await send('/campaigns')).toMatchObject({ status: 200, violations: null });
      const created = await send('/buyer-reporting', { ...day, metrics: 'displays' });
      const id = JSON.parse(created.text).response.report_id;
      for (const path of ['/status-reporting', '/download-reporting']) {
        expect(await send(path, { id })).toMatchObject({ status: 200, violations: null });
        expect(await send(path, { id: 'none' })).toMatchObject({ status: 404, violations: null });
        expect(await send(path, { id }, { authorization: 'none' })).toMatchObject({ status: 401, violations: null });
      }
      const wrong = await send('/buyer-reporting', { since: 'yesterday' });
      expect([wrong.status, wrong.violations]).toEqual([400, expect.stringContaining('since')]);
    },
  );
});

test.skipIf(!existsSync(generator))(
  'a client that is generated creates a report, waits for it and downloads it',
  async () => {
    const client = temporaryFolder();
    await run(node, [generator, '--input', file, '--output', client, '--client', 'fetch']);
    const body = JSON.stringify({ ...day, metrics: 'displays', breakdowns: ['DAILY'] });
    const source = `
    import { OpenAPI, ReportsService as calls } from './index';
    OpenAPI.BASE = '${server.url}';
    OpenAPI.HEADERS = { Authorization: '${server.accounts[0]?.token}', Accept: 'application/json' };
    const { response } = await calls.buyer(${body});
    const id = response.report_id;
    while ((await calls.status({ id })).response.status !== 'ready') await new Promise((r) => setTimeout(r, 100));
    console.log(JSON.stringify((await calls.download({ id })).data));`;
    const outfile = join(client, 'main.mjs');
    const stdin = { contents: source, resolveDir: client, loader: 'ts' as const };
    const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const;
    await build({ stdin, outfile, external: ['form-data'], ...options });
    const { stdout } = await run(node, [outfile]);
    expect(JSON.parse(stdout)[0]).toMatchObject({
      date: expect.stringMatching(/^2026-/),
      displays: expect.any(Number),
    });
  },
);

const hasPython = spawnSync('python3', ['-c', 'import pytest, requests']).status === 0;
if (!hasPython) console.log('Skipped: python3 has no pytest and requests.');

test.skipIf(!hasPython)('the example for Python passes in pytest', async () => {
  const topic = readFileSync(resolve(import.meta.dirname, '../../src/help/testing.md'), 'utf8');
  const [, example = ''] = /```python\n([\s\S]*?)```/.exec(topic) ?? [];
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'test_example.py'), example);
  const env = { ...process.env, PATH: pathWithAdreport() };
  const { stdout } = await run('python3', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], { cwd, env });
  expect(stdout).toContain('1 passed');
});
