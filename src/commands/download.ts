import { announce, checkFormat, prepareDelivery } from '../app/deliver.ts';
import { noteFetched, waitCommand, withResumeHint } from '../app/fetch.ts';
import {
  addOutputFlags,
  addServiceFlags,
  type OutputFlags,
  type ServiceFlags,
} from '../app/flags.ts';
import type { Context } from '../context.ts';
import { type CommandBuilder, declareCommand } from './command.ts';

export const downloadCommand: CommandBuilder = (perform) =>
  addOutputFlags(
    addServiceFlags(
      declareCommand('download <id>', 'fetch the data of a report that is ready', [
        ['id=$(adreport report create --period yesterday)', 'the id of a report'],
        ['adreport status "$id" --wait && adreport download "$id"', 'to the terminal, or the pipe'],
        ['adreport download "$id" -o report.json', 'to a file, in the format of its ending'],
      ]),
    ),
  ).action(perform(download));

/** Fetches the data of a report that is ready. */
async function download(
  context: Context,
  options: ServiceFlags & OutputFlags,
  reportId: string,
): Promise<void> {
  checkFormat(context, options);
  const delivery = await prepareDelivery(context, options, { names: { id: reportId } });
  const client = await context.client();
  const resume = `${waitCommand(reportId, options)}, then the same command again`;
  const delivered = await withResumeHint(context, reportId, resume, () =>
    client.download(reportId, (answer) => delivery.take(answer, reportId)),
  );
  await noteFetched(context, reportId, delivered.told.file);
  await announce(context, delivered);
}
