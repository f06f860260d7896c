import { type CampaignRecord, knownOutcomeOf } from '../contract/messages.ts';
import { parseExactJson } from './read-body.ts';

/** Reading what a service may answer, liberally: its exact shapes are only partly known (`decisions.md` 1 to 6). */

type JsonObject = { readonly [key: string]: unknown };

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member at a path of names with points between, or `undefined` where the path leaves the objects. */
function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  return path.split('.').reduce<unknown>((inner, name) => {
    // A list of one record is that record.
    const record = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner;
    return isObject(record) && Object.hasOwn(record, name) ? record[name] : undefined;
  }, value);
}

/** A non-empty string or a number, as text. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function firstScalar(value: unknown, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = scalar(at(value, path));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In the order of `decisions.md` 2; the empty path is the answer itself. */
const idPaths = [
  'response.report_id',
  'response.reportId',
  'response.id',
  'response.data.report_id',
  'report_id',
  'reportId',
  'id',
  'data.report_id',
  'response',
  '',
];

/** The report id in a create call's answer, in any of the shapes of `decisions.md` 2; `undefined` where there is none. */
export function findReportId(answer: unknown): string | undefined {
  return firstScalar(answer, idPaths);
}

/** Whether an answer is report data rather than a record: a list of rows, in `data` or not, without a report's id or error. */
export function isReportData(answer: unknown): boolean {
  const rows = ['data', 'response.data', ''].map((path) => at(answer, path)).find(Array.isArray);
  if (!rows || firstScalar(answer, idPaths) !== undefined) return false;
  return rows.every(
    (row: unknown) => isObject(row) && !['report_id', 'reportId', 'error', 'error_id'].some((name) => name in row),
  );
}

const statusPaths = [
  'response.status',
  'response.data.status',
  'data.status',
  'status',
  'response.state',
  'state',
  'response',
];

/** The status word (lower-case) and message in a status call's answer; `undefined` where there is no status. */
export function findStatus(answer: unknown): { readonly status: string; readonly message: string } | undefined {
  // A number is the status of HTTP once more.
  const words = statusPaths.flatMap((path) => firstScalar(answer, [path]) ?? []);
  const status = words.find((word) => /\p{L}/u.test(word))?.toLowerCase();
  if (status === undefined) return undefined;
  return { status, message: firstScalar(answer, ['response.message', ...messagePaths]) ?? status };
}

/** The token in a sign-in's answer, which may be a bare text of 16 to 512 token characters. */
export function findToken(answer: unknown): string | undefined {
  if (typeof answer === 'string') return /^[\w.~+/=-]{16,512}$/.exec(answer.trim())?.[0];
  return firstScalar(answer, ['response.token', 'token', 'access_token', 'data.token', 'response.access_token']);
}

/** The items of a list, or of an object keyed by id, whose ids are then given too; `undefined` for neither. */
function itemsOf(value: unknown): readonly { readonly key: string; readonly item: unknown }[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown) => ({ key: '', item }));
  const entries = isObject(value) ? Object.entries(value) : undefined;
  return entries?.length && entries.every(([key, item]) => /^\d+$/.test(key) && isObject(item))
    ? entries.map(([key, item]) => ({ key, item }))
    : undefined;
}

/** The campaign list, bare or wrapped, with every field a string and every list there; `undefined` where there is none. */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  const places = ['response.campaigns', 'response.data', 'campaigns', 'data.campaigns', 'data', 'response', ''];
  const items = places
    .map((path) => (path === '' ? answer : at(answer, path)))
    .map(itemsOf)
    .find((found) => found);
  const campaigns = items?.map(({ key, item }) => {
    const text = (...names: string[]): string => firstScalar(item, names) ?? '';
    const units = itemsOf(at(item, 'adunits') ?? at(item, 'adUnits') ?? []) ?? [];
    return {
      advertiserId: text('advertiserId'),
      advertiserName: text('advertiserName'),
      campaignId: text('campaignId', 'id') || key,
      campaignName: text('campaignName', 'name'),
      campaignStartDate: text('campaignStartDate'),
      campaignEndDate: text('campaignEndDate'),
      adunits: units.map((unit) => ({
        adunitName: firstScalar(unit.item, ['adunitName', 'adUnitName', 'name']) ?? '',
        adunitId: firstScalar(unit.item, ['adunitId', 'adUnitId', 'id']) ?? unit.key,
      })),
    };
  });
  return campaigns?.every(({ campaignId }) => campaignId !== '') ? campaigns : undefined;
}

