import { OutputError } from '../errors.ts';
import type { BookedFormat, BookedRequest, Question } from './question.ts';

/** The exact sum of each metric, as a decimal number in text: `{ displays: "1204", revenueEuro: "12.50" }`. */
export type Totals = Readonly<Record<string, string>>;

/** The sums that are not what they were when the file was written before, each with both values. */
export type Changes = Readonly<Record<string, readonly [before: string, after: string]>>;

/** What the books say of one file, on one line. */
export interface BookLine {
  /** The path of the file from the folder of the books, with slashes. */
  readonly file: string;
  readonly window: { readonly since: string; readonly until: string; readonly timezone: string };
  /** When the unit of the file is over, as ISO 8601 in UTC; absent in lines of older versions. */
  readonly overAt?: string;
  readonly request: BookedRequest;
  readonly requestHash: string;
  /** The columns that tell a row from every other one. */
  readonly key: readonly string[];
  readonly reportId: string | null;
  /** When the report was asked for and when its file was whole, as ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly fetchedAt: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly totals: Totals;
  readonly changed?: Changes;
  readonly warnings: readonly string[];
  readonly format: BookedFormat;
  readonly adreport: string;
}

/** A line of the books takes this many bytes at most, its line break included, so that one write puts it there whole. */
const lineBytesAtMost = 4_096;

/** The question that a line of the books answers. */
export function questionOf({ request, format, window }: BookLine): Question {
  return { request, format, timezone: window.timezone };
}

/** The totals that differ, each with its value before and now; `undefined` where none does. */
export function changesBetween(before: Totals, now: Totals): Changes | undefined {
  const changes: Record<string, readonly [string, string]> = {};

  for (const [metric, value] of Object.entries(now)) {
    const old = Object.hasOwn(before, metric) ? before[metric] : undefined;
    if (old !== undefined && old !== value) changes[metric] = [old, value];
  }
  return Object.keys(changes).length > 0 ? changes : undefined;
}

/**
 * A line as JSON, within its bound: warnings are cut first, then what is long in the request. The hash still tells one
 * request from another where its filters have no room.
 *
 * @throws OutputError where not even the name of the file has room
 */
export function textOfLine(line: BookLine): string {
  const whole = JSON.stringify(line);
  if (fits(whole)) return whole;

  const warnings = shortList(line.warnings, { items: 3, letters: 150 });
  const withFewWarnings = JSON.stringify({ ...line, warnings });
  if (fits(withFewWarnings)) return withFewWarnings;

  for (const room of rooms) {
    const short = JSON.stringify(shortLine(line, room));
    if (fits(short)) return short;
  }
  throw new OutputError('its line would be longer than 4 KB');
}

/** How much of a list is kept, and of each of its texts. */
interface Room {
  readonly items: number;
  readonly letters: number;
}

/** The most that a line is given comes first. */
const rooms: readonly Room[] = [
  { items: 5, letters: 100 },
  { items: 2, letters: 30 },
  { items: 0, letters: 30 },
];

function fits(text: string): boolean {
  return Buffer.byteLength(text) < lineBytesAtMost;
}

function shortLine(line: BookLine, room: Room): BookLine {
  const { request, format, reportId, totals, changed, warnings } = line;
  const { letters } = room;
  const filters: Record<string, readonly string[]> = {};
  for (const [name, values] of Object.entries(request.filters)) {
    filters[name] = shortList(values, room);
  }

  return {
    ...line,
    request: {
      ...request,
      filters,
      account: shortText(request.account, letters),
      baseUrl: shortText(request.baseUrl, letters),
    },
    format: shortFormat(format, room),
    reportId: reportId === null ? null : shortText(reportId, letters),
    totals: shortNumbers(totals, (value) => [value]),
    ...(changed && { changed: shortNumbers(changed, (values) => values) }),
    warnings: shortList(warnings, { items: 1, letters }),
  };
}

function shortFormat(format: BookedFormat, room: Room): BookedFormat {
  const settings: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(format)) {
    if (Array.isArray(value)) settings[name] = shortList(value.map(String), room);
    else settings[name] = typeof value === 'string' ? shortText(value, room.letters) : value;
  }
  return { ...settings, name: format.name };
}

/** The entries without a number of more digits than anybody counts to: cut, it would be another number. */
function shortNumbers<Value>(
  entries: Readonly<Record<string, Value>>,
  numbersIn: (value: Value) => readonly string[],
): Record<string, Value> {
  const short: Record<string, Value> = {};
  for (const [name, value] of Object.entries(entries)) {
    if (numbersIn(value).every((number) => number.length <= 40)) short[name] = value;
  }
  return short;
}

function shortList(texts: readonly string[], { items, letters }: Room): string[] {
  const first = texts.slice(0, items).map((text) => shortText(text, letters));
  const restCount = texts.length - first.length;
  return restCount === 0 ? first : [...first, `and ${restCount} more`];
}

function shortText(text: string, letters: number): string {
  if (text.length <= letters) return text;

  // Half of a character is none.
  const beginning = text.slice(0, letters - 1).replace(/[\ud800-\udbff]$/, '');
  return `${beginning}…`;
}

/** Reads a line; `undefined` for a torn one, and for anything else that is no line of ours. */
export function parseLine(text: string): BookLine | undefined {
  try {
    const line: BookLine = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a parsed line has what the program reads of it; what else it holds is nobody's business. */
function isLine(line: BookLine): boolean {
  const texts = [
    line.file,
    line.requestHash,
    line.createdAt,
    line.fetchedAt,
    line.sha256,
    line.window.since,
    line.window.until,
    line.window.timezone,
    line.request.account,
    line.request.baseUrl,
    line.format.name,
  ];
  const times = [line.createdAt, line.fetchedAt, line.window.since, line.window.until];
  const lists = [line.request.metrics, line.request.breakdowns, line.key, line.warnings];

  return (
    texts.every((text) => typeof text === 'string') &&
    lists.every(Array.isArray) &&
    Number.isSafeInteger(line.rows) &&
    Number.isSafeInteger(line.bytes) &&
    isRecord(line.request.filters) &&
    isRecord(line.totals) &&
    times.every((time) => !Number.isNaN(Date.parse(time)))
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
