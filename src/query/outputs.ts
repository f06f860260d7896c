import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import type { OutputFlags } from './flags/output-flags.ts';
import { type FormatName, formatNames, formatOfFile } from './format-names.ts';
import type { Output } from './query.ts';
import { refuseUrl } from './url.ts';

type OutputOptions = Partial<Pick<OutputFlags, 'output' | 'format'>>;

interface OutputFacts {
  /** Format of stdout without `--format`. */
  readonly stdoutFormat: FormatName;

  /** Platform for whose shell the hints are quoted. Default: the current one. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Reads the values of `-o` with a format for each. `--format` decides the format first, then the
 * ending of the name; the default is csv. Without `-o`, the output is stdout.
 *
 * @throws UsageError for a URL, an unknown ending or an empty name, and if two outputs have the
 * same target
 */
export function readOutputs(
  { output = ['-'], format }: OutputOptions,
  { stdoutFormat, platform = process.platform }: OutputFacts,
): readonly [Output, ...Output[]] {
  const [first = '-', ...others] = output;
  if (format !== undefined && others.length > 0) {
    throw refuse('--format cannot be used with several -o.', 'Remove --format.');
  }
  const twice = output.find((path, index) => output.indexOf(path) !== index);
  if (twice !== undefined) {
    throw refuse(`-o ${twice} is given twice.`, 'Use a different name for each file.');
  }
  const toOutput = (path: string): Output => {
    refuseUrl(path, format ?? formatOfFile(path), platform);
    requireOneName(path, platform);
    const isStdout = path === '-';
    return { path, format: format ?? (isStdout ? stdoutFormat : chooseFormat(path, platform)) };
  };
  return [toOutput(first), ...others.map(toOutput)];
}

/** Throws `UsageError` for an empty name, and for a list of names. */
function requireOneName(path: string, platform: NodeJS.Platform): void {
  if (path.trim() === '') throw refuse('-o needs the name of a file.', 'For stdout: -o -');

  const names = path.split(',');
  if (names.length === 1 || !names.every((name) => formatOfFile(name) !== undefined)) return;
  const flags = names.map((name) => `-o ${shellWord(name.trim(), platform)}`);
  throw refuse(`-o ${path} is a list of files.`, `Name each of them: ${flags.join(' ')}`);
}

/** Throws `UsageError` for an unknown ending. A name without an ending means csv. */
function chooseFormat(path: string, platform: NodeJS.Platform): FormatName {
  const format = formatOfFile(path);
  if (format !== undefined) return format;

  const [, ending] = /[^./\\](\.[^./\\]+)$/.exec(path) ?? [];
  if (ending === undefined) return 'csv';

  const near = findNearestEnding(ending);
  const hint =
    near === undefined
      ? `Add --format. Choose from ${formatNames.join(', ')}.`
      : `Use: -o ${shellWord(path.slice(0, -ending.length) + near, platform)}`;
  throw refuse(`Unknown file extension ${ending} in -o ${path}.`, hint);
}

/** Extensions of other formats, each with the closest format that adreport writes. */
const otherEndings: Readonly<Record<string, string>> = {
  '.xls': '.xlsx',
  '.xlsm': '.xlsx',
  '.ods': '.xlsx',
  '.pq': '.parquet',
};

/**
 * Returns the accepted ending that is closest to an unknown one. A Parquet file in `.gz` has none.
 */
function findNearestEnding(ending: string): string | undefined {
  const lower = ending.toLowerCase();
  // A `.gz` is wrong only if the format is already compressed.
  if (lower === '.gz') return '';
  if (Object.hasOwn(otherEndings, lower)) return otherEndings[lower];
  const names = formatNames.filter((name) => name !== 'table');
  const name = nearest(lower.slice(1), names);
  return name && `.${name}`;
}

function refuse(message: string, hint: string): UsageError {
  return new UsageError(message, { about: { flag: '--output' }, hint });
}
