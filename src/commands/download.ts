import { announce } from '../app/announce.ts';
import { checkFormat } from '../app/deliver.ts';
import type { OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { typedWaitCommand } from '../app/flags/typed-command.ts';
import { noteFetched, toolsFor } from '../app/order.ts';
import { prepareOutput, writingIntake } from '../app/receive.ts';
import { withResumeHint } from '../app/wait.ts';
import type { Context } from '../context.ts';
import { declareCommand } from './command.ts';

const flags = [serviceFlags, outputFlags] as const;

export const downloadCommand = declareCommand({
  name: 'download',
  args: ['<id>'],
  summary: 'fetch the data of a report that is ready',
  examples: [
    ['id=$(adreport report create --period yesterday)', 'the id of a report'],
    ['adreport status "$id" --wait && adreport download "$id"', 'to the terminal, or the pipe'],
    ['adreport download "$id" -o report.json', 'to a file, in the format of its ending'],
  ],
  flags,
  async action({ context, options, args: [reportId] }) {
    await download(context, options, reportId);
    return 0;
  },
});

/** Fetches the data of a report that is ready. */
async function download(
  context: Context,
  options: OptionsOf<typeof flags>,
  reportId: string,
): Promise<void> {
  checkFormat(context, options);
  const output = await prepareOutput(context, options, {
    names: { id: reportId, account: await context.account.name() },
  });
  const tools = toolsFor(context);
  const intake = writingIntake(context, tools, output);
  const client = await context.client();
  // The report was created before this.
  const createdMs = context.host.wallClock();

  const resume = `${typedWaitCommand(reportId, options)}, then the same command again`;
  const written = await withResumeHint(tools, { reportId, resume }, () =>
    client.download(reportId, (answer) => intake.take(answer, { id: reportId, createdMs })),
  );
  await noteFetched(tools, reportId, written.file);
  await announce(context, written);
}
