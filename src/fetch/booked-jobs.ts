import { join, relative } from 'node:path';
import type { ServiceAccount } from '../account/account.ts';
import type { OrderLine } from '../archive/forms.ts';
import { Bookkeeper } from '../archive/keeper.ts';
import type { BookedFetch } from '../archive/repair.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { OptionsOf } from '../plan/flags/flag.ts';
import type { serviceFlags } from '../plan/flags/service-flags.ts';
import type { waitFlags } from '../plan/flags/wait-flags.ts';
import { type Job, planJob } from '../plan/plan.ts';
import { whoAsks } from '../plan/spec-from-flags.ts';
import type { ReportSpec, SpecRequest } from '../report/spec.ts';
import { printable } from '../text/printable.ts';

/** How reports of the books are fetched again. */
export type RepairFlags = OptionsOf<readonly [typeof serviceFlags, typeof waitFlags]> & {
  readonly concurrency: number;
};

/** What is fetched again, and what cannot be. */
export interface BookedJobs {
  readonly jobs: readonly Job[];

  /** Why orders cannot be carried out again, in sentences that say what to do. */
  readonly refusals: readonly string[];
}

/**
 * The jobs that fetch files again by the orders of their books: the same request, format and place.
 */
export async function jobsOfBooks(
  context: Context,
  fetches: readonly BookedFetch[],
  flags: RepairFlags,
): Promise<BookedJobs> {
  const jobs: Job[] = [];
  const refusals: string[] = [];

  for (const fetch of fetches) {
    try {
      jobs.push(...(await jobsOfFetch(context, fetch, flags)));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refusals.push(
        `${printable(fetch.order.output)}: ${error.message} ${error.hint ?? ''}`.trim(),
      );
    }
  }
  return { jobs, refusals };
}

async function jobsOfFetch(
  context: Context,
  { books, order, times, bookOf }: BookedFetch,
  flags: RepairFlags,
): Promise<Job[]> {
  const { host } = context;
  const nowMs = host.wallClock();
  const account = await accountOf(context, order, flags);
  const output = relative(host.cwd, join(books.folder, order.output));
  const spec = { ...specOfOrder(order), output };
  const thisRun = { books: true, clobber: true, missing: true, ...flags };

  const { wallClock, signal } = host;
  const keeper = new Bookkeeper({ books, order, bookOf, wallClock, signal });
  const label = order.output;
  const ownTimes = order.split === null ? times.map((time) => [time]) : [times];

  const jobs: Job[] = [];
  for (const units of ownTimes) {
    const planned = await planJob({ account, spec, thisRun, label, nowMs, units });
    jobs.push({ ...planned, keeper });
  }
  return jobs;
}

function specOfOrder({ request, timezone, format, split, windowClock }: OrderLine): ReportSpec {
  const { columns, ...others } = request;
  return {
    request: { ...others, ...(columns && { columns }) } as SpecRequest,
    timezone,
    format,
    ...(split && { split }),
    windowClock,
  };
}

/**
 * Throws `UsageError` where neither the store nor the environment has the account of an order, or
 * it is of another service.
 */
async function accountOf(
  context: Context,
  order: OrderLine,
  flags: RepairFlags,
): Promise<ServiceAccount> {
  const { profile } = order.request;
  const choice = { profile, windowClock: order.windowClock };
  const name = flags.account ?? (await nameOfOrder(context, order));
  const account = context.accounts.choose({ ...flags, account: name }, choice);

  const asker = { account: null, ...whoAsks(account, await account.settings()) };
  const isSamePlace = (asker.service === 'local') === (order.service === 'local');
  if (!isSamePlace) {
    const isOfLocal = order.service === 'local';
    const place = isOfLocal ? 'a local server' : order.service;
    throw new UsageError(`It was fetched from ${place}, which is not the service asked now.`, {
      hint: isOfLocal
        ? 'Add --local, or name the account of that server with --account.'
        : 'Leave --local out, or name its account with --account.',
    });
  }

  const isOther = flags.account === undefined && asker.account !== order.account;
  if (!isOther || context.isLocal) return account;
  const asked = order.account === null ? 'a token without a name' : `the account ${order.account}`;
  throw new UsageError(`It was fetched by ${asked}, which is not the one asked now.`, {
    hint: 'Sign in with adreport login --account, or name another account with --account.',
  });
}

/** The account of an order where that is stored; `undefined` for that of the environment. */
async function nameOfOrder(
  { isLocal, store }: Context,
  { account }: OrderLine,
): Promise<string | undefined> {
  if (account === null) return undefined;
  if (isLocal) return /^[a-z]+$/.test(account) ? account : undefined;

  const { accounts } = await store().read();
  return Object.hasOwn(accounts, account) ? account : undefined;
}
