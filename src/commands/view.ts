import { UsageError } from '../errors.ts';
import { chooseOutputs } from '../run/choose-outputs.ts';
import type { Context } from '../run/context.ts';
import { groupsAnswer } from '../view/answer/groups-answer.ts';
import { rowsAnswer } from '../view/answer/rows-answer.ts';
import { announceView } from '../view/output/announce-view.ts';
import { documentOf, viewText } from '../view/output/view-text.ts';
import { prepareViewOutput, writeView } from '../view/output/write-view.ts';
import { checkView, type OutputKind } from '../view/output-kind.ts';
import { readView } from '../view/read-view.ts';
import { closeRows } from '../view/rows/collect.ts';
import type { View } from '../view/view.ts';
import { type ViewOptions, viewFlags, viewOutputFlags } from '../view/view-flags.ts';
import { declareCommand } from './command.ts';

export const viewCommand = declareCommand({
  name: 'view',
  args: ['<path...>'],
  summary: 'add up, group and chart files you have downloaded',
  examples: [
    ['adreport view week.csv --by CAMPAIGN --top 10', 'best ten campaigns'],
    ['adreport view data --by CAMPAIGN -o page.html', 'a page made from a folder'],
  ],
  flags: [viewFlags, viewOutputFlags],
  async action({ context, options, args: [paths] }) {
    const form = chooseForm(context, options);
    checkView(context, options, form);
    const view = await readView(context, options, { paths, form });
    try {
      await showView(context, view, form);
    } finally {
      await closeRows(view.collected);
    }
    return 0;
  },
});

async function showView(context: Context, view: View, form: OutputKind): Promise<void> {
  if (form === 'text') return context.console.write(viewText(context, view));
  if (form === 'document') return context.console.write(documentOf(view));

  const answer = view.rows ? rowsAnswer(view, view.rows) : groupsAnswer(view);
  const planned = await prepareViewOutput(context, view, answer);
  const written = await writeView(context, { view, answer, planned });
  await announceView(context, view, { written, planned });
}

/** Chooses text on a terminal, one object with `--json`, otherwise a format of `run`. */
function chooseForm(context: Context, options: ViewOptions): OutputKind {
  const { chart, format, output = ['-'], compare } = options;
  const isStdout = output.every((path) => path === '-');
  if (context.flags.json && isStdout) {
    if (chart === undefined && (format ?? 'json') === 'json') return 'document';
    const other = chart === undefined ? `--format ${format}` : '--chart';
    throw new UsageError(`--json cannot be used with ${other}.`, {
      hint: `Remove --json or ${other}.`,
    });
  }

  if (chart) return 'text';
  const [{ format: chosen }] = chooseOutputs(context, options);
  const isText = chosen === 'table' && isStdout && compare === undefined;
  return isText ? 'text' : chosen;
}
