import { dirname, relative, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { type RunFlags, runFlagsByName } from '../query/flags/run-flags.ts';
import { type FormatName, formatOfFile } from '../query/format-names.ts';
import { isFolderName } from '../query/outputs.ts';
import {
  findInvalidOption,
  flagsByKey,
  readSavedOptions,
  type SavedOptions,
} from '../query/saved-report.ts';
import { isUrl } from '../query/url.ts';
import { fileError } from '../query/yaml-file.ts';
import { suggestName } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import {
  findProjectFile,
  type ProjectFile,
  projectFileName,
  readProjectFile,
} from './project-file.ts';
import type { ProjectChoice } from './settings.ts';

interface SavedReportContext {
  readonly cwd: string;

  /** Format of stdout without `--format`. */
  readonly stdoutFormat: FormatName;
}

export interface RunCommandLine {
  readonly options: RunFlags;

  /** Names of the saved reports to run. */
  readonly names: readonly string[];

  /** Names of the options on the command line. All others have their defaults. */
  readonly explicitOptions: ReadonlySet<string>;
}

/** Options of a report from the command line and `adreport.yaml`. */
export interface ReportFlags {
  readonly options: RunFlags;

  /** Name of the saved report, if the report is not from flags alone. */
  readonly name?: string;

  /** Account settings of the saved report. */
  readonly choice?: ProjectChoice;

  /** Adds the file and line to an issue, unless the issue is on the command line. */
  readonly locate?: (issue: UsageError) => UsageError;
}

/**
 * Reads the reports of `run NAME…` and `run --all`. Throws `UsageError`, with file and line for a
 * issue in `adreport.yaml`.
 */
export async function readSavedReports(
  command: RunCommandLine,
  context: SavedReportContext,
): Promise<ReportFlags[]> {
  const { cwd } = context;
  const path = findFile(command, cwd);
  const file = await readProjectFile(path, relative(cwd, path));
  return chooseReports(file, command).map((name) => {
    const section = file.report(name);
    const { displayPath } = file;
    const { explicitOptions } = command;
    const saved = readSavedOptions([section, file.defaults], { displayPath, explicitOptions });
    const values = resolvePaths(saved, file, cwd);
    // These are not report options, and the environment takes precedence over the file.
    const { account, profile, encoding, windowClock, ...others } = values;
    const choice = { account, profile, encoding, windowClock };
    const defaults = [...file.defaults.entries.keys()].filter((key) => !section.entries.has(key));
    const unusedDefaults = listUnusedDefaults({ ...command.options, ...others }, defaults, context);
    const known = Object.entries(others).filter(([option]) => !unusedDefaults.includes(option));
    const options = { ...command.options, ...Object.fromEntries(known) };
    const locate = (issue: UsageError): UsageError => {
      const option = findInvalidOption(issue) ?? '';
      if (explicitOptions.has(option)) return issue;
      const { message, hint } = issue;
      return fileError(displayPath, {
        line: saved.lines.get(option) ?? section.line,
        message,
        hint,
      });
    };
    return { name, options, choice, locate };
  });
}

/**
 * Lists the defaults that do not apply to any of a report's formats. For example, a label applies
 * to HTML but not to CSV.
 */
function listUnusedDefaults(
  { output = ['-'], format }: RunFlags,
  defaults: readonly string[],
  { stdoutFormat }: SavedReportContext,
): string[] {
  const formats = output.map((path) => format ?? formatOfFile(path) ?? stdoutFormat);
  const options = defaults.flatMap((key) => flagsByKey.get(key)?.[0] ?? []);
  return options.filter((option) => {
    const known = runFlagsByName.get(option)?.formats;
    return known !== undefined && !formats.some((name) => known.includes(name));
  });
}

/** Throws `UsageError` for an issue in the reports of a file. */
export function checkSavedReports(file: ProjectFile): void {
  for (const name of file.reportNames) {
    readSavedOptions([file.report(name), file.defaults], file);
  }
}

/** Makes the paths of a saved report relative to the folder of its file. */
function resolvePaths({ values }: SavedOptions, file: ProjectFile, cwd: string): Partial<RunFlags> {
  if (!values.output) return values;
  const output = values.output.map((path) => {
    // A folder name stays as it is, and is refused later.
    const isPath = path !== '-' && path !== '' && !isUrl(path) && !isFolderName(path);
    return isPath ? relative(cwd, resolve(dirname(file.path), path)) : path;
  });
  return { ...values, output };
}

/** Finds `--file`, or the nearest `adreport.yaml`. Throws `UsageError` if there is none. */
function findFile(command: RunCommandLine, cwd: string): string {
  const { file } = command.options;
  const path = file === undefined ? findProjectFile(cwd) : resolve(cwd, file);
  if (path !== undefined) return path;

  const message = `There is no ${projectFileName} in this folder or its parents.`;
  const hint = 'Create one with adreport init, or specify one with --file.';
  const [name] = command.names;
  if (name === undefined) throw new UsageError(message, { hint });
  throw unknownReportError(message, { hint, name });
}

/**
 * Returns the names of the reports to run, without duplicates. Throws `UsageError` if no name is
 * given, or if a report does not exist.
 */
function chooseReports(file: ProjectFile, command: RunCommandLine): string[] {
  const { options, names } = command;
  const { reportNames } = file;
  const usageError = (message: string, hint: string) => new UsageError(message, { hint });
  if (reportNames.length === 0) {
    throw usageError(`${file.displayPath} has no reports.`, 'Add one under reports:');
  }
  if (options.all && names.length > 0) {
    throw usageError('--all cannot be used with report names.', 'Remove --all, or the names.');
  }
  if (!options.all && names.length === 0) {
    const list = reportNames.join(', ');
    throw usageError(
      `No report of ${file.displayPath} was named.`,
      `Choose from ${list}, or add --all.`,
    );
  }

  const chosen = new Set(options.all ? reportNames : names);
  for (const name of chosen) {
    if (reportNames.includes(name)) continue;
    const message = `Unknown report ${quoted(name)} in ${file.displayPath}.`;
    throw unknownReportError(message, { hint: suggestName(name, reportNames), name });
  }
  return [...chosen];
}

/** Builds the error for an unknown report. The name may be a misplaced flag value. */
function unknownReportError(
  message: string,
  { hint, name }: { readonly hint: string; readonly name: string },
): UsageError {
  const period = `If ${quoted(name)} is a period, pass it with --period.`;
  const spaces = 'Ranges and lists take no spaces: --period 2026-10-01..2026-10-31 --by OS,COUNTRY';
  return new UsageError(message, { hint: `${hint}\n${period} ${spaces}` });
}
