import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { checkFolder } from '../../src/folder/check-folder.ts';
import type { FolderRequest } from '../../src/folder/declaration.ts';
import { declare, readDeclaration } from '../../src/folder/declaration-file.ts';
import { isDue } from '../../src/folder/due.ts';
import { readFolder } from '../../src/folder/folder-snapshot.ts';
import { listParts } from '../../src/folder/parts.ts';
import { recordDownload } from '../../src/folder/record-download.ts';
import { fileHost } from './file-host.ts';
import { units } from './second-calendar.ts';

// A model of a folder from the contract alone: random runs, updates, nights and damage. From dates,
// bytes and the lines of the history it computes what is due and what `check` should say. Only the
// player at the end uses the program, with a service of its own. Links and reports
// without numbers are in `folder/stories.test.ts`, kills and shards in `long/history-kills.test.ts`.

const hourMs = 3_600_000;

type Split = 'day' | 'week' | 'month';

/** What a run asks for. */
interface Asked {
  /** Parts from its first one to now. */
  readonly back: number;
  readonly period: 'open' | 'now' | 'fixed';
  readonly lookback: number | undefined;

  /** The second report has one metric more. */
  readonly report: 1 | 2;
  readonly isFresh: boolean;
}

type Step =
  | { readonly kind: 'wait'; readonly hours: number }
  | ({ readonly kind: 'run' | 'update' } & Asked)
  | { readonly kind: 'harm'; readonly harm: keyof typeof harms; readonly pick: number };

const declarationName = '_adreport.yaml';

const asked = {
  back: fc.integer({ min: 0, max: 7 }),
  period: fc.constantFrom('open', 'open', 'now', 'fixed'),
  lookback: fc.constantFrom(undefined, undefined, 0, 1, 3),
  report: fc.constantFrom(1, 1, 1, 1, 2),
  isFresh: fc.constantFrom(false, false, false, true),
};

/** Damage to a file, the history or the declaration; `pick` chooses which, and how much. */
const harms = {
  delete: (folder: FolderModel, pick: number) => folder.changeFile(pick, () => undefined),
  cut: (folder: FolderModel, pick: number) =>
    folder.changeFile(pick, (text) => text.slice(0, -1 - (pick % 5))),
  edit: (folder: FolderModel, pick: number) =>
    folder.changeFile(pick, (text) => text.replace(/.$/s, '!')),
  'another file': (folder: FolderModel, pick: number) =>
    folder.changeFile(pick, () => folder.fileFor(pick + 1)),
  'copy to 2016': (folder: FolderModel, pick: number) => folder.copyFile(pick, '2016-02-29'),
  'copy to a later day': (folder: FolderModel, pick: number) =>
    folder.copyFile(pick, folder.unit(pick % 3)),
  'lose the history': (folder: FolderModel) => folder.changeHistory(() => undefined),
  'tear the history': (folder: FolderModel) => folder.changeHistory((text) => text.slice(0, -20)),
  'lose the declaration': (folder: FolderModel) => folder.loseDeclaration(),
  'move since': (folder: FolderModel, pick: number) =>
    folder.editDeclaration((declared) => ({
      since: unitAt(declared.since, folder.split, (pick % 7) - 3),
    })),
  'edit until': (folder: FolderModel, pick: number) =>
    folder.editDeclaration((declared) => ({
      until:
        pick % 2 === 0 ? 'now' : folder.lastDay(unitAt(declared.since, folder.split, pick % 9)),
    })),
  'edit lookback': (folder: FolderModel, pick: number) =>
    folder.editDeclaration(() => ({ lookback: pick % 4 })),
  'edit the report': (folder: FolderModel) => folder.editDeclaration(() => ({ isEdited: true })),
};

const steps = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      hours: fc.oneof(fc.constant(24), fc.integer({ min: 1, max: 300 })),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('run'), ...asked }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('update'), ...asked }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('harm'),
      harm: fc.constantFrom(...Object.keys(harms)),
      pick: fc.nat(1_000),
    }),
  },
) as fc.Arbitrary<Step>;

