import { UsageError } from '../errors.ts';
import { type FormatName, formatNames, formatOfFile, formats } from '../formats/index.ts';
import { type PageHost, printerFor } from '../formats/page-extras.ts';
import { goesToStdout } from '../output/file/file-name.ts';
import { expectNoUrl } from '../output/file/url.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { listWords } from '../text/quantity.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import type { Console } from '../ui/console.ts';
import { type Flag, isNegation, longNameOf } from './flags/flag.ts';
import { type OutputFlags, outputFlags } from './flags/output-flags.ts';

interface FormatTools {
  readonly console: Pick<Console, 'out' | 'note'>;
  readonly host: PageHost;
  readonly flags: { readonly json?: boolean | undefined };
}

/**
 * Chooses the format by flag or file extension, otherwise JSON on stdout with `--json`, a table on
 * a terminal, and CSV in a pipe. Throws `UsageError` for an unknown extension, and for a binary
 * format on a terminal.
 */
export function chooseFormat(
  { console, host, flags: { json } }: FormatTools,
  options: OutputFlags,
): FormatName {
  const { output = '-' } = options;
  if (options.format === undefined && goesToStdout(options) && json) return 'json';

  const isOnTerminal = goesToStdout(options) && console.out.isTerminal;
  const format =
    options.format ?? formatOfFile(output) ?? defaultFormat(output, isOnTerminal, host.platform);

  if (formats[format].isBinary && isOnTerminal) {
    const hint = `Write it to a file: -o report.${format} or > report.${format}.`;
    throw new UsageError(`${format} is a binary format and cannot be shown on a terminal.`, {
      hint,
    });
  }
  return format;
}

/** Throws `UsageError` for an unknown extension. */
function defaultFormat(
  output: string,
  isOnTerminal: boolean,
  platform: NodeJS.Platform,
): FormatName {
  if (isOnTerminal) return 'table';
  const ending = /[^./\\](\.[^./\\]+)$/.exec(output)?.[1];
  if (ending === undefined) return 'csv';

  if (/\.parquet\.gz$/i.test(output)) {
    const file = output.slice(0, -ending.length);
    throw new UsageError(`-o ${output}: Parquet is compressed already.`, {
      about: { flag: '--output' },
      hint: `Use: -o ${shellWord(file, platform)}`,
    });
  }
  const near = nearestExtension(ending);
  if (near !== undefined) {
    const file = output.slice(0, -ending.length) + near;
    throw new UsageError(`Unknown file extension ${ending} in -o ${output}.`, {
      about: { flag: '--output' },
      hint: `Use: -o ${shellWord(file, platform)}`,
    });
  }
  const hint = `Add --format. Choose from ${formatNames.join(', ')}.`;
  throw new UsageError(`Unknown file extension ${ending} in -o ${output}.`, {
    hint,
    about: { flag: '--output' },
  });
}

/** Extensions of other formats, and the closest one that adreport writes. */
const otherExtensions: Readonly<Record<string, string>> = {
  '.xls': '.xlsx',
  '.xlsm': '.xlsx',
  '.ods': '.xlsx',
  '.htm': '.html',
  '.txt': '.csv',
  '.pq': '.parquet',
};

function nearestExtension(ending: string): string | undefined {
  const lower = ending.toLowerCase();
  if (Object.hasOwn(otherExtensions, lower)) return otherExtensions[lower];
  const name = nearest(
    lower.slice(1),
    formatNames.filter((each) => each !== 'table'),
  );
  return name && `.${name}`;
}

/**
 * Chooses the format. Throws `UsageError` for flags that it does not know, and if a required
 * browser is missing.
 */
export function checkFormat(tools: FormatTools, options: OutputFlags): FormatName {
  const { output = '-' } = options;
  const { platform } = tools.host;
  const formatOfName = formatOfFile(output);
  const namedFormat = options.format ?? formatOfName;
  expectNoUrl({ flag: '-o', name: output, format: namedFormat, platform });
  const format = chooseFormat(tools, options);
  const isOther = formatOfName !== undefined && formatOfName !== format;
  if (isOther && (formats[formatOfName].isBinary || formats[format].isBinary)) {
    tools.console.note(`Note: ${printable(output)} will contain ${format}, because of --format.`);
  }
  const [unknown] = unknownFlags(options, format);
  if (unknown) throw unsupportedFlag(unknown, format);

  printerFor(format, tools.host);
  return format;
}

/** Lists flags that were given but only other formats know. */
function unknownFlags(options: OutputFlags, format: FormatName): Flag[] {
  const values: Readonly<Record<string, unknown>> = options;
  const unknown: Flag[] = [];

  for (const [name, flag] of Object.entries<Flag>(outputFlags.flags)) {
    const isGiven = isNegation(flag) ? values[name] === false : Boolean(values[name]);
    const isUnknown = flag.formats !== undefined && !flag.formats.includes(format);
    if (isGiven && isUnknown) unknown.push(flag);
  }
  return unknown;
}

function unsupportedFlag(flag: Flag, format: FormatName): UsageError {
  const name = longNameOf(flag);
  return new UsageError(
    `${name} works with ${listWords(flag.formats ?? [])}, not with ${format}.`,
    {
      about: { flag: name },
      hint: `Remove ${name}.`,
    },
  );
}

/** Throws `UsageError` for `--compare` with an output that cannot show a change. */
export function checkComparable(format: FormatName): void {
  if (!formats[format].isServiceDocument) return;
  throw new UsageError(`--compare does not work with ${format}, the service's own document.`, {
    hint: 'Write html, xlsx, csv, parquet or a table, for example: -o report.html',
    about: { flag: '--compare' },
  });
}
