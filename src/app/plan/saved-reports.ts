import { relative, resolve } from 'node:path';
import type { RunOptions } from '../../commands/run.ts';
import { type ProjectFile, projectError, readProjectFile, type SavedSection } from '../../config/project-file.ts';
import { findProjectFile, projectFileName } from '../../config/project-file-path.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { placeOf } from '../../output/file/file-name.ts';
import { nearest } from '../../text/nearest.ts';
import { fileOf, type Job } from './job.ts';
import { planJob } from './plan-job.ts';
import { type Origin, savedKeys, savedOptions } from './saved-options.ts';

/**
 * The jobs of the saved reports that `run NAME…` or `run --all` means. Throws `UsageError` for a file or a name that is
 * not there, and with file and line for what is wrong in the file.
 */
export async function planSavedReports(
  context: Context,
  options: RunOptions,
  names: readonly string[],
): Promise<Job[]> {
  const file = openProjectFile(context, options, names);
  const jobs: Job[] = [];
  for (const name of chosenNames(file, options, names)) {
    const section = file.reports.get(name);
    if (section) jobs.push(await planSaved(context, options, file, { name, section }));
  }
  refuseSharedOutputs(jobs);
  return jobs;
}

function openProjectFile({ host }: Context, { file }: RunOptions, names: readonly string[]): ProjectFile {
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
  const { account, profile, ...others } = values;
  const choice = { ...(account === undefined ? {} : { account }), ...(profile === undefined ? {} : { profile }) };
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
