import type { NameValues } from '../../output/file/file-name.ts';
import { formatDate } from '../../report/window/window.ts';
import type { ProfilePlan } from './plan-report.ts';

/**
 * What the placeholders of `-o` stand for: dates are local to the report's zone.
 *
 * @param report the name of a saved report; what is broken down by where there is none
 */
export function reportNames({ profile, request, window }: ProfilePlan, report?: string): NameValues {
  const since = formatDate(window.since, window.zone);
  const until = formatDate(window.until, window.zone);
  return { profile, report: report ?? describeBy(request.breakdowns), since, until, date: since };
}

function describeBy(breakdowns: readonly string[]): string {
  return breakdowns.length === 0 ? 'total' : breakdowns.join('-').toLowerCase();
}
