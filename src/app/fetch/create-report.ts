import type { Created, ReportAnswer } from '../../api/client.ts';
import type { ReportFlags } from '../../commands/flags.ts';
import type { Context } from '../../context.ts';
import { encodeRequest } from '../../report/request/request-body.ts';
import type { ProfilePlan } from '../plan/plan-report.ts';
import { noteCreated } from './ledger-notes.ts';

/**
 * Asks for the report, and notes it in the ledger the moment its id is known. Throws as the client's `createReport`.
 *
 * @param take takes the data, where the service answers with it at once (`decisions.md` 2)
 */
export async function createReportFor<T>(
  context: Context,
  flags: ReportFlags,
  plan: ProfilePlan,
  take: (answer: ReportAnswer) => Promise<T>,
): Promise<Created<T>> {
  const client = await context.client();
  const created = await client.createReport(encodeRequest(plan.request, flags.encoding), take);
  if (created.kind === 'report') await noteCreated(context, created.id, plan);
  return created;
}
