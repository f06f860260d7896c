import { createHash } from 'node:crypto';
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
import { serveOdd } from './odd-service.ts';
import { interruption, temporaryFolder } from './run-cli.ts';

// A model of a folder: random nights of a cron line, and random damage. It computes the expected
// problems of `check` independently, from dates and bytes.

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A day outside the window of every job. */
const strayDay = '2016-03-01';

/** What happens in one night. */
type Night =
  /** The cron line runs. */
  | { readonly kind: 'run' }

  /** At half past ten in the evening before, a line with `--until now` runs. */
  | { readonly kind: 'early' }

  /** The service once has no rows for the days that have a file. */
  | { readonly kind: 'empty' }

  /** Two cron lines run at once. */
  | { readonly kind: 'twice' }

  /** Nothing runs for so many nights. */
  | { readonly kind: 'outage'; readonly nights: number }

  /** It is killed after so many pieces of output. */
  | { readonly kind: 'killed'; readonly after: number }

  /** The clock of this machine is wrong by so many days; that of the service is right. */
  | { readonly kind: 'clock'; readonly days: number }

  /** The history cannot be written, as on a full disk. */
  | { readonly kind: 'full' }

  /** The spec has another lookback from now on. */
  | { readonly kind: 'lookback'; readonly lookback: number }

  /** Another account runs the same line. */
  | { readonly kind: 'stranger' }

  /** Only the first of several machines runs. */
  | { readonly kind: 'alone' };

/** Damage to a file, which `pick` selects. */
interface Harm {
  readonly kind:
    | 'deleted'
    | 'cut'
    | 'edited'
    | 'emptied'
    | 'swapped'
    | 'older'
    | 'unlisted'
    | 'stray'
    | 'stranger'
    | 'touched'
    | 'torn'
    | 'noise';
  readonly pick: number;
}

/** How a folder is filled and damaged. */
export interface Story {
  readonly profile: 'buyer' | 'dsp';
  readonly output: string;

  /** A window that begins at a fixed day, or one that rolls. */
  readonly window: 'since' | 'rolling';
  readonly lookback: number;
  readonly windowDays: number;
  readonly shards: 1 | 2;

  /** Days until the metrics of a day are complete. */
  readonly restateDays: number;

  /** The service has no rows for days older than this. */
  readonly remembersDays: number;
  readonly firstDay: number;
  readonly nights: readonly Night[];
  readonly harms: readonly Harm[];

  /** Days that pass after the last night. */
  readonly silentDays: number;

  /** Pieces of output after which each repair before the last one is killed. */
  readonly endedRepairs: readonly number[];
}

const nights = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Night>({ kind: 'run' }) },
  { weight: 2, arbitrary: fc.constant<Night>({ kind: 'early' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'empty' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'twice' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'full' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'stranger' }) },
  { weight: 1, arbitrary: fc.constant<Night>({ kind: 'alone' }) },
  fc.record({ kind: fc.constant('outage' as const), nights: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('killed' as const), after: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('clock' as const), days: fc.integer({ min: -20, max: 20 }) }),
  fc.record({ kind: fc.constant('lookback' as const), lookback: fc.integer({ min: 1, max: 2 }) }),
);

const harms = fc.record<Harm>({
  kind: fc.constantFrom(
    'deleted',
    'cut',
    'edited',
    'emptied',
    'swapped',
    'older',
    'unlisted',
    'stray',
    'stranger',
    'touched',
    'torn',
    'noise',
  ),
  pick: fc.nat(1_000),
});

/** Limits nights and harms to `most` each. */
export function stories({ most }: { readonly most: number }): fc.Arbitrary<Story> {
  return fc.record({
    profile: fc.constantFrom('buyer', 'dsp'),
    output: fc.constantFrom(
      '{date}.csv',
      'date={date}/part.ndjson',
      'date={date}/part.parquet',
      'a-{since}_{until}.json.gz',
    ),
    window: fc.constantFrom('since', 'rolling'),
    lookback: fc.integer({ min: 1, max: 2 }),
    windowDays: fc.integer({ min: 3, max: 8 }),
    shards: fc.constantFrom(1, 1, 2),
    restateDays: fc.integer({ min: 0, max: 1 }),
    remembersDays: fc.constantFrom(10_000, 10_000, 20),
    // Any day of three years, including clock changes and a leap day.
    firstDay: fc.integer({ min: 0, max: 1_000 }),
    nights: fc.array(nights, { minLength: 1, maxLength: most }),
    harms: fc.array(harms, { maxLength: most }),
    silentDays: fc.constantFrom(0, 0, 0, 1, 3, 30),
    endedRepairs: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }),
  });
}

