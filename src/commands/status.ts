import { reportFailed } from '../api/poll.ts';
import type { Context } from '../context.ts';
import { outcomeOf } from '../contract/messages.ts';
import { noteAcceptedJson, noteReport, toolsFor } from '../fetch/order.ts';
import { awaitReport, withResumeHint } from '../fetch/wait.ts';
import { commandFor, typedAccountFlags } from '../plan/command-line.ts';
import { flagGroup, type OptionsOf } from '../plan/flags/flag.ts';
import { serviceFlags } from '../plan/flags/service-flags.ts';
import { waitFlags } from '../plan/flags/wait-flags.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';
import { expectReportId } from './report-id.ts';

const statusFlags = flagGroup('Options:', {
  wait: { flags: '--wait', meaning: 'wait until the report is ready' },
});

const flags = [statusFlags, waitFlags, serviceFlags] as const;

export const statusCommand = declareCommand({
  name: 'status',
  args: ['<id>'],
  summary: 'show the status of a report',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the id of a report'],
    ['adreport status "$id"', 'prints progress, ready …'],
    [
      'adreport status "$id" --wait --wait-timeout 10m',
      'waits until it is ready; exits with 7 after ten minutes',
    ],
  ],
  flags,
  async action({ context, options, args: [reportId] }) {
    await status(context, options, expectReportId(reportId));
    return 0;
  },
});

/** Prints the status of a report, or with `--json` its record. A failed report is exit 6. */
async function status(
  context: Context,
  options: OptionsOf<typeof flags>,
  reportId: string,
): Promise<void> {
  const tools = toolsFor(context);
  await noteAcceptedJson(tools, reportId);
  const { platform } = context.host;
  const words = ['--wait', ...typedAccountFlags(options, platform)];
  const again = commandFor('status', reportId, { words, platform });
  const resume = options.wait ? `To resume: ${again}` : undefined;

  const record = await withResumeHint(tools, { reportId, resume }, async () => {
    if (options.wait) return awaitReport(tools, reportId, options);
    const answer = await (await context.account.client()).status(reportId);
    if (answer.status !== 'progress') await noteReport(tools, reportId, { status: answer.status });
    return answer;
  });

  const { status: word, message, report_id } = record;
  const asJson = visibleJson({ status: word, message, report_id });
  await context.console.result(context.flags.json ? asJson : printable(word));
  if (outcomeOf(word) === 'failed') throw reportFailed(reportId, record);
}
