import type { ReportAnswer } from '../api/client.ts';
import { announce } from '../app/announce.ts';
import { checkFormat } from '../app/deliver.ts';
import { flagGroup, type OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { typedAccountFlags, typedCommand, typedFlags } from '../app/flags/typed-command.ts';
import { waitFlags } from '../app/flags/wait-flags.ts';
import { findCreated, noteFetched, toolsFor } from '../app/order.ts';
import { factsOfPlan, type ReportFacts } from '../app/plan.ts';
import { prepareOutput, writingIntake } from '../app/receive.ts';
import { questionOfReport } from '../app/report-question.ts';
import { downloadWhenReady, withResumeHint } from '../app/wait.ts';
import type { Context } from '../context.ts';
import { plannedAgain } from '../report/ledger.ts';
import { declareCommand } from './command.ts';

const downloadFlags = flagGroup('Options:', {
  wait: { flags: '--wait', meaning: 'poll until the report is ready' },
  strict: {
    flags: '--strict',
    meaning: 'end with exit 9 where the report differs from its request, instead of a warning',
  },
});

const flags = [downloadFlags, serviceFlags, outputFlags, waitFlags] as const;

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

/** Fetches the data of a report: one that this machine created is held against its request, as `run` would. */
async function download(
  context: Context,
  options: OptionsOf<typeof flags>,
  reportId: string,
): Promise<void> {
  checkFormat(context, options);
  const tools = toolsFor(context);
  const entry = await findCreated(tools, reportId);
  const plan = entry && plannedAgain(entry);
  const account = await context.account.name();
  const facts: ReportFacts = plan ? factsOfPlan(plan, account) : { names: { account } };
  const names = { ...facts.names, id: reportId };
  const isStrict = options.strict === true || entry?.isStrict === true;
  const output = await prepareOutput(
    context,
    { ...options, strict: isStrict },
    { ...facts, names },
  );
  const question =
    plan && (await questionOfReport(context, { account: tools.account, options, plan }));
  const { take } = writingIntake(context, tools, { ...output, question });
  const client = await context.client();
  // A report that this machine does not know was created before this.
  const createdMs = entry ? Date.parse(entry.createdAt) : context.host.wallClock();

  const typedAgain = typedCommand('download', reportId, [
    '--wait',
    ...(options.strict ? ['--strict'] : []),
    ...typedAccountFlags(options),
    ...typedFlags(outputFlags, options),
  ]);
  const resume = `Go on with: ${typedAgain}`;
  const takeReport = (answer: ReportAnswer) => take(answer, { id: reportId, createdMs });
  const written = await withResumeHint(tools, { reportId, resume }, () => {
    if (!options.wait) return client.download(reportId, takeReport);
    return downloadWhenReady(tools, { reportId, flags: options }, takeReport);
  });
  await noteFetched(tools, reportId, written.file);
  await announce(context, written);
}