/** A folder and what happens to it. */
interface FolderStory {
  readonly split: Split;
  readonly zone: string;
  readonly output: string;

  /** Hours from 2024 to the first step. */
  readonly firstHour: number;
  readonly steps: readonly Step[];
}

export const folderStories: fc.Arbitrary<FolderStory> = fc.record({
  split: fc.constantFrom('day', 'day', 'week', 'month'),
  zone: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  output: fc.constantFrom('{date}.csv', 'date={date}/part.csv', 'a-{since}_{until}.csv'),
  firstHour: fc.integer({ min: 0, max: 3 * 365 * 24 }),
  steps: fc.array(steps, { minLength: 3, maxLength: 12 }),
});

// The calendar of the model: days are strings, and units begin on a day.

function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 24 * hourMs).toISOString().slice(0, 10);
}

/** Returns the first day of the unit that contains a day, or of one before or after it. */
function unitAt(day: string, split: Split, count = 0): string {
  let unit = units[split]?.(day);
  for (let left = Math.abs(count); left > 0; left -= 1) {
    const beside = count > 0 ? addDays(unit?.lastDay ?? '', 1) : addDays(unit?.firstDay ?? '', -1);
    unit = units[split]?.(beside);
  }
  return unit?.firstDay ?? '';
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the local day of a time. */
function localDay(timeMs: number, zone: string): string {
  let formatter = formatters.get(zone);
  if (!formatter) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    formatter = new Intl.DateTimeFormat('en-CA', { timeZone: zone, ...parts });
    formatters.set(zone, formatter);
  }
  return formatter.format(timeMs);
}

