import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Node } from 'yaml';
import { codeOf, UsageError } from '../errors.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
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
export async function readProjectDefaults(
  folder: string,
  warn: (sentence: string) => void,
): Promise<ProjectChoice> {
  const path = findProjectFile(folder);
  if (path === undefined) return {};
  try {
    const top = (await readYaml(path, path)).members() ?? [];
    const defaults = top.find(({ name }) => name === 'defaults')?.members() ?? [];
    const names = ['account', 'profile', 'encoding', 'windowClock', 'window-clock'];
    const given = defaults.filter(({ name, value }) => names.includes(name) && value !== '');
    return Object.fromEntries(
      given.map(({ name, value }) => [name.replace('-c', 'C'), String(value)]),
    );
  } catch (error) {
    if (dirname(path) === folder || !(error instanceof UsageError)) throw error;
    warn(`${error.message} It is passed over.`);
    return {};
  }
}

/** What stands behind a key, with the key's line; `members` are those of a mapping, `undefined` for what is none. */
interface Member {
  readonly name: string;
  readonly line: number;
  readonly value: unknown;
  members(): Member[] | undefined;
}

/**
 * A YAML file, in which every scalar is a text as it was written: `2026`, `0012` and `2026-11-01` mean what they look like.
 * Throws `UsageError` for a file that is not read or is not YAML.
 */
async function readYaml(path: string, shownPath: string): Promise<Member> {
  let text: string;
  try {
    const stats = statSync(path);
    // A pipe that nobody writes to and a device have no end.
    if (!stats.isFile()) throw new Error('it is no regular file');
    if (stats.size > 1_000_000) throw new Error('it is larger than 1 MB');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new UsageError(`${path} could not be read: ${why}.`);
  }
  // It takes a fifth of the program's start, and most folders have no such file.
  const { isAlias, isMap, LineCounter, parseDocument } = (await import('yaml')).default;
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'failsafe',
  });
  const lineOf = (offset = 0): number => lines.linePos(offset).line;
  const [broken] = document.errors;
  if (broken) {
    const problem = `this is not YAML: ${broken.message.replace(/\.?$/, '.')}`;
    throw projectError(shownPath, [{ line: lineOf(broken.pos[0]), problem }]);
  }
  try {
    document.toJS({ maxAliasCount: 100 });
  } catch {
    const problem = 'there are more than 100 aliases, or one that stands for itself.';
    throw projectError(shownPath, [{ line: 1, problem }]);
  }
  const memberOf = (name: string, line: number, node: Node | null | undefined): Member => {
    const found = isAlias(node) ? node.resolve(document) : node;
    const members = () =>
      isMap<Node, Node | null>(found)
        ? found.items.map(({ key, value }) => memberOf(String(key), lineOf(key.range?.[0]), value))
        : undefined;
    return { name, line, value: found?.toJS(document), members };
  };
  return memberOf('The file', 1, document.contents);
}

/** The error for what is wrong with a project file, a line each: `adreport.yaml:12: there is no key perid.` */
export function projectError(path: string, faults: readonly ProjectFault[]): UsageError {
  const code = 'BAD_PROJECT_FILE';
  const [first, second] = faults;
  if (first && !second)
    return new UsageError(`${path}:${first.line}: ${first.problem}`, { code, hint: first.hint });
  const lines = faults.map(({ line, problem, hint = '' }) =>
    `${path}:${line}: ${problem} ${hint}`.trimEnd(),
  );
  return new UsageError(lines.join('\n'), { code });
}

/**
 * Reads a project file, whose saved reports may have `keys`, and which messages call `shownPath`. Throws one `UsageError` for
 * a file that cannot be read, or that names every fault with its line.
 */
export async function readProjectFile(path: string, shownPath: string, keys: readonly string[]) {
  const file = await readYaml(path, shownPath);
  const faults: ProjectFault[] = [];

  /** The members of a mapping whose keys are known; each other key is a fault. */
  const membersOf = (
    { name, line, value, members }: Member,
    known?: readonly string[],
  ): Member[] => {
    const found = members();
    if (!found && value)
      faults.push({
        line,
        problem: `${name} must hold keys with values.`,
        hint: 'See: adreport init',
      });
    return (found ?? []).filter((member) => {
      const isKnown = !known || known.includes(member.name);
      if (!isKnown) faults.push({ line: member.line, ...unknownKey(member.name, known) });
      return isKnown;
    });
  };
  /** A text, or those of a list; those of a mapping as `--filter` takes them. */
  const textsOf = ({ name, line, value, members }: Member): string[] => {
    const filters = name === 'filter' ? members() : undefined;
    const quoted = (text: string) =>
      /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    if (filters)
      return filters.map((filter) => `${filter.name}=${textsOf(filter).map(quoted).join(',')}`);
    const items = [value].flat();
    const texts = items.filter((item): item is string => typeof item === 'string' && item !== '');
    if (texts.length === 0 || texts.length < items.length) {
      const problem = `${name} takes a value or a list of values.`;
      faults.push({ line, problem, hint: 'Leave the key out, or give it one.' });
    }
    return texts;
  };
  const sectionOf = (section: Member) => {
    const entries = new Map<string, SavedEntry>();
    for (const member of membersOf(section, [...keys, 'windowClock'])) {
      const name = member.name === 'windowClock' ? 'window-clock' : member.name;
      entries.set(name, {
        line: member.line,
        texts: textsOf(member),
        isList: typeof member.value !== 'string',
      });
    }
    return { line: section.line, entries };
  };

  const top = membersOf(file, ['defaults', 'reports']);
  const none = { name: '', line: 1, value: undefined, members: () => undefined };
  const memberAt = (name: string): Member => top.find((member) => member.name === name) ?? none;
  const defaults = sectionOf(memberAt('defaults'));
  const saved = membersOf(memberAt('reports'));
  for (const { name, line } of saved.filter((report) => !/^[\p{L}\p{N}_]/u.test(report.name))) {
    const problem = `${JSON.stringify(name)} is no name for a report.`;
    faults.push({ line, problem, hint: 'Begin with a letter or digit.' });
  }
  const reports = new Map(saved.map((report) => [report.name, sectionOf(report)]));
  if (faults.length > 0) throw projectError(shownPath, faults);
  return { path, shownPath, defaults, reports };
}

/** A secret, or an address that one is sent to. */
const forbidden =
  /token|passw|pwd|secret|credential|authori[sz]ation|bearer|api[-_ ]?key|^base[-_]?url$|^e?mail$/i;

function unknownKey(key: string, known: readonly string[]): { problem: string; hint: string } {
  if (forbidden.test(key)) {
    const problem = `${key} must not stand in this file: no secret, and no address that one is sent to.`;
    const instead = 'Name a stored account with account: (adreport login)';
    return { problem, hint: `${instead}, or set ADREPORT_TOKEN and ADREPORT_BASE_URL.` };
  }
  const hint = didYouMean(
    nearest(key.replaceAll('_', '-'), known),
    `There are ${known.join(', ')}.`,
  );
  return { problem: `there is no key ${key}.`, hint };
}
