import type { CampaignRecord } from '../contract/messages.ts';

/** Reading what a service may answer, liberally: its exact shapes are only partly known (`decisions.md` 2, 3 and 6). */

type JsonObject = { readonly [key: string]: unknown };

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member at a path of names, or `undefined` where the path leaves the objects. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

/** A non-empty string or a number, as text. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function firstScalar(value: unknown, paths: readonly (readonly string[])[]): string | undefined {
  for (const path of paths) {
    const found = scalar(at(value, ...path));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** In the order of `decisions.md` 2; the empty path is the answer itself. */
const idPaths = [['response', 'report_id'], ['response', 'id'], ['report_id'], ['reportId'], ['id'], ['response'], []];

/** The report id in a create call's answer, in any of the shapes of `decisions.md` 2; `undefined` where there is none. */
export function findReportId(answer: unknown): string | undefined {
  return firstScalar(answer, idPaths);
}

/** Whether an answer is report data rather than a record: a `data` array, in `response` or not, or rows alone. */
export function isReportData(answer: unknown): boolean {
  return [answer, at(answer, 'data'), at(answer, 'response', 'data')].some(Array.isArray);
}

/** The status word (lower-case) and message in a status call's answer; `undefined` where there is no status. */
export function findStatus(answer: unknown): { readonly status: string; readonly message: string } | undefined {
  const status = firstScalar(answer, [['response', 'status'], ['status'], ['response']])?.toLowerCase();
  if (status === undefined) return undefined;
  return { status, message: firstScalar(answer, [['response', 'message'], ['message']]) ?? status };
}

/** The token in a sign-in's answer. */
export function findToken(answer: unknown): string | undefined {
  return firstScalar(answer, [['response', 'token'], ['token'], ['access_token']]);
}

/** The campaign list, bare or wrapped, with every field a string and every list there; `undefined` where there is none. */
export function findCampaigns(answer: unknown): CampaignRecord[] | undefined {
  const list = [answer, at(answer, 'response')]
    .flatMap((outer) => [outer, at(outer, 'campaigns'), at(outer, 'data')])
    .find(Array.isArray);
  return list?.map((item: unknown) => {
    const text = (name: string): string => scalar(at(item, name)) ?? '';
    const units = at(item, 'adunits');
    return {
      advertiserId: text('advertiserId'),
      advertiserName: text('advertiserName'),
      campaignId: text('campaignId'),
      campaignName: text('campaignName'),
      campaignStartDate: text('campaignStartDate'),
      campaignEndDate: text('campaignEndDate'),
      adunits: (Array.isArray(units) ? units : []).map((unit: unknown) => ({
        adunitName: scalar(at(unit, 'adunitName')) ?? '',
        adunitId: scalar(at(unit, 'adunitId')) ?? '',
      })),
    };
  });
}

const errorIdPaths = [['response', 'error_id'], ['error', 'code'], ['code']];
const messagePaths = [['response', 'error'], ['response', 'message'], ['error', 'message'], ['error'], ['message']];

/** The error that an answer names although its status says success; a mere `message` is none. */
export function findError(
  answer: unknown,
): { readonly errorId: string | undefined; readonly message: string } | undefined {
  const message = firstScalar(answer, [['response', 'error'], ['error', 'message'], ['error']]);
  return message === undefined ? undefined : { errorId: firstScalar(answer, errorIdPaths), message };
}

/** What a refusal says. */
export interface Refusal {
  readonly errorId: string | undefined;
  readonly message: string | undefined;
  /** One line a fault, where the service lists them. */
  readonly faults: readonly string[];
}

/** The error in an answer's body: JSON in any known shape, else the body's first line of text (`decisions.md` 6). */
export function readRefusal(body: string, contentType: string | undefined): Refusal {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    const isPage = /html/i.test(contentType ?? '') || /^\s*</.test(body);
    const firstLine = isPage ? undefined : body.trim().split(/\r?\n/)[0]?.slice(0, 300);
    return { errorId: undefined, message: firstLine || undefined, faults: [] };
  }
  const details = at(answer, 'response', 'details');
  return {
    errorId: firstScalar(answer, errorIdPaths),
    message: firstScalar(answer, messagePaths) ?? scalar(answer),
    faults: Array.isArray(details) ? details.flatMap(describeFault) : [],
  };
}

function describeFault(detail: unknown): string[] {
  const problem = scalar(at(detail, 'problem'));
  const parameter = scalar(at(detail, 'parameter'));
  if (problem === undefined) return [];
  return [parameter === undefined ? problem : `${parameter}: ${problem}`];
}
