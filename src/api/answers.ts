import { isPage } from '../contract/body-kind.ts';
import {
  type AdUnit,
  type CampaignRecord,
  knownOutcomeOf,
  type ReportOutcome,
} from '../contract/messages.ts';
import { codeOf, IncompleteDataError } from '../errors.ts';
import { isObject } from '../text/json-object.ts';
import { maxServiceText, printable, shortened } from '../text/printable.ts';
import { tryJson } from './exact-json.ts';
import type { HttpResponse } from './http.ts';
import type { Redact } from './redaction.ts';

// Reads the service's responses: bodies of limited size, in any known shape (`decisions.md` 1 to
// 6).

const maxResponseBytes = 16 * 1024 * 1024;
const beginningBytes = 64 * 1024;

/** Throws `IncompleteDataError` for a body longer than 16 MB, and like `decodeToUtf8`. */
export async function readText({ body, headers }: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of decodeToUtf8(body, charsetOf(headers['content-type']))) {
    size += piece.length;
    if (size > maxResponseBytes) {
      const message = 'The response is longer than 16 MB and is not a report.';
      throw new IncompleteDataError(message, { retryable: false });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Returns `utf-8` if the `Content-Type` names no charset. */
export function charsetOf(contentType = ''): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

/**
 * Converts a body to UTF-8. Throws `IncompleteDataError` if the charset is unknown or the bytes are
 * not valid in it.
 */
export async function* decodeToUtf8(
  body: AsyncIterable<Buffer>,
  charset: string,
): AsyncGenerator<Buffer> {
  try {
    const decoder = new TextDecoder(charset, { fatal: true });
    for await (const piece of body) yield Buffer.from(decoder.decode(piece, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (error) {
    if (!codeOf(error)?.startsWith('ERR_ENCODING_')) throw error;
    const message = `The response is not valid ${printable(shortened(charset))} text.`;
    throw new IncompleteDataError(message, { retryable: false });
  }
}

export interface PeekedBody {
  /** At most the first 64 KiB. */
  readonly start: string;

  readonly isWhole: boolean;

  /** Body from its first byte, including `start`. */
  readonly all: AsyncIterable<Buffer>;
}

/** Reads at most 64 KiB of a body, less if `isEnough` returns true for its beginning. */
export async function peek(
  body: AsyncIterable<Buffer>,
  isEnough = (_beginning: string): boolean => false,
): Promise<PeekedBody> {
  const rest = body[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let size = 0;
  let isAtEnd = false;
  while (size < beginningBytes) {
    const next = await rest.next();
    if (next.done) {
      isAtEnd = true;
      break;
    }
    pieces.push(next.value);
    size += next.value.length;
    const [first] = pieces;
    if (first && isEnough(first.toString('latin1', 0, 100))) break;
  }

  async function* all(): AsyncGenerator<Buffer> {
    yield* pieces;
    if (!isAtEnd) yield* { [Symbol.asyncIterator]: () => rest };
  }
  const beginning = Buffer.concat(pieces).subarray(0, beginningBytes);
  const start = new TextDecoder().decode(beginning);
  return { start, isWhole: isAtEnd && size <= beginningBytes, all: all() };
}

/** A `rel` of the `Link` header may have several words. */
export function hasNextLink({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  const relations = (headers.link ?? '').matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/gi);
  return [...relations].some(([, quoted, bare = '']) => {
    return (quoted ?? bare).toLowerCase().split(/\s+/).includes('next');
  });
}

/** Throws an `IncompleteDataError` that quotes the body if it is not JSON. */
export function parseJson(text: string, response: HttpResponse, redact: Redact): unknown {
  const answer = tryJson(text);
  if (answer !== undefined) return answer;

  const { status } = response;
  const beginning = redact(text.slice(0, beginningBytes));
  const instead = describeText(beginning, response);
  throw new IncompleteDataError(`The service answered ${status} with ${instead} instead of JSON.`, {
    retryable: false,
    hint: 'Check the base URL (adreport whoami shows it) and any proxy (HTTPS_PROXY).',
  });
}

function describeText(text: string, { headers }: HttpResponse): string {
  if (isPage(text, headers['content-type'])) return 'a web page';
  if (text.trim() === '') return 'an empty body';
  return quoteResponse(text);
}

/** Quotes the first 150 characters. */
export function quoteResponse(text: string): string {
  const trimmed = text.trim();
  const isLonger = trimmed.length > 150;
  return `“${printable(trimmed.slice(0, 150))}${isLonger ? '…' : ''}”`;
}

/** Objects of a response that hold its members, in this order (`decisions.md`, 1 to 6). */
const places = ['response', 'data', 'document'] as const;
type Place = (typeof places)[number];

function memberAt(answer: unknown, place: Place, name: string): unknown {
  const holder = place === 'document' ? answer : ownMember(answer, place);
  return ownMember(holder, name);
}

function ownMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Finds the first string or number among members with these names, place by place. */
function findText(
  answer: unknown,
  names: readonly string[],
  within: readonly Place[] = places,
): string | undefined {
  for (const place of within) {
    for (const name of names) {
      const text = scalarText(memberAt(answer, place, name));
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** Returns a string that is not blank, or a number as a string. */
function scalarText(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).trim();
  return text === '' ? undefined : text;
}

/** Reads the response to a create call, which may be a bare string or number. */
export function findReportId(answer: unknown): string | undefined {
  return findText(answer, ['report_id', 'reportId', 'id']) ?? scalarText(answer);
}

/** Members that records have and report rows do not. */
const recordNames = ['report_id', 'reportId', 'error', 'error_id'];

/** Recognizes report data, not a record: a list of rows without a report id or error. */
export function isReportData(answer: unknown): boolean {
  const rows = ownMember(answer, 'data');
  return Array.isArray(rows) && findReportId(answer) === undefined && areRows(rows);
}

/** Ignores all other members of the response. */
export function containsRows(answer: unknown): boolean {
  const rows = ownMember(answer, 'data');
  return Array.isArray(rows) && rows.length > 0 && areRows(rows);
}

function areRows(items: readonly unknown[]): boolean {
  return items.every((row) => isObject(row) && !recordNames.some((name) => name in row));
}

/** Reads the response to a sign-in, which may be a bare string of 16 to 512 characters. */
export function findToken(answer: unknown): string | undefined {
  if (typeof answer !== 'string') return findText(answer, ['token', 'access_token']);
  const text = answer.trim();
  return /^[\w.~+/=-]{16,512}$/.test(text) ? text : undefined;
}

/**
 * Finds the campaign list: the response itself, or a member of it; `undefined` if there is none.
 * Missing fields are empty strings, missing lists are empty.
 */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  const lists = [answer];
  for (const place of places) {
    lists.push(memberAt(answer, place, 'campaigns'), memberAt(answer, place, 'data'));
  }
  const list = lists.find(Array.isArray);
  return list && readCampaigns(list);
}

function readCampaigns(items: readonly unknown[]): CampaignRecord[] | undefined {
  const campaigns: CampaignRecord[] = [];
  for (const item of items) {
    const field = (name: string): string => scalarText(ownMember(item, name)) ?? '';
    const campaignId = field('campaignId');
    if (campaignId === '') return undefined;
    campaigns.push({
      advertiserId: field('advertiserId'),
      advertiserName: field('advertiserName'),
      campaignId,
      campaignName: field('campaignName'),
      campaignStartDate: field('campaignStartDate'),
      campaignEndDate: field('campaignEndDate'),
      adunits: readAdUnits(ownMember(item, 'adunits')),
    });
  }
  return campaigns;
}

function readAdUnits(value: unknown): AdUnit[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => ({
    adunitName: scalarText(ownMember(item, 'adunitName')) ?? '',
    adunitId: scalarText(ownMember(item, 'adunitId')) ?? '',
  }));
}

/** Report state and error in a response. */
export interface ServiceRecord {
  /** Error code of the service, such as `UNKNOWN_REPORT`. */
  readonly errorId: string | undefined;
  readonly message: string | undefined;

  /** One line per error, if the response lists them. */
  readonly errorLines: readonly string[];

  /** In lower case; empty if there is none. */
  readonly status: string;

  /** Meaning of the status; `undefined` if it is not known. */
  readonly outcome: ReportOutcome | undefined;

  /** A `message` alone is not an error. */
  readonly isError: boolean;

  /** Why there is no report in the response, if it gives a reason. */
  readonly reportState: 'progress' | 'failed' | undefined;

  /** According to the service, the same call may soon succeed. */
  readonly isTransient: boolean;
}

/** Copies a response with shortened strings and names, to be shown or stored. */
export function shortenResponse(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return value.map(shortenResponse);
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [shortened(name), shortenResponse(member)]),
  );
}

/** Keeps the errors that fit, and counts those that do not. */
function shortenedLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = maxServiceText;
  for (const line of lines) {
    if (left <= 0) break;
    shown.push(shortened(line, left));
    left -= line.length;
  }
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/** Places of status and error, which are never in `data`. */
const recordPlaces: readonly Place[] = ['response', 'document'];

/**
 * Reads the report state and the error of a response (`decisions.md` 3 and 6). Strings are
 * shortened to 500 characters.
 */
export function recordIn(answer: unknown): ServiceRecord {
  const errors = errorsIn(answer);
  const details = detailsIn(answer);
  const lines = details.length > 0 ? details : errors;
  const errorId = findText(answer, ['error_id'], recordPlaces);
  const error =
    findText(answer, ['error'], recordPlaces) ??
    scalarText(ownMember(ownMember(answer, 'error'), 'message')) ??
    errors[0];
  const message = error ?? findText(answer, ['message'], recordPlaces) ?? scalarText(answer);
  const word = findText(answer, ['status'], recordPlaces) ?? '';
  // A number repeats the HTTP status.
  const status = /\p{L}/u.test(word) ? shortened(word).toLowerCase() : '';
  const outcome = knownOutcomeOf(status);
  return {
    errorId: errorId && shortened(errorId),
    message: message && shortened(message),
    errorLines: shortenedLines(lines),
    status,
    outcome,
    isError: errorId !== undefined || (error !== undefined && error !== '0'),
    reportState: reportStateOf(errorId, outcome),
    isTransient: isTransient(answer),
  };
}

const transientNames = ['is_transient', 'retryable', 'transient'];

/** Deeper members are not about the call itself. */
const maxTransientLevels = 6;

function isTransient(value: unknown, levels = maxTransientLevels): boolean {
  if (levels === 0 || typeof value !== 'object' || value === null) return false;
  for (const [name, member] of Object.entries(value)) {
    const isClaim = member === true && transientNames.includes(name);
    if (isClaim || isTransient(member, levels - 1)) return true;
  }
  return false;
}

function reportStateOf(
  errorId: string | undefined,
  outcome: ReportOutcome | undefined,
): ServiceRecord['reportState'] {
  if (errorId === 'REPORT_NOT_READY') return 'progress';
  if (errorId === 'REPORT_FAILED' || errorId === 'REPORT_EXPIRED') return 'failed';
  return outcome === 'ready' ? undefined : outcome;
}

/** Detects a refusal even if the response has a token. */
export function refusesSignIn({ isError, status, outcome }: ServiceRecord): boolean {
  return isError || (status !== '' && status !== 'ok' && outcome !== 'ready');
}

/** Lists the errors in `details`, with their parameters. */
function detailsIn(answer: unknown): string[] {
  const details = memberAt(answer, 'response', 'details');
  if (!Array.isArray(details)) return [];

  const lines: string[] = [];
  for (const detail of details) {
    const parameter = scalarText(ownMember(detail, 'parameter'));
    const problem = scalarText(ownMember(detail, 'problem'));
    if (problem === undefined) continue;
    lines.push(parameter === undefined ? problem : `${parameter}: ${problem}`);
  }
  return lines;
}

/** Lists the strings in `errors`, or the messages of its objects. */
function errorsIn(answer: unknown): string[] {
  const errors = ownMember(answer, 'errors');
  if (!Array.isArray(errors)) return [];
  const lines = errors.map((item) => scalarText(item) ?? scalarText(ownMember(item, 'message')));
  return lines.filter((line) => line !== undefined);
}
