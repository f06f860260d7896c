import { UsageError } from '../errors.ts';
import { requireComparable } from '../query/check-query.ts';
import type { Context } from '../run/context.ts';
import { chooseOutputs } from '../run/prepare-files.ts';
import type { ViewOptions } from './view-flags.ts';

/** Output of `view`: text, the JSON object of `--json`, or files in the formats of `run`. */
export type ViewForm = 'text' | 'document' | 'files';

/** Decides how a view is shown. Throws `UsageError` for flags that cannot be combined. */
export function chooseForm(context: Context, options: ViewOptions): ViewForm {
  const { chart, output = ['-'], compare } = options;
  const isStdout = output.every((path) => path === '-');
  if (context.flags.json && isStdout) {
    requirePlainJson(options);
    return 'document';
  }
  if (chart) return 'text';
  const outputs = chooseOutputs(context, options);
  const isText = outputs[0].format === 'table' && isStdout && compare === undefined;
  if (isText) return 'text';
  if (compare) requireComparable(outputs);
  return 'files';
}

function requirePlainJson({ chart, format, compare }: ViewOptions): void {
  const isOtherFormat = format !== undefined && format !== 'json';
  const other =
    (chart && '--chart') ?? (compare && '--compare') ?? (isOtherFormat && `--format ${format}`);
  if (!other) return;
  throw new UsageError(`--json cannot be used with ${other}.`, {
    hint: `Remove --json or ${other}.`,
  });
}
