import { dirname, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError, type Option } from 'commander';
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
import { placeOf } from '../output/file/file-name.ts';
import { nearest } from '../text/nearest.ts';
import { addRunFlags, collect, type RunOptions } from './flags.ts';
import { fileOf, type Job, planJob } from './plan.ts';

/**
 * The jobs of the saved reports that `run NAME…` or `run --all` means. Throws `UsageError` for a file or a name that is
 * not there, and with file and line for what is wrong in the file.
 */
export async function planSavedReports(
  context: Context,
  options: RunOptions,
  names: readonly string[],
): Promise<Job[]> {
  const file = await openProjectFile(context, options, names);
  const jobs: Job[] = [];
  for (const name of chosenNames(file, options, names)) {
    const section = file.reports.get(name);
    if (section) jobs.push(await planSaved(context, options, file, { name, section }));
  }
  refuseSharedOutputs(jobs);
  return jobs;
}

async function openProjectFile(
  { host }: Context,
  { file }: RunOptions,
  names: readonly string[],
): Promise<ProjectFile> {
  const path = file === undefined ? findProjectFile(host.cwd) : resolve(host.cwd, file);
  if (path === undefined) {
    const [name] = names;
    throw new UsageError(
      `${name === undefined ? '--all' : `The report ${JSON.stringify(name)}`} needs a file of saved reports, and there is no ${projectFileName} here or in a folder above.`,
      { hint: 'Write one with: adreport init (or name it with --file).' },
    );
  }
  return readProjectFile(path, relative(host.cwd, path), savedKeys);
}

function chosenNames(file: ProjectFile, { all }: RunOptions, names: readonly string[]): readonly string[] {
  const known = [...file.reports.keys()];
  if (known.length === 0) throw new UsageError(`${file.shownPath} has no reports.`, { hint: 'Add one under reports:' });
  const have = `It has ${known.join(', ')}.`;
  if (all && names.length > 0) throw new UsageError('--all and names exclude each other.', { hint: 'Leave one out.' });
  if (all) return known;
  if (names.length === 0)
    throw new UsageError(`Which report of ${file.shownPath}?`, { hint: `${have} Or give --all.` });
  for (const name of names) {
    if (file.reports.has(name)) continue;
    const guess = nearest(name, known);
    throw new UsageError(`${file.shownPath} has no report ${JSON.stringify(name)}.`, {
      hint: guess ? `Did you mean ${guess}?` : have,
    });
  }
  return [...new Set(names)];
}

async function planSaved(
  context: Context,
  options: RunOptions,
  file: ProjectFile,
  { name, section }: { readonly name: string; readonly section: SavedSection },
): Promise<Job> {
  const { values, origins } = savedOptions(file, section, options.given ?? [], context.host.cwd);
  // The account is a setting: the environment comes between the command line and the file.
  const { account, profile, encoding, windowClock, ...others } = values;
  const choice = Object.fromEntries(
    Object.entries({ account, profile, encoding, windowClock }).filter(([, value]) => value !== undefined),
  );
  const merged: RunOptions = { ...options, ...others };
  try {
    return await planJob(context.forSavedReport(choice, merged), merged, name);
  } catch (error) {
    throw error instanceof UsageError ? withLines(error, file.shownPath, section.line, [...origins.values()]) : error;
  }
}

/** The error with the line of the value that each of its sentences is about. */
function withLines(error: UsageError, path: string, line: number, origins: readonly Origin[]): UsageError {
  const [first = '', ...others] = error.message.split('\n');
  if (others.length === 0) {
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return projectError(path, [{ line: lineOf(first, line, origins), problem: first, ...hint }]);
  }
  const faults = others.map((text) => ({ line: lineOf(text, line, origins), problem: text.replace(/^\s*- /, '') }));
  return projectError(path, faults);
}

function lineOf(sentence: string, otherwise: number, origins: readonly Origin[]): number {
  const byFlag = origins.find(({ key }) => sentence.includes(`--${key} `));
  const byValue = origins.find(({ texts }) =>
    texts.flatMap((text) => text.split(/[,=]/)).some((word) => word.trim() !== '' && sentence.includes(word.trim())),
  );
  return (byFlag ?? byValue)?.line ?? otherwise;
}

