import { findIds } from '../client/find-ids.ts';
import { type CheckMessage, RefusedReportError, warningsMessage } from '../errors.ts';
import type { Context } from './context.ts';
import { type PlannedQuery, withQuery } from './plan-run.ts';

/** A report whose filters have ids, and the warnings on the campaign list. */
export interface ReportWithIds extends PlannedQuery {
  readonly earlierWarnings: readonly CheckMessage[];
}

/**
 * Looks up the names in the filters of a report, and prints what they select. Called after all
 * checks, because it calls the service. Throws `UsageError` as `findIds`, and with `--strict`
 * `RefusedReportError` for a list with warnings.
 */
export async function withIds<Planned extends PlannedQuery>(
  { console }: Pick<Context, 'console'>,
  report: Planned,
): Promise<Planned & ReportWithIds> {
  const { account, query: typed } = report;
  const { query, selections, warnings } = await findIds(account.client, typed);
  for (const selection of selections) console.note(selection);
  if (warnings.length > 0 && typed.strict) {
    throw new RefusedReportError(`${warningsMessage(warnings)} No report was requested.`, {
      hint: 'Use IDs instead: --filter campaignId=1234,5678',
    });
  }
  return { ...withQuery(report, query), earlierWarnings: warnings };
}
