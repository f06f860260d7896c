import { noteFetched } from '../../app/fetch/ledger-notes.ts';
import { waitCommand, withResumeHint } from '../../app/fetch/resume.ts';
import { announce } from '../../app/output/announce.ts';
import { prepareDelivery } from '../../app/output/delivery.ts';
import { checkDialect, chooseFormat } from '../../app/output/output-flags.ts';
import type { Context } from '../../context.ts';
import type { DownloadOptions } from '../download.ts';

/** Fetches the data of a report that is ready. */
export async function download(context: Context, options: DownloadOptions, reportId: string): Promise<void> {
  checkDialect(context, options, chooseFormat(context, options));
  const delivery = await prepareDelivery(context, options, { names: { id: reportId } });
  const client = await context.client();
  const resume = `${waitCommand(reportId, options)}, then the same command again`;
  const delivered = await withResumeHint(context, reportId, resume, () =>
    client.download(reportId, (answer) => delivery.take(answer, reportId)),
  );
  await noteFetched(context, reportId, delivered.file);
  await announce(context, delivered);
}