/** Two reports must not write to one place. Throws `UsageError`. */
function refuseSharedOutputs(jobs: readonly Job[]): void {
  const owners = new Map<string, Job>();
  for (const job of jobs) {
    for (const file of new Set(job.parts.map((part) => fileOf(job, part) ?? 'stdout'))) {
      const place = placeOf(file);
      const owner = owners.get(place);
      if (owner) {
        throw new UsageError(`The reports ${owner.name} and ${job.name} would both be written to ${file}.`, {
          hint: 'Give each an output of its own, e.g. with {report} in its name.',
        });
      }
      owners.set(place, job);
    }
  }
}

/** Flags that say how a command runs, and not what a report is. */
const notSaved = ['dry-run', 'open', 'shard', 'all', 'file', 'local', 'base-url'];

/** The flags of `run` by the keys that mean them; a flag that turns something off has its positive key too. */
const optionsByKey: ReadonlyMap<string, Option> = new Map(
  addRunFlags(new Command())
    .options.map((option) => [option.long?.slice('--'.length) ?? '', option] as const)
    .filter(([key]) => !notSaved.includes(key))
    .flatMap(([key, option]) =>
      option.negate
        ? [
            [key, option],
            [option.attributeName(), option],
          ]
        : [[key, option]],
    ),
);

/** The keys that a saved report may have: those of the flags of `run` that describe a report. */
export const savedKeys: readonly string[] = [...optionsByKey.keys()];

/** The options that `defaults` and a report of the project file set; the report's own win. */
export interface SavedOptions {
  readonly values: Partial<RunOptions>;
  /** Where each option came from. */
  readonly origins: ReadonlyMap<string, Origin>;
}

/** Where an option stands in the project file. `line` counts from 1. */
interface Origin {
  readonly key: string;
  readonly line: number;
  readonly texts: readonly string[];
}

const windowOptions = ['period', 'since', 'until'];

/**
 * The options of a saved report under those of the command line, as one: the command line wins, then the report, then
 * `defaults`. A window that is named anew replaces the old one whole. Throws `UsageError` with the lines of all values
 * that their flags would not take.
 *
 * @param given the options that stand on the command line
 */
export function savedOptions(
  file: ProjectFile,
  report: SavedSection,
  given: readonly string[],
  cwd: string,
): SavedOptions {
  const faults: ProjectFault[] = [];
  const values: Record<string, unknown> = {};
  const origins = new Map<string, Origin>();
  const taken = new Set(given.map((name) => (name === 'breakdowns' ? 'by' : name)));
  for (const section of [report, file.defaults]) {
    const names: string[] = [];
    const hasWindow = windowOptions.some((name) => taken.has(name));
    for (const [key, entry] of section.entries) {
      const option = optionsByKey.get(key);
      if (!option) continue;
      const name = key === 'breakdowns' ? 'by' : option.attributeName();
      const value = readValue(key, option, entry, faults);
      if (taken.has(name) || (hasWindow && windowOptions.includes(name))) continue;
      names.push(name);
      values[name] = name === 'output' ? besideFile(String(value), file.path, cwd) : value;
      origins.set(name, { key, line: entry.line, texts: entry.texts });
    }
    for (const name of names) taken.add(name);
  }
  if (faults.length > 0) throw projectError(file.shownPath, faults);
  return { values, origins };
}

function readValue(key: string, option: Option, { texts, isList, line }: SavedEntry, faults: ProjectFault[]): unknown {
  const [text = ''] = texts;
  const refuse = (problem: string, hint?: string): undefined => {
    faults.push({ line, problem: `${key} ${problem}`, hint });
    return undefined;
  };
  if (option.isBoolean() || option.negate) {
    if (isList || !/^(true|false)$/i.test(text)) return refuse('is true or false.');
    const isTrue = text.toLowerCase() === 'true';
    return option.negate && key.startsWith('no-') ? !isTrue : isTrue;
  }
  if (option.parseArg === collect) return texts;
  const takesList = option.flags.includes(',');
  if (isList && !takesList) return refuse('takes one value, and not a list.');
  try {
    const joined = texts.join(',');
    return option.parseArg ? option.parseArg(joined, undefined) : joined;
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return refuse(`${JSON.stringify(text)}: ${error.message}`);
  }
}

/** Where the file says is reckoned from the file's own folder, wherever the command is run. */
function besideFile(output: string, path: string, cwd: string): string {
  return output === '-' ? output : relative(cwd, resolve(dirname(path), output)) || output;
}
