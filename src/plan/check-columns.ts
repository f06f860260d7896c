import { columnsOf, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { ReportPlan } from '../report/request.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';

/**
 * Throws `UsageError` for a column that cannot be in a report: a field of a breakdown or metric
 * that was not requested, or a misspelt name. Names unlike any known one are accepted, because the
 * service may send additional fields.
 */
export function checkColumns({ profile, request }: ReportPlan, columns: readonly string[]): void {
  const possible = possibleNames({ profile, request });
  for (const name of columns) {
    if (possible.includes(name)) continue;

    const suggestion = nearest(name, possible);
    const isComputed = derivedMetrics.some(({ field }) => field === name);
    const isKnown =
      isComputed || fieldTypeOf(name) !== undefined || metricOfField(name) !== undefined;
    if (!isKnown && suggestion === undefined) continue;
    throw new UsageError(`--columns ${quoted(name)}: this column cannot be in the report.`, {
      about: { flag: '--columns', value: name },
      hint: didYouMean(isKnown ? undefined : suggestion, `It can have ${possible.join(', ')}.`),
    });
  }
}

function possibleNames({ profile, request }: Pick<ReportPlan, 'profile' | 'request'>): string[] {
  const names: string[] = [];
  for (const { field, metric } of columnsOf(profile, request)) {
    names.push(field);
    if (metric !== undefined && metric !== field) names.push(metric);
  }
  const { metrics } = request;
  for (const { field, numerator, denominator } of derivedMetrics) {
    if (metrics.includes(numerator) && metrics.includes(denominator)) names.push(field);
  }
  return names;
}
