import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { placeholderValues } from '../query/file-name.ts';
import type { Shard } from '../query/flags/read-value.ts';
import type { Part, Query } from '../query/query.ts';
import { printable } from '../text/printable.ts';
import { chooseBe, formatPlural } from '../text/quantity.ts';
import { pathWord } from '../text/quote-for-shell.ts';
import { checkFolder } from './check-folder.ts';
import type { Declaration } from './declaration.ts';
import { declare, type FolderRun } from './declaration-file.ts';
import { isDue } from './due.ts';
import { type FolderSnapshot, readFolder } from './folder-snapshot.ts';
import { locateFolder } from './locate-folder.ts';
import type { OutputFolder } from './record-download.ts';

interface OpeningRun extends FolderRun {
  readonly cwd: string;
  readonly shard: Shard | undefined;
}

/** A folder, the parts to download, and messages for the user. */
export interface OpenedFolder {
  /** Query of the run, with the declared options. */
  readonly query: Query;

  /** Parts of the run that are due. */
  readonly parts: readonly Part[];
  readonly outputFolder: OutputFolder;
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Declares the folder of a run, and finds the parts that are due. Rejects like `declare`.
 *
 * @param planned the period and the parts of the run
 */
export async function openFolder(
  planned: { readonly whole: Part; readonly parts: readonly Part[] },
  run: OpeningRun,
): Promise<OpenedFolder> {
  const { cwd, host, isFresh } = run;
  const { whole } = planned;
  const { split = 'day', outputs } = whole.query;
  const [{ path, format }] = outputs;
  const { folder, output } = locateFolder(path, { names: placeholderValues(whole), cwd });
  const displayPath = relative(cwd, folder) || '.';
  const request = { ...whole.query, split, outputs: [{ path: output, format }] as const };
  const declared = await declare({ ...run, folder, displayPath, query: request });

  const { declaration } = declared;
  const snapshot = await readFolder(folder, declaration, {
    signal: host.signal,
    computeHash: false,
  });
  const earlier = warnAboutEarlierParts(snapshot, whole.since, { ...run, displayPath });
  const due = planned.parts.filter((part) => {
    return isFresh || isDue({ ...part, name: declaration.pattern.nameFor(part) }, snapshot);
  });
  return {
    query: toDeclared(whole.query, declaration),
    parts: due,
    outputFolder: await prepareToFill(snapshot, run),
    warnings: [...declared.warnings, ...earlier].map(printable),
    notes: declared.notes.map(printable),
  };
}

/** Returns a warning if missing parts before the period will not be downloaded. */
function warnAboutEarlierParts(
  snapshot: FolderSnapshot,
  since: number,
  { host, nowMs, displayPath }: FolderRun & { readonly displayPath: string },
): string[] {
  const selection = { window: { since: 0, until: since - 1 } };
  const { problems } = checkFolder({ ...snapshot, selection }, Math.floor(nowMs / 1_000));
  const behind = problems.filter(({ kind }) => kind === 'missing' || kind === 'stale');
  if (behind.length === 0) return [];

  const parts = formatPlural(behind.length, snapshot.declaration.split);
  const update = `adreport update ${pathWord(displayPath, host.platform)}`;
  return [
    `Before this period, ${parts} ${chooseBe(behind.length)} missing or stale. To download: ${update}`,
  ];
}

function toDeclared(query: Query, { query: own }: Declaration): Query {
  const { since, until, split, outputs, account, login, service, ...others } = own;
  return { ...query, ...others };
}

/** Creates the folder and makes sure that its history can be written. */
export async function prepareToFill(
  { folder, declaration, history }: FolderSnapshot,
  { host, shard }: Pick<OpeningRun, 'host' | 'shard'>,
): Promise<OutputFolder> {
  const realPath = await realpath(folder).catch(() => folder);
  return { folder, declaration, realPath, lines: history.lines, shard, host };
}
