import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Declaration } from '../../folder/declaration.ts';
import { declarationError, readDeclaration } from '../../folder/declaration-file.ts';
import { findMismatch } from '../../folder/due.ts';
import { findFolders, type PathArgument } from '../../folder/find-folders.ts';
import { readFolder } from '../../folder/folder-snapshot.ts';
import type { FileLine } from '../../folder/history-schema.ts';
import { findPart } from '../../folder/parts.ts';
import type { CalendarUnit } from '../../query/calendar.ts';
import { refuseUrlToRead } from '../../query/url.ts';
import type { Context } from '../../run/context.ts';
import { printable } from '../../text/printable.ts';

/** A file to read. */
export interface SourceFile {
  /** Absolute path, or `-` for stdin. */
  readonly path: string;

  /** Path to show in messages, without control characters. */
  readonly displayPath: string;

  /** Only set if the file matches its line in the history of a declared folder. */
  readonly record?: FileRecord | undefined;
}

interface FileRecord {
  readonly declaration: Declaration;
  readonly line: FileLine;

  /** Days of the report. */
  readonly part: CalendarUnit;
}

/** A declared folder named on the command line. */
export interface DeclaredFolder {
  /** Path as typed, for messages. The folder may be below this path. */
  readonly displayPath: string;

  /** Absolute path. */
  readonly path: string;
  readonly declaration: Declaration;
}

/** Folders and files named on the command line. */
export interface OpenedPaths {
  readonly folders: readonly DeclaredFolder[];

  readonly files: readonly SourceFile[];

  /** Warnings about named files that have changed since they were downloaded. */
  readonly warnings: readonly string[];
}

/** A named file in a declared folder. */
interface FileInFolder extends SourceFile {
  /** Path relative to the folder, with slashes. */
  readonly name: string;
}

/**
 * Finds the folders and files at the given paths.
 *
 * @throws UsageError for a folder that is not declared, or contains several declared folders
 */
export async function openPaths(
  paths: readonly string[],
  host: Context['host'],
): Promise<OpenedPaths> {
  const { cwd, signal } = host;
  const folders: DeclaredFolder[] = [];
  const files: SourceFile[] = [];
  const inFolders = new Map<string, FileInFolder[]>();
  for (const input of paths) {
    refuseUrlToRead(input);
    if (input === '-') {
      files.push({ path: '-', displayPath: 'stdin' });
      continue;
    }
    const path = { absolute: resolve(cwd, input), displayPath: input };
    const stats = await stat(path.absolute).catch(() => undefined);
    if (stats?.isDirectory()) {
      folders.push(await openFolder(path, host));
      continue;
    }
    const [found] = stats ? await findFolders(path, signal).catch(() => []) : [];
    const { folder = '', file: name } = found ?? {};
    const file = { path: path.absolute, displayPath: printable(input) };
    if (name === undefined) files.push(file);
    else inFolders.set(folder, [...(inFolders.get(folder) ?? []), { ...file, name }]);
  }

  const warnings: string[] = [];
  for (const [folder, named] of inFolders) {
    const identified = await identifyFiles(folder, named, signal);
    files.push(...identified.files);
    warnings.push(...identified.warnings);
  }
  return { folders, files, warnings };
}

async function openFolder(
  input: PathArgument,
  { platform, signal }: Context['host'],
): Promise<DeclaredFolder> {
  const { absolute, displayPath } = input;
  const [found, ...others] = await findFolders(input, signal);
  if (!found || others.length > 0) {
    throw new UsageError(`${printable(displayPath)} has ${others.length + 1} declared folders.`, {
      hint: 'Pass one of them, or the files.',
    });
  }
  const path = found.folder;
  const file = await readDeclaration(path);
  if (file.kind === 'valid') return { displayPath, path, declaration: file.declaration };
  throw declarationError(file, {
    displayPath: join(displayPath, relative(absolute, path)),
    platform,
  });
}

/**
 * Finds the history lines of the named files. Files without a line, and changed files, are read as
 * if they were not in a folder. Changed files cause a warning.
 */
async function identifyFiles(
  folder: string,
  named: readonly FileInFolder[],
  signal: AbortSignal,
): Promise<Pick<OpenedPaths, 'files' | 'warnings'>> {
  const file = await readDeclaration(folder);
  if (file.kind !== 'valid') return { files: named, warnings: [] };

  const { declaration } = file;
  const selection = { names: new Set(named.map(({ name }) => name)) };
  const snapshot = await readFolder(folder, declaration, { selection, signal, computeHash: true });
  const files: SourceFile[] = [];
  const warnings: string[] = [];
  for (const { path, displayPath, name } of named) {
    const line = snapshot.history.lines.get(name);
    const part = findPart(name, declaration);
    const mismatch = findMismatch(name, snapshot);
    if (mismatch === 'changed')
      warnings.push(`${displayPath} has changed since it was downloaded.`);
    const isKnown = line && part && mismatch === undefined;
    files.push({ path, displayPath, record: isKnown ? { declaration, line, part } : undefined });
  }
  return { files, warnings };
}
