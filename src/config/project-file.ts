import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml';
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
/** Each alias is looked up in the whole document. */
const aliasesAtMost = 100;

/** The path of the `adreport.yaml` in a folder or the nearest one above it; `undefined` where there is none. */
export function findProjectFile(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, projectFileName);
    if (existsSync(path)) return path;
    if (dirname(current) === current) return undefined;
  }
}

/** Reads a project file. Throws `UsageError` for one that cannot be read, or as `parseProjectFile`. */
export function readProjectFile(path: string, shownPath: string, keys: readonly string[]): ProjectFile {
  return { ...parseProjectFile(readText(path), shownPath, keys), path };
}

/**
 * The account and its settings that the project file of a folder gives to every command; its reports are not looked at.
 * Throws `UsageError` for a file that cannot be read or is not YAML. In a folder further up, which may be anybody's, such
 * a file is said and passed over.
 */
export function readProjectDefaults(folder: string, warn: (sentence: string) => void): ProjectChoice {
  const path = findProjectFile(folder);
  if (path === undefined) return {};
  try {
    return defaultsIn(readText(path), path);
  } catch (error) {
    if (dirname(path) === folder || !(error instanceof UsageError)) throw error;
    warn(`${error.message} It is passed over.`);
    return {};
  }
}

function defaultsIn(text: string, path: string): ProjectChoice {
  const document = parseYaml(text, path, new LineCounter());
  const defaults = resolved(document, document.get('defaults', true) as Node | null);
  const pairs = isMap(defaults) ? defaults.items : [];
  const texts = new Map(
    pairs.map(({ key, value }) => [keyOf(textOf(document, key as Node)), textOf(document, value as Node | null)]),
  );
  const given = (name: keyof ProjectChoice, key: string = name) => {
    const text = texts.get(key);
    return text === undefined ? {} : { [name]: text };
  };
  return { ...given('account'), ...given('profile'), ...given('encoding'), ...given('windowClock', 'window-clock') };
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

function parseYaml(text: string, path: string, lines: LineCounter): Document {
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const fail = (offset: number, problem: string) =>
    projectError(path, [{ line: lines.linePos(offset).line, problem: `${problem.replace(/\.?$/, '')}.` }]);
  const [broken] = document.errors;
  if (broken) throw fail(broken.pos[0], `this is not YAML: ${broken.message}`);
  let aliases = 0;
  visit(document, {
    Alias(_key, { range }) {
      aliases += 1;
      if (aliases > aliasesAtMost) throw fail(range?.[0] ?? 0, `there are more than ${aliasesAtMost} aliases`);
    },
  });
  return document;
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

interface Pair {
  readonly key: string;
  readonly line: number;
  readonly value: Node | null;
}

/**
 * The sections of a project file. Throws one `UsageError` that names every fault with its line: YAML that is none, a
 * key that does not exist (with the nearest that does), a value of the wrong kind, and a key that looks like a secret.
 *
 * @param keys what a saved report may say
 */
export function parseProjectFile(text: string, shownPath: string, keys: readonly string[]): Omit<ProjectFile, 'path'> {
  const lines = new LineCounter();
  const document = parseYaml(text, shownPath, lines);
  const faults: ProjectFault[] = [];
  const addFault = (line: number, problem: string, hint?: string): void => void faults.push({ line, problem, hint });

  let defaults: SavedSection = { line: 1, entries: new Map() };
  const reports = new Map<string, SavedSection>();
  for (const { key, line, value } of pairsOf(document.contents, 1, 'The file')) {
    if (isRefused(key, line, ['defaults', 'reports'])) continue;
    if (key === 'defaults') defaults = readSection(value, line, key);
    else {
      for (const report of pairsOf(value, line, key)) {
        if (!/^[\p{L}\p{N}_]/u.test(report.key)) {
          const problem = `${JSON.stringify(report.key)} is no name for a report.`;
          addFault(report.line, problem, 'Begin with a letter or digit.');
        }
        reports.set(report.key, readSection(report.value, report.line, report.key));
      }
    }
  }
  if (faults.length > 0) throw projectError(shownPath, faults);
  return { shownPath, defaults, reports };

  function readSection(node: Node | null, line: number, name: string): SavedSection {
    const entries = new Map<string, SavedEntry>();
    for (const pair of pairsOf(node, line, name)) {
      const key = keyOf(pair.key);
      if (isRefused(key, pair.line, keys)) continue;
      const entry = readEntry(key, pair.value, pair.line);
      if (entry) entries.set(key, entry);
    }
    return { line, entries };
  }

  function readEntry(key: string, node: Node | null, line: number): SavedEntry | undefined {
    const value = resolved(document, node);
    if (!isMap(value)) {
      const texts = readTexts(value, line, key);
      return texts && { line, texts, isList: isSeq(value) };
    }
    if (key !== 'filter') return void addFault(line, `${key} takes a value or a list.`);
    const texts = pairsOf(value, line, key).flatMap(({ key: name, line: at, value: values }) => {
      const found = readTexts(values, at, `filter ${name}`);
      return found ? [`${name}=${found.map(quoted).join(',')}`] : [];
    });
    return { line, texts, isList: true };
  }

  /** A scalar's text as it was written, or those of a list of scalars. */
  function readTexts(node: Node | null, line: number, name: string): string[] | undefined {
    const value = resolved(document, node);
    const items = isSeq(value) ? value.items : [value];
    const texts = items.map((item) => textOf(document, item as Node | null));
    if (texts.length > 0 && texts.every((text) => text !== undefined)) return texts;
    return void addFault(line, `${name} has no value.`, 'Leave the key out, or give it a value.');
  }

  function pairsOf(node: Node | null, line: number, name: string): Pair[] {
    const map = resolved(document, node);
    if (isMap(map)) {
      return map.items.map((pair) => {
        const key = pair.key as Node;
        const at = key.range ? lines.linePos(key.range[0]).line : line;
        return { key: textOf(document, key) ?? '', line: at, value: pair.value as Node | null };
      });
    }
    if (map && !(isScalar(map) && map.value === null)) {
      addFault(line, `${name} must hold keys with values.`, 'See a commented example with: adreport init');
    }
    return [];
  }

  /** Whether a key must not be there; the reason is added to the faults. */
  function isRefused(key: string, line: number, known: readonly string[]): boolean {
    if (known.includes(key)) return false;
    if (secret.test(key)) {
      const hint =
        'Store the token with adreport login, or set ADREPORT_TOKEN, or ADREPORT_EMAIL and ADREPORT_PASSWORD.';
      addFault(line, `${key} looks like a secret, which must not stand in this file.`, hint);
    } else if (/^(base[-_]?url|e?mail)$/i.test(key)) {
      const hint = 'Name a stored account with account:, or set ADREPORT_BASE_URL.';
      addFault(line, `${key} must not stand in this file: a folder cannot say where a token is sent.`, hint);
    } else {
      const guess = nearest(key.replaceAll('_', '-'), known);
      addFault(line, `there is no key ${key}.`, guess ? `Did you mean ${guess}?` : `There are ${known.join(', ')}.`);
    }
    return true;
  }
}

/** A key as the flag is written: `windowClock` is `window-clock`. */
function keyOf(text: string | undefined): string {
  return text === 'windowClock' ? 'window-clock' : (text ?? '');
}

/** What an alias stands for. */
function resolved(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

/** A scalar's text: `2026`, `0012` and `2026-11-01` mean what they look like, not a number that YAML makes of them. */
function textOf(document: Document, node: Node | null): string | undefined {
  const value = resolved(document, node);
  if (!isScalar(value) || value.value === null) return undefined;
  return typeof value.value === 'string' ? value.value : (value.source ?? String(value.value));
}

/** A value of a filter as `--filter` takes it. */
function quoted(text: string): string {
  return /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
