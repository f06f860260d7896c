import {
  breakdownOfField,
  type Column,
  fieldOfColumn,
  fieldTypeOf,
  metricOfField,
} from '../contract/columns.ts';
import type { BreakdownName } from '../contract/vocabulary.ts';
import type { CheckResult } from '../errors.ts';
import { listQueryColumns } from '../query/columns.ts';
import type { Part } from '../query/query.ts';
import { hasValue, type ReportTail, type RowBatch } from '../rows/row-batch.ts';
import { type Check, CheckMessages } from './check.ts';
import { ColumnCheck } from './column-check.ts';
import { makeFilterChecks } from './filter-check.ts';
import { checkOutsideRows } from './outside-rows.ts';
import { RowCheck } from './row-check.ts';
import { RowTimes } from './row-times.ts';
import { TotalCheck } from './total-check.ts';
import { ValueCheck } from './value-check.ts';
import { checkWindow, findSummary } from './window-check.ts';
import { checkHourOffsets, checkZone } from './zone-check.ts';

/** Context in which the body of a report is checked. */
export interface CheckedReport {
  /** The request. Without a request, the rows are only compared with each other. */
  readonly part?: Part | undefined;

  /** Whether the response has status 206. */
  readonly isPartial?: boolean;

  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Checks a streamed report against its request and for consistency (`cli.md`, Checks). Each file in
 * this folder is a line of the table there. Memory is bounded by the length of the window and the
 * first million rows.
 */
export class ReportCheck {
  readonly #report: CheckedReport;
  readonly #times = new RowTimes();

  /** Created with the first rows, whose columns are checked if the request is unknown. */
  #checks: readonly Check[] | undefined;

  constructor(report: CheckedReport) {
    this.#report = report;
  }

  observe(batch: RowBatch): void {
    this.#checks ??= this.#makeChecks(batch);
    if (this.#report.part) this.#times.observe(batch);
    for (const check of this.#checks) check.observe(batch);
  }

  /** Throws `IncompleteDataError` if the body is not a report. */
  close(tail: ReportTail): CheckResult {
    const { part, isPartial = false } = this.#report;
    const { members, rowCount } = tail;
    const messages = new CheckMessages();
    if (part) this.#checkSummary(part, tail, messages);
    for (const check of this.#checks ?? this.#makeChecks()) check.close(tail, messages);

    checkOutsideRows(members, isPartial, messages);
    if (rowCount === 0) messages.addNote('rows', 'The report has no rows.');
    return messages;
  }

  #checkSummary(part: Part, { members }: ReportTail, messages: CheckMessages): void {
    const summary = findSummary(members);
    if (summary) checkWindow(part, summary, messages);
    // A buyer's summary always has the same zone, whatever the request.
    if (summary && part.query.profile === 'dsp') checkZone(part, summary, messages);
    checkHourOffsets(this.#times, part.zone, messages);
  }

  /** @param first first rows, if the report has any */
  #makeChecks(first?: RowBatch): Check[] {
    const { part, nowMs } = this.#report;
    if (!part) {
      const known = first ? listKnownColumns(first) : [];
      const metrics = makeValueChecks(known);
      return [...metrics, new TotalCheck(known, metrics)];
    }

    const requested = listQueryColumns(part.query);
    const columns = requested.map((column) => ({
      ...column,
      field: fieldOfColumn(column, first?.fields ?? []),
    }));
    const metrics = makeValueChecks(columns);
    const now = Math.floor(nowMs / 1_000);
    return [
      new ColumnCheck(requested, metrics),
      // Some later checks use the sums of these.
      ...metrics,
      new RowCheck({ part, columns, metrics, now, times: this.#times }),
      ...makeFilterChecks(part.query.filters, columns),
      new TotalCheck(columns, metrics),
    ];
  }
}

function makeValueChecks(columns: readonly Column[]): ValueCheck[] {
  const metrics = columns.filter(({ metric }) => metric !== undefined);
  return metrics.map((column) => new ValueCheck(column));
}

/**
 * Lists the columns to check if the request is unknown: all metrics, and the breakdowns that have
 * values.
 */
function listKnownColumns(batch: RowBatch): Column[] {
  const columns: Column[] = [];
  for (const field of batch.fields) {
    const type = fieldTypeOf(field);
    if (type === undefined) continue;

    const metric = metricOfField(field)?.name;
    const breakdown = breakdownOfField(field)?.name as BreakdownName | undefined;
    // A metric may get its first value in a later batch.
    if (metric !== undefined) columns.push({ field, type, metric });
    else if (breakdown !== undefined && hasValue(batch, field)) {
      columns.push({ field, type, breakdown });
    }
  }
  return columns;
}
