import { reportFailed } from '../client/wait.ts';
import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { remoteServiceFlags } from '../query/flags/service-flags.ts';
import { waitFlags } from '../query/flags/wait-flags.ts';
import type { Context } from '../run/context.ts';
import { failedReportError, waitForReport } from '../run/report-fetch.ts';
import { findRequested, type ReportTools, toolsFor, updateLedger } from '../run/request.ts';
import { idCommand, typedAccountWords } from '../run/resume-command.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';
import { expectReportId } from './report-id.ts';

const statusFlags = flagGroup('Flags:', {
  wait: { flags: '--wait', meaning: 'wait until the report is ready' },
});

const flags = [statusFlags, waitFlags, remoteServiceFlags] as const;

export const statusCommand = declareCommand({
  name: 'status',
  args: ['<id>'],
  summary: 'show the status of a report',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the ID of a report'],
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
  const { platform } = context.host;
  const words = ['--wait', ...typedAccountWords(options)];
  const again = idCommand('status', reportId, words, platform);
  const entry = await findRequested(tools, reportId);
  const named = {
    id: reportId,
    status: 'progress',
    createdMs: context.host.wallClock(),
    ...(entry && { requestedMs: Date.parse(entry.at) }),
  };
  const resumeHint = options.wait ? () => `To resume: ${again}` : undefined;
  const setup = { options, named, resumeHint };
  const endMs = context.host.stopwatch() + options.waitTimeout;
  try {
    const record = options.wait
      ? await waitForReport(tools, setup, { report: named, isResumed: false, endMs })
      : await askOnce(tools, reportId);
    const { status: word, message } = record;
    const asJson = visibleJson({ status: word, message, report_id: reportId });
    await context.console.result(context.flags.json ? asJson : printable(word));
    if (outcomeOf(word) === 'failed') throw reportFailed(reportId, record);
  } catch (thrown) {
    throw await failedReportError(tools, setup, { report: named, thrown });
  }
}

/** Also records the status in the ledger. */
async function askOnce(tools: ReportTools, reportId: string): Promise<StatusRecord> {
  const client = await tools.account.client();
  const record = await client.status(reportId);
  if (record.status !== 'progress') await updateLedger(tools, reportId, { status: record.status });
  return record;
}
