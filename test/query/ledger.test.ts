import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { fetchedStatus, Ledger, type NewLedgerEntry } from '../../src/query/ledger.ts';
import { bundleScript } from '../support/bundle.ts';
import { fileHost } from '../support/file-host.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const hourMs = 3_600_000;
const startMs = Date.parse('2026-11-18T14:20:37.250Z');

let folder: string;
let nowMs: number;
let warnings: string[];

beforeEach(() => {
  folder = temporaryFolder();
  nowMs = startMs;
  warnings = [];
});

function open(directory = join(folder, 'settings')): Ledger {
  return new Ledger({
    directory,
    host: fileHost(),
    wallClock: () => nowMs,
    warn: (message) => warnings.push(message),
  });
}

function entry(id: string, hash = 'h1'): NewLedgerEntry {
  return {
    id,
    baseUrl: 'https://reports.example.com',
    account: 'main',
    credential: 'mine',
    hash,
    spec: {
      request: { profile: 'buyer', metrics: ['clicks'], breakdowns: ['DAILY'] },
      timezone: 'Europe/Paris',
      format: { name: 'csv' },
    },
    request: {
      since: 1,
      until: 2,
      metrics: ['clicks'],
      breakdowns: ['DAILY'],
      filters: { campaignId: ['12'] },
    },
    window: { since: '2026-11-01T00:00:00+0100', until: '2026-11-01T23:59:59+0100' },
    createdAt: new Date(nowMs).toISOString(),
  };
}

const key = (id: string) => ({ baseUrl: 'https://reports.example.com', id });

test('a recorded report is visible to other processes immediately', async () => {
  await open().record(entry('a'));

  expect(open().list()).toEqual([
    { ...entry('a'), createdAt: '2026-11-18T14:20:37.250Z', lastStatus: 'progress' },
  ]);
  expect(warnings).toEqual([]);
});

test('the time that the last report of an account took', async () => {
  const ledger = open();
  await ledger.record(entry('a'));
  await ledger.update(key('a'), { status: 'ready', tookMs: 70_000 });
  nowMs += 1;
  await ledger.record({ ...entry('b'), account: 'other' });
  await ledger.update(key('b'), { status: 'ready', tookMs: 5_000 });
  nowMs += 1;
  await ledger.record(entry('c'));

  expect(open().lastTookMs(entry('c'))).toBe(70_000);
  expect(open().lastTookMs({ ...entry('c'), account: 'nobody' })).toBeUndefined();
});

test('the last update of an entry counts', async () => {
  const ledger = open();
  await ledger.record(entry('a'));
  nowMs += 1;
  await ledger.record(entry('b'));
  await ledger.update(key('a'), { status: 'ready' });
  await ledger.update(key('a'), { status: fetchedStatus, file: '/data/a.csv' });
  await ledger.update(key('a'), { status: 'expired' });
  await ledger.update(key('unknown'), { status: 'ready' });
  await ledger.update(
    { ...key('b'), baseUrl: 'https://elsewhere.example.com' },
    { status: 'ready' },
  );

  expect(ledger.list()).toMatchObject([
    { id: 'b', lastStatus: 'progress' },
    { id: 'a', lastStatus: 'fetched', file: '/data/a.csv' },
  ]);
});

describe('picking up', () => {
  test.each([
    { status: 'progress', isPickedUp: true },
    { status: 'ready', isPickedUp: true },
    { status: 'failed', isPickedUp: false },
    { status: 'EXPIRED', isPickedUp: false },
    { status: 'cancelled', isPickedUp: false },
    { status: fetchedStatus, isPickedUp: false },
  ])(
    'takes the newest report of the request, unless its status is $status',
    async ({ status, isPickedUp }) => {
      const ledger = open();
      for (const { id, hash } of [
        { id: 'other', hash: 'h2' },
        { id: 'old' },
        { id: 'new' },
      ] as const)
        await ledger.record(entry(id, hash));
      await ledger.update(key('new'), { status });

      expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })?.id).toBe(
        isPickedUp ? 'new' : undefined,
      );
      expect(ledger.findUnfinished({ hash: 'h3', credential: 'mine' })).toBeUndefined();
    },
  );

  test('never takes a report that the service no longer has', async () => {
    const ledger = open();
    await ledger.record(entry('a'));
    nowMs += 24 * hourMs - 1;

    expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })).toMatchObject({ id: 'a' });

    nowMs += 1;

    expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })).toBeUndefined();
  });
});

