import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Node } from 'yaml';
import { codeOf, UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { ProjectChoice } from './settings.ts';

/** The name under which a project file is found. */
export const projectFileName = 'adreport.yaml';

/** `adreport.yaml`: reports by name, and what holds for all of them (`cli.md`, Cron). */
export type ProjectFile = Awaited<ReturnType<typeof readProjectFile>>;

/** `defaults`, or one of `reports`. */
export type SavedSection = ProjectFile['defaults'];

/** One key of a saved report, with its value as it stands in the file. */
export interface SavedEntry {
  readonly line: number;
  /** One text, or those of a list; a mapping's are `key=v1,v2`, as `--filter` takes them. */
  readonly texts: readonly string[];
  readonly isList: boolean;
}

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

/**
 * The account and its settings that the project file of a folder gives to every command; its reports are not looked at.
 * Throws `UsageError` for a file that cannot be read or is not YAML. In a folder further up, which may be anybody's, such
 * a file is said and passed over.
 */
export async function readProjectDefaults(folder: string, warn: (sentence: string) => void): Promise<ProjectChoice> {
  const path = findProjectFile(folder);
  if (path === undefined) return {};
  try {
    const { content } = await readYaml(path, path);
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

/**
 * A YAML file as plain values, in which every scalar is a text as it was written: `2026`, `0012` and `2026-11-01` mean
 * what they look like; and the line of the key to which names lead. Throws `UsageError`, with the line where there is one.
 */
async function readYaml(path: string, shownPath: string) {
  const fault = (line: number, problem: string) => projectError(shownPath, [{ line, problem }]);
  let text: string;
  try {
    const stats = statSync(path);
    // A pipe that nobody writes to and a device have no end.
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > bytesAtMost) throw new Error('it is larger than 1 MB');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new UsageError(`${path} could not be read: ${why}.`);
  }
  // It takes a fifth of the program's start, and most folders have no such file.
  const { isMap, LineCounter, parseDocument } = (await import('yaml')).default;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, schema: 'failsafe' });
  const [broken] = document.errors;
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    throw fault(line, `this is not YAML: ${broken.message.replace(/\.?$/, '.')}`);
  }
  const lineOf = (names: readonly string[]): number => {
    let line = 1;
    let node: unknown = document.contents;
    for (const name of names) {
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === name) : undefined;
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
    throw fault(1, `there are more than ${aliasesAtMost} aliases, or one that stands for itself.`);
  }
}

/** The error for what is wrong with a project file, a line each: `adreport.yaml:12: there is no key perid.` */
export function projectError(path: string, faults: readonly ProjectFault[]): UsageError {
  const code = 'BAD_PROJECT_FILE';
  const [first, second] = faults;
  if (first && !second) return new UsageError(`${path}:${first.line}: ${first.problem}`, { code, hint: first.hint });
  const lines = faults.map(({ line, problem, hint = '' }) => `${path}:${line}: ${problem} ${hint}`.trimEnd());
  return new UsageError(lines.join('\n'), { code });
}

/**
 * Reads a project file, whose path messages name as `shownPath`. Throws one `UsageError` for a file that cannot be read, or
 * that names every fault with its line: a key that is not among `keys`, which a saved report may have, with the nearest that
 * is; a value of the wrong kind; a key that looks like a secret.
 */
export async function readProjectFile(path: string, shownPath: string, keys: readonly string[]) {
  const { content, lineOf } = await readYaml(path, shownPath);
  const faults: ProjectFault[] = [];
  const addFault = (place: readonly string[], problem: string, hint?: string): void =>
    void faults.push({ line: lineOf(place), problem, hint });

  /** The members of a mapping whose keys are known; each other key is a fault. */
  const membersOf = (value: unknown, place: readonly string[], known?: readonly string[]): [string, unknown][] => {
    if (!isObject(value)) {
      if (value) addFault(place, `${place.at(-1) ?? 'The file'} must hold keys with values.`, 'See: adreport init');
      return [];
    }
    return Object.entries(value).filter(([key]) => {
      const fault = known && !known.includes(key) ? unknownKey(key, known) : undefined;
      if (fault) addFault([...place, key], ...fault);
      return !fault;
    });
  };
  /** A text, or those of a list; those of a mapping as `--filter` takes them. */
  const textsOf = (value: unknown, place: readonly string[]): string[] => {
    const key = place.at(-1);
    if (isObject(value) && key === 'filter') {
      const quoted = (text: string) => (/[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      return Object.entries(value).map(([name, one]) => {
        const texts = textsOf(one, [...place, name]).map(quoted);
        return `${name}=${texts.join(',')}`;
      });
    }
    const items = [value].flat();
    const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
    if (texts.length === 0 || texts.length < items.length) {
      addFault(place, `${key} takes a value or a list of values.`, 'Leave the key out, or give it one.');
    }
    return texts;
  };
  const sectionOf = (value: unknown, place: readonly string[]) => {
    const entries = new Map<string, SavedEntry>();
    for (const [name, member] of membersOf(value, place, [...keys, 'windowClock'])) {
      const at = [...place, name];
      const entry = { line: lineOf(at), texts: textsOf(member, at), isList: typeof member !== 'string' };
      entries.set(name === 'windowClock' ? 'window-clock' : name, entry);
    }
    return { line: lineOf(place), entries };
  };

  const top = Object.fromEntries(membersOf(content, [], ['defaults', 'reports']));
  const defaults = sectionOf(top.defaults, ['defaults']);
  const reports = membersOf(top.reports, ['reports']).map(([name, value]) => {
    const place = ['reports', name];
    if (!/^[\p{L}\p{N}_]/u.test(name)) {
      addFault(place, `${JSON.stringify(name)} is no name for a report.`, 'Begin with a letter or digit.');
    }
    return [name, sectionOf(value, place)] as const;
  });
  if (faults.length > 0) throw projectError(shownPath, faults);
  return { path, shownPath, defaults, reports: new Map(reports) };
}

/** A secret, or an address that one is sent to. */
const forbidden = /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

/** Why a key must not be there, and what to do. */
function unknownKey(key: string, known: readonly string[]): [problem: string, hint: string] {
  if (forbidden.test(key)) {
    return [
      `${key} must not stand in this file: no secret, and no address that one is sent to.`,
      'Name a stored account with account: (adreport login), or set ADREPORT_TOKEN and ADREPORT_BASE_URL.',
    ];
  }
  const guess = nearest(key.replaceAll('_', '-'), known);
  return [`there is no key ${key}.`, guess ? `Did you mean ${guess}?` : `There are ${known.join(', ')}.`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
