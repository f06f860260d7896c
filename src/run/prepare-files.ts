import { basename, resolve } from 'node:path';
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { isFolderRecord } from '../folder/folder-state.ts';
import { formats } from '../formats/index.ts';
import { printerFor } from '../formats/page-extras.ts';
import type { EncodeOptions, TableLook } from '../output/encoder.ts';
import { pathKey, requireValidOnWindows } from '../output/file/file-name.ts';
import {
  checkTarget,
  type OutputFile,
  openOutput,
  openStdout,
} from '../output/file/output-file.ts';
import { WrittenFile } from '../output/written-file.ts';
import {
  expandName,
  hasTimePlaceholder,
  listPlaceholders,
  type NameValues,
} from '../query/file-name.ts';
import type { OutputFlags } from '../query/flags/output-flags.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import type { FormatName } from '../query/format-names.ts';
import type { Output } from '../query/query.ts';
import type { Context } from './context.ts';

/** The files of a report, decided and checked before anything is requested. */
export interface PlannedFiles {
  /** One for each `-o`; never empty. */
  readonly files: readonly PlannedFile[];

  /** A card with the metrics is shown to the user. */
  readonly showsCard: boolean;

  /** Totals are printed when there is no card. */
  readonly printsTotals: boolean;

  /** Set by `--open`; the files are opened once they are complete. */
  readonly opensFiles: boolean;
}

/** A file before its rows arrive. */
export interface PlannedFile {
  readonly format: FormatName;
  readonly target: Target;
  readonly encoding: EncodeOptions;
}

/** What `-o` names: a file, or stdout. */
export interface Target {
  /** File name as given by the user; `undefined` for stdout. */
  name(reportId?: string): string | undefined;

  /** Starts the output, once per download attempt. Throws `OutputError`. */
  open(reportId?: string): Promise<OutputFile>;
}

/** Flags on files, other than those that name them. */
export type FileOptions = Partial<Omit<OutputFlags, 'output' | 'format'>>;

interface FilesOfReport {
  readonly outputs: readonly Output[];

  /** Values for the placeholders of `-o`. */
  readonly names: NameValues;

  /** Requested columns, if the request is known. */
  readonly columns?: readonly Column[];
}

/**
 * Throws `UsageError` for flags that do not go together and for the same target twice, and
 * `OutputError` for a target that cannot be written.
 */
export async function prepareFiles(
  context: Context,
  options: FileOptions,
  { outputs, names, columns }: FilesOfReport,
): Promise<PlannedFiles> {
  const { console, flags, host } = context;
  const hasFile = outputs.some(({ path }) => path !== '-');
  const hasStdout = outputs.some(({ path }) => path === '-');
  if (options.open && !hasFile) {
    const hint = 'Add -o, for example -o report.html.';
    throw new UsageError('--open needs a file, but the output goes to stdout.', { hint });
  }
  if (flags.json && hasFile && hasStdout) {
    throw new UsageError('--json prints a line for each file, but -o - prints the report.', {
      hint: 'Remove --json or -o -.',
    });
  }

  const printed = new Set<string>();
  const shared: EncodeOptions = {
    columns,
    selectedColumns: options.columns,
    normalize: options.normalize,
    title: options.title,
    labels: labelsByMetric(options.label),
    excel: options.excel,
    remark: options.note,
    note(sentence) {
      // Files with the same rows have the same notes.
      if (!printed.has(sentence)) console.note(sentence);
      printed.add(sentence);
    },
  };
  const files: PlannedFile[] = [];
  for (const { path, format } of outputs) {
    const hashes = flags.json === true || hasTimePlaceholder(path);
    files.push({
      format,
      target: await openTarget(context, { path, clobber: options.clobber }, { names, hashes }),
      encoding: {
        ...shared,
        isShown: isShown(context, path),
        table: tableLook(context, path),
        printer: printerFor(format, host),
      },
    });
  }
  requireDistinctTargets(context, files);

  const printsTotals = hasFile && !flags.json && !console.isQuiet;
  return {
    files,
    showsCard: printsTotals && console.err.isTerminal,
    printsTotals,
    opensFiles: options.open === true,
  };
}

const stdoutNames = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

/** Throws `UsageError` if two names mean the same target: `a.csv` and `./a.csv`. */
function requireDistinctTargets({ host }: Context, files: readonly PlannedFile[]): void {
  const keys = new Set<string>();
  for (const { target } of files) {
    const name = target.name('{id}') ?? '-';
    const key = stdoutNames.includes(name) ? '-' : pathKey(resolve(host.cwd, name));
    if (keys.has(key)) {
      throw new UsageError(`-o ${name} is given twice.`, {
        about: { flag: '--output' },
        hint: 'Use a different name for each file.',
      });
    }
    keys.add(key);
  }
}

/** Opens a planned file. `encoding` has what depends on the report. Throws `OutputError`. */
export async function openFile(
  { format, target, encoding }: PlannedFile,
  { reportId, ...ofReport }: EncodeOptions & { readonly reportId?: string | undefined },
): Promise<WrittenFile> {
  const encoder = await formats[format].createEncoder({ ...encoding, ...ofReport });
  const output = await target.open(reportId);
  return new WrittenFile({ name: target.name(reportId), encoder, output });
}

/** True for output to a terminal, where control characters must not work. */
export function isShown({ console }: Pick<Context, 'console'>, path: string): boolean {
  return console.out.isTerminal && path === '-';
}

/** Sets the width to that of the terminal, to `COLUMNS` in a pipe, or to what a file needs. */
export function tableLook({ console, host }: Context, path = '-'): TableLook {
  if (path !== '-') return {};
  const { isTerminal, width, style, showsUnicode } = console.out;
  const hasWidth = isTerminal || Boolean(host.env.COLUMNS);
  return { width: hasWidth ? width : undefined, style, unicode: showsUnicode };
}

interface TargetOptions {
  /** Value of `-o`. */
  readonly path: string;

  /** False to keep a file that exists. */
  readonly clobber?: boolean | undefined;
}

/**
 * Checks the file or stdout. `names` are the values for the placeholders of `-o`; `hashes` computes
 * the hash of the file. Throws `UsageError`, and `OutputError` if it cannot write or `--no-clobber`
 * keeps the file.
 */
export async function openTarget(
  { console, host }: Context,
  { path: template, clobber }: TargetOptions,
  { names, hashes = false }: { readonly names: NameValues; readonly hashes?: boolean },
): Promise<Target> {
  if (template === '-') return { name: () => undefined, open: () => openStdout(console) };

  const name = (id?: string) => expandName(template, id === undefined ? names : { ...names, id });
  const path = (id?: string) => {
    requireValidOnWindows(name(id), host.platform);
    return resolve(host.cwd, name(id));
  };
  const noClobber = !clobber;
  if (isFolderRecord(basename(template))) {
    throw new UsageError(`-o ${template} would replace the record of a folder.`, {
      hint: 'Choose another name.',
    });
  }
  const fileOptions = { host, noClobber, hashes };
  if (!listPlaceholders(template).includes('id')) await checkTarget(path(), fileOptions);
  return { name, open: (id) => openOutput(path(id), fileOptions) };
}
