import { awaitReport } from '../../app/fetch/await-report.ts';
import { statusNoter } from '../../app/fetch/ledger-notes.ts';
import { waitCommand, withResumeHint } from '../../app/fetch/resume.ts';
import type { Context } from '../../context.ts';
import { outcomeOf } from '../../contract/messages.ts';
import { reportFailed } from '../../report/wait.ts';
import { printable } from '../../text/printable.ts';
import { visibleJson } from '../../ui/visible-json.ts';
import type { StatusOptions } from '../status.ts';

/** Prints a report's status word (or with `--json` its record); a report that has failed is exit 6 besides. */
export async function status(context: Context, options: StatusOptions, reportId: string): Promise<void> {
  const { console, flags } = context;
  const client = await context.client();
  const note = await statusNoter(context, reportId);
  const record = await withResumeHint(
    context,
    reportId,
    options.wait ? waitCommand(reportId, options) : undefined,
    () => (options.wait ? awaitReport(context, reportId, options, note) : client.status(reportId)),
  );
  const { status: word, message, report_id } = record;
  note(word);
  await console.result(flags.json ? visibleJson({ status: word, message, report_id }) : printable(word));
  if (outcomeOf(word) === 'failed') throw reportFailed(reportId, record);
}