interface Line {
  readonly id: string;
  readonly file: string;
  readonly since: string;
  readonly until: string;
  readonly created: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Plays a story; after each step, `check` has to say what the model says. */
export async function playFolder(story: FolderStory): Promise<void> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'adreport-model-'));
  try {
    const model = new FolderModel(folder, story);
    for (const step of story.steps) {
      await model.play(step);
      await model.expectCheck();
    }
    await model.expectSolved();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** What the folder should hold, as the model knows it. */
interface Declared {
  since: string;
  until: string;
  lookback: number;
  report: 1 | 2;
  isEdited: boolean;
}

class FolderModel {
  readonly split: Split;
  readonly #folder: string;
  readonly #story: FolderStory;
  #nowMs: number;
  #declared: Declared | undefined;

  constructor(folder: string, story: FolderStory) {
    this.split = story.split;
    this.#folder = folder;
    this.#story = story;
    this.#nowMs = Date.UTC(2024, 0, 10) + story.firstHour * hourMs;
  }

  async play(step: Step): Promise<void> {
    if (step.kind === 'wait') this.#nowMs += step.hours * hourMs;
    else if (step.kind === 'harm') harms[step.harm](this, step.pick);
    else if (step.kind === 'run') await this.#run(step);
    else await this.#update();
  }

  // What the contract says.

  get #today(): string {
    return localDay(this.#nowMs, this.#story.zone);
  }

  /** First day of a unit, counted from the running one. */
  unit(count: number): string {
    return unitAt(this.#today, this.split, count);
  }

  lastDay(unit: string): string {
    return addDays(unitAt(unit, this.split, 1), -1);
  }

  #name(unit: string): string {
    return this.#story.output.replace('{until}', this.lastDay(unit)).replaceAll(/\{\w+\}/g, unit);
  }

  /** Units from one that contains a day to one that contains another, if they are over. */
  #unitsOver(since: string, until: string): string[] {
    const { split } = this;
    const units: string[] = [];
    const end = until === 'now' ? this.#today : until;
    for (let unit = unitAt(since, split); unit <= end; unit = unitAt(unit, split, 1)) {
      if (unitAt(unit, split, 1) <= this.#today) units.push(unit);
    }
    return units;
  }

  /** Returns the last line of each file. */
  #lines(): Map<string, Line> {
    const texts = this.#read('_adreport.history').split('\n');
    const lines = texts.flatMap((text) => parseLine(text) ?? []);
    return new Map(lines.map((line) => [line.file, line]));
  }

  #isFinal(unit: string, { since, until, created }: Line): boolean {
    const { zone } = this.#story;
    // In some zones a day may end at 22:59:59, when the clocks go forward.
    const dayAfter = localDay(Date.parse(until) + 1_000, zone);
    const isWhole = since.slice(0, 10) === unit && dayAfter === unitAt(unit, this.split, 1);
    const createdDay = localDay(Date.parse(created), zone);
    const lookback = this.#declared?.lookback ?? 0;
    return isWhole && createdDay >= unitAt(unit, this.split, 1 + lookback);
  }

  /** Explains what is wrong with the file of a unit that should be there. */
  #problemWith(unit: string, lines: ReadonlyMap<string, Line>, id: string): string | undefined {
    const { split } = this;
    const name = this.#name(unit);
    const file = this.#fileAt(name);
    if (file === undefined) return this.#today >= unitAt(unit, split, 2) ? 'missing' : undefined;
    const line = lines.get(name);
    if (!line) return 'untracked';
    if (line.id !== id) return 'other report';
    if (line.sha256 !== hash(file)) return 'changed';
    const lookback = this.#declared?.lookback ?? 0;
    const isLate = this.#today >= unitAt(unit, split, 1 + lookback + 2);
    return !this.#isFinal(unit, line) && isLate ? 'stale' : undefined;
  }

  #isDue(unit: string, lines: ReadonlyMap<string, Line>, computeHash: boolean): boolean {
    const name = this.#name(unit);
    const file = this.#fileAt(name);
    const line = lines.get(name);
    if (file === undefined || !line) return true;
    if (line.id !== this.#id() || line.bytes !== file.length) return true;
    return (computeHash && line.sha256 !== hash(file)) || !this.#isFinal(unit, line);
  }

  /** Lists problems as `kind file solver`. */
  #expectedProblems(): string[] {
    const { since, until } = this.#declared ?? { since: '', until: '' };
    const lines = this.#lines();
    const id = this.#id();
    const found: string[] = [];
    const hasLines = this.#read('_adreport.history').trim() !== '';
    if (hasLines && lines.size === 0) found.push('unreadable _adreport.history person');
    const inside = new Set<string>();
    for (const unit of this.#unitsOver(since, until)) {
      const name = this.#name(unit);
      inside.add(name);
      const kind = this.#problemWith(unit, lines, id);
      if (kind !== undefined) found.push(`${kind} ${name} update`);
    }
    for (const name of this.#files().filter((file) => !inside.has(file))) {
      const line = lines.get(name);
      if (!line) found.push(`untracked ${name} person`);
      else if (line.id !== id) found.push(`other report ${name} person`);
    }
    return found.sort();
  }

  // The disk.

  /** Lists the files of the pattern. */
  #files(): string[] {
    const all = fs.readdirSync(this.#folder, { recursive: true, encoding: 'utf8' });
    return all.filter((name) => name.endsWith('.csv')).sort();
  }

  #fileAt(name: string): string | undefined {
    const path = join(this.#folder, name);
    return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined;
  }

  #read(name: string): string {
    return this.#fileAt(name) ?? '';
  }

  /** Writes a file, or removes it. */
  #write(name: string, text: string | undefined): void {
    const path = join(this.#folder, name);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.rmSync(path, { force: true });
    if (text !== undefined) fs.writeFileSync(path, text);
  }

  #id(): string {
    return /^id: '?(\w+)/m.exec(this.#read(declarationName))?.[1] ?? '';
  }

  // Damage.

  #pickFile(pick: number): string | undefined {
    const all = this.#files();
    return all[pick % Math.max(1, all.length)];
  }

  fileFor(pick: number): string {
    return this.#fileAt(this.#pickFile(pick) ?? '') ?? '';
  }

  changeFile(pick: number, change: (text: string) => string | undefined): void {
    const name = this.#pickFile(pick);
    if (name !== undefined) this.#write(name, change(this.#fileAt(name) ?? ''));
  }

  copyFile(pick: number, day: string): void {
    const name = this.#pickFile(pick);
    if (name !== undefined) this.#write(this.#name(unitAt(day, this.split)), this.#fileAt(name));
  }

  changeHistory(change: (text: string) => string | undefined): void {
    this.#write('_adreport.history', change(this.#read('_adreport.history')));
  }

  loseDeclaration(): void {
    this.#write(declarationName, undefined);
    this.#declared = undefined;
  }

  editDeclaration(edit: (declared: Declared) => Partial<Declared>): void {
    if (!this.#declared) return;
    Object.assign(this.#declared, edit(this.#declared));
    const { since, isEdited } = this.#declared;
    // An until before since makes an empty folder, which nobody would write.
    if (this.#declared.until < since) this.#declared.until = 'now';

    const { until, lookback } = this.#declared;
    const by = isEdited ? 'BUNDLEID' : 'FORMAT';
    let text = this.#read(declarationName).replace(/^by: .*$/m, `by: [${by}]`);
    for (const [key, value] of Object.entries({ since, until, lookback })) {
      const line = new RegExp(`^${key}: .*\n|$(?![^])`, 'm');
      text = text.replace(line, `${key}: ${value}\n`);
    }
    this.#write(declarationName, text);
  }

  // Runs, as the program plays them with a service of the model.

  /** What the service has for a unit: it is complete two units after the unit is over. */
  #report(unit: string, report: 1 | 2): string {
    const { split } = this;
    const isOver = unitAt(unit, split, 1) <= this.#today;
    const isComplete = unitAt(unit, split, 3) <= this.#today;
    const state = isComplete ? 'complete' : this.#today;
    return `date,clicks\n${unit},${report} ${isOver ? state : this.#nowMs}\n`;
  }

  #query({ back, period, lookback, report }: Asked): FolderRequest {
    const { split } = this;
    const { zone, output } = this.#story;
    const last = addDays(this.unit(0), -1);
    const since = this.unit(period === 'fixed' ? -1 - back : -back);
    const days: { readonly since?: string; readonly until?: string; readonly period?: string } = {
      open: { since },
      now: { since, until: 'now' },
      fixed: { period: `${since}..${last}` },
    }[period];
    return {
      ...days,
      ...(lookback !== undefined && { lookback }),
      split,
      profile: 'dsp',
      metrics: report === 1 ? ['displays'] : ['displays', 'revenueEuro'],
      hasNamedMetrics: true,
      breakdowns: ['FORMAT'],
      filters: {},
      timezone: zone,
      encoding: 'json',
      windowClock: 'instant',
      outputs: [{ path: output, format: 'csv' }],
      account: 'acme',
      service: 'reports.example.com',
    };
  }

  async #run(step: Asked): Promise<void> {
    const { report, period, lookback, isFresh, back } = step;
    const before = this.#declared;
    const isOther = before !== undefined && before.report !== report;
    const isRefused = !isFresh && (isOther || before?.isEdited === true);
    const options = {
      folder: this.#folder,
      displayPath: 'data',
      query: this.#query(step),
      isFresh,
    };
    const run = { nowMs: this.#nowMs, host: fileHost(), shouldDeclare: true };
    const declaring = declare({ ...options, ...run });
    if (isRefused) {
      await expect(declaring).rejects.toMatchObject({ exitCode: 2 });
      return;
    }

    const since = this.unit(period === 'fixed' ? -1 - back : -back);
    const until = period === 'fixed' ? addDays(this.unit(0), -1) : 'now';
    const earliest = [since, before?.since ?? this.#earliestDay() ?? since].sort()[0] ?? since;
    const untils = [until, before?.until ?? until].sort();
    this.#declared = {
      since: earliest,
      until: untils[1] ?? until,
      lookback: lookback ?? before?.lookback ?? 0,
      report,
      isEdited: false,
    };
    const { declaration } = await declaring;
    expect(declaration).toMatchObject({ since: earliest, until: untils[1], id: this.#id() });
    const asked = this.#unitsOver(since, until);
    if (period === 'now') asked.push(this.unit(0));
    await this.#fill(asked, { computeHash: false, isFresh });
  }

  /** Returns the first day in the history. */
  #earliestDay(): string | undefined {
    return [...this.#lines().values()].map(({ since }) => since.slice(0, 10)).sort()[0];
  }

  async #update(): Promise<void> {
    if (!this.#declared || this.#declared.isEdited) return;
    const { since, until } = this.#declared;
    const due = this.#unitsOver(since, until);
    await this.#fill(due, { computeHash: true, isFresh: false });
  }

  /** Downloads the units that the program finds due, which have to be those of the model. */
  async #fill(
    units: readonly string[],
    { computeHash, isFresh }: { computeHash: boolean; isFresh: boolean },
  ): Promise<void> {
    const file = await readDeclaration(this.#folder);
    if (file.kind !== 'valid') throw new Error(`The declaration is ${JSON.stringify(file)}.`);
    const { declaration } = file;
    const { signal } = new AbortController();
    const state = await readFolder(this.#folder, declaration, { signal, computeHash });
    const { lines } = state.history;
    const before = this.#lines();
    const expected = units.filter((unit) => isFresh || this.#isDue(unit, before, computeHash));

    const last = units.at(-1);
    const now = this.#nowMs / 1_000 + 40 * 86_400;
    const period = { ...declaration, since: units[0] ?? 'none', until: last ?? 'none' };
    const parts = listParts(period, now).filter(({ name }) => {
      return units.some((unit) => this.#name(unit) === name);
    });
    const due = parts.filter((part) => isFresh || isDue(part, state));
    expect(due.map(({ firstDay }) => firstDay)).toEqual(expected);

    const realPath = fs.realpathSync(this.#folder);
    const target = { folder: this.#folder, declaration, realPath, lines, host: fileHost() };
    for (const part of due) {
      const unit = part.firstDay;
      const text = this.#report(unit, this.#declared?.report ?? 1);
      const nowSeconds = Math.floor(this.#nowMs / 1_000);
      await recordDownload(target, {
        part: {
          query: declaration.query,
          zone: declaration.timezone,
          since: part.since,
          until: Math.min(part.end - 1, nowSeconds),
          end: part.end,
          firstDay: part.firstDay,
          lastDay: part.lastDay,
        },
        file: { rowCount: 1, sizeBytes: text.length, sha256: hash(text) },
        sums: { metrics: ['displays'], totals: () => ({ get: () => 7 }) },
        hasNumbers: true,
        warnings: [],
        reportId: undefined,
        createdMs: this.#nowMs,
      });
      this.#write(part.name, text);
    }
  }

  // Comparisons.

  async #problems(): Promise<string[]> {
    const file = await readDeclaration(this.#folder);
    if (file.kind !== 'valid') return [file.kind];
    const { signal } = new AbortController();
    const state = await readFolder(this.#folder, file.declaration, { signal, computeHash: true });
    const { problems } = checkFolder(state, Math.floor(this.#nowMs / 1_000));
    return problems
      .map(({ kind, file, fixedBy: solvedBy }) => `${kind} ${file} ${solvedBy}`)
      .sort();
  }

  async expectCheck(): Promise<void> {
    const problems = await this.#problems();
    if (!this.#declared) expect(problems).toEqual(['absent']);
    else if (this.#declared.isEdited) expect(problems).toEqual(['edited']);
    else expect(problems).toEqual(this.#expectedProblems());
  }

  /** One update solves all that no person has to solve, and then every file is the service's. */
  async expectSolved(): Promise<void> {
    if (!this.#declared || this.#declared.isEdited) return;
    const { since, until, report, lookback } = this.#declared;
    await this.#update();
    const left = await this.#problems();
    expect(left).toEqual(this.#expectedProblems());
    expect(left.filter((problem) => problem.endsWith('update'))).toEqual([]);

    for (const unit of this.#unitsOver(since, until)) {
      const file = this.#fileAt(this.#name(unit));
      const isComplete = unitAt(unit, this.split, 3) <= this.#today;
      // Without a lookback of two, a file may be final before the service has corrected it.
      if (isComplete && lookback >= 2) expect(file, unit).toBe(this.#report(unit, report));
    }
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Returns `undefined` for what is no line of a download. */
function parseLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text);
    return 'sha256' in line ? line : undefined;
  } catch {
    return undefined;
  }
}
