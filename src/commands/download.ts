import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import { checkFormat } from '../deliver/deliver.ts';
import { announce } from '../fetch/announce.ts';
import { findCreated, noteFetched, otherRequestsOf, toolsFor } from '../fetch/order.ts';
import { writingIntake } from '../fetch/receive.ts';
import { downloadWhenReady, withResumeHint } from '../fetch/wait.ts';
import { prepareOutput } from '../fetch/write-report.ts';
import { flagGroup, type OptionsOf } from '../plan/flags/flag.ts';
import { outputFlags } from '../plan/flags/output-flags.ts';
import { serviceFlags } from '../plan/flags/service-flags.ts';
import { typedAccountFlags, typedCommand, typedFlags } from '../plan/flags/typed-command.ts';
import { waitFlags } from '../plan/flags/wait-flags.ts';
import { outputOf, type ReportOutput } from '../plan/plan.ts';
import { questionOfReport } from '../plan/question.ts';
import { plannedAgain } from '../report/ledger.ts';
import { declareCommand } from './command.ts';

const downloadFlags = flagGroup('Options:', {
  wait: { flags: '--wait', meaning: 'poll until the report is ready' },
  strict: {
    flags: '--strict',
    meaning: 'end with exit 9, without a file, where the report has a finding instead of a warning',
  },
});

const flags = [downloadFlags, outputFlags, waitFlags, serviceFlags] as const;

export const downloadCommand = declareCommand({
  name: 'download',
  args: ['<id>'],
  summary: 'fetch the data of a report that is ready',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the id of a report'],
    ['adreport download "$id" --wait', 'to the terminal, or the pipe'],
    ['adreport download "$id" -o report.json', 'to a file, in the format of its ending'],
  ],
  flags,
  async action({ context, options, args: [reportId] }) {
    await download(context, options, reportId);
    return 0;
  },
});

/**
 * Fetches the data of a report: one that this machine created is held against its request, as `run`
 * would.
 */
async function download(
  context: Context,
  options: OptionsOf<typeof flags>,
  reportId: string,
): Promise<void> {
  checkFormat(context, options);
  const tools = toolsFor(context);
  const entry = await findCreated(tools, reportId);
  const plan = entry && plannedAgain(entry);
  const accountName = await context.account.name();
  const known: ReportOutput = plan
    ? outputOf({ plan, accountName, options: {} })
    : { names: { account: accountName } };
  const names = { ...known.names, id: reportId };
  const isStrict = options.strict === true || entry?.isStrict === true;
  const output = await prepareOutput(
    context,
    { ...options, strict: isStrict },
    { ...known, names },
  );
  const question =
    plan && (await questionOfReport(context, { account: tools.account, options, plan }));
  const { take } = writingIntake(tools, { ...output, question });
  const client = await context.account.client();
  // A report that this machine does not know was created before this.
  const createdMs = entry ? Date.parse(entry.createdAt) : context.host.wallClock();

  const typedAgain = typedCommand('download', reportId, [
    '--wait',
    ...(options.strict ? ['--strict'] : []),
    ...typedAccountFlags(options),
    ...typedFlags(outputFlags, options),
  ]);
  const resume = `Go on with: ${typedAgain}`;
  const isOfOtherRequest = entry && (await otherRequestsOf(tools, entry));
  const takeReport = (answer: ReportAnswer, records: readonly unknown[] = []) =>
    take(answer, { id: reportId, createdMs, records, isOfOtherRequest });
  const written = await withResumeHint(tools, { reportId, resume }, () => {
    if (!options.wait) return client.download(reportId, (answer) => takeReport(answer));
    return downloadWhenReady(tools, { reportId, options }, takeReport);
  });
  await noteFetched(tools, reportId, written.file);
  await announce(context, written);
}
