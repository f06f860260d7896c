import { fieldTypeOf } from '../contract/columns.ts';
import { type BookLine, questionOf } from '../report/book-line.ts';
import { type Books, describeFault } from '../report/books.ts';
import { type BookedRequest, differencesOf } from '../report/question.ts';
import type { ReportMember } from '../rows/row-batch.ts';
import { Decimal, moneyText } from '../view/numbers.ts';

/** What stands on the disk of one file of a folder. */
export interface FileFacts {
  /** The path from the folder of the books, with slashes. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The names of its columns, in their order; absent where its format does not tell them cheaply. */
  readonly columns?: readonly string[] | undefined;
  /** What the file says of its report beside the rows, where its format has a place for it. */
  readonly members?: readonly ReportMember[] | undefined;
}

/** The kinds of things that can be wrong with a folder of reports. */
type FindingKind =
  | 'books'
  | 'missing unit'
  | 'overlap'
  | 'missing file'
  | 'changed file'
  | 'empty file'
  | 'early'
  | 'other request'
  | 'other columns'
  | 'no line'
  | 'warning'
  | 'unreadable';

/** One thing that is wrong, as a whole sentence that names its file. */
export interface Finding {
  readonly kind: FindingKind;
  /** Absent where it is about a time. */
  readonly file?: string;
  readonly sentence: string;
}

/** What the files of one request come to. */
export interface RequestSummary {
  readonly request: BookedRequest;
  readonly requestHash: string;
  readonly since: string;
  readonly until: string;
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  readonly totals: Readonly<Record<string, string>>;
}

/** What a folder was found to hold. */
export interface FolderVerdict {
  readonly requests: readonly RequestSummary[];
  readonly findings: readonly Finding[];
}

/** What is known of a folder: its books, the older lines by the hash of their file, and the files that stand there. */
interface FolderFacts {
  readonly books: Books;
  /** For each file the hashes that it had before, with the time of each fetch. */
  readonly olderCopies: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly files: readonly FileFacts[];
  /** Whether it is one file that no books are for: there is nothing to hold it against but itself. */
  readonly isLoneFile?: boolean;
}

/**
 * Holds the files of a folder against its books: what is missing, changed, early, of another request, with other columns
 * or without a line, and what the lines themselves warn of.
 */
export function judgeFolder({
  books,
  olderCopies,
  files,
  isLoneFile = false,
}: FolderFacts): FolderVerdict {
  const lines = [...books.lines.values()];
  const fileByName = new Map(files.map((facts) => [facts.file, facts]));
  const findings: Finding[] = [];
  for (const fault of books.faults) {
    findings.push({ kind: 'books', file: fault.book, sentence: describeFault(fault) });
  }

  for (const line of lines) {
    const facts = fileByName.get(line.file);
    const finding = facts
      ? findingOfFile(line, facts, olderCopies.get(line.file))
      : findingOfMissingFile(line);
    if (finding) findings.push(finding);
    findings.push(...findingsOfLine(line));
  }

  for (const facts of files) {
    if (books.lines.has(facts.file)) continue;
    const finding = isLoneFile ? findingOfLoneFile(facts) : findingWithoutLine(facts);
    if (finding) findings.push(finding);
  }

  for (const neighbours of groupsByName(lines)) {
    findings.push(...findingsOfNeighbours(neighbours, fileByName));
  }
  for (const group of groupsByRequest(lines)) findings.push(...findingsOfTimes(group));

  return { requests: groupsByRequest(lines).map(summaryOf), findings };
}

function findingWithoutLine({ file, bytes }: FileFacts): Finding {
  const sentence =
    bytes === 0
      ? `${file} is empty and has no line in the books.`
      : `${file} has no line in the books: it was made elsewhere, renamed, or written by an older version.`;
  return { kind: 'no line', file, sentence };
}

