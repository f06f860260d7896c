import { join, relative } from 'node:path';
import { findFolderAccount } from '../account/owner.ts';
import { AdreportError } from '../errors.ts';
import { checkFolder } from '../folder/check-folder.ts';
import { declarationError } from '../folder/declaration-file.ts';
import { listDueParts } from '../folder/due.ts';
import { type FolderSnapshot, refreshSnapshot } from '../folder/folder-snapshot.ts';
import { prepareToFill } from '../folder/open-folder.ts';
import type { FolderPart } from '../folder/parts.ts';
import { readFolders } from '../folder/read-folders.ts';
import { formatDate } from '../query/calendar.ts';
import { fixedPeriod } from '../query/command-for.ts';
import { escapeBraces } from '../query/file-name.ts';
import { flagGroup, type OptionsOf } from '../query/flags/flag.ts';
import { concurrencyFlag, shardFlag } from '../query/flags/run-flags.ts';
import { serviceFlags } from '../query/flags/service-flags.ts';
import { waitFlags } from '../query/flags/wait-flags.ts';
import { selectShard, toWholePart } from '../query/parts.ts';
import type { PeriodInput } from '../query/period.ts';
import type { Part } from '../query/query.ts';
import type { Context } from '../run/context.ts';
import type { ReportPlan } from '../run/plan-run.ts';
import { runReports } from '../run/run-reports.ts';
import {
  folderPeriodFlags,
  formatUpdate,
  problemLines,
  problemsExitCode,
  toPathArgument,
} from './check.ts';
import { declareCommand } from './command.ts';
import { showPlan } from './dry-run.ts';

const updateFlags = flagGroup('Update:', {
  dryRun: { flags: '--dry-run', meaning: 'list what would be requested, and request nothing' },
  concurrency: concurrencyFlag,
  shard: shardFlag,
});

export const updateCommand = declareCommand({
  name: 'update',
  summary: 'bring folders up to date',
  args: ['<path...>'],
  examples: [
    [
      'adreport update data',
      'every night: the new day, and earlier ones again until they are final',
    ],
    ['adreport update data --dry-run', 'list what would be requested'],
  ],
  flags: [folderPeriodFlags, updateFlags, waitFlags, serviceFlags],
  async action({ context, options, args: [paths] }) {
    const folders = await openFolders(context, paths, options);
    const reports = await planReports(context, folders, options);
    if (options.dryRun) {
      await showPlan(context, reports);
      for (const { refusal } of reports) if (refusal) throw refusal;
      return 0;
    }
    const command = formatUpdate({ paths, period: options }, context.host.platform);
    await runReports(context, reports, command);

    if (reports.every(({ parts }) => parts.length === 0)) {
      context.console.note('Nothing to download: all files are final.');
    }
    const hasProblems = await warnAboutProblems(context, folders);
    return hasProblems ? problemsExitCode : 0;
  },
});

interface UpdatedFolder {
  readonly snapshot: FolderSnapshot;
  readonly due: readonly FolderPart[];
}

/** Reads the folders at the paths. Throws `UsageError` if a path cannot be updated. */
async function openFolders(
  { console, host }: Context,
  paths: readonly string[],
  period: PeriodInput,
): Promise<UpdatedFolder[]> {
  const { cwd, platform, signal, wallClock } = host;
  const nowMs = wallClock();
  const opened: UpdatedFolder[] = [];
  for (const path of new Set(paths)) {
    const named = await readFolders(toPathArgument(cwd, path), { period, nowMs, signal });
    for (const { folder, snapshot, defect } of named) {
      const displayPath = relative(cwd, folder) || '.';
      if (defect) throw declarationError(defect, { displayPath, platform });

      const { since, timezone } = snapshot.declaration;
      const { window } = snapshot.selection;
      if (window && formatDate(window.since, timezone) < since) {
        console.note(
          `Note: ${displayPath} begins on ${since}. To add earlier days, repeat the first adreport run with an earlier --since.`,
        );
      }
      opened.push({ snapshot, due: listDueParts(snapshot, Math.floor(nowMs / 1_000)) });
    }
  }
  return opened;
}

/** Plans the downloads of folders. */
async function planReports(
  context: Context,
  folders: readonly UpdatedFolder[],
  flags: UpdateFlags,
): Promise<ReportPlan[]> {
  const reports: ReportPlan[] = [];
  for (const folder of folders.filter(({ due }) => due.length > 0)) {
    const report = await planUpdate(context, folder, flags);
    reports.push(folders.length > 1 ? report : { ...report, label: undefined });
  }
  return reports;
}

type UpdateFlags = OptionsOf<readonly [typeof updateFlags, typeof serviceFlags, typeof waitFlags]>;

/** Plans the due downloads of a folder. */
async function planUpdate(
  { account, accounts, host }: Context,
  { snapshot, due }: UpdatedFolder,
  flags: UpdateFlags,
): Promise<ReportPlan> {
  const { folder, declaration } = snapshot;
  const { shard } = flags;
  const label = relative(host.cwd, folder) || '.';
  const [{ path, format }] = declaration.query.outputs;
  const outputs = [{ path: join(escapeBraces(label), path), format }] as const;
  const query = { ...declaration.query, outputs };
  const whole = toWholePart(query, host.wallClock());
  const dueParts: Part[] = due.map(({ since, end, firstDay, lastDay }) => {
    return { query, zone: whole.zone, since, until: end - 1, end, firstDay, lastDay };
  });
  const parts = shard ? selectShard(dueParts, shard) : dueParts;
  const options = { clobber: true, ...flags };
  const planned = { query, account, options, label, whole, period: fixedPeriod(whole), parts };
  try {
    return {
      ...planned,
      account: await findFolderAccount(accounts, query, flags),
      outputFolder: await prepareToFill(snapshot, { host, shard }),
    };
  } catch (error) {
    if (!(error instanceof AdreportError)) throw error;
    return { ...planned, parts: [], refusal: error };
  }
}

/** Warns about problems that the update did not solve. Resolves to true if there are any. */
async function warnAboutProblems(
  { console, host }: Context,
  folders: readonly UpdatedFolder[],
): Promise<boolean> {
  const { cwd, signal, wallClock } = host;
  const now = Math.floor(wallClock() / 1_000);
  let isLeft = false;
  for (const { snapshot, due } of folders) {
    const { folder, declaration } = snapshot;
    const names = new Set(due.map(({ name }) => name));
    const after = await refreshSnapshot(snapshot, names, signal);
    // A file that still has a problem was kept on purpose, so another update would not fix it.
    const problems = checkFolder(after, now).problems.filter(({ file, fixedBy }) => {
      return fixedBy === 'person' || names.has(file);
    });
    const lines = problemLines(cwd, { folder, declaration, problems });
    for (const line of lines) console.warn(line);
    isLeft ||= problems.length > 0;
  }
  return isLeft;
}
