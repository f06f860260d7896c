import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Document, LineCounter, Node } from 'yaml';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { readSmallFile } from '../text/small-file.ts';
import { type ProjectChoice, settingOfFileKey } from './settings.ts';

/** The name under which a project file is found. */
export const projectFileName = 'adreport.yaml';

/** Such a file is written by hand; reading 60,000 keys would take minutes. */
const projectFileBytesAtMost = 64 * 1024;

/** `adreport.yaml`: reports by name, and what holds for all of them (`cli.md`, Cron). */
export interface ProjectFile {
  readonly path: string;

  /** The path as messages name it. */
  readonly shownPath: string;
  readonly defaults: SavedSection;
  readonly reports: ReadonlyMap<string, SavedSection>;
}

/** `defaults`, or one of `reports`. */
export interface SavedSection {
  readonly line: number;

  /** The values by their keys, which are the names of flags without their dashes. */
  readonly entries: ReadonlyMap<string, SavedEntry>;
}

/** One key of a saved report, with its value as it stands in the file. */
export interface SavedEntry {
  readonly line: number;

  /** One text, or those of a list; a mapping's are `key=v1,v2`, as `--filter` takes them. */
  readonly texts: readonly string[];
  readonly isList: boolean;
}

/** One thing that is wrong with a project file, in its line. */
export interface ProjectFileError {
  readonly line: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * The path of the `adreport.yaml` in a folder or the nearest one above it; `undefined` where there
 * is none.
 */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, projectFileName);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectFile(dirname(folder));
}

/**
 * The key that a name in the file means: the clock of the window may be spelt as it is stored, too.
 */
function keyOf(name: string): string {
  return name === 'windowClock' ? 'window-clock' : name;
}

/**
 * The account and its settings that the project file of a folder gives to every command; its
 * reports are not looked at. Throws `UsageError` for a file that cannot be read or is not YAML. In
 * a folder further up, which may be anybody's, such a file is said and passed over.
 */
export async function readProjectDefaults(
  folder: string,
  warn: (sentence: string) => void,
): Promise<ProjectChoice> {
  const path = findProjectFile(folder);
  if (path === undefined) return {};

  try {
    return settingsOf(await readYaml(path, path));
  } catch (error) {
    const isOfThisFolder = dirname(path) === folder;
    if (isOfThisFolder || !(error instanceof UsageError)) throw error;
    warn(`${error.message} It is passed over.`);
    return {};
  }
}

function settingsOf(file: Member): ProjectChoice {
  const sections = file.members() ?? [];
  const defaults = sections.find(({ name }) => name === 'defaults');
  const choice: Record<string, string> = {};

  for (const { name, value } of defaults?.members() ?? []) {
    const key = settingOfFileKey(keyOf(name));
    if (key !== undefined && value !== '') choice[key] = String(value);
  }
  return choice;
}

/** What stands behind a key, with the key's line. */
interface Member {
  readonly name: string;
  readonly line: number;
  readonly value: unknown;

  /** The members of a mapping, `undefined` for what is none. */
  members(): Member[] | undefined;
}

/**
 * A YAML file, in which every scalar is a text as it was written: `2026`, `0012` and `2026-11-01`
 * mean what they look like. Throws `UsageError` for a file that is not read or is not YAML.
 */
async function readYaml(path: string, shownPath: string): Promise<Member> {
  const text = readText(path);
  // It takes a fifth of the program's start, and most folders have no such file.
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'failsafe',
    // Its warnings would go to stderr as Node's.
    logLevel: 'error',
  });

  const [broken] = document.errors;
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const isTooDeep = broken.code === 'RESOURCE_EXHAUSTION';
    const message = isTooDeep
      ? 'it is nested too deeply: a key has a value or a list of values.'
      : `this is not YAML: ${broken.message.replace(/\.?$/, '.')}`;
    throw projectError(shownPath, [{ line, message }]);
  }
  try {
    document.toJS({ maxAliasCount: 100 });
  } catch {
    const message = 'there are more than 100 aliases, or one that stands for itself.';
    throw projectError(shownPath, [{ line: 1, message }]);
  }

  const nodes = new NodeReader(yaml, document, lines);
  return nodes.memberOf('The file', 1, document.contents);
}

function readText(path: string): string {
  try {
    return readSmallFile(path, projectFileBytesAtMost).toString('utf8');
  } catch (error) {
    throw new UsageError(`${path} could not be read: ${(error as Error).message}.`, {
      hint: 'Give a file like the one that adreport init writes.',
    });
  }
}

/** Makes members of the nodes of one YAML document. */
class NodeReader {
  readonly #yaml: typeof import('yaml');
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(yaml: typeof import('yaml'), document: Document, lines: LineCounter) {
    this.#yaml = yaml;
    this.#document = document;
    this.#lines = lines;
  }

