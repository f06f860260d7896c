import type { Context } from '../context.ts';
import { commandFor, typedAccountFlags, typedFlags } from '../query/command-line.ts';
import { checkFlags } from '../query/flags/check-flags.ts';
import { type DownloadFlags, downloadFlags } from '../query/flags/download-flags.ts';
import { outputFlags } from '../query/flags/output-flags.ts';
import { checkFormat } from '../query/format-choice.ts';
import { checksOf } from '../query/job-options.ts';
import { outputOf, type ReportOutput } from '../query/plan.ts';
import { announce } from '../run/announce.ts';
import { planEntry } from '../run/ledger.ts';
import { fetchToOutput } from '../run/report-fetch.ts';
import { findRequested, toolsFor } from '../run/request.ts';
import { prepareOutput } from '../run/write-report.ts';
import { declareCommand } from './command.ts';
import { expectReportId } from './report-id.ts';

export const downloadCommand = declareCommand({
  name: 'download',
  args: ['<id>'],
  summary: 'download a report that is ready',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the ID of a report'],
    ['adreport download "$id" --wait', 'to the terminal or a pipe'],
    ['adreport download "$id" -o report.json', 'to a file, in the format of its extension'],
  ],
  flags: downloadFlags,
  async action({ context, options, args: [reportId] }) {
    await download(context, options, expectReportId(reportId));
    return 0;
  },
});

/** Checks a report that this machine created against its request, as in `run`. */
async function download(context: Context, options: DownloadFlags, reportId: string): Promise<void> {
  checkFormat(context, options);
  const tools = toolsFor(context);
  const entry = await findRequested(tools, reportId);
  const noted = entry && (await planEntry(entry));
  const accountName = await context.account.name();
  const known: ReportOutput = noted
    ? outputOf({ plan: noted.plan, accountName, options: {} })
    : { names: { account: accountName } };
  const names = { ...known.names, id: reportId };
  const { columns = noted?.spec.request.columns } = options;
  const checks = noted ? checksOf(noted.spec) : {};
  const asked = { ...checks, ...options, ...(columns && { columns }) };
  const output = await prepareOutput(context, asked, { ...known, names });
  const requestedMs = entry && Date.parse(entry.at);
  // An unknown report was requested before now.
  const createdMs = requestedMs ?? context.host.wallClock();

  const { platform } = context.host;
  const words = [
    '--wait',
    ...typedFlags(checkFlags, options, platform),
    ...typedAccountFlags(options, platform),
    ...typedFlags(outputFlags, options, platform),
  ];
  const setup = {
    options,
    expectation: output.expectation,
    named: {
      id: reportId,
      status: 'progress',
      createdMs,
      ...(requestedMs !== undefined && { requestedMs }),
    },
    waits: options.wait === true,
    resumeHint: () => `To resume: ${commandFor('download', reportId, { words, platform })}`,
  };
  const written = await fetchToOutput(tools, setup, { ...output, spec: noted?.spec });
  await announce(context, written);
}
