import { metricOfField } from '../contract/columns.ts';
import { Decimal } from '../text/decimal.ts';
import { nameInSentence } from '../text/printable.ts';
import type { Comparison } from '../totals/comparison.ts';
import { toDecimal } from '../totals/exact-sum.ts';
import type { Group, Sums } from '../totals/grouped-totals.ts';
import { compareMetric, type ReportMetric } from '../totals/report-metrics.ts';
import { type ReportSums, type Unit, unitNoun } from '../totals/report-sums.ts';
import { groupName } from './group-name.ts';
import { formatWithCurrency } from './metric-text.ts';

/** Contribution of one group to the change of a metric. */
interface Contribution {
  readonly unit: Unit;
  readonly group: Pick<Group, 'key'>;

  /** `undefined` if the group does not occur in that report. */
  readonly now: Sums | undefined;
  readonly before: Sums | undefined;

  readonly difference: Decimal;
}

const zero = new Decimal(0n, 0);

/**
 * Sums up the report in a sentence, from exact sums: revenue, its change, and the group that
 * contributed most. Returns `undefined` without revenue or without a change.
 */
export function formatHeadline(
  sums: ReportSums,
  lead: ReportMetric,
  comparison: Comparison,
): string | undefined {
  if (!isRevenue(lead)) return undefined;

  const now = sums.total.totals();
  const change = compareMetric(lead, now, comparison.sums.total.totals());
  const hasChanged = change.direction === 'up' || change.direction === 'down';
  if (!hasChanged || sumIn(now, lead).sign <= 0) return undefined;

  const isRise = change.direction === 'up';
  // The amount has the currency, and the verb the direction.
  const subject = lead.label.replace(/ \([€$]\)$/, '');
  const percent = change.text.replace(/^\S+ /, '');
  const amount = formatWithCurrency(lead, now);
  const sentence = `${subject} ${isRise ? 'rose' : 'fell'} ${percent} to ${amount}`;
  const contribution = largestContribution(sums, comparison, { lead, isRise });
  return contribution ? `${sentence}; ${contributionClause(contribution, lead)}.` : `${sentence}.`;
}

function isRevenue({ field, derived }: ReportMetric): boolean {
  return !derived && (metricOfField(field)?.name.startsWith('revenue') ?? false);
}

function sumIn(sums: Sums | undefined, { field }: ReportMetric): Decimal {
  const sum = sums?.get(field);
  return (sum === undefined ? undefined : toDecimal(sum)) ?? zero;
}

interface Direction {
  readonly lead: ReportMetric;
  readonly isRise: boolean;
}

/** Uses the first breakdown with more than one group. */
function largestContribution(
  sums: ReportSums,
  comparison: Comparison,
  direction: Direction,
): Contribution | undefined {
  for (const unit of sums.units) {
    if (unit.isTime) continue;
    const contributions = listContributions(unit, comparison, direction.lead);
    if (contributions.length > 1) return findLargest(contributions, direction.isRise ? 1 : -1);
  }
  return undefined;
}

/** Includes groups that occur in only one of the reports. */
function listContributions(unit: Unit, comparison: Comparison, lead: ReportMetric): Contribution[] {
  const { groups } = unit;
  const earlier = comparison.sums.findGroups(unit);
  if (!groups || !earlier) return [];

  const ended = [...earlier].filter(({ key }) => !groups.find(key));
  return [...groups, ...ended].map((group) => {
    const now = groups.find(group.key)?.sums;
    const before = earlier.find(group.key)?.sums;
    return { unit, group, now, before, difference: sumIn(now, lead).minus(sumIn(before, lead)) };
  });
}

/** @param sign that of the whole change */
function findLargest(
  contributions: readonly Contribution[],
  sign: number,
): Contribution | undefined {
  let largest: Contribution | undefined;
  for (const contribution of contributions) {
    if (contribution.difference.sign !== sign) continue;
    const lead = largest ? contribution.difference.minus(largest.difference).sign : sign;
    if (lead === sign) largest = contribution;
  }
  // Rows without a value have no name to use in a sentence.
  return largest?.group.key.some((text) => text) ? largest : undefined;
}

function contributionClause(
  { unit, group, now, before, difference }: Contribution,
  lead: ReportMetric,
): string {
  const name = `“${nameInSentence(groupName(unit.fields, group).name)}”`;
  const noun = unitNoun(unit);
  if (now && !before) return `the new ${noun} ${name} added ${formatWithCurrency(lead, now)}`;
  if (!now && before) {
    return `the ${noun} ${name}, which ended, had ${formatWithCurrency(lead, before)}`;
  }
  const isMore = difference.sign > 0;
  const size = isMore ? difference : zero.minus(difference);
  const amount = formatWithCurrency(lead, { get: () => size });
  return `${name} has ${amount} ${isMore ? 'more' : 'less'}`;
}
