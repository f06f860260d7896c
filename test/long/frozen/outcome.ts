import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readParquet } from '../../formats/parquet-reader.ts';
import { readSheet } from '../../present/xlsx-reader.ts';
import type { Answered } from '../../server/local.ts';
import type { CliResult } from '../../support/run-cli.ts';

/** What a command line did, in a form that stays the same from run to run. */
export interface Outcome {
  /** The exit code of a command line, or the status of a response. */
  readonly code: number;

  /** The code of the error that `--json` prints. */
  readonly error?: string;

  /** Stdout or the body, see `summarize`. */
  readonly out?: string;

  /** The files that were written, by path. */
  readonly files?: Readonly<Record<string, string>>;

  /** The files that were removed. */
  readonly gone?: readonly string[];
}

/** Longer contents are a hash, their size and their first line. */
const maxShownLength = 160;

/** A folder for whole contents, named by their hashes, to compare those of two checkouts. */
const textsFolder = process.env.FROZEN_TEXTS;

/** A short content as it is; of a longer one the hash, the number of lines and the first line. */
function summarize(content: string): string {
  if (content.length <= maxShownLength) return content;

  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  if (textsFolder) {
    mkdirSync(textsFolder, { recursive: true });
    writeFileSync(join(textsFolder, hash), content);
  }
  const lines = content.split('\n');
  return `${hash} ${lines.length} lines: ${lines[0]?.slice(0, 80)}`;
}

/**
 * Members whose values are sentences or differ from run to run. How sentences are worded is for
 * other tests.
 */
const leftOut = new Set([
  'message',
  'why',
  'elapsedMs',
  'sizeBytes',
  'hint',
  'error',
  'problem',
  'created',
  'fetched',
  'fetchedAt',
  'at',
  'adreport',
  'spec',
  'content',
]);

/** Lists of sentences; how many there are counts. */
const counted = new Set(['warnings', 'notes']);

/** Typed formats, whose bytes have times and ids in their metadata; their cells are compared. */
const isTyped = (file: unknown) => typeof file === 'string' && /\.(parquet|xlsx|html)$/.test(file);

/** Members that `check` and `view` have, by the name that they are compared under. */
const renamed: Readonly<Record<string, string>> = { findings: 'problems' };

function normalizeMember(value: unknown, key = ''): unknown {
  if (counted.has(key) && Array.isArray(value)) return value.length;
  if (Array.isArray(value)) return value.map((one) => normalizeMember(one));
  if (typeof value !== 'object' || value === null) return value;

  const isLeftOut = (name: string) =>
    leftOut.has(name) || (isTyped(Object(value).file) && ['bytes', 'sha256'].includes(name));
  const members = Object.entries(value).filter(([name]) => !isLeftOut(name));
  return Object.fromEntries(
    members
      .map(([name, one]) => [renamed[name] ?? name, normalizeMember(one, name)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Replaces ids, tokens, ports and temporary folders, and writes offsets of times in one form. */
function normalizeText(text: string, cwd = ''): string {
  return (cwd === '' ? text : text.replaceAll(cwd, '<cwd>'))
    .replaceAll(/127\.0\.0\.1:\d+/g, '<host>')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<token>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<id>')
    .replaceAll(/(T\d\d:\d\d:\d\d[+-]\d\d)(\d\d)\b/g, '$1:$2')
    .replaceAll(/"key":"[0-9a-f]+"/g, '"key":"<key>"');
}

/** Documents of `--json`, without sentences and times of the run, and in a fixed order. */
function normalizeJson(text: string, cwd?: string): string {
  const isLines = text.split('\n').every((line) => line === '' || /^\{.*\}$/.test(line));
  if (!isLines) return normalizeText(text, cwd);

  const lines = text.split('\n').filter((line) => line !== '');
  const documents = lines.map((line) => JSON.stringify(normalizeMember(JSON.parse(line))));
  return normalizeText(documents.sort().join('\n'), cwd);
}

/** The file lines of a history: what is there, not when it was fetched. */
function historyLines(text: string): string {
  const files = text.split('\n').filter((line) => line.includes('"file"'));
  return normalizeJson(files.join('\n'));
}

/** The content of a file: texts whole, typed formats as cells, pages only that they exist. */
async function fileContent(path: string): Promise<string> {
  const bytes = readFileSync(path);
  if (/_adreport[^/]*\.history$/.test(path)) return historyLines(bytes.toString());
  if (/\.(html|pdf|svg)$/.test(path)) return bytes.length > 0 ? 'written' : 'empty';
  if (path.endsWith('.gz')) return gunzipSync(bytes).toString();
  if (path.endsWith('.xlsx')) {
    return readSheet(bytes)
      .map((row) => JSON.stringify(row))
      .join('\n');
  }
  if (path.endsWith('.yaml')) return bytes.toString().replace(/(\$schema=)\S+/, '$1<url>');
  if (!path.endsWith('.parquet')) return bytes.toString();

  const { rows, types } = await readParquet(bytes);
  const plain = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value;
  return [types, ...rows].map((row) => JSON.stringify(row, plain)).join('\n');
}

/** The files below a folder, without settings, by path; a value changes when a file is written. */
export function fileStates(folder: string): Map<string, string> {
  const states = new Map<string, string>();
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const status = statSync(join(folder, path), { throwIfNoEntry: false });
    if (!status?.isFile() || path.startsWith('.config')) continue;
    states.set(path.split(sep).join('/'), `${status.ino} ${status.size} ${status.mtimeMs}`);
  }
  return states;
}

/** The outcome of a command line, after which the folder differs from `before`. */
export async function outcomeOfLine(
  line: string,
  result: Pick<CliResult, 'exitCode' | 'stdout' | 'stderr' | 'cwd'>,
  before: ReadonlyMap<string, string>,
): Promise<Outcome> {
  const { exitCode, stdout, stderr, cwd } = result;
  const isJson = line.includes('--json');
  const out = isJson ? normalizeJson(stdout, cwd) : normalizeText(stdout, cwd);
  const error = /^\{"error":\{"code":"([^"]*)"/m.exec(stderr)?.[1];

  const after = fileStates(cwd);
  const files: Record<string, string> = {};
  for (const [path, state] of [...after].sort()) {
    if (before.get(path) === state) continue;
    files[path] = summarize(await fileContent(join(cwd, path)));
  }
  const gone = [...before.keys()].filter((path) => !after.has(path));
  return {
    code: exitCode,
    ...(error !== undefined && { error }),
    ...(out !== '' && { out: summarize(out) }),
    ...(Object.keys(files).length > 0 && { files }),
    ...(gone.length > 0 && { gone }),
  };
}

/** The outcome of a raw request. A page for people only has to exist. */
export function outcomeOfResponse({ status, headers, text }: Answered): Outcome {
  const type = headers['content-type'] ?? '';
  const isPage = type.includes('html');
  const isReport = text.startsWith('{"data"');
  const body = isReport || !type.includes('json') ? text : normalizeJson(text);
  return { code: status, out: `${type} ${isPage ? 'page' : summarize(normalizeText(body))}` };
}
