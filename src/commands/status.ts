import { awaitReport, ledgerNote, waitCommand, withResumeHint } from '../app/fetch.ts';
import { addServiceFlags, addWaitFlags, type ServiceFlags, type WaitFlags } from '../app/flags.ts';
import type { Context } from '../context.ts';
import { outcomeOf } from '../contract/messages.ts';
import { reportFailed } from '../report/wait.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export const statusCommand: CommandBuilder = (perform) =>
  addWaitFlags(
    addServiceFlags(
      declareCommand('status <id>', 'how a report stands', [
        ['id=$(adreport report create --period yesterday)', 'the id of a report'],
        ['adreport status "$id"', 'prints progress, ready …'],
        [
          'adreport status "$id" --wait --wait-timeout 10m',
          'until it is ready; exit 7 if it is not by then',
        ],
      ]).option('--wait', 'poll until the report is ready'),
    ),
  ).action(perform(status));

/** Prints a report's status word (or with `--json` its record); a report that has failed is exit 6 besides. */
async function status(
  context: Context,
  options: ServiceFlags & WaitFlags & { readonly wait?: boolean },
  reportId: string,
): Promise<void> {
  const { console, flags } = context;
  const resume = options.wait ? waitCommand(reportId, options) : undefined;
  const record = await withResumeHint(context, reportId, resume, async () => {
    if (options.wait) return awaitReport(context, reportId, options);
    const found = await (await context.client()).status(reportId);
    if (found.status !== 'progress')
      (await ledgerNote(context, reportId))({ status: found.status });
    return found;
  });
  const { status: word, message, report_id } = record;
  await console.result(
    flags.json ? visibleJson({ status: word, message, report_id }) : printable(word),
  );
  if (outcomeOf(word) === 'failed') throw reportFailed(reportId, record);
}
