import { isPage } from '../contract/body-kind.ts';
import {
  type AdUnit,
  type CampaignRecord,
  knownOutcomeOf,
  type ReportOutcome,
} from '../contract/messages.ts';
import { codeOf, IncompleteDataError } from '../errors.ts';
import { isObject, type JsonObject } from '../text/json-object.ts';
import { printable, serviceTextAtMost, shortened } from '../text/printable.ts';
import { tryJson } from './exact-json.ts';
import type { Redact } from './hidden-texts.ts';
import type { HttpResponse } from './http.ts';

// Reads the service's answers: bodies of limited size, in any known shape (`decisions.md` 1 to 6).

const answerBytesAtMost = 16 * 1024 * 1024;
const beginningBytes = 64 * 1024;

/**
 * A whole body as text. Throws `IncompleteDataError` if it is longer than 16 MB, and like `utf8Of`.
 */
export async function readText({ body, headers }: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of utf8Of(body, charsetOf(headers['content-type']))) {
    size += piece.length;
    if (size > answerBytesAtMost) {
      const message = 'The response is longer than 16 MB and is not a report.';
      throw new IncompleteDataError(message, { retryable: false });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** The charset of a `Content-Type`; UTF-8 by default. */
export function charsetOf(contentType = ''): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

/**
 * Converts a body to UTF-8. Throws `IncompleteDataError` if the charset is unknown or the bytes are
 * not valid in it.
 */
export async function* utf8Of(
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

/** A body whose beginning has been read. */
export interface PeekedBody {
  /** At most the first 64 KiB. */
  readonly start: string;

  /** True if `start` is the whole body. */
  readonly isWhole: boolean;

  /** The whole body, from its first byte. */
  readonly all: AsyncIterable<Buffer>;
}

/** Reads the beginning of a body: at most 64 KiB, less if `isEnough` returns true. */
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

/** Passes a body through and remembers it if it is short. */
export class SampledBody implements AsyncIterable<Buffer> {
  readonly #body: AsyncIterable<Buffer>;
  readonly #bytesAtMost: number;
  readonly #pieces: Buffer[] = [];
  #size = 0;

  constructor(body: AsyncIterable<Buffer>, bytesAtMost: number) {
    this.#body = body;
    this.#bytesAtMost = bytesAtMost;
  }

  /** The text read so far; `undefined` if it is longer than the limit. */
  get text(): string | undefined {
    if (this.#size > this.#bytesAtMost) return undefined;
    return new TextDecoder().decode(Buffer.concat(this.#pieces));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const piece of this.#body) {
      this.#size += piece.length;
      if (this.#size <= this.#bytesAtMost) this.#pieces.push(piece);
      yield piece;
    }
  }
}

/** True if the `Link` header names a next page. A `rel` may have several words. */
export function hasNextLink({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  const relations = (headers.link ?? '').matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/gi);
  return [...relations].some(([, quoted, bare = '']) => {
    return (quoted ?? bare).toLowerCase().split(/\s+/).includes('next');
  });
}

/** Parses a JSON body. Throws `IncompleteDataError` that quotes the body otherwise. */
export function parseJson(text: string, response: HttpResponse, redact: Redact): unknown {
  const answer = tryJson(text);
  if (answer !== undefined) return answer;

  const { status } = response;
  const beginning = redact(text.slice(0, beginningBytes));
  const instead = describeText(beginning, response);
  throw new IncompleteDataError(`The service answered ${status} with ${instead} instead of JSON.`, {
    retryable: false,
    hint: 'Check that the base URL is the reporting service (adreport whoami) and that no proxy answers instead (HTTPS_PROXY).',
  });
}

function describeText(text: string, { headers }: HttpResponse): string {
  if (isPage(text, headers['content-type'])) return 'a web page';
  if (text.trim() === '') return 'an empty body';
  return quoteAnswer(text);
}

/** The first 150 characters of an answer, in quotation marks. */
export function quoteAnswer(text: string): string {
  const trimmed = text.trim();
  const isLonger = trimmed.length > 150;
  return `“${printable(trimmed.slice(0, 150))}${isLonger ? '…' : ''}”`;
}

/** The path of the value itself; other paths are names separated by dots. */
const itself = '.';

/** The member at a path; `undefined` if there is none. */
function at(value: unknown, path: string): unknown {
  if (path === itself) return value;
  let member = value;
  for (const name of path.split('.')) {
    // A list with one record counts as the record.
    const record: unknown = Array.isArray(member) && member.length === 1 ? member[0] : member;
    if (!isObject(record) || !Object.hasOwn(record, name)) return undefined;
    member = record[name];
  }
  return member;
}

/** The first non-empty text or number at the given paths. */
function textAt(value: unknown, paths: readonly string[]): string | undefined {
  return textThatFits(value, paths, /\S/);
}

function textThatFits(value: unknown, paths: readonly string[], form: RegExp): string | undefined {
  for (const path of paths) {
    const scalar = at(value, path);
    if (typeof scalar !== 'string' && typeof scalar !== 'number') continue;
    const text = String(scalar).trim();
    if (form.test(text)) return text;
  }
  return undefined;
}

const reportIdPaths = [
  'response.report_id',
  'response.reportId',
  'response.id',
  'response.data.report_id',
  'report_id',
  'reportId',
  'id',
  'data.report_id',
  'response',
  itself,
];

/** The report id in the answer to a create call, if any. */
export function findReportId(answer: unknown): string | undefined {
  return textAt(answer, reportIdPaths);
}

/** Members that records have and report rows do not. */
const recordNames = ['report_id', 'reportId', 'error', 'error_id'];

/** True if an answer is report data, not a record: a list of rows without a report id or error. */
export function isReportData(answer: unknown): boolean {
  const rows = rowsIn(answer);
  return rows !== undefined && findReportId(answer) === undefined && areRows(rows);
}

/** True if an answer has report rows, whatever its other members are. */
export function holdsRows(answer: unknown): boolean {
  const rows = rowsIn(answer);
  return rows !== undefined && rows.length > 0 && areRows(rows);
}

function rowsIn(answer: unknown): readonly unknown[] | undefined {
  const lists = [at(answer, 'data'), at(answer, 'response.data'), answer];
  return lists.find(Array.isArray);
}

function areRows(items: readonly unknown[]): boolean {
  return items.every((row) => isObject(row) && !recordNames.some((name) => name in row));
}

const tokenPaths = [
  'response.token',
  'token',
  'access_token',
  'data.token',
  'response.access_token',
];

/** The token in the answer to a sign-in, which may be a bare text of 16 to 512 characters. */
export function findToken(answer: unknown): string | undefined {
  if (typeof answer !== 'string') return textAt(answer, tokenPaths);
  const text = answer.trim();
  return /^[\w.~+/=-]{16,512}$/.test(text) ? text : undefined;
}

/** An item with its key, if the list is an object keyed by id. */
interface KeyedItem {
  readonly key: string;
  readonly item: unknown;
}

/** The items of a list, or of an object keyed by id; `undefined` for anything else. */
function itemsOf(value: unknown): Iterable<KeyedItem> | undefined {
  if (Array.isArray(value)) return itemsOfList(value);
  if (isObject(value) && isKeyedById(value)) return itemsOfObject(value);
  return undefined;
}

function* itemsOfList(list: readonly unknown[]): Generator<KeyedItem> {
  for (const item of list) yield { key: '', item };
}

function* itemsOfObject(object: JsonObject): Generator<KeyedItem> {
  for (const [key, item] of Object.entries(object)) yield { key, item };
}

function isKeyedById(object: JsonObject): boolean {
  const entries = Object.entries(object);
  return entries.length > 0 && entries.every(([key, item]) => /^\d+$/.test(key) && isObject(item));
}

const campaignPlaces = [
  'response.campaigns',
  'response.data',
  'campaigns',
  'data.campaigns',
  'data',
  'response',
  itself,
];

/**
 * The campaign list in an answer, bare or wrapped; `undefined` if there is none. Missing fields are
 * empty strings, missing lists are empty.
 */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  for (const place of campaignPlaces) {
    const items = itemsOf(at(answer, place));
    if (items) return readCampaigns(items);
  }
  return undefined;
}

function readCampaigns(items: Iterable<KeyedItem>): CampaignRecord[] | undefined {
  const campaigns: CampaignRecord[] = [];
  for (const { key, item } of items) {
    const campaignId = textAt(item, ['campaignId', 'id']) ?? key;
    if (campaignId === '') return undefined;
    campaigns.push({
      advertiserId: textAt(item, ['advertiserId']) ?? '',
      advertiserName: textAt(item, ['advertiserName']) ?? '',
      campaignId,
      campaignName: textAt(item, ['campaignName', 'name']) ?? '',
      campaignStartDate: textAt(item, ['campaignStartDate']) ?? '',
      campaignEndDate: textAt(item, ['campaignEndDate']) ?? '',
      adunits: readAdUnits(at(item, 'adunits') ?? at(item, 'adUnits')),
    });
  }
  return campaigns;
}

function readAdUnits(value: unknown): AdUnit[] {
  const adUnits: AdUnit[] = [];
  for (const { key, item } of itemsOf(value) ?? []) {
    adUnits.push({
      adunitName: textAt(item, ['adunitName', 'adUnitName', 'name']) ?? '',
      adunitId: textAt(item, ['adunitId', 'adUnitId', 'id']) ?? key,
    });
  }
  return adUnits;
}

const errorPaths = ['data.error', 'error.message', 'error_description', 'error'];
const messagePaths = ['response.error', 'response.message', ...errorPaths, 'message', 'detail'];
const errorIdPaths = ['response.error_id', 'error_id', 'error.code', 'error.error_id', 'code'];
const statusPaths = [
  'response.report_status',
  'report_status',
  'response.status',
  'response.data.status',
  'data.status',
  'status',
  'response.report.status',
  'report.status',
  'response.state',
  'response.data.state',
  'data.state',
  'state',
  'response',
];

/** The report state and the error in an answer. */
export interface ServiceRecord {
  /** The service's word for the error, such as `UNKNOWN_REPORT`. */
  readonly errorId: string | undefined;
  readonly message: string | undefined;

  /** One line per error, if the answer lists them. */
  readonly errorLines: readonly string[];

  /** In lower case; empty if there is none. */
  readonly status: string;

  /** The meaning of the status; `undefined` if it is not known. */
  readonly outcome: ReportOutcome | undefined;

  /** True if the answer has an error. A `message` alone is not an error. */
  readonly isError: boolean;

  /** Why there is no report in the answer, if it says so. */
  readonly reportState: 'progress' | 'failed' | undefined;

  /** True if the service says that the same call may soon succeed. */
  readonly isTransient: boolean;
}

/**
 * The status word in an answer. If the first one is the `OK` of an envelope, later ones count, and
 * so does a message that is a known status word. Numbers are ignored: they repeat the HTTP status.
 */
function stateWordIn(answer: unknown): string {
  const words: string[] = [];
  for (const path of statusPaths) {
    const word = textThatFits(answer, [path], /\p{L}/u);
    if (word !== undefined) words.push(word);
  }
  const [first = ''] = words;
  if (!isOk(first)) return first;

  const message = textAt(answer, ['response.message', 'message']);
  if (message !== undefined && knownOutcomeOf(message) !== undefined) words.push(message);
  return words.find((word) => !isOk(word)) ?? first;
}

function isOk(word: string): boolean {
  return /^\W*ok\W*$/i.test(word);
}

/** A copy of an answer with shortened texts and names, to be shown or stored. */
export function shortenedAnswer(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return value.map(shortenedAnswer);
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [shortened(name), shortenedAnswer(member)]),
  );
}

/** The errors that fit, with the number of those that do not. */
function shortenedLines(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = serviceTextAtMost;
  for (const line of lines) {
    if (left <= 0) break;
    shown.push(shortened(line, left));
    left -= line.length;
  }
  const more = lines.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/**
 * Reads the report state and the error of an answer in any known shape (`decisions.md` 3 and 6).
 * Texts are shortened to 500 characters.
 */
export function recordIn(answer: unknown): ServiceRecord {
  const errors = errorsIn(answer);
  const details = detailsIn(answer);
  const lines = details.length > 0 ? details : errors;
  const errorId = textAt(answer, errorIdPaths);
  const status = shortened(stateWordIn(answer)).toLowerCase();
  const outcome = knownOutcomeOf(status);
  const [firstLine] = lines;
  const message = textAt(answer, messagePaths) ?? firstLine ?? textAt(answer, [itself]);
  return {
    errorId: errorId && shortened(errorId),
    message: message && shortened(message),
    errorLines: shortenedLines(lines),
    status,
    outcome,
    isError: namesError(answer, status, errors),
    reportState: reportStateOf(errorId ?? '', outcome),
    isTransient: isTransient(answer),
  };
}

const transientForm = /^(?:is_?)?(?:transient|retryable)$/i;

/** Deeper members are not about the call itself. */
const transientLevelsAtMost = 6;

function isTransient(value: unknown, levels = transientLevelsAtMost): boolean {
  if (levels === 0 || typeof value !== 'object' || value === null) return false;
  for (const [name, member] of Object.entries(value)) {
    const isClaim = member === true && transientForm.test(name);
    if (isClaim || isTransient(member, levels - 1)) return true;
  }
  return false;
}

function namesError(answer: unknown, status: string, errors: readonly string[]): boolean {
  const paths = ['response.error', ...errorPaths, 'response.error_id', 'error_id'];
  const error = textAt(answer, paths) ?? errors[0];
  if (error !== undefined && error !== '0') return true;
  if (/^(ko|nok|error|fail(ed|ure)?|denied|refused|invalid|unauthorized)$/.test(status))
    return true;
  return at(answer, 'success') === false || at(answer, 'response.success') === false;
}

function reportStateOf(
  errorId: string,
  outcome: ReportOutcome | undefined,
): ServiceRecord['reportState'] {
  if (/NOT_READY|IN_PROGRESS|PENDING/i.test(errorId)) return 'progress';
  if (/FAILED|EXPIRED/i.test(errorId)) return 'failed';
  return outcome === 'ready' ? undefined : outcome;
}

/** The errors in `details`, with their parameters. */
function detailsIn(answer: unknown): string[] {
  const lines: string[] = [];
  for (const detail of [at(answer, 'response.details')].flat()) {
    const parameter = textAt(detail, ['parameter']);
    const problem = textAt(detail, ['problem']);
    if (problem === undefined) continue;
    lines.push(parameter === undefined ? problem : `${parameter}: ${problem}`);
  }
  return lines;
}

/** The errors in a list, or in an object with a list per field. */
function errorsIn(answer: unknown): string[] {
  const errors = at(answer, 'errors') ?? at(answer, 'response.errors');
  const items = isObject(errors) ? Object.values(errors) : [errors];
  const texts: string[] = [];
  for (const item of items.flat()) {
    const text = textAt(item, [itself, 'message', 'detail', 'error']);
    if (text !== undefined) texts.push(text);
  }
  return texts;
}