/** Limits stories to a line with `--since`, for so many nights, without damage to files. */
export function longStories(count: number): fc.Arbitrary<Story> {
  return fc.record({
    profile: fc.constantFrom('buyer', 'dsp'),
    output: fc.constantFrom('{date}.csv', 'date={date}/part.ndjson'),
    window: fc.constant('since'),
    lookback: fc.integer({ min: 1, max: 2 }),
    windowDays: fc.constant(8),
    shards: fc.constant(1),
    restateDays: fc.integer({ min: 0, max: 1 }),
    remembersDays: fc.constant(10_000),
    firstDay: fc.integer({ min: 0, max: 1_000 }),
    nights: fc.array(nights, { minLength: count, maxLength: count }),
    harms: fc.constant([]),
    silentDays: fc.constant(0),
    endedRepairs: fc.constant([]),
  });
}

const zones = { buyer: 'Europe/Paris', dsp: 'America/New_York' } as const;

/** Plays a story, and expects that `check` is right and that one `repair` is enough. */
export async function expectRepaired(story: Story): Promise<void> {
  const folder = await beginFolder(story);
  for (const night of story.nights) {
    await folder.live(night);
    const isWhole = story.window === 'since' && night.kind === 'run';
    if (isWhole) expect(await folder.check(), 'after a run with --since').toEqual([]);
  }
  folder.harm(story.harms);
  folder.wait(story.silentDays);
  if (!folder.hasHistory()) return;

  expect(await folder.check()).toEqual(folder.expectedFindings());
  for (const after of story.endedRepairs) {
    await folder.runEnded('repair data --yes --json', after);
    expect(await folder.check()).toEqual(folder.expectedFindings());
  }

  const expected = folder.expectedFindings();
  const orders = await folder.repair(expected.length > 0);
  // Reports that a killed repair requested are picked up.
  expect(orders).toBeLessThanOrEqual(expected.length);
  const left = folder.expectedFindings();
  expect(await folder.check()).toEqual(left);
  // The service no longer has these days, or they have not begun.
  expect(left.filter((finding) => folder.isToBeHad(dayIn(finding)))).toEqual([]);
  expect(await folder.wrongFiles()).toEqual([]);
}

const nightsToRepair = 20;

/**
 * Plays a long story, and expects that `check` is right every twentieth night, that it has no
 * problems after a repair, and that every file then is what the service has for its day.
 */
export async function expectKept(story: Story): Promise<void> {
  const folder = await beginFolder(story);
  for (const [index, night] of story.nights.entries()) {
    await folder.live(night);
    const isDue = (index + 1) % nightsToRepair === 0;
    if (!isDue || !folder.hasHistory()) continue;

    const expected = folder.expectedFindings();
    expect(await folder.check()).toEqual(expected);
    await folder.repair(expected.length > 0);
    const left = folder.expectedFindings();
    expect(await folder.check()).toEqual(left);
    expect(left.filter((finding) => folder.isToBeHad(dayIn(finding)))).toEqual([]);
    expect(await folder.wrongFiles()).toEqual([]);
  }
}

