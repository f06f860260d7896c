import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { UsageError } from '../errors.ts';
import { checkFolder } from '../folder/check-folder.ts';
import type { Declaration, FolderRequest } from '../folder/declaration.ts';
import { declare, planDeclaration } from '../folder/declaration-file.ts';
import { isDue } from '../folder/due.ts';
import { findPlace } from '../folder/folder-place.ts';
import { type FolderState, readFolder } from '../folder/folder-state.ts';
import type { FolderToFill } from '../folder/record-download.ts';
import { nameValues } from '../query/file-name.ts';
import type { Shard } from '../query/flags/read-value.ts';
import { keepsFolder } from '../query/parts.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import { formatPlural, isOrAre } from '../text/quantity.ts';
import { pathWord } from '../text/quote-for-shell.ts';
import type { Context } from './context.ts';
import { type ReportPlan, withRequestQuery } from './plan-run.ts';

/**
 * Declares each report in its folder, and limits it to the parts that are due. Without `declares`,
 * nothing is written.
 *
 * @throws OutputError if a folder cannot be written
 */
export async function chooseParts(
  context: Context,
  reports: readonly ReportPlan[],
  { declares }: { readonly declares: boolean },
): Promise<ReportPlan[]> {
  const chosen: ReportPlan[] = [];
  for (const report of reports) {
    try {
      chosen.push(keepsFolder(report.query) ? await chooseDue(context, report, declares) : report);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      chosen.push({ ...report, parts: [], refusal: error });
    }
  }
  return chosen;
}

async function chooseDue(
  context: Context,
  planned: ReportPlan,
  declares: boolean,
): Promise<ReportPlan> {
  const { console, host } = context;
  const { options, whole } = planned;
  const { folder, request } = toFolderRequest(planned, host.cwd);
  const shown = relative(host.cwd, folder) || '.';
  const { fresh: isFresh = false, shard } = options;
  const run = { folder, shown, query: request, nowMs: host.wallClock(), isFresh, host };
  const declared = await (declares ? declare(run) : planDeclaration(run));
  const notes = declares ? declared.notes : [];
  for (const warning of declared.warnings) console.warn(printable(warning));
  for (const note of notes) console.note(printable(note));

  const { declaration } = declared;
  const state = await readFolder(folder, declaration, { signal: host.signal, hashes: false });
  warnAboutEarlierParts(context, { state, shown, since: whole.since });

  const report = asDeclared(planned, declaration);
  const parts = isFresh ? report.parts : report.parts.filter((part) => isPartDue(part, state));
  return { ...report, parts, filled: await fillFolder(context, state, shard) };
}

/** Returns the folder of a query, and the query with its output from there. */
function toFolderRequest({ query, whole }: ReportPlan, cwd: string) {
  const [{ path, format }] = query.outputs;
  const { folder, output } = findPlace(path, { names: nameValues(whole), cwd });
  const { split = 'day' } = query;
  const request: FolderRequest = { ...query, split, outputs: [{ path: output, format }] };
  return { folder, request };
}

/** Takes over what only the declaration of the folder says. */
function asDeclared(planned: ReportPlan, { query: own }: Declaration): ReportPlan {
  const { since, until, split, outputs, account, login, service, ...others } = own;
  const query = { ...planned.query, ...others };
  return { ...withRequestQuery(planned, query), query };
}

function isPartDue(part: Part, state: FolderState): boolean {
  const name = state.declaration.pattern.nameFor(part);
  return isDue({ ...part, name }, state);
}

/** Returns what is needed to record downloads in a folder. */
export async function fillFolder(
  { host }: Context,
  { folder, declaration, history }: FolderState,
  shard: Shard | undefined,
): Promise<FolderToFill> {
  const realPath = await realpath(folder).catch(() => folder);
  return { folder, declaration, realPath, lines: history.lines, shard, host };
}

/** Warns about parts of the folder before the period, which this run will not download. */
function warnAboutEarlierParts(
  { console, host }: Context,
  { state, shown, since }: { state: FolderState; shown: string; since: number },
): void {
  const now = Math.floor(host.wallClock() / 1_000);
  const { problems } = checkFolder(state, now, { parts: ({ end }) => end <= since });
  const clauses: string[] = [];
  for (const kind of ['missing', 'stale']) {
    const count = problems.filter((problem) => problem.kind === kind).length;
    const parts = formatPlural(count, state.declaration.split);
    if (count > 0) clauses.push(`${parts} ${isOrAre(count)} ${kind}`);
  }
  if (clauses.length === 0) return;
  const update = `adreport update ${pathWord(shown, host.platform)}`;
  console.warn(`Before this period, ${clauses.join(' and ')}. To download them: ${update}`);
}
