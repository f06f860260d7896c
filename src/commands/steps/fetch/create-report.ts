import type { Created, ReportAnswer } from '../../../api/client.ts';
import type { Context } from '../../../context.ts';
import { encodeRequest, requestHash } from '../../../report/request/request-body.ts';
import { describeWindow } from '../../../report/window/describe-window.ts';
import type { ReportFlags } from '../../flags.ts';
import type { ProfilePlan } from '../plan/plan-report.ts';

/** Asks for the report, and notes it in the ledger the moment its id is known. */
export async function createReportFor<T>(
  context: Context,
  flags: ReportFlags,
  plan: ProfilePlan,
  take: (answer: ReportAnswer) => Promise<T>,
): Promise<Created<T>> {
  const client = await context.client();
  const created = await client.createReport(encodeRequest(plan.request, flags.encoding), take);
  if (created.kind === 'report') {
    const { since, until } = describeWindow(plan.window);
    (await context.ledger())?.record({
      id: created.id,
      ...(await ledgerIdentity(context, plan)),
      profile: plan.profile,
      request: plan.request,
      window: { since, until },
    });
  }
  return created;
}

/** Whose report it is and what was asked for, as the ledger keeps it. */
export async function ledgerIdentity(
  context: Context,
  { request }: ProfilePlan,
): Promise<{ baseUrl: string; account: string; hash: string }> {
  const { baseUrl, account, email } = await context.settings();
  const identity = { baseUrl: baseUrl.value?.href ?? '', account: email.value ?? account.value };
  return { ...identity, hash: requestHash({ ...identity, request }) };
}
