import { type CampaignRecord, knownOutcomeOf } from '../contract/messages.ts';
import { codeOf, IncompleteDataError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import type { HttpResponse } from './http.ts';

// Reading what a service may answer: bodies within bounds, and in them any known shape (`decisions.md` 1 to 6).

/** A whole body as text. Throws `IncompleteDataError` for one that is longer than 16 MB, and as `utf8Of`. */
export async function readText({ body, headers }: HttpResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of utf8Of(body, charsetOf(headers['content-type']))) {
    size += piece.length;
    if (size > 16 * 1024 * 1024) {
      throw new IncompleteDataError('The answer is longer than 16 MB, and is no report.', {
        retryable: false,
      });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** The charset that a `Content-Type` declares, else UTF-8. */
export function charsetOf(contentType = ''): string {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

/** A body in any charset as UTF-8. Throws `IncompleteDataError` for a charset that is not known, and for no text in it. */
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
    throw new IncompleteDataError(`The answer is no text in ${printable(charset)}.`, {
      retryable: false,
    });
  }
}

/** The beginning of a body (64 KiB, all there is, or enough), whether that is all of it, and the whole from its first byte. */
export async function peek(
  body: AsyncIterable<Buffer>,
  isEnough = (_beginning: string): boolean => false,
) {
  const rest = body[Symbol.asyncIterator]();
  const pieces: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (size < 64 * 1024 && !(pieces[0] && isEnough(pieces[0].toString('latin1', 0, 100)))) {
    const next = await rest.next();
    isWhole = next.done === true;
    if (next.done) break;
    pieces.push(next.value);
    size += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* pieces;
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { start: new TextDecoder().decode(Buffer.concat(pieces)), isWhole, all: all() };
}

/** The JSON of a text, `undefined` for none; long integers stay text: an id that is rounded is another report's. */
export function tryJson(text: string): unknown {
  let depth = 0;
  const stringBracketOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|(?<![\d.eE+-])\d{16,}(?![\d.eE])/g;
  try {
    const exact = text.replace(stringBracketOrLong, (token) => {
      if (token.startsWith('"')) return token;
      if (/\d/.test(token)) return `"${token}"`;
      depth += token === '[' || token === '{' ? 1 : -1;
      // Each open bracket takes forty times its byte while it is parsed.
      if (depth > 1_000) throw new SyntaxError('The brackets go too deep.');
      return token;
    });
    return JSON.parse(exact);
  } catch {
    return undefined;
  }
}

/** Whether an answer is a web page, such as a proxy's or a portal's. */
export function isPage(text: string, { headers }: HttpResponse): boolean {
  return /html/i.test(headers['content-type'] ?? '') || /^\s*</.test(text);
}

/** A body's JSON. Throws `IncompleteDataError` that quotes what came instead. */
export function parseJson(text: string, response: HttpResponse): unknown {
  const answer = tryJson(text);
  if (answer !== undefined) return answer;
  const came = isPage(text, response)
    ? 'a web page'
    : text.trim() === ''
      ? 'an empty body'
      : quoteAnswer(text);
  throw new IncompleteDataError(
    `The service answered ${response.status} with ${came} instead of JSON.`,
    {
      retryable: false,
      hint: 'Is the base URL the reporting service’s? adreport whoami shows it. A proxy may stand between: HTTPS_PROXY.',
    },
  );
}

/** The first 150 characters of an answer, in quotation marks. */
export function quoteAnswer(text: string): string {
  return `“${printable(text.trim().slice(0, 150))}${text.trim().length > 150 ? '…' : ''}”`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member at a path of names with points between, `undefined` where the path leaves the objects; `.` is the value. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    if (name === '') return inner;
    // A list of one record is that record.
    const record = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner;
    return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
  }, value);
}

/** The first non-empty text or number, one that fits, at some paths with blanks between these. */
function firstAt(value: unknown, paths: string, fits = /\S/): string | undefined {
  const found = paths.split(' ').map((path) => at(value, path));
  const scalars = found.filter((one) => typeof one === 'string' || typeof one === 'number');
  return scalars.map((one) => String(one).trim()).find((text) => fits.test(text));
}

/** The report id in a create call's answer; `undefined` where there is none. */
export function findReportId(answer: unknown): string | undefined {
  const paths =
    'response.report_id response.reportId response.id response.data.report_id report_id reportId id';
  return firstAt(answer, `${paths} data.report_id response .`);
}

/** Whether an answer is report data rather than a record: a list of rows, in `data` or not, without a report's id or error. */
export function isReportData(answer: unknown): boolean {
  const rows = ['data', 'response.data', '.'].map((path) => at(answer, path)).find(Array.isArray);
  if (!rows || findReportId(answer) !== undefined) return false;
  const recordNames = ['report_id', 'reportId', 'error', 'error_id'];
  return rows.every((row: unknown) => isObject(row) && !recordNames.some((name) => name in row));
}

/** The token in a sign-in's answer, which may be a bare text of 16 to 512 token characters. */
export function findToken(answer: unknown): string | undefined {
  if (typeof answer === 'string') return /^[\w.~+/=-]{16,512}$/.exec(answer.trim())?.[0];
  return firstAt(answer, 'response.token token access_token data.token response.access_token');
}

/** The items of a list with `''`, or of an object with the ids that they are keyed by; `undefined` for neither. */
function itemsOf(value: unknown): readonly (readonly [key: string, item: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown) => ['', item]);
  const entries = isObject(value) ? Object.entries(value) : [];
  const isKeyed =
    entries.length > 0 && entries.every(([key, item]) => /^\d+$/.test(key) && isObject(item));
  return isKeyed ? entries : undefined;
}