/** Whether a list has a further page, by its body or its `Link` header. */
export function hasNextPage(answer: unknown, link = ''): boolean {
  const paths = ['next', 'response.next', 'links.next', 'paging.next', 'pagination.next'];
  return firstScalar(answer, paths) !== undefined || /;\s*rel\s*=\s*"?next\b/i.test(link);
}

const errorIdPaths = ['response.error_id', 'error_id', 'error.code', 'error.error_id', 'code'];
const errorPaths = [
  'response.error',
  'data.error',
  'error.message',
  'error_description',
  'error',
  'errors',
  'errors.message',
];
const messagePaths = ['response.error', 'response.message', ...errorPaths.slice(1), 'message', 'detail'];

/** What a refusal says. */
export interface Refusal {
  readonly errorId: string | undefined;
  readonly message: string | undefined;
  /** One line a fault, where the service lists them. */
  readonly faults: readonly string[];
  /** Its word for how a report stands. */
  readonly status?: string | undefined;
}

/** The error that an answer names although its status says success; a mere `message` is none, unless its status says no. */
export function findError(answer: unknown): Refusal | undefined {
  const refusal = refusalIn(answer);
  const says = firstScalar(answer, [...errorPaths, 'response.error_id', 'error_id']) ?? listedErrors(answer)[0];
  if (says !== undefined && says !== '0') return { ...refusal, message: refusal.message ?? says };
  const saysNo = /^(ko|nok|error|fail(ed|ure)?|denied|refused|invalid|unauthorized)$/.test(refusal.status ?? '');
  return saysNo || at(answer, 'success') === false || at(answer, 'response.success') === false ? refusal : undefined;
}

/** The error in an answer's body: JSON in any known shape, else the body's first line of text (`decisions.md` 6). */
export function readRefusal(body: string, contentType = ''): Refusal {
  try {
    return refusalIn(parseExactJson(body));
  } catch {
    const isPage = /html/i.test(contentType) || /^\s*</.test(body);
    const firstLine = isPage ? undefined : body.trim().split(/\r?\n/)[0]?.slice(0, 300);
    return { errorId: undefined, message: firstLine || undefined, faults: [] };
  }
}

function refusalIn(answer: unknown): Refusal {
  const details = at(answer, 'response.details');
  const listed = listedErrors(answer);
  return {
    errorId: firstScalar(answer, errorIdPaths),
    message: firstScalar(answer, messagePaths) ?? listed[0] ?? scalar(answer),
    faults: Array.isArray(details) ? details.flatMap(describeFault) : listed,
    status: findStatus(answer)?.status,
  };
}

/** The texts of `errors`: a list, or an object of lists by field. */
function listedErrors(answer: unknown): string[] {
  const errors = [at(answer, 'errors'), at(answer, 'response.errors')].find((value) => typeof value === 'object') ?? [];
  return Object.values(errors as object)
    .flat()
    .flatMap((error: unknown) => firstScalar(error, ['', 'message', 'detail', 'error']) ?? []);
}

function describeFault(detail: unknown): string[] {
  const problem = firstScalar(detail, ['problem']);
  const parameter = firstScalar(detail, ['parameter']);
  if (problem === undefined) return [];
  return [parameter === undefined ? problem : `${parameter}: ${problem}`];
}

/** What a record in the place of a report says of it: that it has failed, that it is not ready yet, or neither. */
export function reportStateOf({ errorId = '', status }: Refusal): 'failed' | 'progress' | undefined {
  if (/NOT_READY|IN_PROGRESS|PENDING/i.test(errorId)) return 'progress';
  if (/FAILED|EXPIRED/i.test(errorId)) return 'failed';
  const outcome = status === undefined ? undefined : knownOutcomeOf(status);
  return outcome === 'ready' ? undefined : outcome;
}
