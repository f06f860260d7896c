import { findIds } from '../client/find-ids.ts';
import type { Context } from './context.ts';
import { type ReportPlan, withRequestQuery } from './plan-run.ts';

/**
 * Looks up the names in the filters of a report, and prints what they select. Called after all
 * checks, because it calls the service. Throws `UsageError` as `findIds`.
 */
export async function withIds({ console }: Context, report: ReportPlan): Promise<ReportPlan> {
  const { query, selections, warnings } = await findIds(report.account.client, report.query);
  for (const selection of selections) console.note(selection);
  for (const { message } of warnings) console.warn(message);
  return withRequestQuery(report, query);
}
