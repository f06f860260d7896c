import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { exportFixtures } from '../../src/server/fixtures/export.ts';
import { builtInFixtures } from '../../src/server/world/built-in.ts';
import { temporaryFolder } from '../support/run-cli.ts';
import { call, smallReport, startForTest } from './local.ts';

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

test('the page has the accounts, and it runs and loads nothing', async () => {
  const server = await startForTest();

  const { status, headers, text } = await call(server, '/');

  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const { email, token } of server.accounts) {
    expect(text).toContain(`<td><code>${email}</code>`);
    expect(text).toContain(token);
  }
  const links = [...text.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toEqual(['data:,', 'openapi.json']);
  expect(text).not.toMatch(/<script|<style/);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
});

const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

test.runIf(hasCurl && process.platform !== 'win32')(
  'its curl lines work as printed, in order',
  async () => {
    const server = await startForTest();
    const lines = textsIn((await call(server, '/')).text, 'pre');

    const { stdout } = await run('sh', ['-ec', lines.join('\necho\n')]);

    const answers = stdout.split('\n').filter((line) => line !== '');
    const [signIn = '', id, status = '', report = '', campaigns = ''] = answers;
    expect(JSON.parse(signIn)).toMatchObject({ response: { status: 'OK' } });
    expect(JSON.parse(status)).toMatchObject({ response: { status: 'ready', report_id: id } });
    expect(JSON.parse(report).data.length).toBeGreaterThan(6);
    expect(JSON.parse(campaigns).length).toBeGreaterThan(1);
    expect(new Set(server.requests().map((request) => request.status))).toEqual(new Set([200]));
  },
);

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
  expect(textsIn(html, 'code')).toContain(evil);
  expect(html.split('&lt;img').length).toBeGreaterThan(5);
});
