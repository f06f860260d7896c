import { type CampaignRecord, knownOutcomeOf } from '../contract/messages.ts';

// Reading what a service may answer, liberally: its exact shapes are only partly known (`decisions.md` 1 to 6).

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

/** The non-empty texts and numbers at some paths, with blanks between these, in their order. */
function scalarsAt(value: unknown, paths: string): string[] {
  return paths.split(' ').flatMap((path) => {
    const found = at(value, path);
    if (typeof found === 'number') return [String(found)];
    return typeof found === 'string' && found.trim() !== '' ? [found.trim()] : [];
  });
}

/** The report id in a create call's answer, in any of the shapes of `decisions.md` 2; `undefined` where there is none. */
export function findReportId(answer: unknown): string | undefined {
  const paths = 'response.report_id response.reportId response.id response.data.report_id report_id reportId id';
  return scalarsAt(answer, `${paths} data.report_id response .`)[0];
}

/** Whether an answer is report data rather than a record: a list of rows, in `data` or not, without a report's id or error. */
export function isReportData(answer: unknown): boolean {
  const rows = ['data', 'response.data', '.'].map((path) => at(answer, path)).find(Array.isArray);
  if (!rows || findReportId(answer) !== undefined) return false;
  const recordNames = ['report_id', 'reportId', 'error', 'error_id'];
  return rows.every((row: unknown) => isObject(row) && !recordNames.some((name) => name in row));
}

/** The status word (lower-case) and message in a status call's answer; `undefined` where there is no status. */
export function findStatus(answer: unknown): { readonly status: string; readonly message: string } | undefined {
  const paths = 'response.status response.data.status data.status status response.state state response';
  // A number is the status of HTTP once more.
  const status = scalarsAt(answer, paths)
    .find((word) => /\p{L}/u.test(word))
    ?.toLowerCase();
  return status === undefined ? undefined : { status, message: messageIn(answer) ?? status };
}

/** The token in a sign-in's answer, which may be a bare text of 16 to 512 token characters. */
export function findToken(answer: unknown): string | undefined {
  if (typeof answer === 'string') return /^[\w.~+/=-]{16,512}$/.exec(answer.trim())?.[0];
  return scalarsAt(answer, 'response.token token access_token data.token response.access_token')[0];
}

/** The items of a list with `''`, or of an object with the ids that they are keyed by; `undefined` for neither. */
function itemsOf(value: unknown): readonly (readonly [key: string, item: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((item: unknown) => ['', item]);
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.length > 0 && entries.every(([key, item]) => /^\d+$/.test(key) && isObject(item))
    ? entries
    : undefined;
}

/** The campaign list, bare or wrapped, with every field a string and every list there; `undefined` where there is none. */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  const places = ['response.campaigns', 'response.data', 'campaigns', 'data.campaigns', 'data', 'response', '.'];
  const items = places.map((path) => itemsOf(at(answer, path))).find((found) => found !== undefined);
  const campaigns = items?.map(([key, item]) => {
    const text = (names: string): string => scalarsAt(item, names)[0] ?? '';
    const units = itemsOf(at(item, 'adunits') ?? at(item, 'adUnits')) ?? [];
    return {
      advertiserId: text('advertiserId'),
      advertiserName: text('advertiserName'),
      campaignId: text('campaignId id') || key,
      campaignName: text('campaignName name'),
      campaignStartDate: text('campaignStartDate'),
      campaignEndDate: text('campaignEndDate'),
      adunits: units.map(([unitKey, unit]) => ({
        adunitName: scalarsAt(unit, 'adunitName adUnitName name')[0] ?? '',
        adunitId: scalarsAt(unit, 'adunitId adUnitId id')[0] ?? unitKey,
      })),
    };
  });
  return campaigns?.every(({ campaignId }) => campaignId !== '') ? campaigns : undefined;
}

/** Whether a list has a further page, by its body or its `Link` header. */
export function hasNextPage(answer: unknown, link = ''): boolean {
  const next = scalarsAt(answer, 'next response.next links.next paging.next pagination.next');
  return next.length > 0 || /;\s*rel\s*=\s*"?next\b/i.test(link);
}

/** What a refusal says. */
export interface Refusal {
  readonly errorId?: string | undefined;
  readonly message?: string | undefined;
  /** One line a fault, where the service lists them. */
  readonly faults: readonly string[];
  /** Its word for how a report stands. */
  readonly status?: string | undefined;
}

const errorPaths = 'data.error error.message error_description error';

function messageIn(answer: unknown): string | undefined {
  return scalarsAt(answer, `response.error response.message ${errorPaths} message detail`)[0];
}

/** What an answer says of an error, in any known shape (`decisions.md` 6). */
export function refusalIn(answer: unknown): Refusal {
  const details = [at(answer, 'response.details')].flat().flatMap((detail) => {
    const [problem] = scalarsAt(detail, 'problem');
    return problem === undefined ? [] : [[...scalarsAt(detail, 'parameter'), problem].join(': ')];
  });
  const faults = details.length > 0 ? details : listedErrors(answer);
  return {
    errorId: scalarsAt(answer, 'response.error_id error_id error.code error.error_id code')[0],
    message: messageIn(answer) ?? faults[0] ?? scalarsAt(answer, '.')[0],
    faults,
    status: findStatus(answer)?.status,
  };
}

/** The texts of `errors`: a list, or an object of lists by field. */
function listedErrors(answer: unknown): string[] {
  const errors = at(answer, 'errors') ?? at(answer, 'response.errors');
  const each: unknown[] = isObject(errors) ? Object.values(errors) : [errors];
  return each.flat().flatMap((error: unknown) => scalarsAt(error, '. message detail error')[0] ?? []);
}

/** The error that an answer names although its status says success; a mere `message` is none, unless its status says no. */
export function findError(answer: unknown): Refusal | undefined {
  const refusal = refusalIn(answer);
  const says =
    scalarsAt(answer, `response.error ${errorPaths} response.error_id error_id`)[0] ?? listedErrors(answer)[0];
  if (says !== undefined && says !== '0') return { ...refusal, message: refusal.message ?? says };
  const saysNo = /^(ko|nok|error|fail(ed|ure)?|denied|refused|invalid|unauthorized)$/.test(refusal.status ?? '');
  return saysNo || [at(answer, 'success'), at(answer, 'response.success')].includes(false) ? refusal : undefined;
}

/** What a record in the place of a report says of it: that it has failed, that it is not ready yet, or neither. */
export function reportStateOf({ errorId = '', status = '' }: Refusal): 'failed' | 'progress' | undefined {
  if (/NOT_READY|IN_PROGRESS|PENDING/i.test(errorId)) return 'progress';
  if (/FAILED|EXPIRED/i.test(errorId)) return 'failed';
  const outcome = knownOutcomeOf(status);
  return outcome === 'ready' ? undefined : outcome;
}
