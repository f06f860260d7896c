import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Ledger, type NewLedgerEntry } from '../../src/run/ledger.ts';
import { bundleScript } from '../support/bundle.ts';
import { fileHost } from '../support/file-host.ts';
import { temporaryFolder } from '../support/run-cli.ts';

const hourMs = 3_600_000;
const startMs = Date.parse('2026-11-18T14:20:37.250Z');

let folder: string;
let nowMs = startMs;
let warnings: string[];

beforeEach(() => {
  folder = temporaryFolder();
  nowMs = startMs;
  warnings = [];
});

function open(): Ledger {
  const host = { ...fileHost(), wallClock: () => nowMs };
  return new Ledger(join(folder, 'settings'), host, (message) => warnings.push(message));
}

const account = { service: 'https://reports.example.com/', account: 'main' };
const search = { ...account, hash: 'h1' };

function request(change: Partial<NewLedgerEntry> = {}): NewLedgerEntry {
  return {
    ...search,
    request: { period: '2026-11-01', profile: 'buyer', metrics: ['clicks'], by: ['DAILY'] },
    window: { since: '2026-11-01T00:00:00+0100', until: '2026-11-01T23:59:59+0100' },
    at: new Date(nowMs).toISOString(),
    ...change,
  };
}

/** Adds a request whose report has an id. */
async function add(ledger: Ledger, id: string, change: Partial<NewLedgerEntry> = {}) {
  const name = await ledger.add(request(change));
  await ledger.update(name, { id, status: 'progress' });
  return name;
}

const resumed = (ledger: Ledger) => ledger.findUnfinished(account, 'h1')?.id;

test('a request is visible to other processes before its report has an ID', async () => {
  const name = await open().add(request());
  expect([...open().entries()]).toEqual([{ ...request(), status: 'requested' }]);

  await open().update(name, { id: 'a', status: 'ready', tookMs: 70_000 });
  expect([...open().entries()]).toEqual([
    { ...request(), id: 'a', status: 'ready', tookMs: 70_000 },
  ]);
  expect(warnings).toEqual([]);
});

describe('an unfinished report is resumed', () => {
  test.each([
    { status: 'progress', isResumed: true },
    { status: 'ready', isResumed: true },
    { status: 'failed', isResumed: false },
    { status: 'EXPIRED', isResumed: false },
    { status: 'refused', isResumed: false },
    { status: 'unreadable', isResumed: false },
    { status: 'downloaded', isResumed: false },
  ])('with the status $status: $isResumed', async ({ status, isResumed }) => {
    const ledger = open();
    await ledger.update(await add(ledger, 'a'), { status });
    for (const reader of [ledger, open()])
      expect(resumed(reader)).toBe(isResumed ? 'a' : undefined);
  });

  test('for 12 hours', async () => {
    const ledger = open();
    await add(ledger, 'a');
    nowMs += 12 * hourMs - 1;
    expect(resumed(ledger)).toBe('a');
    nowMs += 1;
    for (const reader of [ledger, open()]) expect(resumed(reader)).toBeUndefined();
  });

  test('only by the same request of the same account of the same service', async () => {
    const ledger = open();
    await add(ledger, 'a', { hash: 'h2' });
    await add(ledger, 'b', { account: 'other' });
    await add(ledger, 'c', { service: 'https://elsewhere.example.com/' });
    expect(resumed(ledger)).toBeUndefined();
  });

  test('even if a later request has no ID or failed; the newest first', async () => {
    const ledger = open();
    await add(ledger, 'a');
    await add(ledger, 'b');
    await ledger.add(request());
    await ledger.update(await add(ledger, 'c'), { status: 'failed' });
    expect(resumed(ledger)).toBe('b');
  });

  test('unless a later one was downloaded', async () => {
    const ledger = open();
    await add(ledger, 'a');
    await ledger.update(await add(ledger, 'b'), { status: 'downloaded' });
    expect(resumed(ledger)).toBeUndefined();
  });

  test('unless it was requested before its period was over and the period is over now', async () => {
    const window = { since: '2026-11-18T00:00:00+0100', until: '2026-11-18T23:59:59+0100' };
    const overMs = Date.parse('2026-11-18T23:00:00Z');
    const ledger = open();
    nowMs = overMs - 1;
    await add(ledger, 'early', { window });
    expect(resumed(ledger)).toBe('early');
    nowMs = overMs;
    for (const reader of [ledger, open()]) expect(resumed(reader)).toBeUndefined();
  });
});