  memberOf(name: string, line: number, node: Node | null | undefined): Member {
    const target = this.#yaml.isAlias(node) ? node.resolve(this.#document) : node;
    return {
      name,
      line,
      value: target?.toJS(this.#document),
      members: () => this.#membersOf(target),
    };
  }

  #membersOf(node: Node | null | undefined): Member[] | undefined {
    if (!this.#yaml.isMap<Node, Node | null>(node)) return undefined;
    return node.items.map(({ key, value }) => {
      const offset = key.range?.[0] ?? 0;
      return this.memberOf(String(key), this.#lines.linePos(offset).line, value);
    });
  }
}

/**
 * The error for what is wrong with a project file, a line each:
 * `adreport.yaml:12: there is no key perid.`
 */
export function projectError(path: string, errors: readonly ProjectFileError[]): UsageError {
  const code = 'BAD_PROJECT_FILE';
  const [first, second] = errors;
  if (first && !second) {
    return new UsageError(`${path}:${first.line}: ${first.message}`, { code, hint: first.hint });
  }
  const lines = errors.map(({ line, message, hint = '' }) =>
    `${path}:${line}: ${message} ${hint}`.trimEnd(),
  );
  return new UsageError(lines.join('\n'), { code });
}

/**
 * Reads a project file, whose saved reports may have `keys`, and which messages call `shownPath`.
 * Throws one `UsageError` for a file that cannot be read, or that names every error with its line.
 */
export async function readProjectFile(
  path: string,
  shownPath: string,
  keys: readonly string[],
): Promise<ProjectFile> {
  const file = await readYaml(path, shownPath);
  const reader = new SectionReader(keys);

  const sections = reader.membersOf(file, ['defaults', 'reports']);
  const sectionNamed = (name: string): Member =>
    sections.find((section) => section.name === name) ?? emptySection;
  const defaults = reader.sectionOf(sectionNamed('defaults'));
  const saved = reader.membersOf(sectionNamed('reports'));
  for (const report of saved) reader.checkName(report);

  const reports = new Map<string, SavedSection>();
  for (const report of saved) reports.set(report.name, reader.sectionOf(report));

  if (reader.errors.length > 0) throw projectError(shownPath, reader.errors);
  return { path, shownPath, defaults, reports };
}

const emptySection: Member = { name: '', line: 1, value: undefined, members: () => undefined };

/** Reads the sections of a project file, and collects what is wrong with them. */
class SectionReader {
  readonly errors: ProjectFileError[] = [];
  readonly #keys: readonly string[];

  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  sectionOf(section: Member): SavedSection {
    const entries = new Map<string, SavedEntry>();
    for (const member of this.membersOf(section, this.#keys)) {
      const { line, value } = member;
      const isList = typeof value !== 'string';
      entries.set(keyOf(member.name), { line, texts: this.#textsOf(member), isList });
    }
    return { line: section.line, entries };
  }

  /** The members of a mapping; where its keys are known, each other key is an error. */
  membersOf(mapping: Member, keys?: readonly string[]): Member[] {
    const { name, line, value } = mapping;
    const members = mapping.members();
    if (!members && value) {
      const message = `${name} must hold keys with values.`;
      this.errors.push({ line, message, hint: 'See: adreport init' });
    }

    const accepted: Member[] = [];
    for (const member of members ?? []) {
      if (!keys || keys.includes(keyOf(member.name))) accepted.push(member);
      else this.errors.push(unknownKey(member, keys));
    }
    return accepted;
  }

  checkName({ name, line }: Member): void {
    if (/^[\p{L}\p{N}_]/u.test(name)) return;
    const message = `${quoted(name)} is no name for a report.`;
    this.errors.push({ line, message, hint: 'Begin with a letter or digit.' });
  }

  /** A text, or those of a list; those of a mapping as `--filter` takes them. */
  #textsOf(member: Member): string[] {
    const filters = member.name === 'filter' ? member.members() : undefined;
    if (filters) return filters.map((filter) => this.#filterText(filter));

    const { name, line, value } = member;
    const items = [value].flat();
    const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
    if (texts.length === 0 || texts.length < items.length) {
      const message = `${name} takes a value or a list of values.`;
      this.errors.push({ line, message, hint: 'Leave the key out, or give it one.' });
    }
    return texts;
  }

  #filterText(filter: Member): string {
    const values = this.#textsOf(filter).map(quotedValue);
    return `${filter.name}=${values.join(',')}`;
  }
}

/**
 * A value as it stands in a list of values: in double quotes where a comma or a blank would be read
 * as none of it.
 */
function quotedValue(text: string): string {
  const needsQuotes = /[",]/.test(text) || text !== text.trim();
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A secret, or an address that one is sent to. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

function unknownKey({ name, line }: Member, keys: readonly string[]): ProjectFileError {
  if (forbidden.test(name)) {
    const message = `${name} must not stand in this file: no secret, and no address that one is sent to.`;
    const instead = 'Name a stored account with account: (adreport login)';
    return { line, message, hint: `${instead}, or set ADREPORT_TOKEN and ADREPORT_BASE_URL.` };
  }
  const meant = nearest(name.replaceAll('_', '-'), keys);
  const hint = didYouMean(meant, `There are ${keys.join(', ')}.`);
  return { line, message: `there is no key ${name}.`, hint };
}
