import { UsageError } from '../errors.ts';
import { requireComparable } from '../query/check-query.ts';
import type { FormatName } from '../query/format-names.ts';
import type { Context } from '../run/context.ts';
import { chooseOutputs } from '../run/prepare-files.ts';
import type { ViewOptions } from './view-flags.ts';

/** What `view` writes: text, the object of `--json`, or files in formats of `run`. */
export type ViewForm = 'text' | 'document' | 'files';

/** Decides how a view is shown. Throws `UsageError` for flags that cannot be combined. */
export function chooseForm(context: Context, options: ViewOptions): ViewForm {
  const { chart, format, output = ['-'], compare } = options;
  const isStdout = output.every((path) => path === '-');
  if (context.flags.json && isStdout) {
    requirePlainJson(chart, format);
    return 'document';
  }
  if (chart) return 'text';
  const outputs = chooseOutputs(context, options);
  const isText = outputs[0].format === 'table' && isStdout && compare === undefined;
  if (isText) return 'text';
  if (compare) requireComparable(outputs);
  return 'files';
}

function requirePlainJson(chart: string | undefined, format: FormatName | undefined): void {
  if (chart === undefined && (format ?? 'json') === 'json') return;
  const other = chart === undefined ? `--format ${format}` : '--chart';
  throw new UsageError(`--json cannot be used with ${other}.`, {
    hint: `Remove --json or ${other}.`,
  });
}
