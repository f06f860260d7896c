import { spawn } from 'node:child_process';
import { basename, resolve } from 'node:path';
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { isFolderRecord } from '../folder/folder-state.ts';
import { printerFor } from '../formats/page-extras.ts';
import type { EncodeOptions, Sink, TableLook } from '../output/encoder.ts';
import { expectValidOnWindows, goesToStdout } from '../output/file/file-name.ts';
import {
  type CompleteFile,
  checkTarget,
  openOutput,
  openStdout,
} from '../output/file/output-file.ts';
import {
  expandName,
  hasTimePlaceholder,
  type NameValues,
  placeholdersOf,
} from '../query/file-name.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import type { FormatName } from '../query/format-names.ts';
import type { DeliveryTools, OutputTools } from './output-tools.ts';

/** Destination and format of a report, decided and checked before anything is requested. */
export interface Delivery {
  readonly format: FormatName;
  readonly target: Target;
  readonly encoding: EncodeOptions;

  /** A card with the metrics is shown to the user. */
  readonly showsCard: boolean;

  /** Totals are printed when there is no card. */
  readonly printsTotals: boolean;

  /** Set by `--open`; the file is opened once it is complete. */
  readonly opensFile: boolean;
}

/** What `-o` names: a file, or stdout. */
export interface Target {
  /** File name as given by the user; `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Starts the output, once per download attempt. Throws `OutputError`. */
  open(reportId?: string): Promise<StartedOutput>;
}

/** Its calls throw `OutputError`. */
interface StartedOutput extends Sink {
  /** Completes the output. */
  finish(): Promise<CompleteFile>;

  /** Moves the finished file into place, or copies it to stdout. */
  place(): Promise<void>;

  /** Discards what was written, unless it is already in place. */
  abort(): Promise<void>;
}

export interface DeliveryOptions {
  readonly output?: string | undefined;
  readonly columns?: readonly string[] | 'all' | undefined;
  readonly normalize?: boolean | undefined;
  readonly excel?: boolean | undefined;
  readonly note?: string | undefined;
  readonly title?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly open?: boolean | undefined;

  /** False to keep a file that exists. */
  readonly clobber?: boolean | undefined;
}

interface DeliveredReport {
  readonly names: NameValues;
  readonly format: FormatName;

  /** Requested columns, if the request is known. */
  readonly columns?: readonly Column[];
}

/**
 * Throws `UsageError` for flags that do not go together, and `OutputError` for a target that cannot
 * be written.
 */
export async function prepareDelivery(
  tools: Pick<DeliveryTools, 'console' | 'host' | 'flags'>,
  options: DeliveryOptions,
  { names, columns, format }: DeliveredReport,
): Promise<Delivery> {
  if (options.open && goesToStdout(options)) {
    const hint = 'Add -o, for example -o report.html.';
    throw new UsageError('--open needs a file, but the output goes to stdout.', { hint });
  }
  const encoding: EncodeOptions = {
    columns,
    selectedColumns: options.columns,
    normalize: options.normalize,
    title: options.title,
    labels: labelsByMetric(options.label),
    excel: options.excel,
    isShown: isShown(tools, options),
    table: tableLook(tools, options),
    note: tools.console.note,
    remark: options.note,
    printer: printerFor(format, tools.host),
  };
  return {
    format,
    target: await openTarget(tools, options, { names, hashes: needsHash(tools, options) }),
    encoding,
    showsCard: showsCard(tools, options),
    printsTotals: !goesToStdout(options) && !tools.flags.json && !tools.console.isQuiet,
    opensFile: options.open === true,
  };
}

/** True for output to a terminal, where control characters must not work. */
export function isShown(
  { console }: Pick<DeliveryTools, 'console'>,
  options: { readonly output?: string | undefined },
): boolean {
  return console.out.isTerminal && goesToStdout(options);
}

/** Sets the width to that of the terminal, to `COLUMNS` in a pipe, or to what a file needs. */
export function tableLook(
  { console, host }: OutputTools,
  options: { readonly output?: string } = {},
): TableLook {
  if (!goesToStdout(options)) return {};
  const { isTerminal, width, style, showsUnicode } = console.out;
  const hasWidth = isTerminal || Boolean(host.env.COLUMNS);
  return { width: hasWidth ? width : undefined, style, unicode: showsUnicode };
}

/** Shows a card for a file, to a user at a terminal. */
function showsCard(
  { console, flags }: Pick<DeliveryTools, 'console' | 'flags'>,
  options: DeliveryOptions,
): boolean {
  return !goesToStdout(options) && !flags.json && !console.isQuiet && console.err.isTerminal;
}

/** Needed for `--json` and the history of a folder. */
function needsHash(
  { flags }: Pick<DeliveryTools, 'flags'>,
  { output = '-' }: DeliveryOptions,
): boolean {
  return flags.json === true || hasTimePlaceholder(output);
}

/**
 * Opens the file or stdout. `names` are the values for the placeholders of `-o`; `hashes` computes
 * the hash of the file. Throws `UsageError`, and `OutputError` if it cannot write or `--no-clobber`
 * keeps the file.
 */
export async function openTarget(
  { console, host }: OutputTools,
  options: DeliveryOptions,
  { names, hashes = false }: { readonly names: NameValues; readonly hashes?: boolean },
): Promise<Target> {
  const { output: template = '-', clobber } = options;
  if (goesToStdout(options)) return { name: () => undefined, open: () => openStdout(console) };

  const name = (id?: string) => expandName(template, id === undefined ? names : { ...names, id });
  const path = (id?: string) => {
    expectValidOnWindows(name(id), host.platform);
    return resolve(host.cwd, name(id));
  };
  const noClobber = !clobber;
  if (isFolderRecord(basename(template))) {
    throw new UsageError(`-o ${template} would replace the record of a folder.`, {
      hint: 'Choose another name.',
    });
  }
  const fileOptions = { host, noClobber, hashes };
  if (!placeholdersOf(template).includes('id')) await checkTarget(path(), fileOptions);
  return { name, open: (id) => openOutput(path(id), fileOptions) };
}

/**
 * Returns the program that opens files, with the arguments that precede the path: the one named by
 * `BROWSER`, otherwise the system's default opener.
 */
export function chooseOpener(
  platform: NodeJS.Platform,
  browser: string | undefined,
): { readonly command: string; readonly args: readonly string[] } {
  if (browser) return { command: browser, args: [] };
  if (platform === 'darwin') return { command: 'open', args: [] };
  // Not `cmd /c start`, which would run anything after an `&` in a file name.
  if (platform === 'win32')
    return { command: 'rundll32.exe', args: ['url.dll,FileProtocolHandler'] };
  return { command: 'xdg-open', args: [] };
}

/** Does not wait for the file to be closed. */
export function openFile(
  { host, console }: Pick<DeliveryTools, 'host' | 'console'>,
  file: string,
): void {
  const { command, args } = chooseOpener(host.platform, host.env.BROWSER);
  const child = spawn(command, [...args, resolve(host.cwd, file)], {
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => console.warn(`Cannot open ${file}: ${command} was not found.`));
  child.unref();
}
