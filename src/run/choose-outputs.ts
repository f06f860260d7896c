import { basename } from 'node:path';
import { UsageError } from '../errors.ts';
import { isFolderRecord } from '../folder/folder-state.ts';
import { printerFor } from '../formats/page-extras.ts';
import { requireFittingFlags } from '../query/check-query.ts';
import type { OutputFlags } from '../query/flags/output-flags.ts';
import { type FormatName, formatFacts } from '../query/format-names.ts';
import { readOutputs } from '../query/outputs.ts';
import type { Output } from '../query/query.ts';
import type { Context } from './context.ts';

/** Output flags of a command; lists have a single `-o`. */
type OutputChoice = Partial<Omit<OutputFlags, 'output'>> & {
  readonly output?: string | readonly string[] | undefined;
};

/** Returns json with `--json`, a table on a terminal, and CSV in a pipe. */
export function stdoutFormat({ console, flags }: Pick<Context, 'console' | 'flags'>): FormatName {
  if (flags.json) return 'json';
  return console.out.isTerminal ? 'table' : 'csv';
}

/**
 * Reads the outputs of a command. Throws `UsageError` as `readOutputs` and `requireTargets` do, and if
 * a flag does not fit the formats.
 */
export function chooseOutputs(
  context: Context,
  options: OutputChoice,
): readonly [Output, ...Output[]] {
  const { output, format } = options;
  const paths = typeof output === 'string' ? [output] : output;
  const outputs = readOutputs(
    { output: paths, format },
    { stdoutFormat: stdoutFormat(context), platform: context.host.platform },
  );
  requireFittingFlags(
    options,
    outputs.map((one) => one.format),
  );
  requireTargets(context, outputs);
  return outputs;
}

/**
 * Throws `UsageError` for a binary format on a terminal, for the record of a folder, and if a browser
 * is missing.
 */
export function requireTargets({ console, host }: Context, outputs: readonly Output[]): void {
  for (const { path, format } of outputs) {
    if (path === '-' && formatFacts[format].isBinary && console.out.isTerminal) {
      throw new UsageError(`${format} is a binary format and cannot be shown on a terminal.`, {
        hint: `Write it to a file: -o report.${format} or > report.${format}.`,
      });
    }
    if (isFolderRecord(basename(path))) {
      throw new UsageError(`-o ${path} would replace the record of a folder.`, {
        hint: 'Choose another name.',
      });
    }
    printerFor(format, host);
  }
}
