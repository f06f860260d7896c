import { breakdownOfField, type Column, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { type BreakdownName, breakdowns } from '../contract/vocabulary.ts';
import { numberFactsOf, numbersOf } from '../rows/column-values.ts';
import { hasValue, jsonTextsOf, type ReportTail, type RowBatch } from '../rows/row-batch.ts';
import type { Check, Expectation, MetricNumbers } from './checks/check.ts';
import { columnFindings } from './checks/column-check.ts';
import { DocumentCheck } from './checks/document-check.ts';
import { filterChecks } from './checks/filter-check.ts';
import { IdCheck } from './checks/id-check.ts';
import { canRepeatsBeTold, RepeatCheck } from './checks/repeat-check.ts';
import { type ExpectedTimes, TimeCheck } from './checks/time-check.ts';
import { TotalCheck } from './checks/total-check.ts';
import { ValueCheck } from './checks/value-check.ts';
import {
  breakdownFindings,
  summaryIn,
  windowFindings,
  windowOfSummary,
} from './checks/window-check.ts';

export type { Expectation } from './checks/check.ts';
export { limitWarning } from './checks/document-check.ts';

/** The finding of a report that is empty. */
export const noRows = 'The report has no rows.';

/** What a report is compared with. */
export interface ReportToCheck {
  /** Absent where the request is not known: then what the document tells is checked against itself. */
  readonly expectation?: Expectation | undefined;

  /** The id under which the report was asked for. */
  readonly reportId?: string | undefined;

  /** Milliseconds since 1970; by default those of the expectation. */
  readonly nowMs?: number;
}

/**
 * Compares a report with its request as it passes (`cli.md`, Never silently wrong). Memory is bounded: by the window's
 * length, and by the first million rows.
 */
export class ReportCheck {
  readonly #expectation: Expectation | undefined;
  readonly #reportId: string | undefined;
  readonly #nowMs: number;

  /** Made when the first rows come, because of a report whose request is not known they tell its columns. */
  #checks: readonly Check[] | undefined;
  #metrics: readonly Column[] = [];

  /** What the first row begins with, as JSON. */
  #firstValue = '';

  constructor({ expectation, reportId, nowMs = 0 }: ReportToCheck) {
    this.#expectation = expectation;
    this.#reportId = reportId;
    this.#nowMs = expectation?.nowMs ?? nowMs;
  }

  observe(batch: RowBatch): void {
    if (!this.#checks) {
      const [firstField = ''] = batch.fields;
      this.#firstValue = jsonTextsOf(batch, firstField)[0] ?? '';
      this.#checks = this.#makeChecks(this.#columnsIn(batch));
    }

    const numbers: MetricNumbers = {
      get: (field) => numbersOf(batch, field),
      factsOf: (field) => numberFactsOf(batch, field),
    };
    for (const check of this.#checks) check.observe(batch, numbers);
  }

  /**
   * A sentence on each thing that differs from the request.
   *
   * @throws IncompleteDataError where the report has none of the columns that were asked for
   */
  findings(tail: ReportTail): string[] {
    const findings: string[] = [];
    if (this.#expectation) {
      const { window, columns, mayBeEmpty } = this.#expectation;
      findings.push(...windowFindings(window, tail.members));
      findings.push(...breakdownFindings(this.#expectation.breakdowns, tail.members));
      findings.push(...columnFindings(columns, tail, this.#firstValue));
      if (tail.rowCount === 0 && !mayBeEmpty) findings.push(noRows);
    }

    this.#checks ??= this.#makeChecks(this.#expectation?.columns ?? []);
    for (const check of this.#checks) findings.push(...check.findings(tail));
    return findings;
  }

  #columnsIn(batch: RowBatch): readonly Column[] {
    const asked = this.#expectation?.columns;
    if (!asked) return columnsWithValues(batch);
    return asked.map((column) => ({ ...column, field: fieldIn(batch, column) }));
  }

  #makeChecks(columns: readonly Column[]): Check[] {
    this.#metrics = columns.filter(({ metric }) => metric !== undefined);
    const checks: Check[] = [];

    const timeField = columns.find(({ type }) => type === 'hour' || type === 'date');
    const hasHours = columns.some(({ type }) => type === 'hour');
    if (timeField) {
      const expectedTimes = (tail: ReportTail) => this.#expectedTimes(tail);
      checks.push(new TimeCheck(hasHours ? 'hour' : 'date', expectedTimes));
    }
    checks.push(new ValueCheck(this.#metrics));
    if (canRepeatsBeTold(columns)) checks.push(new RepeatCheck(columns));
    checks.push(new TotalCheck(columns), new IdCheck(columns));
    checks.push(...filterChecks(this.#expectation?.filters ?? {}, columns));
    checks.push(new DocumentCheck(this.#metrics, this.#reportId));
    return checks;
  }

  #expectedTimes({ members }: ReportTail): ExpectedTimes | undefined {
    if (this.#expectation) {
      const { window, breakdowns: names, filters = {}, nowMs } = this.#expectation;
      const isComplete = Object.keys(filters).length === 0;
      return { window, breakdowns: names, isComplete, nowMs };
    }

    const summary = summaryIn(members);
    const window = summary && windowOfSummary(summary);
    if (!window) return undefined;
    const named = [summary.breakdowns].flat();
    const names = breakdowns.map(({ name }) => name).filter((name) => named.includes(name));
    // Nobody knows whether filters left a day without rows.
    return { window, breakdowns: names, isComplete: false, nowMs: this.#nowMs };
  }
}

/** The field of the rows that a column of the request means: a metric may come under another name. */
function fieldIn({ fields }: RowBatch, { field, metric }: Column): string {
  if (metric === undefined || fields.includes(field)) return field;
  return fields.find((other) => metricOfField(other)?.name === metric) ?? field;
}

/** The columns of rows whose request is not known: a field of the vocabulary that has no value was not asked for. */
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
