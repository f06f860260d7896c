import { join, relative } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import { maskLogin, ownerOf } from '../account/owner.ts';
import type { Settings } from '../account/resolve.ts';
import { AdreportError, isInterruption, SignInError } from '../errors.ts';
import type { FolderSpec } from '../folder/history.ts';
import { ownerConflict } from '../folder/series.ts';
import type { SeriesRepair } from '../folder/series-repair.ts';
import { HistoryWriter } from '../folder/writer.ts';
import { templateOf } from '../query/file-name.ts';
import type { OptionsOf } from '../query/flags/flag.ts';
import type { serviceFlags } from '../query/flags/service-flags.ts';
import type { waitFlags } from '../query/flags/wait-flags.ts';
import { partsOf, wholePart } from '../query/parts.ts';
import type { FolderReport } from './folder-jobs.ts';
import { oldService, queryOfSpec } from './old-spec.ts';
import type { RunTools } from './run-tools.ts';

export type RepairFlags = OptionsOf<readonly [typeof serviceFlags, typeof waitFlags]> & {
  readonly concurrency: number;
};

/**
 * Plans jobs that download files again with the current spec of their series, and returns the
 * errors of series that cannot be repaired.
 */
export async function planRepairs(
  tools: RunTools,
  repairs: readonly SeriesRepair[],
  flags: RepairFlags,
): Promise<{ readonly jobs: FolderReport[]; readonly failures: AdreportError[] }> {
  const jobs: FolderReport[] = [];
  const failures: AdreportError[] = [];
  for (const repair of repairs) {
    try {
      jobs.push(await planRepair(tools, repair, flags));
    } catch (error) {
      if (!(error instanceof AdreportError) || isInterruption(error)) throw error;
      failures.push(error);
    }
  }
  return { jobs, failures };
}

async function planRepair(
  tools: RunTools,
  { history, series: { current }, spans }: SeriesRepair,
  flags: RepairFlags,
): Promise<FolderReport> {
  const { host, version } = tools;
  const { cwd, wallClock } = host;
  const account = await findAccount(tools, current.spec, flags);
  const output = join(templateOf(relative(cwd, history.folder)), current.spec.output);
  const nowMs = wallClock();
  const since = Math.min(...spans.map((span) => span.since));
  const until = Math.min(Math.floor(nowMs / 1_000), Math.max(...spans.map((span) => span.until)));
  const { period: _period, ...rest } = current.spec;
  const spec = { ...rest, output, since: String(since), until: String(until) };
  const query = queryOfSpec(spec, nowMs);
  const allParts = partsOf(query, nowMs);
  const parts = allParts.filter((part) => {
    return spans.some((span) => span.since <= part.since && part.since <= span.until);
  });
  const options = { ...defaults, ...flags };
  const to = { history, line: current, version, keepsFigures: true, wallClock, host };
  return {
    query,
    account,
    accountName: await account.name(),
    options,
    label: undefined,
    whole: wholePart(query, nowMs),
    allParts,
    parts,
    isMerged: false,
    writer: new HistoryWriter(to),
  };
}

const defaults = { history: true, clobber: true, waitTimeout: 30 * 60_000 } as const;

/**
 * Returns true if the files are from a local server, and the account used without `--local` is a
 * different one.
 */
export async function needsLocal(
  tools: RunTools,
  repairs: readonly SeriesRepair[],
): Promise<boolean> {
  const specs = repairs.map(({ series }) => series.current.spec);
  const isFromLocal = specs.length > 0 && specs.every(({ service }) => service === 'local');
  if (!isFromLocal || tools.isLocal) return isFromLocal;
  try {
    for (const spec of specs) {
      const account = await findAccount(tools, spec, {});
      const { baseUrl } = await account.settings();
      if (baseUrl.value === undefined) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof AdreportError) return true;
    throw error;
  }
}

/**
 * Finds the account of a series: that of `--account`, else the stored one with the login of the
 * spec, else the stored one with its name, else that of the environment if it has either, or the
 * spec has neither.
 *
 * @throws SignInError if the files belong to a different account
 */
async function findAccount(
  tools: RunTools,
  spec: FolderSpec,
  flags: Partial<RepairFlags>,
): Promise<ServiceAccount> {
  const { windowClock, request } = spec;
  const name = flags.account ?? (await storedName(tools, spec));
  const account = tools.accounts.choose(
    { ...flags, ...(name !== undefined && { account: name }) },
    { profile: request.profile, ...(windowClock && { windowClock }) },
  );

  const settings = await account.settings();
  const own = ownerOf(account, settings);
  const owner = { ...own, ...(own.service && { service: oldService(own.service) }) };
  // A typed name may be a new name for the same account.
  const named = flags.account === undefined ? spec : { ...spec, account: undefined };
  const conflict = ownerConflict(named, owner);
  const isFound = name !== undefined || tools.isLocal || isOwner(spec, owner, settings);
  if (!conflict && isFound) return account;

  const belong = conflict
    ? `belong to ${conflict.before}, but this is ${conflict.now}`
    : describeOwner(spec);
  const signIn =
    'Sign in to that account with adreport login, or name it with --account or ADREPORT_ACCOUNT.';
  const isMaybeLocal = spec.service === 'local' && !tools.isLocal;
  throw new SignInError(`The files ${spec.output} ${belong}.`, {
    hint: isMaybeLocal ? `${signIn} For files of a run with --local, add --local.` : signIn,
  });
}

/** Matches the environment's login or account name; a spec without both always matches. */
function isOwner(
  spec: FolderSpec,
  owner: Pick<FolderSpec, 'login' | 'account'>,
  { isFromEnvironment }: Settings,
): boolean {
  if (!isFromEnvironment) return false;
  if (spec.login === undefined && spec.account === undefined) return true;
  const isSameLogin = spec.login !== undefined && owner.login === spec.login;
  return isSameLogin || (spec.account !== undefined && owner.account === spec.account);
}

function describeOwner({ login, account }: FolderSpec): string {
  if (account !== undefined) return `belong to the account ${account}`;
  return login === undefined ? 'do not name their account' : `belong to ${login}`;
}

/** Names the stored account that owns a series. */
async function storedName(
  { isLocal, store }: RunTools,
  { login, account }: FolderSpec,
): Promise<string | undefined> {
  if (isLocal) return account;

  const { accounts } = await store().read();
  const signsIn = ([, { email }]: readonly [string, { readonly email?: string | undefined }]) => {
    return email !== undefined && login !== undefined && maskLogin(email) === login;
  };
  const byLogin = Object.entries(accounts).find(signsIn)?.[0];
  if (byLogin !== undefined) return byLogin;
  return account !== undefined && Object.hasOwn(accounts, account) ? account : undefined;
}