describe('the folder', () => {
  const path = () => join(folder, 'settings', 'ledger');

  test.skipIf(process.platform === 'win32')('is readable for the owner only', async () => {
    await add(open(), '../../a\u001b[2J');

    const [name = ''] = readdirSync(path());
    const modes = [path(), join(path(), name)].map((each) => statSync(each).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
    expect([...open().entries()]).toMatchObject([{ id: '../../a\u001b[2J' }]);
  });

  const whole = { ...request(), status: 'progress', id: 'x' };

  test.each([
    'null',
    '[]',
    '{"id":"torn","ha',
    JSON.stringify({ ...whole, window: { since: 'x' } }),
    JSON.stringify({ ...whole, request: 'report' }),
    JSON.stringify({ ...whole, status: 7 }),
    JSON.stringify({ ...whole, request: { note: 'x'.repeat(600_000) } }),
  ])('ignores files that it did not write: %.60s', async (text) => {
    await add(open(), 'a');
    writeFileSync(join(path(), `${'9'.repeat(15)}-00000000.json`), text);
    writeFileSync(join(path(), 'notes.txt'), 'mine');

    expect([...open().entries()].map(({ id }) => id)).toEqual(['a']);
    expect(resumed(open())).toBe('a');
    expect(warnings).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('does not wait for pipes and devices', async () => {
    await add(open(), 'a');
    symlinkSync('/dev/zero', join(path(), `${'9'.repeat(15)}-00000000.json`));
    expect([...open().entries()]).toHaveLength(1);
  });

  test.each(['settings', 'settings/ledger'])(
    'that cannot be written is one warning: %s',
    async (file) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'a file where the folder should be');
      const ledger = open();
      await add(ledger, 'a');

      // The same run still resumes it.
      expect(resumed(ledger)).toBe('a');
      expect(warnings).toEqual([
        expect.stringMatching(
          /^Cannot save the list of requested reports \(E[A-Z]+: .*\): a later run/,
        ),
      ]);
    },
  );

  test('keeps the newest 2,000', async () => {
    mkdirSync(path(), { recursive: true });
    for (let n = 0; n < 2_000; n += 1) {
      const time = String(startMs - hourMs - n).padStart(15, '0');
      writeFileSync(join(path(), `${time}-00000000.json`), '{}');
    }
    await add(open(), 'a');
    expect(readdirSync(path())).toHaveLength(2_000);
    expect([...open().entries()]).toMatchObject([{ id: 'a' }]);
  });
});

test('concurrent processes lose no entries', async () => {
  const writer = bundleScript(`
    import { processHost } from './src/host.ts';
    import { Ledger } from './src/run/ledger.ts';
    const [directory, writer, template] = process.argv.slice(2);
    const warn = (message) => { throw new Error(message); };
    const ledger = new Ledger(directory, processHost(), warn);
    for (let n = 0; n < 20; n += 1) {
      const name = await ledger.add(JSON.parse(template));
      await ledger.update(name, { id: writer + '-' + n, status: 'ready' });
    }`);
  onTestFinished(writer.remove);
  const run = promisify(execFile);
  const argv = [writer.file, join(folder, 'settings')];
  const template = JSON.stringify(request());
  await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => run(process.execPath, [...argv, name, template])),
  );
  const entries = [...open().entries()];

  expect(new Set(entries.map(({ id }) => id)).size).toBe(80);
  expect(entries.every(({ status }) => status === 'ready')).toBe(true);
});
