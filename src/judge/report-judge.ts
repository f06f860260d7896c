import { breakdownOfField, type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type BreakdownName, breakdowns } from '../contract/vocabulary.ts';
import type { Judgement } from '../errors.ts';
import {
  hasValue,
  type ReportMember,
  type ReportTail,
  type RowBatch,
  textsOf,
} from '../rows/row-batch.ts';
import { judgeBesideRows } from './beside-rows.ts';
import { type Check, type Expectation, Sayings } from './check.ts';
import { judgeAskedColumns } from './column-check.ts';
import { filterChecks } from './filter-check.ts';
import { MetricValues } from './metric-values.ts';
import { canRepeatsBeTold, RepeatCheck } from './repeat-check.ts';
import { noteClock, noteRows } from './report-notes.ts';
import { idOfOther, noteMembers } from './said-members.ts';
import { type ExpectedTimes, TimeCheck } from './time-check.ts';
import { TotalCheck } from './total-check.ts';
import { ValueCheck } from './value-check.ts';
import type { Verdict } from './verdict.ts';
import { judgeWindow, judgeZone, summaryIn, windowOfSummary } from './window-check.ts';

/** Which report data are of, and how the service came to answer with them. */
export interface ReportOrigin {
  /** Absent where the service answered the order with the data at once. */
  readonly id?: string;

  /** When the report was asked for, in milliseconds since 1970: it holds nothing that is later. */
  readonly createdMs: number;

  /** What the service answered to the order and to the questions for the status. */
  readonly records?: readonly unknown[];

  /** The id, where the service had given it to another request. */
  readonly takenId?: string | undefined;

  /**
   * Whether the service has given an id to another request than this one; absent where the request
   * is not known.
   */
  readonly isOfOtherRequest?: ((id: string) => boolean) | undefined;
}

/** What the answer with a report tells of its body. */
export interface AnswerFacts {
  /** Whether the answer is a part of the report (206). */
  readonly isPart: boolean;

  /** Whether the answer's header `Link` names a next page. */
  readonly hasNextLink: boolean;

  /**
   * Whether the answer told where its body ends. Where only the end of the connection marked that,
   * the body may be cut.
   */
  readonly isEndTold: boolean;

  /**
   * How far the clock of the service is ahead of this machine's, in milliseconds; `undefined` where
   * it does not tell.
   */
  readonly clockAheadMs: number | undefined;
}

/** What is known of a report but its body. */
export interface JudgedReport {
  /** Absent where the request is not known: then what the document tells is held against itself. */
  readonly expectation: Expectation | undefined;
  readonly answer: AnswerFacts;
  readonly origin: ReportOrigin;

  /** What time it is, in milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Holds a report against its request and against itself as it passes (`cli.md`, Never silently
 * wrong). Memory is bounded: by the window's length, and by the first million rows.
 */
export class ReportVerdict implements Verdict {
  readonly #report: JudgedReport;

  /**
   * Made when the first rows come, because of a report whose request is not known they tell its
   * columns.
   */
  #checks: readonly Check[] | undefined;
  #metrics: readonly MetricValues[] = [];
  #totals: TotalCheck | undefined;

  /** What the first row begins with, as JSON. */
  #firstValue = '';

  constructor(report: JudgedReport) {
    this.#report = report;
  }

  /** As `TotalCheck.sumRow`. */
  get sumRow(): number | undefined {
    return this.#totals?.sumRow;
  }

  /** The rows that `close` has found to be totals of others, counted from 1. */
  get totalRows(): readonly number[] {
    return this.#totals?.totalRows ?? [];
  }