/** Creates an empty folder, in which the nights of a story can pass. */
async function beginFolder(story: Story) {
  const { profile, output, windowDays, restateDays, shards, remembersDays } = story;
  const zone = zones[profile];
  const firstMs = Date.UTC(2024, 0, 10, 11) + story.firstDay * dayMs;
  const sinceDay = dayOf(firstMs - windowDays * dayMs);
  let nowMs = firstMs;
  let { lookback } = story;
  let isForgetful = true;
  let daysWithoutRows: readonly string[] = [];
  let orders = 0;

  const isForgotten = (day: string): boolean => day < dayOf(nowMs - remembersDays * dayMs);
  // A service that forgets old days.
  const { run: runLine, cwd } = await serveOdd({
    account: profile,
    server: {
      delayMs: 0,
      restate: restateDays,
      clock: () => nowMs,
      onRequest({ endpoint }) {
        if (endpoint === 'buyer') orders += 1;
      },
    },
    faults: [
      {
        endpoint: 'download',
        change(document: { readonly summary: { readonly since: string } }) {
          const day = document.summary.since.slice(0, 10);
          if (daysWithoutRows.includes(day)) return { data: [], summary: {} };
          return isForgetful && isForgotten(day) ? { ...document, data: [] } : document;
        },
      },
    ],
  });
  const run: typeof runLine = (line, more) =>
    runLine(line, { now: nowMs, readsFiles: false, ...more });
  const folder = join(cwd, 'data');
  const older = temporaryFolder();
  const stranger = { ADREPORT_EMAIL: 'admin@example.com', ADREPORT_TOKEN: undefined };

  const isDsp = profile === 'dsp';
  const asked = isDsp
    ? `--by FORMAT --metrics displays,revenueEuro --timezone ${zone}`
    : '--by OS --metrics displays,downloads';
  const request = `${asked} --split day -q`;
  const window = story.window === 'since' ? `--since ${sinceDay} --until yesterday` : '';

  /** Builds the command lines of one night, one per machine. */
  function lines(machines: number = shards): string[] {
    const period = window || `--period last-${windowDays}d`;
    const line = `run ${period} ${request} --missing --lookback ${lookback} -o data/${output}`;
    if (shards === 1) return [line];
    return Array.from({ length: machines }, (_, index) => `${line} --shard ${index + 1}/${shards}`);
  }

  /** Lists the report files by their paths in the folder. */
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

    if (night.kind === 'killed') return runEnded(`${lines()[0]} --json`, night.after);
    if (night.kind === 'full') return runFull();
    if (night.kind === 'stranger') return runStranger();
    if (night.kind === 'early' && story.window === 'since') await runEarly();
    if (night.kind === 'empty') daysWithoutRows = files().map(dayIn);
    const skewMs = night.kind === 'clock' ? night.days * dayMs : 0;
    const isAlone = night.kind === 'alone';
    const all = isAlone ? lines(1) : lines();
    const runs = night.kind === 'twice' ? [...all, ...all] : all;
    const results = await Promise.all(runs.map((line) => run(line, { now: nowMs + skewMs })));
    daysWithoutRows = [];
    // The window of a job with --since has not begun for a clock that is far behind.
    const isBehind = story.window === 'since' && nowMs + skewMs < firstMs;
    for (const { exitCode, stderr } of results) {
      if (!isBehind) expect(exitCode, stderr).toBe(0);
    }
  }

  /** Runs a command and kills it after so many pieces of output. */
  async function runEnded(line: string, after: number): Promise<void> {
    const { signal, send } = interruption(143);
    let left = after;
    // It can be killed whenever a file is put in place.
    await run(line, {
      signal,
      onOutput: () => {
        if (left === 0) send();
        left -= 1;
      },
    });
  }

  /** Runs before the day is over: its part ends early, and so does its file. */
  async function runEarly(): Promise<void> {
    const noonMs = nowMs;
    nowMs -= 13.5 * hourMs;
    for (const line of lines()) {
      const result = await run(line.replace('--until yesterday', '--until now'));
      expect(result.exitCode, result.stderr).toBe(0);
    }
    nowMs = noonMs;
  }

  /** Puts a folder where the history should be: nothing is downloaded that cannot be recorded. */
  async function runFull(): Promise<void> {
    const [history] = historyFiles();
    if (history === undefined || shards > 1) return;
    renameSync(history, `${history}.aside`);
    mkdirSync(history);
    const before = contents();
    const [line = ''] = lines();
    const result = await run(line);
    expect(result.exitCode, result.stderr).toBe(8);
    expect(contents()).toEqual(before);
    rmSync(history, { recursive: true });
    renameSync(`${history}.aside`, history);
  }

  async function runStranger(): Promise<void> {
    if (isDsp || !hasHistory()) return;
    const before = contents();
    const ordersBefore = orders;
    const [line = ''] = lines();
    const result = await run(line, { env: stranger });
    expect(result.exitCode, result.stderr).toBe(2);
    expect({ files: contents(), orders }).toEqual({ files: before, orders: ordersBefore });
  }

  function contents(): Record<string, string> {
    const texts: Record<string, string> = {};
    for (const file of files()) texts[file] = readFileSync(join(folder, file), 'latin1');
    return texts;
  }

  /** Copies each file, so that an older one can be restored. */
  function keepCopies(): void {
    for (const file of story.harms.length > 0 ? files() : []) {
      const copy = join(older, file);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(join(folder, file), copy);
    }
  }

  function historyFiles(): string[] {
    if (!existsSync(folder)) return [];
    const names = readdirSync(folder).filter((name) => name.startsWith('_adreport'));
    return names.sort().map((name) => join(folder, name));
  }

  function hasHistory(): boolean {
    return historyFiles().some((path) => readFileSync(path, 'utf8').includes('"history"'));
  }

  function harm(all: readonly Harm[]): void {
    for (const each of all) harmOne(each);
  }

  function harmOne({ kind, pick }: Harm): void {
    const all = files();
    const file = all[pick % all.length];
    const [history] = historyFiles();
    if (history === undefined) return;
    if (kind === 'noise') appendFileSync(history, '\n\0\0 noise\n{"file":"x"}\n');
    if (kind === 'torn') appendFileSync(history, '{"spec":"0123');
    if (kind === 'stranger') writeFileSync(join(folder, 'readme.txt'), 'mine');
    if (file === undefined) return;

    const path = join(folder, file);
    const bytes = readFileSync(path);
    if (kind === 'deleted') rmSync(path);
    if (kind === 'cut') writeFileSync(path, bytes.subarray(0, bytes.length - 1 - (pick % 9)));
    if (kind === 'edited' && bytes.length > 0) {
      const at = pick % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
    }
    if (kind === 'emptied') writeFileSync(path, '');
    if (kind === 'touched') writeFileSync(path, bytes);
    if (kind === 'older' && existsSync(join(older, file))) copyFileSync(join(older, file), path);
    if (kind === 'swapped') {
      const other = join(folder, all[(pick + 1) % all.length] ?? file);
      const otherBytes = readFileSync(other);
      writeFileSync(other, bytes);
      writeFileSync(path, otherBytes);
    }
    if (kind === 'stray') {
      const old = file.replaceAll(dayIn(file), strayDay);
      mkdirSync(dirname(join(folder, old)), { recursive: true });
      writeFileSync(join(folder, old), bytes);
    }
    for (const source of kind === 'unlisted' ? historyFiles() : []) {
      const kept = readFileSync(source, 'utf8').split('\n');
      writeFileSync(source, kept.filter((text) => !text.includes(`"file":"${file}"`)).join('\n'));
    }
  }

  /** Skips lines of a history file that are not valid JSON. */
  function linesOf(path: string): Record<string, string>[] {
    const found: Record<string, string>[] = [];
    for (const text of readFileSync(path, 'utf8').split('\n')) {
      try {
        found.push(JSON.parse(text));
      } catch {
        // A torn line.
      }
    }
    return found;
  }

  /** Finds the newest line of each file: by position, across machines by time. */
  function newestLines(): Map<string, Record<string, string>> {
    const newest = new Map<string, Record<string, string>>();
    for (const path of historyFiles()) {
      const last = new Map<string, Record<string, string>>();
      for (const line of linesOf(path)) if ('sha256' in line) last.set(line.file ?? '', line);
      for (const [file, line] of last) {
        const other = newest.get(file);
        if (!other || `${other.created}` <= `${line.created}`) newest.set(file, line);
      }
    }
    return newest;
  }

  function specLines(): Record<string, string>[] {
    return historyFiles()
      .flatMap(linesOf)
      .filter((line) => 'history' in line);
  }

  /** Returns the first day of the range. */
  function firstDay(): string {
    if (story.window === 'since') return sinceDay;
    const starts = specLines().map(({ at = '' }) => {
      return dayOf(Math.min(Date.parse(at), nowMs) - windowDays * dayMs);
    });
    return starts.sort()[0] ?? '';
  }

  /** Lists problems as `kind file`, in the order of the days. */
  function expectedFindings(): string[] {
    const specs = specLines();
    const newest = newestLines();

    const days = new Set([...newest.keys()].map(dayIn));
    for (let ms = Date.parse(firstDay()); dayOf(ms) < dayOf(nowMs); ms += dayMs) {
      days.add(dayOf(ms));
    }

    const found: string[] = [];
    for (const day of [...days].sort()) {
      const file = output.replaceAll(/\{\w+\}/g, day);
      const line = newest.get(file);
      const isInRange = firstDay() <= day && day < dayOf(nowMs);
      const own = specs.find(({ spec }) => spec === line?.spec);
      const kind = kindOf(day, { file, line, lookback: Number(own?.lookback ?? 0) });
      const isFound = kind !== undefined && (isInRange || kind === 'changed');
      if (isFound) found.push(`${kind} data/${file}`);
    }
    // The place of a day that has not begun is not known.
    const isLater = (finding: string) => dayIn(finding) > dayOf(nowMs);
    return [...found.filter(isLater), ...found.filter((finding) => !isLater(finding))];
  }

  function kindOf(
    day: string,
    {
      file,
      line,
      lookback: ownLookback,
    }: { file: string; line: Record<string, string> | undefined; lookback: number },
  ): string | undefined {
    const path = join(folder, file);
    const isOver = (units: number) => dayOf(nowMs) > addDays(day, units);
    if (!existsSync(path)) return line || isOver(1) ? 'missing' : undefined;
    if (!line) return 'untracked';

    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (sha256 !== line.sha256) return 'changed';
    const isWhole = (line.until ?? '') >= `${day}T23:59:59`;
    // No report is created at midnight.
    const isFinal = isWhole && dayOf(Date.parse(line.created ?? '')) > addDays(day, ownLookback);
    return !isFinal && isOver(ownLookback + 2) ? 'stale' : undefined;
  }

  async function check(): Promise<string[]> {
    const { stdout, stderr, exitCode } = await run('check data --json');
    const { problems } = JSON.parse(stdout);
    expect(exitCode, stderr).toBe(problems.length > 0 ? 9 : 0);
    return problems.map(({ kind, file }: { kind: string; file: string }) => `${kind} ${file}`);
  }

  /** Returns how many reports were requested. */
  async function repair(hasFindings: boolean): Promise<number> {
    const before = orders;
    const { exitCode, stderr, stdout } = await run('repair data -q');
    const isRight = hasFindings ? [0, 9].includes(exitCode) : exitCode === 0;
    expect(isRight, `${exitCode} ${stderr}${stdout}`).toBe(true);
    return orders - before;
  }

  /** Complete files of days, as the service has them, by name. */
  const complete = new Map<string, string>();

  /** Lists the files of final days that differ from the service's data. */
  async function wrongFiles(): Promise<string[]> {
    if (output.endsWith('.parquet')) return [];

    const present = contents();
    const settled = dayOf(nowMs - (Math.max(lookback, 2) + 3) * dayMs);
    const settledFiles = Object.keys(present).filter((file) => {
      const day = dayIn(file);
      return !isForgotten(day) && day >= firstDay() && day <= settled;
    });
    await downloadComplete(settledFiles.filter((file) => !complete.has(file)));
    return settledFiles.filter((file) => present[file] !== complete.get(file));
  }

  async function downloadComplete(names: readonly string[]): Promise<void> {
    const [first] = names;
    if (first === undefined) return;

    isForgetful = false;
    const target = temporaryFolder();
    const period = `run --period ${dayIn(first)}..${dayIn(names.at(-1) ?? '')} ${request} -o`;
    const words = [...period.split(' '), join(target, output)];
    const result = await run(words.join(' '));
    isForgetful = true;
    expect(result.exitCode, result.stderr).toBe(0);
    for (const name of names) complete.set(name, readFileSync(join(target, name), 'latin1'));
  }

  return {
    live,
    harm,
    hasHistory,
    expectedFindings,
    check,
    repair,
    runEnded,
    wrongFiles,
    isToBeHad: (day: string) => !isForgotten(day) && day <= dayOf(nowMs),
    wait: (days: number) => {
      nowMs += days * dayMs;
    },
  };
}

/** Returns an empty string for a name without a day. */
function dayIn(name: string): string {
  return /\d{4}-\d\d-\d\d/.exec(name)?.[0] ?? '';
}

/** Formats the date in Paris and New York of a time at noon in UTC. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

function addDays(day: string, count: number): string {
  return dayOf(Date.parse(day) + count * dayMs);
}
