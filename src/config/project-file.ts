import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { ProjectChoice } from './settings.ts';

/** The name under which a project file is found. */
export const projectFileName = 'adreport.yaml';

/** The path of the `adreport.yaml` in a folder or the nearest one above it; `undefined` where there is none. */
export function findProjectFile(folder: string): string | undefined {
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, projectFileName);
    if (existsSync(path)) return path;
    if (dirname(current) === current) return undefined;
  }
}

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

/** Reads a project file. Throws `UsageError` for one that cannot be read, or as `parseProjectFile`. */
export function readProjectFile(path: string, shownPath: string, keys: readonly string[]): ProjectFile {
  return { ...parseProjectFile(readText(path), shownPath, keys), path };
}

/**
 * The account and profile that a project file gives to every command; its reports are not looked at. Throws `UsageError`
 * for a file that cannot be read or is not YAML.
 */
export function readProjectDefaults(path: string): ProjectChoice {
  const document = parseYaml(readText(path), path, new LineCounter());
  const defaults = resolved(document, document.get('defaults', true) as Node | null);
  const given = (key: string): Record<string, string> => {
    const text = isMap(defaults) ? textOf(document, defaults.get(key, true) as Node | null) : undefined;
    return text === undefined ? {} : { [key]: text };
  };
  return { ...given('account'), ...given('profile') };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(`${path} could not be read: ${why}.`, { cause });
  }
}

function parseYaml(text: string, path: string, lines: LineCounter): Document {
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (!broken) return document;
  const problem = `this is not YAML: ${broken.message.replace(/\.?$/, '.')}`;
  throw projectError(path, [{ line: lines.linePos(broken.pos[0]).line, problem }]);
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
  const reader = new SectionReader(document, lines, keys);
  const sections = reader.readSections();
  if (reader.faults.length > 0) throw projectError(shownPath, reader.faults);
  return { shownPath, ...sections };
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

const sectionNames = ['defaults', 'reports'];

interface Pair {
  readonly key: string;
  readonly line: number;
  readonly value: Node | null;
}

class SectionReader {
  readonly faults: ProjectFault[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #keys: readonly string[];

  constructor(document: Document, lines: LineCounter, keys: readonly string[]) {
    this.#document = document;
    this.#lines = lines;
    this.#keys = keys;
  }

  readSections(): Pick<ProjectFile, 'defaults' | 'reports'> {
    let defaults: SavedSection = { line: 1, entries: new Map() };
    const reports = new Map<string, SavedSection>();
    for (const { key, line, value } of this.#pairs(this.#document.contents, 1, 'The file')) {
      if (this.#isRefused(key, line, sectionNames)) continue;
      if (key === 'defaults') {
        defaults = this.#section(value, line, 'defaults');
        continue;
      }
      for (const report of this.#pairs(value, line, 'reports')) {
        if (!/^[\p{L}\p{N}_]/u.test(report.key)) {
          this.#fault(
            report.line,
            `${JSON.stringify(report.key)} is no name for a report.`,
            'Begin with a letter or digit.',
          );
        }
        reports.set(report.key, this.#section(report.value, report.line, report.key));
      }
    }
    return { defaults, reports };
  }

  #section(node: Node | null, line: number, name: string): SavedSection {
    const entries = new Map<string, SavedEntry>();
    for (const { key, line: at, value } of this.#pairs(node, line, name)) {
      if (this.#isRefused(key, at, this.#keys)) continue;
      const entry = this.#entry(key, value, at);
      if (entry) entries.set(key, entry);
    }
    return { line, entries };
  }

  #entry(key: string, node: Node | null, line: number): SavedEntry | undefined {
    const value = resolved(this.#document, node);
    if (isMap(value)) {
      if (key !== 'filter') return this.#fault(line, `${key} takes a value or a list.`);
      const texts = this.#pairs(value, line, key).flatMap(({ key: name, line: at, value: values }) => {
        const found = this.#texts(values, at, `filter ${name}`);
        return found ? [`${name}=${found.map(quoted).join(',')}`] : [];
      });
      return { line, texts, isList: true };
    }
    const texts = this.#texts(value, line, key);
    return texts && { line, texts, isList: isSeq(value) };
  }

  /** A scalar's text as it was written, or those of a list of scalars. */
  #texts(node: Node | null, line: number, name: string): string[] | undefined {
    const value = resolved(this.#document, node);
    if (isSeq(value)) {
      const texts = value.items.map((item) => textOf(this.#document, item as Node | null));
      if (texts.length > 0 && texts.every((text) => text !== undefined)) return texts;
    }
    const text = textOf(this.#document, value);
    if (text !== undefined) return [text];
    return this.#fault(line, `${name} has no value.`, 'Leave the key out, or give it a value.');
  }

  #pairs(node: Node | null, line: number, name: string): Pair[] {
    const map = resolved(this.#document, node);
    if (isMap(map)) return map.items.map((pair) => this.#pair(pair, line));
    if (map && !(isScalar(map) && map.value === null)) {
      this.#fault(line, `${name} must hold keys with values.`, 'See a commented example with: adreport init');
    }
    return [];
  }

  #pair({ key, value }: YAMLMap['items'][number], line: number): Pair {
    const node = key as Node;
    const at = node.range ? this.#lines.linePos(node.range[0]).line : line;
    return { key: textOf(this.#document, node) ?? '', line: at, value: value as Node | null };
  }

  /** Whether a key must not be there; the reason is added to the faults. */
  #isRefused(key: string, line: number, known: readonly string[]): boolean {
    if (known.includes(key)) return false;
    if (secret.test(key)) {
      const hint =
        'Store the token with adreport login, or set ADREPORT_TOKEN, or ADREPORT_EMAIL and ADREPORT_PASSWORD.';
      this.#fault(line, `${key} looks like a secret, which must not stand in this file.`, hint);
    } else if (/^(base[-_]?url|e?mail)$/i.test(key)) {
      const hint = 'Name a stored account with account:, or set ADREPORT_BASE_URL.';
      this.#fault(line, `${key} must not stand in this file: a folder cannot say where a token is sent.`, hint);
    } else {
      const guess = nearest(key.replaceAll('_', '-'), known);
      this.#fault(line, `there is no key ${key}.`, guess ? `Did you mean ${guess}?` : `There are ${known.join(', ')}.`);
    }
    return true;
  }

  #fault(line: number, problem: string, hint?: string): undefined {
    this.faults.push({ line, problem, hint });
    return undefined;
  }
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
