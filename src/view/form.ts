import type { Context } from '../context.ts';
import { checkComparable, checkFormat } from '../deliver/deliver.ts';
import { UsageError } from '../errors.ts';
import type { FormatName } from '../formats/index.ts';
import type { ViewOptions } from './view-flags.ts';

/** The form of a view: text for people, the object of `--json`, or a format of `run`. */
export type Form = 'text' | 'document' | FormatName;

/** The number of rows of a preview without `--top`. */
const previewRows = 10;

export function previewRowsOf({ by, chart, top }: ViewOptions, form: Form): number {
  const isPreview = form === 'text' && by === undefined && chart === undefined;
  return isPreview ? (top ?? previewRows) : 0;
}

/** Throws `UsageError` for flags that cannot be combined. */
export function checkView(context: Context, options: ViewOptions, form: Form): void {
  const { by, chart, sort, top, compare } = options;
  const isPreview = previewRowsOf(options, form) > 0;
  const isOrdered = sort !== undefined || (top !== undefined && !isPreview);
  const hasGroups = by !== undefined && chart !== 'line';
  if (isOrdered && !hasGroups) {
    throw new UsageError('--sort and --top need --by.', {
      hint: 'Add --by, for example --by CAMPAIGN. To choose the charted metric, use --metrics.',
    });
  }
  if (form === 'text' || form === 'document') return;
  checkFormat(context, options);
  if (compare) checkComparable(context, options);
}
