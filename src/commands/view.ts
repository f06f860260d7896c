import { closeRows } from '../view/groups/group-files.ts';
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
      if (form === 'text') context.console.write(await formatView(context, view));
      else if (form === 'document') context.console.write(formatDocument(view));
      else await writeFiles(context, view);
    } finally {
      await closeRows(view.read);
    }
    return 0;
  },
});
