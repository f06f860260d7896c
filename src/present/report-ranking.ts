import type { Change } from '../figures/change.ts';
import { endedGroups } from '../figures/ended-groups.ts';
import { type Comparison, changeOf, type Figure } from '../figures/figures.ts';
import { nameOfGroup, noName } from '../figures/group-name.ts';
import { addSums, type Group, Grouping, type Sums } from '../figures/grouping.ts';
import { byFigure } from '../figures/ranked-groups.ts';
import { type ReportSums, type Unit, unitNoun } from '../figures/report-sums.ts';
import { listWords } from '../figures/window-text.ts';
import { shorten } from '../text/cell-width.ts';
import { nameInSentence, printable } from '../text/printable.ts';
import { formatCount } from '../text/quantity.ts';
import { figureWithCurrency, shareOf } from './figure-text.ts';
import { longestInTable, shortNames } from './short-names.ts';
import { mostInTable } from './table-size.ts';

/** How many values of a breakdown are ranked one by one; the others are added up. */
const mostRanked = 10;

/** So many ended groups are named in a sentence; the others are added up. */
const mostEndedNames = 5;

/** A value of a breakdown, or several together, with its figures. */
export interface RankedGroup {
  readonly name: string;

  /** The name as a table and a chart show it: printable, and no longer than they have room for. */
  readonly shortName: string;

  /** What else is known of it, of a campaign its id; empty where there is nothing. */
  readonly detail: string;

  readonly sums: Sums;

  /** Its part of the whole by the figure of the ranking, 0 to 1; absent where there is none. */
  readonly share: number | undefined;

  /** What it came to in the earlier report, and its change; absent where nothing is compared. */
  readonly before: Sums | undefined;
  readonly change: Change | undefined;
}

/** The values of a breakdown, the greatest first. */
export interface BreakdownRanking {
  readonly unit: Unit;

  /** What a value is called: `campaign`. */
  readonly noun: string;

  /** What the values are ranked by. */
  readonly figure: Figure;

  /** Whether there are too many values to be ranked; then there are none here. */
  readonly isTooMany: boolean;

  /** All values. */
  readonly groups: readonly RankedGroup[];

  /** How many of them are ranked one by one; the rest are `others`. */
  readonly topCount: number;
  readonly others: RankedGroup | undefined;

  /** The sums of those that are not in a table on paper. */
  readonly othersOfTable: RankedGroup | undefined;

  /** What the earlier report has and this one has not. */
  readonly ended: readonly RankedGroup[];

  /** The same in a sentence: `Ended: Summer (€12.00 before).` */
  readonly endedSentence: string | undefined;
}

/** Ranks the values of each breakdown by the first of some figures that is a sum. */
export function rankingsOf(
  sums: ReportSums,
  figures: readonly Figure[],
  comparison: Comparison | undefined,
): BreakdownRanking[] {
  const figure = figures.find(({ derived }) => !derived);
  if (!figure) return [];

  const totals = sums.total.totals();
  const rankings: BreakdownRanking[] = [];
  for (const unit of unitsOf(sums, comparison)) {
    if (!unit.isTime) rankings.push(rankUnit(unit, { figure, totals, comparison }));
  }
  return rankings;
}

/** The units of a report; of one without rows those of the earlier report, without any group. */
function unitsOf(sums: ReportSums, comparison: Comparison | undefined): readonly Unit[] {
  if (sums.total.rowCount > 0 || !comparison) return sums.units;
  return comparison.sums.units.map((unit) => ({ ...unit, groups: new Grouping() }));
}

/** What the values of a breakdown are ranked by, and held against. */
interface RankingBasis {
  readonly figure: Figure;

  /** The sums of the whole report. */
  readonly totals: Sums;

  readonly comparison: Comparison | undefined;
}

