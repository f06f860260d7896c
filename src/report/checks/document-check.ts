import { type Column, metricOfField } from '../../contract/columns.ts';
import { knownOutcomeOf, saysCut } from '../../contract/messages.ts';
import { numberTextOf } from '../../contract/values.ts';
import type { ReportTail, RowBatch } from '../../rows/row-batch.ts';
import { printable } from '../../text/printable.ts';
import { formatCount } from '../../text/quantity.ts';
import type { Check, MetricNumbers } from './check.ts';

/** Objects beside the rows whose members say something of the report. */
const envelopes: readonly string[] = [
  'meta',
  'metadata',
  'summary',
  'response',
  'info',
  'links',
  'paging',
  'pagination',
  'page',
  'totals',
  'total',
  'sums',
  'grandtotal',
  'metrics',
];

/** Envelopes stand in each other so deep at most. */
const envelopesAtMost = 3;

// Names are compared in lower case and by their letters alone.

const errorForm =
  /^(?:errors?|error(?:id|code|message|text|count)|fail(?:ed|ures?)(?:count|shards|parts)?)$/;
const warningForm = /^(?:warnings?|notices?)$/;
const cutForm =
  /partial|truncat|incomplete|omitted|skipped|dropped|limitreached|preliminary|provisional|sampled|timedout/;
const wholeNames: readonly string[] = [
  'complete',
  'iscomplete',
  'final',
  'isfinal',
  'finished',
  'success',
  'ok',
];
const messageNames: readonly string[] = ['message', 'messages', 'note', 'notes', 'info', 'remark'];
const codeNames: readonly string[] = ['code', 'statuscode', 'httpstatus'];
const statusNames: readonly string[] = ['status', 'state', 'reportstatus'];
const idNames: readonly string[] = ['reportid'];
const moreNames: readonly string[] = [
  'next',
  'nextpage',
  'nextcursor',
  'nextlink',
  'nexturl',
  'nextpagetoken',
  'hasmore',
  'hasnext',
  'more',
  'cursor',
  'endcursor',
  'continuation',
  'continuationtoken',
];
const pageCountNames: readonly string[] = ['pages', 'totalpages', 'pagecount', 'lastpage'];
const limitNames: readonly string[] = ['limit', 'rowlimit', 'maxrows'];
const countNames: readonly string[] = [
  'count',
  'total',
  'totalcount',
  'rows',
  'rowcount',
  'totalrows',
  'rowstotal',
  'numrows',
  'records',
  'recordcount',
  'totalrecords',
  'recordstotal',
  'nbrows',
];

/** Compares what a document says of itself, beside its rows, with the rows and with the report that was asked for. */
export class DocumentCheck implements Check {
  readonly #reportId: string | undefined;
  readonly #sums = new Map<string, number>();

  constructor(metrics: readonly Column[], reportId: string | undefined) {
    this.#reportId = reportId;
    for (const { field } of metrics) this.#sums.set(field, 0);
  }

  observe(_batch: RowBatch, numbers: MetricNumbers): void {
    for (const [field, before] of this.#sums) {
      const sum = numbers.factsOf(field).sum;
      this.#sums.set(field, before + sum);
    }
  }

