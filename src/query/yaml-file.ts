import type { Node } from 'yaml';
import { UsageError } from '../errors.ts';
import { readSmallFile } from '../text/small-file.ts';
import { decodeUtf8 } from '../text/utf8.ts';

/** Maximum file size. Parsing 60,000 keys would take minutes. */
const maxFileBytes = 64 * 1024;

/** An issue in a file that people edit. */
export interface LineIssue {
  readonly line: number;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Formats an issue as `adreport.yaml:12: Unknown key “perid”.` */
export function fileError(displayPath: string, { line, message, hint }: LineIssue): UsageError {
  return new UsageError(`${displayPath}:${line}: ${message}`, { code: 'BAD_PROJECT_FILE', hint });
}

/** Entries of a mapping, with their lines. */
export interface YamlSection {
  readonly line: number;
  readonly entries: ReadonlyMap<string, YamlEntry>;
}

export interface YamlEntry {
  readonly line: number;

  /** Value as written, such as `2026`, `0012` and `2026-11-01`; `null` if empty. */
  readonly value: unknown;
}

/** A file that people edit. */
export interface YamlFile {
  readonly displayPath: string;

  /**
   * Returns the mapping at a path of keys, which may be empty. Throws `UsageError` for any other
   * value.
   */
  section(...path: readonly string[]): YamlSection;
}

/**
 * Reads a YAML file with a mapping, or an empty file. Throws `UsageError` if the file cannot be
 * read or is not valid YAML.
 *
 * @param displayPath path for messages
 */
export async function readYamlFile(path: string, displayPath: string): Promise<YamlFile> {
  const text = readText(path, displayPath);
  // Imported lazily, because it takes a fifth of the start-up time and most folders have no YAML
  // file.
  const { default: yaml } = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument<Node>(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'failsafe',
    // Node would print the parser's warnings on stderr.
    logLevel: 'error',
  });
  const lineAt = (offset = 0): number => lines.linePos(offset).line;

  const [broken] = document.errors;
  if (broken) {
    const line = lineAt(broken.pos[0]);
    const message = `invalid YAML: ${broken.message.replace(/\.?$/, '.')}`;
    // After a colon or inside brackets, a brace begins a YAML mapping.
    const hasPlaceholder = /\{\w+\}/.test(text.split('\n')[line - 1] ?? '');
    const hint = hasPlaceholder ? "Put quotes around names with braces: '{date}.csv'." : undefined;
    throw fileError(displayPath, { line, message, hint });
  }

  const isEmpty = (node: unknown) => !node || (yaml.isScalar(node) && node.value === '');
  const listPairs = (node: unknown) => {
    const target = yaml.isAlias(node) ? node.resolve(document) : node;
    if (yaml.isMap<Node, Node | null>(target)) return target.items;
    return isEmpty(target) ? [] : undefined;
  };
  const section = (...keys: readonly string[]): YamlSection => {
    let node: unknown = document.contents;
    let line = 1;
    for (const name of keys) {
      const pair = listPairs(node)?.find(({ key }) => String(key) === name);
      if (pair) line = lineAt(pair.key.range?.[0]);
      node = pair?.value;
    }
    const pairs = listPairs(node);
    if (!pairs) {
      const subject = keys.at(-1) ?? 'The file';
      const message = `${subject} must contain keys with values. See: adreport init`;
      throw fileError(displayPath, { line, message });
    }

    const entries = new Map<string, YamlEntry>();
    for (const { key, value } of pairs) {
      const entryLine = lineAt(key.range?.[0]);
      try {
        entries.set(String(key), {
          line: entryLine,
          value: isEmpty(value) ? null : value?.toJS(document),
        });
      } catch {
        const message = 'this has an alias that cannot be resolved, or more than 100 of them.';
        throw fileError(displayPath, { line: entryLine, message });
      }
    }
    return { line, entries };
  };
  return { displayPath, section };
}

function readText(path: string, displayPath: string): string {
  try {
    return decodeUtf8(readSmallFile(path, maxFileBytes));
  } catch (error) {
    throw new UsageError(`Cannot read ${displayPath}: ${(error as Error).message}.`, {
      hint: 'Use a file like the one that adreport init writes.',
    });
  }
}

/** Formats keys as YAML, with lists on one line. */
export async function formatYaml(keys: Readonly<Record<string, unknown>>): Promise<string> {
  const { default: yaml } = await import('yaml');
  const document = new yaml.Document(keys);
  yaml.visit(document, {
    Seq: (_key, list) => {
      list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: false });
}
