import { columnsOf, fieldTypeOf, metricOfField } from '../contract/columns.ts';
import { derivedMetrics } from '../contract/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { ReportPlan } from '../report/request.ts';
import { didYouMean, nearest } from '../text/nearest.ts';
import { quoted } from '../text/printable.ts';

/**
 * Throws `UsageError` for a column that cannot be in a report: a field that comes only with a
 * breakdown or a metric that was not asked for, or a misspelt one. A name that is nothing like a
 * known one may be the service's own.
 */
export function checkColumns({ profile, request }: ReportPlan, columns: readonly string[]): void {
  const possible = possibleNames({ profile, request });
  for (const name of columns) {
    if (possible.includes(name)) continue;

    const meant = nearest(name, possible);
    const isComputed = derivedMetrics.some(({ field }) => field === name);
    const isKnown =
      isComputed || fieldTypeOf(name) !== undefined || metricOfField(name) !== undefined;
    if (!isKnown && meant === undefined) continue;
    throw new UsageError(`--columns ${quoted(name)}: this column cannot be in the report.`, {
      about: { flag: '--columns', value: name },
      hint: didYouMean(isKnown ? undefined : meant, `It can have ${possible.join(', ')}.`),
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
