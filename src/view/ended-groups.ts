import { type Comparison, type Figure, figureValue } from './figures.ts';
import type { Group, Sums } from './grouping.ts';
import { addSums } from './grouping.ts';
import { byFigure } from './ranked-groups.ts';
import { nameOfGroup, type Unit } from './report-sums.ts';
import { listWords } from './window-text.ts';

/** So many groups are named in a sentence; the others are added up. */
const mostNames = 5;

/** The groups of an earlier report that a unit has no more, the greatest by a figure first; none without a value. */
export function endedGroups(unit: Unit, { sums }: Comparison, figure: Figure): Group[] {
  const before = sums.groupsOf(unit);
  const { groups } = unit;
  if (!before || !groups) return [];

  const ended = [...before].filter(({ key, sums: sumsBefore }) => {
    const value = figureValue(figure, sumsBefore);
    return !groups.find(key) && value !== undefined && value !== 0;
  });
  return ended.sort(byFigure(figure));
}

/** How the sentence about ended groups shows a figure. */
type FigureText = (figure: Figure, sums: Sums) => string;

/** What an earlier report has and this one has not, `Ended: Summer (€12.00 before).`; `undefined` where all is there. */
export function endedText(
  unit: Unit,
  comparison: Comparison,
  figure: Figure,
  textOf: FigureText,
): string | undefined {
  const ended = endedGroups(unit, comparison, figure);
  if (ended.length === 0) return undefined;

  // "1 other" would take as much room as its name.
  const nameCount = ended.length > mostNames + 1 ? mostNames : ended.length;
  const items = ended.slice(0, nameCount).map((group) => {
    return `${nameOfGroup(unit.fields, group).name} (${textOf(figure, group.sums)} before)`;
  });

  const others = ended.slice(nameCount);
  if (others.length > 0) {
    const sums = addSums(others, comparison.sums.groupsOf(unit)?.metrics ?? []);
    items.push(`${others.length} others (${textOf(figure, sums)} before)`);
  }
  return `Ended: ${listWords(items)}.`;
}
