import { execFileSync, fork } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Ledger, type NewLedgerEntry, openLedger } from '../../src/report/ledger/ledger.ts';
import { fetchedStatus } from '../../src/report/ledger/ledger-entry.ts';
import { shortenFile } from '../../src/report/ledger/ledger-file.ts';
import { bundleScript } from '../support/bundle.ts';

const hourMs = 3_600_000;
const startMs = Date.parse('2026-11-18T14:20:37.250Z');

let folder: string;
let nowMs: number;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adreport-ledger-'));
  nowMs = startMs;
  warnings = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(directory = join(folder, 'settings')): Ledger {
  return openLedger({ directory, wallClock: () => nowMs, warn: (message) => warnings.push(message) });
}

function entry(id: string, hash = 'h1'): NewLedgerEntry {
  return {
    id,
    baseUrl: 'https://reports.example.com',
    account: 'main',
    profile: 'buyer',
    hash,
    request: { since: 1, until: 2, metrics: ['clicks'], breakdowns: ['DAILY'], filters: { campaignId: ['12'] } },
    window: { since: '2026-11-01T00:00:00+0100', until: '2026-11-01T23:59:59+0100' },
  };
}

const key = (id: string) => ({ baseUrl: 'https://reports.example.com', id });

test('a report is there the moment it is noted, for another process too', () => {
  open().record(entry('a'));
  expect(open().list()).toEqual([{ ...entry('a'), createdAt: '2026-11-18T14:20:37.250Z', lastStatus: 'progress' }]);
  expect(warnings).toEqual([]);
});

test('what became of it is the last that was noted', () => {
  const ledger = open();
  ledger.record(entry('a'));
  ledger.record(entry('b'));
  ledger.update(key('a'), { status: 'ready' });
  ledger.update(key('a'), { status: fetchedStatus, file: '/data/a.csv' });
  ledger.update(key('a'), { status: 'expired' });
  ledger.update(key('unknown'), { status: 'ready' });
  ledger.update({ ...key('b'), baseUrl: 'https://elsewhere.example.com' }, { status: 'ready' });
  expect(ledger.list()).toMatchObject([
    { id: 'a', lastStatus: 'fetched', file: '/data/a.csv' },
    { id: 'b', lastStatus: 'progress' },
  ]);
});

describe('picking up', () => {
  test('the newest unfinished report of that request', () => {
    const ledger = open();
    ledger.record(entry('other', 'h2'));
    ledger.record(entry('old'));
    ledger.record(entry('new'));
    expect(ledger.findUnfinished('h1')).toMatchObject({ id: 'new' });
    ledger.update(key('new'), { status: 'ready' });
    expect(ledger.findUnfinished('h1')).toMatchObject({ id: 'new', lastStatus: 'ready' });
    expect(ledger.findUnfinished('h3')).toBeUndefined();
  });

  test.each(['failed', 'EXPIRED', 'cancelled', fetchedStatus])(
    'never one that is %s, nor one older than it',
    (status) => {
      const ledger = open();
      ledger.record(entry('old'));
      ledger.record(entry('new'));
      ledger.update(key('new'), { status });
      expect(ledger.findUnfinished('h1')).toBeUndefined();
    },
  );

  test('never one that the service has dropped by now', () => {
    const ledger = open();
    ledger.record(entry('a'));
    nowMs += 24 * hourMs - 1;
    expect(ledger.findUnfinished('h1')).toMatchObject({ id: 'a' });
    nowMs += 1;
    expect(ledger.findUnfinished('h1')).toBeUndefined();
  });
});

describe('the file', () => {
  test.skipIf(process.platform === 'win32')('is for the owner only, and made so again where it is not', () => {
    const ledger = open();
    ledger.record(entry('a'));
    expect(statSync(ledger.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'settings')).mode & 0o777).toBe(0o700);
    chmodSync(ledger.path, 0o644);
    ledger.record(entry('b'));
    expect(statSync(ledger.path).mode & 0o777).toBe(0o600);
  });

  test('a line that was cut short, or is not ours, costs nothing but itself', () => {
    const ledger = open();
    ledger.record(entry('a'));
    appendFileSync(
      ledger.path,
      'null\n42\n"text"\n[]\n{"id":"x"}\n{"id":"y","hash":"h1","baseUrl":"z"}\n\n{"id":"torn","ha',
    );
    ledger.record(entry('b'));
    expect(ledger.list().map(({ id }) => id)).toEqual(['a', 'b']);
    expect(warnings).toEqual([]);
  });

  test('a thousand filter values still make one short line', () => {
    const ledger = open();
    const campaignId = Array.from({ length: 1_000 }, (_, index) => `10000000${index}`);
    const longNames = Array.from({ length: 5 }, () => 'é'.repeat(1_000));
    const { request } = entry('a');
    ledger.record({ ...entry('a'), request: { ...request, filters: { campaignId, osId: ['1'] } } });
    ledger.record({ ...entry('b'), request: { ...request, filters: { carrier: longNames } } });
    const lines = readFileSync(ledger.path, 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThan(4_096);
    expect(ledger.list().map((each) => each.request.filters)).toEqual([
      { campaignId: [...campaignId.slice(0, 4), '… 996 more'], osId: ['1'] },
      {},
    ]);
  });

  test('what keeps it from being read or written is a warning', () => {
    writeFileSync(join(folder, 'settings'), 'a file where the folder should be');
    const ledger = open();
    ledger.record(entry('a'));
    ledger.update(key('a'), { status: 'ready' });
    expect(ledger.findUnfinished('h1')).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The ledger could not be written \(E[A-Z]+: .*\): a later run may create this report anew\.$/,
      ),
      expect.stringMatching(/^The ledger could not be written/),
      expect.stringMatching(/^The ledger could not be read \(ENOTDIR: .*\): unfinished reports are not picked up\.$/),
    ]);
  });
});

