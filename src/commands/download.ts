import { nameValues } from '../query/file-name.ts';
import { checkFlags } from '../query/flags/check-flags.ts';
import { type DownloadFlags, downloadFlags } from '../query/flags/download-flags.ts';
import { outputFlags } from '../query/flags/output-flags.ts';
import { announce } from '../run/announce.ts';
import { chooseOutputs } from '../run/choose-outputs.ts';
import type { Context } from '../run/context.ts';
import { requestedPart } from '../run/ledger.ts';
import { fetchToOutput } from '../run/report-fetch.ts';
import { findRequested, toolsFor } from '../run/request.ts';
import { idCommand, typedAccountWords, typedWords } from '../run/resume-command.ts';
import { prepareOutput } from '../run/run-report.ts';
import { declareCommand } from './command.ts';
import { expectReportId } from './report-id.ts';

export const downloadCommand = declareCommand({
  name: 'download',
  args: ['<id>'],
  summary: 'download a report that is ready',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the ID of a report'],
    ['adreport download "$id" --wait -o report.csv', 'waits, then writes the file'],
  ],
  flags: downloadFlags,
  async action({ context, options, args: [reportId] }) {
    await download(context, options, expectReportId(reportId));
    return 0;
  },
});

/** Checks a report that this machine created against its request, as in `run`. */
async function download(context: Context, options: DownloadFlags, reportId: string): Promise<void> {
  const outputs = chooseOutputs(context, options);
  const tools = toolsFor(context);
  const entry = await findRequested(tools, reportId);
  const part = entry && requestedPart(entry);
  const account = await context.account.name();
  const names = { ...(part && nameValues(part)), account, id: reportId };
  const { columns = part?.query.columns, strict = part?.query.strict } = options;
  const asked = { ...options, columns, ...(strict && { strict }) };
  const known = { part, query: part?.query, names, outputs };
  const output = await prepareOutput(context, asked, known);
  const requestedMs = entry && Date.parse(entry.at);
  // An unknown report was requested before now.
  const createdMs = requestedMs ?? context.host.wallClock();

  const { platform } = context.host;
  const words = [
    '--wait',
    ...typedWords(checkFlags, options),
    ...typedAccountWords(options),
    ...typedWords(outputFlags, options),
  ];
  const setup = {
    options,
    part,
    named: {
      id: reportId,
      status: 'progress',
      createdMs,
      ...(requestedMs !== undefined && { requestedMs }),
    },
    waits: options.wait === true,
    resumeHint: () => `To resume: ${idCommand('download', reportId, words, platform)}`,
  };
  const written = await fetchToOutput(tools, setup, output);
  await announce(context, written);
}
