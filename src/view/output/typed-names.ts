import { readFileColumns } from '../../query/typed-columns.ts';
import { everyFigureOf } from '../../totals/figures.ts';
import { parseSort } from '../../totals/sorting.ts';
import type { View } from '../view.ts';

/** Flag that names columns, with the accepted names. */
interface NamingFlag {
  readonly flag: '--by' | '--filter' | '--metrics' | '--sort';
  readonly names: readonly string[];
  readonly fields: readonly string[];
}

/** Returns a sentence for each plain-English word in the flags: `impressions means displays.` */
export function explainTypedNames(view: View): string[] {
  const meanings = new Set<string>();
  for (const { flag, names, fields } of namingFlagsOf(view)) {
    for (const text of names) {
      const note = readFileColumns({ flag, text, fields })?.note;
      if (note !== undefined) meanings.add(note);
    }
  }
  return [...meanings];
}

function namingFlagsOf({ options, collected, groups }: View): NamingFlag[] {
  const { by = [], filter = [], metrics = [], sort } = options;
  const { fields } = collected;
  const figures = [...new Set([...fields, ...everyFigureOf(fields).map(({ field }) => field)])];
  const keys = groups.by.map(({ field }) => field);
  return [
    { flag: '--by', names: by, fields },
    { flag: '--filter', names: filter.map(({ name }) => name), fields },
    { flag: '--metrics', names: metrics, fields: figures },
    {
      flag: '--sort',
      names: sort === undefined ? [] : [parseSort(sort).name],
      fields: [...new Set([...keys, ...figures])],
    },
  ];
}
