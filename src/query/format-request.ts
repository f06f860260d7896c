import { nounOf } from '../contract/columns.ts';
import { findCountry } from '../contract/countries.ts';
import { breakdowns as knownBreakdowns, filters as knownFilters } from '../contract/vocabulary.ts';
import { namedFilters } from './named-filters.ts';
import type { SpecFilters, SpecRequest } from './spec.ts';

/**
 * Returns one entry for each filter: `Country: France, Germany`. Countries are named; other ids
 * stay ids.
 *
 * @param filters values by filter, or by the option of a name flag (`campaign`)
 */
export function formatFilters(filters: SpecFilters): string[] {
  return Object.entries(filters).map(([name, values]) => {
    const texts = name === 'countryId' ? values.map(countryName) : values;
    return `${nounOfFilter(name)}: ${texts.join(', ')}`;
  });
}

/** Returns `buyer report by CAMPAIGN; Country: France`. */
export function formatRequest({
  profile,
  breakdowns,
  filters = {},
}: Pick<SpecRequest, 'profile' | 'breakdowns' | 'filters'>): string {
  const by = breakdowns.length > 0 ? `by ${breakdowns.join(', ')}` : 'in total';
  return [`${profile} report ${by}`, ...formatFilters(filters)].join('; ');
}

function nounOfFilter(name: string): string {
  const named = namedFilters.find((entry) => entry.name === name);
  const filter = knownFilters.find((known) => known.name === (named?.filter ?? name));
  const breakdown = knownBreakdowns.find((known) => known.name === filter?.on);
  if (!breakdown) return name;

  const noun = nounOf(breakdown);
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function countryName(id: string): string {
  return findCountry(id)?.name ?? id;
}
