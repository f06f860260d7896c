import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { unknownKeyIssue } from '../query/saved-report.ts';
import { fileError, readYamlFile, type YamlFile, type YamlSection } from '../query/yaml-file.ts';
import { findEntry, type ProjectChoice, projectKeys } from './settings.ts';

export const projectFileName = 'adreport.yaml';

export interface ProjectFile {
  readonly path: string;
  readonly displayPath: string;
  readonly defaults: YamlSection;
  readonly reportNames: readonly string[];

  /** Returns a saved report. Throws `UsageError` if it is not a mapping. */
  report(name: string): YamlSection;
}

/** Returns the path of the nearest `adreport.yaml` in a folder or its parents, if any. */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, projectFileName);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectFile(dirname(folder));
}

/**
 * Reads `adreport.yaml`. Throws `UsageError` if the file cannot be read, or if it has top-level
 * keys other than `defaults` and `reports`.
 *
 * @param displayPath path for messages
 */
export async function readProjectFile(path: string, displayPath: string): Promise<ProjectFile> {
  const file = await readYamlFile(path, displayPath);
  const members = ['defaults', 'reports'];
  for (const [name, { line }] of file.section().entries) {
    if (!members.includes(name)) throw fileError(displayPath, unknownKeyIssue(name, line, members));
  }

  const reportNames = [...file.section('reports').entries.keys()];
  const report = (name: string) => file.section('reports', name);
  return { path, displayPath, defaults: file.section('defaults'), reportNames, report };
}

/**
 * Reads only the account settings that apply to all commands. Throws `UsageError` if the file
 * cannot be read or is not YAML. An invalid file in a parent folder only causes a warning, because
 * it may belong to someone else.
 */
export async function readProjectDefaults(
  folder: string,
  warn: (message: string) => void,
): Promise<ProjectChoice> {
  const path = findProjectFile(folder);
  if (path === undefined) return {};

  try {
    return readChoice(await readYamlFile(path, path));
  } catch (error) {
    const isInThisFolder = dirname(path) === folder;
    if (isInThisFolder || !(error instanceof UsageError)) throw error;
    warn(`${error.message} Ignoring it.`);
    return {};
  }
}

function readChoice(file: YamlFile): ProjectChoice {
  const choice: Record<string, string> = {};
  const { entries } = file.section('defaults');
  for (const key of projectKeys) {
    const value = entries.get(findEntry(key).name)?.value;
    if (typeof value === 'string') choice[key] = value;
    if (Array.isArray(value)) choice[key] = value.join(',');
  }
  return choice;
}
