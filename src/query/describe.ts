import { deriveNoun } from '../contract/columns.ts';
import { findCountry } from '../contract/countries.ts';
import { breakdowns as knownBreakdowns, filters as knownFilters } from '../contract/vocabulary.ts';
import { namedFilters, type Query } from './query.ts';

/** Formats `buyer report by CAMPAIGN; Country: France`. */
export function describeQuery({
  profile,
  breakdowns,
  filters,
}: Pick<Query, 'profile' | 'breakdowns' | 'filters'>): string {
  const by = breakdowns.length > 0 ? `by ${breakdowns.join(', ')}` : 'in total';
  return [`${profile} report ${by}`, ...describeFilters(filters)].join('; ');
}

/** Returns the request as it appears in files and `--json`. */
export function toRequestRecord({ profile, metrics, breakdowns, filters, columns }: Query): object {
  const hasFilters = Object.keys(filters).length > 0;
  return { profile, metrics, breakdowns, filters: hasFilters ? filters : undefined, columns };
}

/**
 * Formats each filter: `Country: France, Germany`. Countries are shown by name, other values by ID.
 */
export function describeFilters(filters: Query['filters']): string[] {
  return Object.entries(filters).map(([name, values]) => {
    const labels = name === 'countryId' ? values.map(countryName) : values;
    return `${filterNoun(name)}: ${labels.join(', ')}`;
  });
}

function filterNoun(name: string): string {
  const named = namedFilters.find((entry) => entry.name === name);
  const filter = knownFilters.find((known) => known.name === (named?.filter ?? name));
  const breakdown = knownBreakdowns.find((known) => known.name === filter?.on);
  if (!breakdown) return name;

  const noun = deriveNoun(breakdown);
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function countryName(id: string): string {
  return findCountry(id)?.name ?? id;
}
