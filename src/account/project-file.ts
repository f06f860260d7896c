import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Node } from 'yaml';
import type { core, ZodType } from 'zod';
import { UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { printable } from '../text/printable.ts';
import { readSmallFile } from '../text/small-file.ts';
import { decodeUtf8 } from '../text/utf8.ts';
import { type ProjectChoice, settingOfFileKey } from './settings.ts';

export const projectFileName = 'adreport.yaml';

/** Parsing 60,000 keys would take minutes. */
const maxProjectFileBytes = 64 * 1024;

/** Content of `adreport.yaml`. */
export interface ProjectFile {
  readonly path: string;
  readonly shownPath: string;
  readonly defaults: SavedSection;
  readonly reports: ReadonlyMap<string, SavedSection>;
}

/** `defaults`, or one of `reports`. */
export interface SavedSection {
  readonly line: number;

  /** Values by flag name without dashes. */
  readonly entries: ReadonlyMap<string, SavedEntry>;
}

export interface SavedEntry {
  readonly line: number;

  /** One value, or those of a list; a mapping becomes `key=v1,v2`, the form of `--filter`. */
  readonly texts: readonly string[];
}

export interface ProjectFileError {
  readonly line: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Returns the nearest `adreport.yaml`, in a folder or above; `undefined` if there is none. */
export function findProjectFile(folder: string): string | undefined {
  const path = join(folder, projectFileName);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? undefined : findProjectFile(dirname(folder));
}

/** Also accepts `windowClock`, the name in the settings file. */
function keyOf(name: string): string {
  return name === 'windowClock' ? 'window-clock' : name;
}

/**
 * Reads the account settings of the project file for all commands, but not its reports. Throws
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

function settingsOf({ value }: YamlFile): ProjectChoice {
  const { defaults } = Object(value);
  const choice: Record<string, string> = {};

  for (const [name, text] of Object.entries(Object(defaults))) {
    const key = settingOfFileKey(keyOf(name));
    if (key !== undefined && text !== null) choice[key] = String(text);
  }
  return choice;
}

interface YamlFile {
  /** Scalars are strings as written, such as `2026`, `0012` and `2026-11-01`; `null` if empty. */
  readonly value: unknown;

  /** Finds the line of the key at the end of a path, or of the last one before it. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Throws `UsageError` for a file that cannot be read or is not YAML. */
async function readYaml(path: string, shownPath: string): Promise<YamlFile> {
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
      ? 'it is nested too deeply: use plain values or lists.'
      : `invalid YAML: ${broken.message.replace(/\.?$/, '.')}`;
    throw projectError(shownPath, [{ line, message }]);
  }

  const lineOf = (keys: readonly PropertyKey[]): number => {
    let node: unknown = document.contents;
    let line = 1;
    for (const name of keys) {
      const target = yaml.isAlias(node) ? node.resolve(document) : node;
      const pairs = yaml.isMap<Node, Node | null>(target) ? target.items : [];
      const pair = pairs.find(({ key }) => String(key) === name);
      if (!pair) break;
      line = lines.linePos(pair.key.range?.[0] ?? 0).line;
      node = pair.value;
    }
    return line;
  };
  try {
    const reviver = (_name: unknown, value: unknown) => (value === '' ? null : value);
    return { value: document.toJS({ maxAliasCount: 100, reviver }), lineOf };
  } catch {
    const message = 'the file has more than 100 aliases, or one that refers to itself.';
    throw projectError(shownPath, [{ line: 1, message }]);
  }
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

/** Formats the mistakes as `adreport.yaml:12: unknown key perid.`, one per line. */
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

/** Value of one key as a schema reads it. */
type KeyValue = Scalar | readonly Scalar[] | Readonly<Record<string, Scalar | readonly Scalar[]>>;

type Scalar = string | number | boolean;

type Keys = Readonly<Record<string, KeyValue>>;

/** Content of a project file as a schema reads it. */
export interface ProjectContent {
  readonly defaults?: Keys | null | undefined;
  readonly reports?: Readonly<Record<string, Keys | null>> | null | undefined;
}

/** Throws one `UsageError` with all mistakes in the file and their lines. */
export async function readProjectFile(
  path: string,
  shownPath: string,
  schema: ZodType<ProjectContent | null>,
): Promise<ProjectFile> {
  const { value, lineOf } = await readYaml(path, shownPath);
  const { data, error } = schema.safeParse(value);
  if (error) {
    const errors = error.issues.flatMap((issue) => errorsOfIssue(issue, lineOf));
    throw projectError(shownPath, errors);
  }

  const readSection = (keys: Keys | null | undefined, place: readonly string[]): SavedSection => {
    const entries = new Map<string, SavedEntry>();
    for (const [name, text] of Object.entries(keys ?? {})) {
      entries.set(keyOf(name), { line: lineOf([...place, name]), texts: textsIn(text) });
    }
    return { line: lineOf(place), entries };
  };
  const reports = new Map<string, SavedSection>();
  for (const [name, keys] of Object.entries(data?.reports ?? {})) {
    reports.set(name, readSection(keys, ['reports', name]));
  }
  return { path, shownPath, defaults: readSection(data?.defaults, ['defaults']), reports };
}

/** Makes one error for each unknown key, or one for an invalid value. */
function errorsOfIssue(issue: core.$ZodIssue, lineOf: YamlFile['lineOf']): ProjectFileError[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys') {
    // The message of such an issue is the list of known keys.
    const allowed = message.split(', ');
    return issue.keys.map((name) => unknownKey(name, lineOf([...path, name]), allowed));
  }
  const subject = path.length === 0 ? 'The file' : printable(String(path.at(-1)));
  return [{ line: lineOf(path), message: `${subject} ${message}` }];
}

/** Formats a mapping as `key=v1,v2`, the form of `--filter`. */
function textsIn(value: KeyValue): string[] {
  if (typeof value !== 'object') return [String(value)];
  if (Array.isArray(value)) return value.map(String);

  return Object.entries<Scalar | readonly Scalar[]>({ ...value }).map(([name, values]) => {
    return `${name}=${textsIn(values).map(quotedValue).join(',')}`;
  });
}

/** Quotes a value for a comma list if it has commas, quotes or outer blanks. */
function quotedValue(text: string): string {
  const needsQuotes = /[",]/.test(text) || text !== text.trim();
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Matches keys of secrets, and of the URL that receives them. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

function unknownKey(name: string, line: number, keys: readonly string[]): ProjectFileError {
  if (forbidden.test(name)) {
    const message = `${name} is not allowed in this file: it must not contain secrets or base URLs.`;
    const instead = 'Name a stored account with account: (adreport login)';
    return { line, message, hint: `${instead}, or set ADREPORT_TOKEN and ADREPORT_BASE_URL.` };
  }
  const suggestion = nearest(name.replaceAll('_', '-'), keys);
  const hint = didYouMean(suggestion, `Choose from ${keys.join(', ')}.`);
  return { line, message: `Unknown key “${name}”.`, hint };
}
