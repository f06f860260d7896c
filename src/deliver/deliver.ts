import { spawn } from 'node:child_process';
import { basename, resolve } from 'node:path';
import type { Context } from '../context.ts';
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { listWords } from '../figures/window-text.ts';
import { csvDialectOf } from '../formats/csv.ts';
import { type FormatName, formatNames, formatOfFile, formats } from '../formats/index.ts';
import type { CsvDialect, EncodeOptions, Sink, TableLook } from '../output/encoder.ts';
import { expectNoAddress } from '../output/file/address.ts';
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
import { type Flag, isNegation, longNameOf } from '../plan/flags/flag.ts';
import { type OutputFlags, outputFlags } from '../plan/flags/output-flags.ts';
import { nearest } from '../text/nearest.ts';
import { shellWord } from '../text/quote-for-shell.ts';
import { pageExtras } from './page-extras.ts';

/** Where a report goes and in what form: decided and checked before anything is asked for. */
export interface Delivery {
  readonly format: FormatName;
  readonly target: Target;

  /** What the encoder is told of the columns and of the looks. */
  readonly encoding: EncodeOptions;

  /** Whether the figures of what was written are shown to a person. */
  readonly showsCard: boolean;

  /** Whether the totals of a file are said where no card is shown. */
  readonly saysTotals: boolean;

  /** Whether the file is opened once it is whole (`--open`). */
  readonly opensFile: boolean;
}

/** What `-o` names. */
export interface Target {
  /** The file as the user names it; `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Begins the output, anew for each try of a download. Throws `OutputError`. */
  open(reportId?: string): Promise<BegunOutput>;
}

/** An output that has begun. Its calls throw `OutputError`. */
interface BegunOutput extends Sink {
  /** Ends it once all is written; gives nothing for stdout. */
  finish(): Promise<CompleteFile | undefined>;

  /** Puts the finished file into its place. */
  place(): Promise<void>;

  /** Takes back what was written, as far as it is not in its place. */
  abort(): Promise<void>;
}

/** What a delivery is told of the report that it is for. */
interface DeliveredReport {
  readonly names: NameValues;

  /** The columns that the request leads to, where it is known. */
  readonly columns?: readonly Column[];
}

type Streams = Pick<Context, 'console' | 'host'>;

/**
 * The delivery that the output flags describe. Throws `UsageError` for flags that do not fit, and
 * `OutputError` for a target that cannot be written.
 */
export async function prepareDelivery(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
  { names, columns }: DeliveredReport,
): Promise<Delivery> {
  const format = chooseFormat(context, options);
  if (options.open && goesToStdout(options)) {
    const hint = 'Add -o, for example -o report.html.';
    throw new UsageError('--open shows a file, and the output goes to stdout.', { hint });
  }
  if (formats[format].isServiceDocument) refuseComputed(columns ?? [], format);

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
    saysTotals: !goesToStdout(options) && !context.flags.json && !context.console.isQuiet,
    opensFile: options.open === true,
  };
}

/** Throws `UsageError` for a column that no service sends. */
function refuseComputed(columns: readonly Column[], format: FormatName): void {
  for (const { field, metric, breakdown } of columns) {
    if (metric !== undefined || breakdown !== undefined) continue;
    throw new UsageError(`${field} is computed here, and ${format} holds what the service sends.`, {
      about: { flag: '--metrics' },
      hint: `Leave ${field} out of --metrics, or write csv, parquet, xlsx, html, pdf or table.`,
    });
  }
}

function goesToStdout({ output = '-' }: { readonly output?: string }): boolean {
  return output === '-';
}

/**
 * As told, else by the file's ending, else JSON on stdout with `--json`, a table on a terminal, and
 * CSV in a pipe. Throws `UsageError`.
 */
export function chooseFormat(
  { console, host, flags: { json } }: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): FormatName {
  const { output = '-' } = options;
  if (options.format === undefined && goesToStdout(options) && json) return 'json';

  const isOnTerminal = goesToStdout(options) && console.out.isTerminal;
  const format =
    options.format ?? formatOfFile(output) ?? usualFormat(output, isOnTerminal, host.platform);

  if (formats[format].isBinary && isOnTerminal) {
    const hint = `Write it to a file: -o report.${format}, or > report.${format}.`;
    throw new UsageError(`${format} is no text: a terminal cannot show it.`, { hint });
  }
  return format;
}

/**
 * The format where neither a flag nor an ending names one. Throws `UsageError` for an ending that
 * means none.
 */
function usualFormat(output: string, isOnTerminal: boolean, platform: NodeJS.Platform): FormatName {
  if (isOnTerminal) return 'table';
  const ending = /[^./\\](\.[^./\\]+)$/.exec(output)?.[1];
  if (ending === undefined) return 'csv';

  const near = nearestEnding(ending);
  if (near !== undefined) {
    const file = output.slice(0, -ending.length) + near;
    throw new UsageError(`-o ${output}: no format ends in ${ending}.`, {
      about: { flag: '--output' },
      hint: `Use: -o ${shellWord(file, platform)}`,
    });
  }
  const hint = `Say which with --format. Known are ${formatNames.join(', ')}.`;
  throw new UsageError(`-o ${output}: no format ends in ${ending}.`, {
    hint,
    about: { flag: '--output' },
  });
}

