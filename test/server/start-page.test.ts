import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { endpointNames, endpoints } from '../../src/contract/messages.ts';
import { exportFixtures } from '../../src/server/fixtures/export.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import {
  call,
  createReport,
  downloadOf,
  expectRefusal,
  smallReport,
  startForTest,
} from './local.ts';

const run = promisify(execFile);

/** The unescaped text between tags. */
function textsIn(html: string, tag: string): string[] {
  const entities: Record<string, string> = {
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
  };
  const matches = html.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^]*?)</${tag}>`, 'g'));
  return [...matches].map(([, text = '']) =>
    text.replace(/&[^;]+;/g, (entity) => entities[entity] ?? entity),
  );
}

test('the page shows every call of the contract', async () => {
  const server = await startForTest();

  const { text } = await call(server, '/');

  for (const { method, path } of Object.values(endpoints)) {
    expect(text).toContain(`<b>${method}</b> <code>${path}</code>`);
  }
});

test('the page loads nothing and runs only its own script', async () => {
  const server = await startForTest();

  const answer = await call(server, '/');

  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);

  const html = answer.text;

  expect(answer.body.length).toBeLessThan(30_000);

  const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address);

  expect(addresses).toEqual(['data:,', 'openapi.json']);

  const policy = String(answer.headers['content-security-policy']);

  expect(policy).toMatch(/^default-src 'none';/);
  for (const tag of ['style', 'script']) {
    const texts = [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g'))].map(
      ([, text = '']) => text,
    );
    expect(texts).toHaveLength(1);
    expect(policy).toContain(
      `${tag}-src 'sha256-${createHash('sha256').update(texts.join()).digest('base64')}'`,
    );
  }
});

const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

test.runIf(hasCurl && process.platform !== 'win32')(
  'its curl commands work as printed, in order',
  async () => {
    const server = await startForTest();

    const lines = textsIn((await call(server, '/')).text, 'pre');

    // The calls of four accounts, and the admin calls.
    const count = endpointNames.length;
    expect(lines).toHaveLength(4 * count + 12);

    for (const account of [0, 1, 2, 3]) {
      const { stdout } = await run('sh', [
        '-ec',
        lines.slice(count * account, count * (account + 1)).join('\necho\n'),
      ]);
      const [signIn, id, status, report, campaigns] = stdout
        .split('\n')
        .filter((line) => line !== '');
      expect(JSON.parse(signIn ?? '')).toMatchObject({ response: { status: 'OK' } });
      expect(JSON.parse(status ?? '')).toMatchObject({
        response: { status: 'ready', report_id: id },
      });
      expect(JSON.parse(report ?? '').data.length).toBeGreaterThan(6);
      expect(JSON.parse(campaigns ?? '').length).toBeGreaterThan(1);
    }

    expect(new Set(server.requests().map(({ status }) => status))).toEqual(new Set([200]));
  },
);

test.runIf(hasCurl && process.platform !== 'win32')(
  'its admin calls on one report and one fault use the ids of the calls before',
  async () => {
    const server = await startForTest();
    const { text } = await call(server, '/');
    const lines = textsIn(text, 'pre');
    const lineWith = (words: string): string => lines.find((line) => line.includes(words)) ?? '';
    const addFault = lines.find((line) => line.startsWith('fault='));

    const script = [lines[1], lineWith(`/__admin/reports/'"$id"`), addFault];
    const last = lineWith(`/__admin/faults/'"$fault"`);
    const { stdout } = await run('sh', ['-ec', [...script, last].join('\necho\n')]);

    expect(text).not.toContain(':id</pre>');
    expect(stdout).toMatch(/"status": ?"ready"/);
    expect(server.requests().map(({ status }) => status)).toEqual([200]);
    expect((await call(server, '/__admin/faults')).text).toBe('{"faults":[]}');
  },
);

test('the rows of any ready report are shown as text', async () => {
  const server = await startForTest({ manual: true });
  const id = await createReport(server, 'dsp');
  const path = `/rows/${id}`;

  expectRefusal(await call(server, '/rows/none'), 404, 'UNKNOWN_REPORT');
  expectRefusal(await call(server, path), 409, 'REPORT_NOT_READY');

  server.setReport(id, { status: 'ready' });
  const { text, headers } = await call(server, path);

  expect(text).toBe((await downloadOf(server, id, 'dsp')).text);
  expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8' });
});

test('hostile names are escaped everywhere', async () => {
  const evil = `"'><script>alert(1)</script><img/src=x/onerror=alert(1)>&amp;$(id)`;
  const folder = temporaryFolder();
  const { since } = smallReport;
  await exportFixtures(folder, {
    fixtures: builtInFixtures({ seed: 1, scale: 1 }),
    since,
    until: since,
  });
  const account = {
    name: evil,
    email: `${evil}@x`,
    password: evil,
    profile: 'buyer',
    token: evil,
    advertiserIds: [],
  };
  writeFileSync(join(folder, 'accounts.json'), JSON.stringify([account]));
  const server = await startForTest({ fixtures: folder });
  await call(server, '/buyer-reporting', { token: evil, json: smallReport });

  const html = (await call(server, '/')).text;

  expect(html).not.toMatch(/<script>alert|<img/);
  expect(textsIn(html, 'summary')[0]).toContain(evil);
  expect(html.split('&lt;img').length).toBeGreaterThan(10);
});
