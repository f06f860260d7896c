import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { interruption, temporaryFolder } from './run-cli.ts';
import { serveForTest } from './service.ts';

// A model of a folder: random nights of a cron line, and random harms. It knows what the service
// would say of each day, and holds `check` and `repair` to that.

const dayMs = 86_400_000;

/** What happens between two days. */
type Night =
  /** The cron line runs, so many milliseconds after its hour. */
  | { readonly kind: 'run' }

  /** Two of them at once. */
  | { readonly kind: 'twice' }

  /** Nothing runs for so many nights. */
  | { readonly kind: 'outage'; readonly nights: number }

  /** It is ended after so many pieces of its output. */
  | { readonly kind: 'killed'; readonly after: number }

  /** The clock of this machine is wrong by so many days, and that of the service is right. */
  | { readonly kind: 'clock'; readonly days: number }

  /** The books cannot be written to, as on a disk that is full. */
  | { readonly kind: 'full' }

  /** The order is another one from now on: another lookback. */
  | { readonly kind: 'lookback'; readonly lookback: number };

/** What is done to a folder behind the program's back; `pick` chooses the file. */
interface Harm {
  readonly kind:
    | 'removed'
    | 'cut'
    | 'edited'
    | 'emptied'
    | 'swapped'
    | 'older'
    | 'unbooked'
    | 'stranger'
    | 'touched'
    | 'torn'
    | 'noise';
  readonly pick: number;
}

/** A folder that is kept and harmed. */
export interface Story {
  readonly profile: 'buyer' | 'dsp';
  readonly output: string;
  readonly lookback: number;
  readonly windowDays: number;

  /** The figures of a day are complete so many days after it. */
  readonly restateDays: number;
  readonly firstDay: number;
  readonly nights: readonly Night[];
  readonly harms: readonly Harm[];

  /** Days that go by after the last night. */
  readonly silentDays: number;
}

const nights = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Night>({ kind: 'run' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'twice' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'full' }) },
  fc.record({ kind: fc.constant('outage' as const), nights: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('killed' as const), after: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('clock' as const), days: fc.integer({ min: -20, max: 20 }) }),
  fc.record({ kind: fc.constant('lookback' as const), lookback: fc.integer({ min: 2, max: 4 }) }),
);

const harms = fc.record<Harm>({
  kind: fc.constantFrom(
    'removed',
    'cut',
    'edited',
    'emptied',
    'swapped',
    'older',
    'unbooked',
    'stranger',
    'touched',
    'torn',
    'noise',
  ),
  pick: fc.nat(1_000),
});

/** Random stories; so many nights and harms at most. */
export function stories({ most }: { readonly most: number }): fc.Arbitrary<Story> {
  return fc.record({
    profile: fc.constantFrom('buyer', 'dsp'),
    output: fc.constantFrom('{date}.csv', 'date={date}/part.ndjson', 'a-{since}_{until}.json.gz'),
    lookback: fc.integer({ min: 2, max: 3 }),
    windowDays: fc.integer({ min: 3, max: 8 }),
    restateDays: fc.integer({ min: 0, max: 2 }),
    // Any day of three years, both changes of the clocks and a leap day among them.
    firstDay: fc.integer({ min: 0, max: 1_000 }),
    nights: fc.array(nights, { minLength: 1, maxLength: most }),
    harms: fc.array(harms, { maxLength: most }),
    silentDays: fc.constantFrom(0, 0, 0, 1, 3, 30),
  });
}

const zones = { buyer: 'Europe/Paris', dsp: 'America/New_York' } as const;

/** A finding of `check --json`. */
interface Finding {
  readonly file: string;
  readonly kind: string;
  readonly said: string;
}

/** Lives through a story and holds the program to what it promises. */
export async function expectHealed(story: Story): Promise<void> {
  const folder = await keepFolder(story);
  const harmed = folder.harm(story.harms);
  await folder.wait(story.silentDays);

  const before = await folder.check();
  const named = new Set(before.findings.map(({ file }) => file));
  const left = [...(await folder.wrongFiles()), ...harmed].filter((file) => !named.has(file));
  expect(left, 'wrong, and not named').toEqual([]);
  if (before.findings.length === 0) return;

  const repaired = await folder.repair();
  expect(repaired.exitCode, repaired.stderr + repaired.stdout).toBe(0);
  expect((await folder.check()).findings, 'left').toEqual([]);
  expect(await folder.wrongFiles(), 'wrong after all').toEqual([]);
}

