import { UsageError } from '../../errors.ts';
import { findFolders, noHistory } from '../../folder/find-folders.ts';
import { type FolderSpec, type History, nameInFolder } from '../../folder/history.ts';
import { type Series, seriesOf } from '../../folder/series.ts';
import { printable, quoted } from '../../text/printable.ts';
import { pathWord, shellWord } from '../../text/quote-for-shell.ts';
import type { UnusableFileError } from './source-file.ts';

export interface ViewedSeries {
  /** Requested path: absolute, and as the user typed it. */
  readonly path: string;
  readonly shown: string;

  /** Folder as one word of a shell. */
  readonly word: string;
  readonly history: History;
  readonly series: Series;

  /** Matches the name of a file below the requested path. */
  readonly isSelected: (name: string) => boolean;
}

/** Attempt to find the files of a view. */
export interface Search {
  /** In unix seconds. */
  readonly now: number;
  readonly signal: AbortSignal;

  /** Results of earlier attempts. */
  readonly unusable: readonly UnusableFileError[];
}

interface NamedFolder {
  /** Absolute. */
  readonly path: string;

  /** As typed. */
  readonly shown: string;

  /** For quoting it in hints. */
  readonly platform: NodeJS.Platform;
}

/**
 * Opens the history of a folder and one of its series.
 *
 * @param output the `--series` of the command; needed if there are several
 * @throws UsageError for a folder without a history, and for several series without `output`
 */
export async function openSeries(
  folder: NamedFolder,
  output: string | undefined,
  search: Search,
): Promise<ViewedSeries> {
  const found = await findSeries(folder, search);
  const named = output === undefined ? found : found.filter(({ label }) => label === output);
  const [first, second] = named;
  if (first && !second) return first.viewed;

  const name = printable(folder.shown);
  const message = first
    ? `${name} has ${found.length} series.`
    : `${name} has no series ${quoted(output ?? '')}.`;
  throw new UsageError(message, {
    about: { flag: '--series' },
    hint: `Choose one: ${found.map(({ label }) => `--series ${shellWord(label, folder.platform)}`).join(', ')}`,
  });
}

/** Series with its path from the requested folder. */
interface NamedSeries {
  readonly label: string;
  readonly viewed: ViewedSeries;
}

/** Throws `UsageError` if the folder has no series. */
async function findSeries(
  { path, shown, platform }: NamedFolder,
  { now, signal }: Search,
): Promise<NamedSeries[]> {
  const folders = await findFolders(path, { now, signal });
  const found: NamedSeries[] = [];
  const word = pathWord(shown, platform);
  for (const { history, isSelected = () => true } of folders) {
    const within = nameInFolder(path, history.folder);
    for (const series of seriesOf(history, now)) {
      const names = [...history.files.keys()].filter((name) => series.names.matches(name));
      const isAsked = names.length === 0 || names.some(isSelected);
      const isBelow = within !== '' && !/^\.\.(?:\/|$)/.test(within);
      const label = isBelow ? `${within}/${series.names.output}` : series.names.output;
      if (isAsked)
        found.push({ label, viewed: { path, shown, word, history, series, isSelected } });
    }
  }
  if (found.length > 0) return found;

  const name = printable(shown);
  if (folders.length > 0) {
    throw new UsageError(`The history of ${name} has no series that can be read.`, {
      hint: `adreport check ${word} shows what is wrong with it. Or name the files.`,
    });
  }
  throw noHistory(shown, 'Name the files, or a folder filled by adreport run --split.');
}

export function specOf({ series }: ViewedSeries): FolderSpec {
  return series.current.spec;
}
