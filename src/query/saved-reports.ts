import { dirname, relative, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import {
  findProjectFile,
  type ProjectFile,
  type ProjectFileError,
  projectError,
  projectFileName,
  readProjectFile,
  type SavedEntry,
  type SavedSection,
} from '../account/project-file.ts';
import { splitChoice } from '../account/settings.ts';
import { findNames } from '../contract/aliases.ts';
import { breakdowns, derivedBreakdowns } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { isUrl } from '../output/file/url.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable, quoted } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { planForAccounts } from './accounts.ts';
import { isSwitch, longNameOf, readValue } from './flags/flag.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { isPeriod } from './period.ts';
import type { Job } from './plan.ts';
import type { PlanTools } from './plan-tools.ts';
import { type SavedKey, savedKeyTable } from './saved-keys.ts';

export interface RunCommandLine {
  readonly options: RunFlags;

  /** Names of saved reports. */
  readonly names: readonly string[];

  /** Option names on the command line; the others have their defaults. */
  readonly typedOptions: ReadonlySet<string>;
}

/**
 * Plans the saved reports of `run NAME…` or `run --all`. Throws `UsageError` for a missing file or
 * report, and with file and line for a mistake in the file.
 */
export async function planSavedReports(
  tools: PlanTools,
  { options, names, typedOptions }: RunCommandLine,
): Promise<Job[]> {
  const { cwd } = tools.host;
  const path = findFile(tools, { options, names });
  const file = await readSavedReports(path, relative(cwd, path));

  const jobs: Job[] = [];
  const unknown = names.find((name) => !file.reports.has(name));
  if (unknown !== undefined) expectReportName(unknown, tools.host);
  for (const { name, section } of chooseReports(file, options, names)) {
    const saved = savedOptions(file, section, { typedOptions, cwd });
    try {
      const { choice, others } = splitChoice(saved.values);
      const report = { name, options: { ...options, ...others }, choice };
      jobs.push(...(await planForAccounts(tools, report)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const errors = fileErrorsOf(error, section.line, saved.origins);
      throw projectError(file.shownPath, errors);
    }
  }
  return jobs;
}

/**
 * Throws one `UsageError` with all mistakes and their lines.
 *
 * @param shownPath path in messages
 */
export async function readSavedReports(path: string, shownPath: string): Promise<ProjectFile> {
  const { projectSchema } = await import('./project-schema.ts');
  return readProjectFile(path, shownPath, projectSchema());
}

/** Finds `--file`, or the nearest `adreport.yaml`. Throws `UsageError` if there is none. */
function findFile(
  { host }: Pick<PlanTools, 'host'>,
  { options, names }: Pick<RunCommandLine, 'options' | 'names'>,
): string {
  const { cwd } = host;
  const path = options.file === undefined ? findProjectFile(cwd) : resolve(cwd, options.file);
  if (path !== undefined) return path;

  const [firstName] = names;
  if (firstName !== undefined) expectReportName(firstName, host);
  const what = firstName === undefined ? 'There is' : `Cannot run ${quoted(firstName)}: there is`;
  throw new UsageError(`${what} no ${projectFileName} in this folder or its parents.`, {
    hint: 'Create one with adreport init, or name a file with --file.',
  });
}

const breakdownNames = [...breakdowns, ...derivedBreakdowns].map(({ name }) => name);

/** Throws `UsageError` for a word that was probably meant as the value of a flag. */
function expectReportName(name: string, { platform, wallClock }: PlanTools['host']): void {
  const isWindow = isPeriod(name, wallClock());
  const isBreakdown = findNames(name, breakdownNames).length > 0;
  if (!isWindow && !isBreakdown) return;

  const flag = isWindow ? '--period' : '--by';
  throw new UsageError(`“${printable(name)}” is not a saved report.`, {
    hint: `Use: adreport run ${flag} ${shellWord(name, platform)}`,
  });
}

/**
 * Chooses the reports named on the command line, without duplicates. Throws `UsageError` if none is
 * named, or one does not exist.
 */
function chooseReports(
  { reports, shownPath }: ProjectFile,
  { all }: RunFlags,
  names: readonly string[],
): { readonly name: string; readonly section: SavedSection }[] {
  const allNames = [...reports.keys()];
  const list = `Choose from ${allNames.join(', ')}.`;
  const refusal = (message: string, hint: string) => new UsageError(message, { hint });

  if (allNames.length === 0) {
    throw refusal(`${shownPath} has no reports.`, 'Add one under reports:');
  }
  if (all && names.length > 0) {
    throw refusal('--all cannot be used with names of reports.', 'Remove one of them.');
  }
  if (!all && names.length === 0) {
    throw refusal(`Which report of ${shownPath}?`, `${list} To run every one: --all`);
  }

  const chosenNames = new Set(all ? allNames : names);
  return [...chosenNames].map((name) => {
    const section = reports.get(name);
    if (section) return { name, section };
    const hint = didYouMean(nearest(name, allNames), list);
    throw refusal(`Unknown report ${quoted(name)} in ${shownPath}.`, hint);
  });
}

/** Gives each mistake of an error the line of its value. */
function fileErrorsOf(
  error: UsageError,
  reportLine: number,
  origins: readonly Origin[],
): ProjectFileError[] {
  const { mistakes = [error] } = error;
  return mistakes.map(({ message, hint, about }) => {
    const origin = origins.find(({ option }) => option === optionOf(about?.flag));
    return { line: origin?.line ?? reportLine, message, hint };
  });
}

/** Finds the option of a flag by its long name. */
function optionOf(name: string | undefined): string | undefined {
  for (const [, { option, flag }] of savedKeyTable()) {
    if (longNameOf(flag) === name) return mainName(option);
  }
  return undefined;
}

/** An option with its entry in the project file. */
interface Origin extends SavedEntry {
  readonly option: string;
}

const windowOptions = ['period', 'since', 'until'];

/** `--breakdowns` is an alias of `--by`. */
function mainName(option: string): string {
  return option === 'breakdowns' ? 'by' : option;
}

/**
 * Lists the options that a saved report adds to the command line, with their entries. The command
 * line wins over the report, and the report over `defaults`. A period replaces a lower one
 * completely: `since` is not combined with `period`. Throws `UsageError` with the lines of all
 * invalid values.
 */
export function savedOptions(
  file: ProjectFile,
  report: SavedSection,
  { typedOptions, cwd }: { readonly typedOptions: ReadonlySet<string>; readonly cwd: string },
): { readonly values: Partial<RunFlags>; readonly origins: readonly Origin[] } {
  const keys = savedKeyTable();
  const errors: ProjectFileError[] = [];
  const values: Record<string, unknown> = {};
  const origins: Origin[] = [];
  const taken = new Set([...typedOptions].map(mainName));

  for (const section of [report, file.defaults]) {
    const overridden = new Set(taken);
    if (windowOptions.some((option) => taken.has(option))) {
      for (const option of windowOptions) overridden.add(option);
    }

    for (const [key, entry] of section.entries) {
      const savedKey = keys.get(key);
      if (!savedKey) continue;

      const option = mainName(savedKey.option);
      const value = readEntry(key, savedKey, entry, errors);
      if (overridden.has(option)) continue;
      taken.add(option);

      // Paths are relative to the folder of the project file.
      const isPath = value !== '-' && !isUrl(String(value));
      const isFile = option === 'output' && isPath;
      const ownPath = relative(cwd, resolve(dirname(file.path), String(value)));
      values[option] = isFile ? ownPath : value;
      origins.push({ option, ...entry });
    }
  }

  if (errors.length > 0) throw projectError(file.shownPath, errors);
  // Each value was read by its flag.
  return { values: values as Partial<RunFlags>, origins };
}

/** Adds an error to the list for an invalid value. */
function readEntry(
  key: string,
  { flag, turnsOff }: SavedKey,
  { texts, line }: SavedEntry,
  errors: ProjectFileError[],
): unknown {
  const joined = texts.join(',');

  if (isSwitch(flag)) return turnsOff !== (joined.toLowerCase() === 'true');
  if (flag.isRepeatable) return texts;
  try {
    return readValue(flag, joined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    errors.push({ line, message: `${key} ${JSON.stringify(joined)}: ${error.message}` });
    return undefined;
  }
}
