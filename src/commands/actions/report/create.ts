import { createReportFor } from '../../../app/fetch/create-report.ts';
import { announce } from '../../../app/output/announce.ts';
import { prepareDelivery } from '../../../app/output/delivery.ts';
import { printDryRun } from '../../../app/plan/dry-run.ts';
import { resolveNames } from '../../../app/plan/name-filters.ts';
import { planFromFlags, sayNotes } from '../../../app/plan/plan-report.ts';
import { reportNames } from '../../../app/plan/report-names.ts';
import type { Context } from '../../../context.ts';
import { columnsOf } from '../../../contract/columns.ts';
import { UsageError } from '../../../errors.ts';
import { printable } from '../../../text/printable.ts';
import { visibleJson } from '../../../ui/visible-json.ts';
import type { ReportCreateOptions } from '../../report/create.ts';

/** Creates a report and prints its id alone; where the service answers with data, that goes to the output instead. */
export async function createReport(context: Context, flags: ReportCreateOptions): Promise<void> {
  if (flags.output !== undefined && !flags.direct) {
    throw new UsageError('-o needs --direct: report create prints an id, and has no data to write.', {
      hint: 'Use: adreport run … -o FILE',
    });
  }
  // Mistakes are told before the service is asked for names.
  await planFromFlags(context, flags);
  const options = await resolveNames(context, flags);
  const plan = await planFromFlags(context, options);
  sayNotes(context, plan);
  if (options.dryRun) {
    const { output, encoding } = options;
    return printDryRun(context, [{ ...plan, context, encoding, output }]);
  }
  const columns = columnsOf(plan.profile, plan.request);
  const delivery = await prepareDelivery(context, options, { names: reportNames(plan), columns });
  const created = await createReportFor(context, options, plan, delivery.take);
  if (created.kind === 'report') {
    const { id, status } = created;
    return context.console.result(context.flags.json ? visibleJson({ report_id: id, status }) : printable(id));
  }
  if (!options.direct) context.console.note('The service answered with the data at once: there is no report id.');
  await announce(context, created.result);
}
