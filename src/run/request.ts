import type { ServiceAccount } from '../account/account.ts';
import type { Settings } from '../account/resolve.ts';
import { chooseAccountName, identityOf, storeCommand } from '../account/sign-in.ts';
import { type RequestedReport, requestReport } from '../client/request.ts';
import { AdreportError } from '../errors.ts';
import { describeWindow } from '../query/calendar.ts';
import { requestAgainCommand } from '../query/command-line.ts';
import {
  fetchedStatus,
  type Ledger,
  type LedgerChange,
  type LedgerEntry,
  planEntry,
} from '../query/ledger.ts';
import type { Job } from '../query/plan.ts';
import { type ReportPlan, requestHash } from '../query/request.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { Progress } from '../ui/progress.ts';
import type { RunTools, StepTools } from './run-tools.ts';

/** Shared by all steps of one report. */
export interface ReportTools extends StepTools {
  readonly account: ServiceAccount;

  /** Aborts the work on this report. */
  readonly signal: AbortSignal;

  /** Reports created on this machine; absent with `--local`. */
  readonly ledger: Ledger | undefined;

  /** Request hash of each report id that this command received. */
  readonly requestsById: Map<string, string>;
  readonly progress: () => Promise<Progress>;
}

/** Uses the account of the command by default. */
export function toolsFor(
  context: RunTools,
  account: ServiceAccount = context.account,
): ReportTools {
  const { console, host, version, requestsById, progress } = context;
  const ledger = context.ledger();
  return { account, console, host, version, signal: host.signal, ledger, requestsById, progress };
}

/** Finds an unfinished report of the same request in the ledger, and prints a note about it. */
export async function resumeReport(
  tools: ReportTools,
  plan: ReportPlan,
): Promise<RequestedReport | undefined> {
  const { console, host, ledger } = tools;
  const search = await buildLedgerSearch(tools, plan);
  const unfinished = search && ledger?.findUnfinished(search);
  if (!unfinished) return undefined;

  const createdMs = Date.parse(unfinished.createdAt);
  const ageMs = Math.max(0, host.wallClock() - createdMs);
  const age = formatDuration(ageMs);
  const shownId = printable(unfinished.id);
  if (unfinished.isStuck) {
    console.note(`Report ${shownId}, requested ${age} ago, timed out twice; requesting a new one.`);
    return undefined;
  }
  console.note(`Resuming report ${shownId}, requested ${age} ago (--fresh requests a new one).`);
  const belongsToOtherRequest = await matchOtherRequests(tools, search);
  return { id: unfinished.id, status: 'progress', createdMs, belongsToOtherRequest };
}

/** After this many failures in 24 hours, a report is no longer requested as one. */
const maxFailures = 2;

/** Checks whether the ledger has too many failures of a request in the last 24 hours. */
export async function isRepeatedFailure(tools: ReportTools, plan: ReportPlan): Promise<boolean> {
  const search = await buildLedgerSearch(tools, plan);
  return search !== undefined && (tools.ledger?.countFailed(search) ?? 0) >= maxFailures;
}

/** Checks whether the ledger has an unfinished report of any part. */
export async function hasPartsInLedger(
  tools: ReportTools,
  { plan, parts }: Pick<Job, 'plan' | 'parts'>,
): Promise<boolean> {
  for (const { request, window } of parts) {
    const search = await buildLedgerSearch(tools, { ...plan, request, window });
    if (search && tools.ledger?.findUnfinished(search)) return true;
  }
  return false;
}

async function buildLedgerSearch({ account, ledger }: ReportTools, plan: ReportPlan) {
  if (!ledger) return undefined;
  const identity = await identify(account, plan);
  return { ...identity, credential: ledger.credentialOf(identityOf(await account.settings())) };
}

/**
 * Requests a report and records its id in the ledger. Throws as the client's `createReport`, with a
 * hint if the service reports a profile mismatch.
 */
export async function requestAndRecord(
  tools: ReportTools,
  { spec, plan }: Pick<Job, 'spec' | 'plan'>,
): Promise<RequestedReport> {
  const { account, host, ledger } = tools;
  const client = await account.client();
  const identity = await identify(account, plan);
  const belongsToOtherRequest = await matchOtherRequests(tools, identity);
  // Taken before the call, because the report has no data from after its request.
  const requestedMs = host.wallClock();
  const settings = await account.settings();
  const requested = await requestReport(client, plan.request).catch((error) => {
    const other = plan.profile === 'buyer' ? 'dsp' : 'buyer';
    const keep = storeCommand(settings, `profile ${other}`, host.platform);
    throw withProfileHint(error, `Add --profile ${other}, or keep it: ${keep}`);
  });
  const { id } = requested;
  if (id === undefined) return { ...requested, belongsToOtherRequest };

  const takenId = belongsToOtherRequest(id) ? id : undefined;
  rememberRequest(tools, id, identity);
  const { since, until } = describeWindow(plan.window);
  await ledger?.record({
    id,
    ...identity,
    credential: ledger.credentialOf(identityOf(settings)),
    spec,
    request: plan.request,
    window: { since, until },
    createdAt: new Date(requestedMs).toISOString(),
  });
  return { ...requested, takenId, belongsToOtherRequest };
}

