import { suggestName } from '../text/nearest.ts';
import { listPlaceholders } from './file-name.ts';
import { flagError } from './flag-error.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { type FormatName, formatInfo, formatOfFile } from './format-names.ts';
import type { Output } from './query.ts';
import { refuseUrl } from './url.ts';

type OutputOptions = Partial<Pick<OutputFlags, 'output' | 'format'>>;

/**
 * Reads the values of `-o` and chooses the format of each: by `--format`, by the extension, or csv.
 * Without `-o`, the output is stdout.
 *
 * @param stdoutFormat format of stdout without `--format`
 * @throws UsageError for a URL, an unknown extension or placeholder, or an empty name
 */
export function parseOutputs(
  { output = ['-'], format }: OutputOptions,
  stdoutFormat: FormatName = 'csv',
): readonly [Output, ...Output[]] {
  const [first = '-', ...others] = output;
  if (format !== undefined && others.length > 0) {
    throw flagError('--output', '--format cannot be used with several -o.', 'Remove --format.');
  }
  const toOutput = (path: string): Output => {
    refuseUrl(path, format ?? formatOfFile(path));
    requireOneName(path);
    listPlaceholders(path); // throws for an unknown one
    const isStdout = path === '-';
    return { path, format: format ?? (isStdout ? stdoutFormat : chooseFormat(path)) };
  };
  return [toOutput(first), ...others.map(toOutput)];
}

/** Throws `UsageError` for an empty name, the name of a folder, and a list of names. */
function requireOneName(path: string): void {
  if (path.trim() === '')
    throw flagError('--output', '-o needs the name of a file.', 'For stdout: -o -');

  if (isFolderName(path)) {
    const hint = `Add a file name: ${path.replace(/\.$/, '')}report.csv`;
    throw flagError('--output', `-o ${path} is a folder name.`, hint);
  }

  const names = path.split(',');
  const isList = names.length > 1 && names.every((name) => formatOfFile(name) !== undefined);
  if (isList)
    throw flagError('--output', `-o ${path} is a list of files.`, 'Use one -o for each file.');
}

/** Whether a path can only be a folder: `reports/` or `reports/.` */
export function isFolderName(path: string): boolean {
  return /[\\/]\.?$/.test(path);
}

/** Throws `UsageError` for an unknown extension. A name without an extension means csv. */
function chooseFormat(path: string): FormatName {
  const format = formatOfFile(path);
  if (format !== undefined) return format;

  const [, ending] = /[^./\\]\.([^./\\]+)$/.exec(path) ?? [];
  if (ending === undefined) return 'csv';

  const extensions = Object.values(formatInfo).flatMap((format) => format.extensions);
  const message = `Unknown file extension .${ending} in -o ${path}.`;
  throw flagError(
    '--output',
    message,
    `${suggestName(ending, extensions)} Any other name needs --format.`,
  );
}
