import { identifyAccount } from '../account/owner.ts';
import type { RequestedReport } from '../api/client.ts';
import { AdreportError } from '../errors.ts';
import { buildBody, encodeBody, hashBody } from '../query/body.ts';
import type { Part } from '../query/query.ts';
import { readSavedPart, savePart } from '../query/saved-part.ts';
import { printable } from '../text/printable.ts';
import { formatDuration } from '../text/quantity.ts';
import type { Context } from './context.ts';
import type { LedgerChange } from './ledger.ts';

/** Finds an unfinished report of the same request, and prints a note if it is resumed. */
export async function findReportToResume(
  { account, console, host, ledger }: Context,
  part: Part,
): Promise<RequestedReport | undefined> {
  const unfinished = ledger()?.findUnfinished(await identifyAccount(account), hashBody(part));
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
 * Requests a report. The request is recorded before it is sent, and the ID or the error afterwards.
 * Rejects like `client.createReport()`.
 */
export async function requestAndRecord(
  { account, console, host, ledger: open, signal }: Context,
  part: Part,
): Promise<RequestedReport> {
  const ledger = open();
  const client = await account.client();
  const body = encodeBody(buildBody(part), client.encoding);
  const entry = await ledger?.add({
    ...(await identifyAccount(account)),
    ...savePart(part),
    hash: hashBody(part),
    at: new Date(host.wallClock()).toISOString(),
  });
  const update = async (change: LedgerChange): Promise<void> => {
    if (entry !== undefined) await ledger?.update(entry, change);
  };

  try {
    const requested = await client.createReport(body);
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

const interruptedRequest =
  'A report may have been created: adreport report list shows when it was requested.';

/** A report that the user specified by its ID. */
interface NamedReport {
  readonly report: RequestedReport & { readonly id: string };

  /** The requested part, unless another machine requested the report. */
  readonly part: Part | undefined;
}

/** Finds a report by its ID among those requested on this machine. */
export async function findReport(
  { account, host, ledger }: Context,
  id: string,
): Promise<NamedReport> {
  const { service } = await identifyAccount(account);
  const { entry } = ledger()?.find(service, id) ?? {};
  const report = { id, status: 'progress' };
  // Another machine requested this report at an unknown time before now.
  if (!entry) return { report: { ...report, createdMs: host.wallClock() }, part: undefined };
  const requestedMs = Date.parse(entry.at);
  return {
    report: { ...report, createdMs: requestedMs, requestedMs },
    part: readSavedPart(entry),
  };
}

/** Records a change to a report, if this machine requested it. */
export async function updateLedger(
  { account, ledger }: Context,
  id: string,
  change: LedgerChange,
): Promise<void> {
  const { service } = await identifyAccount(account);
  const found = ledger()?.find(service, id);
  if (found) await ledger()?.update(found.name, change);
}
