import { type AdreportError, ErrorInContext } from '../errors.ts';
import { formatDays } from '../query/calendar.ts';
import type { Part } from '../query/query.ts';

/** A report of a run, or a part of one, that failed. */
export interface Failure {
  /** `undefined` for the only report of a run. */
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

/** Messages list at most this many reports, and this many causes. */
const maxListed = 10;

/**
 * Returns the error of the earliest failure, with a message that names all of them and each cause
 * once.
 *
 * @param reportCount all reports of the run
 */
export function combineFailures(failures: readonly Failure[], reportCount: number): AdreportError {
  const inOrder = failures.toSorted(byTime);
  const [first] = inOrder;
  if (!first) throw new Error('Nothing has failed.');
  if (first.label === undefined) return first.error;

  const causes = new Set(inOrder.map(({ error }) => error.message));
  const isSharedByAll = causes.size === 1 && failures.length === reportCount;
  const message = isSharedByAll
    ? `${first.error.message} None of ${reportCount} reports was downloaded.`
    : listFailures(inOrder);
  return new ErrorInContext(first.error, { message });
}

/** Compares by time, then by label. */
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

  const listed = [...labelsByCause].slice(0, maxListed);
  const lines = listed.map(([message, failed]) => `\n  - ${listLabels(failed)}: ${message}`);
  const omitted = labelsByCause.size - listed.length;
  if (omitted > 0) lines.push(`\n  - and ${omitted} more`);
  return `${failures.length} reports failed:${lines.join('')}`;
}

/** Formats `2026-11-01`, or `12 reports (a, b and 10 more)`. */
function listLabels(labels: readonly string[]): string {
  if (labels.length === 1) return labels.join('');

  const others = labels.length - maxListed;
  const more = others > 0 ? ` and ${others} more` : '';
  return `${labels.length} reports (${labels.slice(0, maxListed).join(', ')}${more})`;
}

/** Adds the days of a part to the label of its report, if that has one. */
export function labelPart(label: string | undefined, part: Part): string {
  const days = formatDays(part);
  return label === undefined ? days : `${label} ${days}`;
}
