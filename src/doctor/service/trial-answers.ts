import { recordIn } from '../../api/answers.ts';
import { isLabelledCsv } from '../../contract/body-kind.ts';
import { momentOf, numberTextOf } from '../../contract/values.ts';
import { Decimal } from '../../text/decimal.ts';
import { isObject, type JsonObject } from '../../text/json-object.ts';
import type { RawAnswer } from './calls.ts';

// Parts of answers that the trials look at.

/** A downloaded report. */
export interface ReportDocument {
  readonly rows: readonly JsonObject[];

  /** Empty if the report has no summary. */
  readonly summary: JsonObject;
}

/** A member of an object; `undefined` if it is absent or `value` is not an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isSuccess({ status, error }: RawAnswer): boolean {
  return status >= 200 && status <= 299 && error === undefined;
}

/** True if a call was refused, by status or by an error in the body; an outage is not a refusal. */
export function isRefusal({ status, json }: RawAnswer): boolean {
  if (status >= 400 && status <= 499) return true;
  return status < 400 && recordIn(json).isError;
}

export function isCsvAnswer({ status, headers, json }: RawAnswer): boolean {
  const isText = json === undefined && status >= 200 && status <= 299;
  return isText && isLabelledCsv(headers['content-type']);
}

/** True for the specification's status record: `response` with status, message and report_id. */
export function isStatusRecord(json: unknown): boolean {
  const response = memberOf(json, 'response');
  return ['status', 'message', 'report_id'].every(
    (name) => typeof memberOf(response, name) === 'string',
  );
}

/** The status of a report, as written in any part of the answer; empty if there is none. */
export function statusWordIn({ json }: RawAnswer): string {
  const word = memberOf(memberOf(json, 'response'), 'status');
  return typeof word === 'string' ? word : recordIn(json).status;
}

/** A status in quotation marks, shortened in case it is a longer text. */
export function quoteStatus(word: string): string {
  return word === '' ? 'no status' : `“${word.slice(0, 24)}”`;
}

/** True for a campaign record as in the specification. */
export function isCampaign(value: unknown): boolean {
  const texts = ['advertiserId', 'advertiserName', 'campaignId', 'campaignName'];
  const adUnits = memberOf(value, 'adunits');
  if (!texts.every((name) => typeof memberOf(value, name) === 'string')) return false;
  if (!Array.isArray(adUnits)) return false;

  return adUnits.every((adUnit) =>
    ['adunitId', 'adunitName'].every((name) => typeof memberOf(adUnit, name) === 'string'),
  );
}

/** Names of members of a report and its summary that the specification does not have. */
export function unknownMembersIn({ json }: RawAnswer): string[] {
  const knownKeys = ['data', 'summary'];
  const summary = memberOf(json, 'summary');
  const members = isObject(json) ? Object.keys(json).filter((key) => !knownKeys.includes(key)) : [];

  const knownSummaryKeys = ['since', 'until', 'breakdowns', 'timezone'];
  for (const key of isObject(summary) ? Object.keys(summary) : []) {
    if (!knownSummaryKeys.includes(key)) members.push(`summary.${key}`);
  }
  return members;
}

/** The report in an answer: an array of rows, or an object with one. `undefined` without rows. */
export function documentIn(answer: RawAnswer): ReportDocument | undefined {
  const { json } = answer;
  if (!isSuccess(answer)) return undefined;

  for (const document of [json, memberOf(json, 'response'), { data: json }]) {
    const rows = memberOf(document, 'data');
    if (!Array.isArray(rows) || !rows.every(isObject)) continue;
    const summary = memberOf(document, 'summary');
    return { rows, summary: isObject(summary) ? summary : {} };
  }
  return undefined;
}

/** The exact sum of a field as text; `undefined` if a row has no number in it. */
export function sumOf(rows: readonly JsonObject[], field: string): string | undefined {
  let sum = new Decimal(0n, 0);
  for (const row of rows) {
    const addend = Decimal.parse(numberTextOf(row[field]) ?? '');
    if (!addend) return undefined;
    sum = sum.plus(addend);
  }
  return sum.toString();
}

/** True if a value is valid for a metric of this type. */
export function isMetricValue(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : numberTextOf(value) !== undefined;
}

export function isIsoWithOffset(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/.test(text);
}

/** True if the local time in `text` has the digits that `seconds` have in UTC. */
export function hasSameWallTime(seconds: number, text: string): boolean {
  return momentOf(text)?.wallMs === seconds * 1_000;
}

/** A sentence part on the window of a summary. */
export function summaryWindowText(since: unknown, until: unknown): string {
  if (since === undefined && until === undefined) return 'the summary has no window';
  return `in the summary, since is ${receivedText(since)} and until is ${receivedText(until)}`;
}

const maxValueLength = 60;

/** A value as received, as shortened JSON; `missing` for `undefined`. */
export function receivedText(value: unknown): string {
  if (value === undefined) return 'missing';
  const json = JSON.stringify(value);
  return json.length > maxValueLength ? `${json.slice(0, maxValueLength)}…` : json;
}
