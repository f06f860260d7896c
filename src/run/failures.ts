import {
  AdreportError,
  ErrorInContext,
  endsReport,
  isClosedPipe,
  isInterruption,
  isReportFailure,
  isUnreachable,
} from '../errors.ts';
import { formatDays } from '../query/calendar.ts';
import type { Part } from '../query/query.ts';
import { printable } from '../text/printable.ts';

/** A report of a run, or a part of one, that failed. */
export interface Failure {
  /** Name of the report in messages; `undefined` for the only report of a run. */
  readonly label: string | undefined;

  /** First second of its period. */
  readonly since: number;
  readonly error: AdreportError;
}

/** Parts of a merged report that failed. */
export class PartsFailed extends Error {
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
    super('Parts of a report failed.');
    this.failures = failures;
  }
}

/**
 * Returns the error of the earliest failure. Its message names all failures, and each cause once.
 *
 * @param reportCount number of all reports in the run
 */
export function combineFailures(failures: readonly Failure[], reportCount: number): AdreportError {
  const inOrder = failures.toSorted(byTime);
  const [first] = inOrder;
  if (!first) throw new Error('Nothing has failed.');

  const causes = new Set(inOrder.map(({ error }) => error.message));
  const isSharedByAll = causes.size === 1 && failures.length === reportCount;
  const message = isSharedByAll
    ? `${first.error.message} None of ${reportCount} reports was downloaded.`
    : listFailures(inOrder);
  return new ErrorInContext(first.error, { message });
}

/** Compares failures by time, then by label. */
function byTime(one: Failure, other: Failure): number {
  return one.since - other.since || (one.label ?? '').localeCompare(other.label ?? '');
}

function listFailures(failures: readonly Failure[]): string {
  const labelsByCause = new Map<string, string[]>();
  for (const { error, label = '' } of failures) {
    labelsByCause.set(error.message, [...(labelsByCause.get(error.message) ?? []), label]);
  }
  const [[cause, labels] = ['', []], ...others] = labelsByCause;
  if (others.length === 0) return `${listLabels(labels)} failed: ${cause}`;

  const lines = [...labelsByCause].map(([message, failed]) => {
    return `\n  - ${listLabels(failed)}: ${message}`;
  });
  return `${failures.length} reports failed:${lines.join('')}`;
}

/** Formats `2026-11-01`, or `2 reports (2026-11-01, 2026-11-02)`. */
function listLabels(labels: readonly string[]): string {
  const list = labels.join(', ');
  return labels.length === 1 ? list : `${labels.length} reports (${list})`;
}

/** Adds the days of a part to the label of its report, if the report has a label. */
export function labelPart(label: string | undefined, part: Part): string {
  const days = formatDays(part);
  return label === undefined ? days : `${label} ${days}`;
}

/** Commands to print after an error. A command is absent if it would not help. */
interface NextCommands {
  /** Resumes the report. */
  readonly resume?: string | undefined;

  /** Requests a failed report again. */
  readonly again?: string | undefined;
}

/** Adds the next command to the error of one report. */
export function withNextCommand(error: unknown, { resume, again }: NextCommands): unknown {
  if (!(error instanceof AdreportError) || isClosedPipe(error)) return error;
  const { reportId, message, hint } = error;
  if (isReportFailure(error)) {
    if (again === undefined) return error;
    return new ErrorInContext(error, { hint: `Request it again: ${again}` });
  }

  const hasBegun = reportId !== undefined || isUnreachable(error) || isInterruption(error);
  if (resume === undefined || endsReport(error) || !hasBegun) return error;
  const shown = printable(reportId ?? '');
  const isNamed = message.includes(shown) || resume.includes(shown);
  const available = isNamed ? '' : `The report ${shown} is still available. `;
  const isLost = reportId === undefined && isUnreachable(error);
  const what = isLost ? 'To run it again' : 'To resume';
  const hints = [...(hint === undefined ? [] : [hint]), `${available}${what}: ${resume}`];
  return new ErrorInContext(error, { hint: hints.join('\n') });
}
