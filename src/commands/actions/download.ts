import type { Context } from '../../context.ts';
import { fetchedStatus } from '../../report/ledger/ledger-entry.ts';
import type { DownloadOptions } from '../download.ts';
import { withResumeHint } from '../steps/fetch/resume.ts';
import { checkDialect, chooseFormat } from '../steps/output/choose-format.ts';
import { announce, prepareDelivery } from '../steps/output/deliver.ts';

/** Fetches the data of a report that is ready. */
export async function download(context: Context, options: DownloadOptions, reportId: string): Promise<void> {
  checkDialect(context, options, chooseFormat(context, options));
  const delivery = await prepareDelivery(context, options, { names: { id: reportId } });
  const client = await context.client();
  const resume = `adreport status ${reportId} --wait, then the same command again`;
  const delivered = await withResumeHint(context, reportId, resume, () =>
    client.download(reportId, (answer) => delivery.take(answer, reportId)),
  );
  const { baseUrl } = await context.settings();
  const key = { baseUrl: baseUrl.value?.href ?? '', id: reportId };
  (await context.ledger())?.update(key, { status: fetchedStatus, file: delivered.file });
  await announce(context, delivered);
}
