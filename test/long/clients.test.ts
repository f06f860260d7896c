import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeEach, describe, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../src/server/start.ts';
import { startForTest, tokens } from '../server/local.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { runToEnd, start } from '../support/spawn.ts';

/**
 * The OpenAPI description in other tools: a linter, a validating proxy, generated clients. The tools
 * are in the `node_modules` of ADREPORT_TOOLS (`.ci/run`).
 */

const run = promisify(execFile);
const node = process.execPath;
const toolOf = (path: string): string =>
  join(process.env.ADREPORT_TOOLS ?? '', 'node_modules', path);
const redocly = toolOf('@redocly/cli/bin/cli.js');
const prism = toolOf('@stoplight/prism-cli/dist/index.js');
for (const tool of [redocly, prism])
  if (!existsSync(tool)) console.log(`Skipped: there is no ${tool}`);

const typescript = resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const strictOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

const day = { since: 1_780_264_800, until: 1_780_351_199 };
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
    const ended = await startLocalServer({});
    const { port } = new URL(ended.url);
    await ended.close();
    const flags = ['proxy', '--host', '127.0.0.1', '--port', port, file, server.url];
    await start(node, [prism, ...flags]).printed(/Prism is listening/);
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

/** A public generator of clients, and a program that uses what it writes. */
interface ClientGenerator {
  readonly name: string;
  readonly file: string;
  readonly flags: (openapi: string, folder: string) => readonly string[];

  /** Sets `json` and `form` to the ids of two reports, and `rowsOf` to what downloads one. */
  readonly source: string;
}

/** Calls of the service without a generated client, by generated types alone. */
const plainCalls = `
  async function post<Answer>(path: string, body: string | URLSearchParams): Promise<Answer> {
    const type = typeof body === 'string' ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { authorization: token, accept: 'application/json', 'content-type': type };
    return (await (await fetch(url + path, { method: 'POST', headers, body })).json()) as Answer;
  }
  function fieldsOf(form: object): URLSearchParams {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) {
      for (const one of [value].flat()) fields.append(name, String(one));
    }
    return fields;
  }`;

const generators: readonly ClientGenerator[] = [
  {
    name: 'openapi-typescript',
    file: 'openapi-typescript/bin/cli.js',
    flags: (openapi, folder) => [openapi, '-o', join(folder, 'client.ts')],
    source: `
      import type { components, paths } from './client.js';
      type Schemas = components['schemas'];
      type Bodies = paths['/buyer-reporting']['post']['requestBody']['content'];
      ${plainCalls}
      const asJson: Bodies['application/json'] = { ...day, metrics: ['displays'], breakdowns: ['DAILY'] };
      const asForm: Bodies['application/x-www-form-urlencoded'] = { ...day, metrics: 'displays', breakdowns: ['DAILY'] };
      const json = (await post<Schemas['StatusRecord']>('/buyer-reporting', JSON.stringify(asJson))).response.report_id;
      const form = (await post<Schemas['StatusRecord']>('/buyer-reporting', fieldsOf(asForm))).response.report_id;
      const rowsOf = async (id: string) =>
        (await post<Schemas['BuyerReport']>('/download-reporting', JSON.stringify({ id }))).data;`,
  },
  {
    name: 'hey-api',
    file: '@hey-api/openapi-ts/bin/run.js',
    flags: (openapi, folder) => ['-i', openapi, '-o', join(folder, 'client')],
    source: `
      import { urlSearchParamsBodySerializer } from './client/client/index.js';
      import { client } from './client/client.gen.js';
      import { buyer, download, type ReportForm } from './client/index.js';
      client.setConfig({ baseUrl: url, auth: token, headers: { Accept: 'application/json' } });
      const idOf = (data: Awaited<ReturnType<typeof buyer>>['data']) =>
        data && typeof data === 'object' && 'response' in data ? data.response.report_id : '';
      const body = { ...day, metrics: ['displays' as const], breakdowns: ['DAILY' as const] };
      const json = idOf((await buyer({ body })).data);
      const asForm: ReportForm = { ...day, metrics: 'displays', breakdowns: ['DAILY'] };
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const form = idOf((await buyer({ body: asForm, headers, ...urlSearchParamsBodySerializer })).data);
      const rowsOf = async (id: string) => {
        const { data } = await download({ body: { id } });
        return data && typeof data === 'object' ? data.data : [];
      };`,
  },
];

describe.each(generators)('a client of $name', ({ file: tool, flags, source }) => {
  const path = toolOf(tool);
  if (!existsSync(path)) console.log(`Skipped: there is no ${path}`);

  test.skipIf(!existsSync(path))(
    'compiles strictly, and reads reports of both encodings',
    async () => {
      const folder = temporaryFolder();
      await run(node, [path, ...flags(file, folder)], { cwd: folder });
      const program = `
      ${source}
      const bodies = [await rowsOf(json), await rowsOf(form)];
      console.log(JSON.stringify(bodies.map((rows) => rows.map((row) => [row.date, row.displays]))));`;
      const values = { url: server.url, token: tokens.buyer, day };
      const constants = Object.entries(values).map(
        ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
      );
      // Imports come first, wherever they are written.
      writeFileSync(join(folder, 'main.ts'), [...constants, program].join('\n'));
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: strictOptions, include: ['**/*.ts'] }),
      );

      const compiled = runToEnd(node, [typescript, '--project', folder], folder);
      expect(compiled).toEqual({ status: 0, stdout: '', stderr: '' });

      const outfile = join(folder, 'main.mjs');
      const options = { bundle: true, platform: 'node', format: 'esm', logLevel: 'error' } as const;
      await build({
        entryPoints: [join(folder, 'main.ts')],
        outfile,
        external: ['form-data'],
        ...options,
      });
      const [json, form] = JSON.parse((await run(node, [outfile])).stdout);

      expect(json).toEqual([['2026-06-01', expect.any(Number)]]);
      expect(form).toEqual(json);
      expect(server.requests().map(({ headers }) => headers['content-type'])).toEqual(
        expect.arrayContaining([
          'application/json',
          expect.stringMatching(/^application\/x-www-form-urlencoded/),
        ]),
      );
    },
  );
});