  observe(batch: RowBatch): void {
    if (!this.#checks) {
      const [firstField = ''] = batch.fields;
      this.#firstValue = textsOf(batch, firstField)[0] ?? '';
      this.#checks = this.#makeChecks(this.#columnsIn(batch));
    }
    for (const check of this.#checks) check.observe(batch);
  }

  close(tail: ReportTail): Judgement {
    const { expectation, answer, origin, nowMs } = this.#report;
    const { records = [], takenId, isOfOtherRequest } = origin;
    const sayings = new Sayings();
    this.#checks ??= this.#makeChecks(expectation?.columns ?? []);

    if (expectation) {
      const { profile, columns, window } = expectation;
      const asked = { profile, columns, metrics: this.#metrics, firstValue: this.#firstValue };
      judgeAskedColumns(asked, tail, sayings);
      this.#judgeSummary(expectation, tail, sayings);
      noteClock(window, { nowMs, aheadMs: answer.clockAheadMs }, sayings);
    }
    if (takenId !== undefined) sayings.find('beside the rows', idOfOther(takenId));
    for (const check of this.#checks) check.close(tail, sayings);

    const members = exactMembers(tail.members);
    const { rowCount } = tail;
    const subject = 'The report';
    const { isPart, hasNextLink, isEndTold } = answer;
    const headers = { isPart, hasNextLink, isOfOtherRequest };
    const rows = { subject, members, rowCount, metrics: this.#metrics };
    const understood = judgeBesideRows({ ...headers, ...rows }, sayings);
    noteMembers({ members, understood, records }, sayings);
    noteRows(tail, isEndTold, sayings);
    return sayings;
  }

  #judgeSummary(expectation: Expectation, tail: ReportTail, sayings: Sayings): void {
    const { profile, window } = expectation;
    const summary = summaryIn(tail.members);
    if (!summary) return;
    const { origin, nowMs } = this.#report;
    judgeWindow(expectation, summary, { createdMs: origin.createdMs, nowMs }, sayings);
    // A buyer's summary names one zone, whatever the request says.
    if (profile === 'dsp') judgeZone(window, summary, sayings);
  }

  #columnsIn(batch: RowBatch): readonly Column[] {
    const asked = this.#report.expectation?.columns;
    if (!asked) return columnsWithValues(batch);
    return asked.map((column) => ({ ...column, field: fieldIn(batch, column) }));
  }

  #makeChecks(columns: readonly Column[]): Check[] {
    const metricColumns = columns.filter(({ metric }) => metric !== undefined);
    this.#metrics = metricColumns.map((column) => new MetricValues(column));

    // The values come first: the checks behind it ask for what it has read of a batch.
    const checks: Check[] = [new ValueCheck(this.#metrics)];
    if (columns.some(({ type }) => type === 'hour' || type === 'date')) {
      checks.push(new TimeCheck((tail) => this.#expectedTimes(tail)));
    }
    if (canRepeatsBeTold(columns)) {
      checks.push(new RepeatCheck(columns, this.#report.expectation?.window));
    }
    this.#totals = new TotalCheck(columns, this.#metrics);
    checks.push(this.#totals);
    checks.push(...filterChecks(this.#report.expectation?.filters ?? {}, columns));
    return checks;
  }

  #expectedTimes({ members }: ReportTail): ExpectedTimes | undefined {
    const { expectation, nowMs } = this.#report;
    if (expectation) {
      const { window, breakdowns: names } = expectation;
      return { window, breakdowns: names, isAsked: true, nowMs };
    }

    const summary = summaryIn(members);
    const window = summary && windowOfSummary(summary);
    if (!window) return undefined;
    const named = [summary.breakdowns].flat();
    const names = breakdowns.map(({ name }) => name).filter((name) => named.includes(name));
    return { window, breakdowns: names, isAsked: false, nowMs };
  }
}

/**
 * The field of the rows that a column of the request means: a metric may come under another name.
 */
function fieldIn({ fields }: RowBatch, { field, metric }: Column): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fields.find((other) => metricOfField(other)?.name === metric) ?? field;
}

/**
 * The columns of rows whose request is not known: a field of the vocabulary that has no value was
 * not asked for.
 */
function columnsWithValues(batch: RowBatch): Column[] {
  const columns: Column[] = [];
  for (const field of batch.fields) {
    const type = fieldTypeOf(field);
    if (type === undefined || !hasValue(batch, field)) continue;

    const metric = metricOfField(field)?.name;
    const breakdown = breakdownOfField(field)?.name as BreakdownName | undefined;
    if (metric !== undefined) columns.push({ field, type, metric });
    else if (breakdown !== undefined) columns.push({ field, type, breakdown });
  }
  return columns;
}

/** The members of a document as values; a number that a double would round is its text. */
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