/** Endings of other programs, and the nearest one that is written here. */
const endingsOfOthers: Readonly<Record<string, string>> = {
  '.xls': '.xlsx',
  '.xlsm': '.xlsx',
  '.ods': '.xlsx',
  '.htm': '.html',
  '.txt': '.csv',
  '.pq': '.parquet',
};

function nearestEnding(ending: string): string | undefined {
  const lower = ending.toLowerCase();
  if (Object.hasOwn(endingsOfOthers, lower)) return endingsOfOthers[lower];
  const name = nearest(
    lower.slice(1),
    formatNames.filter((each) => each !== 'table'),
  );
  return name && `.${name}`;
}

/**
 * Chooses the format, and says which flags of CSV it has no use for. Throws `UsageError` for flags
 * that do not fit, and where the format needs a browser or a logo that is not there.
 */
export function checkFormat(
  context: Pick<Context, 'console' | 'host' | 'flags'>,
  options: OutputFlags,
): FormatName {
  const { output = '-' } = options;
  const { platform } = context.host;
  const namedFormat = options.format ?? formatOfFile(output);
  expectNoAddress({ flag: '-o', name: output, format: namedFormat, platform });
  csvDialectOf(options);
  const format = chooseFormat(context, options);
  const uselessFlags: string[] = [];

  for (const flag of flagsWithoutUse(options, format)) {
    if (flag.needsItsFormats) throw hasNoPlaceFor(flag, format);
    uselessFlags.push(longNameOf(flag));
  }
  if (uselessFlags.length > 0) {
    const are = uselessFlags.length > 1 ? 'are for CSV, and change' : 'is for CSV, and changes';
    context.console.note(`Note: ${uselessFlags.join(', ')} ${are} nothing in ${format}.`);
  }

  pageExtras(context, options, format);
  return format;
}

/** The flags that were given although they change other formats only. */
function flagsWithoutUse(options: OutputFlags, format: FormatName): Flag[] {
  const values: Readonly<Record<string, unknown>> = options;
  const useless: Flag[] = [];

  for (const [name, flag] of Object.entries<Flag>(outputFlags.flags)) {
    const isGiven = isNegation(flag) ? values[name] === false : Boolean(values[name]);
    const isUseless = flag.formats !== undefined && !flag.formats.includes(format);
    if (isGiven && isUseless) useless.push(flag);
  }
  return useless;
}

function hasNoPlaceFor(flag: Flag, format: FormatName): UsageError {
  const name = longNameOf(flag);
  return new UsageError(
    `${name} stands in ${listWords(flag.formats ?? [])}, and not in ${format}.`,
    {
      about: { flag: name },
      hint: `Leave ${name} out, or write a page: -o report.html`,
    },
  );
}

/**
 * The dialect that the flags describe; a terminal shows no control character. Throws `UsageError`.
 */
export function csvDialect(
  { console }: Pick<Context, 'console'>,
  options: OutputFlags,
): CsvDialect {
  return { ...csvDialectOf(options), shown: console.out.isTerminal && goesToStdout(options) };
}

/**
 * How a table is to look: as the terminal can show it; in a pipe as wide as `COLUMNS` says, in a
 * file as wide as it is.
 */
export function tableLook(
  { console, host }: Streams,
  options: { readonly output?: string } = {},
): TableLook {
  if (!goesToStdout(options)) return {};
  const { isTerminal, width, style, showsUnicode } = console.out;
  const hasWidth = isTerminal || Boolean(host.env.COLUMNS);
  return { width: hasWidth ? width : undefined, style, unicode: showsUnicode };
}

/**
 * Whether a card with the figures of what was written is to be shown: to a person at a terminal, of
 * a file.
 */
export function showsCard(
  { console, flags: { json, progress } }: Pick<Context, 'console' | 'flags'>,
  options: OutputFlags,
): boolean {
  if (goesToStdout(options) || json || console.isQuiet || !console.err.isTerminal) return false;
  return progress === 'auto' || progress === 'bar';
}

/** True if the hash of the file is used, by `--json` or the history of its folder. */
function needsHash({ flags }: Pick<Context, 'flags'>, { output = '-' }: OutputFlags): boolean {
  return flags.json === true || hasTimePlaceholder(output);
}

interface TargetOptions {
  /** What the placeholders of `-o` stand for. */
  readonly names: NameValues;

  /** Whether the hash of the file is computed. */
  readonly hashes?: boolean;
}

/**
 * The target that `-o` names. Throws `UsageError`, and `OutputError` for a file that cannot be
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
 * What was written to stdout cannot be taken back: a download that starts again must bring the same
 * bytes.
 */
function stdoutTarget(console: Sink): Target {
  const sink = new ReplaySink(console);
  const output: BegunOutput = {
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

/** A program that shows a file, with what stands before the file's path on its command line. */
interface Opener {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program that `BROWSER` names, else the one that the system has for a file of any kind. */
export function openerOn(platform: NodeJS.Platform, browser: string | undefined): Opener {
  if (browser) return { command: browser, args: [] };
  if (platform === 'darwin') return { command: 'open', args: [] };
  // Not `cmd /c start`: it would run what stands behind an `&` in the name of a file.
  if (platform === 'win32')
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Shows a file to the user, and does not wait until it is closed again. */
export function openFile({ host, console }: Pick<Context, 'host' | 'console'>, file: string): void {
  const { command, args } = openerOn(host.platform, host.env.BROWSER);
  const child = spawn(command, [...args, resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`${file} could not be opened: there is no ${command}.`));
  child.unref();
}
