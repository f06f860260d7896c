import { UsageError } from '../errors.ts';
import { ColumnPlan } from '../output/columns.ts';
import { formats } from '../output/formats/index.ts';
import type { Part } from '../report/parts.ts';
import { requestFor } from '../report/request.ts';
import { earlierWindow, formatInstant } from '../report/window.ts';
import { readRows } from '../rows/read-rows.ts';
import { rowsOf } from '../rows/row-batch.ts';
import type { Comparison } from '../view/figures.ts';
import { ReportSums } from '../view/report-sums.ts';
import { windowText } from '../view/window-text.ts';
import { chooseFormat, type Delivery, prepareDelivery, showsCard } from './deliver.ts';
import { fetchReport, noteFetched } from './fetch.ts';
import { factsOf, type Job } from './plan.ts';

/**
 * Where a part of a job goes, or without a part the output of all of them; with `--compare` the earlier report is fetched
 * first. Throws as `prepareDelivery`, and `UsageError` for a format that has no place for a change.
 */
export async function prepareOutput(job: Job, part?: Part): Promise<Delivery> {
  const { context, options } = job;
  const facts = factsOf(job, part);
  if (!options.compare) return prepareDelivery(context, options, facts);
  const format = chooseFormat(context, options);
  if (!formats[format].hasPlaceForChanges && !showsCard(context, options)) {
    const hint = 'Write html, xlsx or a table: -o report.html';
    throw new UsageError(
      `--compare shows a change beside each total, which ${format} has no place for.`,
      { hint },
    );
  }
  let comparison: Comparison | undefined;
  const delivery = await prepareDelivery(context, options, {
    ...facts,
    comparison: () => comparison,
  });
  const { window: now } = part ?? job.plan;
  const window = earlierWindow(now, options.compare);
  const earlier = { ...job.plan, window, request: requestFor(job.plan, window) };
  const sums = await fetchReport(context, options, earlier, {
    async take({ body, contentType }, id) {
      const found = new ReportSums();
      const columns = new ColumnPlan({});
      for await (const batch of readRows(body, { contentType })) {
        if (columns.columns.length === 0) columns.follow(batch);
        found.observe(rowsOf(batch), columns.columns, batch.fields);
      }
      if (id !== undefined) await noteFetched(context, id, undefined);
      return found;
    },
  });
  const [one, other] = [now, window].map(({ since, until, zone }) => {
    return windowText({ since: formatInstant(since, zone), until: formatInstant(until, zone) });
  }) as [string, string];
  // A leap day, or an hour that the clocks skip or repeat.
  const hours = [now, window].map(({ since, until }) =>
    Number(((until + 1 - since) / 3600).toFixed(2)),
  );
  const areDays = hours.every((count) => count % 24 === 0);
  const [ofOne, ofOther] = hours.map((count) =>
    areDays ? `${count / 24} days` : `${count} hours`,
  );
  const notice = `The windows are not equally long: ${one} has ${ofOne}, ${other} has ${ofOther}.`;
  comparison = { sums, now: one, before: other, notices: hours[0] === hours[1] ? [] : [notice] };
  return delivery;
}