/** The campaign list, bare or wrapped, with every field a string and every list there; `undefined` where there is none. */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  const places = [
    'response.campaigns',
    'response.data',
    'campaigns',
    'data.campaigns',
    'data',
    'response',
    '.',
  ];
  const items = places
    .map((path) => itemsOf(at(answer, path)))
    .find((found) => found !== undefined);
  const campaigns = items?.map(([key, item]) => {
    const text = (names: string): string => firstAt(item, names) ?? '';
    const units = itemsOf(at(item, 'adunits') ?? at(item, 'adUnits')) ?? [];
    return {
      advertiserId: text('advertiserId'),
      advertiserName: text('advertiserName'),
      campaignId: text('campaignId id') || key,
      campaignName: text('campaignName name'),
      campaignStartDate: text('campaignStartDate'),
      campaignEndDate: text('campaignEndDate'),
      adunits: units.map(([unitKey, unit]) => ({
        adunitName: firstAt(unit, 'adunitName adUnitName name') ?? '',
        adunitId: firstAt(unit, 'adunitId adUnitId id') ?? unitKey,
      })),
    };
  });
  return campaigns?.every(({ campaignId }) => campaignId !== '') ? campaigns : undefined;
}

/** Whether a list has a further page, by its body or its `Link` header. */
export function hasNextPage(answer: unknown, link = ''): boolean {
  const next = firstAt(answer, 'next response.next links.next paging.next pagination.next');
  return next !== undefined || /;\s*rel\s*=\s*"?next\b/i.test(link);
}

const errorPaths = 'data.error error.message error_description error';
const messagePaths = `response.error response.message ${errorPaths} message detail`;
const statusPaths =
  'response.status response.data.status data.status status response.state state response';

export type ServiceRecord = ReturnType<typeof recordIn>;

/** What an answer says of a report's state and of an error, in any known shape (`decisions.md` 3 and 6). */
export function recordIn(answer: unknown) {
  const details = [at(answer, 'response.details')].flat().flatMap((detail) => {
    const [parameter, problem] = [firstAt(detail, 'parameter'), firstAt(detail, 'problem')];
    return problem === undefined
      ? []
      : [parameter === undefined ? problem : `${parameter}: ${problem}`];
  });
  // A list, or an object of lists by field.
  const errors = at(answer, 'errors') ?? at(answer, 'response.errors');
  const listed = (isObject(errors) ? Object.values(errors) : [errors])
    .flat()
    .flatMap((error: unknown) => firstAt(error, '. message detail error') ?? []);
  const faults = details.length > 0 ? details : listed;
  const errorId = firstAt(answer, 'response.error_id error_id error.code error.error_id code');
  // A number is the status of HTTP once more.
  const status = firstAt(answer, statusPaths, /\p{L}/u)?.toLowerCase() ?? '';
  const named =
    firstAt(answer, `response.error ${errorPaths} response.error_id error_id`) ?? listed[0];
  const saysNo = /^(ko|nok|error|fail(ed|ure)?|denied|refused|invalid|unauthorized)$/.test(status);
  const success = [at(answer, 'success'), at(answer, 'response.success')];
  const isError = (named !== undefined && named !== '0') || saysNo || success.includes(false);
  const outcome = knownOutcomeOf(status);
  const state = outcome === 'ready' ? undefined : outcome;
  const isProgress = /NOT_READY|IN_PROGRESS|PENDING/i.test(errorId ?? '');
  return {
    errorId,
    message: firstAt(answer, messagePaths) ?? faults[0] ?? firstAt(answer, '.'),
    /** One line a fault, where it lists them. */
    faults,
    /** In lower case; empty where there is none. */
    status,
    /** What the status means, where it is known. */
    outcome,
    /** Whether it names an error; a mere `message` is none. */
    isError,
    /** Why it stands in the place of a report, where it says so. */
    reportState: isProgress ? 'progress' : /FAILED|EXPIRED/i.test(errorId ?? '') ? 'failed' : state,
  } as const;
}
