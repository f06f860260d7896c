import { UsageError } from '../errors.ts';
import { expectComparable } from '../query/check-query.ts';
import type { FormatName } from '../query/format-names.ts';
import { chooseOutputs } from '../run/choose-outputs.ts';
import type { Context } from '../run/context.ts';
import type { RowChoice } from './rows/kept-rows.ts';
import type { ViewOptions } from './view-flags.ts';

/** Text for people, the object of `--json`, or a format of `run`. */
export type OutputKind = 'text' | 'document' | FormatName;

/** Rows on a terminal without `--top`. */
const usualRows = 10;

/** Returns `undefined` if groups or sums are shown instead of rows. */
export function chooseRows(
  { by, chart, format, top, sort }: ViewOptions,
  form: OutputKind,
): RowChoice | undefined {
  if (by !== undefined || chart !== undefined || form === 'document') return undefined;
  const all = format === undefined ? usualRows : Number.POSITIVE_INFINITY;
  return { sort, top: form === 'text' ? (top ?? all) : top };
}

/** Throws `UsageError` for flags that cannot be combined. */
export function checkView(tools: Context, options: ViewOptions, form: OutputKind): void {
  const { by, chart, sort, top, compare } = options;
  const isOrdered = sort !== undefined || top !== undefined;
  if (isOrdered && chart !== undefined && by === undefined) {
    throw new UsageError('--sort and --top need --by in a chart.', {
      hint: 'Add --by, for example --by CAMPAIGN. To choose the charted metric, use --metrics.',
    });
  }
  if (form === 'text' || form === 'document') return;
  const outputs = chooseOutputs(tools, options);
  if (compare) expectComparable(outputs);
}