/**
 * Runs the nights of a story, and says after each of those that went well that nothing is wrong
 * with the folder.
 */
async function keepFolder(story: Story) {
  const { profile, output, windowDays, restateDays } = story;
  const zone = zones[profile];
  let nowMs = Date.UTC(2024, 0, 10, 11) + story.firstDay * dayMs;
  let { lookback } = story;
  const server = await serveForTest({ delayMs: 0, restateDays, clock: () => nowMs }, profile);
  const { cwd, run } = server;
  const folder = join(cwd, 'data');
  const older = temporaryFolder();

  const isDsp = profile === 'dsp';
  const asked = isDsp
    ? '--by FORMAT --metrics displays,revenueEuro'
    : '--by OS --metrics displays,downloads';
  const request = `${asked} --split day -q`;
  const dsp = isDsp ? ` --timezone ${zone}` : '';
  const line = () =>
    `run --period last-${windowDays}d ${request}${dsp} --missing --lookback ${lookback} -o data/${output}`;

  /** The report files of the folder, by their paths from it. */
  function files(): string[] {
    if (!existsSync(folder)) return [];
    const all = readdirSync(folder, { recursive: true, withFileTypes: true });
    const reports = all.filter((entry) => entry.isFile() && /^(a-|part\.|\d)/.test(entry.name));
    const paths = reports.map((entry) => join(entry.parentPath, entry.name));
    return paths.map((path) => path.slice(folder.length + 1)).sort();
  }

  async function live(night: Night): Promise<void> {
    if (night.kind === 'outage') nowMs += night.nights * dayMs;
    if (night.kind === 'lookback') lookback = night.lookback;
    nowMs += dayMs;
    keepCopies();

    if (night.kind === 'killed') return void (await runKilled(night.after));
    if (night.kind === 'full') return void (await runFull());
    const skewMs = night.kind === 'clock' ? night.days * dayMs : 0;
    const runs = night.kind === 'twice' ? [line(), line()] : [line()];
    for (const result of await Promise.all(
      runs.map((each) => run(each, { now: nowMs + skewMs })),
    )) {
      expect(result.exitCode, result.stderr).toBe(0);
    }
  }

  async function runKilled(after: number): Promise<void> {
    const { signal, send } = interruption(143);
    let left = after;
    // Each file that comes into its place is a moment at which it can be ended.
    await run(`${line()} --json`, {
      now: nowMs,
      signal,
      onOutput: () => {
        if (left === 0) send();
        left -= 1;
      },
    });
  }

  /** A folder stands where the books should be: nothing is fetched that could not be noted. */
  async function runFull(): Promise<void> {
    const book = join(folder, '_adreport.ndjson');
    if (!existsSync(book)) return;
    renameSync(book, `${book}.aside`);
    mkdirSync(book);
    const filesBefore = contents();
    const result = await run(line(), { now: nowMs });
    expect(result.exitCode, result.stderr).toBe(8);
    expect(contents()).toEqual(filesBefore);
    rmSync(book, { recursive: true });
    renameSync(`${book}.aside`, book);
  }

  function contents(): Record<string, string> {
    const texts: Record<string, string> = {};
    for (const file of files()) texts[file] = readFileSync(join(folder, file), 'latin1');
    return texts;
  }

  /** Keeps a copy of each file as it is, so that one that is older can be put back. */
  function keepCopies(): void {
    for (const file of files()) {
      const copy = join(older, file);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(folder, file), copy);
    }
  }

  /** Harms the folder; gives the paths that are wrong by then, as `check` should name them. */
  function harm(all: readonly Harm[]): string[] {
    const intact = contents();
    for (const each of all) harmOne(each);

    const wrong: string[] = [];
    const now = contents();
    const told = new Set([...Object.keys(now), ...bookedFiles()]);
    const days = [...told].map(dayIn).sort();
    for (const [file, text] of Object.entries(intact)) {
      const day = dayIn(file);
      // A clock that was ahead leaves files of days to come.
      if (now[file] === text || day > localDay(nowMs)) continue;
      // At an end of the series nothing tells of a file that is gone together with its lines.
      const isTold = told.has(file) || (day > (days[0] ?? '') && day < (days.at(-1) ?? ''));
      if (isTold) wrong.push(join('data', file));
    }
    return wrong;
  }

  /** The files that the books have lines of. */
  function bookedFiles(): string[] {
    const book = join(folder, '_adreport.ndjson');
    if (!existsSync(book)) return [];
    const names = readFileSync(book, 'utf8').matchAll(/^\{"order":"[^"]*","file":"([^"]*)"/gm);
    return [...names].map(([, name = '']) => name);
  }

  function harmOne({ kind, pick }: Harm): void {
    if (!existsSync(folder)) return;
    const all = files();
    const file = all[pick % all.length];
    const book = join(folder, '_adreport.ndjson');
    if (kind === 'noise' && existsSync(book))
      appendFileSync(book, '\ufeff\0\0 noise\n{"file":"x"}\n');
    if (kind === 'torn' && existsSync(book)) appendFileSync(book, '{"order":"0123');
    if (kind === 'stranger') writeFileSync(join(folder, 'readme.txt'), 'mine');
    if (file === undefined) return;

    const path = join(folder, file);
    const bytes = readFileSync(path);
    if (kind === 'removed') rmSync(path);
    if (kind === 'cut') writeFileSync(path, bytes.subarray(0, bytes.length - 1 - (pick % 9)));
    if (kind === 'edited' && bytes.length > 0) {
      const at = pick % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    }
    if (kind === 'emptied') writeFileSync(path, '');
    // A file that is written anew is younger than its books.
    if (kind === 'touched') writeFileSync(path, bytes);
    if (kind === 'older' && existsSync(join(older, file))) copyFileSync(join(older, file), path);
    if (kind === 'swapped') {
      const other = join(folder, all[(pick + 1) % all.length] ?? file);
      const otherBytes = readFileSync(other);
      writeFileSync(other, bytes);
      writeFileSync(path, otherBytes);
    }
    if (kind === 'unbooked' && existsSync(book)) {
      const lines = readFileSync(book, 'utf8').split('\n');
      writeFileSync(book, lines.filter((text) => !text.includes(`"file":"${file}"`)).join('\n'));
    }
  }

  async function check(): Promise<{ readonly findings: readonly Finding[] }> {
    if (!existsSync(folder)) return { findings: [] };
    const { stdout, stderr, exitCode } = await run('check data --json', { now: nowMs });
    expect([0, 9], stderr).toContain(exitCode);
    return JSON.parse(stdout);
  }

  /**
   * The files of days that are settled by now and are not what the service says of them, and those
   * that are not there.
   */
  async function wrongFiles(): Promise<string[]> {
    const standing = contents();
    const days = Object.keys(standing).map(dayIn).sort();
    // Two days after it is final a file counts as left.
    const settledUntil = localDay(nowMs - (Math.max(lookback, 4) + 3) * dayMs);
    const [first] = days;
    const last = days.filter((day) => day <= settledUntil).at(-1);
    if (first === undefined || last === undefined || first > last) return [];

    const fresh = temporaryFolder();
    const period = `run --period ${first}..${last} ${request}${dsp} -o`;
    const result = await run([...period.split(' '), join(fresh, output)], { now: nowMs });
    expect(result.exitCode, result.stderr).toBe(0);

    const wrong: string[] = [];
    for (const name of readdirSync(fresh, { recursive: true, encoding: 'utf8' })) {
      if (name.startsWith('_') || dayIn(name) === '' || /date=[\d-]+$/.test(name)) continue;
      if (standing[name] !== readFileSync(join(fresh, name), 'latin1')) {
        wrong.push(join('data', name));
      }
    }
    return wrong;
  }

  for (const night of story.nights) await live(night);
  return {
    harm,
    check,
    wrongFiles,
    wait: async (days: number) => {
      nowMs += days * dayMs;
    },
    repair: () => run('repair data -q', { now: nowMs }),
  };
}

/** The first day in a name; empty where it has none. */
function dayIn(name: string): string {
  return /\d{4}-\d\d-\d\d/.exec(name)?.[0] ?? '';
}

/** The date in Paris and New York of a time at noon in UTC. */
function localDay(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
