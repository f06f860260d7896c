import { dirname, relative, resolve } from 'node:path';
import { Command, InvalidArgumentError, type Option } from 'commander';
import { collect } from '../../commands/flags.ts';
import { addRunFlags, type RunOptions } from '../../commands/run.ts';
import {
  type ProjectFault,
  type ProjectFile,
  projectError,
  type SavedEntry,
  type SavedSection,
} from '../../config/project-file.ts';

/** Flags that say how a command runs, and not what a report is. */
const notSaved = ['dry-run', 'shard', 'all', 'file', 'local', 'base-url'];

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
export interface Origin {
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
