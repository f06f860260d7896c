import { basename, resolve } from 'node:path';
import type { Column } from '../contract/columns.ts';
import { UsageError } from '../errors.ts';
import { isFolderRecord } from '../folder/find-folders.ts';
import { formats } from '../formats/index.ts';
import { findPrinter } from '../formats/page-printer.ts';
import type { EncodeOptions } from '../output/encoder.ts';
import { resolveLinks } from '../output/file/file-name.ts';
import { openTarget, requireDistinctTargets, type Target } from '../output/target.ts';
import { WrittenFile } from '../output/written-file.ts';
import { requireFittingFlags } from '../query/check-query.ts';
import { hasTimePlaceholder, type NameValues } from '../query/file-name.ts';
import type { OutputFlags } from '../query/flags/output-flags.ts';
import { labelsByMetric } from '../query/flags/read-value.ts';
import { type FormatName, formatInfo } from '../query/format-names.ts';
import { parseOutputs } from '../query/outputs.ts';
import type { Output } from '../query/query.ts';
import type { Context } from './context.ts';

/** Returns json with `--json`, a table on a terminal, and CSV in a pipe. */
export function stdoutFormat({ console, flags }: Pick<Context, 'console' | 'flags'>): FormatName {
  if (flags.json) return 'json';
  return console.out.isTerminal ? 'table' : 'csv';
}

/**
 * Reads the outputs of a command. Throws like `parseOutputs` and `requireTargets`, and throws
 * `UsageError` if a flag does not apply to the formats.
 */
export function chooseOutputs(
  context: Context,
  options: Partial<OutputFlags>,
): readonly [Output, ...Output[]] {
  const outputs = parseOutputs(options, stdoutFormat(context));
  requireFittingFlags(
    options,
    outputs.map(({ format }) => format),
  );
  requireTargets(context, outputs);
  return outputs;
}

/**
 * Throws `UsageError` for a binary format on a terminal, for the declaration or history of a
 * folder, and if a required browser is missing.
 */
export function requireTargets({ console, host }: Context, outputs: readonly Output[]): void {
  for (const { path, format } of outputs) {
    if (path === '-' && formatInfo[format].isBinary && console.out.isTerminal) {
      throw new UsageError(`${format} is a binary format and cannot be shown on a terminal.`, {
        hint: `Write it to a file: -o report.${format} or > report.${format}.`,
      });
    }
    const target = path === '-' ? path : resolveLinks(resolve(host.cwd, path));
    if (isFolderRecord(basename(target))) {
      throw new UsageError(`-o ${path} would overwrite the declaration or history of a folder.`, {
        hint: 'Choose another name.',
      });
    }
    findPrinter(format, host);
  }
}

export interface PlannedFile {
  readonly format: FormatName;
  readonly target: Target;
  readonly encoding: EncodeOptions;
}

/** Outputs of a report, and the flags that apply to them. */
export interface ReportOutput extends Partial<Omit<OutputFlags, 'output' | 'format'>> {
  readonly outputs: readonly Output[];

  /** Values for the placeholders of `-o`. */
  readonly names: NameValues;
}

/**
 * Chooses and checks the files of a report, one for each `-o`, before anything is requested. Throws
 * `UsageError` for conflicting flags and duplicate targets, and `OutputError` if a target cannot be
 * written.
 *
 * @param columns requested columns, if the request is known
 */
export async function prepareFiles(
  context: Context,
  options: ReportOutput,
  columns?: readonly Column[],
): Promise<PlannedFile[]> {
  const { console, flags, host } = context;
  const { outputs, names, clobber } = options;
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

  const shared: EncodeOptions = {
    columns,
    selectedColumns: options.columns,
    normalize: options.normalize,
    title: options.title,
    labels: labelsByMetric(options.label),
    excel: options.excel,
    senderNote: options.note,
  };
  const files: PlannedFile[] = [];
  for (const { path, format } of outputs) {
    const computeHash = flags.json === true || hasTimePlaceholder(path);
    const target = await openTarget(
      { host, stdout: console },
      { path, names, clobber, computeHash },
    );
    const isStdout = path === '-';
    const encoding = {
      ...shared,
      isForTerminal: isStdout && console.out.isTerminal,
      table: isStdout ? console.out.look : {},
      printer: findPrinter(format, host),
    };
    files.push({ format, target, encoding });
  }
  requireDistinctTargets(
    files.map(({ target }) => target),
    host.cwd,
  );
  return files;
}

/**
 * Opens a planned file. `encoding` has the options that depend on the report. Throws `OutputError`.
 */
export async function openFile(
  { format, target, encoding }: PlannedFile,
  { reportId, ...ofReport }: EncodeOptions & { readonly reportId?: string | undefined },
): Promise<WrittenFile> {
  const encoder = await formats[format].createEncoder({ ...encoding, ...ofReport });
  const output = await target.open(reportId);
  return new WrittenFile({ name: target.name(reportId), encoder, output });
}
