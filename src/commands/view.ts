import { formatDocument, formatView } from '../view/model/format-view.ts';
import { writeFiles } from '../view/model/write-files.ts';
import { readView } from '../view/read-view.ts';
import { viewFlags, viewOutputFlags } from '../view/view-flags.ts';
import { chooseForm } from '../view/view-form.ts';
import { declareCommand } from './command.ts';

export const viewCommand = declareCommand({
  name: 'view',
  args: ['<path...>'],
  summary: 'add up, group and chart files you have downloaded',
  examples: [
    ['adreport view week.csv --by CAMPAIGN --top 10', 'top ten campaigns'],
    ['adreport view data --by CAMPAIGN -o page.html', 'a page from a folder'],
  ],
  flags: [viewFlags, viewOutputFlags],
  async action({ context, options, args: [paths] }) {
    const form = chooseForm(context, options);
    const view = await readView(context, options, { paths, form });
    try {
      const text = form === 'text' ? await formatView(context, view) : '';
      if (form === 'document') context.console.write(formatDocument(view));
      else if (form === 'files' || view.rows) await writeFiles(context, view, text);
      else context.console.write(text);
    } finally {
      await view.read.close();
    }
  },
});
