import { resolve, sep } from 'node:path';
import { UsageError } from '../errors.ts';
import {
  cutBeforeDate,
  expandExceptDates,
  expandName,
  listPlaceholders,
  type NameValues,
} from '../query/file-name.ts';

/** Folder and file names of an output. */
export interface LocatedFolder {
  /** Absolute path, up to the first date placeholder. */
  readonly folder: string;

  /** File name within the folder, with slashes and date placeholders. */
  readonly output: string;
}

/**
 * Splits an output with date placeholders into the folder and the file name.
 *
 * @param output value of `-o`
 * @throws UsageError if a placeholder is not allowed in a folder's output
 */
export function locateFolder(
  output: string,
  { names, cwd }: { readonly names: NameValues; readonly cwd: string },
): LocatedFolder {
  const rest = output.slice(cutBeforeDate(output).length);
  const misplaced = listPlaceholders(rest).find((name) => ['account', 'report'].includes(name));
  if (misplaced !== undefined) {
    throw new UsageError(`-o ${output} has {${misplaced}} after the date.`, {
      about: { flag: '--output' },
      hint: `A folder holds one report of one account. Use -o '{${misplaced}}/{date}.csv'.`,
    });
  }

  const template = expandExceptDates(output, names).split(sep).join('/');
  const nameBegins = cutBeforeDate(template).lastIndexOf('/') + 1;
  const folder = resolve(cwd, expandName(template.slice(0, nameBegins), {}) || '.');
  return { folder, output: template.slice(nameBegins) };
}
