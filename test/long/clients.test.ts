import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import { startForTest, tokens } from '../server/local.ts';
import { isInstalled, pathWithAdreport } from '../support/programs.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { runToEnd, start } from '../support/spawn.ts';

/**
 * The description judged by others: a linter, a proxy that compares calls with it, a client that a
 * public generator makes of it; and the examples for other languages. ADREPORT_TOOLS names a folder
 * in whose `node_modules` the tools are (`.ci/run`).
 */

const run = promisify(execFile);
const node = process.execPath;
const toolOf = (path: string): string =>
  join(process.env.ADREPORT_TOOLS ?? '', 'node_modules', path);
const redocly = toolOf('@redocly/cli/bin/cli.js');
const prism = toolOf('@stoplight/prism-cli/dist/index.js');
const generator = toolOf('openapi-typescript-codegen/bin/index.js');
for (const tool of [redocly, prism, generator])
  if (!existsSync(tool)) console.log(`Skipped: there is no ${tool}`);

const day = { since: 1_780_272_000, until: 1_780_358_399 };
let server: LocalServer;
let file: string;

beforeEach(async () => {
  server = await startForTest();
  file = join(temporaryFolder(), 'openapi.json');
  writeFileSync(file, await (await fetch(`${server.url}/openapi.json`)).text());
});

test.skipIf(!existsSync(redocly))(
  'the recommended rules of a public linter find nothing',
  async () => {
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    const flags = ['lint', '--extends=recommended', '--format=json', file];

    const { stdout } = await run(node, [redocly, ...flags], { env }).catch(
      (error: { stdout: string }) => error,
    );

    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  },
);

describe.skipIf(!existsSync(prism))('a proxy that compares', () => {
  async function startProxy(): Promise<string> {
    // Of a server that has just ended: Prism cannot be asked which port it took.
    const { port, close } = await startLocalServer({});
    await close();
    const flags = ['proxy', '--host', '127.0.0.1', '--port', String(port), file, server.url];
    await start(node, [prism, ...flags]).said(/Prism is listening/);
    return `http://127.0.0.1:${port}`;
  }

  const byTime = ['DAILY', 'HOURLY', 'MONTHLY', 'RANGE'];
  const ofBuyers = {
    metrics: 'displays,clicks,leads,revenueDollar',
    breakdowns: ['CAMPAIGN', 'ADUNIT', 'COUNTRY', 'CITY', 'CARRIER'],
  };
  const ofDsps = { metrics: 'displays,revenueEuro', breakdowns: ['FORMAT', 'BUNDLEID'] };

  test.each([
    { name: 'buyer' as const, ...ofBuyers },
    { name: 'admin' as const, ...ofBuyers },
    { name: 'dsp' as const, ...ofDsps },
  ])(
    'finds no violation in the calls of $name, and the one in a wrong call',
    async ({ name, metrics, breakdowns }) => {
      const url = await startProxy();

      const send = async (path: string, body?: object, authorization: string = tokens[name]) => {
        const json = 'application/json';
        const headers = { accept: json, authorization, 'content-type': json };
        const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
        const response = await fetch(url + path, { ...init, headers });
        return {
          answer: [response.status, response.headers.get('sl-violations')],
          text: await response.text(),
        };
      };

      for (const breakdown of [...byTime, ...breakdowns]) {
        const body = { ...day, metrics, breakdowns: [breakdown], output: 'direct' };
        expect((await send('/buyer-reporting', body)).answer).toEqual([200, null]);
      }
      expect((await send('/campaigns')).answer).toEqual([200, null]);

      const created = await send('/buyer-reporting', { ...day, metrics: 'displays' });
      const id = JSON.parse(created.text).response.report_id;

      for (const path of ['/status-reporting', '/download-reporting']) {
        expect((await send(path, { id })).answer).toEqual([200, null]);
        expect((await send(path, { id: 'none' })).answer).toEqual([404, null]);
        expect((await send(path, { id }, 'none')).answer).toEqual([401, null]);
      }

      const { answer } = await send('/buyer-reporting', { since: 'yesterday' });

      expect(answer).toEqual([400, expect.stringContaining('since')]);
    },
  );
});

const generated = 'a client that is generated creates a report, waits for it and downloads it';
test.skipIf(!existsSync(generator))(generated, async () => {
  const client = temporaryFolder();
  await run(node, [generator, '--input', file, '--output', client, '--client', 'fetch']);
  const body = JSON.stringify({ ...day, metrics: 'displays', breakdowns: ['DAILY'] });
  const source = `
    import { OpenAPI, ReportsService as calls } from './index';
    OpenAPI.BASE = '${server.url}';
    OpenAPI.HEADERS = { Authorization: '${tokens.buyer}', Accept: 'application/json' };
    const { response } = await calls.buyer(${body});
    const id = response.report_id;
    while ((await calls.status({ id })).response.status !== 'ready') await new Promise((r) => setTimeout(r, 100));
    console.log(JSON.stringify((await calls.download({ id })).data));`;
  const outfile = join(client, 'main.mjs');
  const stdin = { contents: source, resolveDir: client, loader: 'ts' as const };
  const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const;
  await build({ stdin, outfile, external: ['form-data'], ...options });

  const [row] = JSON.parse((await run(node, [outfile])).stdout);

  expect(row).toMatchObject({
    date: expect.stringMatching(/^2026-/),
    displays: expect.any(Number),
  });
});

describe('the programs of the topic `testing`', () => {
  const topic = readFileSync(resolve(import.meta.dirname, '../../src/help/testing.md'), 'utf8');

  /** A folder with a program as a file, and how to run programs there. */
  function writeProgram(file: string, text: string) {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, file), text);
    const env = { ...process.env, PATH: pathWithAdreport(), GOCACHE: join(cwd, 'cache') };

    return (command: string, ...args: string[]) => run(command, args, { cwd, env });
  }

  /** A program that the topic names by its path. */
  function readRecipe(name: string): string {
    expect(topic).toContain(`test/recipes/${name}`);
    return readFileSync(resolve(import.meta.dirname, '../recipes', name), 'utf8');
  }

  test('Python, in pytest', async ({ skip }) => {
    const { status } = runToEnd('python3', ['-c', 'import pytest, requests']);
    if (status !== 0) skip('python3 has no pytest and requests');

    const [, text = ''] = /^```python\n([\s\S]*?)^```/m.exec(topic) ?? [];
    const runHere = writeProgram('test_example.py', text);

    const { stdout } = await runHere('python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider');

    expect(stdout).toContain('1 passed');
  });

  test('Go, in its own test runner', async ({ skip }) => {
    if (!isInstalled('go')) skip('there is no go');

    const runHere = writeProgram('service_test.go', readRecipe('service_test.go'));
    await runHere('go', 'vet', 'service_test.go');

    const { stdout } = await runHere('go', 'test', '-v', 'service_test.go');

    expect(stdout).toContain('--- PASS: TestReport');
  });

  test('PHP', async ({ skip }) => {
    const { stdout: modules } = isInstalled('php') ? runToEnd('php', ['-m']) : { stdout: '' };
    if (!modules.includes('curl')) skip('there is no php with curl');

    const runHere = writeProgram('service.php', readRecipe('service.php'));

    const { stdout } = await runHere('php', 'service.php');

    expect(stdout).toBe('passed\n');
  });
});