describe('a long ledger', () => {
  /** Entries enough for more than the 1 MiB at which it is shortened. */
  function fill(ledger: Ledger, count: number): string[] {
    const ids = Array.from({ length: count }, (_, index) => `r${index}`);
    const line = (id: string) =>
      JSON.stringify({ ...entry(id, id), createdAt: new Date(nowMs).toISOString(), lastStatus: 'progress' });
    mkdirSync(join(folder, 'settings'), { recursive: true });
    writeFileSync(ledger.path, ids.map((id) => `${line(id)}\n`).join(''));
    return ids;
  }

  test('is cut back to its newest reports, each with its last status', () => {
    const ledger = open();
    const ids = fill(ledger, 3_000);
    ledger.update(key('r2999'), { status: 'ready' });
    const kept = ledger.list();
    expect(statSync(ledger.path).size).toBeLessThan(513 * 1024);
    expect(kept.map(({ id }) => id)).toEqual(ids.slice(-kept.length));
    expect(kept.at(-1)).toMatchObject({ id: 'r2999', lastStatus: 'ready' });
    expect(kept.length).toBeGreaterThan(1_000);
    expect(readdirSync(join(folder, 'settings'))).toEqual(['ledger.ndjson']);
  });

  test('is left alone while another process shortens it; a lock that nobody holds any more is removed', () => {
    const ledger = open();
    fill(ledger, 3_000);
    const lock = `${ledger.path}.lock`;
    writeFileSync(lock, '');
    ledger.record(entry('new'));
    expect(ledger.list()).toHaveLength(3_001);
    utimesSync(lock, new Date(0), new Date(0));
    ledger.record(entry('newer'));
    expect(existsSync(lock)).toBe(false);
    ledger.record(entry('newest'));
    expect(ledger.list().length).toBeLessThan(3_000);
    expect(ledger.list().slice(-3)).toMatchObject([{ id: 'new' }, { id: 'newer' }, { id: 'newest' }]);
  });
});

test('it is shortened where an open file cannot be replaced, too', () => {
  const ledger = open();
  for (let n = 0; n < 100; n += 1) ledger.record(entry(`r${n}`));
  shortenFile(ledger.path, (lines) => lines.slice(-10), 'win32');
  expect(ledger.list()).toHaveLength(10);
  // What another process writes meanwhile is carried over.
  shortenFile(
    ledger.path,
    (lines) => {
      ledger.record(entry('late'));
      return lines.slice(-5);
    },
    'win32',
  );
  expect(ledger.list()).toHaveLength(6);
  expect(ledger.list().at(-1)).toMatchObject({ id: 'late' });
  expect(readdirSync(dirname(ledger.path))).toEqual([basename(ledger.path)]);
});

test.skipIf(process.platform === 'win32')('a line that a full disk cuts short is said, and costs but itself', () => {
  const directory = join(folder, 'settings');
  const noter = bundleScript(noterCode);
  onTestFinished(noter.remove);
  const long = JSON.stringify({ ...entry('cut'), account: 'x'.repeat(1_500) });
  // The shell's limit, of half a kilobyte or a whole one, stands for the disk's.
  const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, noter.file, directory, long];
  const said = execFileSync('sh', limited, { encoding: 'utf8' });
  expect(said).toMatch(/^The ledger could not be written \(only (512|1024) of \d+ bytes were written\): a later run/);
  open().record(entry('next'));
  expect(open().list()).toMatchObject([{ id: 'next' }]);
});

/** Notes one report, and prints what is warned of. */
const noterCode = `
import { openLedger } from './src/report/ledger/ledger.ts';
const [directory, entry] = process.argv.slice(2);
openLedger({ directory, wallClock: Date.now, warn: console.log }).record(JSON.parse(entry));
`;

test('processes that write, change and shorten at once lose nothing', async () => {
  const ledger = open();
  const writer = bundleScript(writerCode);
  onTestFinished(writer.remove);
  const writers = 4;
  const reports = 60;
  const template = JSON.stringify(entry('template'));
  await Promise.all(
    Array.from({ length: writers }, (_, index) =>
      run(writer.file, [join(folder, 'settings'), String(index), String(reports), template]),
    ),
  );
  const entries = ledger.list();
  expect(entries).toHaveLength(writers * reports);
  expect(entries.every(({ lastStatus }) => lastStatus === 'ready')).toBe(true);
});

/** Notes reports while shortening the file, to what it holds, as often as it can. */
const writerCode = `
import { openLedger } from './src/report/ledger/ledger.ts';
import { shortenFile } from './src/report/ledger/ledger-file.ts';
const [directory, writer, count, template] = process.argv.slice(2);
const ledger = openLedger({ directory, wallClock: Date.now, warn: (message) => { throw new Error(message); } });
for (let n = 0; n < Number(count); n += 1) {
  const entry = { ...JSON.parse(template), id: writer + '-' + n };
  ledger.record(entry);
  shortenFile(ledger.path, (lines) => lines);
  ledger.update(entry, { status: 'ready' });
}
`;

function run(script: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(script, args, { stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`exit ${code}`))));
  });
}