  findings({ members, rowCount }: ReportTail): string[] {
    const findings: string[] = [];
    for (const { name, json } of members) {
      const value: unknown = JSON.parse(json.toString());
      findings.push(...this.#findingsIn(name, value, rowCount));
    }
    return findings;
  }

  /** Those of a member, and of the members of an envelope. */
  #findingsIn(path: string, value: unknown, rowCount: number): string[] {
    const findings = this.#findingsOf(path, value, rowCount);
    const names = path.split('.');
    const isEnvelope = envelopes.includes(plain(names.at(-1) ?? ''));
    if (!isEnvelope || !isObject(value) || names.length > envelopesAtMost) return findings;

    for (const [inner, innerValue] of Object.entries(value)) {
      findings.push(...this.#findingsIn(`${path}.${inner}`, innerValue, rowCount));
    }
    return findings;
  }

  #findingsOf(path: string, value: unknown, rowCount: number): string[] {
    const name = plain(path.slice(path.lastIndexOf('.') + 1));
    const said = `${printable(path)}: ${textOf(value)}`;

    if (errorForm.test(name) && !isNothing(value)) {
      return [`The report names an error beside its rows: ${said}.`];
    }
    if (warningForm.test(name) && !isNothing(value)) {
      return [`The report brings a warning: ${said}.`];
    }
    const isCut = cutForm.test(name) && !isNothing(value);
    const isNotWhole = wholeNames.includes(name) && isNo(value);
    if (isCut || isNotWhole) return [`The report says that it is not whole: ${said}.`];
    if (moreNames.includes(name) && !isNothing(value)) {
      return [`The report says that it goes on elsewhere: ${said}.`];
    }
    if (messageNames.includes(name) && saysThatItIsCut(value)) {
      return [`The report brings a warning: ${said}.`];
    }
    if (statusNames.includes(name) && isOtherThanReady(value)) {
      return [`The report says that it is not ready: ${said}.`];
    }
    if (idNames.includes(name) && this.#isOtherId(value)) {
      return [`The service sent another report than asked for: ${said}.`];
    }

    const number = numberTextOf(value);
    if (number === undefined) return [];
    if (codeNames.includes(name) && Number(number) >= 400) {
      return [`The report names an error beside its rows: ${said}.`];
    }
    if (pageCountNames.includes(name) && Number(number) > 1) {
      return [`The report says that it goes on elsewhere: ${said}.`];
    }
    if (limitNames.includes(name) && Number(number) === rowCount) {
      return [`The report has as many rows as its limit, and may be cut: ${said}.`];
    }
    if (countNames.includes(name) && Number(number) !== rowCount) {
      const rows = formatCount(rowCount);
      return [
        `The report says that it has another number of rows than the ${rows} that came: ${said}.`,
      ];
    }
    return this.#totalFindings(path, Number(number));
  }

  #isOtherId(value: unknown): boolean {
    const isId = typeof value === 'string' || typeof value === 'number';
    if (!isId || this.#reportId === undefined || value === '') return false;
    return String(value).trim() !== this.#reportId.trim();
  }

  /** A total that the document names for one of its metrics. */
  #totalFindings(path: string, total: number): string[] {
    const field = path.slice(path.lastIndexOf('.') + 1);
    const sum = this.#sums.get(field) ?? this.#sumOfMetric(field);
    if (sum === undefined) return [];

    // A total may be rounded to cents.
    const allowed = Math.max(1e-6 * Math.abs(sum), 0.006);
    if (Math.abs(sum - total) <= allowed) return [];
    const rowsSum = Number(sum.toFixed(6));
    return [
      `The report names another total than its rows have: ${printable(path)} ${total} instead of ${rowsSum}.`,
    ];
  }

  #sumOfMetric(name: string): number | undefined {
    const metric = metricOfField(name)?.name;
    if (metric === undefined) return undefined;
    for (const [field, sum] of this.#sums) {
      if (metricOfField(field)?.name === metric) return sum;
    }
    return undefined;
  }
}

/** More rows than these, to the row, are seldom chance: they are limits that services have. */
const usualLimits: readonly number[] = [10_000, 50_000, 65_536, 100_000, 500_000, 1_000_000];

/** What a report of exactly so many rows may be; `undefined` for any other number. */
export function limitWarning(rowCount: number): string | undefined {
  if (!usualLimits.includes(rowCount)) return undefined;
  const rows = formatCount(rowCount);
  return `The report has exactly ${rows} rows, which may be a limit of the service: a shorter window tells.`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value says that there is nothing: no error, no next page. */
function isNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isNothing);
  return isNo(value);
}

function isNo(value: unknown): boolean {
  if (typeof value === 'string') return /^\s*(?:|0|no|none|null|false)\s*$/i.test(value);
  return value === null || value === undefined || value === false || value === 0;
}

/** Whether a text, or one of a list, says that something is missing. */
function saysThatItIsCut(value: unknown): boolean {
  return [value].flat().some((text) => typeof text === 'string' && saysCut(text));
}

/** A number is the status of HTTP once more. */
function isOtherThanReady(value: unknown): boolean {
  const number = numberTextOf(value);
  if (number !== undefined) return Number(number) >= 300;
  if (typeof value !== 'string' || value.trim() === '') return false;
  return knownOutcomeOf(value) !== 'ready';
}

function textOf(value: unknown): string {
  return printable((JSON.stringify(value) ?? '').slice(0, 150));
}