function findingOfLoneFile({ file, bytes, columns }: FileFacts): Finding | undefined {
  if (bytes === 0) return { kind: 'empty file', file, sentence: `${file} is empty.` };

  // Every whole Parquet file tells its columns.
  const isDamaged = file.toLowerCase().endsWith('.parquet') && columns === undefined;
  if (!isDamaged) return undefined;
  return { kind: 'unreadable', file, sentence: `${file} is no whole Parquet file.` };
}

function findingOfMissingFile({ file }: BookLine): Finding {
  const sentence = `${file} is missing: the books say that it was written.`;
  return { kind: 'missing file', file, sentence };
}

function findingOfFile(
  line: BookLine,
  { file, bytes, sha256 }: FileFacts,
  older: ReadonlyMap<string, string> | undefined,
): Finding | undefined {
  if (bytes === 0) return { kind: 'empty file', file, sentence: `${file} is empty.` };
  if (sha256 === line.sha256) return undefined;

  const fetchedAt = older?.get(sha256);
  if (fetchedAt !== undefined) {
    const sentence = `${file} is an older copy: it is what was fetched at ${fetchedAt}, and not at ${line.fetchedAt}.`;
    return { kind: 'changed file', file, sentence };
  }

  const size =
    bytes === line.bytes
      ? 'its size is the same, and its bytes are not'
      : `it has ${bytes} bytes instead of ${line.bytes}`;
  const sentence = `${file} was changed after it was written: ${size}.`;
  return { kind: 'changed file', file, sentence };
}

function findingsOfLine(line: BookLine): Finding[] {
  const { file, warnings } = line;
  const findings: Finding[] = [];

  if (isEarly(line)) {
    const sentence = `${file} is early: its report was created at ${line.createdAt}, before its last second ${line.window.until} was over.`;
    findings.push({ kind: 'early', file, sentence });
  }
  for (const warning of warnings) {
    const sentence = `${file} was warned of when it was fetched: ${warning}`;
    findings.push({ kind: 'warning', file, sentence });
  }
  return findings;
}

/** Whether the report of a line was created before its window was over: then it holds the beginning of it only. */
function isEarly({ window, overAt, createdAt }: BookLine): boolean {
  const overMs = overAt === undefined ? Date.parse(window.until) + 1_000 : Date.parse(overAt);
  return Date.parse(createdAt) < overMs;
}

/** Lines of files whose names differ in their dates alone: they are meant to be read as one table. */
function groupsByName(lines: readonly BookLine[]): BookLine[][] {
  const groups = new Map<string, BookLine[]>();

  for (const line of lines) {
    const pattern = line.file.replaceAll(/\d{4}-\d{2}-\d{2}/g, '{date}');
    const group = groups.get(pattern) ?? [];
    group.push(line);
    groups.set(pattern, group);
  }
  return [...groups.values()];
}

function findingsOfNeighbours(
  group: readonly BookLine[],
  files: ReadonlyMap<string, FileFacts>,
): Finding[] {
  const usual = mostFrequent(group, (line) => line.requestHash);
  // Without a header the first line is a row.
  const columnsOfLine = (line: BookLine) =>
    line.format.header === false ? undefined : columnsText(files.get(line.file));
  const usualColumns = mostFrequent(group, columnsOfLine);
  const findings: Finding[] = [];

  for (const line of group) {
    const { file } = line;

    if (usual && line.requestHash !== usual.requestHash) {
      const differences = differencesOf(questionOf(usual), questionOf(line)).join('; ');
      const sentence = `${file} answers another request than its neighbours (${differences || 'it was shortened in the books'}).`;
      findings.push({ kind: 'other request', file, sentence });
      continue;
    }

    const columns = columnsOfLine(line);
    const expected = usualColumns && columnsOfLine(usualColumns);
    if (columns !== undefined && expected !== undefined && columns !== expected) {
      const sentence = `${file} has other columns than its neighbours: ${columns} instead of ${expected}.`;
      findings.push({ kind: 'other columns', file, sentence });
    }
  }
  return findings;
}

