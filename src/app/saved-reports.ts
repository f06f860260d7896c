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
import { placeOf } from '../output/file/file-name.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { type Flag, isNegation, isSwitch, longNameOf, readValue } from './flags/flag.ts';
import { type RunFlags, runFlags } from './flags/run-flags.ts';
import { fileOf, type Job, planJob } from './plan.ts';

/**
 * The jobs of the saved reports that `run NAME…` or `run --all` means. Throws `UsageError` for a file or a name that is
 * not there, with file and line for what is wrong in the file, and for two reports that would be written to one place.
 */
export async function planSavedReports(
  context: Context,
  options: RunFlags,
  names: readonly string[],
  typedOptions: ReadonlySet<string>,
) {
  const { cwd } = context.host;
  const path = options.file === undefined ? findProjectFile(cwd) : resolve(cwd, options.file);
  if (path === undefined) {
    const asked = names[0] === undefined ? '--all' : `The report ${JSON.stringify(names[0])}`;
    const message = `${asked} needs a file of saved reports, and there is no ${projectFileName} here or in a folder above.`;
    throw new UsageError(message, {
      hint: 'Write one with: adreport init (or name it with --file).',
    });
  }
  const file = await readProjectFile(path, relative(cwd, path), savedKeys());
  const jobs: Job[] = [];
  for (const [name, section] of chosenReports(file, options, names)) {
    const { values, origins } = savedOptions(file, section, typedOptions, cwd);
    // The account is a setting: the environment comes between the command line and the file.
    const { account, profile, encoding, windowClock, ...others } = values;
    const merged: RunFlags = { ...options, ...others };
    try {
      const own = context.forSavedReport({ account, profile, encoding, windowClock }, merged);
      jobs.push(await planJob(own, merged, name));
    } catch (error) {
      throw error instanceof UsageError
        ? withLines(error, file.shownPath, section.line, origins)
        : error;
    }
  }
  const owners = new Map<string, Job>();
  for (const job of jobs) {
    for (const output of new Set(job.parts.map((part) => fileOf(job, part) ?? 'stdout'))) {
      const owner = owners.get(placeOf(output));
      if (owner) {
        const hint = 'Give each an output of its own, e.g. with {report} in its name.';
        throw new UsageError(
          `The reports ${owner.name} and ${job.name} would both be written to ${output}.`,
          { hint },
        );
      }
      owners.set(placeOf(output), job);
    }
  }
  return jobs;
}

function chosenReports(
  { reports, shownPath }: ProjectFile,
  { all }: RunFlags,
  names: readonly string[],
) {
  const known = [...reports.keys()];
  const have = `It has ${known.join(', ')}.`;
  const refuse = (message: string, hint: string) => new UsageError(message, { hint });
  if (known.length === 0) throw refuse(`${shownPath} has no reports.`, 'Add one under reports:');
  if (all && names.length > 0)
    throw refuse('--all and names exclude each other.', 'Leave one out.');
  if (!all && names.length === 0)
    throw refuse(`Which report of ${shownPath}?`, `${have} Or give --all.`);
  return [...new Set(all ? known : names)].map((name) => {
    const section = reports.get(name);
    if (section) return [name, section] as const;
    throw refuse(
      `${shownPath} has no report ${JSON.stringify(name)}.`,
      didYouMean(nearest(name, known), have),
    );
  });
}

/** The error with the line of the value that each of its sentences is about. */
function withLines(
  error: UsageError,
  path: string,
  line: number,
  origins: readonly Origin[],
): UsageError {
  const lineOf = (sentence: string): number => {
    const words = ({ texts }: Origin) =>
      texts.flatMap((text) => text.split(/[,=]/)).map((word) => word.trim());
    const byFlag = origins.find(({ key }) => sentence.includes(`--${key} `));
    const byValue = origins.find((origin) =>
      words(origin).some((word) => word !== '' && sentence.includes(word)),
    );
    return (byFlag ?? byValue)?.line ?? line;
  };
  const [first = '', ...others] = error.message.split('\n');
  if (others.length === 0)
    return projectError(path, [{ line: lineOf(first), problem: first, hint: error.hint }]);
  const faults = others.map((text) => ({
    line: lineOf(text),
    problem: text.replace(/^\s*- /, ''),
  }));
  return projectError(path, faults);
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
type Origin = SavedEntry & { readonly key: string };

const windowOptions = ['period', 'since', 'until'];

/**
 * The options of a saved report under those of the command line, as one, and where each stands: the command line wins, then
 * the report, then `defaults`. A window that is named anew replaces the old one whole. Throws `UsageError` with the lines of
 * all values that their flags would not take.
 *
 * @param typedOptions the names of the options that stand on the command line
 */
export function savedOptions(
  file: ProjectFile,
  report: SavedSection,
  typedOptions: ReadonlySet<string>,
  cwd: string,
) {
  const keys = savedKeyTable();
  const faults: ProjectFault[] = [];
  const values: Record<string, unknown> = {};
  const origins: Origin[] = [];
  const taken = new Set([...typedOptions].map((name) => (name === 'breakdowns' ? 'by' : name)));
  for (const section of [report, file.defaults]) {
    const hasWindow = windowOptions.some((name) => taken.has(name));
    const beaten = new Set([...taken, ...(hasWindow ? windowOptions : [])]);
    for (const [key, entry] of section.entries) {
      const savedKey = keys.get(key);
      if (!savedKey) continue;
      const name = key === 'breakdowns' ? 'by' : savedKey.option;
      const value = readEntry(key, savedKey, entry, faults);
      if (beaten.has(name)) continue;
      taken.add(name);
      // A place is reckoned from the file's own folder, wherever the command is run.
      const isFile = name === 'output' && value !== '-';
      values[name] = isFile ? relative(cwd, resolve(dirname(file.path), String(value))) : value;
      origins.push({ key, ...entry });
    }
  }
  if (faults.length > 0) throw projectError(file.shownPath, faults);
  return { values: values as Partial<RunFlags>, origins };
}

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
