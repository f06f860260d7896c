import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, OutputError, UsageError } from '../errors.ts';
import { describeFileError } from '../output/file/file-error.ts';
import { sweepFolder, temporaryName } from '../output/file/temporary-files.ts';
import { buildQuery } from '../query/build-query.ts';
import { unitContaining } from '../query/calendar.ts';
import { commandFor } from '../query/command-for.ts';
import { escapeBraces } from '../query/file-name.ts';
import { fillsFolder } from '../query/parts.ts';
import type { Query } from '../query/query.ts';
import { readSavedOptions } from '../query/saved-report.ts';
import { formatYaml, readYamlFile } from '../query/yaml-file.ts';
import { type FileHost, retryWhileInUse } from '../text/file-in-use.ts';
import { withLock } from '../text/file-lock.ts';
import { makeFolder } from '../text/make-folder.ts';
import { printable } from '../text/printable.ts';
import { formatPlural } from '../text/quantity.ts';
import {
  type Declaration,
  declarationName,
  declaredKeys,
  declareReport,
  extendDeclaration,
  type FolderQuery,
  type FolderRequest,
  findRequestedDays,
  reportDifferences,
  toDeclaration,
  withFolderMetrics,
} from './declaration.ts';
import { statRegularFile } from './disk.ts';
import { readHistory } from './history.ts';

export type DeclarationFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'valid'; readonly declaration: Declaration }

  /** The `id` does not match, because someone edited the file. */
  | { readonly kind: 'edited'; readonly declaration: Declaration }

  /** @param why predicate for messages about the file: `is a link` */
  | { readonly kind: 'unreadable'; readonly why: string };

/** A run that fills a folder. */
export interface FolderRun {
  readonly host: FileHost;

  /** Milliseconds since 1970. */
  readonly nowMs: number;

  /**
   * Whether `--fresh` was given, which may replace the report of the folder and downloads final
   * parts again.
   */
  readonly isFresh: boolean;

  /** Whether to write the declaration. */
  readonly shouldDeclare: boolean;
}

interface DeclareOptions extends FolderRun {
  /** Absolute path. */
  readonly folder: string;

  /** Path for messages. */
  readonly displayPath: string;

  /** Query whose output is relative to the folder. */
  readonly query: FolderRequest;
}

export interface DeclareResult {
  readonly declaration: Declaration;