function rankUnit(unit: Unit, basis: RankingBasis): BreakdownRanking {
  const { figure, comparison } = basis;
  const noun = unitNoun(unit);
  const ended = comparison ? endedOf(unit, basis, comparison) : [];
  const endedSentence = comparison && sentenceOfEnded(unit, figure, comparison);
  const words = { unit, noun, figure, ended, endedSentence };
  const { groups } = unit;
  if (!groups) {
    const nothing = { topCount: 0, others: undefined, othersOfTable: undefined };
    return { ...words, ...nothing, isTooMany: true, groups: [] };
  }

  const ranked = [...groups].filter(({ sums }) => sums.get(figure.field) !== undefined);
  ranked.sort(byFigure(figure));
  const names = ranked.map((group) => nameOfGroup(unit.fields, group));
  const shortByName = shortNames(names.map(({ name }) => printable(name)));
  const rankedGroups = ranked.map((group, i) => {
    const { name = noName, detail = '' } = names[i] ?? {};
    const text = printable(name);
    const words = { name, detail, shortName: shortByName.get(text) ?? text };
    const before = comparison?.sums.find(unit, group);
    return rankedGroup(words, { now: group.sums, before }, basis);
  });

  const othersAfter = (count: number): RankedGroup | undefined => {
    const rest = ranked.slice(count);
    return rest.length > 0 ? othersOf(rest, groups, unit, basis) : undefined;
  };
  const topCount = countBefore(ranked.length, mostRanked);
  return {
    ...words,
    isTooMany: false,
    groups: rankedGroups,
    topCount,
    others: othersAfter(topCount),
    othersOfTable: othersAfter(mostInTable),
  };
}

/** How many stand one by one: "1 other" would take as much room as that one itself. */
function countBefore(count: number, most: number): number {
  return count > most + 1 ? most : count;
}

/** The sums of the same thing in this report and in the earlier one. */
interface SumsOfBoth {
  readonly now: Sums;
  readonly before: Sums | undefined;
}

function rankedGroup(
  words: Pick<RankedGroup, 'name' | 'shortName' | 'detail'>,
  { now, before }: SumsOfBoth,
  { figure, totals, comparison }: RankingBasis,
): RankedGroup {
  const share = shareOf(figure, now, totals);
  const change = comparison && changeOf(figure, now, before);
  return { ...words, sums: now, share, before, change };
}

function othersOf(
  rest: readonly Group[],
  all: Grouping,
  unit: Unit,
  basis: RankingBasis,
): RankedGroup {
  const earlier = basis.comparison?.sums.groupsOf(unit);
  const existing: Group[] = [];
  for (const { key } of rest) {
    const before = earlier?.find(key);
    if (before) existing.push(before);
  }
  const before = earlier && existing.length > 0 ? addSums(existing, earlier.metrics) : undefined;
  const name = othersText(rest.length);
  const words = { name, shortName: name, detail: '' };
  return rankedGroup(words, { now: addSums(rest, all.metrics), before }, basis);
}

function othersText(count: number): string {
  return count === 1 ? '1 other' : `${formatCount(count)} others`;
}

function endedOf(unit: Unit, { figure }: RankingBasis, comparison: Comparison): RankedGroup[] {
  return endedGroups(unit, comparison, figure).map((group) => {
    const change = changeOf(figure, undefined, group.sums);
    const { name, detail } = nameOfGroup(unit.fields, group);
    const words = { name, shortName: shorten(printable(name), longestInTable), detail };
    return { ...words, sums: new Map(), share: undefined, before: group.sums, change };
  });
}

/**
 * What an earlier report has and this one has not, `Ended: Summer (€12.00 before).`; `undefined`
 * where all is there.
 */
function sentenceOfEnded(unit: Unit, figure: Figure, comparison: Comparison): string | undefined {
  const ended = endedGroups(unit, comparison, figure);
  if (ended.length === 0) return undefined;

  const nameCount = ended.length > mostEndedNames + 1 ? mostEndedNames : ended.length;
  const items = ended.slice(0, nameCount).map((group) => {
    const { name } = nameOfGroup(unit.fields, group);
    const shortName = nameInSentence(shorten(name, longestInTable));
    return `${shortName} (${figureWithCurrency(figure, group.sums)} before)`;
  });

  const others = ended.slice(nameCount);
  if (others.length > 0) {
    const sums = addSums(others, comparison.sums.groupsOf(unit)?.metrics ?? []);
    items.push(`${othersText(others.length)} (${figureWithCurrency(figure, sums)} before)`);
  }
  return `Ended: ${listWords(items)}.`;
}

/** The sentences about what has ended, one for each breakdown. */
export function endedSentences(
  sums: ReportSums,
  figures: readonly Figure[],
  comparison: Comparison,
): string[] {
  const figure = figures.find(({ derived }) => !derived);
  if (!figure) return [];

  const sentences: string[] = [];
  for (const unit of unitsOf(sums, comparison)) {
    const sentence = unit.isTime ? undefined : sentenceOfEnded(unit, figure, comparison);
    if (sentence !== undefined) sentences.push(sentence);
  }
  return sentences;
}
