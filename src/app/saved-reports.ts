import { dirname, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  findProjectFile,
  type ProjectFault,
  type ProjectFile,
  projectError,
  projectFileName,
  readProjectFile,
  type SavedEntry,
  type SavedSection,
} from '../config/project-file.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { planForAccounts } from './accounts.ts';
import { checkFormat } from './deliver.ts';
import { type Flag, isNegation, isSwitch, longNameOf, readValue } from './flags/flag.ts';
import { type RunFlags, runFlags } from './flags/run-flags.ts';
import type { Job } from './plan.ts';

/** What `run` was called with. */
export interface RunCommandLine {
  readonly options: RunFlags;
  /** The names of saved reports. */
  readonly names: readonly string[];
  /** The names of the options that stand on the command line; the others have their defaults. */
  readonly typedOptions: ReadonlySet<string>;
}

/**
 * The jobs of the saved reports that `run NAME…` or `run --all` means. Throws `UsageError` for a file or a name that is
 * not there, and with file and line for what is wrong in the file.
 */
export async function planSavedReports(
  context: Context,
  { options, names, typedOptions }: RunCommandLine,
): Promise<Job[]> {
  const { cwd } = context.host;
  const path = findFile(options, names, cwd);
  const file = await readProjectFile(path, relative(cwd, path), savedKeys());

  const jobs: Job[] = [];
  for (const { name, section } of chooseReports(file, options, names)) {
    const saved = savedOptions(file, section, { typedOptions, cwd });
    try {
      jobs.push(...(await planSavedReport(context, { name, options, saved })));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const faults = faultsOf(error, section.line, saved.origins);
      throw projectError(file.shownPath, faults);
    }
  }
  return jobs;
}

/** The file of saved reports that is named, or the nearest one. Throws `UsageError` where there is none. */
function findFile(options: RunFlags, names: readonly string[], cwd: string): string {
  const path = options.file === undefined ? findProjectFile(cwd) : resolve(cwd, options.file);
  if (path !== undefined) return path;

  const [firstName] = names;
  const what = firstName === undefined ? '--all' : `The report ${JSON.stringify(firstName)}`;
  throw new UsageError(
    `${what} needs a file of saved reports, and there is no ${projectFileName} here or in a folder above.`,
    { hint: 'Write one with: adreport init (or name it with --file).' },
  );
}

/** A report of the file under the options of the command line. */
interface SavedReport {
  readonly name: string;
  readonly options: RunFlags;
  readonly saved: SavedOptions;
}

function planSavedReport(context: Context, { name, options, saved }: SavedReport): Promise<Job[]> {
  // The account is a setting: the environment comes between the command line and the file.
  const { account: accountName, profile, encoding, windowClock, ...others } = saved.values;
  const merged: RunFlags = { ...options, ...others };
  checkFormat(context, merged);

  const choice = { account: accountName, profile, encoding, windowClock };
  return planForAccounts(context, { options: merged, name, choice });
}

/** A report of the file, by its name. */
interface ChosenReport {
  readonly name: string;
  readonly section: SavedSection;
}

/** The reports that the command line names, each once. Throws `UsageError` where it names none, or one that is not there. */
function chooseReports(
  { reports, shownPath }: ProjectFile,
  { all }: RunFlags,
  names: readonly string[],
): ChosenReport[] {
  const allNames = [...reports.keys()];
  const list = `It has ${allNames.join(', ')}.`;
  const refuse = (message: string, hint: string) => new UsageError(message, { hint });

  if (allNames.length === 0) {
    throw refuse(`${shownPath} has no reports.`, 'Add one under reports:');
  }
  if (all && names.length > 0) {
    throw refuse('--all and names exclude each other.', 'Leave one out.');
  }
  if (!all && names.length === 0) {
    throw refuse(`Which report of ${shownPath}?`, `${list} Or give --all.`);
  }

  const chosenNames = new Set(all ? allNames : names);
  return [...chosenNames].map((name) => {
    const section = reports.get(name);
    if (section) return { name, section };
    const hint = didYouMean(nearest(name, allNames), list);
    throw refuse(`${shownPath} has no report ${JSON.stringify(name)}.`, hint);
  });
}

/** What an error says is wrong, each with the line of the value that it is about. */
function faultsOf(
  error: UsageError,
  reportLine: number,
  origins: readonly Origin[],
): ProjectFault[] {
  const lineOf = (sentence: string) => findOrigin(sentence, origins)?.line ?? reportLine;

  // An error of several faults has a line for each, below a first one that counts them.
  const [first = '', ...others] = error.message.split('\n');
  if (others.length === 0) {
    return [{ line: lineOf(first), problem: first, hint: error.hint }];
  }
  return others.map((text) => ({
    line: lineOf(text),
    problem: text.replace(/^\s*- /, ''),
  }));
}

