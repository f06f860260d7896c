import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { type Delivery, prepareDelivery } from '../deliver/deliver.ts';
import { writeOutput } from '../deliver/write-output.ts';
import { UsageError } from '../errors.ts';
import type { Comparison } from '../figures/figures.ts';
import { formats } from '../formats/index.ts';
import { diskKey } from '../output/file/file-name.ts';
import { formatDate } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { breakdownNames, columnsOfAnswer, hasUnevenRows } from './answer.ts';
import { answerOf, keysOf } from './answer-of-view.ts';
import { rowsOfAnswer } from './answer-rows.ts';
import { watcherOf } from './judge-answer.ts';
import { provenanceOf } from './origin.ts';
import { columnFigures } from './shown-figures.ts';
import type { View } from './view.ts';

/** A view that was written. */
export type WrittenView = Awaited<ReturnType<typeof writeOutput>> & {
  readonly comparison: Comparison | undefined;
};

/** Settles the output of a view. Throws as `prepareDelivery`. */
export async function prepareViewOutput(context: Context, view: View): Promise<Delivery> {
  const { options, sources, groups } = view;
  const by = options.by ?? [];
  const isUneven = hasUnevenRows(groups);
  const columns = columnsOfAnswer({
    by,
    keys: keysOf(view),
    figures: columnFigures(view),
    isUneven,
  });
  const { window } = sources;
  const days = window && {
    since: formatDate(window.since, window.zone),
    until: formatDate(window.until, window.zone),
  };
  const report = breakdownNames(by).join('-').toLowerCase() || 'total';
  const profile = sources.spec?.request.profile;
  const names = {
    report,
    ...(profile && { profile }),
    ...(days && { ...days, date: days.since }),
  };
  const selected = isUneven ? columns.map(({ field }) => field) : undefined;
  const given = { ...options, columns: options.columns ?? selected };
  const delivery = await prepareDelivery(context, given, { names, columns });
  expectNoSource(context, view, delivery);
  return delivery;
}

/** Throws `UsageError` for an output that would replace a file it is made from. */
function expectNoSource({ host }: Context, { sources }: View, { target }: Delivery): void {
  const name = target.name();
  if (name === undefined) return;
  const key = diskKey(resolve(host.cwd, name));
  const source = sources.files.find(({ path }) => path !== '-' && diskKey(path) === key);
  if (!source) return;
  throw new UsageError(`-o ${printable(name)} would replace a file that is shown.`, {
    about: { flag: '--output' },
    hint: 'Choose another name.',
  });
}

/** Writes a view in a format of `run`, on stdout or to a file. */
export async function writeView(
  context: Context,
  view: View,
  delivery: Delivery,
): Promise<WrittenView> {
  const { answer, comparison } = await answerOf(view);
  const { format } = delivery;
  if (answer.isUneven && formats[format].isServiceDocument !== true) noteUneven(context, view);
  const withOthers = formats[format].showsChanges === true && format !== 'xlsx';
  const output = await writeOutput(context, delivery, {
    batches: rowsOfAnswer(answer, withOthers),
    encoding: { ...(comparison && { comparison }), provenance: provenanceOf(view) },
    watcher: watcherOf(context, view, answer),
  });
  const own = new Set([...view.warnings, ...view.notes]);
  for (const { message, brief = message } of output.rows.judgement.notes) {
    if (!own.has(message) && brief !== '') context.console.note(`Note: ${brief}`);
  }
  return { ...output, comparison };
}

function noteUneven({ console }: Context, { figures, options }: View): void {
  const rates = figures.filter(({ derived }) => derived);
  if (options.metrics !== undefined || rates.length === 0) return;
  console.note('Note: Some rows have clicks or revenue without displays: rates are left out.');
}
