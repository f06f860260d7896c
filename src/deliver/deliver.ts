import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Context, Streams } from '../context.ts';
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { listWords } from '../figures/window-text.ts';
import { csvDialectOf } from '../formats/csv.ts';
import { type FormatName, formatNames, formatOfFile, formats } from '../formats/index.ts';
import type { CsvDialect, EncodeOptions, Sink, TableLook } from '../output/encoder.ts';
import {
  expandName,
  expectValidOnWindows,
  hasTimePlaceholder,
  isHistoryName,
  type NameValues,
  placeholdersOf,
} from '../output/file/file-name.ts';
import { type CompleteFile, checkTarget, openOutput } from '../output/file/output-file.ts';
import { ReplaySink } from '../output/file/replay-sink.ts';
import { createSpool } from '../output/file/spool.ts';
import { expectNoUrl } from '../output/file/url.ts';
import { type Flag, isNegation, longNameOf } from '../plan/flags/flag.ts';
import { type OutputFlags, outputFlags } from '../plan/flags/output-flags.ts';
import { nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { pageExtras } from './page-extras.ts';

/** The destination and format of a report, decided and checked before anything is requested. */
export interface Delivery {
  readonly format: FormatName;
  readonly target: Target;

  /** Options of the encoder. */
  readonly encoding: EncodeOptions;

  /** True if a card with the figures is shown to the user. */
  readonly showsCard: boolean;

  /** True if the totals are printed when there is no card. */
  readonly printsTotals: boolean;

  /** True if the file is opened once it is complete (`--open`). */
  readonly opensFile: boolean;
}

/** The target named by `-o`. */
export interface Target {
  /** The file name as given by the user; `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Starts the output, once per download attempt. Throws `OutputError`. */
  open(reportId?: string): Promise<StartedOutput>;
}

/** An output being written. Its calls throw `OutputError`. */
interface StartedOutput extends Sink {
  /** Completes the output; returns nothing for stdout. */
  finish(): Promise<CompleteFile | undefined>;

  /** Moves the finished file into place. */
  place(): Promise<void>;

  /** Discards what was written, unless it is already in place. */
  abort(): Promise<void>;
}

/** The report to deliver. */
interface DeliveredReport {
  readonly names: NameValues;

  /** The requested columns, if the request is known. */
  readonly columns?: readonly Column[];
}

/**
 * Creates the delivery for the output flags. Throws `UsageError` for flags that do not go together,
 * and `OutputError` for a target that cannot be written.
 */
export async function prepareDelivery(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
  { names, columns }: DeliveredReport,
): Promise<Delivery> {
  const format = chooseFormat(context, options);
  if (options.open && goesToStdout(options)) {
    const hint = 'Add -o, for example -o report.html.';
    throw new UsageError('--open needs a file, but the output goes to stdout.', { hint });
  }
  checkColumns(columns ?? [], format);

  const encoding: EncodeOptions = {
    columns,
    selectedColumns: options.columns,
    normalize: options.normalize,
    title: options.title,
    csv: csvDialect(context, options),
    table: tableLook(context, options),
    note: context.console.note,
    ...pageExtras(context, options, format),
  };
  return {
    format,
    target: await openTarget(context, options, { names, hashes: needsHash(context, options) }),
    encoding,
    showsCard: showsCard(context, options),
    printsTotals: !goesToStdout(options) && !context.flags.json && !context.console.isQuiet,
    opensFile: options.open === true,
  };
}

/**
 * Throws `UsageError` for a column that only adreport computes, if the format has the service's own
 * data.
 */
export function checkColumns(columns: readonly Column[], format: FormatName): void {
  if (!formats[format].isServiceDocument) return;

  for (const { field, metric, breakdown } of columns) {
    if (metric !== undefined || breakdown !== undefined) continue;
    throw new UsageError(
      `${field} is computed by adreport; ${format} contains only the service's own data.`,
      {
        about: { flag: '--metrics' },
        hint: `Remove ${field} from --metrics, or write csv, parquet, xlsx, html, pdf or table.`,
      },
    );
  }
}

export function goesToStdout({ output = '-' }: { readonly output?: string }): boolean {
  return output === '-';
}

/**
 * The format given by flag or file extension, otherwise JSON on stdout with `--json`, a table on a
 * terminal, and CSV in a pipe. Throws `UsageError`.
 */
export function chooseFormat(
  { console, host, flags: { json } }: Pick<Context, 'console' | 'host' | 'flags'>,
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

/**
 * The default format if neither a flag nor an extension names one. Throws `UsageError` for an
 * unknown extension.
 */
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
    throw new UsageError(`-o ${output}: ${ending} is not a known file extension.`, {
      about: { flag: '--output' },
      hint: `Use: -o ${shellWord(file, platform)}`,
    });
  }
  const hint = `Choose a format with --format: ${formatNames.join(', ')}.`;
  throw new UsageError(`-o ${output}: ${ending} is not a known file extension.`, {
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
 * Chooses the format and notes CSV flags that have no effect in it. Throws `UsageError` for flags
 * that do not go together, and if a required browser or logo is missing.
 */
export function checkFormat(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): FormatName {
  const { output = '-' } = options;
  const { platform } = context.host;
  const formatOfName = formatOfFile(output);
  const namedFormat = options.format ?? formatOfName;
  expectNoUrl({ flag: '-o', name: output, format: namedFormat, platform });
  csvDialectOf(options);
  const format = chooseFormat(context, options);
  const isOther = formatOfName !== undefined && formatOfName !== format;
  if (isOther && (formats[formatOfName].isBinary || formats[format].isBinary)) {
    context.console.note(`Note: ${printable(output)} will contain ${format}, as --format says.`);
  }
  const uselessFlags: string[] = [];

  for (const flag of ineffectiveFlags(options, format)) {
    if (flag.needsItsFormats) throw unsupportedFlag(flag, format);
    uselessFlags.push(longNameOf(flag));
  }
  if (uselessFlags.length > 0) {
    const are = uselessFlags.length > 1 ? 'apply to CSV and have' : 'applies to CSV and has';
    context.console.note(`Note: ${uselessFlags.join(', ')} ${are} no effect in ${format}.`);
  }

  pageExtras(context, options, format);
  return format;
}

/** Flags that were given but only affect other formats. */
function ineffectiveFlags(options: OutputFlags, format: FormatName): Flag[] {
  const values: Readonly<Record<string, unknown>> = options;
  const useless: Flag[] = [];

  for (const [name, flag] of Object.entries<Flag>(outputFlags.flags)) {
    const isGiven = isNegation(flag) ? values[name] === false : Boolean(values[name]);
    const isUseless = flag.formats !== undefined && !flag.formats.includes(format);
    if (isGiven && isUseless) useless.push(flag);
  }
  return useless;
}

function unsupportedFlag(flag: Flag, format: FormatName): UsageError {
  const name = longNameOf(flag);
  return new UsageError(
    `${name} works with ${listWords(flag.formats ?? [])}, not with ${format}.`,
    {
      about: { flag: name },
      hint: `Omit ${name}, or write a page: -o report.html`,
    },
  );
}

/** The dialect for the flags; control characters are hidden on a terminal. Throws `UsageError`. */
export function csvDialect(
  { console }: Pick<Context, 'console'>,
  options: OutputFlags,
): CsvDialect {
  return { ...csvDialectOf(options), shown: console.out.isTerminal && goesToStdout(options) };
}

/** The table layout: as wide as the terminal, as `COLUMNS` in a pipe, or as needed in a file. */
export function tableLook(
  { console, host }: Streams,
  options: { readonly output?: string } = {},
): TableLook {
  if (!goesToStdout(options)) return {};
  const { isTerminal, width, style, showsUnicode } = console.out;
  const hasWidth = isTerminal || Boolean(host.env.COLUMNS);
  return { width: hasWidth ? width : undefined, style, unicode: showsUnicode };
}

/** True if a card with the figures is shown: for a file, to a user at a terminal. */
function showsCard(
  { console, flags: { json, progress } }: Pick<Context, 'console' | 'flags'>,
  options: OutputFlags,
): boolean {
  if (goesToStdout(options) || json || console.isQuiet || !console.err.isTerminal) return false;
  return progress === 'auto' || progress === 'bar';
}

/** Throws `UsageError` for `--compare` with an output that cannot show a change. */
export function checkComparable(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): void {
  const format = chooseFormat(context, options);
  if (!formats[format].isServiceDocument) return;
  throw new UsageError(`--compare does not work with ${format}, the service's own document.`, {
    hint: 'Write html, xlsx, csv, parquet or a table, for example: -o report.html',
    about: { flag: '--compare' },
  });
}

/** True if the hash of the file is needed for `--json` or the history of its folder. */
function needsHash({ flags }: Pick<Context, 'flags'>, { output = '-' }: OutputFlags): boolean {
  return flags.json === true || hasTimePlaceholder(output);
}

interface TargetOptions {
  /** Values for the placeholders of `-o`. */
  readonly names: NameValues;

  /** True if the hash of the file is computed. */
  readonly hashes?: boolean;
}

/**
 * The target named by `-o`. Throws `UsageError`, and `OutputError` for a file that cannot be
 * written or that `--no-clobber` keeps.
 */
export async function openTarget(
  { console, host }: Streams,
  options: OutputFlags,
  { names, hashes = false }: TargetOptions,
): Promise<Target> {
  const { output: template = '-', clobber } = options;
  if (goesToStdout(options)) return stdoutTarget(console);

  const name = (id?: string) => expandName(template, id === undefined ? names : { ...names, id });
  const path = (id?: string) => {
    expectValidOnWindows(name(id), host.platform);
    return resolve(host.cwd, name(id));
  };
  const noClobber = !clobber;
  if (isHistoryName(basename(template))) {
    throw new UsageError(`-o ${template} would replace the history of a folder.`, {
      hint: 'Choose another name.',
    });
  }
  const fileOptions = { machine: host, noClobber, hashes };
  if (!placeholdersOf(template).includes('id')) await checkTarget(path(), fileOptions);
  return { name, open: (id) => openOutput(path(id), fileOptions) };
}

/**
 * A target for stdout, which cannot be rewound: a restarted download must return the same bytes.
 */
function stdoutTarget(console: Sink): Target {
  const sink = new ReplaySink(console);
  const output: StartedOutput = {
    write: (bytes) => sink.write(bytes),
    async finish() {
      sink.finish();
      return undefined;
    },
    place: async () => {},
    abort: async () => {},
  };
  return {
    name: () => undefined,
    async open() {
      sink.restart();
      return output;
    },
  };
}

/** A delivery that keeps its bytes in a temporary file until the output is complete. */
export function heldDelivery(delivery: Delivery): Delivery {
  const { target } = delivery;
  return {
    ...delivery,
    target: {
      name: target.name,
      async open(reportId) {
        const begun = await target.open(reportId);
        const spool = await createSpool(tmpdir());
        return {
          write: (bytes) => spool.write(bytes),
          async finish() {
            for await (const bytes of spool.read()) await begun.write(bytes);
            await spool.close();
            return begun.finish();
          },
          place: begun.place,
          async abort() {
            await spool.close();
            await begun.abort();
          },
        };
      },
    },
  };
}

/** A program that opens files, with the arguments that precede the path. */
interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program named by `BROWSER`, otherwise the system's default opener. */
export function openerOn(platform: NodeJS.Platform, browser: string | undefined): Opener {
  if (browser) return { command: browser, args: [] };
  if (platform === 'darwin') return { command: 'open', args: [] };
  // Not `cmd /c start`, which would run anything after an `&` in a file name.
  if (platform === 'win32')
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Opens a file without waiting for it to be closed. */
export function openFile({ host, console }: Pick<Context, 'host' | 'console'>, file: string): void {
  const { command, args } = openerOn(host.platform, host.env.BROWSER);
  const child = spawn(command, [...args, resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`Cannot open ${file}: ${command} was not found.`));
  child.unref();
}