function columnsText(facts: FileFacts | undefined): string | undefined {
  return facts?.columns?.join(',');
}

/** The newest of the lines that share the text that most of them have; lines without a text do not count. */
function mostFrequent(
  lines: readonly BookLine[],
  textOf: (line: BookLine) => string | undefined,
): BookLine | undefined {
  const counts = new Map<string, number>();
  let best: BookLine | undefined;
  let bestCount = 0;

  for (const line of lines) {
    const text = textOf(line);
    if (text === undefined) continue;

    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count >= bestCount) {
      best = line;
      bestCount = count;
    }
  }
  return best;
}

function groupsByRequest(lines: readonly BookLine[]): BookLine[][] {
  const groups = new Map<string, BookLine[]>();

  for (const line of lines) {
    const group = groups.get(line.requestHash) ?? [];
    group.push(line);
    groups.set(line.requestHash, group);
  }
  for (const group of groups.values()) group.sort(byTime);
  return [...groups.values()];
}

function byTime(one: BookLine, other: BookLine): number {
  return Date.parse(one.window.since) - Date.parse(other.window.since);
}

/** What lies between the files of one request in time, and what two of them hold both; the lines stand in time order. */
function findingsOfTimes(lines: readonly BookLine[]): Finding[] {
  const findings: Finding[] = [];
  let latest: BookLine | undefined;

  for (const line of lines) {
    if (latest) {
      const latestEnd = Date.parse(latest.window.until) + 1_000;
      const begin = Date.parse(line.window.since);

      if (begin > latestEnd) findings.push(gapBetween(latest, line));
      if (begin < latestEnd) findings.push(overlapOf(latest, line));
      if (Date.parse(line.window.until) + 1_000 < latestEnd) continue;
    }
    latest = line;
  }
  return findings;
}

function gapBetween(before: BookLine, after: BookLine): Finding {
  const last = localDay(before.window.until);
  const next = localDay(after.window.since);
  const first = addDays(last, 1);
  const final = addDays(next, -1);

  if (first > final) {
    const sentence = `Something is missing between ${before.window.until} and ${after.window.since}.`;
    return { kind: 'missing unit', sentence };
  }
  const days = first === final ? first : `${first}..${final}`;
  const sentence = `${days} is missing: no file in the books holds it, between ${before.file} and ${after.file}.`;
  return { kind: 'missing unit', sentence };
}

function overlapOf(before: BookLine, after: BookLine): Finding {
  const sentence = `${after.file} and ${before.file} both hold ${localDay(after.window.since)}.`;
  return { kind: 'overlap', file: after.file, sentence };
}

/** The local date of a time with its offset, `2026-10-25T02:00:00+0200`. */
function localDay(time: string): string {
  return time.slice(0, 10);
}

function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);
}

function summaryOf(lines: readonly BookLine[]): RequestSummary {
  const [first] = lines;
  if (!first) throw new Error('A group has one line at least.');

  let rows = 0;
  let bytes = 0;
  let until = first.window.until;
  const sums = new Map<string, Decimal>();

  for (const line of lines) {
    rows += line.rows;
    bytes += line.bytes;
    if (Date.parse(line.window.until) > Date.parse(until)) until = line.window.until;

    for (const [metric, value] of Object.entries(line.totals)) {
      const addend = Decimal.parse(value);
      if (addend) sums.set(metric, sums.get(metric)?.plus(addend) ?? addend);
    }
  }

  const totals: Record<string, string> = {};
  for (const [metric, sum] of sums) {
    const digits = sum.toString();
    totals[metric] = fieldTypeOf(metric) === 'money' ? moneyText(digits) : digits;
  }
  const { request, requestHash, window } = first;
  const { since } = window;
  return { request, requestHash, since, until, files: lines.length, rows, bytes, totals };
}
