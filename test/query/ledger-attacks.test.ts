import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, serve } from '../support/http-server.ts';
import { runCli, temporaryFolder } from '../support/run-cli.ts';

/** The ledger from the command line: owners of reports, and hostile files in its folder. */

/** A service whose reports become ready on demand, and belong to the token that created them. */
async function serveOwnReports() {
  const owners: string[] = [];
  const state = { isReady: false, foreignStatus: 200 };
  const service = await serve(({ path, headers, body }, response) => {
    const token = String(headers.authorization);
    if (path === '/buyer-reporting') {
      owners.push(token);
      return json(response, { response: { report_id: `r${owners.length}`, status: 'progress' } });
    }
    const id = Number(/r(\d+)/.exec(body)?.[1]);
    const owner = owners[id - 1];
    if (owner !== token && state.foreignStatus !== 200) {
      return json(response, { response: { error: 'not yours' } }, state.foreignStatus);
    }
    if (path === '/status-reporting') {
      return json(response, { response: { status: state.isReady ? 'ready' : 'progress' } });
    }
    json(response, { data: [{ date: '2026-11-19', displays: id }] });
  });
  const ADREPORT_CONFIG_DIR = temporaryFolder();
  const line = 'run --period yesterday --metrics displays --by DAILY --format ndjson';
  const run = (more: string, token: string) =>
    runCli(`${line} ${more}`.trim(), {
      env: { ...service.env, ADREPORT_CONFIG_DIR, ADREPORT_TOKEN: token },
    });
  return { owners, state, run };
}

const [tokenA, tokenB] = ['a'.repeat(40), 'b'.repeat(40)] as const;

describe('an unfinished report', () => {
  test('is picked up only with the token that created it', async () => {
    const { owners, state, run } = await serveOwnReports();
    expect((await run('--wait-timeout 0s', tokenA)).exitCode).toBe(7);
    state.isReady = true;
    const theirs = await run('', tokenB);
    expect(theirs).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"displays":2') });
    const mine = await run('', tokenA);
    expect(mine).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"displays":1') });
    expect(mine.stderr).toContain('Resuming report r1');
    expect(owners).toEqual([tokenA, tokenB]);
  });

  test.each([403, 404])('that the service refuses with %i is created again', async (status) => {
    const { owners, state, run } = await serveOwnReports();
    expect((await run('--wait-timeout 0s', tokenA)).exitCode).toBe(7);
    Object.assign(state, { isReady: true, foreignStatus: status });
    owners[0] = tokenB;
    const { exitCode, stdout, stderr } = await run('', tokenA);
    expect(stderr).toMatch(/requesting a new/i);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('"displays":2')]);
  });
});

const entry = {
  id: 'r1',
  baseUrl: 'https://reports.example.com/',
  account: 'main',
  hash: 'h',
  spec: {
    request: { profile: 'buyer', metrics: ['clicks'], breakdowns: [] },
    timezone: 'Europe/Paris',
    format: { name: 'csv' },
  },
  request: { since: 1, until: 2, metrics: ['clicks'], breakdowns: [], filters: {} },
  window: { since: '2026-11-01T00:00:00+0100', until: '2026-11-01T23:59:59+0100' },
  createdAt: '2026-11-18T14:20:37.250Z',
  lastStatus: 'progress',
};

/** A settings folder whose ledger contains the given files, in order of creation. */
function ledgerOf(make: (path: string, at: number) => void, count = 1): string {
  const folder = temporaryFolder();
  const ledger = join(folder, 'ledger');
  mkdirSync(ledger);
  for (let at = 0; at < count; at += 1) {
    const name = `${String(1_763_000_000_000 + at).padStart(15, '0')}-${'0'.repeat(16)}.json`;
    make(join(ledger, name), at);
  }
  return folder;
}

const list = (folder: string) =>
  runCli('report list --json', { env: { ADREPORT_CONFIG_DIR: folder } });

test.each([
  ['without the end of its window', { ...entry, window: { since: 'x' } }],
  ['without a window', { ...entry, window: undefined }],
  ['without metrics', { ...entry, request: { ...entry.request, metrics: undefined } }],
  ['with a number for a file', { ...entry, file: 7 }],
  ['with filters that are none', { ...entry, request: { ...entry.request, filters: { a: 1 } } }],
])('an entry %s is ignored', async (_name, broken) => {
  const folder = ledgerOf((path, at) => {
    writeFileSync(path, JSON.stringify(at === 0 ? entry : broken));
  }, 2);
  const { exitCode, stdout } = await list(folder);
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, [entry]]);
});
