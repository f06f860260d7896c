import { type Breakdown, breakdowns, type Filter, filters, type Metric, metrics, type Profile } from './vocabulary.ts';

/** The metrics, breakdowns and filters that a profile may use, in column order. */
export function vocabularyOf(profile: Profile): {
  readonly metrics: readonly Metric[];
  readonly breakdowns: readonly Breakdown[];
  readonly filters: readonly Filter[];
} {
  const ofProfile = <T extends { readonly profiles: readonly Profile[] }>(entry: T): boolean =>
    entry.profiles.includes(profile);
  return {
    metrics: (metrics as readonly Metric[]).filter(ofProfile),
    breakdowns: (breakdowns as readonly Breakdown[]).filter(ofProfile),
    filters: (filters as readonly Filter[]).filter(ofProfile),
  };
}

const metricsByName = new Map<string, Metric>(metrics.map((metric) => [metric.name, metric]));
const breakdownsByName = new Map<string, Breakdown>(breakdowns.map((breakdown) => [breakdown.name, breakdown]));

/** The metric of that wire name; names are case-sensitive. */
export function findMetric(name: string): Metric | undefined {
  return metricsByName.get(name);
}

/** The breakdown of that wire name, in any case. */
export function findBreakdown(name: string): Breakdown | undefined {
  return breakdownsByName.get(name) ?? breakdownsByName.get(name.toUpperCase());
}

/** Whether a name or one of the trade's other words for it is this, in any case, in the singular or the plural. */
export function isCalled(entry: { readonly name: string; readonly words?: readonly string[] }, term: string): boolean {
  const wanted = singular(term);
  return [entry.name, ...(entry.words ?? [])].some((word) => singular(word) === wanted);
}

function singular(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .replace(/s$/, '');
}
