import { join, relative } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import { identifyOwner, maskLogin } from '../account/owner.ts';
import { SignInError } from '../errors.ts';
import { type Declaration, isSameAccount, nameAccount, type Owner } from '../folder/declaration.ts';
import type { FolderPart } from '../folder/due.ts';
import type { FolderState } from '../folder/folder-state.ts';
import { escapeBraces } from '../query/file-name.ts';
import type { OptionsOf } from '../query/flags/flag.ts';
import type { Shard } from '../query/flags/read-value.ts';
import type { serviceFlags } from '../query/flags/service-flags.ts';
import type { waitFlags } from '../query/flags/wait-flags.ts';
import { selectShard } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import type { Context } from './context.ts';
import { fillFolder } from './fill-folder.ts';
import type { ReportPlan } from './plan-run.ts';

export type UpdateFlags = OptionsOf<readonly [typeof serviceFlags, typeof waitFlags]> & {
  readonly concurrency: number;
  readonly shard?: Shard;
};

/**
 * Plans the run of a declaration for the parts that are due.
 *
 * @throws SignInError if the account of the folder is not at hand
 */
export async function planUpdate(
  context: Context,
  { state, due }: { readonly state: FolderState; readonly due: readonly FolderPart[] },
  flags: UpdateFlags,
): Promise<Omit<ReportPlan, 'label'>> {
  const { folder, declaration } = state;
  const account = await findAccount(context, declaration, flags);
  const shown = relative(context.host.cwd, folder);
  const [{ path, format }] = declaration.query.outputs;
  const outputs = [{ path: join(escapeBraces(shown), path), format }] as const;
  const query = { ...declaration.query, outputs };

  const zone = query.timezone;
  const allParts: Part[] = due.map(({ since, end, firstDay, lastDay }) => {
    return { query, zone, since, until: end - 1, end, firstDay, lastDay };
  });
  const whole = joinParts(allParts);
  const { shard } = flags;
  return {
    query,
    account,
    options: { clobber: true, ...flags },
    whole,
    allParts,
    parts: shard ? selectShard(allParts, shard) : allParts,
    filled: await fillFolder(context, state, shard),
  };
}

/** Returns the time from the first part to the last as one part. */
function joinParts(parts: readonly Part[]): Part {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) throw new Error('An update has at least one part.');
  return { ...last, since: first.since, firstDay: first.firstDay };
}

/**
 * Finds the account of a folder: the named one, else the environment's if it fits, else the stored
 * one of its login, else that of its name.
 */
async function findAccount(
  context: Context,
  { query }: Declaration,
  flags: UpdateFlags,
): Promise<ServiceAccount> {
  const choice = {
    profile: query.profile,
    encoding: query.encoding,
    windowClock: query.windowClock,
  };
  const choose = (options: object) => context.accounts.choose({ ...flags, ...options }, choice);
  if (query.service === 'local') return choose({ local: true, account: query.account });

  const own = choose({});
  const { isFromEnvironment, account } = await own.settings();
  const isChosen = flags.account !== undefined || isFromEnvironment || account.source === 'env';
  const stored = flags.account === undefined ? await storedNames(context, query) : [];
  const candidates = [
    ...(isChosen ? [own] : []),
    ...stored.map((name) => choose({ account: name })),
  ];
  for (const candidate of candidates) {
    if (isSameAccount(query, identifyOwner(candidate, await candidate.settings())))
      return candidate;
  }
  throw new SignInError(
    `The files belong to ${printable(nameAccount(query))}, which is not at hand.`,
    {
      hint: 'Sign in to that account with adreport login, or name it with --account.',
    },
  );
}

/** Names the stored accounts that may own a folder, by login before by name. */
async function storedNames(context: Context, { login, account }: Owner): Promise<string[]> {
  const { accounts } = await context.store().read();
  const names = Object.keys(accounts).filter((name) => {
    const email = accounts[name]?.email;
    return email !== undefined && maskLogin(email) === login;
  });
  if (account !== undefined && Object.hasOwn(accounts, account)) names.push(account);
  return names;
}
