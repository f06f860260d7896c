import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { startForTest } from '../server/local.ts';
import { temporaryFolder } from '../support/run-cli.ts';

/** A client that a public generator, @hey-api/openapi-ts below ADREPORT_TOOLS, makes from the description. */

const generator = join(process.env.ADREPORT_TOOLS ?? '/nowhere', 'node_modules/@hey-api/openapi-ts/bin/run.js');
if (!existsSync(generator)) console.log('Skipped: ADREPORT_TOOLS names no folder with @hey-api/openapi-ts.');

const script = `
import { adminPostClock, auth, buyer, campaigns, download, status } from './client/sdk.gen';
import { client } from './client/client.gen';
const [baseUrl] = process.argv.slice(2);
client.setConfig({ baseUrl });
const signedIn = await auth({ body: { auth: { email: 'buyer@example.com', password: 'demo' } } });
client.setConfig({ baseUrl, auth: () => signedIn.data.response.token });
const since = 1767222000;
const created = await buyer({ body: { since, until: since + 86399, metrics: 'displays', breakdowns: ['DAILY'] } });
const { report_id: id } = created.data.response;
const states = [(await status({ body: { id } })).data.response.status];
await adminPostClock({ body: { advance: '5s' } });
states.push((await status({ body: { id } })).data.response.status);
const { data } = await download({ body: { id }, headers: { accept: 'application/json' } });
const { error } = await buyer({ body: { since, until: since, metrics: 'wombats' } });
console.log(JSON.stringify({ states, rows: data.data.length, campaigns: (await campaigns()).data.length, error }));
`;

test.runIf(existsSync(generator))('creates, waits and downloads', async () => {
  const server = await startForTest({ delayMs: 5_000 });
  const folder = temporaryFolder();
  const options = ['-i', `${server.url}/openapi.json`, '-o', join(folder, 'client')];
  await promisify(execFile)(process.execPath, [generator, ...options], { cwd: folder });
  const outfile = join(folder, 'use.mjs');
  const stdin = { contents: script, resolveDir: folder };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, server.url]);
  expect(JSON.parse(stdout)).toEqual({
    states: ['progress', 'ready'],
    rows: 1,
    campaigns: 19,
    error: { response: expect.objectContaining({ error_id: 'INVALID_PARAMETER' }) },
  });
});
