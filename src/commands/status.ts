import { reportFailedError } from '../client/wait.ts';
import { outcomeOf, type StatusRecord } from '../contract/messages.ts';
import { commandFor, fixedPeriod, waitingCommand } from '../query/command-for.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { remoteServiceFlags } from '../query/flags/service-flags.ts';
import { waitFlags } from '../query/flags/wait-flags.ts';
import type { Context } from '../run/context.ts';
import { withNextCommand } from '../run/downloads.ts';
import { recordFailure, waitForReport } from '../run/report-source.ts';
import { findReport, updateLedger } from '../run/request.ts';
import { printable, visibleJson } from '../text/printable.ts';
import { declareCommand } from './command.ts';
import { requireReportId } from './report-id.ts';

const statusFlags = flagGroup('Flags:', {
  wait: { flags: '--wait', meaning: 'wait until the report is ready' },
});

const flags = [statusFlags, waitFlags, remoteServiceFlags] as const;

export const statusCommand = declareCommand({
  name: 'status',
  args: ['<id>'],
  summary: 'show the status of a report',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'request a report and keep its ID'],
    [
      'adreport status "$id" --wait --wait-timeout 10m',
      'wait until it is ready; exit with 7 after ten minutes',
    ],
  ],
  flags,
  action: ({ context, options, args: [reportId] }) =>
    status(context, options, requireReportId(reportId)),
});

/**
 * Prints the status of a report, or the whole record with `--json`. Returns exit code 6 if the
 * report failed.
 */
async function status(
  context: Context,
  options: OptionsOf<typeof flags>,
  reportId: string,
): Promise<void> {
  const { console, host } = context;
  const { report, part } = await findReport(context, reportId);
  const endMs = host.stopwatch() + options.waitTimeout;
  try {
    const requested = { report, isNew: false, endMs };
    const record = options.wait
      ? await waitForReport(context, requested, options)
      : await callStatus(context, reportId);
    const { status: word, message } = record;
    const asJson = visibleJson({ status: word, message, report_id: reportId });
    await console.result(context.flags.json ? asJson : printable(word));
    if (outcomeOf(word) === 'failed') throw reportFailedError(reportId, record);
  } catch (thrown) {
    const { platform } = host;
    const error = await recordFailure(context, reportId, thrown);
    throw withNextCommand(error, {
      resume: options.wait ? waitingCommand(context.argv, platform) : undefined,
      again: part && commandFor(part.query, fixedPeriod(part), { platform, flags: options }),
    });
  }
}

/** Makes one status call and records the status. */
async function callStatus(context: Context, reportId: string): Promise<StatusRecord> {
  const client = await context.account.client();
  const record = await client.status(reportId);
  if (record.status !== 'progress') {
    await updateLedger(context, reportId, { status: record.status });
  }
  return record;
}
