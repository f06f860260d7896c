import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { FolderSpec } from '../../folder/history.ts';
import { isHistoryName } from '../../output/file/file-name.ts';
import { expectNoUrlToRead } from '../../output/file/url.ts';
import { printable } from '../../text/printable.ts';
import type { ViewOptions } from '../view-flags.ts';
import type { ViewHost } from '../view-tools.ts';
import { openSeries, type Search, specOf, type ViewedSeries } from './folder-series.ts';
import type { KnownFiles } from './known-files.ts';
import type { SourceFile } from './source-file.ts';

/** Path of the command line: a series of a folder, or a file. */
export type Source = { readonly viewed: ViewedSeries } | { readonly file: SourceFile };

interface Opening {
  readonly host: ViewHost;
  readonly options: ViewOptions;
  readonly search: Search;
  readonly knownFiles: KnownFiles;
  readonly warnings: string[];
}

export async function openSources(paths: readonly string[], opening: Opening): Promise<Source[]> {
  const sources: Source[] = [];
  for (const path of paths) {
    expectNoUrlToRead(path);
    sources.push(await openSource(path, opening));
  }
  const hasFolder = sources.some((source) => 'viewed' in source);
  if (opening.options.series !== undefined && !hasFolder) {
    throw new UsageError('--series is for folders.', { about: { flag: '--series' } });
  }
  return sources;
}

async function openSource(path: string, opening: Opening): Promise<Source> {
  const { host, options, search, knownFiles, warnings } = opening;
  if (path === '-') return { file: { path, shown: 'stdin' } };
  if (path === '') {
    throw new UsageError('The path is empty.', { hint: 'Give a report file or a folder.' });
  }

  const absolute = resolve(host.cwd, path);
  const stats = await stat(absolute).catch(() => undefined);
  if (stats?.isDirectory()) {
    const folder = { path: absolute, shown: path, platform: host.platform };
    return { viewed: await openSeries(folder, options.series, search) };
  }
  if (!stats && path.includes('*')) throw patternError(path);
  if (isHistoryName(basename(path))) throw historyFileError(path);

  const file = { path: absolute, shown: path, sizeBytes: stats?.isFile() ? stats.size : undefined };
  if (!stats?.isFile()) return { file };

  const known = await knownFiles.entryOf(absolute);
  if (known === 'changed') {
    warnings.push(`${printable(path)} has changed since its download.`);
    return { file };
  }
  return { file: { ...file, ...known } };
}

function patternError(path: string): UsageError {
  return new UsageError(`No file is named ${printable(path)}.`, {
    hint: 'Some shells leave a * as it is: name the folder, or each file.',
  });
}

function historyFileError(path: string): UsageError {
  const folder = printable(dirname(path));
  return new UsageError(`${printable(path)} is the history of a folder.`, {
    hint: `View the folder: adreport view ${folder}`,
  });
}

export function specOfSource(source: Source): FolderSpec | undefined {
  return 'viewed' in source ? specOf(source.viewed) : source.file.entry?.own?.spec;
}
