import { announce, checkFormat, prepareDelivery } from '../app/deliver.ts';
import { noteFetched, withResumeHint } from '../app/fetch.ts';
import type { OptionsOf } from '../app/flags/flag.ts';
import { outputFlags } from '../app/flags/output-flags.ts';
import { serviceFlags } from '../app/flags/service-flags.ts';
import { typedWaitCommand } from '../app/flags/typed-command.ts';
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
  const delivery = await prepareDelivery(context, options, { names: { id: reportId } });
  const client = await context.client();
  const resume = `${typedWaitCommand(reportId, options)}, then the same command again`;
  const delivered = await withResumeHint(context, reportId, resume, () =>
    client.download(reportId, (answer) => delivery.take(answer, reportId)),
  );
  await noteFetched(context, reportId, delivered.told.file);
  await announce(context, delivered);
}
