import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Node } from 'yaml';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { ProjectChoice } from './settings.ts';

/** The name under which a project file is found. */
export const projectFileName = 'adreport.yaml';

/** One key of a saved report, with its value as it stands in the file. */
export interface SavedEntry {
  readonly line: number;
  /** One text, or those of a list; a mapping's are `key=v1,v2`, as `--filter` takes them. */
  readonly texts: readonly string[];
  readonly isList: boolean;
}

/** `defaults`, or one of `reports`. */
export interface SavedSection {
  readonly line: number;
  readonly entries: ReadonlyMap<string, SavedEntry>;
}

/** `adreport.yaml`: reports by name, and what holds for all of them (`cli.md`, Cron). */
export interface ProjectFile {
  /** Absolute. */
  readonly path: string;
  /** As messages name it. */
  readonly shownPath: string;
  readonly defaults: SavedSection;
  readonly reports: ReadonlyMap<string, SavedSection>;
}

/** Something that is wrong with the file, and where. */
export interface ProjectFault {
  readonly line: number;
  readonly problem: string;
  readonly hint?: string | undefined;
}

const bytesAtMost = 1_000_000;
const aliasesAtMost = 100;

/** The path of the `adreport.yaml` in a folder or the nearest one above it; `undefined` where there is none. */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, projectFileName);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectFile(dirname(folder));
}

/** Reads a project file. Throws `UsageError` for one that cannot be read, or as `parseProjectFile`. */
export async function readProjectFile(path: string, shownPath: string, keys: readonly string[]): Promise<ProjectFile> {
  return { ...(await parseProjectFile(readText(path), shownPath, keys)), path };
}

/**
 * The account and its settings that the project file of a folder gives to every command; its reports are not looked at.
 * Throws `UsageError` for a file that cannot be read or is not YAML. In a folder further up, which may be anybody's, such
 * a file is said and passed over.
 */
export async function readProjectDefaults(folder: string, warn: (sentence: string) => void): Promise<ProjectChoice> {
  const path = findProjectFile(folder);
  if (path === undefined) return {};
  try {
    const { content } = await parseYaml(readText(path), path);
    const defaults = isObject(content) && isObject(content.defaults) ? content.defaults : {};
    const names = ['account', 'profile', 'encoding', 'windowClock', 'window-clock'];
    const given = Object.entries(defaults).filter(([name, value]) => names.includes(name) && value !== '');
    return Object.fromEntries(given.map(([name, value]) => [name.replace('-c', 'C'), String(value)]));
  } catch (error) {
    if (dirname(path) === folder || !(error instanceof UsageError)) throw error;
    warn(`${error.message} It is passed over.`);
    return {};
  }
}

function readText(path: string): string {
  const unreadable = (why: string) => new UsageError(`${path} could not be read: ${why}.`);
  try {
    const stats = statSync(path);
    // A pipe that nobody writes to and a device have no end.
    if (!stats.isFile()) throw unreadable('it is no regular file');
    if (stats.size > bytesAtMost) throw unreadable('it is larger than 1 MB');
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(code === 'ENOENT' ? 'there is no such file' : message);
  }
}

/**
 * A text of YAML as plain values, in which every scalar is a text as it was written: `2026`, `0012` and `2026-11-01` mean
 * what they look like. Throws `UsageError` with the line.
 */
async function parseYaml(text: string, shownPath: string) {
  // It takes a fifth of the program's start, and most folders have no such file.
  const { isAlias, isMap, LineCounter, parseDocument } = (await import('yaml')).default;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: 'failsafe' });
  const [broken] = document.errors;
  if (broken) {
    const problem = `this is not YAML: ${broken.message.replace(/\.?$/, '.')}`;
    throw projectError(shownPath, [{ line: lines.linePos(broken.pos[0]).line, problem }]);
  }
  const resolved = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
  /** The line of the key to which names lead. */
  const lineOf = (names: readonly string[]): number => {
    let line = 1;
    let node: unknown = document.contents;
    for (const name of names) {
      const map = resolved(node);
      const pair = isMap(map) ? map.items.find(({ key }) => String(key) === name) : undefined;
      const offset = (pair?.key as Node | undefined)?.range?.[0];
      if (offset !== undefined) line = lines.linePos(offset).line;
      node = pair?.value;
    }
    return line;
  };
  try {
    const content: unknown = document.toJS({ maxAliasCount: aliasesAtMost });
    return { content, lineOf };
  } catch {
    const problem = `there are more than ${aliasesAtMost} aliases, or one that stands for itself.`;
    throw projectError(shownPath, [{ line: 1, problem }]);
  }
}

