import type { ProjectChoice } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { placeholdersOf } from '../output/file/file-name.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { type Job, planJob } from './plan.ts';

/** A report, before it is known which accounts it is for. */
interface AccountsSource {
  readonly options: RunFlags;
  /** The name of a saved report. */
  readonly name?: string;
  /** What the saved report says of its account. */
  readonly choice?: ProjectChoice;
}

/**
 * The jobs of one report: one for each account that `--account a,b` or `--account all` names, otherwise one in all. Throws
 * `UsageError` as `planJob`, and where the outputs of several accounts would be one.
 */
export async function planForAccounts(
  context: Context,
  { options, name, choice }: AccountsSource,
): Promise<Job[]> {
  const accountNames = await context.accountNames(options, choice);
  if (!accountNames) {
    const account = context.accountFor(options, choice);
    return [await planJob(context, { account, options, name })];
  }

  expectAccountInOutput(options);
  const jobs: Job[] = [];
  for (const accountName of accountNames) {
    const ownOptions = { ...options, account: accountName };
    const account = context.accountFor(ownOptions, choice);
    const label = name === undefined ? accountName : `${name} ${accountName}`;
    try {
      jobs.push(await planJob(context, { account, options: ownOptions, name, label }));
    } catch (error) {
      throw error instanceof UsageError ? error.amend(`(Account “${accountName}”.)`) : error;
    }
  }
  return jobs;
}

/** Throws `UsageError` where the outputs of several accounts would be one. */
function expectAccountInOutput({ output = '-' }: RunFlags): void {
  if (output === '-') {
    throw new UsageError('Several accounts have no place on stdout.', {
      hint: "Give each a file: -o '{account}-{date}.csv'",
    });
  }
  if (placeholdersOf(output).includes('account')) return;
  throw new UsageError(`-o ${output} would be the file of several accounts.`, {
    hint: "Write {account} in its name: -o '{account}-{date}.csv'",
  });
}
