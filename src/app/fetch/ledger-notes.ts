import type { Context } from '../../context.ts';
import { fetchedStatus, type LedgerChange, type LedgerKey } from '../../report/ledger.ts';
import { requestHash } from '../../report/request/request-body.ts';
import { describeWindow } from '../../report/window/describe-window.ts';
import type { ProfilePlan } from '../plan/plan-report.ts';

/** What commands write into the ledger. With `--local` there is none, and every one of these does nothing. */

/** Notes a report that was just created, so that a run that ends here can be taken up again. */
export async function noteCreated(context: Context, id: string, plan: ProfilePlan): Promise<void> {
  const { profile, request, window } = plan;
  const { since, until } = describeWindow(window);
  const identity = await ledgerIdentity(context, plan);
  (await context.ledger())?.record({ id, ...identity, profile, request, window: { since, until } });
}

/** Whose report it is, and the hash of what was asked for, by which the same request is found again. */
export async function ledgerIdentity(
  context: Context,
  { request }: ProfilePlan,
): Promise<{ baseUrl: string; account: string; hash: string }> {
  const { baseUrl, account, email } = await context.settings();
  const identity = { baseUrl: baseUrl.value?.href ?? '', account: email.value ?? account.value };
  return { ...identity, hash: requestHash({ ...identity, request }) };
}

/** A function to be told each status word of a report, which notes the changes; every report begins as `progress`. */
export async function statusNoter(context: Context, id: string): Promise<(status: string) => void> {
  const [ledger, key] = await Promise.all([context.ledger(), keyOf(context, id)]);
  let last = 'progress';
  return (status) => {
    if (status !== last) ledger?.update(key, { status });
    last = status;
  };
}

/**
 * Notes that a report has been had, so that it is not picked up again.
 *
 * @param file where it was written, as the user named it; `undefined` for stdout, or for nowhere
 */
export async function noteFetched(context: Context, id: string, file: string | undefined): Promise<void> {
  await note(context, id, { status: fetchedStatus, file });
}

/** Notes that the service does not have a report any more. */
export async function noteGone(context: Context, id: string): Promise<void> {
  await note(context, id, { status: 'expired' });
}

async function note(context: Context, id: string, change: LedgerChange): Promise<void> {
  (await context.ledger())?.update(await keyOf(context, id), change);
}

async function keyOf(context: Context, id: string): Promise<LedgerKey> {
  const { baseUrl } = await context.settings();
  return { baseUrl: baseUrl.value?.href ?? '', id };
}