/** The error for what is wrong with a project file: `adreport.yaml:12: there is no key perid.` */
export function projectError(path: string, faults: readonly ProjectFault[]): UsageError {
  const [first, ...others] = faults;
  const code = 'BAD_PROJECT_FILE';
  if (first && others.length === 0) {
    const { line, problem, hint } = first;
    return new UsageError(`${path}:${line}: ${problem}`, { code, ...(hint === undefined ? {} : { hint }) });
  }
  const lines = faults.map(({ line, problem, hint }) => `  - ${path}:${line}: ${problem}${hint ? ` ${hint}` : ''}`);
  return new UsageError([`${faults.length} things are wrong with ${path}:`, ...lines].join('\n'), { code });
}

const secret = /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key/i;

/**
 * The sections of a project file. Throws one `UsageError` that names every fault with its line: YAML that is none, a
 * key that does not exist (with the nearest that does), a value of the wrong kind, and a key that looks like a secret.
 *
 * @param keys what a saved report may say
 */
export async function parseProjectFile(
  text: string,
  shownPath: string,
  keys: readonly string[],
): Promise<Omit<ProjectFile, 'path'>> {
  const { content, lineOf } = await parseYaml(text, shownPath);
  const faults: ProjectFault[] = [];
  const addFault = (path: readonly string[], problem: string, hint?: string): void =>
    void faults.push({ line: lineOf(path), problem, hint });

  const top = membersOf(content, []).filter(([key]) => !isRefused([key], key, ['defaults', 'reports']));
  const sections = Object.fromEntries(top);
  const defaults = readSection(sections.defaults, ['defaults']);
  const reports = new Map<string, SavedSection>();
  for (const [name, value] of membersOf(sections.reports, ['reports'])) {
    if (!/^[\p{L}\p{N}_]/u.test(name)) {
      const problem = `${JSON.stringify(name)} is no name for a report.`;
      addFault(['reports', name], problem, 'Begin with a letter or digit.');
    }
    reports.set(name, readSection(value, ['reports', name]));
  }
  if (faults.length > 0) throw projectError(shownPath, faults);
  return { shownPath, defaults, reports };

  function readSection(section: unknown, path: readonly string[]): SavedSection {
    const entries = new Map<string, SavedEntry>();
    for (const [name, value] of membersOf(section, path)) {
      const at = [...path, name];
      const key = name === 'windowClock' ? 'window-clock' : name;
      const texts = isRefused(at, key, keys) ? undefined : readTexts(value, at, key);
      if (texts) entries.set(key, { line: lineOf(at), texts, isList: typeof value !== 'string' });
    }
    return { line: lineOf(path), entries };
  }

  /** A text, or those of a list; those of a mapping as `--filter` takes them. */
  function readTexts(value: unknown, path: readonly string[], key: string): string[] | undefined {
    if (isObject(value)) {
      if (key !== 'filter') return void addFault(path, `${key} takes a value or a list.`);
      return Object.entries(value).flatMap(([name, values]) => {
        const texts = readTexts(values, [...path, name], `filter ${name}`);
        return texts ? [`${name}=${texts.map(quoted).join(',')}`] : [];
      });
    }
    const texts = [value].flat();
    if (texts.length > 0 && texts.every((item) => typeof item === 'string' && item !== '')) return texts as string[];
    return void addFault(path, `${key} has no value.`, 'Leave the key out, or give it a value.');
  }

  function membersOf(value: unknown, path: readonly string[]): [string, unknown][] {
    if (isObject(value)) return Object.entries(value);
    if (value !== undefined && value !== null && value !== '') {
      const problem = `${path.at(-1) ?? 'The file'} must hold keys with values.`;
      addFault(path, problem, 'See a commented example with: adreport init');
    }
    return [];
  }

  /** Whether a key must not be there; the reason is added to the faults. */
  function isRefused(path: readonly string[], key: string, known: readonly string[]): boolean {
    if (known.includes(key)) return false;
    if (secret.test(key)) {
      const hint =
        'Store the token with adreport login, or set ADREPORT_TOKEN, or ADREPORT_EMAIL and ADREPORT_PASSWORD.';
      addFault(path, `${key} looks like a secret, which must not stand in this file.`, hint);
    } else if (/^(base[-_]?url|e?mail)$/i.test(key)) {
      const hint = 'Name a stored account with account:, or set ADREPORT_BASE_URL.';
      addFault(path, `${key} must not stand in this file: a folder cannot say where a token is sent.`, hint);
    } else {
      const guess = nearest(key.replaceAll('_', '-'), known);
      addFault(path, `there is no key ${key}.`, guess ? `Did you mean ${guess}?` : `There are ${known.join(', ')}.`);
    }
    return true;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of a filter as `--filter` takes it. */
function quoted(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
