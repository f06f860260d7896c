import type { ServiceAccount } from '../account/account.ts';
import { identityOf, nameOfAccount } from '../account/sign-in.ts';
import type { ReportAnswer } from '../api/client.ts';
import type { Context } from '../context.ts';
import { AdreportError, RejectedError, ReportFailedError } from '../errors.ts';
import type { ReportOrigin } from '../judge/report-judge.ts';
import type { Job } from '../plan/plan.ts';
import {
  fetchedStatus,
  type Ledger,
  type LedgerChange,
  type LedgerEntry,
} from '../report/ledger.ts';
import { encodeRequest, type ReportPlan, requestHash } from '../report/request.ts';
import type { ReportSpec } from '../report/spec.ts';
import { describeWindow } from '../report/window.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { Console } from '../ui/console.ts';
import type { Progress } from '../ui/progress.ts';

/** What the steps of one report work with. */
export interface ReportTools {
  readonly account: ServiceAccount;
  readonly console: Console;

  /** Its clocks and its sleep. */
  readonly host: Context['host'];

  /** Ends the work on this report. */
  readonly signal: AbortSignal;

  /** The reports created on this machine; none with `--local`. */
  readonly ledger: Ledger | undefined;

  /** What was asked for under each id that the command has got, as the hash of the request. */
  readonly requestsById: Map<string, string>;
  readonly progress: () => Promise<Progress>;
}

/** What the steps work with for a report of an account: by default of the command's own. */
export function toolsFor(context: Context, account: ServiceAccount = context.account): ReportTools {
  const { console, host, requestsById, progress } = context;
  const ledger = context.ledger();
  return { account, console, host, signal: host.signal, ledger, requestsById, progress };
}

/** Takes the data of a report, anew for each try of a download. */
export type TakeReport<T> = (answer: ReportAnswer, origin: ReportOrigin) => Promise<T>;

/** A report that has an id. */
export type CreatedOrigin = ReportOrigin & { readonly id: string };

/** What an order led to: a report to wait for, or the data at once. */
export type OrderedReport<T> =
  | {
      readonly kind: 'report';
      readonly status: string;
      readonly origin: CreatedOrigin;
    }
  | { readonly kind: 'data'; readonly result: T };

/**
 * An unfinished report of the same request, which is said; `undefined` where there is none to go on
 * with.
 */
export async function pickUpReport(
  tools: ReportTools,
  plan: ReportPlan,
): Promise<CreatedOrigin | undefined> {
  const { console, host, ledger } = tools;
  const search = await searchFor(tools, plan);
  const unfinished = search && ledger?.findUnfinished(search);
  if (!unfinished) return undefined;

  const createdMs = Date.parse(unfinished.createdAt);
  const ageMs = Math.max(0, host.wallClock() - createdMs);
  const age = formatDuration(ageMs);
  const shownId = printable(unfinished.id);
  if (unfinished.isStuck) {
    console.note(
      `Report ${shownId}, asked for ${age} ago, is left: two runs waited for it in vain. Creating a new one.`,
    );
    return undefined;
  }
  console.note(`Picking up report ${shownId}, asked for ${age} ago (--fresh creates a new one).`);
  const isOfOtherRequest = await otherRequestsOf(tools, search);
  return { id: unfinished.id, createdMs, isOfOtherRequest };
}

/** So many failures of one request in 24 hours mean that it fails as a whole. */
const failuresInARow = 2;

/** True if the ledger has a request as failed so often that it is not ordered as a whole. */
export async function isRepeatedFailure(tools: ReportTools, plan: ReportPlan): Promise<boolean> {
  const search = await searchFor(tools, plan);
  return search !== undefined && (tools.ledger?.countFailed(search) ?? 0) >= failuresInARow;
}

/** True if the ledger has an unfinished report of a part. */
export async function hasPartsInLedger(
  tools: ReportTools,
  { plan, parts }: Pick<Job, 'plan' | 'parts'>,
): Promise<boolean> {
  for (const { request, window } of parts) {
    const search = await searchFor(tools, { ...plan, request, window });
    if (search && tools.ledger?.findUnfinished(search)) return true;
  }
  return false;
}

async function searchFor({ account, ledger }: ReportTools, plan: ReportPlan) {
  if (!ledger) return undefined;
  const identity = await identify(account, plan);
  return { ...identity, credential: ledger.credentialOf(identityOf(await account.settings())) };
}

/** A report that is to be created. */
export interface NewReport {
  readonly spec: ReportSpec;
  readonly plan: ReportPlan;
}

/**
 * Asks for the report, and notes it in the ledger the moment its id is known; `take` takes the
 * data, where the service answers with it at once (`decisions.md` 2). Throws as the client's
 * `createReport`.
 */
