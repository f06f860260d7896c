import { join, relative } from 'node:path';
import { findFolderAccount } from '../account/owner.ts';
import { UsageError } from '../errors.ts';
import type { FolderPart } from '../folder/due.ts';
import type { FolderSnapshot } from '../folder/folder-state.ts';
import { asDeclared, openFolder, prepareToFill, selectDue } from '../folder/open-folder.ts';
import { fixedPeriod } from '../query/command-for.ts';
import { escapeBraces } from '../query/file-name.ts';
import type { OptionsOf } from '../query/flags/flag.ts';
import type { Shard } from '../query/flags/read-value.ts';
import type { serviceFlags } from '../query/flags/service-flags.ts';
import type { waitFlags } from '../query/flags/wait-flags.ts';
import { keepsFolder, selectShard, wholePart } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import type { Context } from './context.ts';
import { type ReportPlan, withRequestQuery } from './plan-run.ts';

/**
 * Declares each report in its folder, and limits it to the parts that are due. Without `declares`,
 * nothing is written.
 *
 * @throws OutputError if a folder cannot be written
 */
export async function declareFolders(
  context: Context,
  reports: readonly ReportPlan[],
  { declares }: { readonly declares: boolean },
): Promise<ReportPlan[]> {
  const declared: ReportPlan[] = [];
  for (const report of reports) {
    try {
      const isFolder = keepsFolder(report.query);
      declared.push(isFolder ? await declareFolder(context, report, declares) : report);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      declared.push({ ...report, parts: [], refusal: error });
    }
  }
  return declared;
}

async function declareFolder(
  { console, host }: Context,
  planned: ReportPlan,
  declares: boolean,
): Promise<ReportPlan> {
  const { fresh: isFresh = false, shard } = planned.options;
  const run = { cwd: host.cwd, host, nowMs: host.wallClock(), isFresh, declares };
  const { state, warnings, notes } = await openFolder(planned.whole, run);
  for (const warning of warnings) console.warn(warning);
  for (const note of notes) console.note(note);

  const query = asDeclared(planned.query, state.declaration);
  const report = withRequestQuery(planned, query);
  const parts = isFresh ? report.parts : selectDue(report.parts, state);
  return { ...report, query, parts, filled: await prepareToFill(state, { host, shard }) };
}

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
  { accounts, host }: Context,
  { state, due }: { readonly state: FolderSnapshot; readonly due: readonly FolderPart[] },
  flags: UpdateFlags,
): Promise<Omit<ReportPlan, 'label'>> {
  const { folder, declaration } = state;
  const { shard } = flags;
  const [{ path, format }] = declaration.query.outputs;
  const place = escapeBraces(relative(host.cwd, folder));
  const query = { ...declaration.query, outputs: [{ path: join(place, path), format }] as const };
  const whole = wholePart(query, host.wallClock());
  const parts: Part[] = due.map(({ since, end, firstDay, lastDay }) => {
    return { query, zone: whole.zone, since, until: end - 1, end, firstDay, lastDay };
  });
  return {
    query,
    account: await findFolderAccount(accounts, query, flags),
    options: { clobber: true, ...flags },
    whole,
    period: fixedPeriod(whole),
    parts: shard ? selectShard(parts, shard) : parts,
    filled: await prepareToFill(state, { host, shard }),
  };
}