  /** Messages for the user. */
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Declares the folder of a run. The first run creates the declaration, a later run may extend it,
 * and `--fresh` may replace it. Changes are made under a lock.
 *
 * @throws UsageError if the folder belongs to another report or account, or if the declaration is
 * unreadable or its `id` does not match
 * @throws OutputError if the declaration cannot be written
 */
export async function declare(options: DeclareOptions): Promise<DeclareResult> {
  const planned = await planDeclaration(options);
  if (!options.shouldDeclare) return { ...planned, warnings: [], notes: [] };
  if (!planned.isChanged) return planned;

  const { folder, host } = options;
  const path = join(folder, declarationName);
  try {
    makeFolder(folder);
    return await withLock(path, async () => {
      // Another run may have changed the declaration in the meantime.
      const declared = await planDeclaration(options);
      if (declared.isChanged) await writeDeclaration(folder, declared.declaration, host);
      return declared;
    });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const message = `Cannot write the declaration ${path}: ${describeFileError(cause)}.`;
    const hint = 'Check the permissions of the folder and the space on its disk.';
    throw new OutputError(printable(message), { hint, cause });
  }
}

/** Returns the declaration that a run would write. Throws `UsageError` as `declare` does. */
async function planDeclaration(
  options: DeclareOptions,
): Promise<DeclareResult & { readonly isChanged: boolean }> {
  const { folder, displayPath, nowMs, isFresh, host } = options;
  const file = await readDeclaration(folder);
  const isDefective = file.kind === 'edited' || file.kind === 'unreadable';
  if (isDefective && !isFresh)
    throw declarationError(file, { displayPath, platform: host.platform });

  const days = findRequestedDays(options.query, nowMs);
  if (file.kind === 'absent' || file.kind === 'unreadable') {
    const since = await findFirstDay(folder, days.since, host.signal);
    const declaration = declareReport(options.query, { ...days, since });
    const note = formatFirstNote(displayPath, declaration);
    return { declaration, warnings: [], notes: [note], isChanged: true };
  }

  const { declaration: before } = file;
  const request = withFolderMetrics(before, options.query);
  const changes = reportDifferences(before, request);
  if (changes.length > 0 && !isFresh) throw otherReportError(displayPath, changes);

  const isOther = changes.length > 0 || file.kind === 'edited';
  const declaration = extendDeclaration(before, request, { days, isOther });
  const warnings: string[] = [];
  if (changes.length > 0) warnings.push(formatNewReport(displayPath, changes));
  const hasMoved = before.since !== declaration.since;
  if (hasMoved) warnings.push(formatNewSince(displayPath, before, declaration));
  const isChanged = isOther || formatKeys(before) !== formatKeys(declaration);
  return { declaration, warnings, notes: [], isChanged };
}

/** Reads the declaration of a folder. Only regular files of up to 64 KB are read. */
export async function readDeclaration(folder: string): Promise<DeclarationFile> {
  const path = join(folder, declarationName);
  try {
    await statRegularFile(path);
    const { declaration, id } = await parseDeclaration(path);
    return { kind: declaration.id === id ? 'valid' : 'edited', declaration };
  } catch (error) {
    if (error instanceof UsageError) {
      return { kind: 'unreadable', why: error.message.replace(/\.$/, '') };
    }
    const code = codeOf(error);
    if (code === undefined) throw error;
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes(code);
    return isAbsent ? { kind: 'absent' } : { kind: 'unreadable', why: describeFileError(error) };
  }
}

/** Later than the first day of any folder, in milliseconds since 1970. */
const farAheadMs = Date.UTC(9_000);

const ownKeys = ['login', 'service', 'id'] as const;

/** Throws `UsageError`, with the line of the mistake, if a file is not a valid declaration. */
async function parseDeclaration(path: string) {
  const section = (await readYamlFile(path, declarationName)).section();
  const { values } = readSavedOptions([section], {
    displayPath: declarationName,
    otherKeys: ownKeys,
  });

  const readKey = (key: (typeof ownKeys)[number]): string | undefined => {
    const { value } = section.entries.get(key) ?? {};
    return typeof value === 'string' ? value : undefined;
  };
  // The keys include the settings of the account.
  const query = buildQuery(values, {
    ...values,
    login: readKey('login'),
    service: readKey('service'),
    nowMs: farAheadMs,
  });
  return { declaration: toDeclaration(requireFolder(query)), id: readKey('id') ?? '' };
}

/** Throws `UsageError` if a query cannot be declared. */
function requireFolder(query: Query): FolderQuery {
  const { since = '', until = '', split, outputs, timezone } = query;
  const isDay = (day: string): boolean => unitContaining(day, 'day', timezone) !== undefined;
  if (!isDay(since)) throw new UsageError('since is not a day');
  if (until !== 'now' && !isDay(until)) throw new UsageError('until is neither a day nor now');
  if (split === undefined || !fillsFolder(query)) {
    throw new UsageError('split or the date in output is missing');
  }
  if (!staysInside(outputs[0].path)) throw new UsageError('output leaves the folder');
  return { ...query, since, until, split };
}

/** Whether a path is relative and has no `..`. */
function staysInside(path: string): boolean {
  if (/[\\\0]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

/** Returns the first day in the history, or the requested day if that is earlier. */
async function findFirstDay(
  folder: string,
  requested: string,
  signal: AbortSignal,
): Promise<string> {
  const { lines } = await readHistory(folder, signal);
  let first = requested;
  for (const { since } of lines.values()) {
    const day = since.slice(0, requested.length);
    if (day < first) first = day;
  }
  return first;
}

const heading =
  '# What this folder holds. adreport update brings it up to date, adreport check compares.\n';

function formatKeys({ query }: Declaration): string {
  return JSON.stringify(declaredKeys(query));
}

/** Writes a temporary file and renames it into place. */
async function writeDeclaration(
  folder: string,
  { query, id }: Declaration,
  host: FileHost,
): Promise<void> {
  const text = await formatYaml({ ...declaredKeys(query), id });
  const path = join(folder, declarationName);
  const temporary = join(folder, temporaryName(declarationName));
  await sweepFolder(folder);
  try {
    await fs.writeFile(temporary, `${heading}${text}`, { flag: 'wx' });
    await retryWhileInUse(host, () => fs.rename(temporary, path));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

/** Formats `Declared in data/_adreport.yaml: one file per day from 2026-11-01 on, by OS.` */
function formatFirstNote(displayPath: string, { since, until, split, query }: Declaration): string {
  const days = until === 'now' ? `${since} on` : `${since} to ${until}`;
  const { breakdowns } = query;
  const by = breakdowns.length > 0 ? `by ${breakdowns.join(', ')}` : 'in total';
  return `Declared in ${displayPath}/${declarationName}: one file per ${split} from ${days}, ${by}.`;
}

function formatNewSince(displayPath: string, before: Declaration, after: Declaration): string {
  const dayMs = 86_400_000;
  const days = Math.round((Date.parse(before.since) - Date.parse(after.since)) / dayMs);
  return `${displayPath} now begins on ${after.since}, not on ${before.since}: ${formatPlural(days, 'day')} more. To undo this, write since: ${before.since} in ${displayPath}/${declarationName}.`;
}

function formatNewReport(displayPath: string, changes: readonly string[]): string {
  return `${displayPath} has a new declaration (${changes.join('; ')}). Its other files are from another report until adreport update downloads them.`;
}

function otherReportError(displayPath: string, changes: readonly string[]): UsageError {
  return new UsageError(`${displayPath} holds another report (${changes.join('; ')}).`, {
    code: 'OTHER_REPORT',
    hint: 'Use another -o, or add --fresh to replace the folder’s declaration.',
  });
}

/** A folder in messages. */
interface DisplayedFolder {
  /** Path from the working folder. */
  readonly displayPath: string;
  readonly platform: NodeJS.Platform;
}

/** A declaration that cannot be used. */
export type DefectiveDeclaration = Exclude<DeclarationFile, { readonly kind: 'valid' }>;

/** Builds the error for an unusable declaration. */
export function declarationError(
  defect: DefectiveDeclaration,
  folder: DisplayedFolder,
): UsageError {
  const isEdited = defect.kind === 'edited';
  return new UsageError(`${folder.displayPath}/${declarationName} ${describeDefect(defect)}.`, {
    hint: isEdited
      ? `Undo the edit, or declare what it says now: ${declaringCommand(defect.declaration, folder)}`
      : 'Restore it, or replace it with run --fresh.',
  });
}

/** Returns a predicate for messages, which says why a declaration is unusable. */
export function describeDefect(defect: DefectiveDeclaration): string {
  if (defect.kind === 'edited') return 'was edited: its id does not match';
  return `cannot be read: ${defect.kind === 'absent' ? 'it does not exist' : defect.why}`;
}

/** Formats the `run --fresh` command that accepts an edited declaration. */
function declaringCommand(
  { query, since, until }: Declaration,
  { displayPath, platform }: DisplayedFolder,
): string {
  const [{ path, format }] = query.outputs;
  const outputs = [{ path: join(escapeBraces(displayPath), path), format }] as const;
  const days = until === 'now' ? { since } : { since, until };
  return commandFor({ ...query, outputs }, days, { platform, flags: { fresh: true } });
}