/** Keeps the request of a report id for the rest of this command. */
function rememberRequest(
  { requestsById }: ReportTools,
  id: string,
  { baseUrl, account, hash }: ReportIdentity,
): void {
  requestsById.set(`${baseUrl} ${account} ${id}`, hash);
}

/**
 * Returns a predicate that is true for the id of another request, made by this command or listed in
 * the ledger.
 */
export async function matchOtherRequests(
  { account, host, ledger, requestsById }: ReportTools,
  identity: ReportIdentity,
): Promise<(id: string) => boolean> {
  const { baseUrl, hash } = identity;
  const credential = ledger?.credentialOf(identityOf(await account.settings()));

  return (id) => {
    const hashOfCommand = requestsById.get(`${baseUrl} ${identity.account} ${id}`);
    if (hashOfCommand !== undefined) return hashOfCommand !== hash;

    const before = ledger?.find({ baseUrl, id });
    if (before?.credential !== credential || !before) return false;
    // Recomputed, because older versions stored a different kind of hash.
    const hashBefore = requestHash(before.baseUrl, before.account, before.request);
    return hashBefore !== hash && isRecent(before, host.wallClock());
  };
}

/** The service may reuse an id after 24 hours (`decisions.md` 4). */
function isRecent({ createdAt }: LedgerEntry, nowMs: number): boolean {
  return Date.parse(createdAt) > nowMs - 24 * 3_600_000;
}

/** Returns `undefined` if another machine created the report. */
export async function findCreated(
  { account, ledger }: ReportTools,
  id: string,
): Promise<LedgerEntry | undefined> {
  const { baseUrl } = await account.settings();
  return ledger?.find({ baseUrl: baseUrl.value?.href ?? '', id });
}

/** Formats the command to request a failed report again, if this machine created it. */
export async function requestAgainHint(
  tools: ReportTools,
  id: string,
  baseUrl: string | undefined,
): Promise<string | undefined> {
  const entry = await findCreated(tools, id);
  const recorded = entry && (await planEntry(entry));
  if (!recorded) return undefined;

  const { platform } = tools.host;
  return `Request it again: ${requestAgainCommand(recorded, { baseUrl, platform })}`;
}

/**
 * Records in the client that the service accepts JSON bodies, if this machine created the report
 * with one. Refusals of that report are then not blamed on the encoding.
 */
export async function rememberAcceptedJson(tools: ReportTools, reportId: string): Promise<void> {
  const entry = await findCreated(tools, reportId);
  if (!entry || entry.spec.encoding === 'form') return;
  const client = await tools.account.client();
  client.rememberAcceptedBody();
}

/** Adds a hint to try the other profile, if the service reports a profile mismatch. */
function withProfileHint(error: unknown, hint: string): unknown {
  const isMismatch = error instanceof AdreportError && error.code === 'PROFILE_MISMATCH';
  return isMismatch ? error.amend('', { hint }) : error;
}

export interface ReportIdentity {
  readonly baseUrl: string;
  readonly account: string;

  /** Hash of the request, the same in every run. */
  readonly hash: string;
}

function accountInLedger(settings: Settings): string {
  return settings.email.value ?? chooseAccountName(settings);
}

async function identify(
  serviceAccount: ServiceAccount,
  { request }: ReportPlan,
): Promise<ReportIdentity> {
  const settings = await serviceAccount.settings();
  const baseUrl = settings.baseUrl.value?.href ?? '';
  const account = accountInLedger(settings);
  return { baseUrl, account, hash: requestHash(baseUrl, account, request) };
}

/**
 * Returns how long the last report of the account took to become ready, in milliseconds;
 * `undefined` if that is not known.
 */
export async function lastTookMs({ account, ledger }: ReportTools): Promise<number | undefined> {
  const settings = await account.settings();
  const baseUrl = settings.baseUrl.value?.href ?? '';
  return ledger?.lastTookMs({ baseUrl, account: accountInLedger(settings) });
}

export async function updateLedger(
  { account, ledger }: ReportTools,
  id: string,
  change: LedgerChange,
): Promise<void> {
  const { baseUrl } = await account.settings();
  await ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, change);
}

/**
 * Marks a report as downloaded, to a file or to stdout, so that it is not picked up again. Data
 * without an id has no entry.
 */
export async function markFetched(
  tools: ReportTools,
  id: string | undefined,
  file?: string,
): Promise<void> {
  if (id !== undefined) await updateLedger(tools, id, { status: fetchedStatus, file });
}

/** Records that no run picks a report up again: it was read and refused, failed, or is gone. */
export function markUsedUp(
  tools: ReportTools,
  id: string,
  { wasRead }: { readonly wasRead: boolean },
): Promise<void> {
  return updateLedger(tools, id, { status: wasRead ? fetchedStatus : 'expired' });
}
