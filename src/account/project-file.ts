import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Document, LineCounter, Node } from 'yaml';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';
import { readSmallFile } from '../text/small-file.ts';
import { decodeUtf8 } from '../text/utf8.ts';
import { type ProjectChoice, settingOfFileKey } from './settings.ts';

export const projectFileName = 'adreport.yaml';

/** Parsing 60,000 keys would take minutes. */
const maxProjectFileBytes = 64 * 1024;

/** `adreport.yaml`: saved reports, and their defaults. */
export interface ProjectFile {
  readonly path: string;

  /** The path in messages. */
  readonly shownPath: string;
  readonly defaults: SavedSection;
  readonly reports: ReadonlyMap<string, SavedSection>;
}

/** `defaults`, or one of `reports`. */
export interface SavedSection {
  readonly line: number;

  /** Values by key: the names of flags without dashes. */
  readonly entries: ReadonlyMap<string, SavedEntry>;
}

/** The value of one key of a saved report. */
export interface SavedEntry {
  readonly line: number;

  /** One text, or those of a list; a mapping becomes `key=v1,v2`, the form of `--filter`. */
  readonly texts: readonly string[];
  readonly isList: boolean;
}

/** One mistake in a project file. */
export interface ProjectFileError {
  readonly line: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The path of the nearest `adreport.yaml`, in a folder or above; `undefined` if there is none. */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, projectFileName);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectFile(dirname(folder));
}

/** The key of a name in the file. `windowClock`, the name in the settings file, is accepted too. */
function keyOf(name: string): string {
  return name === 'windowClock' ? 'window-clock' : name;
}

/**
 * The account settings of the project file for all commands; its reports are not read. Throws
 * `UsageError` for a file that cannot be read or is not YAML; in a parent folder, which may belong
 * to someone else, that is only a warning.
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
    warn(`${error.message} Ignoring it.`);
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

/** A key with its value and line. */
interface Member {
  readonly name: string;
  readonly line: number;
  readonly value: unknown;

  /** The members of a mapping; `undefined` for any other value. */
  members(): Member[] | undefined;
}

/**
 * Parses a YAML file. All scalars stay texts as written, such as `2026`, `0012` and `2026-11-01`.
 * Throws `UsageError` for a file that cannot be read or is not YAML.
 */
async function readYaml(path: string, shownPath: string): Promise<Member> {
  const text = readText(path);
  // Loaded lazily: it takes a fifth of the start-up time, and most folders have no such file.
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'failsafe',
    // Its warnings would be printed on stderr by Node.
    logLevel: 'error',
  });

  const [broken] = document.errors;
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    const isTooDeep = broken.code === 'RESOURCE_EXHAUSTION';
    const message = isTooDeep
      ? 'it is nested too deeply: a key has a value or a list of values.'
      : `invalid YAML: ${broken.message.replace(/\.?$/, '.')}`;
    throw projectError(shownPath, [{ line, message }]);
  }
  try {
    document.toJS({ maxAliasCount: 100 });
  } catch {
    const message = 'the file has more than 100 aliases, or one that refers to itself.';
    throw projectError(shownPath, [{ line: 1, message }]);
  }

  const nodes = new NodeReader(yaml, document, lines);
  return nodes.memberOf('The file', 1, document.contents);
}

function readText(path: string): string {
  try {
    return decodeUtf8(readSmallFile(path, maxProjectFileBytes));
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${(error as Error).message}.`, {
      hint: 'Use a file like the one that adreport init writes.',
    });
  }
}

/** Converts the nodes of a YAML document to members. */
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

/** The error for the mistakes in a project file: `adreport.yaml:12: unknown key perid.` */
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
 * Reads a project file. Throws one `UsageError` with all mistakes and their lines.
 *
 * @param shownPath the path in messages
 * @param keys the keys that saved reports may have
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

/** Reads the sections of a project file, and collects their mistakes. */
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

  /** The members of a mapping. With `keys`, any other key is an error. */
  membersOf(mapping: Member, keys?: readonly string[]): Member[] {
    const { name, line, value } = mapping;
    const members = mapping.members();
    if (!members && value) {
      const message = `${name} must contain keys with values.`;
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
    const message = `${quoted(name)} is not a valid name for a report.`;
    this.errors.push({ line, message, hint: 'Start with a letter or digit.' });
  }

  /** One text, or those of a list; a mapping becomes `key=v1,v2`, the form of `--filter`. */
  #textsOf(member: Member): string[] {
    const filters = member.name === 'filter' ? member.members() : undefined;
    if (filters) return filters.map((filter) => this.#filterText(filter));

    const { name, line, value } = member;
    const items = [value].flat();
    const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
    if (texts.length === 0 || texts.length < items.length) {
      const message = `${name} needs a value or a list of values.`;
      this.errors.push({ line, message, hint: 'Add one, or remove the key.' });
    }
    return texts;
  }

  #filterText(filter: Member): string {
    const values = this.#textsOf(filter).map(quotedValue);
    return `${filter.name}=${values.join(',')}`;
  }
}

/** A value for a comma list, in double quotes if it has commas, quotes or outer blanks. */
function quotedValue(text: string): string {
  const needsQuotes = /[",]/.test(text) || text !== text.trim();
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Keys of secrets, and of the address that receives them. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

function unknownKey({ name, line }: Member, keys: readonly string[]): ProjectFileError {
  if (forbidden.test(name)) {
    const message = `${name} is not allowed in this file, which must not contain secrets or the address they are sent to.`;
    const instead = 'Name a stored account with account: (adreport login)';
    return { line, message, hint: `${instead}, or set ADREPORT_TOKEN and ADREPORT_BASE_URL.` };
  }
  const suggestion = nearest(name.replaceAll('_', '-'), keys);
  const hint = didYouMean(suggestion, `The keys are ${keys.join(', ')}.`);
  return { line, message: `unknown key ${name}.`, hint };
}
