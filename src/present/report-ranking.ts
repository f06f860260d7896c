import { shorten } from '../text/cell-width.ts';
import { nameInSentence, printable } from '../text/printable.ts';
import { listWords } from '../text/quantity.ts';
import type { Change } from '../totals/change.ts';
import { endedGroups } from '../totals/ended-groups.ts';
import { type Comparison, changeOf, type Figure } from '../totals/figures.ts';
import { nameOfGroup, noName } from '../totals/group-name.ts';
import { addSums, type Group, Grouping, type Sums } from '../totals/grouping.ts';
import { byFigure, othersLabel } from '../totals/ranked-groups.ts';
import { type ReportSums, type Unit, unitNoun } from '../totals/report-sums.ts';
import { formatWithCurrency, shareOf } from './figure-text.ts';
import { maxTableName, shortNames } from './short-names.ts';
import { maxTableRows } from './table-size.ts';

/** Number of values that are ranked individually; the others are added up. */
const maxRanked = 10;

/** Number of ended groups named in a sentence; the others are added up. */
const maxEndedNames = 5;

/** A value of a breakdown, or several combined, with sums. */
export interface RankedGroup {
  readonly name: string;

  /** Printable and shortened, for tables and charts. */
  readonly shortName: string;

  /** Additional information, such as the id of a campaign; may be empty. */
  readonly detail: string;

  readonly sums: Sums;

  /** Share of the whole by the ranked metric, 0 to 1; `undefined` if it cannot be computed. */
  readonly share: number | undefined;

  /** Sums in the earlier report, and the change; `undefined` without a comparison. */
  readonly before: Sums | undefined;
  readonly change: Change | undefined;
}

/** Largest values first. */
export interface BreakdownRanking {
  readonly unit: Unit;

  /** Word for a value: `campaign`. */
  readonly noun: string;

  /** Metric that values are ranked by. */
  readonly figure: Figure;

  /** `groups` is then empty. */
  readonly hasTooManyValues: boolean;

  /** All values. */
  readonly groups: readonly RankedGroup[];

  /** Number of values ranked individually; the rest are in `others`. */
  readonly topCount: number;
  readonly others: RankedGroup | undefined;

  /** Values that do not fit into a printed table. */
  readonly othersBelowTable: RankedGroup | undefined;

  /** Values that exist only in the earlier report. */
  readonly ended: readonly RankedGroup[];

  /** `Ended: Summer (€12.00 before).` */
  readonly endedSentence: string | undefined;
}

/** Ranks the values of each breakdown by the first metric that is a sum. */
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

/** For a report without rows, returns the units of the earlier report, without groups. */
function unitsOf(sums: ReportSums, comparison: Comparison | undefined): readonly Unit[] {
  if (sums.total.rowCount > 0 || !comparison) return sums.units;
  return comparison.sums.units.map((unit) => ({ ...unit, groups: new Grouping() }));
}

interface RankingBasis {
  readonly figure: Figure;

  /** Sums of the whole report. */
  readonly totals: Sums;

  readonly comparison: Comparison | undefined;
}

function rankUnit(unit: Unit, basis: RankingBasis): BreakdownRanking {
  const { figure, comparison } = basis;
  const noun = unitNoun(unit);
  const ended = comparison ? endedOf(unit, basis, comparison) : [];
  const endedSentence = comparison && endedSentenceOf(unit, figure, comparison);
  const words = { unit, noun, figure, ended, endedSentence };
  const { groups } = unit;
  if (!groups) {
    const nothing = { topCount: 0, others: undefined, othersBelowTable: undefined };
    return { ...words, ...nothing, hasTooManyValues: true, groups: [] };
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
  const topCount = countBefore(ranked.length, maxRanked);
  return {
    ...words,
    hasTooManyValues: false,
    groups: rankedGroups,
    topCount,
    others: othersAfter(topCount),
    othersBelowTable: othersAfter(maxTableRows),
  };
}

/** Shows all if one would be left: "1 other" would take as much space as that value. */
function countBefore(count: number, most: number): number {
  return count > most + 1 ? most : count;
}

function rankedGroup(
  words: Pick<RankedGroup, 'name' | 'shortName' | 'detail'>,
  { now, before }: { readonly now: Sums; readonly before: Sums | undefined },
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
  const name = othersLabel(rest.length);
  const words = { name, shortName: name, detail: '' };
  return rankedGroup(words, { now: addSums(rest, all.metrics), before }, basis);
}

function endedOf(unit: Unit, { figure }: RankingBasis, comparison: Comparison): RankedGroup[] {
  return endedGroups(unit, comparison, figure).map((group) => {
    const change = changeOf(figure, undefined, group.sums);
    const { name, detail } = nameOfGroup(unit.fields, group);
    const words = { name, shortName: shorten(printable(name), maxTableName), detail };
    return { ...words, sums: new Map(), share: undefined, before: group.sums, change };
  });
}

/** Returns `Ended: Summer (€12.00 before).`; `undefined` if nothing has ended. */
function endedSentenceOf(unit: Unit, figure: Figure, comparison: Comparison): string | undefined {
  const ended = endedGroups(unit, comparison, figure);
  if (ended.length === 0) return undefined;

  const nameCount = ended.length > maxEndedNames + 1 ? maxEndedNames : ended.length;
  const items = ended.slice(0, nameCount).map((group) => {
    const { name } = nameOfGroup(unit.fields, group);
    const shortName = nameInSentence(shorten(name, maxTableName));
    return `${shortName} (${formatWithCurrency(figure, group.sums)} before)`;
  });

  const others = ended.slice(nameCount);
  if (others.length > 0) {
    const sums = addSums(others, comparison.sums.groupsOf(unit)?.metrics ?? []);
    items.push(`${othersLabel(others.length)} (${formatWithCurrency(figure, sums)} before)`);
  }
  return `Ended: ${listWords(items)}.`;
}

/** Returns one sentence per breakdown. */
export function endedSentences(
  sums: ReportSums,
  figures: readonly Figure[],
  comparison: Comparison,
): string[] {
  const figure = figures.find(({ derived }) => !derived);
  if (!figure) return [];

  const sentences: string[] = [];
  for (const unit of unitsOf(sums, comparison)) {
    const sentence = unit.isTime ? undefined : endedSentenceOf(unit, figure, comparison);
    if (sentence !== undefined) sentences.push(sentence);
  }
  return sentences;
}
