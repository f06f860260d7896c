import { recordIn } from '../../api/answers.ts';
import { isLabelledCsv } from '../../contract/body-kind.ts';
import { momentOf, numberTextOf } from '../../contract/values.ts';
import { Decimal } from '../../text/decimal.ts';
import { isObject, type JsonObject } from '../../text/json-object.ts';
import type { RawAnswer } from './calls.ts';

// What the trials of a service read in its answers.

/** A report as it came. */
export interface ReportDocument {
  readonly rows: readonly JsonObject[];

  /** Empty where there is none. */
  readonly summary: JsonObject;
}

/** A member of an object; `undefined` where the value is none, or lacks it. */
export function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isSuccess({ status, error }: RawAnswer): boolean {
  return status >= 200 && status <= 299 && error === undefined;
}

/**
 * Whether a call was refused, by its status or by the error in its body; an outage is no refusal.
 */
export function isRefusal({ status, json }: RawAnswer): boolean {
  if (status >= 400 && status <= 499) return true;
  return status < 400 && recordIn(json).isError;
}

export function isCsvAnswer({ status, headers, json }: RawAnswer): boolean {
  const isText = json === undefined && status >= 200 && status <= 299;
  return isText && isLabelledCsv(headers['content-type']);
}

/**
 * Whether an answer is the record of the specification: `response` with status, message and
 * report_id, all texts.
 */
export function isStatusRecord(json: unknown): boolean {
  const response = memberOf(json, 'response');
  return ['status', 'message', 'report_id'].every(
    (name) => typeof memberOf(response, name) === 'string',
  );
}

/**
 * The word for a report's state, wherever it stands, as it is written; empty where there is none.
 */
export function statusWordIn({ json }: RawAnswer): string {
  const word = memberOf(memberOf(json, 'response'), 'status');
  return typeof word === 'string' ? word : recordIn(json).status;
}

/** A status word in quotation marks; a longer text may be anything, and is cut. */
export function quoteStatus(word: string): string {
  return word === '' ? 'no status' : `“${word.slice(0, 24)}”`;
}

/** Whether an element of the list of campaigns has the members of the specification. */
export function isCampaign(value: unknown): boolean {
  const texts = ['advertiserId', 'advertiserName', 'campaignId', 'campaignName'];
  const adUnits = memberOf(value, 'adunits');
  if (!texts.every((name) => typeof memberOf(value, name) === 'string')) return false;
  if (!Array.isArray(adUnits)) return false;

  return adUnits.every((adUnit) =>
    ['adunitId', 'adunitName'].every((name) => typeof memberOf(adUnit, name) === 'string'),
  );
}

/**
 * The members that a report has beside its rows, and its summary beside what describes it, by their
 * names.
 */
export function membersBesideRows({ json }: RawAnswer): string[] {
  const described = ['data', 'summary'];
  const summary = memberOf(json, 'summary');
  const others = isObject(json) ? Object.keys(json).filter((key) => !described.includes(key)) : [];
  const ofSummary = isObject(summary) ? Object.keys(summary) : [];

  const ofWindow = ['since', 'until', 'breakdowns', 'timezone'];
  for (const key of ofSummary) if (!ofWindow.includes(key)) others.push(`summary.${key}`);
  return others;
}

/** The report in an answer, wherever its rows stand; `undefined` where there are none. */
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

/** The exact sum of a field over rows, as text; `undefined` where one of them has no number. */
export function sumOf(rows: readonly JsonObject[], field: string): string | undefined {
  let sum = new Decimal(0n, 0);
  for (const row of rows) {
    const addend = Decimal.parse(numberTextOf(row[field]) ?? '');
    if (!addend) return undefined;
    sum = sum.plus(addend);
  }
  return sum.toString();
}

/** Whether a row's value can be that of a metric: a count is a whole number. */
export function isMetricValue(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : numberTextOf(value) !== undefined;
}

export function isIsoWithOffset(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/.test(text);
}

/**
 * Whether a moment of a summary shows on the clock of its zone what the seconds show on that of
 * UTC.
 */
export function isSameWall(seconds: number, text: string): boolean {
  return momentOf(text)?.wallMs === seconds * 1_000;
}

/** The window of a summary in words. */
export function summaryWindowText(since: unknown, until: unknown): string {
  if (since === undefined && until === undefined) return 'the summary has no window';
  return `the summary has ${receivedText(since)} to ${receivedText(until)}`;
}

const longestValue = 60;

/** A value as it came, shortened: the terminal is that of the account's owner. */
export function receivedText(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json = JSON.stringify(value);
  return json.length > longestValue ? `${json.slice(0, longestValue)}…` : json;
}
