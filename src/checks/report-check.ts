import {
  breakdownOfField,
  type Column,
  fieldOfColumn,
  fieldTypeOf,
  metricOfField,
} from '../contract/columns.ts';
import type { ResponseFacts } from '../contract/messages.ts';
import { type BreakdownName, breakdowns } from '../contract/vocabulary.ts';
import type { CheckResult } from '../errors.ts';
import type { Expectation } from '../query/expectation.ts';
import { hasValue, type ReportMember, type ReportTail, type RowBatch } from '../rows/row-batch.ts';
import { ColumnCheck } from './column-check.ts';
import { filterChecks } from './filter-check.ts';
import { MetricValues } from './metric-values.ts';
import { checkOutsideRows, reusedIdMessage } from './outside-rows.ts';
import { hasUniqueKeys, RepeatCheck } from './repeat-check.ts';
import { addClockNote, addRowNotes } from './report-notes.ts';
import { type Check, CheckMessages } from './row-check.ts';
import { type ExpectedTimes, TimeCheck } from './time-check.ts';
import { TotalCheck } from './total-check.ts';
import { ValueCheck } from './value-check.ts';
import { checkWindow, checkZone, findSummary, windowOfSummary } from './window-check.ts';

/** Request time of a report, and the service's responses before the download. */
export interface ReportOrigin {
  /** Absent if the service responded to the request with the data itself. */
  readonly id?: string;

  /** When the report was requested, in milliseconds since 1970. It contains nothing later. */
  readonly createdMs: number;

  /** Responses to the request and to the status calls. */
  readonly records?: readonly unknown[];

  /** Id of the report, if the service had given it to another request before. */
  readonly takenId?: string | undefined;

  /**
   * Checks whether the service has given the id to another request than this one. Absent if the
   * request is not known.
   */
  readonly belongsToOtherRequest?: ((id: string) => boolean) | undefined;
}

/** Used for a report that is read from a file. */
export const factsOfFile: ResponseFacts = {
  isPart: false,
  hasNextLink: false,
  isEndMarked: true,
  clockAheadMs: undefined,
};

/** Everything known about a report except its body. */
export interface CheckedReport {
  /** `undefined` if the request is not known; the document is then only checked against itself. */
  readonly expectation: Expectation | undefined;
  readonly answer: ResponseFacts;
  readonly origin: ReportOrigin;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Checks a report against its request and itself while its rows pass through (`cli.md`, Never
 * silently wrong). Memory is bounded by the window's length and the first million rows.
 */
export class ReportCheck {
  readonly #report: CheckedReport;

  /** Created with the first rows, which determine the columns if the request is not known. */
  #checks: readonly Check[] | undefined;

  constructor(report: CheckedReport) {
    this.#report = report;
  }

  observe(batch: RowBatch): void {
    this.#checks ??= this.#makeChecks(this.#columnsIn(batch));
    for (const check of this.#checks) check.observe(batch);
  }

  close(tail: ReportTail): CheckResult {
    const { expectation, answer, origin, nowMs } = this.#report;
    const { records = [], takenId, belongsToOtherRequest } = origin;
    const messages = new CheckMessages();
    this.#checks ??= this.#makeChecks(expectation?.columns ?? []);

    if (expectation) {
      this.#checkSummary(expectation, tail, messages);
      addClockNote(expectation, { nowMs, aheadMs: answer.clockAheadMs }, messages);
    }
    if (takenId !== undefined) messages.addWarning('outside the rows', reusedIdMessage(takenId));
    for (const check of this.#checks) check.close(tail, messages);

    const { isPart, hasNextLink, isEndMarked } = answer;
    const members = exactMembers(tail.members);
    const subject = 'The report';
    checkOutsideRows(
      { subject, members, records, isPart, hasNextLink, belongsToOtherRequest },
      messages,
    );
    addRowNotes(tail, isEndMarked, messages);
    return messages;
  }

  #checkSummary(expectation: Expectation, tail: ReportTail, messages: CheckMessages): void {
    const { profile, window } = expectation;
    const summary = findSummary(tail.members);
    if (!summary) return;
    const { origin, nowMs } = this.#report;
    checkWindow(expectation, summary, { createdMs: origin.createdMs, nowMs }, messages);
    // A buyer's summary always has the same zone, whatever the request says.
    if (profile === 'dsp') checkZone(window, summary, messages);
  }

  #columnsIn(batch: RowBatch): readonly Column[] {
    const requested = this.#report.expectation?.columns;
    if (!requested) return knownColumns(batch);
    return requested.map((column) => ({ ...column, field: fieldOfColumn(column, batch.fields) }));
  }

  #makeChecks(columns: readonly Column[]): Check[] {
    const metricColumns = columns.filter(({ metric }) => metric !== undefined);
    const metrics = metricColumns.map((column) => new MetricValues(column));

    // The value check is first, because other checks reuse what it has read.
    const { expectation } = this.#report;
    const isRequested = expectation !== undefined;
    const checks: Check[] = [new ValueCheck(metrics, { isRequested })];
    if (expectation) checks.unshift(new ColumnCheck(expectation.columns, metrics));
    if (columns.some(({ type }) => type === 'hour' || type === 'date')) {
      checks.push(new TimeCheck((tail) => this.#expectedTimes(tail)));
    }
    if (hasUniqueKeys(columns)) {
      checks.push(new RepeatCheck(columns, this.#report.expectation?.window));
    }
    checks.push(new TotalCheck(columns, metrics));
    checks.push(...filterChecks(this.#report.expectation?.filters ?? {}, columns));
    return checks;
  }

  #expectedTimes({ members }: ReportTail): ExpectedTimes | undefined {
    const { expectation, nowMs } = this.#report;
    if (expectation) {
      const { window, breakdowns: names } = expectation;
      return { window, breakdowns: names, isRequested: true, nowMs };
    }

    const summary = findSummary(members);
    const window = summary && windowOfSummary(summary);
    if (!window) return undefined;
    const named = [summary.breakdowns].flat();
    const names = breakdowns.map(({ name }) => name).filter((name) => named.includes(name));
    return { window, breakdowns: names, isRequested: false, nowMs };
  }
}

/** Returns the columns of rows without a known request: all metrics, and breakdowns with values. */
function knownColumns(batch: RowBatch): Column[] {
  const columns: Column[] = [];
  for (const field of batch.fields) {
    const type = fieldTypeOf(field);
    if (type === undefined) continue;

    const metric = metricOfField(field)?.name;
    const breakdown = breakdownOfField(field)?.name as BreakdownName | undefined;
    // A metric may have its first value in a later batch.
    if (metric !== undefined) columns.push({ field, type, metric });
    else if (breakdown !== undefined && hasValue(batch, field)) {
      columns.push({ field, type, breakdown });
    }
  }
  return columns;
}

/** Parses the members of a document; numbers that a double would round become strings. */
function exactMembers(members: readonly ReportMember[]): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const { name, json } of members) {
    const exact = json
      .toString()
      .replace(/"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]{15,}/g, (token) =>
        token.startsWith('"') ? token : `"${token}"`,
      );
    values[name] = JSON.parse(exact);
  }
  return values;
}