export async function createReport<T>(
  tools: ReportTools,
  { spec, plan }: NewReport,
  take: TakeReport<T>,
): Promise<OrderedReport<T>> {
  const { account, host, ledger } = tools;
  const { encoding } = await account.settings();
  const client = await account.client();
  const body = encodeRequest(plan.request, encoding.value);
  const createdMs = host.wallClock();
  const identity = await identify(account, plan);
  const isOfOtherRequest = await otherRequestsOf(tools, identity);
  const created = await client
    .createReport({ body, isDirect: plan.request.output === 'direct' }, (answer) =>
      take(answer, { createdMs: answer.serviceMs ?? createdMs, isOfOtherRequest }),
    )
    .catch((error) => Promise.reject(withProfileHint(error, plan)));
  if (created.kind === 'data') return created;

  const { id, status } = created;
  const takenId = isOfOtherRequest(id) ? id : undefined;
  noteRequest(tools, id, identity);
  const origin = {
    id,
    // The service's own clock tells how much of the window was over.
    createdMs: created.serviceMs ?? createdMs,
    records: [created.answer],
    takenId,
    isOfOtherRequest,
  };
  if (!ledger) return { kind: 'report', status, origin };

  const { since, until } = describeWindow(plan.window);
  const settings = await account.settings();
  await ledger.record({
    id,
    ...identity,
    credential: ledger.credentialOf(identityOf(settings)),
    spec,
    request: plan.request,
    window: { since, until },
    // It holds nothing that is later than its order.
    createdAt: new Date(createdMs).toISOString(),
  });
  return { kind: 'report', status, origin };
}

/** Remembers for this command what was asked for under an id. */
function noteRequest(
  { requestsById }: ReportTools,
  id: string,
  { baseUrl, account, hash }: ReportIdentity,
): void {
  requestsById.set(`${baseUrl} ${account} ${id}`, hash);
}

/**
 * What tells whether an id is known for another request: of this command, or of one that the ledger
 * tells of.
 */
export async function otherRequestsOf(
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
    // What an older version noted has a hash of another kind.
    const hashBefore = requestHash(before.baseUrl, before.account, before.request);
    return hashBefore !== hash && isRecent(before, host.wallClock());
  };
}

/**
 * The service keeps a report for 24 hours (`decisions.md` 4): after that it may use the id again.
 */
function isRecent({ createdAt }: LedgerEntry, nowMs: number): boolean {
  return Date.parse(createdAt) > nowMs - 24 * 3_600_000;
}

/** The report as it was noted when this machine created it; `undefined` where it did not. */
export async function findCreated(
  { account, ledger }: ReportTools,
  id: string,
): Promise<LedgerEntry | undefined> {
  const { baseUrl } = await account.settings();
  return ledger?.find({ baseUrl: baseUrl.value?.href ?? '', id });
}

/**
 * Tells the client that the service takes JSON, if this machine has ordered a report with it: what
 * is refused of that report is not refused for want of a form.
 */
export async function noteAcceptedJson(tools: ReportTools, reportId: string): Promise<void> {
  const entry = await findCreated(tools, reportId);
  if (!entry || entry.spec.encoding === 'form') return;
  const client = await tools.account.client();
  client.noteAcceptedBody();
}

/**
 * The error with the other profile as a thing to try, where the service says that this one is
 * wrong.
 */
function withProfileHint(error: unknown, { profile }: ReportPlan): unknown {
  if (!(error instanceof AdreportError) || error.code !== 'PROFILE_MISMATCH') return error;
  const other = profile === 'buyer' ? 'dsp' : 'buyer';
  const hint = `Add --profile ${other}, or keep it: adreport config set profile ${other}`;
  return error.amend('', { hint });
}

/** Whose report it is, and what was asked for. */
export interface ReportIdentity {
  readonly baseUrl: string;
  readonly account: string;

  /** The same request has the same hash in every run. */
  readonly hash: string;
}

async function identify(
  serviceAccount: ServiceAccount,
  { request }: ReportPlan,
): Promise<ReportIdentity> {
  const settings = await serviceAccount.settings();
  const baseUrl = settings.baseUrl.value?.href ?? '';
  const account = settings.email.value ?? nameOfAccount(settings);
  return { baseUrl, account, hash: requestHash(baseUrl, account, request) };
}

/** Notes in the ledger what has become of a report. */
export async function noteReport(
  { account, ledger }: ReportTools,
  id: string,
  change: LedgerChange,
): Promise<void> {
  const { baseUrl } = await account.settings();
  await ledger?.update({ baseUrl: baseUrl.value?.href ?? '', id }, change);
}

/**
 * Notes that a report has been had, so that it is not picked up again; `file` is `undefined` for
 * stdout, or for nowhere.
 */
export function noteFetched(
  tools: ReportTools,
  id: string,
  file: string | undefined,
): Promise<void> {
  return noteReport(tools, id, { status: fetchedStatus, file });
}

/** Whether an error says that the service does not have the report any more. */
export function isGone(error: unknown): boolean {
  // A sign-in may be answered 404 too, which says nothing of the report.
  if (error instanceof RejectedError) return error.httpStatus === 404;
  if (!(error instanceof ReportFailedError)) return false;
  return error.httpStatus === 410 || error.code === 'REPORT_EXPIRED';
}

/** Whether the service keeps a report from whoever asks for it now. */
export function isOfAnother(error: unknown): boolean {
  return error instanceof AdreportError && error.httpStatus === 403;
}
