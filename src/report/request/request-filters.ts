import { allCountries, findCountry } from '../../contract/countries.ts';
import { vocabularyOf } from '../../contract/look-up.ts';
import type { Filter, Profile } from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { didYouMean, type Mistake, quoteIfNeeded } from '../mistakes.ts';

/** The service takes at most this many values an array (`decisions.md` 2). */
const valuesAtMost = 1_000;

type FilterValues = { [Name in Filter['name']]?: readonly string[] };

interface FilterFlags {
  readonly profile: Profile;
  /** Each `name=v1,v2`. */
  readonly filters?: readonly string[] | undefined;
  /** Each a comma list. */
  readonly countries?: readonly string[] | undefined;
}

/**
 * The `--filter name=v1,v2` and `--country` flags as filters: names in any case, a name given twice merged, repeats
 * dropped. Text that holds a comma stands in double quotes: `carrier="A, B",C`. What is wrong is added to `mistakes`.
 */
export function readFilters({ profile, filters = [], countries = [] }: FilterFlags, mistakes: Mistake[]): FilterValues {
  const known = vocabularyOf(profile).filters;
  if (known.length === 0) {
    if (filters.length > 0) mistakes.push(noFilters(profile, '--filter'));
    if (countries.length > 0) mistakes.push(noFilters(profile, '--country'));
    return {};
  }
  const found = new Map<Filter['name'], Set<string>>();
  const flags = [
    ...filters.map((text) => ({ flag: '--filter', text })),
    ...countries.map((list) => ({ flag: '--country', text: `countryId=${list}` })),
  ];
  for (const { flag, text } of flags) {
    const [name, list] = splitAtEquals(text);
    const filter = known.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (!filter) {
      mistakes.push(unknownFilter(name, known));
      continue;
    }
    const values = found.get(filter.name) ?? new Set();
    const shown = flag === '--filter' ? `--filter ${filter.name}` : flag;
    for (const value of readValues(filter, shown, list ?? '', mistakes)) values.add(value);
    found.set(filter.name, values);
  }
  for (const [name, { size }] of found) {
    if (size <= valuesAtMost) continue;
    mistakes.push({
      message: `--filter ${name} has ${size} values, and the service takes at most ${valuesAtMost}.`,
      hint: 'Ask for several reports, each with a part of the values.',
    });
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values]]));
}

function noFilters(profile: Profile, flag: string): Mistake {
  return { message: `A ${profile} report takes no filters.`, hint: `Leave ${flag} out.` };
}

function splitAtEquals(flag: string): [name: string, list: string | undefined] {
  const at = flag.indexOf('=');
  return at < 0 ? [flag.trim(), undefined] : [flag.slice(0, at).trim(), flag.slice(at + 1)];
}

function unknownFilter(name: string, known: readonly Filter[]): Mistake {
  const names = known.map((filter) => filter.name);
  const ofBreakdown = known.find((filter) => filter.on === name.toUpperCase())?.name;
  const meant = ofBreakdown ?? nearest(name, names);
  return {
    message: `There is no filter ${quoteIfNeeded(name)}.`,
    hint: meant === undefined ? `Filters: ${names.join(', ')}.` : didYouMean(meant),
  };
}

/** The values of one flag, each fit for its filter; mistakes are added where one is not, or where there are none. */
function readValues(filter: Filter, flag: string, list: string, mistakes: Mistake[]): string[] {
  const isId = filter.compare === 'id';
  const values = splitValues(list);
  if (values === undefined) {
    mistakes.push({
      message: `${flag}: its double quotes do not pair up.`,
      hint: `Write ${filter.name}="A, B",C; a quote inside quotes is doubled.`,
    });
    return [];
  }
  if (filter.on === 'COUNTRY') return readCountries(flag, values, mistakes);
  if (values.length === 0) {
    const example = isId ? '1234,5678' : '"Name one","Name two"';
    mistakes.push({ message: `${flag} has no values.`, hint: `Write --filter ${filter.name}=${example}.` });
  }
  const misfits = isId ? values.filter((value) => !/^\d+$/.test(value)) : [];
  if (misfits.length > 0) {
    mistakes.push({
      message: `${flag} takes ids, which are digits, and not ${misfits.slice(0, 3).map(quoteIfNeeded).join(', ')}.`,
      hint: `It selects ${filter.meaning}.`,
    });
  }
  return values;
}

/** GeoNames ids of countries: any that is given as such, and those of ISO codes and English names. */
function readCountries(flag: string, values: readonly string[], mistakes: Mistake[]): string[] {
  if (values.length === 0) mistakes.push({ message: `${flag} has no values.`, hint: 'Write --country FR,Germany.' });
  return values.flatMap((value) => {
    if (/^\d+$/.test(value)) return [value];
    const country = findCountry(value);
    if (country) return [country.id];
    const meant = nearest(
      value,
      allCountries().map(({ name }) => name),
    );
    mistakes.push({
      message: `${flag}: there is no country ${quoteIfNeeded(value)}.`,
      hint: meant === undefined ? 'Give an ISO code or an English name: FR, Germany.' : didYouMean(meant),
    });
    return [];
  });
}

/** Splits at the commas that stand outside double quotes; `undefined` where the quotes do not pair up. */
export function splitValues(list: string): string[] | undefined {
  const values: string[] = [];
  const items = list.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g);
  for (const [, quoted, bare = ''] of items) {
    if (quoted === undefined && bare.startsWith('"')) return undefined;
    const value = quoted?.replaceAll('""', '"') ?? bare.trim();
    if (value !== '') values.push(value);
  }
  return values;
}
