import { groupedText } from '../output/table/cell-texts.ts';

/**
 * Says how many values of a metric are in none of its sums: who reads a total has to know what is not in it.
 * @param words what they are instead of numbers, for one and for several
 */
export function strangeNotice(
  name: string,
  count: number,
  words: readonly [string, string] = ['no number', 'no numbers'],
): string {
  return count === 1
    ? `1 value of ${name} is ${words[0]}, and is in no sum.`
    : `${groupedText(String(count))} values of ${name} are ${words[1]}, and are in no sum.`;
}