describe('the owner of a report', () => {
  test('reports of another or an unknown credential are not picked up', async () => {
    const ledger = open();
    const { credential: _none, ...ofOlderVersion } = entry('old');
    await ledger.record(ofOlderVersion);
    await ledger.record({ ...entry('theirs'), credential: 'theirs' });
    expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })).toBeUndefined();
    expect(ledger.findUnfinished({ hash: 'h1', credential: 'theirs' })?.id).toBe('theirs');
    expect(open().findUnfinished({ hash: 'h1', credential: 'theirs' })?.id).toBe('theirs');
  });

  test('a credential is stored as a hash; its key is created once, readable for the owner only', () => {
    const secret = 'a-token-of-some-length';
    const hash = open().credentialOf(secret);
    expect(open().credentialOf(secret)).toBe(hash);
    expect(open(join(folder, 'elsewhere')).credentialOf(secret)).not.toBe(hash);
    expect(hash).not.toContain(secret);
    const keyFile = join(folder, 'settings', 'ledger.key');
    expect(readFileSync(keyFile, 'utf8')).toMatch(/^[\w-]{43}$/);
    if (process.platform !== 'win32') expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });

  test('a damaged key is replaced', () => {
    const keyFile = join(folder, 'settings', 'ledger.key');
    mkdirSync(dirname(keyFile));
    writeFileSync(keyFile, 'half-a-k');

    const hash = open().credentialOf('x');

    expect(open().credentialOf('x')).toBe(hash);
    expect(readdirSync(join(folder, 'settings'))).toEqual(['ledger.key']);
  });

  test('no report is picked up if the key cannot be stored', () => {
    writeFileSync(join(folder, 'settings'), 'a file where the folder should be');
    expect(open().credentialOf('x')).not.toBe(open().credentialOf('x'));
  });
});

test('a report created before the end of its window is not picked up after it', async () => {
  const window = { since: '2026-11-18T00:00:00+0100', until: '2026-11-18T23:59:59+0100' };
  const overMs = Date.parse('2026-11-18T23:00:00Z');
  const search = { hash: 'h1', credential: 'mine' };
  const ledger = open();
  nowMs = overMs - 1;
  await ledger.record({ ...entry('early'), window });
  expect(ledger.findUnfinished(search)?.id).toBe('early');
  nowMs = overMs;
  for (const reader of [ledger, open()]) expect(reader.findUnfinished(search)).toBeUndefined();
  await ledger.record({ ...entry('late'), window });
  nowMs += 1;
  for (const reader of [ledger, open()]) expect(reader.findUnfinished(search)?.id).toBe('late');
});

test('a report that timed out twice is stuck, for other processes too', async () => {
  const search = { hash: 'h1', credential: 'mine' };
  const ledger = open();
  await ledger.record(entry('a'));

  await ledger.update(key('a'), { isTimeout: true });
  expect(ledger.findUnfinished(search)).toMatchObject({ id: 'a', isStuck: false });
  await ledger.update(key('a'), { isTimeout: true });

  for (const reader of [ledger, open()]) {
    expect(reader.findUnfinished(search)).toMatchObject({ id: 'a', isStuck: true });
  }
  await ledger.update(key('a'), { status: fetchedStatus });
  expect(open().findUnfinished(search)).toBeUndefined();
});

describe('the folder', () => {
  test.skipIf(process.platform === 'win32')('is readable for the owner only', async () => {
    const ledger = open();
    await ledger.record(entry('../../a\u001b[2J'));

    const [name = ''] = readdirSync(ledger.path);

    expect(statSync(join(ledger.path, name)).mode & 0o777).toBe(0o600);
    expect(
      [ledger.path, join(folder, 'settings')].map((path) => statSync(path).mode & 0o777),
    ).toEqual([0o700, 0o700]);
    expect(ledger.list()).toMatchObject([{ id: '../../a\u001b[2J' }]);
  });

  test('incomplete and foreign files are ignored', async () => {
    const ledger = open();
    await ledger.record(entry('a'));
    const texts = ['null', '42', '"text"', '[]', '{"id":"x"}', '{"id":"torn","ha'];
    for (const [index, text] of texts.entries()) {
      writeFileSync(join(ledger.path, `99999999999999${index}-${'0'.repeat(16)}.json`), text);
    }
    writeFileSync(join(ledger.path, 'notes.txt'), 'mine');

    expect(ledger.list().map(({ id }) => id)).toEqual(['a']);
    expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })).toMatchObject({ id: 'a' });
    expect(warnings).toEqual([]);
  });

  test.each(['settings', 'settings/ledger'])(
    'an obstacle to reading and writing is one warning: %s',
    async (file) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'a file where the folder should be');
      const ledger = open();
      await ledger.record(entry('a'));
      await ledger.update(key('a'), { status: 'ready' });

      expect(ledger.findUnfinished({ hash: 'h1', credential: 'mine' })).toBeUndefined();
      expect(warnings).toEqual([
        expect.stringMatching(
          /^Cannot save the list of requested reports \(E[A-Z]+: .*\): a later run/,
        ),
      ]);
    },
  );
});

test('concurrent processes lose no entries', async () => {
  const writer = bundleScript(`
    import { processHost } from './src/host.ts';
    import { Ledger } from './src/query/ledger.ts';
    const [directory, writer, template] = process.argv.slice(2);
    const warn = (message) => { throw new Error(message); };
    const ledger = new Ledger({ directory, host: processHost(), wallClock: Date.now, warn });
    for (let n = 0; n < 20; n += 1) {
      const entry = { ...JSON.parse(template), id: writer + '-' + n };
      await ledger.record(entry);
      await ledger.update(entry, { status: 'ready' });
    }`);
  onTestFinished(writer.remove);
  const run = promisify(execFile);
  const argv = [writer.file, join(folder, 'settings')];
  const template = JSON.stringify(entry('template'));
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [...argv, name, template])),
  );
  const entries = open().list();

  expect(entries).toHaveLength(80);
  expect(entries.every(({ lastStatus }) => lastStatus === 'ready')).toBe(true);
  expect(readdirSync(open().path)).toHaveLength(80);
});