/** What a sentence is about: the value of the flag that it names, or else a value that it quotes. */
function findOrigin(sentence: string, origins: readonly Origin[]): Origin | undefined {
  const byFlag = origins.find(({ key }) => sentence.includes(`--${key} `));
  if (byFlag) return byFlag;

  return origins.find(({ texts }) => {
    const words = texts.flatMap((text) => text.split(/[,=]/));
    return words.some((word) => word.trim() !== '' && sentence.includes(word.trim()));
  });
}

/** What a key of a saved report stands for. */
interface SavedKey {
  readonly flag: Flag;
  /** The name of its option. */
  readonly option: string;
  /** Whether `true` turns something off: `no-header: true`. */
  readonly turnsOff: boolean;
}

/** The keys of saved reports: a flag that turns something off has its positive key too. */
function savedKeyTable(): ReadonlyMap<string, SavedKey> {
  const keys = new Map<string, SavedKey>();

  for (const { flags } of runFlags) {
    for (const [option, flag] of Object.entries<Flag>(flags)) {
      if (flag.isNeverSaved) continue;

      const key = longNameOf(flag).slice('--'.length);
      keys.set(key, { flag, option, turnsOff: isNegation(flag) });
      if (isNegation(flag)) keys.set(option, { flag, option, turnsOff: false });
    }
  }
  return keys;
}

/** The keys that a saved report may have: those of the flags of `run` that describe a report. */
export function savedKeys(): string[] {
  return [...savedKeyTable().keys()];
}

/** Where an option stands in the project file. */
interface Origin extends SavedEntry {
  readonly key: string;
}

/** The options of a saved report, and where each of them stands. */
interface SavedOptions {
  readonly values: Partial<RunFlags>;
  readonly origins: readonly Origin[];
}

/** What a command line says itself, and where it is run. */
interface CommandLinePlace {
  /** The names of the options that stand on it. */
  readonly typedOptions: ReadonlySet<string>;
  readonly cwd: string;
}

const windowOptions = ['period', 'since', 'until'];

/** The options that name a file. */
const fileOptions = ['output', 'logo'];

/** Breakdowns have two names, of which one is enough. */
function mainName(option: string): string {
  return option === 'breakdowns' ? 'by' : option;
}

/**
 * The options of a saved report under those of the command line, as one, and where each stands: the command line wins, then
 * the report, then `defaults`. A window that is named anew replaces the old one whole. Throws `UsageError` with the lines of
 * all values that their flags would not take.
 */
export function savedOptions(
  file: ProjectFile,
  report: SavedSection,
  { typedOptions, cwd }: CommandLinePlace,
): SavedOptions {
  const keys = savedKeyTable();
  const faults: ProjectFault[] = [];
  const values: Record<string, unknown> = {};
  const origins: Origin[] = [];
  const taken = new Set([...typedOptions].map(mainName));

  for (const section of [report, file.defaults]) {
    const beaten = new Set(taken);
    if (windowOptions.some((option) => taken.has(option))) {
      for (const option of windowOptions) beaten.add(option);
    }

    for (const [key, entry] of section.entries) {
      const savedKey = keys.get(key);
      if (!savedKey) continue;

      const option = mainName(savedKey.option);
      const value = readEntry(key, savedKey, entry, faults);
      if (beaten.has(option)) continue;
      taken.add(option);

      // A place is reckoned from the file's own folder, wherever the command is run.
      const isFile = fileOptions.includes(option) && value !== '-';
      const ownPath = relative(cwd, resolve(dirname(file.path), String(value)));
      values[option] = isFile ? ownPath : value;
      origins.push({ key, ...entry });
    }
  }

  if (faults.length > 0) throw projectError(file.shownPath, faults);
  // The flags have read them, so that each is what its flag gives.
  return { values: values as Partial<RunFlags>, origins };
}

/** The value of a key, as its flag reads it; what is wrong with it becomes a fault. */
function readEntry(
  key: string,
  { flag, turnsOff }: SavedKey,
  { texts, isList, line }: SavedEntry,
  faults: ProjectFault[],
): unknown {
  const refuse = (problem: string): void =>
    void faults.push({ line, problem: `${key} ${problem}` });
  const joined = texts.join(',');

  if (isSwitch(flag)) {
    if (isList || !/^(true|false)$/i.test(joined)) return refuse('is true or false.');
    const isTrue = joined.toLowerCase() === 'true';
    return turnsOff ? !isTrue : isTrue;
  }

  if (flag.isRepeatable) return texts;
  if (isList && !flag.flags.includes(',')) return refuse('takes one value, and not a list.');
  try {
    return readValue(flag, joined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return refuse(`${JSON.stringify(joined)}: ${error.message}`);
  }
}
