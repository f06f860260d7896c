import {
  findBareId,
  isCsv,
  isPage,
  looksLikeJson,
  looksLikeReport,
} from '../contract/body-kind.ts';
import { type CampaignList, type StatusRecord, tokenPattern } from '../contract/messages.ts';
import type { AdreportError } from '../errors.ts';
import { maxServiceCharacters } from '../text/printable.ts';
import type { HttpResponse } from './http.ts';
import {
  containsRows,
  findCampaigns,
  findReportId,
  findToken,
  isReportData,
  parseServiceRecord,
  refusesSignIn,
  tryParseJson,
} from './parse-responses.ts';

// Reads the bodies of successful responses. The error for an unreadable body comes from
// `unreadable`.

const maxResponseBytes = 16 * 1024 * 1024;
const beginningBytes = 64 * 1024;

/** Content of an unreadable response. */
export interface UnreadContent {
  readonly text: string;

  /** Parsed JSON, which may be an error of the service. */
  readonly document?: unknown;
}

/** A successful response to a call. */
export interface CallResponse extends HttpResponse {
  /** `Retry-After`, in milliseconds from now. */
  readonly retryAfterMs: number | undefined;

  /** Attempts at the call, including this one. */
  readonly tries: number;

  /** Builds the error for a response that cannot be read. `problem` ends a sentence: `is empty`. */
  unreadable(problem: string, content?: UnreadContent): AdreportError;
}

/** A response with the data of a report, which has not been read yet. */
export interface ReportResponse {
  /** Whether the response has status 206. */
  readonly isPart: boolean;

  /** Decompressed body, which can be read once. Its errors are `AdreportError`s. */
  readonly body: AsyncIterable<Buffer>;
  readonly contentType: string | undefined;

  /** Length of the body, or `undefined` if it is unknown or the body was compressed. */
  readonly sizeBytes: number | undefined;

  /** `Date` of the response, in milliseconds since 1970. */
  readonly serviceMs: number | undefined;

  /** Attempts at the download, including this one. */
  readonly tries: number;

  /** Ends the transfer. Only needed if the body is not read. */
  close(): void;
}

/** Response to a create call: a report ID, or the data (`output=direct`, `decisions.md` 2). */
export interface CreatedReport {
  /** Not set if the response contains the data. */
  readonly id?: string;
  readonly status: string;

  /** Report data, unless the response contains an ID. */
  readonly response?: ReportResponse;

  /** `Date` of the response, in milliseconds since 1970. */
  readonly serviceMs: number | undefined;
}

/** Status of a report, and when to call again. */
export interface StatusResponse extends StatusRecord {
  readonly retryAfterMs?: number | undefined;
}

/** Reads a body as a string. Throws if the body is longer than 16 MB or not UTF-8. */
async function readText({ body, unreadable }: CallResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxResponseBytes) throw unreadable('is longer than 16 MB');
    pieces.push(piece);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces));
  } catch {
    throw unreadable('is not valid UTF-8 text');
  }
}

interface PeekedBody {
  /** At most the first 64 KiB. */
  readonly start: string;

  readonly isWhole: boolean;

  /** Whole body, including `start`. */
  readonly all: AsyncIterable<Buffer>;
}

/** Reads at most 64 KiB of a body, or less once `isEnough` returns true. */
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

/** Parses JSON. Throws if the text is not JSON. */
function parseJson(text: string, { headers, unreadable }: CallResponse): unknown {
  const document = tryParseJson(text);
  if (document !== undefined) return document;

  if (text.trim() === '') throw unreadable('is empty');
  const problem = isPage(text, headers['content-type']) ? 'is a web page' : 'is not JSON';
  throw unreadable(problem, { text });
}

export async function readToken(response: CallResponse): Promise<string> {
  const text = await readText(response);
  const document = findToken(text) ?? parseJson(text, response);
  const token = findToken(document);
  if (token === undefined || refusesSignIn(parseServiceRecord(document))) {
    throw response.unreadable('has no token', { text, document });
  }
  if (tokenPattern.test(token)) return token;
  throw response.unreadable('has a token that does not fit in a header');
}

export async function readCampaignList(response: CallResponse): Promise<CampaignList> {
  const text = await readText(response);
  const document = parseJson(text, response);
  const campaigns = findCampaigns(document);
  if (!campaigns) throw response.unreadable('is not a list of campaigns', { text, document });
  return { campaigns, document, isPartial: response.status === 206 };
}

/** Reads a report ID or report data, depending on how the response begins. */
export async function readCreated(
  response: CallResponse,
  isDirect: boolean,
): Promise<CreatedReport> {
  const { start, isWhole, all } = await peek(response.body);
  const contentType = response.headers['content-type'];
  const bareId = isWhole ? findBareId(start, contentType) : undefined;
  const serviceMs = readDate(response);
  if (bareId !== undefined) {
    return { id: bareId, status: 'progress', serviceMs };
  }

  const mayBeRecord = isWhole && !isCsv(start, contentType);
  const document = mayBeRecord ? parseJson(start, response) : undefined;
  const isData = isReportData(document) || (isDirect && containsRows(document));
  if (document === undefined || isData) {
    return { status: 'ready', response: toReportResponse(response, all), serviceMs };
  }

  const id = findReportId(document);
  const { isError, status } = parseServiceRecord(document);
  if (id === undefined || isError) {
    throw response.unreadable('has no ID', { text: start, document });
  }
  if (id.length > maxServiceCharacters) {
    const problem = `has an ID of more than ${maxServiceCharacters} characters`;
    throw response.unreadable(problem, { text: start, document });
  }
  return { id, status: status || 'progress', serviceMs };
}

export async function readStatus(response: CallResponse, id: string): Promise<StatusResponse> {
  const { retryAfterMs } = response;
  if (response.status === 202) {
    response.body.destroy();
    return { status: 'progress', message: 'progress', report_id: id, retryAfterMs };
  }

  const text = await readText(response);
  const document = parseJson(text, response);
  const { status, outcome, message = status, isError } = parseServiceRecord(document);
  if (status === '' || (isError && outcome !== 'failed')) {
    throw response.unreadable('has no status', { text, document });
  }
  return { status, message, report_id: id, retryAfterMs };
}

/**
 * Reads the beginning of a report. Throws if it is a record that explains why there is no report.
 */
export async function readDownload(response: CallResponse): Promise<ReportResponse> {
  const { start, isWhole, all } = await peek(response.body, looksLikeReport);
  if (isWhole && start.trim() === '') throw response.unreadable('is empty');
  if (isPage(start)) throw response.unreadable('is a web page', { text: start });
  const document = isWhole && looksLikeJson(start) ? tryParseJson(start) : undefined;
  const isData = isReportData(document) || containsRows(document);
  if (document === undefined || isData) return toReportResponse(response, all);
  throw response.unreadable('is not a report', { text: start, document });
}

function toReportResponse(response: CallResponse, body: AsyncIterable<Buffer>): ReportResponse {
  const { headers, status, tries } = response;
  const length = headers['content-length'] ?? '';
  const hasSize = headers['content-encoding'] === undefined && /^\d{1,15}$/.test(length);
  return {
    body,
    contentType: headers['content-type'],
    sizeBytes: hasSize ? Number(length) : undefined,
    serviceMs: readDate(response),
    isPart: status === 206,
    tries,
    close: () => void response.body.destroy(),
  };
}

/** Reads `Date` in milliseconds since 1970, or returns `undefined` if there is none. */
function readDate({ headers }: HttpResponse): number | undefined {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
