import { createHash } from 'node:crypto';
import type { ServiceAccount } from '../account/account.ts';
import type { Settings } from '../account/resolve.ts';
import { chooseAccountName, isUnnamed } from '../account/sign-in.ts';
import { type RequestedReport, requestReport } from '../client/send-request.ts';
import { AdreportError, ErrorInContext, endsReport, isReportFailure } from '../errors.ts';
import { buildBody, type ReportBody } from '../query/body.ts';
import { describeWindow } from '../query/calendar.ts';
import { fixedPeriod, withPeriod } from '../query/command-for.ts';
import type { Part } from '../query/query.ts';
import { toSavedKeys } from '../query/saved-keys.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { Context } from './context.ts';
import type { LedgerAccount, LedgerChange, LedgerEntry } from './ledger.ts';

/** Finds an unfinished report of the same request, and prints a note about it. */
export async function resumeReport(
  { account, console, host, ledger }: Context,
  part: Part,
): Promise<RequestedReport | undefined> {
  const search = { ...(await accountInLedger(account)), hash: hashBody(buildBody(part)) };
  const unfinished = ledger()?.findUnfinished(search);
  if (!unfinished) return undefined;

  const { id, at } = unfinished;
  const requestedMs = Date.parse(at);
  const age = formatDuration(Math.max(0, host.wallClock() - requestedMs));
  console.note(
    `Resuming report ${printable(id)}, requested ${age} ago (--fresh requests a new one).`,
  );
  return { id, status: 'progress', requestedMs, createdMs: requestedMs };
}

/**
 * Requests a report. The ledger has the request before it is sent, and then its id or what
 * happened. Throws as the client's `createReport`.
 */
export async function requestAndRecord(
  { account, console, host, ledger: open, signal }: Context,
  part: Part,
): Promise<RequestedReport> {
  const ledger = open();
  const client = await account.client();
  const body = buildBody(part);
  const { since, until } = describeWindow(part);
  const fixedDates = fixedPeriod({ ...part, end: part.until + 1 });
  const entry = await ledger?.add({
    ...(await accountInLedger(account)),
    hash: hashBody(body),
    request: toSavedKeys(withPeriod(part.query, fixedDates)),
    window: { since, until },
    at: new Date(host.wallClock()).toISOString(),
  });
  const update = async (change: LedgerChange): Promise<void> => {
    if (entry !== undefined) await ledger?.update(entry, change);
  };

  try {
    const requested = await requestReport(client, body);
    const { id, status } = requested;
    await update({ ...(id !== undefined && { id }), status });
    return requested;
  } catch (error) {
    if (!(error instanceof AdreportError)) throw error;
    const isRefused = error.exitCode === 3 || error.exitCode === 4;
    await update({
      ...(isRefused && { status: 'refused' }),
      message: console.redact(error.message),
    });
    if (signal.aborted && ledger) console.warn(interruptedRequest);
    throw error;
  }
}

/** Identifies a request, in every run and on every machine. */
function hashBody(body: ReportBody): string {
  return hash(JSON.stringify(body)).slice(0, 32);
}

function hash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

const interruptedRequest =
  'A report may have been created: adreport report list shows when it was requested.';

/** Returns the newest report with an id; `undefined` if another machine requested it. */
export async function findRequested(
  { account, ledger }: Context,
  id: string,
): Promise<LedgerEntry | undefined> {
  return ledger()?.find(findService(await account.settings()), id)?.entry;
}

function findService({ baseUrl }: Settings): string {
  return baseUrl.value?.href ?? '';
}

/**
 * Names the account of a report. Two sign-ins are one account if they have the same login or name,
 * or the same bare token.
 */
async function accountInLedger(serviceAccount: ServiceAccount): Promise<LedgerAccount> {
  const settings = await serviceAccount.settings();
  const { email, token } = settings;
  const isBare = email.value === undefined && isUnnamed(settings);
  const account = isBare
    ? `token ${hash(token.value ?? '').slice(0, 16)}`
    : (email.value ?? chooseAccountName(settings));
  return { service: findService(settings), account };
}

/**
 * Returns how long the last report of the account took to become ready, in milliseconds;
 * `undefined` if that is not known.
 */
export async function lastTookMs({ account, ledger }: Context): Promise<number | undefined> {
  const own = await accountInLedger(account);
  for (const entry of ledger()?.entries() ?? []) {
    const isOfAccount = entry.service === own.service && entry.account === own.account;
    if (isOfAccount && entry.tookMs !== undefined) return entry.tookMs;
  }
  return undefined;
}

/** Records a change of a report, if this machine requested it. */
export async function updateLedger(
  { account, ledger }: Context,
  id: string,
  change: LedgerChange,
): Promise<void> {
  const found = ledger()?.find(findService(await account.settings()), id);
  if (found) await ledger()?.update(found.name, change);
}

/**
 * Records what ended the work on a report, and that no run resumes it if that is so. Returns the
 * error with the id of the report. Throws errors that are bugs.
 */
export async function recordFailure(
  context: Context,
  id: string | undefined,
  thrown: unknown,
): Promise<AdreportError> {
  const { signal, console } = context;
  // A cancelled operation may throw any error. The reason is in the signal.
  const error: unknown = signal.aborted ? signal.reason : thrown;
  if (!(error instanceof AdreportError)) throw error;
  if (id === undefined) return error;

  const message = console.redact(error.message);
  if (!signal.aborted) await updateLedger(context, id, { message, ...statusAfter(error) });
  return error.reportId === id ? error : new ErrorInContext(error, { reportId: id });
}

/** Returns the status of a report that has ended. */
function statusAfter(error: AdreportError): Pick<LedgerChange, 'status'> {
  if (!endsReport(error)) return {};
  const ended = error.exitCode === 9 ? 'unreadable' : 'refused';
  return { status: isReportFailure(error) ? 'failed' : ended };
}
