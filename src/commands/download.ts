import { commandFor, fixedPeriod, waitingCommand } from '../query/command-for.ts';
import { placeholderValues } from '../query/file-name.ts';
import { type DownloadFlags, downloadFlags } from '../query/flags/download-flags.ts';
import { Announcer } from '../run/announce.ts';
import type { Context } from '../run/context.ts';
import { withNextCommand } from '../run/downloads.ts';
import { chooseOutputs } from '../run/prepare-files.ts';
import { findReport } from '../run/request.ts';
import { runReport } from '../run/run-report.ts';
import { declareCommand } from './command.ts';
import { requireReportId } from './report-id.ts';

export const downloadCommand = declareCommand({
  name: 'download',
  args: ['<id>'],
  summary: 'download a report that is ready',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'request a report and keep its ID'],
    ['adreport download "$id" --wait -o report.csv', 'wait, then write the file'],
  ],
  flags: downloadFlags,
  action: ({ context, options, args: [reportId] }) =>
    download(context, options, requireReportId(reportId)),
});

/** Downloads a report, and checks it against its request if this machine requested it. */
async function download(context: Context, options: DownloadFlags, reportId: string): Promise<void> {
  const outputs = chooseOutputs(context, options);
  const { report: existing, part } = await findReport(context, reportId);
  const query = part?.query;
  const { columns = query?.columns, strict = query?.strict } = options;
  const account = await context.account.name();
  const names = { ...(part && placeholderValues(part)), account, id: reportId };
  const { platform } = context.host;
  const announcer = new Announcer(context);
  try {
    const written = await runReport(context, {
      query,
      part,
      existing,
      shouldWait: options.wait === true,
      options,
      output: { ...options, outputs, names, columns, ...(strict && { strict }) },
    });
    await announcer.add(written);
    announcer.end({ isOneReport: true });
  } catch (error) {
    throw withNextCommand(error, {
      resume: waitingCommand(context.argv, platform),
      again: part && commandFor(part.query, fixedPeriod(part), { platform, flags: options }),
    });
  }
}
