import { vocabularyOf } from '../../contract/look-up.ts';
import type { Filter, Profile } from '../../contract/vocabulary.ts';
import { nearest } from '../../text/nearest.ts';
import { didYouMean, type Mistake, quoteIfNeeded } from '../mistakes.ts';

/** The service takes at most this many values an array (`decisions.md` 2). */
const valuesAtMost = 1_000;

type FilterValues = { [Name in Filter['name']]?: readonly string[] };

/**
 * The `--filter name=v1,v2` flags as filters: names in any case, a name given twice merged, repeats dropped. Text that
 * holds a comma stands in double quotes: `carrier="A, B",C`. What is wrong is added to `mistakes`.
 */
export function readFilters(flags: readonly string[], profile: Profile, mistakes: Mistake[]): FilterValues {
  const known = vocabularyOf(profile).filters;
  if (flags.length > 0 && known.length === 0) {
    mistakes.push({ message: `A ${profile} report takes no filters.`, hint: 'Leave --filter out.' });
    return {};
  }
  const found = new Map<Filter['name'], Set<string>>();
  for (const flag of flags) {
    const [name, list] = splitAtEquals(flag);
    const filter = known.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (!filter) {
      mistakes.push(unknownFilter(name, known));
      continue;
    }
    const values = found.get(filter.name) ?? new Set();
    for (const value of readValues(filter, list, mistakes)) values.add(value);
    found.set(filter.name, values);
  }
  for (const [name, values] of found) {
    if (values.size > valuesAtMost) mistakes.push(tooManyValues(name, values.size));
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, [...values]]));
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

function tooManyValues(name: string, count: number): Mistake {
  return {
    message: `--filter ${name} has ${count} values, and the service takes at most ${valuesAtMost}.`,
    hint: 'Ask for several reports, each with a part of the values.',
  };
}

/** The values of one flag, each fit for its filter; mistakes are added where one is not, or where there are none. */
function readValues(filter: Filter, list: string | undefined, mistakes: Mistake[]): string[] {
  const values = splitValues(list ?? '');
  if (values === undefined) {
    mistakes.push({
      message: `--filter ${filter.name}: its double quotes do not pair up.`,
      hint: `Write ${filter.name}="A, B",C; a quote inside quotes is doubled.`,
    });
    return [];
  }
  if (values.length === 0) {
    mistakes.push({
      message: `--filter ${filter.name} has no values.`,
      hint: `Write --filter ${filter.name}=${example(filter)}.`,
    });
  }
  const misfits = filter.compare === 'id' ? values.filter((value) => !/^\d+$/.test(value)) : [];
  if (misfits.length > 0) {
    mistakes.push({
      message: `--filter ${filter.name} takes ids, which are digits, and not ${misfits.slice(0, 3).map(quoteIfNeeded).join(', ')}.`,
      hint: `It selects ${filter.meaning}.`,
    });
  }
  return values;
}

function example(filter: Filter): string {
  return filter.compare === 'id' ? '1234,5678' : '"Name one","Name two"';
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
