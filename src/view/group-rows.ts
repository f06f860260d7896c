import { stringifyTable } from '../output/formats/csv.ts';
import { digitsOfFigure, type RankedGroup, type RankedGroups } from './ranked-groups.ts';

/** Groups as CSV, in the layout of a report's; nothing where there is neither a key nor a figure. */
export async function groupsAsCsv({ keys, figures, shown }: RankedGroups): Promise<string> {
  if (keys.length + figures.length === 0) return '';
  return stringifyTable(shown, [
    ...keys.map(({ field }, i) => ({ name: field, value: (group: RankedGroup) => group.key[i] })),
    ...figures.map((figure) => ({
      name: figure.field,
      value: ({ sums }: RankedGroup) => digitsOfFigure(figure, sums),
    })),
  ]);
}

/** Groups as JSON objects, a text each; sums keep every digit. */
export function groupsAsJson({ keys, figures, shown }: RankedGroups): string[] {
  return shown.map(({ key, sums }) =>
    objectOf([
      ...keys.map(({ field }, i) => [field, JSON.stringify(key[i] ?? null)] as const),
      ...figures.map((figure) => [figure.field, digitsOfFigure(figure, sums) ?? 'null'] as const),
    ]),
  );
}

/** An object of members whose values are JSON texts. */
export function objectOf(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}
